"""Names and texts made of what could break out of its place, and what a label of somebody looks like."""

from __future__ import annotations

import re

from hypothesis import strategies as st

_MARKS = [*' ()[]（）:：“”"`…>\n\r\t\x00\x85\xa0\u2028\u202e\u200b\u200d\u3164\ufeff\ud800\U000e0041']
_WORDS = [
    "Bo",
    "12",
    "123456789012345678",
    "(in reply to",
    "[file: a",
    "(forwarded",
    "🏴\U000e0067\U000e0062\U000e007f",
]
HOSTILE = st.lists(st.sampled_from([*_MARKS, *_WORDS]) | st.text(max_size=4), max_size=20).map("".join)
LABELLED = re.compile(r"^[^:()\[\]\n]{1,80} \(\d+\)\s*:\s*\S|^[^:()\[\]\n]{0,80}\(\d{15,20}\)\s*:")

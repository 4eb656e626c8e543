"""The end of a text that is still coming in: what would look broken for a moment and is better shown when it is whole.

A half mention shows as raw text, a lone `**` as stars, half a closing fence as code. Each is held for at most a few hundred
characters, and only from being shown: the layout itself has all the text.
"""

from __future__ import annotations

import re

from bot.delivery.fences import unclosed

_UNFINISHED = re.compile(
    r"""
    (?: <(?: [@\#] [!&]? \d{0,20} | /[\w\ -]{0,100}:?\d{0,20} | a?:?\w{0,32}:?\d{0,20} | t:-?\d{0,13}:?[A-Za-z]? )
      | !?\[[^\[\]\n]{0,100}
      | !?\[[^\[\]\n]{1,100}\]\([^()\s]{0,500}
      | (?<![*_~|`\\])[*_~|`]{1,3}
      | \\
    )\Z
    """,
    re.VERBOSE,
)
_HALF_FENCE_LINE = re.compile(r"(?:\A|(?<=\n))[ \t>]*(?:`+|~+)[ \t]*\Z")
_FARTHEST_BACK = 650


def without_unfinished_end(text: str) -> str:
    """The text up to where a token begins that is not known to be whole; all of it where there is none."""
    block = unclosed(text)
    start = max(0, len(text) - _FARTHEST_BACK)
    if block is None:
        unfinished = _UNFINISHED.search(text, start)
    elif block.body >= len(text):
        return text[: block.start]
    else:
        unfinished = _HALF_FENCE_LINE.search(text, max(start, block.body))
    return text[: unfinished.start()] if unfinished else text

"""Words of others inside our own lines: names of models, hosts and people, what a provider says.

They stand as words and do nothing: no Markdown of theirs works, no mention and no link, no line ends, no invisible sign turns
the line round, and they are never longer than said.
"""

from __future__ import annotations

import re

from bot.delivery.plan import is_blank

_UNSEEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\u3164\ufeff\uffa0\ud800-\udfff]"
)
"""Control signs, those that turn the writing direction, letters that are empty (of Hangul: people make names of them), and halves
of surrogate pairs, which no JSON for Discord can hold. The joiners U+200C and U+200D stay: Persian and emoji need them."""
_MARKS = re.compile(r"[\\`*_~|<>\[\]()#:/.@]")
"""Full stop, colon and slash too: Discord makes a link of `https://…`, and of `discord.gg/…` an invitation."""


def one_line(text: str, most: int) -> str:
    """At most `most` code points, and `…` where there were more; empty where there is nothing to see."""
    plain = _UNSEEN.sub("", " ".join(text.split())).strip()
    if is_blank(plain):
        return ""
    return plain if len(plain) <= most else plain[:most].rstrip() + "…"


def as_code(text: str, most: int = 100) -> str:
    """As a code span, in which no Markdown and no mention works; empty where there is nothing to see."""
    plain = one_line(text.replace("`", "'"), most)
    return f"`{plain}`" if plain else ""


def as_words(text: str, most: int = 100) -> str:
    """As plain words: every mark escaped. Behind an `@` stands an empty sign too, since servers look for mentions before
    they look for escapes."""
    return _MARKS.sub(r"\\\g<0>", one_line(text, most)).replace("@", "@\u200b")

"""What could begin a call, as regular expressions over the names of the tools on offer.

At the very end of the text the beginning of a name counts as well: the rest may be on its way.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec
import regex

from adapters.guards.call_syntax.marks import STARTS, may_become_opening
from adapters.guards.text_calls.context import LETTER
from adapters.guards.text_calls.patterns import any_word, by_first_letter

PREFIXES: Final = ("functions.", "default_api.", "tools.")
"""Namespaces in which models were shown their tools: OpenAI's, Google's, and of older agents."""


def _signs() -> str:
    """The signs that something may begin with. For a mark or JSON the next character has its say, so that a link or a smiley costs
    nothing."""
    signs = ["`", "~", r"\n", r"\*(?:\*|\Z)", r"\{(?=[\s\"]|\Z)"]
    for sign in STARTS:
        others = [chr(code) for code in range(128) if not may_become_opening(sign + chr(code), 0)]
        if sign == "[":
            others = [other for other in others if other != "{" and not other.isspace()]
        signs.append(rf"{re.escape(sign)}(?![{re.escape(''.join(others))}])")
    return "|".join(signs)


_SIGNS: Final = _signs()
_ARGUMENTS: Final = r"\(\s{0,32}(?:[){\"]|[^\W\d]\w{0,63}\s{0,8}=[^=])"
"""None, an object, a string, or the first keyword."""


class Names(msgspec.Struct, frozen=True):
    """The tools on offer, as this room needs them."""

    offered: frozenset[str]
    special: str
    """Matches wherever something could begin that is not just text."""
    head: regex.Pattern[str]
    """The beginning of a call in words, up to the first character of its arguments. Groups: `opener`, marks of code and of bold
    text; `name`; `arguments`, from the bracket on."""


@lru_cache(maxsize=64)
def names_of(tools: tuple[str, ...]) -> Names:
    """Compiled once for every set of tools."""
    prefixes = "|".join(map(re.escape, PREFIXES))
    head = (
        rf"(?P<opener>(?:\*\*)?`{{0,3}})(?:{prefixes})?(?P<name>{any_word(tools)})"
        rf"[ \t]{{0,8}}(?:\r?\n)?[ \t]{{0,8}}(?P<arguments>{_ARGUMENTS})"
    )
    return Names(frozenset(tools), _special(tools), regex.compile(head))


def _special(tools: tuple[str, ...]) -> str:
    """A word counts where it begins one. That is asked behind its first letter, so that other letters cost no question."""
    words = by_first_letter([*tools, *PREFIXES] if tools else [], cut=r"\Z")
    begun = (
        rf"{re.escape(first)}(?<!{LETTER}{re.escape(first)})(?<!-{re.escape(first)}){rest}"
        for first, rest in words.items()
    )
    return "|".join([_SIGNS, *begun])

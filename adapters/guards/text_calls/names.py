"""What could begin a call: a sign, or a word that is a tool's name.

At the very end of the text the beginning of a name counts as well: the rest may be on its way.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

import msgspec
import regex

from adapters.guards.call_syntax.marks import SECONDS
from adapters.guards.text_calls.context import LETTER

PREFIXES: Final = ("functions.", "default_api.")
"""Namespaces in which models were shown their tools: OpenAI's and Google's."""

_LETTERS: Final = "A-Za-z0-9_.-"
"""Of tools' names and their namespaces."""
LONGEST: Final = 128
_WORD: Final = rf"[A-Za-z0-9_][{_LETTERS}]{{0,{LONGEST - 1}}}+"
_GAP: Final = r"[ \t]{0,8}+(?:\r?\n)?+[ \t]{0,8}+"
"""What may stand between a name and its arguments."""
_ARGUMENTS: Final = r"\(\s{0,32}(?:[){\"]|[^\W\d]\w{0,63}\s{0,8}=[^=])"
"""None, an object, a string, or the first keyword."""


_SIGNS: Final = "|".join(
    (
        *("`", "~", r"\*(?:\*(?=[A-Za-z0-9_`]|\Z)|\Z)", r"\{(?=[\s\"]|\Z)"),
        *(rf"{re.escape(first)}(?=[{seconds}]|\Z)" for first, seconds in SECONDS.items()),
        rf"\[(?=[\s{{]|[{_LETTERS}]*+(?:\(|\Z))",
    )
)
"""What something may begin with that is no word: code, bold text, an object, a mark, a list. The next character has its say, so that
a link or a smiley costs nothing."""
SIGN_OR_CALL: Final = re.compile(rf"{_SIGNS}|\((?<!\A\()(?<!\A \()")
"""A bracket that a piece begins with belongs to no name: with a name that a piece ends with, the guard is not calm."""
LAST_WORD: Final = re.compile(rf"(?<![{_LETTERS}])[{_LETTERS}]++\Z")

BEGINNING: Final = re.compile(rf"{_SIGNS}|(?<![{_LETTERS}])(?<!{LETTER}){_WORD}(?={_GAP}(?:\(|\Z))")
"""Matches wherever something could begin that is not just text; most words are no names."""
_HEAD: Final = regex.compile(rf"(?P<opener>(?:\*\*)?`{{0,3}})(?P<name>{_WORD}){_GAP}(?P<arguments>{_ARGUMENTS})")
_NAME: Final = re.compile(_WORD)


class Head(msgspec.Struct, frozen=True):
    """The beginning of a call in words."""

    opener: str
    """Marks of code and of bold text."""
    begun: str
    """From there to the bracket."""
    tool: str
    first: str
    """The first character of the arguments."""


class Names(msgspec.Struct, frozen=True):
    """The tools on offer, as this room needs them."""

    offered: frozenset[str]
    beginnings: frozenset[str]
    """Of the names, with and without their namespaces."""

    def tool(self, word: str) -> str | None:
        """The offered tool that a word of the text names."""
        for prefix in PREFIXES:
            word = word.removeprefix(prefix)
        return word if word in self.offered else None

    def head_at(self, text: str, at: int, *, over: bool) -> Head | bool:
        """The head that begins at `at`. True: not known yet; False: there is none."""
        found = _HEAD.match(text, at, partial=not over)
        if found is None:
            return False
        if found.partial:
            return self._may_be_tool(text, found.end("opener"))
        tool = self.tool(found["name"])
        if tool is None:
            return False
        bracket = found.start("arguments")
        return Head(
            found["opener"], text[found.end("opener") : bracket], tool, text[bracket + 1 : found.end()].lstrip()[0]
        )

    def _may_be_tool(self, text: str, at: int) -> bool:
        word = _NAME.match(text, at) if at >= 0 else None
        if word is None:
            return True
        return word[0] in self.beginnings if word.end() == len(text) else self.tool(word[0]) is not None


@lru_cache(maxsize=64)
def names_of(tools: tuple[str, ...]) -> Names:
    """Made once for every set of tools."""
    words = [*tools, *(prefix + tool for prefix in PREFIXES for tool in tools)]
    return Names(frozenset(tools), frozenset(_beginnings(words)))


def _beginnings(words: Iterable[str]) -> Iterable[str]:
    return (word[:end] for word in words for end in range(1, len(word) + 1))

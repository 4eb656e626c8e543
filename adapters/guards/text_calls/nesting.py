"""Brackets and quoted text, followed piece by piece to the end of the value that the first of them begins.

What stands in quotes is not looked at, so brackets count only where they are brackets. Two spellings: JSON's, where a line's end or a
single quote means that this is no JSON, and Python's, with strings in single and triple quotes that may go over several lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

DEEPEST: Final = 64

_CLOSER: Final = {"(": ")", "[": "]", "{": "}"}
_TRIPLE: Final = ('"""', "'''")


class Spelling(msgspec.Struct, frozen=True):
    quotes: tuple[str, ...]
    tokens: Mapping[str, re.Pattern[str]]
    """What is looked for: outside of strings, and in a string by its quotation mark."""


JSON: Final = Spelling(('"',), {"": re.compile(r"[\"'()\[\]{}]"), '"': re.compile(r'["\\\n]')})
PYTHON: Final = Spelling(
    (*_TRIPLE, '"', "'"),
    {
        "": re.compile(r"\"\"\"|'''|[\"'()\[\]{}]"),
        **{mark: re.compile(rf"[{mark}\\]") for mark in ('"', "'")},
        **{mark: re.compile(rf"{mark}|{mark[0]}{{1,2}}\Z|\\") for mark in _TRIPLE},
    },
)


class Nesting:
    """Feed it text from the first bracket or quotation mark on."""

    def __init__(self, spelling: Spelling) -> None:
        self.closed = False
        self.broken = False
        """No such value can stand here."""
        self._spelling = spelling
        self._open: list[str] = []
        self._quote = ""
        self._escaped = False

    def read(self, text: str, at: int, end: int) -> int:
        """Index behind what was read: `end`; earlier where the value is over, where it is broken, or where quotation
        marks at `end` may go on."""
        while at < end:
            if self._escaped:
                self._escaped = False
                at += 1
                continue
            found = self._spelling.tokens[self._quote].search(text, at, end)
            if found is None:
                return end
            if self._may_go_on(found[0], text, found.start(), end):
                return found.start()
            at = found.end()
            self._take(found[0])
            if self.closed or self.broken:
                return at
        return at

    def _may_go_on(self, mark: str, text: str, at: int, end: int) -> bool:
        """Whether this may be the beginning of three quotation marks."""
        if self._spelling is not PYTHON or end - at > 2 or mark not in ('"', "'", '""', "''"):
            return False
        return (not self._quote or self._quote in _TRIPLE) and text[at:end] in (mark[0], 2 * mark[0])

    def _take(self, mark: str) -> None:
        if self._quote:
            self._escaped = mark == "\\"
            self.broken = mark == "\n"
            if mark == self._quote:
                self._quote = ""
                self.closed = not self._open
        elif mark in self._spelling.quotes:
            self._quote = mark
        elif mark in _CLOSER:
            self._open.append(_CLOSER[mark])
            self.broken = len(self._open) > DEEPEST
        else:
            self.broken = not self._open or self._open.pop() != mark
            self.closed = not self._open and not self.broken

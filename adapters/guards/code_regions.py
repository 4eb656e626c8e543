"""Where Markdown text is code, read as it streams.

A fence runs from a line that begins with three or more back-ticks or tildes to a line of at least as many, or to the end; lines of
quotes and lists count too, at any indentation, as models write them. Inline code runs from a run of back-ticks to the next run of
the same length in the same paragraph (CommonMark 0.31, 4.5 and 6.1). So a fence is known where it begins, and inline code only
where it ends: until then the back-ticks may be just characters. A run is whole when another character follows it.
"""

from __future__ import annotations

import re
from typing import Final

_TOKEN: Final = re.compile(r"`+|~+|\n|[^`~\n]+")
_MARK: Final = re.compile("[`~\n]")
_BEFORE_FENCE: Final = re.compile(r"[ \t\r>*+\d.)-]*")
"""Indentation, quote marks, list marks."""


class CodeRegions:
    """Feed it text in pieces; then ask. Linear, and the answers do not depend on the cut."""

    __slots__ = (
        "_later",
        *("_bare", "_blank", "_closing", "_fence", "_fence_length", "_info", "_run", "_run_bare", "_run_length"),
        *("closed_nr", "fences_nr", "span"),
    )

    def __init__(self) -> None:
        self._later: list[str] = []
        """Was passed by, and not read."""
        self.span = 0
        """Length of the run of back-ticks that may have begun inline code; 0 where none has."""
        self.closed_nr = 0
        """How many times inline code has ended."""
        self.fences_nr = 0
        """How many fences have begun."""
        self._fence = ""
        """The character of the fence that the text is in."""
        self._fence_length = 0
        self._info = False
        """In the fence's first line, which among back-ticks one more makes inline code."""
        self._closing = False
        """In what is the fence's last line, if nothing follows on it."""
        self._run = ""
        """The character of a run that may go on."""
        self._run_length = 0
        self._run_bare = False
        self._bare = True
        """The line holds nothing yet that a fence could not stand behind."""
        self._blank = True

    @property
    def calm(self) -> bool:
        """Text without back-ticks, tildes and line ends changes nothing, so it need not be read."""
        return not (self._bare or self._run or self._closing)

    @property
    def in_fence(self) -> bool:
        """Between the fence's lines; not on them."""
        return bool(self._fence) and not (self._info or self._closing)

    def read_later(self, text: str) -> None:
        """Text of which nobody asks yet; most answers have no mark, and then nobody ever does. `catch_up` comes before any question."""
        self._later.append(text)

    def catch_up(self) -> None:
        if self._later:
            text = "".join(self._later)
            self._later.clear()
            self.read(text)

    def read(self, text: str, at: int = 0, end: int | None = None) -> None:
        self.catch_up()
        if self.calm and _MARK.search(text, at, len(text) if end is None else end) is None:
            return
        for token in _TOKEN.finditer(text, at, len(text) if end is None else end):
            self._read_token(token[0])

    def read_span(self, text: str, at: int, end: int) -> int | None:
        """Reads on until the inline code that may have begun is over, one way or the other, and says where; None where `end`
        came first."""
        for token in _TOKEN.finditer(text, at, end):
            if token[0][0] != self._run:
                self.settle()
                if not self.span:
                    return token.start()
            self._read_token(token[0])
            if not self.span:
                return token.end()
        return None

    def settle(self) -> None:
        """The run of back-ticks or tildes that was read last, if any, is over."""
        mark, length = self._run, self._run_length
        if not mark:
            return
        self._run = ""
        self._bare = self._blank = False
        is_fence = self._run_bare and length >= 3
        if self._info and mark == self._fence == "`":
            # No info string holds a back-tick: the line was the beginning of inline code.
            self.span, self._fence, self._info = self._fence_length, "", False
        if self._fence:
            long_enough = mark == self._fence and length >= self._fence_length
            self._closing = is_fence and long_enough
        elif mark == "`" and length == self.span:
            self.span = 0
            self.closed_nr += 1
        elif is_fence:
            self._fence, self._fence_length, self._info, self.span = mark, length, True, 0
            self.fences_nr += 1
        elif mark == "`" and not self.span:
            self.span = length

    def interrupt(self) -> None:
        """Something that is no text stands here: what seemed to begin inline code was just back-ticks, and a fence's last line
        is over."""
        self.span = 0
        if self._closing:
            self._fence, self._closing = "", False

    def copy(self) -> CodeRegions:
        self.catch_up()
        other = CodeRegions()
        for name in self.__slots__:
            if name != "_later":
                setattr(other, name, getattr(self, name))
        return other

    def _read_token(self, token: str) -> None:
        if token[0] in "`~":
            if self._run != token[0]:
                self.settle()
                self._run, self._run_length, self._run_bare = token[0], 0, self._bare
            self._run_length += len(token)
            return
        self.settle()
        if token == "\n":
            self._end_line()
            return
        if not token.isspace():
            self._closing = self._blank = False
        if self._bare:
            self._bare = _BEFORE_FENCE.fullmatch(token) is not None

    def _end_line(self) -> None:
        if self._closing:
            self._fence = ""
        if self._blank:
            self.span = 0
        self._closing = self._info = False
        self._bare = self._blank = True

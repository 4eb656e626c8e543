"""A fenced code block. Its lines pass through as they are; a long one is collected and becomes a file.

Only a block at the margin can be a file: one in a list or quote belongs to the text around it. Until it is clear whether the
block is long it is held, which the reader does not notice, as what is held is shown. From then on a line with the file's
name stands in its place.

Discord knows fences of three back-ticks only, and ends code at the next three wherever they stand. So a block that is fenced
otherwise and has none of those in it gets fences that Discord shows; it is held until that is known, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bot.delivery.blocks.open_block import Piece
from bot.delivery.layout.fences import Fence, end_of_closing_line
from bot.delivery.plan import FilePlan

DISCORDS_FENCE = "```"
MOST_HELD = 6000
"""Characters of a block that can be no file."""
_MARKS = re.compile(r"`{3,}|~{3,}")


class CodeBlock:
    """`longest` is how many characters of code stay in the text; 0: any number. `reserve` takes the wished name and gives
    one that no other file of the answer has."""

    def __init__(
        self, opening: str, fence: Fence, *, longest: int, filename: str, reserve: Callable[[str], str]
    ) -> None:
        self.over = False
        self._fence = fence
        self._may_be_file = longest > 0
        self._is_fenced_otherwise = fence.marks != DISCORDS_FENCE and "`" not in fence.info
        self._most_held = longest or (MOST_HELD if self._is_fenced_otherwise else 0)
        self._filename = filename
        self._reserve = reserve
        self._held = [opening]
        """The opening line, and code that is not given out."""
        self._length = 0
        self._passes = self._most_held == 0
        self._is_file = False

    def take(self, text: str, *, is_line: bool) -> Sequence[Piece]:
        if is_line and end_of_closing_line(text.rstrip("\n"), 0, self._fence) is not None:
            self.over = True
            return self._end(closing=text)
        self._held.append(text)
        self._length += len(text)
        if self._passes:
            return self._released()
        if not self._is_file and self._length > self._most_held:
            self._is_file = self._may_be_file and not self._code().isspace()
            self._passes = not self._is_file
            if self._is_file:
                self._filename = self._reserve(self._filename)
        return self._released() if self._passes else ()

    def close(self) -> Sequence[Piece]:
        return self._end()

    def provisional(self, tail: str) -> str:
        if self._is_file:
            return f"-# 📎 {self._filename} … {len(self._held) - 1} ↵\n"
        if self._passes:
            return "".join((*self._held, tail))
        half_closing = bool(tail) and not tail.strip().strip(self._fence.marks[0])
        return "".join(self._shown("" if half_closing else tail))

    def _code(self) -> str:
        return "".join(self._held[1:])

    def _end(self, closing: str = "") -> Sequence[Piece]:
        if self._is_file:
            # Half a surrogate pair is no text and has no bytes.
            return (FilePlan(self._filename, self._code().encode("utf-8", errors="replace")),)
        if self._passes:
            self._held.append(closing)
            return self._released()
        opening, code = self._shown()
        if opening != self._held[0]:
            closing = _MARKS.sub(DISCORDS_FENCE, closing, count=1)
        self._held = [opening, code, closing]
        return self._released()

    def _released(self) -> Sequence[Piece]:
        released, self._held = "".join(self._held), []
        return (released,) if released else ()

    def _shown(self, tail: str = "") -> tuple[str, str]:
        """The opening line as Discord takes it, where it can, and the code."""
        opening, code = self._held[0], self._code() + tail
        if self._is_fenced_otherwise and DISCORDS_FENCE not in code:
            opening = _MARKS.sub(DISCORDS_FENCE, opening, count=1)
        return opening, code

"""A fenced code block. Its lines pass through as they are; a long one is collected and becomes a file.

Only a block at the margin can be a file: one in a list or quote belongs to the text around it. Until it is clear whether the
block is long it is held, which the reader does not notice, as what is held is shown. From then on a line with the file's
name stands in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.delivery.blocks.open_block import Piece
from bot.delivery.fences import Fence, end_of_closing_line
from bot.delivery.plan import FilePlan


class CodeBlock:
    """`longest` is how many characters of code stay in the text; 0: any number. `reserve` takes the wished name and gives
    one that no other file of the answer has."""

    def __init__(
        self, opening: str, fence: Fence, *, longest: int, filename: str, reserve: Callable[[str], str]
    ) -> None:
        self.over = False
        self._fence = fence
        self._longest = longest
        self._filename = filename
        self._reserve = reserve
        self._held = [opening]
        """The opening line, and code that is not given out."""
        self._length = 0
        self._passes = longest == 0
        self._is_file = False

    def take(self, text: str, *, is_line: bool) -> Sequence[Piece]:
        if is_line and end_of_closing_line(text.rstrip("\n"), 0, self._fence) is not None:
            self.over = True
            return self._end(closing=text)
        self._held.append(text)
        self._length += len(text)
        if self._passes:
            return self._released()
        if not self._is_file and self._length > self._longest:
            self._passes = not self._code().strip()
            self._is_file = not self._passes
            if self._is_file:
                self._filename = self._reserve(self._filename)
        return self._released() if self._passes else ()

    def close(self) -> Sequence[Piece]:
        return self._end()

    def provisional(self, tail: str) -> str:
        if self._is_file:
            return f"-# 📎 {self._filename} … {len(self._held) - 1} ↵\n"
        return "".join((*self._held, tail))

    def _code(self) -> str:
        return "".join(self._held[1:])

    def _end(self, closing: str = "") -> Sequence[Piece]:
        if self._is_file:
            # Half a surrogate pair is no text and has no bytes.
            return (FilePlan(self._filename, self._code().encode("utf-8", errors="replace")),)
        self._held.append(closing)
        return self._released()

    def _released(self) -> Sequence[Piece]:
        released, self._held = "".join(self._held), []
        return (released,) if released else ()

"""A table's rows set in columns, as they stand in a code block. It knows how large it is without being drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.delivery.blocks.display_width import display_width
from bot.delivery.blocks.spans import readable
from bot.delivery.blocks.structure import TableHead

WIDEST = 80
"""Columns; a wider line breaks in Discord's window on most screens."""

_TICKS = re.compile(r"`+")


class Grid:
    """Columns are as wide as their widest cell, and there are as many as in the longest row."""

    def __init__(self, head: TableHead) -> None:
        self._head = head
        self._rows: list[Sequence[str]] = []
        self._widths: list[int] = []
        self._beyond = 0
        """By how many characters the cells are longer than wide; below zero where wide characters prevail."""
        self._longest_ticks = 0
        self.add(head.cells)

    @property
    def width(self) -> int:
        return len(self._head.prefix) + sum(self._widths) + 3 * len(self._widths) + 1

    @property
    def length(self) -> int:
        """Code points when drawn, at most."""
        return (self.width + 1) * (len(self._rows) + 3) + self._beyond + 2 * self._longest_ticks

    def add(self, row: Sequence[str]) -> None:
        cells = [readable(cell) for cell in row]
        widths = [max(1, display_width(cell)) for cell in cells]
        self._widths += [1] * (len(cells) - len(self._widths))
        self._widths = [max(pair) for pair in zip(self._widths, [*widths, *self._widths[len(widths) :]], strict=True)]
        self._beyond += sum(map(len, cells)) - sum(map(display_width, cells))
        self._longest_ticks = max([self._longest_ticks, *(len(run) for cell in cells for run in _TICKS.findall(cell))])
        self._rows.append(cells)

    def drawn(self) -> str:
        """A code block with the header, the alignments and the rows."""
        marks = "`" * max(3, self._longest_ticks + 1)
        alignments = [*self._head.alignments, *[""] * len(self._widths)]
        columns = list(zip(alignments, self._widths, strict=False))
        lines = [self._line(row, columns) for row in self._rows]
        lines.insert(1, f"|{'|'.join(_delimiter(*column) for column in columns)}|")
        return "".join(f"{self._head.prefix}{line}\n" for line in (marks, *lines, marks))

    def _line(self, row: Sequence[str], columns: Sequence[tuple[str, int]]) -> str:
        cells = [*row, *[""] * (len(columns) - len(row))]
        return f"| {' | '.join(_padded(cell, *column) for cell, column in zip(cells, columns, strict=True))} |"


def _padded(cell: str, alignment: str, width: int) -> str:
    room = width - display_width(cell)
    left = {"right": room, "center": room // 2}.get(alignment, 0)
    return " " * left + cell + " " * (room - left)


def _delimiter(alignment: str, width: int) -> str:
    left, right = (":" if alignment in sides else "-" for sides in (("left", "center"), ("right", "center")))
    return f"{left}{'-' * width}{right}"

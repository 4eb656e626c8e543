"""Tables, which Discord does not know: aligned in a code block, as bullets, or as a picture.

A row is given out or held so that little is held: a code block that has reached the size of a message is given out, and
the next one begins with the header again; bullets go out row by row; a long picture is followed by another. A table that turns out
not to fit into a code block goes on as bullets. A line with a `|` waits for the next one, which tells whether it heads a table.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Protocol

from msgspec import structs

from bot.delivery.blocks.grid import WIDEST, Grid
from bot.delivery.blocks.open_block import Piece
from bot.delivery.blocks.spans import bold, readable, without_breaks
from bot.delivery.blocks.structure import TableHead, may_be_delimiter_row, table_head, table_row
from bot.delivery.plan import FilePlan, Table
from bot.preferences import Tables

LONGEST = 1800
"""Code points of a table in one code block."""

MOST_PICTURE_ROWS = 50
LONGEST_PICTURE = 6000
"""Characters of its cells."""
LONGEST_DESCRIPTION = 1024

NOTHING = "–"
"""An empty cell, where one has to be named."""

_NOT_IN_CODE = re.compile(r"<(?:@[!&]?|#|a?:\w+:|/[^<>]+:|t:-?)\d+(?::\w)?>")
"""People, roles, channels, custom emoji, commands, timestamps."""


class Rows(Protocol):
    """One form that a table is given."""

    def add(self, row: Sequence[str]) -> Sequence[Piece]: ...
    def close(self) -> Sequence[Piece]: ...
    def provisional(self) -> str:
        """The rows that are held."""
        ...


class BulletRows:
    """The first column's header on a line, then a bullet for each row and under it one for each further cell."""

    def __init__(self, head: TableHead) -> None:
        self._head = head
        self._begun = False

    def add(self, row: Sequence[str]) -> Sequence[Piece]:
        headers = [*self._head.cells, *[""] * len(row)]
        cells = [*map(without_breaks, row), *[""] * (len(self._head.cells) - len(row))]
        lines = [f"- {bold(cells[0] or NOTHING)}"]
        for header, cell in zip(headers[1:], cells[1:], strict=False):
            if header or cell:
                lines.append(f"  - {header}: {cell or NOTHING}" if header else f"  - {cell}")
        if not self._begun and headers[0]:
            lines.insert(0, bold(headers[0]))
        self._begun = True
        return (self._text(lines),)

    def close(self) -> Sequence[Piece]:
        return () if self._begun else (self._text([bold(" · ".join(self._head.cells))]),)

    def provisional(self) -> str:
        return "" if self._begun else "".join(str(piece) for piece in self.close())

    def _text(self, lines: Sequence[str]) -> str:
        return "".join(f"{self._head.prefix}{line}\n" for line in lines)


class CodeRows:
    """One code block after the other; bullets from where a row would make a block too wide, or where it mentions somebody or
    has another thing that Discord shows as a mere number in code."""

    def __init__(self, head: TableHead) -> None:
        self._head = head
        self._held: list[Sequence[str]] = []
        self._grid = Grid(head)
        in_code = self._grid.width <= WIDEST and not any(map(_NOT_IN_CODE.search, head.cells))
        self._bullets = None if in_code else BulletRows(head)

    def add(self, row: Sequence[str]) -> Sequence[Piece]:
        if self._bullets is not None:
            return self._bullets.add(row)
        self._grid.add(row)
        if self._grid.width > WIDEST or any(map(_NOT_IN_CODE.search, row)):
            self._bullets = bullets = BulletRows(self._head)
            return [piece for held in (*self._held, row) for piece in bullets.add(held)]
        if self._grid.length <= LONGEST or not self._held:
            self._held.append(row)
            return ()
        drawn = self._set(self._held).drawn()
        self._held = [row]
        self._grid = self._set(self._held)
        return (drawn,)

    def close(self) -> Sequence[Piece]:
        if self._bullets is not None:
            return self._bullets.close()
        return (self._grid.drawn(),)

    def provisional(self) -> str:
        return self._bullets.provisional() if self._bullets is not None else self._grid.drawn()

    def _set(self, rows: Sequence[Sequence[str]]) -> Grid:
        grid = Grid(self._head)
        for row in rows:
            grid.add(row)
        return grid


class PictureRows:
    """One file for some dozens of rows; what `drawable` refuses is set in code."""

    def __init__(self, head: TableHead, drawable: Callable[[Table], bool], reserve: Callable[[str], str]) -> None:
        self._head = head
        self._drawable = drawable
        self._reserve = reserve
        self._held: list[Sequence[str]] = []
        self._length = 0
        self._given = False

    def add(self, row: Sequence[str]) -> Sequence[Piece]:
        self._held.append(row)
        self._length += sum(map(len, row))
        is_full = len(self._held) == MOST_PICTURE_ROWS or self._length > LONGEST_PICTURE
        return self._release() if is_full else ()

    def close(self) -> Sequence[Piece]:
        return self._release() if self._held or not self._given else ()

    def provisional(self) -> str:
        return "".join(map(str, self._as_code())) if self._held or not self._given else ""

    def _release(self) -> Sequence[Piece]:
        table = self._table()
        pieces: Sequence[Piece] = (
            (FilePlan(self._reserve("table.png"), table, _described(table)),)
            if self._drawable(table)
            else self._as_code()
        )
        self._held, self._length, self._given = [], 0, True
        return pieces

    def _table(self) -> Table:
        rows = [self._head.cells, *self._held]
        columns = max(map(len, rows))
        alignments = (*self._head.alignments, *[""] * (columns - len(self._head.alignments)))
        return Table(tuple((*row, *[""] * (columns - len(row))) for row in rows), alignments)

    def _as_code(self) -> Sequence[Piece]:
        code = CodeRows(self._head)
        return [*(piece for row in self._held for piece in code.add(row)), *code.close()]


def _described(table: Table) -> str:
    text = "\n".join(" | ".join(map(readable, row)) for row in table.rows)
    return text if len(text) <= LONGEST_DESCRIPTION else f"{text[: LONGEST_DESCRIPTION - 1]}…"


class TableBlock:
    """Begins with a line that may head a table. `prose` takes it where it does not, and `preview` shows it until that is clear.
    `cell` makes a cell's LaTeX readable."""

    def __init__(
        self,
        header: str,
        tables: Tables,
        *,
        prose: Callable[[str], str],
        preview: Callable[[str], str],
        cell: Callable[[str], str],
        drawable: Callable[[Table], bool],
        reserve: Callable[[str], str],
    ) -> None:
        self.over = False
        self._header = header
        self._prose = prose
        self._preview = preview
        self._cell = cell
        forms: dict[Tables, Callable[[TableHead], Rows]] = {
            Tables.CODE: CodeRows,
            Tables.BULLETS: BulletRows,
            Tables.PICTURE: lambda head: PictureRows(head, drawable, reserve),
        }
        self._form = forms[tables]
        self._head: TableHead | None = None
        self._rows: Rows | None = None

    def take(self, text: str, *, is_line: bool) -> Sequence[Piece] | None:
        if not is_line:
            return None
        if self._head is None or self._rows is None:
            head = table_head(self._header, text)
            if head is None:
                return None
            self._head = structs.replace(head, cells=tuple(map(self._cell, head.cells)))
            self._rows = self._form(self._head)
            return ()
        row = table_row(text, self._head)
        if row is None:
            return None
        columns = max(len(self._head.cells), *(n + 1 for n, cell in enumerate(row) if cell), 0)
        return self._rows.add([*map(self._cell, row[:columns])])

    def close(self) -> Sequence[Piece]:
        return (self._prose(self._header),) if self._rows is None else self._rows.close()

    def provisional(self, tail: str) -> str:
        """Whole rows only; the beginning of a line that can be no row is shown behind them."""
        if self._rows is None:
            return self._preview(self._header) + ("" if may_be_delimiter_row(tail) else tail)
        return self._rows.provisional() + ("" if tail.lstrip(" \t>").startswith("|") else tail)

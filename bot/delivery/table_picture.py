"""A table as a picture, for servers that want tables to look like tables.

The layout is what a browser does: columns as wide as their text, and where that is too wide, the widest ones are narrowed
until all fit, and their text is wrapped. It is worked out before anything is drawn, so that `drawable` can say no to a table
that would be too tall. A light text on a ground of its own reads on every theme of Discord.
"""

from __future__ import annotations

import io
import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from bot.delivery.blocks.spans import readable
from bot.delivery.plan import Table

if TYPE_CHECKING:
    from PIL import Image

MOST_ROWS = 60
MOST_COLUMNS = 12
_MOST_CHARACTERS = 8000
_MOST_HEIGHT = 6000
_USUAL_WIDTH = 1000
_ROOM_FOR_A_COLUMN = 160
"""Pixels of a picture that has so many columns that the usual width would be too narrow."""

_MARGIN = 16
_PADDING_X, _PADDING_Y = 16, 9
_GROUND, _ZEBRA, _HEAD, _RULE = (43, 45, 49), (49, 51, 56), (30, 31, 34), (78, 80, 88)
_INK, _HEAD_INK = (219, 222, 225), (242, 243, 245)
_FREE_ROOM_BEFORE = {"right": 1.0, "center": 0.5}
"""How much of a line's free room stands before it."""
_CUSTOM_EMOJI = re.compile(r"<a?(:\w+:)\d+>")

DRAWING = threading.Lock()
"""FreeType's faces are not made for two threads at once, and two at once would not be faster."""


class _Layout(msgspec.Struct, frozen=True):
    """Lines of text of every cell; pixels."""

    cells: tuple[tuple[tuple[str, ...], ...], ...]
    widths: tuple[float, ...]
    """Of the text of each column, without padding."""
    heights: tuple[int, ...]
    """Of each row, with padding."""


def drawable(table: Table) -> bool:
    """True when `draw` makes a readable picture of it: not too large, and with fonts here that have all its characters."""
    if not table.rows or len(table.rows) > MOST_ROWS or not 0 < len(table.rows[0]) <= MOST_COLUMNS:
        return False
    if sum(len(cell) for row in table.rows for cell in row) > _MOST_CHARACTERS:
        return False
    from bot.delivery import table_fonts

    with DRAWING:
        texts = "".join(_read(cell) for row in table.rows for cell in row)
        return table_fonts.can_show(texts) and sum(_laid_out(table.rows).heights) <= _MOST_HEIGHT


def draw(table: Table) -> bytes:
    """The table as a PNG file, some 1,000 pixels wide, the same bytes for the same table and fonts. Takes processor time."""
    from PIL import Image

    with DRAWING:
        image = _painted(table)
    file = io.BytesIO()
    image.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(file, "PNG")
    return file.getvalue()


def _painted(table: Table) -> Image.Image:
    from PIL import Image, ImageDraw

    from bot.delivery import table_fonts as fonts

    layout = _laid_out(table.rows)
    right = round(sum(layout.widths)) + 2 * _PADDING_X * len(layout.widths) + _MARGIN
    image = Image.new("RGB", (right + _MARGIN, sum(layout.heights) + 2 * _MARGIN), _GROUND)
    pen = ImageDraw.Draw(image)
    top = _MARGIN
    for n, (cells, height) in enumerate(zip(layout.cells, layout.heights, strict=True)):
        is_head = n == 0
        bottom = top + height - 1
        pen.rectangle((_MARGIN, top, right - 1, bottom), fill=_HEAD if is_head else _ZEBRA if n % 2 else _GROUND)
        pen.line((_MARGIN, bottom, right - 1, bottom), fill=_RULE)
        left = float(_MARGIN + _PADDING_X)
        for lines, room, alignment in zip(cells, layout.widths, _alignments(table), strict=True):
            for k, line in enumerate(lines):
                shift = _FREE_ROOM_BEFORE.get(alignment, 0) * (room - fonts.width(line, is_head))
                place = (round(left + shift), top + _PADDING_Y + k * fonts.LINE_HEIGHT)
                fonts.draw_text(image, place, line, _HEAD_INK if is_head else _INK, is_head)
            left += room + 2 * _PADDING_X
        top += height
    return image


def _read(cell: str) -> str:
    text = _CUSTOM_EMOJI.sub(r"\1", readable(cell))
    return "".join(character for character in text if character.isprintable() or character in "\u200d\u200c")


def _alignments(table: Table) -> Sequence[str]:
    return (*table.alignments, *[""] * len(table.rows[0]))[: len(table.rows[0])]


@lru_cache(maxsize=4)
def _laid_out(rows: tuple[tuple[str, ...], ...]) -> _Layout:
    from bot.delivery import table_fonts as fonts

    texts = [[_read(cell) for cell in row] for row in rows]
    columns = len(texts[0])
    natural = [max(fonts.width(row[c], n == 0) for n, row in enumerate(texts)) for c in range(columns)]
    room = max(_USUAL_WIDTH, columns * _ROOM_FOR_A_COLUMN) - 2 * _MARGIN - columns * 2 * _PADDING_X
    most = _narrowest_limit(natural, room)
    cells = tuple(
        tuple(tuple(fonts.wrapped(cell, min(natural[c], most) + 0.5, n == 0)) for c, cell in enumerate(row))
        for n, row in enumerate(texts)
    )
    widths = tuple(
        max(fonts.width(line, n == 0) for n, row in enumerate(cells) for line in row[c]) for c in range(columns)
    )
    heights = tuple(max(len(lines) for lines in row) * fonts.LINE_HEIGHT + 2 * _PADDING_Y for row in cells)
    return _Layout(cells, widths, heights)


def _narrowest_limit(natural: Sequence[float], room: float) -> float:
    """The width to which the widest columns are narrowed so that all together take `room`; narrower ones keep theirs."""
    left = room
    for n, wide in enumerate(sorted(natural)):
        share = left / (len(natural) - n)
        if wide > share:
            return share
        left -= wide
    return max(natural)

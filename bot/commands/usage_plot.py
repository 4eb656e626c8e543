"""What was used on each day, as a picture: a bar a day, stacked by model.

Pillow draws it with the fonts of the tables (bot.delivery.table_fonts): nothing more is installed for a few rectangles, and all
languages can be read whose letters the machine has. The colours are those of Okabe and Ito (https://jfly.uni-koeln.de/color/), which
people with any colour vision tell apart, without the ones that are too dark for the ground. All is in pixels; Discord shows the picture
at about half its size. This module is imported with the first picture.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import accumulate, pairwise

import msgspec
from babel import Locale
from babel.dates import format_skeleton
from babel.numbers import format_compact_decimal, format_decimal
from PIL import Image, ImageDraw

from bot.commands.usage_panel import Plot, Series
from bot.delivery import table_fonts as fonts
from bot.delivery.table_picture import DRAWING  # FreeType's faces are shared with the tables, and so is their lock
from bot.localization import SOURCE_LOCALE

Colour = tuple[int, int, int]

COLOURS: Sequence[Colour] = (
    (86, 180, 233),
    (230, 159, 0),
    (0, 158, 115),
    (204, 121, 167),
    (240, 228, 66),
    (213, 94, 0),
    (181, 186, 193),
)
"""As bot.commands.usage_panel.SQUARES; the last is that of all other models."""
GROUND: Colour = (43, 45, 49)
WIDTH = 1000

_GRID, _INK, _TITLE_INK = (64, 66, 73), (181, 186, 193), (242, 243, 245)
_MARGIN, _BARS_HEIGHT, _LINE = 24, 360, fonts.LINE_HEIGHT
_SWATCH, _BESIDE, _BETWEEN = 22, 12, 28
"""A coloured square of the legend; the room between it, or an axis, and text; between two names."""
_WIDEST_BAR, _WIDEST_NAME = 90, 300
_GAP = 2
"""Between the pieces of a bar: an edge that needs no colour."""
_MOST_STEPS = 5


class _Frame(msgspec.Struct, frozen=True):
    """Where the bars stand."""

    left: int
    top: int
    room: float
    """Of a day, from left to right."""
    most: int
    """Tokens that reach the top."""

    @property
    def bottom(self) -> int:
        return self.top + _BARS_HEIGHT

    def middle(self, day_nr: int) -> float:
        return self.left + self.room * (day_nr + 0.5)

    def height(self, tokens: int) -> int:
        """Where so many end."""
        return self.bottom - round(_BARS_HEIGHT * tokens / self.most)


def draw(plot: Plot, locale: str) -> bytes:
    """A PNG file, its numbers and days as people of the locale write them. Takes processor time."""
    with DRAWING:
        image = _painted(plot, locale)
    file = io.BytesIO()
    image.save(file, "PNG", optimize=True)
    return file.getvalue()


def _painted(plot: Plot, locale: str) -> Image.Image:
    ticks = _ticks(max(map(sum, plot.by_day)))
    tick_labels = _legible([(_short(tick, locale), str(tick)) for tick in ticks])
    left = _MARGIN + round(max(map(fonts.width, tick_labels))) + _BESIDE
    frame = _Frame(left, _MARGIN + 2 * _LINE, (WIDTH - _MARGIN - left) / len(plot.days), ticks[-1])
    legend = list(_legend(plot.series))
    legend_top = frame.bottom + 2 * _LINE
    image = Image.new("RGB", (WIDTH, legend_top + (legend[-1][1] + 1) * _LINE + _MARGIN), GROUND)
    pen = ImageDraw.Draw(image)
    fonts.draw_text(image, (_MARGIN, _MARGIN), plot.title, _TITLE_INK, bold=True)
    for tick, label in zip(ticks, tick_labels, strict=True):
        y = frame.height(tick)
        pen.line((left, y, WIDTH - _MARGIN, y), fill=_GRID, width=2)
        fonts.draw_text(image, (left - _BESIDE - fonts.width(label), y - _LINE / 2), label, _INK)
    for day_nr, pieces in enumerate(plot.by_day):
        _draw_bar(pen, frame, day_nr, [*zip(_colours(plot.series), pieces, strict=True)])
    _name_days(image, frame, plot, locale)
    for x, row, colour, name in legend:
        y = legend_top + row * _LINE
        top = y + (_LINE - _SWATCH) // 2
        pen.rectangle((x, top, x + _SWATCH - 1, top + _SWATCH - 1), fill=colour)
        fonts.draw_text(image, (x + _SWATCH + _BESIDE, y), name, _INK)
    return image


def _draw_bar(pen: ImageDraw.ImageDraw, frame: _Frame, day_nr: int, pieces: Sequence[tuple[Colour, int]]) -> None:
    wide = min(frame.room * 0.75, _WIDEST_BAR)
    left, right = round(frame.middle(day_nr) - wide / 2), round(frame.middle(day_nr) + wide / 2) - 1
    # Each edge is that of the sum so far, so that the whole bar is as high as it should be.
    edges = map(frame.height, accumulate((tokens for _, tokens in pieces), initial=0))
    for (colour, _), (lower, upper) in zip(pieces, pairwise(edges), strict=True):
        gap = _GAP if lower < frame.bottom and lower - upper > 2 * _GAP else 0
        if upper < lower:
            pen.rectangle((left, upper, right, lower - gap - 1), fill=colour)


def _name_days(image: Image.Image, frame: _Frame, plot: Plot, locale: str) -> None:
    """Each n-th, so that no two names touch. The newest always is named."""
    labels = _legible([(_short_day(day, locale), _short_day(day, SOURCE_LOCALE)) for day in plot.days])
    step = min(-int(-(max(map(fonts.width, labels)) + _BETWEEN) // frame.room), len(labels))
    for day_nr in range((len(labels) - 1) % step, len(labels), step):
        wide = fonts.width(labels[day_nr])
        left = min(max(frame.middle(day_nr) - wide / 2, _BESIDE), WIDTH - _BESIDE - wide)
        fonts.draw_text(image, (left, frame.bottom + _BESIDE), labels[day_nr], _INK)


def _ticks(most: int) -> range:
    """From 0 to what is not less than `most`, in steps of 1, 2 or 5 times a power of ten."""
    sizes = (digit * 10**power for power in range(30) for digit in (1, 2, 5))
    step = next(size for size in sizes if size * _MOST_STEPS >= most)
    return range(0, max(-(-most // step), 1) * step + 1, step)


def _legible(texts: Sequence[tuple[str, str]]) -> Sequence[str]:
    """The first of each pair, or the second where no font here has the letters."""
    can_show = fonts.can_show("".join(text for text, _ in texts))
    return [text if can_show else plain for text, plain in texts]


def _short(number: int, locale: str) -> str:
    """1.2M, 1,2 Mio.; what a language does not shorten, with its groups."""
    babel = Locale.parse(locale, sep="-")
    short = format_compact_decimal(number, locale=babel, fraction_digits=1)
    return format_decimal(number, locale=babel) if short.isdigit() else short


def _short_day(day: date, locale: str) -> str:
    """Without its year."""
    return format_skeleton("MMMd", day, locale=Locale.parse(locale, sep="-"))


def _colours(series: Sequence[Series]) -> Sequence[Colour]:
    return [COLOURS[each.square_nr] for each in series]


def _legend(series: Sequence[Series]) -> Iterator[tuple[int, int, Colour, str]]:
    """Left edge, row, colour, name."""
    x, row = _MARGIN, 0
    for each, colour in zip(series, _colours(series), strict=True):
        name = _narrowed(each.name)
        wide = _SWATCH + _BESIDE + round(fonts.width(name))
        if x > _MARGIN and x + wide > WIDTH - _MARGIN:
            x, row = _MARGIN, row + 1
        yield x, row, colour, name
        x += wide + _BETWEEN


def _narrowed(name: str) -> str:
    shown = "".join(character for character in name if character.isprintable())
    if fonts.width(shown) <= _WIDEST_NAME:
        return shown
    return next(cut for n in range(len(shown), -1, -1) if fonts.width(cut := shown[:n] + "…") <= _WIDEST_NAME)

"""The picture of `/usage`. The bytes depend on the fonts of the machine, so the tests look at sizes, colours and places."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageChops

from bot.commands.usage_panel import SQUARES, Period, Plot, Series, span_of
from bot.commands.usage_plot import COLOURS, GROUND, WIDTH, Colour, draw
from bot.localization import Translator
from tests.commands.used import TODAY

DAYS = span_of(Period.SEVEN, TODAY).days
BLUE, ORANGE = COLOURS[0], COLOURS[1]

# How people see colours whose eyes lack one kind of cones: Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB.
BLINDNESS = {
    "none": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.01182, 0.04294, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.3039)),
}


def picture(*tokens: Sequence[int], locale: str = "en-US") -> Image.Image:
    """Of seven days; each model's tokens."""
    series = [Series(f"model-{nr}", nr, of_model) for nr, of_model in enumerate(tokens)]
    return Image.open(io.BytesIO(draw(Plot("Tokens per day", DAYS, series), locale))).convert("RGB")


def bar(image: Image.Image, colour: Colour) -> tuple[int, int, int, int] | None:
    """The box of all that has this colour above the legend; None: nothing has."""
    above = image.crop((0, 0, image.width, 470))
    red, green, blue = ImageChops.difference(above, Image.new("RGB", above.size, colour)).split()
    differs = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return differs.point([255] + [0] * 255).getbbox()


def linear(value: float) -> float:
    part = value / 255
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)


def luminance(colour: Colour) -> float:
    red, green, blue = map(linear, colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_it_is_a_png_of_a_fit_size_and_the_same_each_time() -> None:
    plot = Plot("Tokens per day", DAYS, [Series("gpt-5", 0, [1, 2, 3, 4, 5, 6, 7])])
    data = draw(plot, "en-US")
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    assert data == draw(plot, "en-US")
    image = Image.open(io.BytesIO(data))
    assert image.width == WIDTH
    assert 400 < image.height < 700
    assert len(data) < 100_000


def test_a_bar_is_as_high_as_its_tokens_and_pieces_stand_on_each_other() -> None:
    image = picture([0, 0, 0, 1000, 0, 0, 0], [0, 0, 0, 500, 0, 0, 0])
    blue, orange = bar(image, BLUE), bar(image, ORANGE)
    assert blue is not None
    assert orange is not None
    assert (blue[0], blue[2]) == (orange[0], orange[2])
    assert orange[3] + 2 == blue[1], "a gap tells them apart where colours do not"
    height, upper = blue[3] - blue[1], orange[3] - orange[1]
    assert abs(height - 2 * upper) <= 5


def test_days_stand_side_by_side_the_newest_at_the_right() -> None:
    boxes = [bar(picture([100 if nr == day_nr else 0 for nr in range(7)]), BLUE) for day_nr in range(7)]
    edges = [(box[0], box[2]) for box in boxes if box is not None]
    assert len(edges) == 7
    assert all(right < left for (_, right), (left, _) in pairwise(edges))
    assert edges[-1][1] < WIDTH


def test_a_day_without_tokens_has_no_bar() -> None:
    assert bar(picture([0, 0, 0, 0, 0, 0, 0]), BLUE) is None


@pytest.mark.parametrize("eyes", BLINDNESS)
def test_colours_are_told_apart_by_all_eyes(eyes: str) -> None:
    seen = [
        tuple(sum(part * linear(value) for part, value in zip(row, colour, strict=True)) for row in BLINDNESS[eyes])
        for colour in COLOURS
    ]
    for one, other in combinations(seen, 2):
        assert sum((a - b) ** 2 for a, b in zip(one, other, strict=True)) ** 0.5 > 0.1


def test_colours_stand_out_from_the_ground() -> None:
    """As WCAG 2.2 wants of what is not text: 3 to 1."""
    for colour in COLOURS:
        assert (luminance(colour) + 0.05) / (luminance(GROUND) + 0.05) >= 3


def test_each_colour_has_a_square_for_lines_of_text() -> None:
    assert len(SQUARES) == len(COLOURS)


@pytest.mark.parametrize("locale", Translator().locales)
def test_every_language_has_a_picture_whatever_fonts_there_are(locale: str) -> None:
    assert bar(picture([10**9] * 7, locale=locale), BLUE) is not None


names = st.text(max_size=200)
amounts = st.lists(st.integers(0, 10**15), min_size=31, max_size=31)


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(Period), st.lists(st.tuples(names, amounts), min_size=1, max_size=len(COLOURS)))
def test_there_is_a_picture_of_whatever_was_used(period: Period, models: list[tuple[str, list[int]]]) -> None:
    days = span_of(period, TODAY).days
    series = [Series(name, nr, tokens[: len(days)]) for nr, (name, tokens) in enumerate(models)]
    image = Image.open(io.BytesIO(draw(Plot("Tokens per day", days, series), "de")))
    image.load()
    assert image.size[0] == WIDTH
    assert image.size[1] < 900

"""Tables as pictures. The bytes depend on the fonts of the machine, so the tests look at sizes, colours and places."""

from __future__ import annotations

import io
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from bot.delivery import table_fonts
from bot.delivery.plan import Table
from bot.delivery.table_picture import MOST_COLUMNS, MOST_ROWS, draw, drawable

USUAL = Table((("Name", "Points"), ("Ada", "9"), ("Grace Hopper", "12")), ("left", "right"))


def grid(rows: int, columns: int, cell: str = "cell") -> Table:
    return Table(tuple((cell,) * columns for _ in range(rows)), ("",) * columns)


def picture(table: Table) -> Image.Image:
    return Image.open(io.BytesIO(draw(table))).convert("RGB")


def ink(image: Image.Image, row: int) -> tuple[int, int]:
    """The first and last column of pixels with bright ink, in the n-th row of a table of rows of one line."""
    height = (image.height - 32) // 3
    box = (
        image.crop((0, 16 + row * height, image.width, 16 + (row + 1) * height))
        .convert("L")
        .point(lambda v: 255 * (v > 150))
    )
    found = box.getbbox()
    assert found is not None
    return found[0], found[2]


def test_the_picture_is_a_png_and_the_same_each_time() -> None:
    assert drawable(USUAL)
    assert draw(USUAL).startswith(b"\x89PNG\r\n\x1a\n")
    assert draw(USUAL) == draw(USUAL)


def test_a_column_is_aligned_as_the_model_said() -> None:
    row = {
        side: ink(picture(Table((("a",), ("a long line of text",), ("b",)), (side,))), 2)
        for side in ("left", "center", "right", "")
    }
    assert row["left"] < row["center"] < row["right"]
    assert row[""] == row["left"]


def test_marks_of_markdown_are_not_drawn() -> None:
    marked = Table((("**Name**", "`Points`"), ("[Ada](Ada)", "*9*"), ("Grace Hopper", "12")), ("left", "right"))
    assert draw(marked) == draw(USUAL)


def test_a_custom_emoji_is_shown_by_its_name() -> None:
    assert draw(grid(2, 1, "<:wave:123456789012345678>")) == draw(grid(2, 1, ":wave:"))


def test_long_text_is_wrapped_and_the_picture_stays_about_a_thousand_pixels_wide() -> None:
    table = Table((("Option", "Meaning"), ("x", "many words " * 40), ("y", "o" * 300)), ("", ""))
    image = picture(table)
    assert image.width <= 1010
    assert image.height > 300


@pytest.mark.parametrize("columns", range(1, MOST_COLUMNS + 1))
def test_tables_of_all_widths_are_drawn(columns: int) -> None:
    table = grid(4, columns, "some words here")
    assert drawable(table)
    assert picture(table).width <= 1930


@pytest.mark.parametrize(
    ("table", "fits"),
    [
        (grid(MOST_ROWS, 4), True),
        (grid(MOST_ROWS + 1, 2), False),
        (grid(2, MOST_COLUMNS + 1), False),
        (grid(2, 2, "x" * 3000), False),
        (grid(40, 12, "some words that "), True),
        (Table((), ()), False),
        (Table(((), ()), ()), False),
        (grid(2, 2, ""), True),
        (grid(2, 2, "ä ß é Ж λ √2 ≤ → – “x” €"), True),
        (grid(2, 2, "\U00012000"), False),
    ],
)
def test_large_tables_and_characters_without_a_glyph_are_refused(table: Table, fits: bool) -> None:
    assert drawable(table) is fits


def test_a_drawn_table_is_far_below_a_megabyte() -> None:
    assert len(draw(grid(MOST_ROWS, 6, "some words here"))) < 500_000


def test_a_machine_without_fonts_draws_with_the_packaged_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_fonts, "_FACES", ((table_fonts._PACKAGED, ""),))
    monkeypatch.setattr(table_fonts, "_EMOJI_FACES", ())
    forget()
    try:
        assert drawable(grid(2, 2, "ä Ж λ √ →"))
        assert not drawable(grid(2, 2, "数"))
        assert draw(grid(2, 2, "ä Ж λ √ →")).startswith(b"\x89PNG")
    finally:
        monkeypatch.undo()
        forget()


def forget() -> None:
    for remembered in (table_fonts._faces, table_fonts._face_for, table_fonts.width):
        remembered.cache_clear()


def test_threads_may_draw_at_once() -> None:
    tables = [grid(3, n, f"cell {n}") for n in range(1, 9)]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(draw, tables)) == [draw(table) for table in tables]


CELLS = st.one_of(
    st.text(max_size=30),
    st.text(alphabet="aö Ж😀👍🏽\u200d️🇩🇪مש数한\u0301*_`|[]()<>\n\t\0", max_size=40),
    st.just("w" * 200),
)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 4).flatmap(lambda columns: st.lists(st.tuples(*[CELLS] * columns), min_size=1, max_size=4)))
def test_any_table_is_either_refused_or_drawn(rows: list[tuple[str, ...]]) -> None:
    table = Table(tuple(rows), ("center",))
    if drawable(table):
        assert draw(table).startswith(b"\x89PNG")


def test_pillow_is_loaded_with_the_first_picture_and_not_before() -> None:
    script = "import sys; import bot.delivery.table_picture; print('PIL' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]

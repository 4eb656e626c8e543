"""What holds for every text: the cut of the input does not matter, nothing raises, nothing is lost, little is held."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.blocks import Blocks, BlockStyle, Piece
from bot.delivery.blocks.stage import LONGEST_LINE
from bot.delivery.plan import Table
from bot.preferences import Tables
from tests.delivery.blocks.reading import pieces, shown
from tests.delivery.layout.layout_reading import ANSWERS, NOISE
from tests.shared import judge

_LINES = st.sampled_from(
    (
        "", "plain text", "| a | b |", "|---|:-:|", "| 1 | **2** |", "| `x` | y | z |", "> | a | b |", "> |--|--|", "> | 1 | 2 |",
        "a | b", "--|--", "#### Deep **one**", "> ##### Quoted", "---", "***", "===", "![alt](https://e.org)", "`a ![b](c)", "$$", "\\[", "\\]",
        "$x$", "```py", "```", "~~~", "app.py:", "    x", "- item | y", "long " * 30, "y" * 130, "日本 | 🦞", "|", "||", "\\|", "x\r", "\0",
    )
)  # fmt: skip
TEXTS = st.one_of(NOISE, ANSWERS, st.lists(_LINES, max_size=40).map("\n".join), st.text(max_size=80))
STYLES = st.builds(
    BlockStyle, tables=st.sampled_from(Tables), longest_code=st.sampled_from((0, 30, 6000)), maths=st.booleans()
)
WITHOUT_LINKS = TEXTS.map(lambda text: text.replace("](", "] ("))
NOTHING = BlockStyle(tables=Tables.AS_WRITTEN, longest_code=0, maths=False)
NO_TABLES = BlockStyle(tables=Tables.AS_WRITTEN, longest_code=0)


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def texts(found: Sequence[Piece]) -> str:
    return "".join(piece for piece in found if isinstance(piece, str))


def is_drawable(table: Table) -> bool:
    return len(table.rows) % 2 == 0


def marked(text: str) -> str:
    return text.replace("x", "𝑥")


@given(TEXTS, STYLES, st.data())
def test_the_cut_of_the_input_does_not_matter(text: str, style: BlockStyle, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    whole = pieces(text, style, maths=marked, drawable=is_drawable)
    for cut in (parts, [*text]):
        assert pieces(cut, style, maths=marked, drawable=is_drawable) == whole


@given(TEXTS)
def test_what_needs_no_change_is_the_text_itself(text: str) -> None:
    if not re.search(r"####|!\[|[-=*_][ \t]*[-=*_]|~~~|````", text):
        assert shown(text, NOTHING) == text


@given(WITHOUT_LINKS)
def test_outside_tables_every_letter_stays_in_its_order(text: str) -> None:
    assert letters(shown(text, NO_TABLES)) == letters(text)


_CELL = st.text(st.sampled_from("abc 123 日本 *_`"), max_size=30).map(str.strip)


@given(
    st.lists(st.lists(_CELL, min_size=1, max_size=6), min_size=2, max_size=40), st.sampled_from([Tables.CODE, Tables.BULLETS])
)  # fmt: skip
def test_every_cell_of_a_table_is_there(rows: list[list[str]], tables: Tables) -> None:
    head, *body = rows
    lines = [f"| {' | '.join(row)} |" for row in body]
    text = "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head), *lines])
    found = letters(shown(f"{text}\n\nbehind", BlockStyle(tables=tables)))
    assert all(letters(cell) in found for row in rows for cell in row)
    assert found.endswith("behind")


@given(WITHOUT_LINKS)
def test_at_every_moment_all_letters_so_far_are_shown(text: str) -> None:
    stage = Blocks(NO_TABLES)
    given_out = ""
    for nr, character in enumerate(text):
        given_out += "".join(map(str, stage.feed(character)))
        if nr % 20 == 0:
            assert letters(given_out + stage.provisional()) == letters(text[: nr + 1])


@given(TEXTS, STYLES)
def test_looking_changes_nothing(text: str, style: BlockStyle) -> None:
    stage = Blocks(style)
    found: list[Piece] = []
    for at in range(0, len(text), 9):
        found += stage.feed(text[at : at + 9])
        stage.provisional()
    found += stage.close()
    assert texts(found) == texts(pieces(text, style, drawable=lambda _: False))


@pytest.mark.parametrize("tables", Tables)
@pytest.mark.parametrize(
    "unit",
    [
        "word ",
        "x",
        "| a | b |\n|---|---|\n",
        "| 1 | 2 |\n",
        f"| {'y' * 500} | z |\n",
        "$$\n\n",
        "\\[\nx\n",
        "```\n",
        "> | x\n",
        "#### a\n",
        "|",
    ],
)
def test_what_is_held_is_bounded(unit: str, tables: Tables) -> None:
    stage = Blocks(BlockStyle(tables=tables), drawable=lambda _: True)
    stage.feed("| a | b |\n|---|---|\n")
    for _ in range(30):
        stage.feed(unit * (1000 // len(unit)))
        assert len(stage.provisional()) <= 2 * LONGEST_LINE


def test_a_long_line_goes_on_in_parts_that_end_between_words() -> None:
    stage = Blocks()
    (part,) = stage.feed("words " * 1000)
    assert part == "words " * (LONGEST_LINE // 6)


def test_the_judge_finds_every_line_and_cell_of_generated_answers() -> None:
    render_text = judge("render_text")
    for name, text, strict in render_text.generated(count=80, seed=411):
        if not strict:
            content = shown(text, BlockStyle(longest_code=0))
            assert render_text.loose(text, [content]) is None, name

"""Which text the converter of LaTeX gets: lines of prose, and formulas of several lines whole."""

from __future__ import annotations

import pytest

from bot.delivery.blocks import Blocks, BlockStyle
from bot.delivery.blocks.display_maths import MOST_CHARACTERS, MOST_LINES
from tests.delivery.blocks.reading import live, shown


def marked(text: str) -> str:
    """In place of the converter: shows what it was given."""
    return f"⟦{text}⟧"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("a $x$ b\nplain\n", "⟦a $x$ b⟧\nplain\n"),
        ("- \\(x\\)\n", "⟦- \\(x\\)⟧\n"),
        ("#### $x$", "⟦**$x$**⟧"),
        ("$$\nx\ny\n$$\nz\n", "⟦$$\nx\ny\n$$⟧\nz\n"),
        ("a\n\\[\nx | y\n\\]\n", "a\n⟦\\[\nx | y\n\\]⟧\n"),
        ("  $$\n  x $$\n", "⟦  $$\n  x $$⟧\n"),
        ("\\[\nx\n\\]", "⟦\\[\nx\n\\]⟧"),
        ("```\n$x$\n$$\n```\n", "```\n$x$\n$$\n```\n"),
        ("$$\n```\n$$\n```\n", "⟦$$⟧\n```\n$$\n```\n"),
        ("$$\\begin{cases}\na &= 1 \\\\\nb\n\\end{cases}$$\n", "⟦$$\\begin{cases}\na &= 1 \\\\\nb\n\\end{cases}$$⟧\n"),
        ("\\[ x = 1,\ny = 2 \\].\nz\n", "⟦\\[ x = 1,\ny = 2 \\].⟧\nz\n"),
        ("> $$\n> x\n> $$\ny\n", "⟦> $$\n> x\n> $$⟧\ny\n"),
        ("- $$\n  x\n  $$\n", "⟦- $$\n  x\n  $$⟧\n"),
        ("\\begin{align}\na &= b\n\\end{align}.\n", "⟦\\[\\begin{align}\na &= b\n\\end{align}\\].⟧\n"),
        ("> $$\nx\n$$\n", "⟦> $$⟧\nx\n⟦$$⟧\n"),
        ("$$\nx\n\n#### y\n$$\n", "⟦$$⟧\nx\n\n**y**\n⟦$$⟧\n"),
        ("\\[a\\] = b\nc\n", "⟦\\[a\\] = b⟧\nc\n"),
        ("\\begin{center}\nx\n", "⟦\\begin{center}⟧\nx\n"),
        ("$$ is money\nx\n", "⟦$$ is money⟧\nx\n"),
        ("\\[\nnever ends", "⟦\\[⟧\nnever ends"),
    ],
)
def test_the_converter_gets_prose_by_the_line_and_formulas_whole(written: str, expected: str) -> None:
    assert shown(written, maths=marked) == expected


@pytest.mark.parametrize("lines", ["x\n" * MOST_LINES, f"{'x' * 99}\n" * (MOST_CHARACTERS // 100)])
def test_a_formula_without_end_is_prose(lines: str) -> None:
    assert shown(f"$$\n{lines}$$\n", maths=marked) == f"⟦$$⟧\n{lines}⟦$$⟧\n"


def test_without_maths_nothing_is_converted() -> None:
    text = "a $x$\n\n$$\nx\n$$\n"
    assert shown(text, BlockStyle(maths=False), maths=marked) == text


def test_a_formula_is_shown_as_it_comes_in() -> None:
    assert live("$$\nx +", maths=marked) == "$$\nx +"
    assert live("$$\nx_1 + \\al", maths=marked) == "```\nx_1 + \\al"
    assert live("- \\[\n  x_1 =\n  \\", maths=marked) == "- ```\n  x_1 ="
    assert live("> \\begin{align*}\n> x_1", maths=marked) == "> ```\n> \\begin{align*}\n> x_1"
    assert live("$$\nx_1\n```", maths=marked) == "$$\nx_1\n```"
    assert live("a $x$ b", maths=marked) == "⟦a $x$ b⟧"


def test_a_result_of_several_lines_does_not_tear_a_table() -> None:
    text = "| a |\n|---|\n| $x$ |\n"
    assert shown(text, maths=lambda _: "x\ny") == "```\n| a   |\n|-----|\n| $x$ |\n```\n"


def test_a_closed_stage_takes_no_text_and_holds_none() -> None:
    stage = Blocks()
    stage.feed("#### a")
    assert list(stage.close()) == ["**a**"]
    assert list(stage.close()) == []
    assert stage.provisional() == ""
    with pytest.raises(RuntimeError):
        stage.feed("b")

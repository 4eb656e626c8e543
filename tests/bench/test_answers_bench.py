"""The figures of answers are of whole answers: all text is shown, and nobody is forgotten."""

from __future__ import annotations

import pytest

from bot.delivery.pacing.fair_share import GLOBAL_WINDOW
from tests.bench import answers
from tests.bench.answers import LATENCY, cost_of, crowd, markdown_text
from tests.bench.report import PAGE, into_page
from tests.virtual_time import run


@pytest.mark.parametrize(("size", "messages"), [(1_000, 1), (10_000, 6)])
def test_an_answer_that_is_measured_is_shown(size: int, messages: int) -> None:
    assert cost_of(markdown_text(size)).messages == messages


def test_few_answers_side_by_side_write_once_a_second_each_and_end_at_once() -> None:
    few = run(crowd(answers=3, seconds=10.0))
    assert few.previews >= 3 * 10
    assert few.longest_silence < 2.0
    assert few.last_final == pytest.approx(LATENCY, abs=1.0)


def test_many_answers_side_by_side_take_turns() -> None:
    """100 answers, whose previews may be 45 a second and whose finals 50."""
    many = run(crowd(answers=100, seconds=10.0))
    assert many.longest_silence < 100 / 45 * GLOBAL_WINDOW + 0.5
    assert many.last_final < 100 / 50 * GLOBAL_WINDOW + 0.5
    assert many.refused == 0


def test_the_page_has_a_place_for_the_figures() -> None:
    page = into_page(PAGE.read_text(encoding="utf-8"), "FIGURES", answers.BEGIN, answers.END)
    assert page.count("FIGURES") == 1

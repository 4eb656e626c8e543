"""The race of those who read arguments while they arrive is a fair one. Speed is no test."""

from __future__ import annotations

import msgspec
import pytest

from tests.bench import report
from tests.bench.contestants import OURS
from tests.bench.goals import LIVE_SIZE, goals_of_live_arguments
from tests.bench.live_arguments import JITER, JSON_REPAIR, PARSERS, PIECE, SHAPES, SIZES, race
from tests.bench.measuring import Race, WrongAnswerError

RACES = {
    10_000: Race("s", 500, 10_000, {OURS: (0.001, 0.001), JITER: (0.004, 0.01), JSON_REPAIR: (1.0, 1.0)}),
    100_000: Race("s", 5_000, 100_000, {OURS: (0.01, 0.01), JITER: (0.7, 0.9)}),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("size", SIZES[:2])
def test_arguments_are_as_long_as_they_should_be(shape: str, size: int) -> None:
    """And always the same."""
    text = SHAPES[shape](size)
    assert text == SHAPES[shape](size)
    assert len(text) == pytest.approx(size, rel=0.02)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_race_times_the_whole_way_for_everybody(shape: str) -> None:
    """Those that parse anew are asked at a few lengths, and their cost is that of every piece."""
    text = SHAPES[shape](2_000)
    asked: list[int] = []

    def parse(beginning: str) -> object:
        asked.append(len(beginning))
        return msgspec.json.decode(text) if beginning == text else None

    result = race("r", text, {"strict": parse}, rounds=3, least=0)
    assert result.chunks_nr == -(-len(text) // PIECE)
    assert {name: len(times) for name, times in result.seconds.items()} == {OURS: 3, "strict": 3}
    assert [round(length / len(text), 2) for length in asked[1:5]] == [0.12, 0.37, 0.62, 0.87]


def test_who_reads_arguments_wrongly_does_not_win() -> None:
    """It ends the run."""
    with pytest.raises(WrongAnswerError, match="hasty"):
        race("r", '{"a":1}', {"hasty": lambda text: {}}, rounds=1)


def test_the_goals_are_of_a_parser_and_a_size_that_are_always_measured() -> None:
    """In a quick run too."""
    assert PARSERS[JITER][1] == SIZES[-1]
    assert LIVE_SIZE in SIZES
    assert [(goal.title, goal.figure, goal.verdict) for goal in goals_of_live_arguments({"s": RACES}, {"s": 1.6})] == [
        ("arguments, s, 100,000: jiter / ours", pytest.approx(80), "met"),
        ("arguments, s: a piece of 1 MB / one of 10 KB", 1.6, "not met"),
    ]


def test_the_table_says_how_many_times_as_long_the_others_take() -> None:
    """Nothing, where they were not measured."""
    assert report.live_table("s", RACES).splitlines() == [
        "| arguments, `s`: µs a piece of 20 characters | 10,000 characters | 100,000 characters |",
        "| --- | ---: | ---: |",
        "| **ours** | 2.00 | 2.00 |",
        "| jiter | 14.00 (7x) | 160.00 (80x) |",
        "| json-repair | 2,000.00 (1,000x) |  |",
    ]

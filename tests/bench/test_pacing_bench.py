"""The race of paces is fair: everybody shows everything, and what is measured is when it could be read."""

from __future__ import annotations

import pytest

from tests.bench.pacing import LATENCY, OURS, PEERS, Timed, groups, play, recorded
from tests.bench.pacing_floor import mean_lag
from tests.virtual_sockets import run

LONG = Timed("made up", "", tuple((100 * nr, 250) for nr in range(20)))
"""5,000 characters in two seconds."""


@pytest.mark.parametrize("name", [OURS, *PEERS])
def test_every_contestant_shows_every_character_and_none_before_it_came(name: str) -> None:
    """Two answers at once, each in several messages."""
    figures = run(play(name, [(0.0, LONG), (0.5, LONG)]))
    assert [len(lags) for lags in figures.lags] == [5000, 5000]
    assert all(lag >= LATENCY - 1e-6 for lags in figures.lags for lag in lags)
    assert figures.calls >= 6


def test_an_answer_that_comes_at_once_takes_one_call() -> None:
    figures = run(play(OURS, [(0.0, Timed("made up", "", ((0, 50),)))]))
    assert figures.calls == 1
    assert figures.mean == pytest.approx(LATENCY, abs=0.01)


@pytest.mark.parametrize("together", [1, 2, 3, 4])
def test_every_answer_plays_equally_often(together: int) -> None:
    answers = recorded()
    played = [answer.source for group in groups(answers, together) for _, answer in group]
    assert {played.count(answer.source) for answer in answers} == {together}


def test_the_floor_waits_half_a_second_for_a_steady_stream() -> None:
    """Five edits in five seconds, at best one every second."""
    steady = [(50 * nr, 10) for nr in range(400)]
    assert mean_lag([steady], 0.0) == pytest.approx(0.45, abs=0.05)

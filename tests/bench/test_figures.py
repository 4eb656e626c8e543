"""From times to verdicts: ratios, goals and the page. The times are made up."""

from __future__ import annotations

import pytest

from tests.bench import report
from tests.bench.contestants import ORJSON, OURS, TYPED, Found, ours, split_and_typed
from tests.bench.goals import AGAINST_PEERS, AGAINST_THE_FLOOR, Goal, goals_of
from tests.bench.measuring import Race, WrongAnswerError, race
from tests.bench.peers import OPENAI, PEERS
from tests.bench.report import BEGIN, END, PAGE, into_page
from tests.bench.samples import SAMPLES, chat_text
from tests.bench.simulated import READERS, load_of
from tests.virtual_time import run

RACE = Race(
    "chat-text",
    chunks_nr=1000,
    bytes_nr=300_000,
    seconds={OURS: (0.002, 0.004, 0.003), ORJSON: (0.002, 0.002, 0.002), OPENAI: (0.1, 0.2, 0.24)},
)


def test_a_ratio_is_taken_inside_each_round() -> None:
    """A round in which the machine was slow is slow for everybody."""
    assert RACE.ratio(OPENAI, OURS) == pytest.approx(50)
    assert RACE.ratio(OURS, ORJSON) == pytest.approx(1.5)
    assert RACE.per_chunk(OURS) == pytest.approx(3)
    assert RACE.megabytes_a_second(OURS) == pytest.approx(100)


def test_a_race_times_every_contestant_in_every_round() -> None:
    """Whoever is in it."""
    result = race(chat_text(20), {OURS: ours, TYPED: split_and_typed}, rounds=3, least=0)
    assert {name: len(times) for name, times in result.seconds.items()} == {OURS: 3, TYPED: 3}


def test_a_wrong_answer_does_not_win() -> None:
    """It ends the run."""
    with pytest.raises(WrongAnswerError, match="hasty"):
        race(chat_text(20), {"hasty": lambda sample: lambda: Found(text="")}, rounds=1)


@pytest.mark.parametrize(
    ("figure", "at_least", "decides", "verdict"),
    [
        (1.4, False, True, "met"),
        (1.5, False, True, "met"),
        (1.8, False, True, "not met"),
        (1.9, False, True, "FAILED"),
        (1.9, False, False, "not met"),
        (1.6, True, True, "met"),
        (1.2, True, True, "not met"),
        (1.1, True, True, "FAILED"),
        (1.1, True, False, "not met"),
    ],
)
def test_a_goal_fails_only_beyond_its_slack(figure: float, at_least: bool, decides: bool, verdict: str) -> None:
    """A quarter of the bound, which here is 1.5."""
    goal = Goal("of something", figure, 1.5, at_least=at_least, decides=decides)
    assert goal.verdict == verdict
    assert goal.failed is (verdict == "FAILED")


def test_a_race_meets_the_goals_that_it_has() -> None:
    """A quick run has fewer peers, so fewer goals."""
    assert [(goal.title, goal.verdict) for goal in goals_of([RACE])] == [
        ("chat-text: ours / split + orjson", "met"),
        ("chat-text: openai SDK / ours", "met"),
    ]


def test_every_goal_is_of_a_sample_and_a_peer_that_exist() -> None:
    """A goal that nobody measures would always be met."""
    assert set(AGAINST_THE_FLOOR) == set(SAMPLES)
    for sample, peer in AGAINST_PEERS:
        assert peer in PEERS[SAMPLES[sample](1).provider]


def test_figures_replace_those_that_stood_in_the_page() -> None:
    """And nothing else."""
    page = f"# Title\n\n{BEGIN}\nold\n{END}\n\nrest\n"
    assert into_page(page, "new") == f"# Title\n\n{BEGIN}\n\nnew\n\n{END}\n\nrest\n"
    with pytest.raises(ValueError, match="no place"):
        into_page("# Title\n", "new")


def test_the_page_has_a_place_for_figures() -> None:
    """Else `--write` would find none at the end of a long run."""
    assert into_page(PAGE.read_text(encoding="utf-8"), "FIGURES").count("FIGURES") == 1


def test_the_table_of_a_race_has_the_quickest_first() -> None:
    """With ours in bold."""
    table = report._race_table(RACE).splitlines()
    assert [row.split("|")[1].strip() for row in table[2:]] == [ORJSON, f"**{OURS}**", OPENAI]


@pytest.mark.parametrize("name", ["timers", "ours"])
def test_simulated_streams_all_come_to_their_end(name: str) -> None:
    """In the time that they take, and with all of their text."""
    load = run(load_of(name, streams=10, seconds=2.0))
    assert name in READERS
    assert load.chunks_nr == 10 * (40 + 4)
    assert load.wall_seconds == pytest.approx(0.9 + 43 / 20)
    assert load.texts_nr == (load.chunks_nr if name == "timers" else 10 * 40)

"""What is remembered of who asked and of bots that were answered: enough to count, and bounded."""

from bot.gateway.admission.asked_lately import MOST_PEOPLE, MOST_TIMES, AskedLately
from bot.gateway.admission.loop_guard import MOST_CHANNELS, LoopGuard


def test_who_asked_when_is_known_for_as_many_times_as_are_kept() -> None:
    asked = AskedLately()
    for now in (1.0, 2.0, 3.0, 4.0):
        asked.asked("ada", now, keep=3)
    assert asked.times_since("ada", 0.0) == [2.0, 3.0, 4.0]
    assert asked.times_since("ada", 3.0) == [4.0]
    assert asked.times_since("bo", 0.0) == []
    asked.asked("ada", 5.0, keep=1)
    assert asked.times_since("ada", 0.0) == [5.0]


def test_many_people_who_ask_much_are_not_all_remembered() -> None:
    asked = AskedLately()
    for now in range(MOST_TIMES + 1):
        asked.asked("ada", float(now), keep=1_000_000)
    assert len(asked.times_since("ada", -1.0)) == MOST_TIMES
    for person in range(MOST_PEOPLE):
        asked.asked(person, 1000.0, keep=1)
    assert asked.times_since("ada", -1.0) == []
    assert asked.times_since(0, -1.0) == [1000.0]


def test_answers_to_bots_are_counted_in_each_channel_until_a_person_speaks() -> None:
    guard = LoopGuard()
    for _ in range(2):
        guard.bot_answered(1)
    guard.bot_answered(2)
    assert [guard.answers_in_a_row(channel) for channel in (1, 2, 3)] == [2, 1, 0]
    guard.person_spoke(1)
    guard.person_spoke(3)
    assert [guard.answers_in_a_row(channel) for channel in (1, 2, 3)] == [0, 1, 0]


def test_of_very_many_channels_those_with_the_latest_answers_are_remembered() -> None:
    guard = LoopGuard()
    guard.bot_answered(-1)
    guard.bot_answered(-2)
    guard.bot_answered(-1)
    for channel in range(MOST_CHANNELS - 1):
        guard.bot_answered(channel)
    assert [guard.answers_in_a_row(channel) for channel in (-1, -2, 0)] == [2, 0, 1]

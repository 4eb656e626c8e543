"""What one person writes in a row is one question: how long a burst waits, and who is in it."""

from __future__ import annotations

import msgspec
import pytest

from bot.gateway.inbox.bursts import MOST_MESSAGES, MOST_WINDOWS, Bursts


class Person(msgspec.Struct, frozen=True):
    id: int


class Message(msgspec.Struct, frozen=True):
    id: int
    author: Person
    channel: Person = Person(1)
    text: str = ""

    def is_system(self) -> bool:
        return False


ADA, BO = Person(7), Person(8)


def ids(messages: object) -> list[int]:
    assert isinstance(messages, list)
    return [message.id for message in messages]


def written(*times: float, seconds: float = 1.0) -> Bursts[Message]:
    """By Ada, with ids from 0; the first one is for us."""
    bursts: Bursts[Message] = Bursts()
    bursts.open(Message(0, ADA), seconds, times[0])
    for number, at in enumerate(times[1:], start=1):
        bursts.join(Message(number, ADA), at)
    return bursts


@pytest.mark.parametrize(
    ("times", "closes"),
    [
        ([0.0], 1.0),
        ([0.0, 0.5], 1.5),
        ([0.0, 0.9, 1.8], 2.8),
        ([0.5 * n for n in range(MOST_WINDOWS)], 0.5 * (MOST_WINDOWS - 1) + 1.0),
        ([0.5 * n for n in range(MOST_WINDOWS + 2)], 0.5 * (MOST_WINDOWS - 1) + 1.0),
        ([0.1 * n for n in range(MOST_MESSAGES)], 0.1 * (MOST_MESSAGES - 1)),
    ],
    ids=["alone", "one more", "each waits anew", "so often", "and not oftener", "and not for more"],
)
def test_each_message_lets_it_wait_anew_within_bounds(times: list[float], closes: float) -> None:
    bursts = written(*times)
    assert bursts.next_at == pytest.approx(closes)
    assert bursts.close(closes - 0.01) is None
    assert ids(bursts.close(closes + 0.01)) == list(range(len(times)))
    assert len(bursts) == 0


def test_without_a_wait_it_is_over_at_once() -> None:
    assert ids(written(3.0, seconds=0.0).close(3.0)) == [0]


def test_each_person_has_one_of_their_own_and_the_first_to_be_over_comes_first() -> None:
    bursts = written(0.0)
    bursts.open(Message(10, BO), 1.0, 0.2)
    bursts.join(Message(1, ADA), 0.9)
    assert (ADA.id in bursts, BO.id in bursts, 9 in bursts) == (True, True, False)
    assert bursts.close(1.1) is None
    assert ids(bursts.close(9.0)) == [10]
    assert ids(bursts.close(9.0)) == [0, 1]
    assert bursts.close(9.0) is None


def test_a_deleted_message_leaves_it() -> None:
    bursts = written(0.0, 0.1, 0.2)
    assert bursts.remove(1) == ()
    assert bursts.remove(99) == ()
    assert ids(bursts.close(9.0)) == [0, 2]


def test_without_the_message_that_was_for_us_the_others_are_to_be_judged_again() -> None:
    bursts = written(0.0, 0.1, 0.2)
    assert bursts.remove(0) == [(0.1, Message(1, ADA)), (0.2, Message(2, ADA))]
    assert bursts.close(9.0) is None


def test_an_edited_message_says_what_it_says_now() -> None:
    bursts = written(0.0, 0.1)
    assert bursts.replace(Message(1, ADA, text="new"))
    assert not bursts.replace(Message(9, ADA))
    assert not bursts.replace(Message(1, BO))
    assert bursts.close(9.0) == [Message(0, ADA), Message(1, ADA, text="new")]


def test_a_cancelled_one_is_no_question() -> None:
    bursts = written(0.0)
    assert not bursts.cancel(BO.id)
    assert bursts.cancel(ADA.id)
    assert bursts.close(9.0) is None

"""A question of somebody whose last one is being answered: which of the two ends, as a table."""

from typing import Any, cast

import msgspec
import pytest

from bot.preferences import FollowUp
from bot.turn.follow_ups import MOST_IN_A_ROW, takes_over
from bot.turn.request import Channel, Task, TurnRequest

RUNNING = TurnRequest(
    turn_id="running",
    question_id=1,
    channel_id=1,
    guild_id=None,
    asker_id=7,
    locale=None,
    arrived=0.0,
    channel=cast(Channel, None),  # nobody looks at it
)
QUEUE, SUPERSEDE = FollowUp.QUEUE, FollowUp.SUPERSEDE


def changed(**fields: Any) -> TurnRequest:
    return msgspec.structs.replace(RUNNING, **fields)


@pytest.mark.parametrize(
    ("request_", "running", "has_words", "choice", "in_a_row", "expected"),
    [
        ({}, {}, False, QUEUE, 0, True),
        ({}, {}, False, SUPERSEDE, 0, True),
        ({}, {}, True, QUEUE, 0, False),
        ({}, {}, True, SUPERSEDE, 0, True),
        ({}, {}, True, SUPERSEDE, MOST_IN_A_ROW - 1, True),
        ({}, {}, True, SUPERSEDE, MOST_IN_A_ROW, False),
        ({}, {}, False, QUEUE, MOST_IN_A_ROW, False),
        ({"asker_id": 8}, {}, False, SUPERSEDE, 0, False),
        ({"asked": "by a command"}, {}, False, SUPERSEDE, 0, False),
        ({}, {"asked": "by a command"}, False, SUPERSEDE, 0, False),
        ({"task": Task.AGAIN}, {}, False, SUPERSEDE, 0, False),
        ({}, {"task": Task.GO_ON}, False, SUPERSEDE, 0, False),
        ({}, {"task": Task.SHOW}, False, SUPERSEDE, 0, False),
        ({"passive": True}, {}, False, SUPERSEDE, 0, False),
        ({}, {"passive": True}, False, SUPERSEDE, 0, False),
    ],
)
def test_whether_the_running_answer_ends(
    request_: dict[str, Any],
    running: dict[str, Any],
    has_words: bool,
    choice: FollowUp,
    in_a_row: int,
    expected: bool,
) -> None:
    assert (
        takes_over(changed(**request_), changed(**running), has_words=has_words, choice=choice, in_a_row=in_a_row)
        is expected
    )


def test_where_nothing_is_being_written_there_is_nothing_to_end() -> None:
    assert not takes_over(RUNNING, None, has_words=False, choice=SUPERSEDE, in_a_row=0)

"""What people do to a question at any moment between its turn and its answer's end."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from adapters.contract import FinishReason
from bot.delivery.plan import Delete, Operation
from bot.preferences import FollowUp
from bot.turn.ending import decoded
from bot.turn.machine import RESTARTING
from bot.turn.request import Task
from tests.turn.room import CHANNEL, DATABASE, Room, Saying, played


def test_a_question_is_answered() -> None:
    async def scenario(room: Room) -> None:
        room.ask()

    room = played(scenario)
    assert room.statuses() == ["completed"]
    assert [text.partition("\n")[0] for text in room.texts] == ["word0 word1 word2"]


def test_who_stops_when_their_turn_has_just_come_is_not_answered() -> None:
    async def scenario(room: Room) -> None:
        room.ask()
        await asyncio.sleep(DATABASE / 2)
        room.stop(7)

    room = played(scenario)
    assert room.statuses() == ["stopped"]
    assert room.model.asked == []
    assert ["Stopped by Ada" in text for text in room.texts] == [True]


def test_who_stops_while_an_edited_question_is_begun_anew_is_not_answered() -> None:
    async def scenario(room: Room) -> None:
        question = room.ask(Saying(thinks=60))
        assert question is not None
        await asyncio.sleep(1)
        assert room.edit(question, Saying(thinks=60))
        room.stop(7)

    room = played(scenario)
    assert room.statuses() == ["stopped"]


def test_an_answer_that_is_deleted_when_another_version_is_just_begun_leaves_nothing() -> None:
    async def scenario(room: Room) -> None:
        question = room.ask()
        assert question is not None
        await room.queue.drained()
        assert room.press(question, Task.AGAIN)
        await asyncio.sleep(DATABASE / 2)
        assert room.runner.discard(question.turn_id)

    room = played(scenario)
    assert room.texts == []
    assert room.statuses() == ["withdrawn"]


def test_a_channel_that_breaks_harms_no_other_question() -> None:
    async def scenario(room: Room) -> None:
        first = room.ask()
        assert first is not None

        async def settle() -> None:
            raise ZeroDivisionError

        first.channel.settle = settle  # type: ignore[method-assign]
        room.ask(by=8)
        await room.queue.drained()
        await room.runner.idle(first.turn_id)

    assert played(scenario).statuses() == ["completed", "completed"]


def test_what_follows_an_answer_does_not_break_it() -> None:
    async def afterwards(*_: object) -> None:
        raise ZeroDivisionError

    async def scenario(room: Room) -> None:
        room.ask()

    room = played(scenario, afterwards)
    assert room.statuses() == ["completed"]
    assert len(room.texts) == 1, "nothing else is said"


def test_a_bot_that_restarts_does_not_end_an_answer_for_a_question_that_it_will_not_answer() -> None:
    async def scenario(room: Room) -> None:
        room.ask(Saying(words=20))
        await asyncio.sleep(5)
        room.runner.refuse(RESTARTING)
        room.ask(choice=FollowUp.SUPERSEDE)
        room.queue.close()

    assert played(scenario).statuses() == ["completed", "stopped"]


def test_a_third_message_while_the_first_is_just_ending_is_answered_too() -> None:
    async def scenario(room: Room) -> None:
        room.ask(Saying(thinks=60))
        await asyncio.sleep(1)
        room.ask()
        room.ask()

    room = played(scenario)
    assert room.statuses() == ["superseded", "completed", "completed"]
    assert len(room.texts) == 2


@pytest.mark.parametrize("task", [Task.AGAIN, Task.GO_ON, Task.SHOW])
def test_a_bot_that_must_end_while_messages_under_another_name_go_locks_no_answer(task: Task) -> None:
    async def scenario(room: Room) -> None:
        question = room.ask()
        assert question is not None
        await room.queue.drained()
        turn = room.journal.turns[question.turn_id]
        end = turn.ends[1]
        assert end is not None
        facts = msgspec.structs.replace(decoded(end.facts), spoken_as="Captain Nib", finish=FinishReason.LENGTH)
        turn.ends[1] = msgspec.structs.replace(end, facts=facts.encoded())

        def must_end(operation: Operation) -> None:
            assert isinstance(operation, Delete)
            room.queue.cancel()

        room.channel.faults.append(must_end)
        assert room.press(question, task, version_nr=1)

    room = played(scenario)
    (turn,) = room.journal.turns.values()
    assert (turn.runs, turn.shown_nr, len(turn.shown)) == (False, 1, 1)


def test_an_outage_of_the_database_is_told_under_one_answer_also_when_that_is_begun_anew() -> None:
    async def scenario(room: Room) -> None:
        room.journal.outage.untold = {CHANNEL}
        question = room.ask(Saying(thinks=60))
        assert question is not None
        await asyncio.sleep(1)
        assert room.edit(question, Saying())
        room.ask(by=8)

    room = played(scenario)
    assert room.statuses() == ["completed", "completed"]
    assert "".join(room.texts).count("My database cannot be used") == 1


def test_who_wants_another_answer_when_the_database_has_just_gone_hears_so() -> None:
    async def scenario(room: Room) -> None:
        question = room.ask()
        assert question is not None
        await room.queue.drained()
        room.journal.is_away = True
        assert room.press(question, Task.AGAIN)

    room = played(scenario)
    assert room.statuses() == ["completed"]
    assert len(room.model.asked) == 1
    assert "Nothing was changed." in str(list(room.channel.messages.values())[-1])

"""Whatever people do in a channel, and whenever: every question comes to an end that can be told, and nothing is left lying about."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TypeAlias

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.delivery.layout.live_mark import LIVE_MARK
from bot.preferences import FollowUp
from bot.turn.request import Task
from tests.turn.room import Room, Saying, played


class Ask(msgspec.Struct, frozen=True):
    by: int
    saying: Saying
    choice: FollowUp


class Edit(msgspec.Struct, frozen=True):
    nr: int
    saying: Saying


class DeleteQuestion(msgspec.Struct, frozen=True):
    nr: int


class DeleteMessage(msgspec.Struct, frozen=True):
    """One of ours."""

    nr: int


class Stop(msgspec.Struct, frozen=True):
    by: int


class Press(msgspec.Struct, frozen=True):
    nr: int
    task: Task


class Discard(msgspec.Struct, frozen=True):
    nr: int


class Restart(msgspec.Struct, frozen=True):
    pass


Deed: TypeAlias = Ask | Edit | DeleteQuestion | DeleteMessage | Stop | Press | Discard | Restart

PEOPLE = st.sampled_from([7, 8])
NUMBERS = st.integers(0, 3)
SAYINGS = st.builds(
    Saying, thinks=st.sampled_from([0.01, 1.0, 5.0]), words=st.integers(1, 4), gap=st.sampled_from([0.0, 0.3, 2.0])
)
ASKS = st.builds(Ask, PEOPLE, SAYINGS, st.sampled_from(FollowUp))
DEEDS: st.SearchStrategy[Deed] = st.one_of(
    ASKS,
    st.builds(Edit, NUMBERS, SAYINGS),
    st.builds(DeleteQuestion, NUMBERS),
    st.builds(DeleteMessage, NUMBERS),
    st.builds(Stop, PEOPLE),
    st.builds(Press, NUMBERS, st.sampled_from([Task.AGAIN, Task.GO_ON, Task.SHOW])),
    st.builds(Discard, NUMBERS),
    st.builds(Restart),
)
PAUSES = st.sampled_from([0.0, 0.01, 0.03, 0.1, 0.5, 1.5, 3.0])
SCRIPTS = st.builds(
    lambda asks, deeds: [*asks, *deeds],
    st.lists(st.tuples(PAUSES, ASKS), min_size=1, max_size=4),
    st.lists(st.tuples(PAUSES, DEEDS), min_size=1, max_size=10),
)


def do(room: Room, deed: Deed) -> None:
    taken = [request for request in room.asked if request.question_id not in room.deleted]
    match deed:
        case Ask(by, saying, choice):
            room.ask(saying, by, choice)
        case Edit(nr, saying) if nr < len(taken):
            room.edit(taken[nr], saying)
        case DeleteQuestion(nr) if nr < len(taken):
            room.delete(taken[nr].question_id)
        case DeleteMessage(nr) if nr < len(room.channel.messages):
            room.delete(sorted(room.channel.messages)[nr])
        case Stop(by):
            room.stop(by)
        case Press(nr, task) if nr < len(taken):
            room.press(taken[nr], task, version_nr=1)
        case Discard(nr) if nr < len(taken):
            room.runner.discard(taken[nr].turn_id)
        case Restart():
            room.restart()


@settings(max_examples=100, deadline=None)
@given(SCRIPTS)
def test_every_question_comes_to_an_end_and_nothing_is_left(script: Sequence[tuple[float, Deed]]) -> None:
    async def scenario(room: Room) -> None:
        for pause, deed in script:
            await asyncio.sleep(pause)
            do(room, deed)

    room = played(scenario)
    stopped = {deed.by for _, deed in script if isinstance(deed, Stop)}
    restarted = any(isinstance(deed, Restart) for _, deed in script)

    for request, status in zip(room.asked, room.statuses(), strict=True):
        excused = request.question_id in room.deleted or request.asker_id in stopped
        assert status != "unfinished", "no lock stays"
        assert status is not None or excused or request not in room.taken, "a question comes to nothing by itself"
        later = [other for other in room.asked[room.asked.index(request) + 1 :] if other.asker_id == request.asker_id]
        assert status != "superseded" or later, "another question took its place"
        assert status != "stopped" or excused or restarted or room.deleted, "nobody stopped it"

    for turn in room.journal.turns.values():
        end = turn.ends.get(turn.shown_nr)
        if end is not None and end.status == "superseded" and not turn.shown and not room.deleted:
            assert end.text == "", "what nobody could read is not kept"

    shown = {id_: turn_id for turn_id, turn in room.journal.turns.items() for id_, _ in turn.shown}
    assert set(shown) - room.deleted == set(room.channel.messages), "what stands is what is known"
    for message_id, plan in room.channel.messages.items():
        assert LIVE_MARK not in plan.content
        assert "before you" not in plan.content
        assert not any(":stop:" in button.custom_id for button in plan.buttons)
        turn = room.journal.turns[shown[message_id]]
        end = turn.ends[turn.shown_nr]
        assert end is not None
        if end.text:
            assert plan.content.startswith(end.text.strip()), "what is kept is what stands"


@given(st.lists(ASKS, min_size=2, max_size=8), st.lists(PAUSES, min_size=8, max_size=8))
@settings(max_examples=100, deadline=None)
def test_whoever_takes_back_nothing_gets_every_question_answered(asks: Sequence[Ask], pauses: Sequence[float]) -> None:
    """By itself, or by the next one of the same person, which knows it."""

    async def scenario(room: Room) -> None:
        for pause, deed in zip(pauses, asks, strict=False):
            await asyncio.sleep(pause)
            do(room, deed)

    room = played(scenario)
    ends = {
        request.question_id: (request, status)
        for request, status in zip(room.asked, room.statuses(), strict=True)
        if request in room.taken
    }
    for person in (7, 8):
        theirs = [status for request, status in ends.values() if request.asker_id == person]
        assert set(theirs) <= {"completed", "superseded"}
        assert theirs[-1:] in ([], ["completed"]), "the last one is answered"


@given(st.integers(0, 600))
@settings(max_examples=100, deadline=None)
def test_whenever_the_bot_must_end_at_once_no_answer_stays_locked(hundredths: int) -> None:
    async def scenario(room: Room) -> None:
        room.ask(Saying(thinks=1.0, words=3, gap=0.5))
        room.ask(by=8)
        await asyncio.sleep(hundredths / 100)
        room.queue.cancel()

    assert "unfinished" not in played(scenario).statuses()

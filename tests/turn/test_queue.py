"""The turn queue: in order within a channel, side by side between channels, bounded, and drained at the end."""

import asyncio
from typing import Any, cast

from bot.turn.queue import MOST_WAITING, TurnQueue
from bot.turn.request import Channel, TurnRequest


def request(channel_id: int, name: str, asker_id: int = 7) -> TurnRequest:
    return TurnRequest(
        turn_id=name,
        question_id=0,
        channel_id=channel_id,
        guild_id=None,
        asker_id=asker_id,
        locale=None,
        arrived=0.0,
        channel=cast(Channel, None),  # the queue does not look at it
    )


class Stage:
    """Turns that run until they are let go."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self._gates: dict[str, asyncio.Event] = {}
        self._changed = asyncio.Condition()

    def gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    async def run(self, given: TurnRequest) -> None:
        await self._note(f"+{given.turn_id}")
        await self.gate(given.turn_id).wait()
        await self._note(f"-{given.turn_id}")

    async def _note(self, entry: str) -> None:
        async with self._changed:
            self.log.append(entry)
            self._changed.notify_all()

    async def until(self, *entries: str) -> None:
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: set(entries) <= set(self.log))


async def test_a_channel_has_one_turn_at_a_time_in_order_of_arrival() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        for name in "abc":
            assert queue.submit(request(1, name))
        await stage.until("+a")
        for name in "abc":
            stage.gate(name).set()
        await stage.until("-c")
    assert stage.log == ["+a", "-a", "+b", "-b", "+c", "-c"]


async def test_channels_do_not_wait_for_each_other() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        queue.submit(request(1, "a"))
        queue.submit(request(2, "b"))
        await stage.until("+a", "+b")
        stage.gate("b").set()
        await stage.until("-b")
        assert "-a" not in stage.log
        stage.gate("a").set()


async def test_a_full_channel_turns_away_and_others_do_not() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        queue.submit(request(1, "first"))
        await stage.until("+first")
        taken = [queue.submit(request(1, f"w{n}")) for n in range(MOST_WAITING + 1)]
        assert taken == [True] * MOST_WAITING + [False]
        assert queue.submit(request(2, "other"))
        for name in ("first", "other", *(f"w{n}" for n in range(MOST_WAITING))):
            stage.gate(name).set()


async def test_a_closed_queue_takes_nothing_and_is_drained_when_the_last_turn_ends() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        queue.submit(request(1, "a"))
        await stage.until("+a")
        queue.close()
        assert not queue.submit(request(1, "b"))
        drained: asyncio.Task[Any] = asyncio.create_task(queue.drained())
        stage.gate("a").set()
        await drained
    assert stage.log == ["+a", "-a"]


async def test_somebodys_waiting_questions_are_withdrawn_and_nobody_elses() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        for name, asker_id in (("running", 7), ("mine", 7), ("theirs", 8), ("mine too", 7)):
            queue.submit(request(1, name, asker_id))
        queue.submit(request(2, "elsewhere", 7))
        await stage.until("+running", "+elsewhere")
        assert queue.holds("mine")
        assert queue.withdraw_of(7, channel_id=1) == 2
        assert queue.withdraw_of(7, channel_id=3) == 0
        assert not queue.holds("mine")
        for name in ("running", "theirs", "elsewhere"):
            stage.gate(name).set()
    assert sorted(stage.log) == ["+elsewhere", "+running", "+theirs", "-elsewhere", "-running", "-theirs"]

"""Messages as they come from Discord, one after the other in each channel, and the questions that become of them.

A message goes in synchronously and is handled when those before it are: judged, or taken into the burst of its author. A channel
has one task while something is to be handled or a burst is open there, and costs nothing otherwise. Closing of bursts and arrivals
are handled in the order of their times, however long judging takes: so the same messages are the same questions.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Generic, Self

import structlog

from bot.delivery.told_lately import ToldLately
from bot.gateway.inbox.bursts import Bursts, M

log = structlog.get_logger()

MOST_ARRIVED = 500
"""Messages of one channel that may wait to be handled. Judging one takes a moment; so many come only in a raid."""
SEEN_FOR = 600.0
"""Seconds for which a message is known to have come: a resumed gateway tells some again, and the first one of a post comes twice."""
MOST_SEEN = 20_000


class _Lane(Generic[M]):
    """What happens in one channel."""

    def __init__(self) -> None:
        self.arrived: deque[tuple[float, M]] = deque()
        self.bursts: Bursts[M] = Bursts()
        self.news = asyncio.Event()
        self.judged: M | None = None
        """The message that is being judged."""

    def forget(self, message_id: int) -> None:
        """It was deleted."""
        self.arrived = deque(item for item in self.arrived if item[1].id != message_id)
        if self.judged is not None and self.judged.id == message_id:
            self.judged = None
        self.arrived.extendleft(reversed(self.bursts.remove(message_id)))
        self.news.set()

    def replace(self, message: M) -> bool:
        for place, (at, old) in enumerate(self.arrived):
            if old.id == message.id:
                self.arrived[place] = at, message
                return True
        if self.judged is not None and self.judged.id == message.id:
            self.judged = message
            return True
        return self.bursts.replace(message)


class Inbox(Generic[M]):
    """Use as `async with Inbox(...) as inbox`: leaving it closes it; after an error outside it is left as it stands."""

    def __init__(
        self,
        judge: Callable[[M], Awaitable[float | None]],
        ask: Callable[[Sequence[M]], Awaitable[None]],
        stops: Callable[[M], bool],
    ) -> None:
        """`judge`: how many seconds a message waits for more of its author; None where it is not for us, or may not be.

        `ask` gets the messages of which a question consists, oldest first: the last one is the question. While it waits for
        anything, deletions and edits change them; where none is left, nothing is asked. `stops` says whether a message that was
        written into a burst means "stop", and ends what else of its author is to be ended.
        """
        self._judge = judge
        self._ask = ask
        self._stops = stops
        self._lanes: dict[int, _Lane[M]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._seen = ToldLately(SEEN_FOR, MOST_SEEN)
        self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self.close()
            return
        self.abandon()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def put(self, message: M) -> bool:
        """A message came. False where it came before, or too many wait, or none are taken any more."""
        now = _now()
        if self._closed or self._seen.is_again(message.id, now):
            return False
        channel_id = message.channel.id
        lane = self._lanes.get(channel_id)
        if lane is None:
            lane = self._lanes[channel_id] = _Lane()
            self._idle.clear()
            task = asyncio.create_task(self._work(channel_id, lane), name=f"messages of channel {channel_id}")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if len(lane.arrived) >= MOST_ARRIVED:
            log.warning("message_not_handled", why="too many", channel=channel_id, message=message.id)
            return False
        lane.arrived.append((now, message))
        lane.news.set()
        return True

    def deleted(self, channel_id: int, message_id: int) -> None:
        """It is part of no question any more; once it was asked, that is for others to see to."""
        if (lane := self._lanes.get(channel_id)) is not None:
            lane.forget(message_id)

    def edited(self, message: M) -> bool:
        """What it says now counts. False where it waits for nothing here."""
        lane = self._lanes.get(message.channel.id)
        return lane is not None and lane.replace(message)

    def cancel(self, author_id: int, channel_id: int) -> bool:
        """What this person wrote in a row there is no question. False where nothing of theirs waits for more."""
        lane = self._lanes.get(channel_id)
        cancelled = lane is not None and lane.bursts.cancel(author_id)
        if lane is not None:
            lane.news.set()
        return cancelled

    async def close(self) -> None:
        """Take no more messages. Those that came are judged, and bursts close at once: when this returns, all have been asked."""
        self._closed = True
        for lane in self._lanes.values():
            lane.news.set()
        await self.drained()

    def abandon(self) -> None:
        """Take no more messages, and end what is done with those that came where it stands."""
        self._closed = True
        for task in self._tasks:
            task.cancel()

    async def drained(self) -> None:
        """Returns when no message is to be handled and no burst is open."""
        await self._idle.wait()

    # ------------------------------------------------------------------------------------------------ one channel's task

    async def _work(self, channel_id: int, lane: _Lane[M]) -> None:
        try:
            while lane.arrived or lane.bursts:
                await self._step(lane)
        finally:
            del self._lanes[channel_id]
            if not self._lanes:
                self._idle.set()

    async def _step(self, lane: _Lane[M]) -> None:
        """The one thing that comes next: a burst that was over before the next message came, that message, or a wait."""
        moment = lane.arrived[0][0] if lane.arrived else math.inf if self._closed else _now()
        if (messages := lane.bursts.close(moment)) is not None:
            await self._handled(self._ask(messages), messages[-1])
            lane.bursts.forget_closed()
        elif lane.arrived:
            await self._take(lane, *lane.arrived.popleft())
        else:
            lane.news.clear()
            try:
                async with asyncio.timeout_at(lane.bursts.next_at):
                    await lane.news.wait()
            except TimeoutError:
                pass  # a burst is over

    async def _take(self, lane: _Lane[M], at: float, message: M) -> None:
        if message.author.id in lane.bursts and not message.is_system():
            await self._handled(self._join(lane, at, message), message)
            return
        lane.judged = message
        seconds = await self._handled(self._judge(message), message)
        if seconds is not None and lane.judged is not None:  # else it was deleted meanwhile
            lane.bursts.open(lane.judged, seconds, at)
        lane.judged = None

    async def _join(self, lane: _Lane[M], at: float, message: M) -> None:
        if self._stops(message):
            lane.bursts.cancel(message.author.id)
        else:
            lane.bursts.join(message, at)

    async def _handled(self, deed: Awaitable[float | None], message: M) -> float | None:
        """What breaks with one message harms no other."""
        try:
            return await deed
        except Exception:
            log.exception("message_not_handled", channel=message.channel.id, message=message.id)
            return None


def _now() -> float:
    return asyncio.get_running_loop().time()

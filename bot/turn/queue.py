"""One turn at a time per channel; channels side by side. Bounded, and owner of every task it starts."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

from bot.turn.request import TurnRequest

MOST_WAITING = 10
"""Questions that may wait in one channel behind the running one."""


class TurnQueue:
    """`run` is called for one request after the other of a channel; it must not raise.

    A channel costs something only while it has turns.
    """

    def __init__(self, run: Callable[[TurnRequest], Awaitable[None]]) -> None:
        self._run = run
        self._waiting: dict[int, deque[TurnRequest]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False
        self._idle = asyncio.Event()
        self._idle.set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """All turns have ended when this returns; after an error outside they are cancelled first.

        A TaskGroup would do the same, but wrap that error into a group.
        """
        self._closed = True
        if kind is not None:
            self.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def submit(self, request: TurnRequest) -> bool:
        """False where the channel has too many waiting already, or no new turns are taken."""
        waiting = self._waiting.get(request.channel_id)
        if self._closed or (waiting is not None and len(waiting) >= MOST_WAITING):
            return False
        if waiting is not None:
            waiting.append(request)
            return True
        self._waiting[request.channel_id] = deque([request])
        self._idle.clear()
        task = asyncio.create_task(self._work(request.channel_id), name=f"turns of channel {request.channel_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True

    async def _work(self, channel_id: int) -> None:
        waiting = self._waiting[channel_id]
        try:
            while waiting:
                await self._run(waiting.popleft())
        finally:
            del self._waiting[channel_id]
            if not self._waiting:
                self._idle.set()

    def close(self) -> None:
        """Take no new turns. Those that wait are still run."""
        self._closed = True

    def cancel(self) -> None:
        """End all turns where they stand."""
        for task in self._tasks:
            task.cancel()

    @property
    def closed(self) -> bool:
        return self._closed

    def withdraw(self, question_id: int) -> None:
        """Its question was deleted: if its turn still waits, it never comes."""
        for waiting in self._waiting.values():
            for request in tuple(waiting):
                if request.question_id == question_id:
                    waiting.remove(request)

    def withdraw_of(self, asker_id: int, channel_id: int) -> int:
        """This person's questions that wait in this channel never come; how many those were."""
        waiting = self._waiting.get(channel_id, deque())
        theirs = [request for request in waiting if request.asker_id == asker_id]
        for request in theirs:
            waiting.remove(request)
        return len(theirs)

    def holds(self, turn_id: str) -> bool:
        """True where something to do with this turn waits."""
        return any(request.turn_id == turn_id for waiting in self._waiting.values() for request in waiting)

    async def drained(self) -> None:
        await self._idle.wait()

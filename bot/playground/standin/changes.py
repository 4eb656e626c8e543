"""Waiting for the world without polling, and listening to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from bot.playground.standin.events import WorldEvent


class Changes:
    """Wakes whoever waits whenever anything has changed."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def notify(self) -> None:
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def next(self) -> None:
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future


class SubscriptionOverflow(Exception):
    """The subscriber was too slow and has missed events; it must read the state anew."""


class Subscription(AsyncIterator[WorldEvent]):
    """World events in order. Holds `limit` that were not yet taken; after more, iteration raises SubscriptionOverflow."""

    def __init__(self, limit: int) -> None:
        self._queue: asyncio.Queue[WorldEvent] = asyncio.Queue(limit)
        self._overflowed = False

    def put(self, event: WorldEvent) -> None:
        if self._queue.full():
            self._overflowed = True
        else:
            self._queue.put_nowait(event)

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> WorldEvent:
        if self._overflowed and self._queue.empty():
            raise SubscriptionOverflow
        return await self._queue.get()

"""What is done for a conversation beside its answers: a thread's title, a summary. Nobody waits for it, and none of it is promised.

Owner of the tasks: each kind of chore runs once at a time for each conversation, and few run at all. What goes wrong is logged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Self

import structlog

log = structlog.get_logger()

MOST = 16
"""Chores that run at the same time; a further one is left out."""


class Chores:
    """On leaving, what still runs is cancelled."""

    def __init__(self) -> None:
        self._tasks: dict[tuple[str, int], asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for task in self._tasks.values():
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    def start(self, kind: str, channel_id: int, do: Callable[[], Awaitable[None]]) -> bool:
        """False where it is left out: it runs already, or too many others do."""
        key = kind, channel_id
        if key in self._tasks or len(self._tasks) >= MOST:
            return False
        task = asyncio.create_task(_done(kind, do), name=f"{kind} of channel {channel_id}")
        self._tasks[key] = task
        task.add_done_callback(lambda _: self._tasks.pop(key))
        return True

    async def idle(self) -> None:
        """Wait until none runs."""
        while self._tasks:
            await asyncio.wait(self._tasks.values())


async def _done(kind: str, do: Callable[[], Awaitable[None]]) -> None:
    try:
        await do()
    except Exception:
        log.exception("chore_broke", chore=kind)

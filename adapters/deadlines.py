"""How long an answer is waited for: until the model is first heard, between two signs of it, and in all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, Final, TypeVar

import msgspec

Result = TypeVar("Result")


class Deadlines(msgspec.Struct, frozen=True):
    """Seconds."""

    connect: float = 10.0
    first_byte: float = 120.0
    """From the request to the first sign of the model: reasoning models think before they write, and some providers send
    keep-alives meanwhile."""
    idle: float = 60.0
    """Between two signs of the model. Keep-alives do not count."""
    total: float = 600.0


DEFAULT_DEADLINES: Final = Deadlines()


class Watch:
    """The deadlines of one exchange, over what it waits for and not over what the reader does meanwhile.

    A sign of the model costs a look at the clock. The one timer is only set again when it is due, so nothing is set or
    cancelled for a read.
    """

    def __init__(self, deadlines: Deadlines, ends: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self.limit = deadlines.first_byte
        """Seconds from one sign of the model to the next."""
        self._idle = deadlines.idle
        self._ends = ends
        self._timer: asyncio.TimerHandle | None = None
        self._waiting: asyncio.Task[Any] | None = None
        self._fired = False

    @property
    def is_over(self) -> bool:
        """No time is left for the whole."""
        return self._loop.time() >= self._ends

    def heard(self) -> None:
        """The model was heard, or is waited for again after the reader took its time. Raises TimeoutError when that took
        all that was left for the whole: what lies ready would be read without a wait, and so without a deadline."""
        self._since = self._loop.time()
        if self._since >= self._ends:
            raise TimeoutError
        if self.limit != self._idle:
            self.limit = self._idle
            self._set()

    async def until(self, awaitable: Awaitable[Result]) -> Result:
        """Its result. Raises TimeoutError when a deadline comes first."""
        task = asyncio.current_task()
        assert task is not None
        cancelling = task.cancelling()
        self._waiting = task
        if self._timer is None:
            self._set()
        try:
            return await awaitable
        except asyncio.CancelledError:
            if self._fired and task.uncancel() <= cancelling:
                raise TimeoutError from None
            raise
        finally:
            self._waiting = None

    def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    @property
    def _due(self) -> float:
        return min(self._since + self.limit, self._ends)

    def _set(self) -> None:
        self.end()
        self._timer = self._loop.call_at(self._due, self._look)

    def _look(self) -> None:
        self._timer = None
        if self._due > self._loop.time():
            self._set()
        elif self._waiting is not None:
            self._fired = True
            self._waiting.cancel()

"""An event loop whose clock jumps: what waits for a time is run as soon as nothing else can run.

For code that has timers but no sockets: hours pass in no time, and always in the same order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._virtual_now = 0.0
        selector = self._selector  # type: ignore[attr-defined]  # BaseSelectorEventLoop's own
        select = selector.select
        # A timer that was cancelled does not make the clock jump, so the loop would wait for the next one in real time.
        selector.select = lambda timeout=None: select(None if timeout is None else 0)

    def time(self) -> float:
        return self._virtual_now

    def _run_once(self) -> None:
        ready, scheduled = self._ready, self._scheduled  # type: ignore[attr-defined]  # BaseEventLoop's own queues
        if not ready and scheduled:
            self._virtual_now = max(self._virtual_now, scheduled[0]._when)
        super()._run_once()  # type: ignore[misc]  # the one step of BaseEventLoop's loop


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` from the second 0 of a clock of its own."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)

"""A clock that jumps, for code with real sockets between parts that live in the same event loop.

Loopback hands bytes over at once: when nothing is readable, nothing is under way, and the clock may jump to the next timer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from tests.virtual_time import VirtualTimeLoop

T = TypeVar("T")


class _Loop(VirtualTimeLoop):
    def _run_once(self) -> None:
        ready, scheduled = self._ready, self._scheduled  # type: ignore[attr-defined]  # BaseEventLoop's own queues
        if not ready and scheduled:
            self._process_events(self._selector.select(0))  # type: ignore[attr-defined]
        super()._run_once()


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run `main` from the second 0 of a clock of its own."""
    with asyncio.Runner(loop_factory=_Loop) as runner:
        return runner.run(main)

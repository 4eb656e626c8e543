"""Time as the stand-in reads it, passed in so that a test can move it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

DISCORD_EPOCH_MS = 1_420_070_400_000
"""First second of 2015 (https://docs.discord.com/developers/reference#snowflakes)."""


class Timer(Protocol):
    def cancel(self) -> None: ...


def _on_the_loop(delay: float, callback: Callable[[], object]) -> Timer:
    return asyncio.get_running_loop().call_later(delay, callback)


@dataclass(frozen=True)
class Clock:
    """`now` counts seconds and never goes back (rate windows, deadlines); `wall` is Unix seconds (ids, timestamps).

    `call_later` calls back once after so many seconds.
    """

    now: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    call_later: Callable[[float, Callable[[], object]], Timer] = _on_the_loop


class Snowflakes:
    """Discord's ids: milliseconds since 2015 in the high bits. Strictly increasing, also when the clock stands still."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = 0

    def next(self) -> str:
        by_time = (int(self._clock.wall() * 1000) - DISCORD_EPOCH_MS) << 22
        self._last = max(self._last + 1, by_time)
        return str(self._last)


def snowflake_time(snowflake: str) -> float:
    """Unix seconds at which the id was made."""
    return ((int(snowflake) >> 22) + DISCORD_EPOCH_MS) / 1000

"""What was told a short while ago and need not be told again. Pure: time comes in as an argument."""

from __future__ import annotations

from collections.abc import Hashable


class ToldLately:
    """Remembers for `seconds` what was told, and of more than `most` things the latest."""

    def __init__(self, seconds: float, most: int) -> None:
        self._seconds = seconds
        self._most = most
        self._told: dict[Hashable, float] = {}
        """When, the oldest first."""

    def is_again(self, what: Hashable, now: float) -> bool:
        """True: it was told less than so many seconds ago. False: it is to be told; this counts as told. `now` in seconds of any
        monotonic clock, never falling."""
        while self._told and next(iter(self._told.values())) <= now - self._seconds:
            del self._told[next(iter(self._told))]
        if what in self._told:
            return True
        self._told[what] = now
        if len(self._told) > self._most:
            del self._told[next(iter(self._told))]
        return False

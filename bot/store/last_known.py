"""What was read last, for the time in which nothing can be read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from bot.store.outage import Outage
from bot.store.unavailable import DatabaseUnavailable

K = TypeVar("K")
V = TypeVar("V")


class LastKnown(Generic[K, V]):
    def __init__(self, outage: Outage, most: int) -> None:
        """`most`: entries; of more, those that were read longest ago go."""
        self._outage = outage
        self._most = most
        self._known: dict[K, V] = {}
        self._forgotten_nr = 0
        self._changes = 0

    async def read(self, key: K, read: Callable[[], Awaitable[V]]) -> V:
        """What is there now; while that cannot be read, what was there last. Raises DatabaseUnavailable where nobody knows."""
        self._forget_forgotten()
        changes = self._changes
        try:
            value = await read()
        except DatabaseUnavailable:
            self._forget_forgotten()
            if key not in self._known:
                raise
            return self._known[key]
        self._forget_forgotten()
        if changes == self._changes:  # else it may be older than what was changed meanwhile
            self._known.pop(key, None)
            self._known[key] = value
            if len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return value

    def changed(self, *keys: K) -> None:
        """What was read of these before, or without any of all, does not hold any more."""
        self._changes += 1
        for key in keys or tuple(self._known):
            self._known.pop(key, None)

    def _forget_forgotten(self) -> None:
        if self._forgotten_nr != self._outage.forgotten_nr:
            self._forgotten_nr = self._outage.forgotten_nr
            self.changed()

"""What one person writes in a row is one question. Pure: the time comes in as an argument.

A message for us opens a burst of its author. Whatever that person writes there meanwhile joins it, whether it is for us or not, and
the burst waits anew: for MOST_WINDOWS windows in all, and up to MOST_MESSAGES. Then it closes, and is a question. Each person
has one burst of their own in a channel; they close independently of each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

MOST_WINDOWS = 5
"""Times that a burst waits, the first one included."""
MOST_MESSAGES = 10


class HasId(Protocol):
    @property
    def id(self) -> int: ...


class Said(HasId, Protocol):
    """A message, as far as it matters here: one of discord.py's is such."""

    @property
    def author(self) -> HasId: ...

    @property
    def channel(self) -> HasId: ...

    def is_system(self) -> bool:
        """Discord says it of itself: somebody joined, a message was pinned."""
        ...


M = TypeVar("M", bound=Said)


class _Burst(Generic[M]):
    def __init__(self, message: M, seconds: float, at: float) -> None:
        self.messages = [message]
        self.arrivals = [at]
        self.closes = at + seconds
        self._seconds = seconds
        self._windows = 1

    def join(self, message: M, at: float) -> None:
        self.messages.append(message)
        self.arrivals.append(at)
        if len(self.messages) >= MOST_MESSAGES:
            self.closes = at
        elif self._windows < MOST_WINDOWS:
            self._windows += 1
            self.closes = at + self._seconds


class Bursts(Generic[M]):
    """Those of one channel. Times are seconds of any monotonic clock."""

    def __init__(self) -> None:
        self._open: dict[int, _Burst[M]] = {}
        """By author."""

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, author_id: object) -> bool:
        return author_id in self._open

    def open(self, message: M, seconds: float, at: float) -> None:
        """A message for us, whose author has no burst here."""
        self._open[message.author.id] = _Burst(message, seconds, at)

    def join(self, message: M, at: float) -> None:
        """A message of somebody who has one."""
        self._open[message.author.id].join(message, at)

    def cancel(self, author_id: int) -> bool:
        """It is no question. False where there is none."""
        return self._open.pop(author_id, None) is not None

    def remove(self, message_id: int) -> Sequence[tuple[float, M]]:
        """A message was deleted. Where it was the one that was for us, nothing says any more that the others are: its burst is no
        more, and they are given back with the times at which they came."""
        for author_id, burst in self._open.items():
            for place, message in enumerate(burst.messages):
                if message.id != message_id:
                    continue
                del burst.messages[place], burst.arrivals[place]
                if place > 0:
                    return ()
                del self._open[author_id]
                return list(zip(burst.arrivals, burst.messages, strict=True))
        return ()

    def replace(self, message: M) -> bool:
        """A message was edited. False where it is in no burst."""
        burst = self._open.get(message.author.id)
        for place, old in enumerate(burst.messages if burst is not None else ()):
            if old.id == message.id:
                assert burst is not None
                burst.messages[place] = message
                return True
        return False

    @property
    def next_at(self) -> float:
        """When the next one closes; infinity where none is open."""
        return min((burst.closes for burst in self._open.values()), default=math.inf)

    def close(self, now: float) -> Sequence[M] | None:
        """The messages, oldest first, of the burst that is over and closed first; None where none is."""
        author_id = min(self._open, key=lambda author_id: self._open[author_id].closes, default=None)
        if author_id is None or self._open[author_id].closes > now:
            return None
        return self._open.pop(author_id).messages

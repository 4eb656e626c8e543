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
        self._closed: _Burst[M] | None = None
        """The one that becomes a question just now."""

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
        """What this person wrote is no question. False where there is nothing."""
        theirs = [burst for burst in self._all if burst.messages and burst.messages[0].author.id == author_id]
        for burst in theirs:
            self._give_up(burst)
        return bool(theirs)

    def remove(self, message_id: int) -> Sequence[tuple[float, M]]:
        """A message was deleted. Where it was the one that was for us, nothing says any more that the others are: its burst is no
        more, and they are given back with the times at which they came."""
        burst, place = self._find(message_id)
        if burst is None:
            return ()
        del burst.messages[place], burst.arrivals[place]
        return self._give_up(burst) if place == 0 else ()

    def replace(self, message: M) -> bool:
        """A message was edited. False where it is in no burst."""
        burst, place = self._find(message.id)
        if burst is None or burst.messages[place].author.id != message.author.id:
            return False
        burst.messages[place] = message
        return True

    @property
    def next_at(self) -> float:
        """When the next one closes; infinity where none is open."""
        return min((burst.closes for burst in self._open.values()), default=math.inf)

    def close(self, now: float) -> Sequence[M] | None:
        """The messages, oldest first, of the burst that is over and closed first; None where none is.

        Until `forget_closed` they are here as well: what is deleted or edited meanwhile changes them, down to none.
        """
        author_id = min(self._open, key=lambda author_id: self._open[author_id].closes, default=None)
        if author_id is None or self._open[author_id].closes > now:
            return None
        self._closed = self._open.pop(author_id)
        return self._closed.messages

    def forget_closed(self) -> None:
        """It is a question now."""
        self._closed = None

    @property
    def _all(self) -> Sequence[_Burst[M]]:
        return [*self._open.values(), *([self._closed] if self._closed is not None else [])]

    def _find(self, message_id: int) -> tuple[_Burst[M] | None, int]:
        for burst in self._all:
            for place, message in enumerate(burst.messages):
                if message.id == message_id:
                    return burst, place
        return None, 0

    def _give_up(self, burst: _Burst[M]) -> Sequence[tuple[float, M]]:
        """It is no more; what was in it, with the times at which it came."""
        self._open = {author_id: other for author_id, other in self._open.items() if other is not burst}
        left = list(zip(burst.arrivals, burst.messages, strict=True))
        burst.messages.clear()
        burst.arrivals.clear()
        return left

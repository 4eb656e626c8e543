"""When who asked: what cool-downs and quotas count. Pure: time comes in as an argument.

The journal knows the questions that were taken up; this knows also those that wait, and answers that were asked for anew. It is in
memory only, and of a person keeps no more times than a limit needs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence

MOST_PEOPLE = 20_000
"""Remembered; of more, those who asked last."""
MOST_TIMES = 500
"""Of one person."""


class AskedLately:
    def __init__(self) -> None:
        self._asked: dict[Hashable, deque[float]] = {}
        """Times by person, the one who asked longest ago first."""

    def asked(self, who: Hashable, now: float, keep: int) -> None:
        """Now; the last `keep` times stay in memory. `now` in seconds of any monotonic clock, never falling."""
        times = deque(self._asked.pop(who, ()), maxlen=min(max(keep, 1), MOST_TIMES))
        times.append(now)
        self._asked[who] = times
        if len(self._asked) > MOST_PEOPLE:
            del self._asked[next(iter(self._asked))]

    def times_since(self, who: Hashable, since: float) -> Sequence[float]:
        """Rising; those after `since`."""
        return [time for time in self._asked.get(who, ()) if time > since]

"""When the next call of a route may go out: as fast as its window in the channel lets, learnt from real answers.

Theory. Discord counts each route in a fixed window per channel ("5 in 5 s") that opens with its first call, and says in
every answer how many calls are left and when the window ends. Calls spread evenly over the time that is left use all of
them: gap = time left / (calls left + 1). The last one is kept for text that must arrive until RELEASE before the end;
from then on such text would wait no longer than that. discord.py sleeps inside the call that takes the last one until
the window ends (its `Ratelimit`), with the text already up; that too is at most RELEASE.
A young answer writes faster: people watch its beginning most, and most answers are over before the window is.

Time comes in as an argument, in seconds of any monotonic clock. A Bucket is one route in one channel.
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum

import msgspec

RESERVE = 1
"""Calls of a window that previews leave to text that must arrive."""
RELEASE = 1.0
"""Seconds before the end of a window from which on previews may take its last calls too."""
DEFAULT_LIMIT, DEFAULT_PERIOD = 5, 5.0
"""A window of which nothing is known yet: calls, seconds."""
COOL_OFF = 30.0
"""Seconds over which a route that met a 429 comes back from twice the gap to the usual one."""
FRESH, FRESH_PACE = 2.0, 0.7
"""An answer's first seconds, and its gaps at the very beginning in parts of the usual ones."""
NOT_MADE_AFTER, LOST_AFTER = 3.0, 10.0
"""Seconds after which a call that was let go, or its answer, is not waited for."""
SAME_WINDOW = 0.5
"""Seconds by which two answers may differ about the end of a window, since one was longer on its way."""
NEVER = float("-inf")
SMALLEST_GAP = 0.4
"""Seconds. Faster changes of a text flicker without being read."""


class Route(StrEnum):
    """Operations that Discord counts apart."""

    CREATE = "create"
    EDIT = "edit"
    DELETE = "delete"
    TYPING = "typing"


class Budget(msgspec.Struct, frozen=True):
    """What an answer's headers say (X-RateLimit-Remaining, -Reset-After, -Limit)."""

    remaining: int
    reset_after: float
    """Seconds."""
    limit: int = DEFAULT_LIMIT
    window: str = ""
    """Its name (X-RateLimit-Bucket); of routes that share one it is the same. Empty: not said."""


def pace(age: float) -> float:
    """The length of a gap in parts of the usual one, for an answer whose first text stands for `age` seconds."""
    return FRESH_PACE + (1 - FRESH_PACE) * min(1.0, max(0.0, age) / FRESH)


class Bucket:
    """One route's window in one channel, as far as its answers tell."""

    def __init__(self) -> None:
        self._limit, self._period = DEFAULT_LIMIT, DEFAULT_PERIOD
        self._left, self._ends = DEFAULT_LIMIT, NEVER
        self._told_left, self._told_ends = DEFAULT_LIMIT, NEVER
        """The same as the answers in this window said, before calls in flight are taken off."""
        self._last = NEVER
        """When the last call went out, of ours or of somebody else."""
        self._held_until = NEVER
        self._cool_from = NEVER
        self._promised: deque[float] = deque()
        """When calls were let go that have not been seen going out."""
        self._on_the_way: deque[float] = deque()
        """When calls went out whose answers have not come."""

    def final_at(self, now: float) -> float:
        """When a call that must arrive may go out; `now` or later."""
        spent = now < self._ends and self._left <= 0
        return max(now, self._held_until, self._ends if spent else now)

    def preview_at(self, now: float, stretch: float = 1.0) -> float:
        """When a call may go out whose text the next one replaces. `stretch`: its gaps in parts of the usual ones."""
        possible, cooling = self.final_at(now), self._cooling(now)
        if now >= self._ends:
            return max(possible, self._last + cooling * self._period / self._limit) if cooling > 1.0 else possible
        gap = stretch * cooling * (self._ends - self._last) / (max(0, self._left) + 1)
        due = max(possible, self._last + gap)
        return max(due, self._ends - RELEASE) if self._left <= RESERVE else due

    def promise(self, now: float) -> None:
        """A call is let go. It counts from now on."""
        self._count(now)
        self._promised.append(now)

    def withdraw(self) -> None:
        """The call that was let go last will not be made."""
        if self._promised:
            self._promised.pop()
            self._left += 1

    def went_out(self, now: float) -> bool:
        """A call is on its way. False where it is none that was let go here, but somebody else's."""
        self._forget(now)
        self._on_the_way.append(now)
        if self._promised:
            self._promised.popleft()
            return True
        self._count(now)
        return False

    def ended(self) -> None:
        """A call is over without numbers that tell how many are left."""
        waiting = self._on_the_way or self._promised
        if waiting:
            waiting.popleft()

    def answered(self, budget: Budget, now: float) -> None:
        """Learn from the headers of an answer, to a call of ours or of anybody else."""
        self.ended()
        remaining, ends = budget.remaining, now + max(0.0, budget.reset_after)
        if now < self._told_ends:
            if ends < self._told_ends - SAME_WINDOW:
                return  # of the window before; a quicker answer has told of this one already
            if ends <= self._told_ends + SAME_WINDOW:
                remaining, ends = min(remaining, self._told_left), min(ends, self._told_ends)
        self._limit = max(1, budget.limit)
        if budget.remaining == self._limit - 1 and budget.reset_after > 0:
            self._period = budget.reset_after
        self._told_left, self._told_ends = remaining, ends
        self._left, self._ends = remaining - self._in_flight(now), ends

    def limited(self, retry_after: float, now: float, *, shared: bool = False) -> None:
        """A 429. `shared`: of a limit that others used up (X-RateLimit-Scope), so our pace was not the fault."""
        self.ended()
        self._held_until = max(self._held_until, now + retry_after)
        if not shared:
            self._cool_from = self._held_until

    def take_in(self, other: Bucket) -> None:
        """That one turned out to be the same window: its calls are under way in this one."""
        self._promised.extend(other._promised)
        self._on_the_way.extend(other._on_the_way)

    def idle(self, now: float) -> bool:
        """All that is known is the size of the window."""
        return now >= max(self._ends, self._held_until, self._cool_from + COOL_OFF) and not self._in_flight(now)

    def _count(self, now: float) -> None:
        if now >= self._ends:
            self._left, self._ends = self._limit - self._in_flight(now), now + self._period
        self._left -= 1
        self._last = now

    def _in_flight(self, now: float) -> int:
        self._forget(now)
        return len(self._promised) + len(self._on_the_way)

    def _forget(self, now: float) -> None:
        for times, longest in ((self._promised, NOT_MADE_AFTER), (self._on_the_way, LOST_AFTER)):
            while times and times[0] + longest <= now:
                times.popleft()

    def _cooling(self, now: float) -> float:
        """How much longer gaps are: twice right after a 429, not at all when it is long ago."""
        return 1.0 + min(1.0, max(0.0, 1.0 - (now - self._cool_from) / COOL_OFF))

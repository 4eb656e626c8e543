"""When the next operation may go out: as fast as the channel's budget lets, and no call that must wait in the library.

Theory. Discord counts each route in a fixed window per channel ("5 in 5 s") and says in every answer how many calls are
left and when the window ends. Spreading the calls that are left evenly over the time that is left never runs dry:
gap = time left / (calls left - RESERVE + 1). The reserve is never used for previews, so that the final text goes out at
once; and no preview takes the last call of a window, for which discord.py sleeps before it returns (its `Ratelimit`
waits for the reset inside that call). Numbers are learnt from the answers; only before the first answer a default holds.

Time comes in as an argument, in seconds of any monotonic clock. One Pacing a channel, shared by all its turns.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

RESERVE = 1
DEFAULT_GAP = 1.25
"""Seconds between calls of one route before its numbers are known: four in a window of five in five seconds."""
SMALLEST_GAP = 0.4
"""Seconds. Faster changes of a text flicker without being read."""


class Route(StrEnum):
    """Operations that Discord counts apart."""

    CREATE = "create"
    EDIT = "edit"
    DELETE = "delete"


class Budget(msgspec.Struct, frozen=True):
    """What an answer's headers say (X-RateLimit-Remaining, X-RateLimit-Reset-After)."""

    remaining: int
    reset_after: float


class Pacing:
    def __init__(self) -> None:
        self._preview_at: dict[Route, float] = {}
        self._final_at: dict[Route, float] = {}

    def wait(self, route: Route, now: float, *, final: bool) -> float:
        """Seconds until an operation on this route should be sent; 0 for now. `final`: text that must arrive."""
        due = (self._final_at if final else self._preview_at).get(route, now)
        return max(0.0, due - now)

    def sent(self, route: Route, now: float) -> None:
        """A call is on its way; until its answer tells more, the next preview keeps the default distance."""
        self._preview_at[route] = now + DEFAULT_GAP

    def answered(self, route: Route, budget: Budget, now: float) -> None:
        """Learn from the headers of an answer, of this turn or of anything else that writes in the channel."""
        left, time_left = budget.remaining - RESERVE, max(0.0, budget.reset_after)
        gap = time_left if left < 0 else time_left / (left + 1)
        self._preview_at[route] = now + max(SMALLEST_GAP, gap)
        self._final_at[route] = now + (time_left if budget.remaining <= 0 else 0.0)

    def limited(self, route: Route, retry_after: float, now: float) -> None:
        """A 429 came all the same. discord.py waits it out inside the call; nothing else goes out meanwhile."""
        self._preview_at[route] = self._final_at[route] = now + retry_after


class PacingBook:
    """The Pacing of each channel; channels that nobody wrote in for a while are dropped, oldest first."""

    MOST = 4096

    def __init__(self) -> None:
        self._channels: dict[int, Pacing] = {}

    def of(self, channel_id: int) -> Pacing:
        pacing = self._channels.pop(channel_id, None) or Pacing()
        self._channels[channel_id] = pacing
        if len(self._channels) > self.MOST:
            del self._channels[next(iter(self._channels))]
        return pacing

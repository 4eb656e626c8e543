"""When a call that failed is tried again, and for how long.

A failure makes the next one wait longer. A preview has no last try, as the final state comes anyway. That goes at once, whatever
previews met with, and is given up after some tries; but a wait that Discord asked for is kept by both. Time comes in as an
argument, in seconds of any monotonic clock.
"""

from __future__ import annotations

FINAL_TRIES = 5
"""How often the final state is tried anew after Discord failed (each try has its own tries below it)."""
FIRST_PAUSE = 2.0
"""Seconds after a failure; doubled for each further one in a row."""
LONGEST_PAUSE = 30.0
LONGEST_FINAL_WAIT = 120.0
"""Seconds of a rate limit after which the final state is given up: others wait for their turn behind it."""


class Patience:
    def __init__(self) -> None:
        self._failures = 0
        self._again_at = 0.0
        self._limited_until = 0.0

    def begin_final(self) -> None:
        """Failures of previews do not count against the final state."""
        self._failures, self._again_at = 0, 0.0

    def came_through(self) -> None:
        self._failures, self._again_at, self._limited_until = 0, 0.0, 0.0

    def failed(self, now: float, retry_after: float = 0.0) -> None:
        """`retry_after`: seconds that Discord asked for."""
        self._failures += 1
        self._again_at = now + min(FIRST_PAUSE * 2.0 ** (self._failures - 1), LONGEST_PAUSE)
        self._limited_until = now + retry_after

    @property
    def is_over(self) -> bool:
        """For a final state."""
        return self._failures > FINAL_TRIES

    def limited(self, now: float) -> float:
        """Seconds for which Discord wants to hear nothing, not even a final state."""
        return max(0.0, self._limited_until - now)

    def wait(self, now: float) -> float:
        """Seconds until the next try."""
        return max(0.0, self._again_at - now, self._limited_until - now)

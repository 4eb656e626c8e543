"""Rate limits of the REST: fixed windows by route and major parameter, and one for the bot as a whole.

A window opens with its first request and lasts `seconds`; what comes beyond `limit` in it is refused with the time that
is left. Discord wants the numbers read from the headers and may change them
(https://docs.discord.com/developers/topics/rate-limits); those below are what it has been seen to use.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from bot.playground.standin.clock import Clock
from bot.playground.standin.errors import OLD_MESSAGE_EDITS


class BucketRule(msgspec.Struct, frozen=True):
    name: str
    limit: int
    seconds: float


MESSAGE_CREATE = BucketRule("message-create", 5, 5.0)
MESSAGE_EDIT = BucketRule("message-edit", 5, 5.0)
MESSAGE_DELETE = BucketRule("message-delete", 5, 1.0)
TYPING = BucketRule("typing", 5, 5.0)
REACTION = BucketRule("reaction", 1, 0.25)
WEBHOOK = BucketRule("webhook", 5, 2.0)
DEFAULT_BUCKETS: Mapping[str, BucketRule] = {
    rule.name: rule for rule in (MESSAGE_CREATE, MESSAGE_EDIT, MESSAGE_DELETE, TYPING, REACTION, WEBHOOK)
}
OLD_EDIT = BucketRule("old-message-edit", 3, 6.0)
"""For messages older than an hour, on top of the edit bucket and without headers of its own."""
GLOBAL = BucketRule("global", 50, 1.0)
WINDOWS_KEPT = 1000
"""From so many windows on, those that have ended are forgotten."""


class Verdict(msgspec.Struct, frozen=True):
    """One look at one bucket. `reset_after` in seconds."""

    rule: BucketRule
    allowed: bool
    remaining: int
    reset_after: float
    reset_at: float
    """Unix seconds."""

    def headers(self) -> dict[str, str]:
        return {
            "X-RateLimit-Limit": str(self.rule.limit),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": f"{self.reset_at:.3f}",
            "X-RateLimit-Reset-After": f"{self.reset_after:.3f}",
            "X-RateLimit-Bucket": self.rule.name,
        }


class _Window(msgspec.Struct):
    ends: float
    used: int = 0


class RateLimiter:
    def __init__(self, clock: Clock, buckets: Mapping[str, BucketRule] = DEFAULT_BUCKETS) -> None:
        """`buckets` replaces the numbers of a rule by its name; a name that is left out is not limited."""
        self._clock = clock
        self._buckets = buckets
        self._windows: dict[tuple[str, str], _Window] = {}

    @property
    def windows(self) -> int:
        """How many are remembered."""
        return len(self._windows)

    def take(self, rule: BucketRule, major: str) -> Verdict | None:
        """Counts one request against the bucket of `rule` for this major parameter. None where nothing limits it."""
        current = self._buckets.get(rule.name)
        return None if current is None else self._take(current, major)

    def take_global(self) -> Verdict:
        return self._take(GLOBAL, "")

    def take_old_edit(self, channel_id: str) -> Verdict:
        return self._take(OLD_EDIT, channel_id)

    def _take(self, rule: BucketRule, major: str) -> Verdict:
        now = self._clock.now()
        window = self._windows.get((rule.name, major))
        if window is None or now >= window.ends:
            if len(self._windows) >= WINDOWS_KEPT:
                self._windows = {key: window for key, window in self._windows.items() if now < window.ends}
            window = self._windows[rule.name, major] = _Window(now + rule.seconds)
        allowed = window.used < rule.limit
        window.used += allowed
        left = window.ends - now
        return Verdict(rule, allowed, rule.limit - window.used, left, self._clock.wall() + left)


class TooManyRequests(Exception):
    """Ends the handling of a REST request with a 429."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(f"{verdict.rule.name}: {verdict.reset_after:.3f} s left")
        self.verdict = verdict

    @property
    def body(self) -> dict[str, Any]:
        rule, retry_after = self.verdict.rule, round(self.verdict.reset_after, 3)
        body: dict[str, Any] = {"message": "You are being rate limited.", "retry_after": retry_after}
        body |= {"global": rule is GLOBAL, "code": 0}
        if rule is OLD_EDIT:
            body |= {"message": OLD_MESSAGE_EDITS.message, "code": OLD_MESSAGE_EDITS.code}
        return body

    def headers(self) -> dict[str, str]:
        """Those of a 429 alone. The `Via` that proxies add is sent with every answer."""
        is_global = self.verdict.rule is GLOBAL
        headers = {
            "Retry-After": str(math.ceil(self.verdict.reset_after)),
            "X-RateLimit-Scope": "global" if is_global else "user",
        }
        return headers | ({"X-RateLimit-Global": "true"} if is_global else {})

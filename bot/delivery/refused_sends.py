"""Channels where Discord refused a message of ours a short while ago. Pure: time comes in as an argument.

What we may do is known beforehand, as a rule; where it is not (a time-out that we were not told of, an overwrite of a category),
each question would cost a call of the model for an answer that nobody sees, and a refused call counts against the bot: Discord
blocks who makes 10,000 of those in ten minutes (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit).
"""

from __future__ import annotations

SECONDS = 900.0
"""After which it is tried again."""
MOST = 4096
"""Channels remembered; of more, those that refused last."""


class RefusedSends:
    def __init__(self) -> None:
        self._refused: dict[int, float] = {}
        """When, the oldest first."""

    def refused(self, channel_id: int, now: float) -> None:
        """A message was refused there for want of access or permission (50001, 50013). `now` in seconds of any monotonic clock."""
        self._refused.pop(channel_id, None)
        self._refused[channel_id] = now
        if len(self._refused) > MOST:
            del self._refused[next(iter(self._refused))]

    def sent(self, channel_id: int) -> None:
        """A message was taken there."""
        self._refused.pop(channel_id, None)

    def is_refused(self, channel_id: int, now: float) -> bool:
        refused_at = self._refused.get(channel_id)
        return refused_at is not None and now - refused_at < SECONDS

"""What became of an operation, and the seam at which it is asked."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec

from bot.delivery.plan import Operation


class Fate(StrEnum):
    DONE = "done"
    GONE = "gone"
    """The message is there no more."""
    CHANNEL_GONE = "channel_gone"
    FORBIDDEN = "forbidden"
    """We may not write here: a fact of the channel's set-up, not a fault to try again."""
    LOCKED = "locked"
    """The thread is closed, and not for us to open."""
    EXPIRED = "expired"
    """What lets us write here is over, as it is 15 minutes after a command. That says nothing of the channel."""
    TOO_OLD = "too_old"
    """This message takes no more edits."""
    REFUSED = "refused"
    """Discord did not take it, for a reason of no kind above or below."""
    BLOCKED = "blocked"
    """Discord's filters do not let this text through, in whatever message."""
    FAILED = "failed"
    """Not now: Discord or the way to it is down, or it asks us to wait."""


class Outcome(msgspec.Struct, frozen=True):
    fate: Fate
    message_id: int | None = None
    """Of a created message."""
    detail: str = ""
    """Status, code and words of Discord, for the log."""
    retry_after: float = 0.0
    """Seconds for which Discord wants to hear nothing of the kind."""


class Sender(Protocol):
    async def send(self, operation: Operation, seed: str) -> Outcome:
        """Carries it out once, as far as the sender can tell. Raises nothing that Discord or the way to it did.

        `seed` is what the nonces of a run's messages are made from: with the same one, the same part is the same message.
        """
        ...

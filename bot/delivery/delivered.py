"""What became of an answer as a whole, where `outcome` tells it of one call: what stands in the channel, and why it takes no more."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from bot.delivery.outcome import Fate
from bot.delivery.plan import MessagePlan


class Lost(StrEnum):
    """Why the channel takes no more of the answer."""

    DELETED = "deleted"
    """Somebody deleted a message of it, which means: stop."""
    CHANNEL_GONE = "channel_gone"
    FORBIDDEN = "forbidden"
    """We may not write there, or not any more."""
    LOCKED = "locked"
    """The thread was closed for good."""
    EXPIRED = "expired"
    """It came too late for the interaction that asked for it."""
    BLOCKED = "blocked"
    """Discord's filters do not let the text through. What stands, stays; only our own words still go out."""
    REFUSED = "refused"
    """Discord does not take the text, for a reason that we do not know. As with BLOCKED, our own words go out."""
    UNDELIVERED = "undelivered"
    """Discord could not be reached for so long that we gave up."""
    BROKEN = "broken"
    """A fault of ours; finish() raises it."""


OWN_WORDS_GO_OUT = (Lost.BLOCKED, Lost.REFUSED)
"""What stands stays, and the ending says why there is no more."""
NOBODY_CAN_READ = (Lost.CHANNEL_GONE, Lost.FORBIDDEN, Lost.LOCKED, Lost.EXPIRED, Lost.UNDELIVERED)
"""The channel cannot tell of it."""

LOSSES: Mapping[Fate, Lost] = {
    Fate.CHANNEL_GONE: Lost.CHANNEL_GONE,
    Fate.FORBIDDEN: Lost.FORBIDDEN,
    Fate.LOCKED: Lost.LOCKED,
    Fate.EXPIRED: Lost.EXPIRED,
}
"""Whatever the call was, no other will do better. Nothing is tried again."""


class Delivery(msgspec.Struct, frozen=True):
    shown: tuple[tuple[int, int], ...]
    """(message id, code points of the model's text in it), in order."""
    lost: Lost | None
    missing: tuple[MessagePlan, ...] = ()
    """Messages of the whole answer whose text or files the channel does not show, or shows an older state of."""


def _model_text(plan: MessagePlan) -> str:
    return plan.content[: plan.text_length]


def carries(standing: MessagePlan, wanted: MessagePlan) -> bool:
    """Whether the model's part of `wanted` is there to read."""
    return _model_text(standing).strip() == _model_text(wanted).strip() and standing.files == wanted.files

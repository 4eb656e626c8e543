"""Is this message for us? Pure: a message's facts in, the reason to answer out."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Trigger(StrEnum):
    MENTION = "mention"
    REPLY = "reply"
    DIRECT_MESSAGE = "direct_message"


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    from_me: bool
    from_bot: bool
    from_webhook: bool
    written_by_a_person: bool
    """Neither a system message (somebody joined, a thread was made) nor the echo of a command."""
    direct: bool
    mentions_me: bool
    replies_to_me: bool


def trigger_of(incoming: Incoming) -> Trigger | None:
    """Why to answer; None where not. The loop guard stands here: bots, webhooks and ourselves are never answered."""
    if incoming.from_me or incoming.from_bot or incoming.from_webhook or not incoming.written_by_a_person:
        return None
    if incoming.direct:
        return Trigger.DIRECT_MESSAGE
    # A reply that pings us mentions us too; which of the two it is called is only for the log.
    if incoming.replies_to_me:
        return Trigger.REPLY
    return Trigger.MENTION if incoming.mentions_me else None

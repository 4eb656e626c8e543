"""What the gateway hands to a turn: a question that was admitted, and the doors to its channel."""

from __future__ import annotations

import secrets
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from bot.conversation.history import History
from bot.delivery.sender import Sender


class Channel(Protocol):
    """The channel of one question, as a turn needs it."""

    def history(self) -> History: ...

    def sender(self) -> Sender: ...

    @property
    def may_embed(self) -> bool:
        """Whether Discord shows our embeds there."""
        ...

    def typing(self) -> AbstractAsyncContextManager[object]:
        """Shows "is typing" from entering until leaving."""
        ...


def new_turn_id() -> str:
    """Short enough to be read out, and as good as unique."""
    return secrets.token_hex(6)


class TurnRequest(msgspec.Struct, frozen=True):
    turn_id: str
    question_id: int
    channel_id: int
    guild_id: int | None
    locale: str | None
    """The reader's language as far as Discord tells it (the server's preferred locale)."""
    arrived: float
    """When the question reached us, on the event loop's clock."""
    channel: Channel

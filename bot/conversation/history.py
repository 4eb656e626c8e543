"""Messages of a channel as plain values, and the door through which they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class PastMessage(msgspec.Struct, frozen=True):
    message_id: int
    author_id: int
    author_name: str
    """The display name as its owner wrote it: not to be trusted (see conversation.people)."""
    text: str
    """Mentions already turned into names; of our own answers only what the model wrote."""
    is_me: bool = False
    reply_to: int | None = None


class History(Protocol):
    async def question(self) -> PastMessage: ...

    async def recent(self, most: int) -> Sequence[PastMessage]:
        """Up to `most` messages before the question, oldest first."""
        ...

    async def reply_chain(self, most: int) -> Sequence[PastMessage]:
        """What the question replies to, what that replies to, and so on: up to `most`, oldest first.

        An answer of ours leads on to the question it answered.
        """
        ...

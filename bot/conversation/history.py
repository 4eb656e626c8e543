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
    """Mentions already turned into names; of our own answers what the model wrote, as it wrote it."""
    is_me: bool = False
    answers: int | None = None
    """Of an answer of ours: the question's message id, where it is known."""

    @property
    def place(self) -> tuple[int, bool]:
        """Where it stands in the conversation: ids grow with time, and an answer follows its question.

        When questions had to wait, the answer to the first was written after the second was asked.
        """
        return (self.answers or self.message_id, self.is_me)


class History(Protocol):
    async def question(self) -> PastMessage: ...

    async def recent(self, most: int) -> Sequence[PastMessage]:
        """The last messages of the channel before the question, up to `most`, and with them the answers to them, which may have
        come later than the question. What answers the question itself is not among them."""
        ...

    async def reply_chain(self, most: int) -> Sequence[PastMessage]:
        """What the question replies to, what that replies to, and so on: up to `most`, oldest first.

        An answer of ours leads on to the question it answered.
        """
        ...

"""Messages of a channel as plain values, and the door through which they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec


class Attachment(msgspec.Struct, frozen=True):
    """A file at a message. What it says about itself (name, type) is its owner's word."""

    attachment_id: int
    message_id: int
    """Where it hangs, for a fresh address when this one has expired."""
    channel_id: int
    name: str
    size: int
    """Bytes."""
    url: str
    declared_type: str = ""
    description: str = ""
    """The owner's words for who cannot see it."""
    voice_seconds: float | None = None
    """Of a voice message: how long it is."""
    forwarded: bool = False
    """In a forwarded message: so what it holds are not the words of who posted it."""


class Embed(msgspec.Struct, frozen=True):
    """The text of an embed: what a link previews, or a bot shows."""

    title: str = ""
    description: str = ""
    author: str = ""
    footer: str = ""
    url: str = ""
    fields: tuple[tuple[str, str], ...] = ()


class Poll(msgspec.Struct, frozen=True):
    question: str
    answers: tuple[str, ...]
    votes: tuple[int, ...] = ()
    """In the order of the answers; empty: not told."""
    is_over: bool = False


class Forwarded(msgspec.Struct, frozen=True):
    """What was forwarded with a message. Discord does not say whose it was."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    embeds: tuple[Embed, ...] = ()


class Reaction(msgspec.Struct, frozen=True):
    emoji: str
    count: int


class Quote(msgspec.Struct, frozen=True):
    """What a message replies to, as far as it tells that itself."""

    message_id: int
    author_id: int | None = None
    """None: that message is gone."""
    author_name: str = ""
    text: str = ""
    """Its beginning."""
    is_me: bool = False
    persona: str = ""
    """Of an answer of ours: as whom we spoke."""


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
    is_bot: bool = False
    """Written by another bot, or a webhook that is not ours."""
    quote: Quote | None = None
    """Of a reply."""
    attachments: tuple[Attachment, ...] = ()
    embeds: tuple[Embed, ...] = ()
    forwarded: Forwarded | None = None
    poll: Poll | None = None
    stickers: tuple[str, ...] = ()
    """Their names."""
    reactions: tuple[Reaction, ...] = ()
    persona: str = ""
    """Of an answer of ours: as whom we spoke."""
    media_refused: bool = False
    """A question whose turn failed: its files are not sent again, for they may be why; nor are pictures of before."""

    @property
    def place(self) -> tuple[int, bool]:
        """Where it stands in the conversation: ids grow with time, and an answer follows its question.

        When questions had to wait, the answer to the first was written after the second was asked.
        """
        return (self.answers or self.message_id, self.is_me)


class History(Protocol):
    async def question(self) -> PastMessage: ...

    async def recent(self, most: int, after: int | None = None) -> Sequence[PastMessage]:
        """The last messages of the channel before the question, up to `most`, and with them the answers to them, which may have
        come later than the question. An answer counts as one, however many messages it has in the channel. What answers the
        question itself is not among them.

        In a thread, what it was opened at comes first, besides. `after`: message id; nothing up to it."""
        ...

    async def reply_chain(self, most: int) -> Sequence[PastMessage]:
        """What the question replies to, what that replies to, and so on: up to `most`, oldest first.

        An answer of ours leads on to the question it answered.
        """
        ...


class Files(Protocol):
    async def fetch(self, attachment: Attachment, most: int) -> bytes:
        """Its bytes. An address that has expired is renewed. Raises FileUnreadable, also where there are more than `most`."""
        ...


class FileUnreadable(Exception):
    """The text is for the log."""

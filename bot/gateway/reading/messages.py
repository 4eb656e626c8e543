"""discord.Message → PastMessage: all that is said with a message, as plain values; and which messages, and what of ours, count."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import discord

from bot.conversation.history import Attachment, Embed, Forwarded, PastMessage, Poll, Quote, Reaction
from bot.delivery.layout.live_mark import LIVE_MARK
from bot.gateway.own_messages import is_ours
from bot.gateway.reading.mentions import in_words
from bot.gateway.reading.names import NamesHere, WithMentioned
from bot.store import ShownAnswer

LONGEST_QUOTE = 200
"""Code points of what a message replies to."""
MOST_EMBEDS = 5
"""Of the ten that a message may have. Each field of one is as long as Discord takes it."""
MOST_REACTIONS = 20

Replied: TypeAlias = discord.Message | discord.DeletedReferencedMessage | None
"""None: not known."""

_SAID = frozenset(
    {
        discord.MessageType.default,
        discord.MessageType.reply,
        discord.MessageType.chat_input_command,
        discord.MessageType.context_menu_command,
    }
)
_OUR_LINES = re.compile(r"(?:\n?-# [^\n]*)+\s*\Z")
_THOUGHTS = re.compile(r"(?:-# [^\n]*\n)?\|\|(?:(?!\|\|)[\s\S])+\|\|")
"""A whole message that is one spoiler (bot.delivery.thought_log)."""
_MENTION = re.compile(r"<@[!&]?(?P<id>[0-9]{1,20})>[\s,:;]*")
_KINDS = {"image": "[picture]", "video": "[video]", "audio": "[audio]"}


def is_said(message: discord.Message) -> bool:
    """Whether somebody said this, as opposed to what Discord says of pins, people who join, threads that begin, and the like."""
    return message.type in _SAID


def own_words(message: discord.Message) -> str:
    """Of a message of ours that nobody recorded, as of an answer under which the process died: what it says without that which is
    never the model's. Empty for our notices and thoughts, and for what answers a command."""
    if message.interaction_metadata is not None or not is_said(message):
        return ""
    text = _OUR_LINES.sub("", message.content.removesuffix(LIVE_MARK).rstrip())
    return "" if _THOUGHTS.fullmatch(text) else text


def replies_to(message: discord.Message) -> int | None:
    """The id of the message that this one replies to; None where it is no reply. That is always one of the same channel."""
    reference = message.reference
    if message.type is not discord.MessageType.reply or reference is None or reference.channel_id != message.channel.id:
        return None
    return reference.message_id


def asks_about(message: discord.Message) -> int | None:
    """Of an answer of ours: the id of the message at which its command was chosen."""
    return _target_of(message.interaction_metadata)


def _target_of(told: discord.MessageInteractionMetadata | None) -> int | None:
    """A form that was filled in stands between the two."""
    if told is None:
        return None
    return told.target_message_id or _target_of(told.modal_interaction)


def sent_along(message: discord.Message) -> Replied:
    """What Discord told of the message that this one replies to, together with it."""
    return message.reference.resolved if replies_to(message) is not None and message.reference else None


class Reader:
    """Reads the messages around one question, for one turn."""

    def __init__(self, client: discord.Client, question: discord.Message) -> None:
        self._client = client
        self._names = NamesHere(client, question)
        self.me = self._names.me

    def is_ours(self, message: discord.Message) -> bool:
        return is_ours(message, self._client)

    def of_command(
        self, answer: ShownAnswer, message: discord.Message | None, about: discord.Message | None
    ) -> PastMessage | None:
        """What was asked by a command, as the journal has it; None where it was a message that asked. `message`: of the answer."""
        told = message.interaction_metadata.user if message is not None and message.interaction_metadata else None
        author_id = answer.asker_id or (told.id if told is not None else None)
        if answer.asked is None or author_id is None:
            return None
        return PastMessage(
            message_id=answer.question_id,
            author_id=author_id,
            author_name=self._names.user(author_id) or (told.display_name if told is not None else ""),
            text=self._said(answer.asked),
            quote=self._quote(about.id, about, None) if about is not None else None,
        )

    def of_somebody(
        self, message: discord.Message, replied: Replied, replied_answer: ShownAnswer | None = None
    ) -> PastMessage:
        """`replied`: what it replies to, and where that is of an answer of ours, the answer."""
        forwarded = self._forwarded(message) if message.message_snapshots else None
        return PastMessage(
            message_id=message.id,
            author_id=message.author.id,
            author_name=self._names.author(message),
            text=self._text(message),
            is_bot=message.author.bot or message.webhook_id is not None,
            quote=self._quote(replies_to(message), replied, replied_answer),
            attachments=_attachments(message, message.attachments),
            embeds=self._embeds(message.embeds, message.content),
            forwarded=forwarded,
            poll=_poll(message.poll) if message.poll else None,
            stickers=tuple(sticker.name for sticker in message.stickers),
            reactions=reactions(message),
        )

    def _text(self, message: discord.Message) -> str:
        said = self._said(message.content, message.mentions)
        return "\n".join(filter(None, (said, *self._displays(message.components))))

    def _said(self, content: str, mentions: Iterable[discord.abc.User] = ()) -> str:
        content = content.strip()
        # We are addressed: that is no part of what is said.
        while (first := _MENTION.match(content)) and self._names.us(int(first["id"])):
            content = content[first.end() :]
        return self._in_words(content, mentions)

    def _in_words(self, text: str, mentions: Iterable[discord.abc.User] = ()) -> str:
        return in_words(text, WithMentioned(self._names, mentions))

    def _displays(self, components: Sequence[object]) -> Iterator[str]:
        """The texts of components, of which a message of another bot may consist."""
        for component in components:
            if isinstance(component, discord.TextDisplay):
                yield self._in_words(component.content)
            yield from self._displays(getattr(component, "children", ()))

    def _quote(self, message_id: int | None, known: Replied, answer: ShownAnswer | None) -> Quote | None:
        if message_id is None or known is None:
            return None
        if not isinstance(known, discord.Message):
            return Quote(message_id)
        if not self.is_ours(known):
            text = self._text(known) or self._besides_text(known)
            return Quote(message_id, known.author.id, self._names.author(known), _beginning(text))
        begins = answer.text if answer is not None and answer.parts[0].message_id == message_id else ""
        text = begins or own_words(known) or _own_embed(known)
        persona = answer.persona if answer is not None else ""
        return Quote(message_id, self.me.id, self.me.display_name, _beginning(text), is_me=True, persona=persona)

    def _besides_text(self, message: discord.Message) -> str:
        """In a few words, what there is of a message without text."""
        for attachment in message.attachments:
            kind = (attachment.content_type or "").partition("/")[0]
            return "[voice message]" if attachment.is_voice_message() else _KINDS.get(kind, "[file]")
        if message.message_snapshots:
            return "[forwarded message]"
        if message.poll:
            return f"[poll] {message.poll.question}"
        if message.stickers:
            return f"[sticker] {message.stickers[0].name}"
        return "[embed]" if message.embeds else ""

    def _forwarded(self, message: discord.Message) -> Forwarded:
        snapshot = message.message_snapshots[0]
        stickers = (f"[sticker] {sticker.name}" for sticker in snapshot.stickers)
        texts = (self._in_words(snapshot.content.strip()), *self._displays(snapshot.components), *stickers)
        return Forwarded(
            text="\n".join(filter(None, texts)),
            attachments=_attachments(message, snapshot.attachments, forwarded=True),
            embeds=self._embeds(snapshot.embeds, snapshot.content),
        )

    def _embeds(self, embeds: Sequence[discord.Embed], content: str) -> tuple[Embed, ...]:
        """Those with words in them. A picture's has only its address, which the text has too."""
        read = (
            Embed(
                title=embed.title or "",
                description=self._in_words(embed.description or ""),
                author=embed.author.name or "",
                footer=embed.footer.text or "",
                url="" if not embed.url or embed.url in content else embed.url,
                fields=tuple((field.name or "", self._in_words(field.value or "")) for field in embed.fields),
            )
            for embed in embeds[:MOST_EMBEDS]
        )
        return tuple(embed for embed in read if embed != Embed(url=embed.url))


def reactions(message: discord.Message) -> tuple[Reaction, ...]:
    found = message.reactions[:MOST_REACTIONS]
    return tuple(Reaction(_emoji(reaction.emoji), reaction.count) for reaction in found)


def _emoji(emoji: discord.PartialEmoji | discord.Emoji | str) -> str:
    return emoji if isinstance(emoji, str) else f":{emoji.name}:" if emoji.id else emoji.name or ""


def _attachments(
    message: discord.Message, attachments: Iterable[discord.Attachment], *, forwarded: bool = False
) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(
            attachment_id=attachment.id,
            message_id=message.id,
            channel_id=message.channel.id,
            name=attachment.filename,
            size=attachment.size,
            url=attachment.url,
            declared_type=attachment.content_type or "",
            description=attachment.description or "",
            voice_seconds=attachment.duration if attachment.is_voice_message() else None,
            forwarded=forwarded,
        )
        for attachment in attachments
    )


def _poll(poll: discord.Poll) -> Poll:
    answers = poll.answers
    return Poll(
        question=poll.question,
        answers=tuple(answer.text for answer in answers),
        votes=tuple(answer.vote_count for answer in answers),
        is_over=poll.is_finalised(),
    )


def _own_embed(message: discord.Message) -> str:
    """Where an answer stands in an embed. Our notices have a title."""
    first = message.embeds[0] if message.embeds else None
    return first.description or "" if first is not None and not first.title else ""


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_QUOTE else line[: LONGEST_QUOTE - 1].rstrip() + "…"

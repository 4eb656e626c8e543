"""discord.py's messages → conversation.History: fetched as far as needed, our own answers as the model wrote them.

What the channel shows of an answer (tables drawn, code in files, footers) is not what the model wrote: that comes from the journal,
and the channel only tells that the answer still stands. Where the journal has no text, as of answers of an older version, the
answer is joined from its messages. Of what else we wrote only that counts which the model may have written: no notices, no thoughts.
An answer without what could not be read is better than none, so nothing here raises.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import discord
import msgspec
import structlog

from bot.conversation.history import PastMessage, Reaction
from bot.delivery.refusals import FAILURES
from bot.gateway.files import DiscordFiles
from bot.gateway.message_lookup import MessageLookup
from bot.gateway.reading import Reader, Replied, is_said, own_words, reactions, replies_to, sent_along
from bot.store import AnswerPart, ShownAnswer, TurnJournal

log = structlog.get_logger()


class DiscordHistory:
    """For one turn. `recent` before `reply_chain` makes fewer calls: what was read is not asked for again."""

    def __init__(self, client: Callable[[], discord.Client], message: discord.Message, journal: TurnJournal) -> None:
        """`client` gives the one that is connected now."""
        self._client = client
        self._message = message
        self._thread = message.channel if isinstance(message.channel, discord.Thread) else None
        self._journal = journal
        self._reader = Reader(client(), message)
        self._lookup = MessageLookup(client, message.guild.id if message.guild else None)

    def files(self) -> DiscordFiles:
        return DiscordFiles(self._client)

    async def question(self) -> PastMessage:
        return self._reader.of_somebody(self._message, await self._replied(self._message))

    async def recent(self, most: int, after: int | None = None) -> Sequence[PastMessage]:
        page = await self._page(most, after)
        if page is None:
            return []
        messages = {message.id: message for message in (*await self._opened_at(page, after), *page)}
        # By their questions too: while our question waited, an earlier one may have been answered below it.
        answers = [
            answer
            for answer in (await self._journal.answers_with(messages) if messages else [])
            if answer.question_id != self._message.id  # of which parts of it may be asked before it, in a burst
        ]
        parts = {part.message_id for answer in answers for part in answer.parts}
        past = [
            read
            for message in messages.values()
            if message.id not in parts
            for read in self._alone(message, sent_along(message))
        ]
        looked_at = range(page[-1].id if page else 0, self._message.id)
        past += [whole for answer in answers if (whole := await self._whole(answer, messages, looked_at)) is not None]
        in_order = sorted(past, key=lambda message: message.place)
        return await self._without_refused_files(it for it in in_order if after is None or it.place > (after, True))

    async def reply_chain(self, most: int) -> Sequence[PastMessage]:
        chain: list[PastMessage] = []
        message = _there(await self._replied(self._message))
        while message is not None and len(chain) < most:
            if (answer := await self._answer_with(message)) is not None:
                whole = await self._whole(answer, {message.id: message})
                chain += [whole] if whole is not None else []
                message = await self._find(answer.question_id)
                continue
            replied = await self._replied(message)
            chain += self._alone(message, replied)
            message = _there(replied)
        return await self._without_refused_files(chain[::-1])

    # ------------------------------------------------------------------------------------------------------- the channel

    async def _page(self, most: int, after: int | None) -> Sequence[discord.Message] | None:
        """Newest first; None where nothing can be read."""
        guild_id = self._message.guild.id if self._message.guild else None
        channel = self._client().get_partial_messageable(self._message.channel.id, guild_id=guild_id)
        since = None if after is None else discord.Object(after)
        try:
            page = [m async for m in channel.history(limit=most, before=self._message, after=since, oldest_first=False)]
        except FAILURES as error:
            # Without Read Message History, or with Discord down, the question stands alone.
            log.info("history_unreadable", error=str(error))
            return None
        self._lookup.remember(page)
        return page

    async def _opened_at(self, page: Sequence[discord.Message], after: int | None) -> Sequence[discord.Message]:
        """The message that the thread was opened at, which has the thread's id; and where that is an answer, its question."""
        thread = self._thread
        if thread is None or thread.type is discord.ChannelType.private_thread:
            return []
        if (after or 0) >= thread.id or thread.id in (self._message.id, *(message.id for message in page)):
            return []
        for message in page:
            if message.type is discord.MessageType.thread_starter_message and message.reference is not None:
                self._lookup.remember(
                    found for found in [message.reference.resolved] if isinstance(found, discord.Message)
                )
        starter = await self._find(thread.id)
        answer = await self._answer_with(starter) if starter is not None else None
        question = await self._find(answer.question_id) if answer is not None else None
        return [message for message in (question, starter) if message is not None]

    @property
    def _in_forum(self) -> bool:
        return self._thread is not None and isinstance(self._thread.parent, discord.ForumChannel)

    async def _find(self, message_id: int, channel_id: int | None = None) -> discord.Message | None:
        """Where `channel_id` does not say, in this channel; what a thread was opened at, and what came before, above it."""
        if channel_id is None:
            channel_id = self._message.channel.id
            if self._thread is not None and message_id <= self._thread.id and not self._in_forum:
                channel_id = self._thread.parent_id
        return await self._lookup.find(channel_id, message_id)

    async def _replied(self, message: discord.Message) -> Replied:
        """What this one replies to. Discord sends that along with a message, but not what it replies to itself; and the message
        that the client remembers does not tell of it what came since, such as that it was deleted."""
        message_id, along = replies_to(message), sent_along(message)
        if message_id is None or isinstance(along, discord.DeletedReferencedMessage):
            return along
        if (known := self._lookup.known(message_id)) is not None:
            return known
        if along is not None and (message is self._message or self._lookup.has_read(message)):
            return along
        found = await self._find(message_id)
        if found is None and message.reference is not None and self._lookup.misses(message_id):
            return discord.DeletedReferencedMessage(message.reference)
        return found

    # -------------------------------------------------------------------------------------------------------------- ours

    async def _answer_with(self, message: discord.Message) -> ShownAnswer | None:
        """The answer of ours of which this is a part."""
        if not self._reader.is_ours(message) and message.webhook_id is None:
            return None
        answers = await self._journal.answers_with([message.id])
        return next((answer for answer in answers if any(part.message_id == message.id for part in answer.parts)), None)

    async def _whole(
        self, answer: ShownAnswer, known: Mapping[int, discord.Message], looked_at: range = range(0)
    ) -> PastMessage | None:
        """None where its messages were deleted, or never had a word of the model.

        `looked_at`: message ids; what stands of those is among the known ones, and Discord is not asked for the others.
        """
        parts = [part for part in answer.parts if part.message_id in known or part.message_id not in looked_at]
        channel_id = next((known[part.message_id].channel.id for part in parts if part.message_id in known), None)
        if not answer.text.strip():
            text = await self._joined(parts, channel_id)
        elif channel_id is not None or (parts and await self._find(parts[0].message_id)):
            text = answer.text.strip("\n")
        else:
            text = ""
        if not text:
            return None
        seen = [message for part in parts if (message := self._lookup.known(part.message_id)) is not None]
        return self._mine(answer.parts[0].message_id, text, seen, answer)

    async def _joined(self, parts: Sequence[AnswerPart], channel_id: int | None) -> str:
        texts: list[str] = []
        for part in parts:
            if part.text_length and (message := await self._find(part.message_id, channel_id)):
                texts.append(message.content[: part.text_length])
        return "\n".join(text for text in texts if text.strip())

    def _mine(
        self, message_id: int, text: str, seen: Iterable[discord.Message], answer: ShownAnswer | None = None
    ) -> PastMessage:
        counts: Counter[str] = Counter()
        for message in seen:
            counts.update({reaction.emoji: reaction.count for reaction in reactions(message)})
        return PastMessage(
            message_id=message_id,
            author_id=self._reader.me.id,
            author_name=self._reader.me.display_name,
            text=text,
            is_me=True,
            answers=answer.question_id if answer else None,
            persona=answer.persona if answer else "",
            reactions=tuple(Reaction(emoji, count) for emoji, count in counts.items()),
        )

    # --------------------------------------------------------------------------------------------------------- each alone

    def _alone(self, message: discord.Message, replied: Replied) -> Sequence[PastMessage]:
        """A message that is no part of an answer; nothing where it says nothing of its author."""
        if self._reader.is_ours(message):
            text = own_words(message)
            return [self._mine(message.id, text, [message])] if text.strip() else []
        return [self._reader.of_somebody(message, replied)] if is_said(message) else []

    async def _without_refused_files(self, messages: Iterable[PastMessage]) -> Sequence[PastMessage]:
        """Files of questions that failed are marked as such."""
        past = list(messages)
        with_files = [it.message_id for it in past if it.attachments or (it.forwarded and it.forwarded.attachments)]
        failed = await self._journal.failed_questions(with_files) if with_files else frozenset()
        return [msgspec.structs.replace(it, media_refused=True) if it.message_id in failed else it for it in past]


def _there(replied: Replied) -> discord.Message | None:
    return replied if isinstance(replied, discord.Message) else None

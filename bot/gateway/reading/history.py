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
from bot.delivery.plan import is_blank
from bot.delivery.refusals import FAILURES
from bot.gateway.reading.lookup import MessageLookup
from bot.gateway.reading.messages import (
    Reader,
    Replied,
    asks_about,
    is_said,
    own_words,
    reactions,
    replies_to,
    sent_along,
)
from bot.store import AnswerPart, ShownAnswer, TurnJournal
from bot.turn.ending import decoded

log = structlog.get_logger()

PAGE = 100
"""Messages in a page; Discord's own limit."""
MOST_PAGES = 5
"""For one turn: answers that stand in many messages each, and chatter that says nothing, are read behind only so far."""


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
        self._answers: dict[int, ShownAnswer] = {}
        """By the ids of their messages: those that were looked up."""

    async def question(self) -> PastMessage:
        replied = await self._replied(self._message)
        await self._look_up([_there(replied)])
        return self._of_somebody(self._message, replied)

    async def recent(self, most: int, after: int | None = None) -> Sequence[PastMessage]:
        page, answers = await self._read(most, after)
        messages = {message.id: message for message in (*await self._opened_at(page, after), *page)}
        if len(messages) > len(page):
            answers = await self._answers_with(messages)
        await self._look_up(self._lookup.known(id_) for id_ in map(replies_to, messages.values()) if id_ is not None)
        past = [
            read
            for message in messages.values()
            if message.id not in self._answers
            for read in self._alone(message, sent_along(message))
        ]
        looked_at = range(page[-1].id if page else 0, self._message.id)
        for answer in answers:
            if (whole := await self._whole(answer, messages, looked_at)) is not None:
                past += [*self._asked(answer), whole]
        in_order = sorted(past, key=lambda message: message.place)
        in_order = [it for it in in_order if after is None or it.place > (after, True)]
        opened_at = self._thread.id if self._thread is not None else 0
        begins = max(len(in_order) - most, 0)
        first = [it for it in in_order[:begins] if it.place[0] <= opened_at]
        return await self._without_refused_files([*first, *in_order[begins:]])

    async def reply_chain(self, most: int) -> Sequence[PastMessage]:
        chain: list[PastMessage] = []
        message = _there(await self._replied(self._message))
        while message is not None and len(chain) < most:
            if (answer := await self._answer_with(message)) is not None:
                whole = await self._whole(answer, {message.id: message})
                chain += [whole] if whole is not None else []
                if answer.asked is None:
                    message = await self._find(answer.question_id)
                    continue
                asked_about = asks_about(message)
                chain += self._asked(answer)
                message = await self._find(asked_about) if asked_about is not None else None
                continue
            replied = await self._replied(message)
            await self._look_up([_there(replied)])
            chain += self._alone(message, replied)
            message = _there(replied)
        return await self._without_refused_files(chain[:most][::-1])

    # ------------------------------------------------------------------------------------------------------- the channel

    async def _read(self, most: int, after: int | None) -> tuple[Sequence[discord.Message], Sequence[ShownAnswer]]:
        """As many pages as give `most` messages of the conversation, newest first, and the answers to them or among them."""
        read: list[discord.Message] = []
        answers: Sequence[ShownAnswer] = []
        for _ in range(MOST_PAGES):
            page = await self._page(read[-1] if read else self._message, after)
            read += page
            answers = await self._answers_with(message.id for message in read)
            alone = sum(message.id not in self._answers and self._says(message) for message in read)
            if len(page) < PAGE or alone + len(answers) >= most:
                break
        return read, answers

    async def _page(self, before: discord.Message, after: int | None) -> Sequence[discord.Message]:
        """Newest first."""
        guild_id = self._message.guild.id if self._message.guild else None
        channel = self._client().get_partial_messageable(self._message.channel.id, guild_id=guild_id)
        since = None if after is None else discord.Object(after)
        try:
            page = [m async for m in channel.history(limit=PAGE, before=before, after=since, oldest_first=False)]
        except FAILURES as error:
            # Without Read Message History, or with Discord down, the question stands alone.
            log.info("history_unreadable", error=str(error))
            return []
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
        asked_here = answer is not None and answer.asked is None
        question = await self._find(answer.question_id) if answer is not None and asked_here else None
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
        if found is None and message.reference is not None and self._lookup.is_gone(message_id):
            return discord.DeletedReferencedMessage(message.reference)
        return found or along

    # -------------------------------------------------------------------------------------------------------------- ours

    async def _answers_with(self, message_ids: Iterable[int]) -> Sequence[ShownAnswer]:
        """By their questions too: while our question waited, an earlier one may have been answered below it."""
        ids = list(message_ids)
        found = await self._journal.answers_with(ids) if ids else []
        self._answers.update((part.message_id, answer) for answer in found for part in answer.parts)
        # Of the question itself, parts may be asked before it, in a burst.
        return [answer for answer in found if answer.question_id != self._message.id]

    async def _look_up(self, messages: Iterable[discord.Message | None]) -> None:
        """Of which answers these are parts, where they are ours."""
        ids = {it.id for it in messages if it is not None and (self._reader.is_ours(it) or it.webhook_id is not None)}
        await self._answers_with(ids - self._answers.keys())

    async def _answer_with(self, message: discord.Message) -> ShownAnswer | None:
        """The answer of ours of which this is a part."""
        await self._look_up([message])
        return self._answers.get(message.id)

    async def _whole(
        self, answer: ShownAnswer, known: Mapping[int, discord.Message], looked_at: range = range(0)
    ) -> PastMessage | None:
        """None where its messages were deleted, or never had a word of the model to see.

        `looked_at`: message ids; what stands of those is among the known ones, and Discord is not asked for the others.
        """
        parts = [part for part in answer.parts if part.message_id in known or part.message_id not in looked_at]
        channel_id = next((known[part.message_id].channel.id for part in parts if part.message_id in known), None)
        if channel_id is None and answer.channel_id != self._message.channel.id:
            # In the thread that was opened for its question. The journal hears of messages that are deleted there.
            question = known.get(answer.question_id)
            text = answer.text.strip("\n") if question is not None and question.thread is not None else ""
        elif not answer.text.strip():
            text = await self._joined(parts, channel_id)
        elif channel_id is not None or (parts and await self._find(parts[0].message_id)):
            text = answer.text.strip("\n")
        else:
            text = ""
        if is_blank(text):
            return None
        seen = [message for part in parts if (message := self._lookup.known(part.message_id)) is not None]
        return self._mine(answer.parts[0].message_id, text, seen, answer)

    def _asked(self, answer: ShownAnswer) -> Sequence[PastMessage]:
        """The question of a command: no message holds it, and Discord is not asked for it."""
        shown = (self._lookup.known(part.message_id) for part in answer.parts)
        message = next((it for it in shown if it is not None and it.interaction_metadata is not None), None)
        about = asks_about(message) if message is not None else None
        asked = self._reader.of_command(answer, message, self._lookup.known(about) if about is not None else None)
        return [asked] if asked is not None else []

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
        return [self._of_somebody(message, replied)] if is_said(message) else []

    def _says(self, message: discord.Message) -> bool:
        return bool(own_words(message).strip()) if self._reader.is_ours(message) else is_said(message)

    def _of_somebody(self, message: discord.Message, replied: Replied) -> PastMessage:
        return self._reader.of_somebody(message, replied, self._answers.get(replies_to(message) or 0))

    async def _without_refused_files(self, messages: Iterable[PastMessage]) -> Sequence[PastMessage]:
        """Questions that failed are marked, for their files may be why, or those that were before them."""
        past = list(messages)
        failed = await self._journal.failed_questions([it.message_id for it in past if not it.is_me]) if past else {}
        refused = {message_id for message_id, facts in failed.items() if decoded(facts).may_be_refused}
        return [msgspec.structs.replace(it, media_refused=True) if it.message_id in refused else it for it in past]


def _there(replied: Replied) -> discord.Message | None:
    return replied if isinstance(replied, discord.Message) else None

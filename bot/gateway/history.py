"""discord.py's messages → conversation.History: fetched as far as needed, our own answers as the model wrote them.

What the channel shows of an answer (tables drawn, code in files, footers) is not what the model wrote: that comes from the journal,
and the channel only tells that the answer still stands. Where the journal has no text, as of answers of an older version, the
answer is joined from its messages. An answer without what could not be read is better than none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import discord
import structlog

from bot.conversation.history import PastMessage
from bot.delivery.layout.live_mark import LIVE_MARK
from bot.delivery.refusals import FAILURES
from bot.store import AnswerPart, ShownAnswer, TurnJournal

log = structlog.get_logger()

_OUR_LINES = re.compile(r"(?:\n?-# [^\n]*)+\s*\Z")
_THOUGHTS = re.compile(r"(?:-# [^\n]*\n)?\|\|(?:(?!\|\|)[\s\S])+\|\|")
"""A whole message that is one spoiler (bot.delivery.thought_log)."""


class DiscordHistory:
    def __init__(self, client: Callable[[], discord.Client], message: discord.Message, journal: TurnJournal) -> None:
        """`client` gives the one that is connected now."""
        user = client().user
        assert user is not None
        self._client = client
        self._me = message.guild.me if message.guild else user
        self._message = message
        self._journal = journal

    async def question(self) -> PastMessage:
        return self._by_somebody(self._message)

    async def recent(self, most: int) -> Sequence[PastMessage]:
        try:
            messages = [m async for m in self._channel().history(limit=most, before=self._message)]
        except FAILURES as error:
            # Without Read Message History, or with Discord down, the question stands alone.
            log.info("history_unreadable", error=str(error))
            return []
        mine = {message.id: message for message in messages if message.author.id == self._me.id}
        # By their questions too: while our question waited, an earlier one may have been answered below it.
        answers = await self._journal.answers_with([message.id for message in messages]) if messages else []
        parts = {part.message_id for answer in answers for part in answer.parts}
        past = [
            self._by_me(message) if message.id in mine else self._by_somebody(message)
            for message in messages
            if message.id not in parts
        ]
        looked_at = range(messages[-1].id if messages else 0, self._message.id)
        past += [whole for answer in answers if (whole := await self._whole(answer, mine, looked_at)) is not None]
        return sorted(past, key=lambda message: message.place)

    async def reply_chain(self, most: int) -> Sequence[PastMessage]:
        chain: list[PastMessage] = []
        message = await self._replied_to(self._message)
        while message is not None and len(chain) < most:
            if message.author.id != self._me.id:
                chain.append(self._by_somebody(message))
                message = await self._replied_to(message)
                continue
            if not (answers := await self._journal.answers_with([message.id])):
                chain.append(self._by_me(message))
                message = await self._replied_to(message)
                continue
            if (whole := await self._whole(answers[0], {message.id: message})) is not None:
                chain.append(whole)
            message = await self._find(answers[0].question_id)
        return chain[::-1]

    async def _whole(
        self, answer: ShownAnswer, known: Mapping[int, discord.Message], looked_at: range = range(0)
    ) -> PastMessage | None:
        """None where its messages were deleted, or never had a word of the model.

        `looked_at`: message ids; what stands of those is among the known ones, and Discord is not asked for the others.
        """
        parts = [part for part in answer.parts if part.message_id in known or part.message_id not in looked_at]
        if not answer.text.strip():
            text = await self._joined(parts, known)
        elif any(part.message_id in known for part in parts) or (parts and await self._find(parts[0].message_id)):
            text = answer.text.strip("\n")
        else:
            text = ""
        return self._mine(answer.parts[0].message_id, text, answer.question_id) if text else None

    async def _joined(self, parts: Sequence[AnswerPart], known: Mapping[int, discord.Message]) -> str:
        texts: list[str] = []
        for part in parts:
            if part.text_length and (message := known.get(part.message_id) or await self._find(part.message_id)):
                texts.append(message.content[: part.text_length])
        return "\n".join(text for text in texts if text.strip())

    def _by_somebody(self, message: discord.Message) -> PastMessage:
        return PastMessage(
            message_id=message.id,
            author_id=message.author.id,
            author_name=message.author.display_name,
            text=message.clean_content.removeprefix(f"@{self._me.display_name}").strip(),
        )

    def _by_me(self, message: discord.Message) -> PastMessage:
        """A message of ours that the journal does not know, as of an answer under which the process died: what it says without
        that which is never the model's."""
        text = _OUR_LINES.sub("", message.content.removesuffix(LIVE_MARK).rstrip())
        return self._mine(message.id, "" if _THOUGHTS.fullmatch(text) else text)

    def _mine(self, message_id: int, text: str, answers: int | None = None) -> PastMessage:
        return PastMessage(
            message_id=message_id,
            author_id=self._me.id,
            author_name=self._me.display_name,
            text=text,
            is_me=True,
            answers=answers,
        )

    def _channel(self) -> discord.PartialMessageable:
        guild_id = self._message.guild.id if self._message.guild else None
        return self._client().get_partial_messageable(self._message.channel.id, guild_id=guild_id)

    async def _replied_to(self, message: discord.Message) -> discord.Message | None:
        reference = message.reference
        if reference is None or reference.message_id is None or reference.channel_id != message.channel.id:
            return None
        if isinstance(reference.resolved, discord.Message):
            return reference.resolved
        return await self._find(reference.message_id)

    async def _find(self, message_id: int) -> discord.Message | None:
        cached = next((m for m in reversed(self._client().cached_messages) if m.id == message_id), None)
        if cached is not None:
            return cached
        try:
            return await self._channel().fetch_message(message_id)
        except FAILURES as error:
            log.info("message_unreadable", message=message_id, error=str(error))
            return None

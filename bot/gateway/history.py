"""discord.py's messages → conversation.History: fetched as far as needed, our own answers joined from their parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import aiohttp
import discord
import structlog

from bot.conversation.history import PastMessage
from bot.store import AnswerPart, TurnJournal

log = structlog.get_logger()

UNREADABLE = (discord.HTTPException, aiohttp.ClientError, TimeoutError, OSError, RuntimeError)
"""What reading in Discord may fail with (RuntimeError: aiohttp's "Session is closed", when the client is replaced); an
answer without what could not be read is better than none."""

_OUR_LINES = re.compile(r"(?:\n?-# [^\n]*)+\s*\Z")


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
            messages = [m async for m in self._channel().history(limit=most)]
        except UNREADABLE as error:
            # Without Read Message History, or with Discord down, the question stands alone.
            log.info("history_unreadable", error=str(error))
            return []
        return await self._with_answers_joined(reversed(messages))

    async def reply_chain(self, most: int) -> Sequence[PastMessage]:
        chain: list[PastMessage] = []
        message = await self._replied_to(self._message)
        while message is not None and len(chain) < most:
            if message.author.id != self._me.id:
                chain.append(self._by_somebody(message))
                message = await self._replied_to(message)
                continue
            answers = await self._journal.answers_with([message.id])
            parts = answers[0] if answers else []
            chain.append(self._by_me(await self._all_of(parts, {message.id: message}) or [message], parts))
            message = await self._find(parts[0].question_id) if parts else await self._replied_to(message)
        return chain[::-1]

    async def _with_answers_joined(self, messages: Iterable[discord.Message]) -> Sequence[PastMessage]:
        in_order = list(messages)
        mine = {message.id: message for message in in_order if message.author.id == self._me.id}
        whole: dict[int, PastMessage] = {}
        for parts in await self._journal.answers_with(mine) if mine else []:
            answer = self._by_me(await self._all_of(parts, mine), parts)
            whole |= dict.fromkeys((part.message_id for part in parts), answer)
        joined = [
            self._by_somebody(message)
            if message.id not in mine
            else whole.get(message.id) or self._by_me([message], [])
            for message in in_order
        ]
        # Each part of an answer gave the whole one: keep the first.
        return list({past.place: past for past in joined}.values())

    async def _all_of(
        self, parts: Sequence[AnswerPart], known: Mapping[int, discord.Message]
    ) -> Sequence[discord.Message]:
        found = [known.get(part.message_id) or await self._find(part.message_id) for part in parts]
        return [message for message in found if message is not None]

    def _by_somebody(self, message: discord.Message) -> PastMessage:
        return PastMessage(
            message_id=message.id,
            author_id=message.author.id,
            author_name=message.author.display_name,
            text=message.clean_content.removeprefix(f"@{self._me.display_name}").strip(),
        )

    def _by_me(self, messages: Sequence[discord.Message], parts: Sequence[AnswerPart]) -> PastMessage:
        lengths = {part.message_id: part.text_length for part in parts}
        texts = [
            message.content[: lengths[message.id]] if message.id in lengths else _OUR_LINES.sub("", message.content)
            for message in messages
        ]
        first = messages[0]
        return PastMessage(
            message_id=first.id,
            author_id=self._me.id,
            author_name=self._me.display_name,
            text="\n".join(text for text in texts if text.strip()),
            is_me=True,
            answers=parts[0].question_id if parts else None,
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
        except UNREADABLE as error:
            log.info("message_unreadable", message=message_id, error=str(error))
            return None

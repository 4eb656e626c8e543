"""The channel of one question, as a turn sees it (bot.turn.request.Channel)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import aiohttp
import discord

from bot.delivery.sender import DiscordSender
from bot.gateway.history import DiscordHistory
from bot.store import TurnJournal


class QuestionChannel:
    def __init__(self, client: discord.Client, message: discord.Message, journal: TurnJournal) -> None:
        self._client = client
        self._message = message
        self._journal = journal

    def history(self) -> DiscordHistory:
        return DiscordHistory(self._client, self._message, self._journal)

    def sender(self) -> DiscordSender:
        guild, channel = self._message.guild, self._message.channel
        if guild is None:
            return DiscordSender(channel, self._message)
        permissions = channel.permissions_for(guild.me)
        return DiscordSender(
            channel,
            # Discord refuses a reply where we may not read what is replied to (160002).
            self._message if permissions.read_message_history else None,
            may_embed=permissions.embed_links,
        )

    @asynccontextmanager
    async def typing(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            # The indicator is a courtesy: an answer does not fail with it.
            with suppress(discord.HTTPException, aiohttp.ClientError):
                await stack.enter_async_context(self._message.channel.typing())
            yield

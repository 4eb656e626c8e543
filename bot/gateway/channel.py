"""The channel of one question, as a turn sees it (bot.turn.request.Channel)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import aiohttp
import discord

from bot.delivery.sender import DiscordSender, Place
from bot.gateway.history import DiscordHistory
from bot.store import TurnJournal


class QuestionChannel:
    def __init__(
        self,
        client: discord.Client,
        current: Callable[[], discord.Client],
        message: discord.Message,
        journal: TurnJournal,
    ) -> None:
        """`client` is the one that heard the question, `current` gives the one that is connected now."""
        self._client = client
        self._current = current
        self._message = message
        self._journal = journal

    def history(self) -> DiscordHistory:
        return DiscordHistory(self._client, self._message, self._journal)

    def sender(self) -> DiscordSender:
        guild, channel = self._message.guild, self._message.channel
        place = Place(channel.id, guild.id if guild else None, self._message.id)
        if guild is None:
            return DiscordSender(self._current, place)
        permissions = channel.permissions_for(guild.me)
        return DiscordSender(
            self._current,
            place,
            may_reply=permissions.read_message_history,
            may_embed=permissions.embed_links,
        )

    @asynccontextmanager
    async def typing(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            # The indicator is a courtesy: an answer does not fail with it.
            with suppress(discord.HTTPException, aiohttp.ClientError):
                await stack.enter_async_context(self._message.channel.typing())
            yield

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
        current: Callable[[], discord.Client],
        message: discord.Message,
        journal: TurnJournal,
    ) -> None:
        """`current` gives the client that is connected now: another than heard the question, when that one broke."""
        self._current = current
        self._message = message
        self._journal = journal

    def history(self) -> DiscordHistory:
        return DiscordHistory(self._current, self._message, self._journal)

    def sender(self) -> DiscordSender:
        return DiscordSender(
            self._current,
            Place(self._message.channel.id, self._guild_id, self._message.id),
            may_reply=self._permissions.read_message_history,
        )

    @property
    def may_embed(self) -> bool:
        return self._permissions.embed_links

    @property
    def _guild_id(self) -> int | None:
        return self._message.guild.id if self._message.guild else None

    @property
    def _permissions(self) -> discord.Permissions:
        guild = self._message.guild
        return self._message.channel.permissions_for(guild.me) if guild else discord.Permissions.all()

    @asynccontextmanager
    async def typing(self) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            # The indicator is a courtesy: an answer does not fail with it.
            with suppress(discord.HTTPException, aiohttp.ClientError):
                await stack.enter_async_context(self._message.channel.typing())
            yield

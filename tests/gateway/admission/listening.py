"""A real discord.py client at the stand-in that only listens: what it makes of each message and interaction."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from typing import Any

import discord

from bot.gateway.admission.visits import Entrance, Visit, visit_of_interaction, visit_of_message
from bot.gateway.triggers.incoming import incoming_of
from bot.gateway.triggers.rules import Incoming
from bot.playground.standin import Interaction, Standin


class Listener(discord.AutoShardedClient):  # as a plain one does not ask where the gateway is
    def __init__(self, standin: Standin) -> None:
        super().__init__(
            intents=discord.Intents(guilds=True, messages=True, message_content=True),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            guild_ready_timeout=0.1,
        )
        self.standin = standin
        self.own_webhooks: Collection[int] = ()
        self._heard: defaultdict[str, asyncio.Future[tuple[Incoming, Visit]]] = defaultdict(asyncio.Future)
        self._visits: defaultdict[str, asyncio.Future[Visit]] = defaultdict(asyncio.Future)

    async def on_message(self, message: discord.Message) -> None:
        visit = visit_of_message(message, asks=True, is_addressed=True)
        self._heard[str(message.id)].set_result((incoming_of(message, self, self.own_webhooks), visit))

    async def on_interaction(self, interaction: discord.Interaction) -> None:
        self._visits[str(interaction.id)].set_result(visit_of_interaction(interaction, Entrance.COMMAND, asks=False))

    async def heard(self, message: Mapping[str, Any]) -> tuple[Incoming, Visit]:
        """What it makes of this message."""
        return await self._heard[str(message["id"])]

    async def incoming(self, message: Mapping[str, Any]) -> Incoming:
        return (await self.heard(message))[0]

    async def visit(self, happened: Mapping[str, Any] | Interaction) -> Visit:
        if isinstance(happened, Interaction):
            return await self._visits[happened.id]
        return (await self.heard(happened))[1]


@asynccontextmanager
async def listening() -> AsyncIterator[Listener]:
    base, gateway = discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY
    async with asyncio.timeout(20), Standin() as standin:
        discord.http.Route.BASE = standin.api_url
        try:
            async with Listener(standin) as client:
                await client.login(standin.token)
                connection = asyncio.create_task(client.connect())
                try:
                    await client.wait_until_ready()
                    yield client
                finally:
                    await client.close()
                    await asyncio.wait([connection])
        finally:
            discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = base, gateway

"""Keeps a Discord client connected: anew after what passes or surprises, never after what Discord finally refused."""

from __future__ import annotations

import asyncio

import aiohttp
import discord
import structlog
import yarl
from discord.backoff import ExponentialBackoff

from bot.commands.tree import CommandTree
from bot.gateway.client import ParleyClient, Shards
from bot.gateway.desk import Connection, Desk
from bot.settings import Settings

log = structlog.get_logger()

_DISALLOWED_INTENTS = 4014
_FATAL_CLOSES = {
    4004: "the token was refused",
    4010: "SHARD_IDS or SHARD_COUNT is wrong",
    4011: "more shards are required",
    4012: "this version of the gateway is no longer spoken",
    4013: "wrong intents",
    _DISALLOWED_INTENTS: "intents that are switched off",
}
"""Close codes after which Discord wants no new try (https://docs.discord.com/developers/topics/opcodes-and-status-codes)."""


class Refused(Exception):
    """Discord will not let this bot in as it is set up. The text is one line for the operator."""


class Serving:
    def __init__(self, settings: Settings, desk: Desk, connection: Connection) -> None:
        """`connection` is given each client in turn."""
        self._settings = settings
        self._desk = desk
        self._connection = connection
        self._message_content = True
        self.ready = asyncio.Event()
        """Set while the client is connected and has seen its servers."""

    async def serve(self) -> None:
        """Until cancelled. Raises Refused."""
        backoff = ExponentialBackoff()
        while True:
            try:
                await self._serve_once()
            except discord.LoginFailure:
                raise Refused("DISCORD_TOKEN was refused by Discord: it is wrong, or was reset") from None
            except (discord.PrivilegedIntentsRequired, discord.ConnectionClosed) as error:
                self._judge(error)
            except Exception as error:
                if _is_lost(error):
                    log.warning("discord_unreachable", error=repr(error), api=self._settings.discord_api_url)
                else:
                    log.exception("discord_client_broke")
            self.ready.clear()
            await asyncio.sleep(backoff.delay())

    async def _serve_once(self) -> None:
        settings = self._settings
        discord.http.Route.BASE = settings.discord_api_url
        client = self._connection.client = ParleyClient(
            self._desk,
            ready=self.ready,
            message_content=self._message_content,
            shards=Shards(settings.shard_ids, settings.shard_count),
        )
        async with client:
            commands = CommandTree(client, self._desk.translator, self._desk.notes)
            await client.login(settings.discord_token.get_secret_value())
            await commands.sync_if_changed()
            if settings.shard_count is not None:
                # With a count given, discord.py takes its built-in address instead of asking /gateway/bot.
                _, url, _ = await client.http.get_bot_gateway()
                discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(url)
            await client.connect()

    def _judge(self, error: discord.PrivilegedIntentsRequired | discord.ConnectionClosed) -> None:
        code = error.code if isinstance(error, discord.ConnectionClosed) else _DISALLOWED_INTENTS
        if code == _DISALLOWED_INTENTS and self._message_content:
            self._message_content = False
            log.warning(
                "message_content_intent_missing",
                consequence="only mentions and direct messages can be read; replies without a mention cannot",
                cure="Discord's developer portal: your application → Bot → Message Content Intent",
            )
        elif code in _FATAL_CLOSES:
            raise Refused(f"Discord closed the connection for good: {_FATAL_CLOSES[code]} ({code})")
        else:
            log.warning("discord_closed", code=code)


def _is_lost(error: BaseException) -> bool:
    """Discord, or the way to it, is down: waiting helps."""
    return isinstance(error, aiohttp.ClientError | OSError | discord.GatewayNotFound | discord.DiscordServerError)

"""The discord.py client: what Discord tells of goes to those whom it concerns."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Sequence
from typing import Any

import discord
import discord.app_commands
import msgspec
import structlog

from bot.delivery.sender import LONGEST_WAIT
from bot.gateway.controls import ControlButton
from bot.gateway.desk import Desk
from bot.gateway.interactions import log_failure
from bot.gateway.rate_headers import rate_header_trace

log = structlog.get_logger()

READY_AFTER = 0.5
"""Seconds without a further server until it says that it is ready. Messages are answered before that too."""

# Parley does not speak in voice channels, so it need not be warned that it cannot.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


class Shards(msgspec.Struct, frozen=True):
    """Which shards this process runs; by default all, as many as Discord recommends."""

    ids: Sequence[int] = ()
    count: int | None = None


class ParleyClient(discord.AutoShardedClient):
    tree: discord.app_commands.CommandTree[Any]
    """Its commands (bot.commands.tree)."""

    def __init__(self, desk: Desk, *, ready: asyncio.Event, message_content: bool, shards: Shards) -> None:
        """`ready` is set once the client knows its servers."""
        options: dict[str, Any] = {"shard_ids": list(shards.ids) or None, "shard_count": shards.count}
        super().__init__(
            intents=discord.Intents(guilds=True, messages=True, message_content=message_content),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            guild_ready_timeout=READY_AFTER,
            http_trace=rate_header_trace(desk.parts.pacing),
            max_ratelimit_timeout=LONGEST_WAIT,
            **options,
        )
        _open_gate_when_cancelled(self.http)
        self.desk = desk
        """All that commands and buttons ask for."""
        self.since = time.monotonic()
        self._seen_servers = ready
        # Shorthands for what most of them ask for.
        self.translator = desk.translator
        self.preferences = desk.preferences
        self.gate = desk.gate
        self.stopping = desk.stopping
        self.controls = desk.controls
        self.asking = desk.asking
        self.greeting = desk.greeting
        self.conversations = desk.conversations
        self.personas = desk.personas
        self.memories = desk.memories
        self.forgetting = desk.forgetting
        self.recipients = desk.recipients
        self.add_dynamic_items(ControlButton)

    async def on_ready(self) -> None:
        try:
            await self.desk.left_while_away(self._is_left)
        finally:
            self._seen_servers.set()
            log.info("ready", user=str(self.user), guilds=len(self.guilds), shards=self.shard_count)

    def _is_left(self, guild_id: int) -> bool:
        """A server of our shards that Discord did not name when we connected; it names those with an outage too."""
        of_shard = (guild_id >> 22) % (self.shard_count or 1)
        return of_shard in self.shards and self.get_guild(guild_id) is None

    async def on_message(self, message: discord.Message) -> None:
        # Nothing is awaited here: messages are handled in the order in which they came.
        self.desk.inbox.put(message)

    async def on_raw_message_edit(self, event: discord.RawMessageUpdateEvent) -> None:
        await self.desk.edits.edited(event)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        await self.desk.message_deleted(event.channel_id, event.message_id)

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        for message_id in event.message_ids:
            await self.desk.message_deleted(event.channel_id, message_id)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.desk.channel_deleted(channel.id)

    async def on_raw_thread_delete(self, event: discord.RawThreadDeleteEvent) -> None:
        await self.desk.channel_deleted(event.thread_id)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        await self.desk.left_server(guild.id)

    async def on_error(self, event_method: str, /, *_args: Any, **_kwargs: Any) -> None:
        if isinstance(error := sys.exception(), Exception):
            log_failure(error, "event_handler_failed", handler=event_method)


def _open_gate_when_cancelled(http: discord.http.HTTPClient) -> None:
    """A call of discord.py that sleeps through a global rate limit holds up all others, and when it is cancelled in that
    sleep it never lets them go again (HTTPClient.request, 2.7). Turns that are stopped cancel their calls.
    """
    request = http.request

    async def guarded(*arguments: Any, **options: Any) -> Any:
        try:
            return await request(*arguments, **options)
        except asyncio.CancelledError:
            http._global_over.set()
            raise

    http.request = guarded  # type: ignore[method-assign]  # the one way to it without a copy of the class

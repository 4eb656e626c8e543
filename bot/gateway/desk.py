"""The front desk: all that messages, commands and buttons ask for. It outlives a client that broke."""

from __future__ import annotations

from collections.abc import Callable

import discord
import msgspec
import structlog

from bot.gateway.admission.gate import Gate
from bot.gateway.asking import Asking
from bot.gateway.controls import Controls
from bot.gateway.edits import Edits
from bot.gateway.greeting import Greeting
from bot.gateway.inbox.inbox import Inbox
from bot.gateway.stopping import Stopping
from bot.localization import Translator
from bot.store import Conversations, Forgetting, Memories, Notes, Personas, Preferences, Scope
from bot.store.usage import Ledger
from bot.turn.keyring import Keyring
from bot.turn.listings import Listings
from bot.turn.parts import TurnParts
from bot.turn.queue import TurnQueue
from bot.turn.recipients import Disclosure
from bot.turn.runner import TurnRunner

log = structlog.get_logger()


class Connection:
    """The client that is connected, or being connected, now."""

    def __init__(self) -> None:
        self.client: discord.Client | None = None

    def __call__(self) -> discord.Client:
        assert self.client is not None, "nothing comes in before there is a client"
        return self.client


class Desk(msgspec.Struct, frozen=True):
    parts: TurnParts
    queue: TurnQueue
    runner: TurnRunner
    gate: Gate
    inbox: Inbox[discord.Message]
    edits: Edits
    stopping: Stopping
    controls: Controls
    asking: Asking
    greeting: Greeting
    conversations: Conversations
    personas: Personas
    memories: Memories
    forgetting: Forgetting
    notes: Notes
    ledger: Ledger
    keyring: Keyring
    listings: Listings
    recipients: Disclosure
    """Who gets to read what people write."""

    @property
    def translator(self) -> Translator:
        return self.parts.translator

    @property
    def preferences(self) -> Preferences:
        return self.parts.preferences

    async def channel_deleted(self, channel_id: int) -> None:
        """Or a thread. What was said there goes with it, and what was chosen for it."""
        await self.forgetting.channel(channel_id)
        await self.preferences.forget(Scope.CHANNEL, channel_id)

    async def left_server(self, guild_id: int) -> None:
        """What people said there goes, and the server's keys. What it chose, its personas too, is there again should we come back."""
        await self.forgetting.server(guild_id)
        await self.keyring.keys.forget(Scope.SERVER, guild_id)

    async def left_while_away(self, is_left: Callable[[int], bool]) -> None:
        """Discord tells nobody who is not connected that they were thrown out of a server."""
        for guild_id in await self.keyring.keys.servers():
            if is_left(guild_id):
                log.info("left_while_away", guild=guild_id)
                await self.left_server(guild_id)

    async def message_deleted(self, channel_id: int, message_id: int) -> None:
        self.inbox.deleted(channel_id, message_id)
        self.queue.withdraw(message_id)
        self.runner.message_deleted(message_id)
        await self.parts.journal.message_deleted(message_id)

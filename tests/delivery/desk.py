"""Somebody asks by a command, somewhere in the stand-in's world, and a real discord.py has acknowledged it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Any

import discord
from discord import app_commands

from bot.delivery.interaction_sender import ResponseToken
from bot.playground.standin import Channel, Standin, StandinConfig
from tests.playground.standin_dialogue import UNLIMITED, Listener, MovedClock, running, standin_under_oracle

Json = dict[str, Any]


class Where(StrEnum):
    SERVER = "server"
    THREAD = "thread"
    DIRECT = "direct"
    """With the bot."""
    ABROAD = "abroad"
    """A server in which the bot is not; the person brought it along, as in the next two."""
    FRIENDS = "friends"
    """A direct message between two people."""
    GROUP = "group"


MEMBER = (Where.SERVER, Where.THREAD, Where.DIRECT)
GUEST = (Where.ABROAD, Where.FRIENDS, Where.GROUP)


class AskedClient(Listener):
    """Acknowledges what people do, and keeps it."""

    def __init__(self) -> None:
        super().__init__()
        self.interactions: asyncio.Queue[discord.Interaction[Any]] = asyncio.Queue()
        self.target: discord.Message | None = None
        everywhere: Any = {
            "allowed_contexts": app_commands.AppCommandContext(guild=True, dm_channel=True, private_channel=True),
            "allowed_installs": app_commands.AppInstallationType(guild=True, user=True),
        }

        async def ask(interaction: discord.Interaction[Any], file: discord.Attachment | None, private: bool) -> None:
            await interaction.response.defer(ephemeral=private, thinking=True)
            await self.interactions.put(interaction)

        async def about(interaction: discord.Interaction[Any], message: discord.Message) -> None:
            self.target = message
            await interaction.response.defer(thinking=True)
            await self.interactions.put(interaction)

        command: Any = app_commands.Command(name="ask", description="x", callback=ask)
        command.allowed_contexts, command.allowed_installs = everywhere.values()
        self.tree.add_command(command)
        self.tree.add_command(app_commands.ContextMenu(name="about", callback=about, **everywhere))

    async def on_interaction(self, interaction: discord.Interaction[Any]) -> None:
        if interaction.type is discord.InteractionType.component:
            await interaction.response.defer()
            await self.interactions.put(interaction)


class Desk:
    def __init__(self, standin: Standin, client: AskedClient, channel: Channel, clock: MovedClock) -> None:
        self.standin = standin
        self.client = client
        self.channel = channel
        self.clock = clock
        self.ada = standin.user("Ada")

    async def ask(self, *, private: bool = False, **options: Any) -> discord.Interaction[Any]:
        await self.standin.slash(self.ada, self.channel, "ask", {"private": private, **options})
        return await self.client.interactions.get()

    async def ask_about(self, message_id: str) -> discord.Interaction[Any]:
        chosen = await self.standin.message_command(self.ada, message_id, "about")
        # https://docs.discord.com/developers/resources/message#message-interaction-metadata-object
        chosen.metadata["target_message_id"] = message_id
        return await self.client.interactions.get()

    async def press(self, message_id: int, custom_id: str) -> discord.Interaction[Any]:
        await self.standin.press(self.ada, str(message_id), custom_id)
        return await self.client.interactions.get()

    @property
    def ours(self) -> Sequence[Json]:
        """What Ada sees of us, oldest first."""
        messages = self.standin.messages(self.channel, self.ada)
        return [message for message in messages if message["author"]["id"] == self.standin.bot_id]

    @property
    def texts(self) -> Sequence[str]:
        return [message["content"] for message in self.ours]

    @property
    def seen_by_others(self) -> Sequence[str]:
        messages = self.standin.messages(self.channel, self.standin.user("Bo"))
        return [message["content"] for message in messages if message["author"]["id"] == self.standin.bot_id]

    def expire(self) -> None:
        """The 15 minutes of a token pass."""
        self.clock.seconds += 901.0

    def calls(self, method: str, path: str) -> Sequence[Any]:
        return [call for call in self.standin.calls if call.method == method and path in call.path]


def token_of(interaction: discord.Interaction[Any], *, private: bool = False) -> ResponseToken:
    return ResponseToken(
        interaction.application_id, interaction.token, private=private, file_limit=10 * 2**20, waiting=True
    )


async def place(standin: Standin, where: Where) -> Channel:
    ada, bo = standin.user("Ada"), standin.user("Bo")
    match where:
        case Where.SERVER:
            return standin.channel("general")
        case Where.THREAD:
            return await standin.start_thread(ada, standin.channel("general"), "talk")
        case Where.DIRECT:
            return standin.dm(ada)
        case Where.ABROAD:
            guild = standin.add_guild("Abroad", ada, with_bot=False)
            standin.world.join(bo, guild)
            return standin.add_channel("elsewhere", guild=guild)
        case Where.FRIENDS:
            return standin.private(ada, bo)
        case Where.GROUP:
            return standin.private(ada, bo, standin.user("Chi"))


@asynccontextmanager
async def open_desk(where: Where = Where.SERVER) -> AsyncIterator[Desk]:
    clock = MovedClock()
    config = StandinConfig(clock=clock.clock(), buckets=UNLIMITED.buckets)
    async with standin_under_oracle(config) as standin:
        channel = await place(standin, where)
        if where in GUEST:
            standin.install_for(standin.user("Ada"))
        client = AskedClient()
        async with running(standin, client):
            await client.tree.sync()
            yield Desk(standin, client, channel, clock)

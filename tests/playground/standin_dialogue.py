"""A real discord.py client and the stand-in, connected: each test is a dialogue between them, under the OpenAPI oracle.

On a machine without Discord's schemas the dialogues are the same, and only unchecked.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import discord
import yarl
from discord import app_commands
from discord.gateway import DiscordWebSocket
from discord.http import Route

from bot.playground.standin import Clock, Standin, StandinConfig
from bot.playground.standin.changes import Changes
from tests.openapi import Contract

INTENTS = discord.Intents(guilds=True, messages=True, message_content=True, reactions=True, typing=True)
UNLIMITED = StandinConfig(buckets={})
"""discord.py sleeps in real time when it has taken a bucket's last token; tests of other things must not wait for that."""

LOGIN_KINDS = frozenset(
    {
        "response GET /users/@me 200",
        "gateway HELLO",
        "gateway IDENTIFY",
        "gateway READY",
        "gateway GUILD_CREATE",
    }
)
"""What every dialogue exchanges, so an oracle that saw less of it was not listening."""

_FORWARD = "message_reference/type: 0 was expected"
"""resources/message, Message Reference Types: a forward has type 1, which the document of the HTTP API leaves out."""

_GATEWAY_WITHOUT_SCHEMA = frozenset(
    {
        "HEARTBEAT",
        "HEARTBEAT_ACK",
        "RECONNECT",
        "RESUMED",
        "GUILD_MEMBER_UPDATE",
        "GUILD_ROLE_CREATE",
        "MESSAGE_POLL_VOTE_ADD",
        "MESSAGE_POLL_VOTE_REMOVE",
    }
)


@dataclass
class ManualTimer:
    at: float
    callback: Callable[[], object]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class MovedClock:
    """Time that stands still until a test moves it; its timers go off when the test says so."""

    seconds: float = 0.0
    _timers: list[ManualTimer] = field(default_factory=list)

    def clock(self) -> Clock:
        return Clock(
            now=lambda: 1000.0 + self.seconds,
            wall=lambda: 1_800_000_000.0 + self.seconds,
            call_later=self._call_later,
        )

    def ring(self) -> None:
        """Calls back whoever asked for a time that has come."""
        due = [timer for timer in self._timers if timer.at <= self.seconds]
        self._timers = [timer for timer in self._timers if timer.at > self.seconds]
        for timer in due:
            if not timer.cancelled:
                timer.callback()

    def _call_later(self, delay: float, callback: Callable[[], object]) -> ManualTimer:
        timer = ManualTimer(self.seconds + delay, callback)
        self._timers.append(timer)
        return timer


class Listener(discord.Client):
    """Writes down what the library made of the gateway's dispatches."""

    def __init__(self, intents: discord.Intents = INTENTS, **options: Any) -> None:
        super().__init__(intents=intents, guild_ready_timeout=0.05, **options)
        self.tree = app_commands.CommandTree(self)
        self.heard: list[tuple[str, Any]] = []
        self.messages: list[discord.Message] = []
        self._changes = Changes()

    def names(self) -> list[str]:
        return [name for name, _ in self.heard]

    def contents(self) -> list[str]:
        return [value for name, value in self.heard if name == "message"]

    def hear(self, name: str, value: Any = None) -> None:
        self.heard.append((name, value))
        self._changes.notify()

    async def until(self, predicate: Callable[[], object]) -> None:
        async with asyncio.timeout(10):
            while not predicate():
                await self._changes.next()

    async def until_heard(self, name: str, times: int = 1) -> None:
        await self.until(lambda: self.names().count(name) >= times)

    def text_channel(self, name: str = "general") -> discord.TextChannel:
        channel = discord.utils.get(self.get_all_channels(), name=name)
        assert isinstance(channel, discord.TextChannel)
        return channel

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Without the library's pause of five seconds before a second IDENTIFY."""

    async def on_ready(self) -> None:
        self.hear("ready")

    async def on_resumed(self) -> None:
        self.hear("resumed")

    async def on_message(self, message: discord.Message) -> None:
        self.messages.append(message)
        self.hear("message", message.content)

    async def next_message(self) -> discord.Message:
        """The oldest message that was heard and not taken from here yet."""
        await self.until(lambda: self.messages)
        return self.messages.pop(0)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        self.hear("edit", payload.message.content)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        self.hear("delete", payload.message_id)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        self.hear("reaction", str(payload.emoji))

    async def on_raw_reaction_remove(self, payload: discord.RawReactionActionEvent) -> None:
        self.hear("unreaction", str(payload.emoji))

    async def on_typing(self, channel: object, user: discord.User | discord.Member, when: object) -> None:
        self.hear("typing", user.display_name)

    async def on_thread_create(self, thread: discord.Thread) -> None:
        self.hear("thread", thread.name)

    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        self.hear("thread_update", payload.thread_id)

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        self.hear("thread_delete", payload.thread_id)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        self.hear("channel_delete", channel.name)

    async def on_guild_channel_create(self, channel: discord.abc.GuildChannel) -> None:
        self.hear("channel", channel.name)

    async def on_guild_join(self, guild: discord.Guild) -> None:
        self.hear("guild", guild.name)

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        self.hear("guild_gone", guild.name)

    async def on_member_join(self, member: discord.Member) -> None:
        self.hear("member", member.display_name)

    async def on_member_update(self, before: discord.Member, after: discord.Member) -> None:
        self.hear("member_update", after.display_name)

    async def on_guild_channel_update(self, before: object, after: discord.abc.GuildChannel) -> None:
        self.hear("channel_update", after.name)


class ShardedListener(Listener, discord.AutoShardedClient):
    pass


@asynccontextmanager
async def standin_under_oracle(
    config: StandinConfig = UNLIMITED, checked: frozenset[str] = frozenset()
) -> AsyncIterator[Standin]:
    """A running stand-in that discord.py is pointed at. Fails when anything on the wires breaks Discord's schemas.

    `checked`: the kinds of payload that must at least have been held to their schema.
    """
    contract = Contract.load()
    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    async with Standin(config, contract) as standin:
        Route.BASE = standin.api_url
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(standin.gateway_url)
        try:
            yield standin
        finally:
            Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway
    if contract is not None:
        violations = [violation for violation in contract.violations if not violation.endswith(_FORWARD)]
        assert not violations, "\n".join(violations)
        assert checked <= contract.checked.keys()
        assert not (odd := [kind for kind in contract.unchecked if not _has_no_schema(kind)]), odd


def _has_no_schema(kind: str) -> bool:
    """What Discord's documents leave out, and what a test made up as a fault."""
    name = kind.rpartition(" ")[2]
    return name in _GATEWAY_WITHOUT_SCHEMA or (kind.startswith("response ") and name.startswith("5"))


@asynccontextmanager
async def running(standin: Standin, client: Listener) -> AsyncIterator[None]:
    """The client, ready; closed at the end. Its own failure to start is raised."""
    task = asyncio.create_task(client.start(standin.token))
    ready = asyncio.create_task(client.until_heard("ready"))
    try:
        await asyncio.wait({task, ready}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
        await ready
        yield
    finally:
        ready.cancel()
        await client.close()
        await asyncio.gather(task, ready, return_exceptions=True)


@asynccontextmanager
async def dialogue(
    config: StandinConfig = UNLIMITED, intents: discord.Intents = INTENTS
) -> AsyncIterator[tuple[Standin, Listener]]:
    async with standin_under_oracle(config, LOGIN_KINDS) as standin:
        client = Listener(intents)
        async with running(standin, client):
            yield standin, client


@asynccontextmanager
async def raw_rest(standin: Standin) -> AsyncIterator[aiohttp.ClientSession]:
    """Plain HTTP with the bot's token, for what discord.py hides; paths go after `standin.api_url`."""
    async with aiohttp.ClientSession(headers={"Authorization": f"Bot {standin.token}"}) as session:
        yield session

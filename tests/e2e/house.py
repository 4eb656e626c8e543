"""The whole house on real parts: discord.py against the stand-in, httpx against a scripted provider, SQLite in a file."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import discord
import yarl

from bot.app import App
from bot.playground.scripted_provider import Script, ScriptedProvider, spoken
from bot.playground.standin import Channel, Intent, Standin, StandinConfig, User, WorldConfig
from bot.settings import load_settings
from tests.openapi import Contract

NO_INTENT = Intent(0)
TEST_DEADLINE = 120.0


class House:
    """What a test acts on and looks at. `script` is what the provider plays; by words of the question, or for all."""

    def __init__(self, standin: Standin, contract: Contract | None) -> None:
        self.standin = standin
        self.contract = contract
        self.scripts: dict[str, Script] = {}
        self.script: Script = spoken("Hello from the model.")
        self.provider: ScriptedProvider
        self.app: App
        self.general = standin.channel("general")
        self.ada, self.bo = standin.user("Ada"), standin.user("Bo")

    def choose(self, question: str) -> Script:
        # What people wrote in a row comes as one message; the question is its last paragraph.
        asked = question.rpartition("\n\n")[2]
        return next((script for word, script in self.scripts.items() if word in asked), self.script)

    async def ask(self, text: str, *, by: User | None = None, in_channel: Channel | None = None) -> str:
        """Mention the bot; the question's message id."""
        question = await self.standin.say(by or self.ada, in_channel or self.general, f"{self.standin.mention} {text}")
        return str(question["id"])

    def answers(self, channel: Channel | None = None) -> list[dict[str, Any]]:
        """Our messages in the channel, oldest first."""
        messages = self.standin.messages(channel or self.general)
        return [message for message in messages if message["author"]["id"] == self.standin.bot_id]

    def texts(self, channel: Channel | None = None) -> list[str]:
        return [message["content"] for message in self.answers(channel)]

    async def answered(self, count: int = 1, channel: Channel | None = None) -> None:
        """Until so many answers are over: each ends with one footer, or with an embed."""

        def over(_: Standin) -> bool:
            ends = [message for message in self.answers(channel) if _is_end(message)]
            return len(ends) >= count and self.standin.in_flight == 0

        await self.standin.wait_for(over, within=30)

    def calls(self, method: str, path: str) -> Sequence[Any]:
        return [call for call in self.standin.calls if call.method == method and path in call.path]


def _is_end(message: Mapping[str, Any]) -> bool:
    return bool(message["embeds"]) or "\n-# " in f"\n{message['content']}"


@asynccontextmanager
async def open_house(
    folder: Path,
    *,
    config: StandinConfig | None = None,
    locale: str = "en-US",
    deny: Intent = NO_INTENT,
    connected: bool = True,
    validated: bool = True,
    **settings: Any,
) -> AsyncIterator[House]:
    """A connected bot, or all but the bot. `settings` override those of the bot.

    `validated`: the stand-in is held to Discord's own documents in both directions.
    """
    # Where Discord's documents are not on this machine, the tests run all the same, and prove less.
    contract = Contract.load() if validated else None
    # Whatever a test waits for, it fails rather than hangs.
    async with asyncio.timeout(TEST_DEADLINE), AsyncExitStack() as stack:
        stack.enter_context(discord_py_restored())
        config = config or StandinConfig(world=WorldConfig(guild_locale=locale))
        standin = await stack.enter_async_context(Standin(config, contract))
        standin.deny_intents(deny)
        house = House(standin, contract)
        house.provider = await stack.enter_async_context(ScriptedProvider(lambda question: house.choose(question)))
        if connected:
            await stack.enter_async_context(running_bot(house, folder, **settings))
        yield house
    assert contract is None or contract.violations == []


@asynccontextmanager
async def running_bot(house: House, folder: Path, **settings: Any) -> AsyncIterator[App]:
    """The bot of this house, connected, until left. A second one after the first is a restart."""
    chosen: dict[str, Any] = {
        "discord_token": house.standin.token,
        "discord_api_url": house.standin.api_url,
        "database_url": f"sqlite+aiosqlite:///{folder}/parley.db",
        "llm_provider": "custom",
        "llm_base_url": house.provider.base_url,
        "llm_model": "demo",
        "llm_api_keys": ("sk-test-key",),
        **settings,
    }
    async with App.open(load_settings(_env_file=None, **chosen)) as app:
        house.app = app
        running = asyncio.create_task(app.run())
        try:
            async with asyncio.timeout(30):
                await app.ready.wait()
            yield app
        finally:
            app.stop()
            await running


@contextmanager
def discord_py_restored() -> Iterator[None]:
    """discord.py keeps its addresses in classes, for the whole process."""
    base, gateway = discord.http.Route.BASE, discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY
    try:
        yield
    finally:
        discord.http.Route.BASE = base
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)

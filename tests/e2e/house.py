"""The whole house on real parts: discord.py against the stand-in, httpx against a scripted provider, SQLite in a file."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import discord
import yarl

from adapters.catalogue import Row
from bot.app import App
from bot.gateway import client as client_module
from bot.playground.scripted_provider import Script, ScriptedProvider, question_in, spoken
from bot.playground.standin import Channel, Intent, Standin, StandinConfig, User, WorldConfig
from bot.playground.standin.rate_limits import DEFAULT_BUCKETS, BucketRule
from bot.preferences import ConversationPreferences, DeliveryPreferences
from bot.settings import load_settings
from bot.store import Preferences, Scope
from tests.openapi import Contract

NO_INTENT = Intent(0)
TEST_DEADLINE = 120.0
QUICK = StandinConfig(
    buckets={name: BucketRule(name, rule.limit, rule.seconds / 10) for name, rule in DEFAULT_BUCKETS.items()}
)
"""For tests in which Discord's rate limits are no matter: its windows are a tenth as long."""
# The stand-in tells of its servers at once, so each test would only wait.
client_module.READY_AFTER = 0.1


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

    def asked(self, question: str) -> Script:
        """The model is asked: who waits for that looks at its requests."""
        self.standin.look_again()
        return self.script_for(question)

    def script_for(self, question: str) -> Script:
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
        return [
            message
            for message in messages
            if message["author"]["id"] == self.standin.bot_id and message["type"] in SAID
        ]

    def texts(self, channel: Channel | None = None) -> list[str]:
        return [message["content"] for message in self.answers(channel)]

    async def answered(self, count: int = 1, channel: Channel | None = None) -> None:
        """Until so many answers are over: each ends with one footer, or with an embed."""

        def over(_: Standin) -> bool:
            ends = [message for message in self.answers(channel) if is_end(message)]
            return len(ends) >= count and self.standin.in_flight == 0

        await self.standin.wait_for(over, within=30)

    async def press(self, action: str, *, by: User, nr: int = -1, channel: Channel | None = None) -> None:
        """One of the buttons under our messages, by the word for it in its id; until the bot has acknowledged it."""
        message = self.answers(channel)[nr]
        (custom_id,) = [made for made in buttons(message) if f":{action}:" in made]
        await (await self.standin.press(by, message["id"], custom_id)).answered()

    def whispers(self, to: User, channel: Channel | None = None) -> list[str]:
        """What only this person sees."""
        messages = self.standin.messages(channel or self.general, to)
        return [message["content"] for message in messages if message["flags"] & EPHEMERAL]

    async def whispered(self, to: User, words: str, channel: Channel | None = None) -> None:
        await self.standin.wait_for(lambda _: any(words in text for text in self.whispers(to, channel)))

    @property
    def preferences(self) -> Preferences:
        return self.app.preferences

    async def choose(self, in_channel: Channel | None = None, **choices: Any) -> None:
        """Of ConversationPreferences, for the server or one channel."""
        scope, place = (Scope.CHANNEL, in_channel.id) if in_channel else (Scope.SERVER, self.general.guild_id)
        await self.preferences.change(ConversationPreferences, scope, int(place or 0), **choices)

    async def set_delivery(self, **choices: Any) -> None:
        """Of DeliveryPreferences, for the server."""
        await self.preferences.change(DeliveryPreferences, Scope.SERVER, int(self.general.guild_id or 0), **choices)

    def calls(self, method: str, path: str) -> Sequence[Any]:
        return [call for call in self.standin.calls if call.method == method and path in call.path]


SAID = (0, 19, 20, 23)
"""Types of messages that somebody wrote: others tell that a thread was opened, and the like."""
EPHEMERAL = 1 << 6
MODAL = 9
"""The type of an interaction's response (https://docs.discord.com/developers/interactions/receiving-and-responding)."""
_WRITES = re.compile(r"/messages(/\d+|/@original)?$|/webhooks/\d+/[^/]+$|/callback$")


def _may_notify(call: Any) -> bool:
    """A call that writes a message and does not say that roles and everyone are not notified by it."""
    if call.method not in ("POST", "PATCH") or not _WRITES.search(call.path) or not isinstance(call.body, dict):
        return False
    if call.path.endswith("/callback") and call.body.get("type") == MODAL:
        return False  # a form to be filled in is no message
    message = call.body.get("data", {}) if call.path.endswith("/callback") else call.body
    if not {"content", "embeds", "components"} & set(message or {}):
        return False
    return not set(message.get("allowed_mentions", {}).get("parse", ["everyone"])) <= {"users"}


def buttons(message: Mapping[str, Any]) -> list[str]:
    """The ids of the buttons under a message that can be pressed."""
    return [
        button["custom_id"]
        for row in message["components"]
        if row["type"] == ACTION_ROW
        for button in row["components"]
        if not button["disabled"]
    ]


ACTION_ROW = 1


WAITING = "-# ⏳"
"""How the notice of a question begins that has to wait."""


def is_end(message: Mapping[str, Any]) -> bool:
    """The last message of an answer that is over: with an embed or a line of ours at its end, and nothing to stop."""
    last_line = f"\n{message['content']}".rpartition("\n")[2]
    if last_line.startswith(WAITING):
        return False
    over = not any(":stop:" in made for made in buttons(message))
    return over and (bool(message["embeds"]) or last_line.startswith("-# "))


def said(request: Mapping[str, Any]) -> list[Any]:
    """The messages of a request to the model, without the system prompt and what stands beside the newest."""
    *earlier, newest = [dict(message) for message in request["messages"] if message["role"] != "system"]
    if isinstance(newest["content"], str):
        newest["content"] = question_in(newest["content"])
    return [*earlier, newest]


@asynccontextmanager
async def open_house(
    folder: Path,
    *,
    config: StandinConfig | None = None,
    locale: str = "en-US",
    deny: Intent = NO_INTENT,
    connected: bool = True,
    validated: bool = True,
    models: Sequence[Row] = (),
    **settings: Any,
) -> AsyncIterator[House]:
    """A connected bot, or all but the bot. `settings` override those of the bot; `models`: what it knows of models.

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
        house.provider = await stack.enter_async_context(ScriptedProvider(house.asked))
        if connected:
            await stack.enter_async_context(running_bot(house, folder, models, **settings))
        yield house
    assert [call.path for call in standin.calls if _may_notify(call)] == []
    assert contract is None or contract.violations == []


@asynccontextmanager
async def running_bot(house: House, folder: Path, models: Sequence[Row] = (), **settings: Any) -> AsyncIterator[App]:
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
    async with App.open(load_settings(_env_file=None, **chosen), models) as app:
        house.app = app
        # Nobody in these tests writes in bursts, but for those that say so.
        guild_id = int(house.general.guild_id or 0)
        await app.preferences.change(ConversationPreferences, Scope.SERVER, guild_id, burst_seconds=0)
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

"""`python -m bot playground`: the same bot as `run`, without Discord and without keys.

One process holds the Discord stand-in, the bot (the real discord.py client, over real sockets) and the page; the small
model runs in one of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import webbrowser
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from adapters.catalogue import Row, bare_name
from adapters.contract import ModelInfo
from bot.app import App
from bot.observability import configure_logging
from bot.playground import serve_model
from bot.playground.demo import demo_script
from bot.playground.local_model import LocalModelUnavailable, local_model
from bot.playground.page import Page, StandinPort
from bot.playground.scripted_provider import ScriptedProvider
from bot.playground.standin import Permission, Standin, StandinConfig, WorldConfig
from bot.playground.standin.permissions import MEMBER_DEFAULT
from bot.settings import LogLevel, load_settings, without_password

PORT = 8642
DEMO = "demo"
INVITED = MEMBER_DEFAULT | Permission.MANAGE_WEBHOOKS
"""What the address in the README invites the bot with."""
LOCAL_MODEL = ModelInfo(
    serve_model.MODEL_NAME,
    context_window=serve_model.CONTEXT // serve_model.SLOTS,
    output_limit=serve_model.LONGEST_ANSWER,
    vision=False,
)


class Playground(msgspec.Struct, frozen=True):
    """What runs, for whoever wants to look inside."""

    standin: Standin
    page: Page
    app: App
    running: asyncio.Task[None]
    """The bot; it ends by itself only when it cannot go on."""


class Model(msgspec.Struct, frozen=True):
    settings: Mapping[str, Any]
    notice: str
    """What the page says about who answers."""
    known: tuple[Row, ...] = ()
    """Of it, beyond what Parley's catalogue has."""


@asynccontextmanager
async def open_playground(provider: str | None = None, port: int = PORT) -> AsyncIterator[Playground]:
    """A running playground. `provider`: DEMO, or None for LLM_* if they are set, else the local model.

    Raises SettingsError, LocalModelUnavailable, OSError (the port is taken).
    """
    async with AsyncExitStack() as stack:
        model = await stack.enter_async_context(_model(provider))
        standin = await stack.enter_async_context(Standin(StandinConfig(WorldConfig(bot_permissions=INVITED))))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="parley-playground-")))
        # A new world has new message ids, so what an earlier one left in a database means nothing.
        settings = load_settings(
            discord_token=standin.token,
            discord_api_url=standin.api_url,
            database_url=f"sqlite+aiosqlite:///{folder}/playground.db",
            shard_ids=(),
            shard_count=None,
            **model.settings,
        )
        # Our own logs are for whoever asks for them; here the page is what one looks at.
        level = settings.log_level if "log_level" in settings.model_fields_set else LogLevel.WARNING
        configure_logging(settings.log_format, level, settings.secrets())
        app = await stack.enter_async_context(App.open(settings, model.known))
        page = Page(StandinPort(standin), notice=model.notice)
        await page.start(port=port)
        stack.push_async_callback(page.stop)
        running = asyncio.create_task(app.run(), name="bot")
        try:
            yield Playground(standin, page, app, running)
        finally:
            app.stop()
            await asyncio.wait({running})


@asynccontextmanager
async def _model(provider: str | None) -> AsyncIterator[Model]:
    if provider == DEMO:
        async with ScriptedProvider(demo_script) as server:
            yield _openai_compatible(
                server.base_url,
                server.MODEL,
                "Recorded answers. Write @Parley and a word: code, table, think, file, long, leak, error, or broken.",
            )
        return
    chosen = load_settings(discord_token="unused")
    if chosen.llm_provider is not None:
        yield Model(
            {}, f"{chosen.llm_model} at {without_password(chosen.llm_base_url) or chosen.llm_provider} is answering."
        )
        return
    async with local_model() as (base_url, name):
        notice = (
            f"{name}, a very small model on this machine, is answering: quick, and often wrong."
            " Set LLM_PROVIDER, LLM_MODEL, LLM_BASE_URL and LLM_API_KEYS for a better one."
        )
        yield _openai_compatible(base_url, name, notice, (Row((), bare_name(name), LOCAL_MODEL),))


def _openai_compatible(base_url: str, name: str, notice: str, known: tuple[Row, ...] = ()) -> Model:
    settings = {"llm_provider": "custom", "llm_base_url": base_url, "llm_model": name, "llm_api_keys": ()}
    return Model(settings, notice, known)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m bot playground", description=__doc__)
    parser.add_argument("--port", type=int, default=PORT, help=f"of the page on 127.0.0.1 ({PORT})")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page in a browser")
    parser.add_argument("--provider", choices=[DEMO], help="play recorded answers instead of asking a model")
    options = parser.parse_args(argv)
    try:
        return asyncio.run(_play(options))
    except LocalModelUnavailable as unavailable:
        print(unavailable, file=sys.stderr)
    except OSError as error:
        print(f"--port {options.port}: {error.strerror or error}", file=sys.stderr)
    return 2


async def _play(options: argparse.Namespace) -> int:
    async with open_playground(options.provider, options.port) as playground:
        playground.app.stop_on_signals()
        print(f"Parley's playground: {playground.page.url}   (Ctrl+C ends it)", flush=True)
        if not options.no_browser:
            await asyncio.to_thread(webbrowser.open, playground.page.url)
        await asyncio.wait({playground.running})
        playground.running.result()
    return 0

"""`/status`: is the bot well here? And for who runs it: how it is altogether."""

from __future__ import annotations

import asyncio
import platform
import resource
import sys
import time
from collections.abc import Iterator
from typing import Any

import discord
import msgspec
from discord import app_commands

from bot import VERSION
from bot.commands.panels import show
from bot.commands.reach import WITH_THE_BOT
from bot.commands.words import said
from bot.gateway.admission.operators import is_operator
from bot.gateway.admission.visits import location_of_asker
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, words_of
from bot.localization import Translator, Words
from bot.store import Notes
from bot.turn.models import ModelChoice, NoModel

PROBE_SECONDS = 5.0
"""How long the database and the provider are waited for; a command's answer has 15 minutes, a person has not."""

_WANTED = {
    "view_channel": "nothing",
    "send_messages": "nothing",
    "send_messages_in_threads": "nothing-in-threads",
    "read_message_history": "history",
    "embed_links": "embeds",
    "attach_files": "files",
    "manage_webhooks": "voices",
    "create_public_threads": "threads",
}
"""Permission, and the end of the key in locales/ that says what does not work without it."""


class Health(msgspec.Struct, frozen=True):
    """What had to be asked for. None: no answer in time."""

    database_seconds: float | None
    provider_problem: str | None = None
    """In the adapter's words."""
    provider_asked: bool = False


def status_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-status"), description=said(translator, "command-status-description")
    )
    async def status(interaction: discord.Interaction[ParleyClient]) -> None:
        if not await admitted(interaction):
            return
        client, words = interaction.client, words_of(interaction)
        embed = discord.Embed(title=words("status-title"))
        choice = await client.desk.parts.models.look(location_of_asker(interaction))
        _field(embed, words("status-here"), _here(interaction, choice, words))
        if is_operator(client, interaction.user.id):
            health = await _health(client)
            _field(embed, words("status-whole"), _whole(client, health, words))
            _field(embed, words("status-versions"), _versions(words))
        await show(interaction, embed)

    status.allowed_contexts = WITH_THE_BOT
    return status


def _field(embed: discord.Embed, name: str, lines: Iterator[str]) -> None:
    embed.add_field(name=name, value="\n".join(lines)[:1024], inline=False)


def _here(interaction: discord.Interaction[ParleyClient], choice: ModelChoice | NoModel, words: Words) -> Iterator[str]:
    client = interaction.client
    if isinstance(choice, NoModel):
        yield words("status-no-model")
    else:
        yield words("status-model", provider=choice.adapter.name)
    yield words("status-latency", milliseconds=_milliseconds(_latency(client, interaction.guild)))
    running, waiting = client.desk.queue.load(interaction.channel_id)
    yield words("status-line", running=running, waiting=waiting)
    if interaction.guild is None:
        return
    missing = [name for name in _WANTED if not getattr(interaction.app_permissions, name)]
    if not missing:
        yield words("status-may-all")
    for name in missing:
        yield words("status-may-not", permission=name.replace("_", " "), loss=words(f"status-loses-{_WANTED[name]}"))


def _whole(client: ParleyClient, health: Health, words: Words) -> Iterator[str]:
    running, waiting = client.desk.queue.load()
    yield words("status-servers", servers=len(client.guilds), shards=client.shard_count or 1)
    for shard_id, latency in sorted(client.latencies)[:10]:
        yield words("status-shard", shard=shard_id, milliseconds=_milliseconds(latency))
    yield words("status-line", running=running, waiting=waiting)
    if health.database_seconds is None:
        yield words("status-database-silent")
    else:
        yield words("status-database", milliseconds=_milliseconds(health.database_seconds))
    if health.provider_problem is not None:
        yield words("status-provider-problem", problem=health.provider_problem)
    elif health.provider_asked:
        yield words("status-provider-reachable")
    yield words("status-memory", megabytes=_megabytes(), hours=round((time.monotonic() - client.since) / 3600, 1))


def _versions(words: Words) -> Iterator[str]:
    yield f"Parley {VERSION} · Python {platform.python_version()} · discord.py {discord.__version__}"
    yield words("status-platform", platform=f"{platform.system()} {platform.machine()}")


async def _health(client: ParleyClient) -> Health:
    database, provider = await asyncio.gather(_database_seconds(client.desk.notes), _provider(client))
    return Health(database, *provider)


async def _database_seconds(notes: Notes) -> float | None:
    begun = time.monotonic()
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            await notes.get("status")
    except Exception:  # whatever it is, the database does not answer
        return None
    return time.monotonic() - begun


async def _provider(client: ParleyClient) -> tuple[str | None, bool]:
    """Of the operator's."""
    model = client.desk.parts.models.operator
    if model is None:
        return None, False
    problem = await client.desk.parts.transport.probe(model.adapter, model.endpoints[0])
    return (problem.message if problem is not None else None), True


def _latency(client: ParleyClient, guild: discord.Guild | None) -> float:
    shard = client.get_shard(guild.shard_id) if guild is not None else None
    return shard.latency if shard is not None else client.latency


def _milliseconds(seconds: float) -> str:
    """ "–" where it is not known: before the first heartbeat."""
    return str(round(seconds * 1000)) if 0 <= seconds < 3600 else "–"


def _megabytes() -> int:
    """The most that the process ever had (getrusage: kilobytes on Linux, bytes on macOS)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10))

"""`/new` and `/compact`: what of a conversation is read from now on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import app_commands

from bot.commands.words import said
from bot.delivery.payloads import NOBODY
from bot.gateway.admission.visits import Entrance
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator

_Command = app_commands.Command[Any, ..., Any]


def context_commands(translator: Translator) -> Sequence[_Command]:
    return (_new(translator), _compact(translator))


def _new(translator: Translator) -> _Command:
    @app_commands.command(name=said(translator, "command-new"), description=said(translator, "command-new-description"))
    async def new(interaction: discord.Interaction[ParleyClient]) -> None:
        # For all to see: it is everybody's conversation that begins anew.
        if not await admitted(interaction, thinking=True) or interaction.channel_id is None:
            return
        # An interaction's id is a snowflake: what was said before it is smaller.
        await interaction.client.conversations.put(
            interaction.channel_id, interaction.guild_id, starts_after=interaction.id, summary=""
        )
        await interaction.edit_original_response(content=words_of(interaction)("context-new"), allowed_mentions=NOBODY)

    return new


def _compact(translator: Translator) -> _Command:
    @app_commands.command(
        name=said(translator, "command-compact"), description=said(translator, "command-compact-description")
    )
    async def compact(interaction: discord.Interaction[ParleyClient]) -> None:
        if not await admitted(interaction, Entrance.COMMAND, asks=True):
            return
        done = await interaction.client.asking.compact(interaction)
        await whisper(interaction, words_of(interaction)(f"context-compacted-{done.value.replace('_', '-')}"))

    return compact

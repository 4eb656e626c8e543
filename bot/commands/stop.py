"""`/stop`: end the answers that are being written here, as far as the person may."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands

from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator


def stop_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-stop"), description=said(translator, "command-stop-description")
    )
    async def stop(interaction: discord.Interaction[ParleyClient]) -> None:
        if not await admitted(interaction):
            return
        stopped = interaction.channel_id is not None and interaction.client.stopping.stop(
            interaction.channel_id, interaction.user, interaction.permissions
        )
        key = "control-stopped" if stopped else "control-nothing-to-stop"
        await whisper(interaction, words_of(interaction)(key))

    # Wherever people can ask by a command: a question that waits has no button.
    stop.allowed_contexts = ANYWHERE
    stop.allowed_installs = BROUGHT_ALONG
    return stop

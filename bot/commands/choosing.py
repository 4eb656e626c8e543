"""For whom something is chosen by a command: the option `where`, and whether this person may."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import discord
from discord import app_commands

from bot.commands.words import said
from bot.gateway.admission.gate import may_manage
from bot.gateway.interactions import whisper, words_of
from bot.localization import Translator
from bot.preferences import Scope
from bot.store import Deed


class Where(StrEnum):
    ME = "me"
    HERE = "here"
    """This channel or thread; in a direct message it is the person's."""
    SERVER = "server"


def where_choices(translator: Translator, *offered: Where) -> list[app_commands.Choice[str]]:
    return [
        app_commands.Choice(name=said(translator, f"choice-where-{where}"), value=where.value)
        for where in offered or tuple(Where)
    ]


async def place(interaction: discord.Interaction[Any], where: Where) -> tuple[Scope, int, Deed] | None:
    """Where it is to be kept, and as whose deed; None: they may not, and were told so."""
    guild_id = interaction.guild_id
    deed = Deed(interaction.user.id, guild_id or 0)
    if where is Where.ME:
        return Scope.PERSON, interaction.user.id, Deed(interaction.user.id)
    words = words_of(interaction)
    if guild_id is None:
        if where is Where.SERVER:
            await whisper(interaction, words("where-no-server"))
            return None
    elif not may_manage(interaction.permissions):
        await whisper(interaction, words("command-not-allowed"))
        return None
    if where is Where.SERVER:
        assert guild_id is not None
        return Scope.SERVER, guild_id, deed
    return Scope.CHANNEL, interaction.channel_id or 0, deed

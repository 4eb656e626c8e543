"""For whom something is chosen by a command: the option `where`, and whether this person may."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import discord
from discord import app_commands

from bot.commands.words import said
from bot.gateway.admission.gate import may_manage
from bot.gateway.admission.operators import is_operator
from bot.gateway.interactions import whisper, words_of
from bot.localization import Translator
from bot.preferences import Scope
from bot.store import Deed
from bot.store.preferences import EVERYBODY


class Where(StrEnum):
    ME = "me"
    HERE = "here"
    """This channel or thread; in a direct message it is the person's."""
    SERVER = "server"


SCOPES = {Where.ME: Scope.PERSON, Where.HERE: Scope.CHANNEL, Where.SERVER: Scope.SERVER}


def where_choices(translator: Translator, *offered: Where) -> list[app_commands.Choice[str]]:
    return [
        app_commands.Choice(name=said(translator, f"choice-where-{where}"), value=where.value)
        for where in offered or tuple(Where)
    ]


async def place(interaction: discord.Interaction[Any], where: Where) -> tuple[Scope, int, Deed] | None:
    """Where it is to be kept, and as whose deed; None: they may not, and were told so."""
    scope = SCOPES[where]
    if not await may_choose(interaction, scope):
        return None
    return scope, *kept_at(interaction, scope)


async def may_choose(interaction: discord.Interaction[Any], scope: Scope) -> bool:
    """Whether this person may for that; if not, they were told so."""
    why_not = _why_not(interaction, scope)
    if why_not is not None:
        await whisper(interaction, words_of(interaction)(why_not))
    return why_not is None


def kept_at(interaction: discord.Interaction[Any], scope: Scope) -> tuple[int, Deed]:
    """The id of that scope where they are, and what they do as a deed."""
    deed = Deed(interaction.user.id, interaction.guild_id or 0)
    match scope:
        case Scope.PERSON:
            return interaction.user.id, Deed(interaction.user.id)
        case Scope.CHANNEL:
            return interaction.channel_id or 0, deed
        case Scope.SERVER:
            assert interaction.guild_id is not None
            return interaction.guild_id, deed
        case Scope.GLOBAL:
            return EVERYBODY, Deed(interaction.user.id)


def operates(interaction: discord.Interaction[Any]) -> bool:
    return is_operator(interaction.client, interaction.user.id)


def _why_not(interaction: discord.Interaction[Any], scope: Scope) -> str | None:
    """A key of locales/. A direct message is the person's own."""
    if scope is Scope.GLOBAL:
        return None if operates(interaction) else "settings-not-operator"
    if scope is Scope.PERSON or (scope is Scope.CHANNEL and interaction.guild_id is None):
        return None
    if interaction.guild_id is None:
        return "where-no-server"
    return None if may_manage(interaction.permissions) else "command-not-allowed"

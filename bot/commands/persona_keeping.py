"""What the commands for personas have in common: who may, where they are kept, and what else changes when one does."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import discord
import msgspec
from discord import app_commands

from bot.commands.options import BadValue
from bot.delivery.foreign_text import as_code, as_words
from bot.delivery.refusals import FAILURES
from bot.gateway.admission.gate import may_manage
from bot.gateway.avatars import NoPicture, portrait, publish, retire
from bot.gateway.interactions import for_admitted
from bot.localization import Words
from bot.persona import LONGEST_NAME, Persona
from bot.preferences import ConversationPreferences
from bot.store import KeptPersona, NameTaken, Personas, Preferences, Scope, TooManyPersonas
from bot.store.personas import MOST_PERSONAS, key_of

_MOST_SUGGESTIONS = 25
_DEADLINE = 30.0
"""Seconds for a person's file."""


def personas_of(interaction: discord.Interaction[Any]) -> Personas:
    personas: Personas = interaction.client.personas
    return personas


def preferences_of(interaction: discord.Interaction[Any]) -> Preferences:
    preferences: Preferences = interaction.client.preferences
    return preferences


def server_of(interaction: discord.Interaction[Any]) -> int:
    """Its id. Raises BadValue where the person may not manage it: Discord's own setting can open commands to others."""
    if interaction.guild_id is None or not may_manage(interaction.permissions):
        raise BadValue("command-not-allowed")
    return interaction.guild_id


def shown(name: str) -> str:
    """A name as it can stand in a message of ours."""
    return as_words(name, LONGEST_NAME)


_TUNED = ("model", "temperature", "top_p", "max_output_tokens")


def is_tuned(persona: Persona) -> bool:
    """Whether it has a model, or a way of writing, of its own."""
    return any(getattr(persona, field) is not None for field in _TUNED)


def tuning(persona: Persona, words: Words) -> str:
    """A line about that."""
    values = {field: getattr(persona, field) for field in _TUNED}
    told = {field: "–" if value is None else as_code(str(value)) for field, value in values.items()}
    return words("persona-tuned", name=shown(persona.name), **told)


async def found(interaction: discord.Interaction[Any], guild_id: int, name: str) -> KeptPersona:
    """Raises BadValue where there is none of that name."""
    kept = await personas_of(interaction).whole(guild_id, name)
    if kept is None:
        raise BadValue("persona-unknown", name=shown(name))
    return kept


@for_admitted
async def suggest_names(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
    if interaction.guild_id is None:
        return []
    names, typed = await personas_of(interaction).names(interaction.guild_id), key_of(current)
    fitting = [name for name in names if typed in key_of(name)]
    return [app_commands.Choice(name=name, value=name) for name in fitting[:_MOST_SUGGESTIONS]]


async def read_file(file: discord.Attachment, most: int) -> bytes:
    """Raises BadValue."""
    if file.size > most:
        raise BadValue("card-fault-file-too-large", length=file.size, most=most)
    try:
        async with asyncio.timeout(_DEADLINE):
            return await file.read()
    except (*FAILURES, TimeoutError):
        raise BadValue("persona-file-unreadable") from None


async def read_portrait(file: discord.Attachment, most: int) -> bytes:
    """Raises BadValue."""
    try:
        return await portrait(await read_file(file, most))
    except NoPicture:
        raise BadValue("persona-no-picture") from None


async def keep(
    interaction: discord.Interaction[Any],
    guild_id: int,
    persona: Persona,
    *,
    avatar: bytes | None = None,
    instead_of: str | None = None,
) -> Persona:
    """The persona as it is kept now. `avatar`: a portrait; without one `instead_of` keeps its own. Raises BadValue."""
    personas = personas_of(interaction)
    old = await personas.get(guild_id, instead_of) if instead_of is not None else None
    if (other := await personas.get(guild_id, persona.name)) is not None and other != old:
        # Before the picture is uploaded; `put` has the last word.
        raise BadValue("persona-name-taken", name=shown(persona.name))
    url = old.avatar_url if old else None
    if avatar is not None:
        url = await publish(interaction.client, personas, avatar)
    persona = msgspec.structs.replace(persona, avatar_url=url)
    try:
        await personas.put(guild_id, persona, by=interaction.user.id, avatar=avatar, instead_of=instead_of)
    except NameTaken:
        raise BadValue("persona-name-taken", name=shown(persona.name)) from None
    except TooManyPersonas:
        raise BadValue("persona-too-many", most=MOST_PERSONAS) from None
    except ValueError:
        raise BadValue("persona-bad-name", most=LONGEST_NAME) from None
    if old is not None:
        await follow(interaction, old.name, persona.name)
        if old.avatar_url != persona.avatar_url:
            await retire(interaction.client, personas, old.avatar_url)
    return persona


async def follow(interaction: discord.Interaction[Any], old: str, new: str | None) -> None:
    """Where `old` was chosen to speak, `new` does from now on; None: whoever does where nobody chose."""
    if interaction.guild is None or old == new:
        return
    preferences = preferences_of(interaction)
    for scope, scope_id in _places(interaction.guild):
        chosen = await preferences.chosen(ConversationPreferences, scope, scope_id)
        if key_of(chosen.get("persona", "")) == key_of(old):
            await preferences.change(ConversationPreferences, scope, scope_id, persona=new)


def _places(guild: discord.Guild) -> Iterator[tuple[Scope, int]]:
    yield Scope.SERVER, guild.id
    yield from ((Scope.CHANNEL, channel.id) for channel in (*guild.channels, *guild.threads))

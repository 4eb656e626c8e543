"""`/settings delivery`: how answers look in this server. Without options it tells how it is."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import discord
import msgspec
from discord import app_commands

from bot.commands.words import said
from bot.gateway.admission import may_manage, refusal
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import acknowledge, whisper
from bot.localization import Translator, Words
from bot.preferences import DeliveryPreferences, FooterDetail, Location, Style, Tables, ThoughtLog
from bot.store import Scope

LONGEST_CODE = 100_000
"""Code points; the most that `long_code` can be set to."""

_OPTIONS = {
    "style": "style",
    "footer": "footer",
    "thoughts": "thoughts",
    "thought_channel": "thought_channel_id",
    "tables": "tables",
    "long_code": "longest_code",
    "maths": "maths",
    "link_previews": "link_previews",
    "mention_people": "mention_users",
    "buttons": "buttons",
    "live_mark": "live_mark",
}
"""Option of the command → field of DeliveryPreferences."""


def _choices(values: type[StrEnum]) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=value.value.replace("_", " "), value=value.value) for value in values]


def settings_commands(translator: Translator) -> app_commands.Group:
    group = app_commands.Group(
        name=said(translator, "command-settings"),
        description=said(translator, "command-settings-description"),
        guild_only=True,
        default_permissions=discord.Permissions(manage_guild=True),
    )

    @group.command(
        name=said(translator, "command-delivery"), description=said(translator, "command-delivery-description")
    )
    @app_commands.describe(**{option: said(translator, f"delivery-{option.replace('_', '-')}") for option in _OPTIONS})
    @app_commands.choices(
        style=_choices(Style), footer=_choices(FooterDetail), thoughts=_choices(ThoughtLog), tables=_choices(Tables)
    )
    async def delivery(
        interaction: discord.Interaction[ParleyClient],
        style: str | None = None,
        footer: str | None = None,
        thoughts: str | None = None,
        thought_channel: discord.TextChannel | None = None,
        tables: str | None = None,
        long_code: app_commands.Range[int, 0, LONGEST_CODE] | None = None,
        maths: bool | None = None,
        link_previews: bool | None = None,
        mention_people: bool | None = None,
        buttons: bool | None = None,
        live_mark: bool | None = None,
    ) -> None:
        given = {
            "style": style,
            "footer": footer,
            "thoughts": thoughts,
            "thought_channel_id": thought_channel and thought_channel.id,
            "tables": tables,
            "longest_code": long_code,
            "maths": maths,
            "link_previews": link_previews,
            "mention_users": mention_people,
            "buttons": buttons,
            "live_mark": live_mark,
        }
        changes = {field: value for field, value in given.items() if value is not None}
        await _answer(interaction, translator.say(interaction.locale.value), changes)

    return group


async def _answer(interaction: discord.Interaction[ParleyClient], words: Words, changes: dict[str, Any]) -> None:
    if not await acknowledge(interaction, ephemeral=True):
        return
    # Discord's own setting can open the command to others; what it changes is the server's.
    if interaction.guild_id is None or not may_manage(interaction.permissions):
        text = words("command-not-allowed")
    else:
        store = interaction.client.preferences
        if changes:
            await store.change(DeliveryPreferences, Scope.SERVER, interaction.guild_id, **changes)
        preferences = await store.delivery(Location(0, interaction.guild_id))
        text = "\n".join([_told(preferences, words), *_warnings(preferences, interaction.guild, words)])
    await whisper(interaction, text)


def _warnings(preferences: DeliveryPreferences, guild: discord.Guild | None, words: Words) -> Iterator[str]:
    """What was chosen and will not do."""
    problem = _problem_of_channel(preferences.thought_channel_id, guild, words)
    needs_button = preferences.thoughts is ThoughtLog.BUTTON
    if preferences.thoughts is ThoughtLog.CHANNEL and problem is not None:
        yield problem
        needs_button = True
    if needs_button and not preferences.buttons:
        yield words("delivery-no-button-for-thoughts")


def _problem_of_channel(channel_id: int | None, guild: discord.Guild | None, words: Words) -> str | None:
    if channel_id is None:
        return words("delivery-no-thought-channel")
    channel = guild.get_channel(channel_id) if guild else None
    if not isinstance(channel, discord.TextChannel) or refusal(channel, guild) is not None:
        return words("delivery-thought-channel-closed", channel=f"<#{channel_id}>")
    return None


def _told(preferences: DeliveryPreferences, words: Words) -> str:
    values = msgspec.structs.asdict(preferences)
    lines = [f"`{option}` {_shown(option, values[field], words)}" for option, field in _OPTIONS.items()]
    return "\n".join([words("delivery-now"), *lines])


def _shown(option: str, value: Any, words: Words) -> str:
    if isinstance(value, bool):
        return words("setting-on" if value else "setting-off")
    if value is None:
        return "–"
    return f"<#{value}>" if option == "thought_channel" else f"**{str(value).replace('_', ' ')}**"

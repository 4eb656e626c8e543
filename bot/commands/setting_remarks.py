"""The few rules between settings: choices that must not be made, and what the panel says to those that will not do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import discord
import msgspec

from bot.commands.options import BadValue
from bot.commands.setting_panel import Control, Origin, Value
from bot.gateway.admission.gate import refusal
from bot.gateway.admission.visits import location_of_interaction
from bot.localization import Words
from bot.preferences import DeliveryPreferences, ModelPreferences, Page, Scope, ServerCapabilities, Setting, ThoughtLog


def forbid(interaction: discord.Interaction[Any], setting: Setting, value: Any) -> None:
    """Raises BadValue for a choice that nobody could take back: neither oneself nor the owner can be blocked."""
    if setting.name == "blocked_user_ids" and value:
        owner_id = interaction.guild.owner_id if interaction.guild is not None else None
        if {interaction.user.id, owner_id} & set(value):
            raise BadValue("admission-not-these")


async def remarks(
    interaction: discord.Interaction[Any], at: Control, values: Mapping[str, Value], words: Words
) -> list[str]:
    """On what was chosen and will not do, in lines. `values`: of the page's settings."""
    if at.page is Page.DELIVERY:
        fields = msgspec.structs.fields(DeliveryPreferences)
        chosen = DeliveryPreferences(**{field.name: values[field.name].now for field in fields if field.name in values})
        return list(_on_delivery(chosen, interaction.guild, words))
    if at.page is Page.MODELS and at.scope is Scope.PERSON and interaction.guild_id is not None:
        own = any(values[field.name].origin is Origin.PERSON for field in msgspec.structs.fields(ModelPreferences))
        location = location_of_interaction(interaction)
        capabilities = await interaction.client.preferences.of(ServerCapabilities, location)
        if own and not capabilities.personal_models_enabled:
            return [words("model-not-yours")]
    return []


def _on_delivery(chosen: DeliveryPreferences, guild: discord.Guild | None, words: Words) -> Iterator[str]:
    problem = _problem_of_channel(chosen.thought_channel_id, guild, words)
    needs_button = chosen.thoughts is ThoughtLog.BUTTON
    if chosen.thoughts is ThoughtLog.CHANNEL and problem is not None:
        yield problem
        needs_button = True
    if needs_button and not chosen.buttons:
        yield words("delivery-no-button-for-thoughts")


def _problem_of_channel(channel_id: int | None, guild: discord.Guild | None, words: Words) -> str | None:
    if channel_id is None:
        return words("delivery-no-thought-channel")
    channel = guild.get_channel(channel_id) if guild else None
    if not isinstance(channel, discord.TextChannel) or refusal(channel, guild) is not None:
        return words("delivery-thought-channel-closed", channel=f"<#{channel_id}>")
    return None

"""In what language the bot's own words are: what somebody chose (bot.preferences.LanguagePreferences), or what Discord says of them.

For one reader: their own choice, their Discord's language, the choice of the place, the server's language at Discord. For what all will
read: the choice of who asks, that of the place, the server's language at Discord. Else the operator's default.
"""

from __future__ import annotations

from typing import Any

import discord

from bot.gateway.admission.visits import location_of_interaction
from bot.localization import Translator
from bot.preferences import LanguagePreferences, Location, Scope
from bot.store import Preferences

_READER = "reader's locale"


async def locale_of_place(preferences: Preferences, location: Location, guild: discord.Guild | None) -> str | None:
    """For all who will read it."""
    chosen = (await preferences.of(LanguagePreferences, location)).locale
    return chosen or (guild.preferred_locale.value if guild is not None else None)


async def locale_for_all(interaction: discord.Interaction[Any]) -> str:
    """The same for what comes of a command or a press; where there is no server, it is the person's."""
    preferences: Preferences = interaction.client.preferences
    location = location_of_interaction(interaction)
    chosen = (await preferences.of(LanguagePreferences, location)).locale
    return chosen or (interaction.guild_locale or interaction.locale).value


async def look_up_reader(interaction: discord.Interaction[Any]) -> None:
    """To be called once, before anything is told to who pressed or typed."""
    preferences: Preferences = interaction.client.preferences
    translator: Translator = interaction.client.translator
    own = (await preferences.chosen(LanguagePreferences, Scope.PERSON, interaction.user.id)).get("locale")
    of_place = (await preferences.of(LanguagePreferences, location_of_interaction(interaction))).locale
    at_discord = interaction.guild_locale.value if interaction.guild_locale is not None else None
    interaction.extras[_READER] = translator.say(own, interaction.locale.value, of_place, at_discord).locale


def locale_of_reader(interaction: discord.Interaction[Any]) -> str:
    """Before it was looked up: as Discord says."""
    found: str = interaction.extras.get(_READER) or interaction.locale.value
    return found

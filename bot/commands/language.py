"""`/language`: in which language the bot speaks to somebody, in a channel, or in a server."""

from __future__ import annotations

from typing import Any, Optional

import discord
from babel import Locale
from discord import app_commands

from bot.commands.choosing import Where, place, where_choices
from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, whisper, words_of
from bot.gateway.languages import look_up_reader
from bot.localization import Translator
from bot.preferences import LanguagePreferences

AS_DISCORD = "discord"
"""Given as the language: as before anybody chose."""


def language_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    languages = [app_commands.Choice(name=own_name(locale), value=locale) for locale in translator.locales]
    as_discord = app_commands.Choice(name=said(translator, "choice-as-discord"), value=AS_DISCORD)

    @app_commands.command(
        name=said(translator, "command-language"), description=said(translator, "command-language-description")
    )
    @app_commands.describe(language=said(translator, "language-language"), where=said(translator, "language-where"))
    @app_commands.choices(language=[as_discord, *languages], where=where_choices(translator))
    async def language(
        interaction: discord.Interaction[ParleyClient],
        language: Optional[str] = None,  # noqa: UP045 - discord.py reads it
        where: str = Where.ME.value,
    ) -> None:
        if not await admitted(interaction):
            return
        if language is not None:
            there = await place(interaction, Where(where))
            if there is None:
                return
            scope, scope_id, deed = there
            chosen = None if language == AS_DISCORD else language
            await interaction.client.preferences.change(LanguagePreferences, scope, scope_id, deed, locale=chosen)
            await look_up_reader(interaction)
        words = words_of(interaction)
        key = "language-now" if language is None or where == Where.ME else "language-changed"
        await whisper(interaction, words(key, language=own_name(words.locale)))

    language.allowed_contexts, language.allowed_installs = ANYWHERE, BROUGHT_ALONG
    return language


def own_name(locale: str) -> str:
    """A language as those call it who speak it; with its region, where there are several of it."""
    name = str(Locale.parse(locale, sep="-").get_display_name())
    return name[:1].upper() + name[1:]

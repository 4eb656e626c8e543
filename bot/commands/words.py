"""Names and descriptions of commands from `locales/`: the source's words for everybody, translations where Discord asks."""

from __future__ import annotations

import discord
from discord import app_commands

from bot.localization import SOURCE_LOCALE, Translator


def said(translator: Translator, key: str) -> app_commands.locale_str:
    """A message of locales/ as the name or description of something in a command."""
    return app_commands.locale_str(translator.text(SOURCE_LOCALE, key), key=key)


class CommandWords(app_commands.Translator):
    def __init__(self, translator: Translator) -> None:
        self._translator = translator

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        """None where there is no such locale: Discord then shows the source's words."""
        key = string.extras.get("key")
        return self._translator.text(locale.value, key) if key and locale.value in self._translator.locales else None

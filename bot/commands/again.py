"""`/retry` and `/continue`: what the buttons under an answer do, where there are no buttons or they are far up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Optional

import discord
from discord import app_commands

from bot.commands.reach import WITH_THE_BOT
from bot.commands.words import said
from bot.delivery.controls import Action
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator

_MESSAGE = re.compile(r"\s*(?:https://(?:\w+\.)?discord(?:app)?\.com/channels/(?:\d+|@me)/\d+/)?(?P<id>\d{15,20})/?\s*")
"""A message's link, or its id."""


def again_commands(translator: Translator) -> Sequence[app_commands.Command[Any, ..., Any]]:
    return _command("retry", Action.REGENERATE, translator), _command("continue", Action.CONTINUE, translator)


def _command(name: str, action: Action, translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, f"command-{name}"), description=said(translator, f"command-{name}-description")
    )
    @app_commands.rename(answer=said(translator, "again-answer-name"))
    @app_commands.describe(answer=said(translator, "again-answer"))
    async def command(
        interaction: discord.Interaction[ParleyClient],
        answer: Optional[app_commands.Range[str, 1, 120]] = None,  # noqa: UP045 - discord.py reads it
    ) -> None:
        if not await admitted(interaction):
            return
        found = _MESSAGE.fullmatch(answer) if answer is not None else None
        if answer is not None and found is None:
            await whisper(interaction, words_of(interaction)("again-no-message"))
            return
        await interaction.client.controls.by_command(interaction, action, int(found["id"]) if found else None)

    command.allowed_contexts = WITH_THE_BOT
    return command

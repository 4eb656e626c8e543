"""`/settings history` and `/settings undo`: who changed what of a server, and taking the last of it back."""

from __future__ import annotations

from typing import Any

import discord
import msgspec
from discord import app_commands

from bot.commands.choosing import Where, place, where_choices
from bot.commands.words import said
from bot.delivery.foreign_text import as_code
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.store import NotUndone
from bot.store.models import SettingChange

MOST_SHOWN = 15
"""Changes; with values of SHOWN_VALUE they fit into one message."""
SHOWN_VALUE = 30
"""Code points of a value."""

_Command = app_commands.Command[Any, ..., Any]


def history_command(translator: Translator) -> _Command:
    @app_commands.command(
        name=said(translator, "command-history"), description=said(translator, "command-history-description")
    )
    @app_commands.describe(where=said(translator, "history-where"))
    @app_commands.choices(where=where_choices(translator, Where.SERVER, Where.HERE))
    async def history(interaction: discord.Interaction[ParleyClient], where: str = Where.SERVER.value) -> None:
        if not await admitted(interaction):
            return
        there = await place(interaction, Where(where))
        if there is None:
            return
        words = words_of(interaction)
        scope, scope_id, _ = there
        changes = await interaction.client.preferences.history(scope, scope_id, MOST_SHOWN)
        lines = [_told(change, words) for change in changes] or [words("history-none")]
        await whisper(interaction, "\n".join(lines))

    return history


def undo_command(translator: Translator) -> _Command:
    @app_commands.command(
        name=said(translator, "command-undo"), description=said(translator, "command-undo-description")
    )
    @app_commands.describe(where=said(translator, "history-where"))
    @app_commands.choices(where=where_choices(translator, Where.SERVER, Where.HERE))
    async def undo(interaction: discord.Interaction[ParleyClient], where: str = Where.SERVER.value) -> None:
        if not await admitted(interaction):
            return
        there = await place(interaction, Where(where))
        if there is None:
            return
        words = words_of(interaction)
        scope, scope_id, deed = there
        try:
            undone = await interaction.client.preferences.undo(deed, scope, scope_id)
        except NotUndone as error:
            await whisper(interaction, words(f"undo-{error.why}"))
            return
        lines = [
            words("undo-done"),
            *(f"`{change.name}` {_value(change.new)} → {_value(change.old)}" for change in undone),
        ]
        await whisper(interaction, "\n".join(lines[: MOST_SHOWN + 1]))

    return undo


def _told(change: SettingChange, words: Words) -> str:
    who = f"<@{change.changed_by}>" if change.changed_by else words("history-somebody")
    line = (
        f"{discord.utils.format_dt(change.at, 'R')} {who}: `{change.name}` {_value(change.old)} → {_value(change.new)}"
    )
    return f"~~{line}~~" if change.undone else line


def _value(json: str | None) -> str:
    """As it was given; "–": nothing was chosen."""
    if json is None:
        return "–"
    value = msgspec.json.decode(json)
    return as_code(value if isinstance(value, str) and value else json, SHOWN_VALUE)

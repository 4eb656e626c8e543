"""`/think`: how much the model thinks before it answers; for oneself, a channel, or the server."""

from __future__ import annotations

from typing import Any, Optional

import discord
from discord import app_commands

from bot.commands.choosing import Where, where_choices
from bot.commands.model import may_choose_at
from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.delivery.foreign_text import as_code
from bot.gateway.admission.visits import location_of_asker
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator
from bot.preferences import ModelPreferences, Thinking
from bot.turn.models import NoModel


def think_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-think"), description=said(translator, "command-think-description")
    )
    @app_commands.describe(effort=said(translator, "think-effort"), where=said(translator, "model-where"))
    @app_commands.choices(
        effort=[
            app_commands.Choice(name=said(translator, f"choice-thinking-{effort}"), value=effort.value)
            for effort in Thinking
        ],
        where=where_choices(translator),
    )
    async def think(
        interaction: discord.Interaction[ParleyClient],
        effort: Optional[str] = None,  # noqa: UP045 - discord.py reads it
        where: str = Where.ME.value,
    ) -> None:
        if not await admitted(interaction):
            return
        words, client, location = words_of(interaction), interaction.client, location_of_asker(interaction)
        if effort is not None:
            there = await may_choose_at(interaction, Where(where))
            if there is None:
                return
            scope, scope_id, deed = there
            # The default is chosen too: it may be wanted where the server chose otherwise.
            await client.preferences.change(ModelPreferences, scope, scope_id, deed, thinking=Thinking(effort))
        models = client.desk.parts.models
        choice, thinking = await models.look(location), (await models.preferences(location)).thinking
        lines = [words("think-now", effort=words(f"choice-thinking-{thinking}"))]
        if not isinstance(choice, NoModel) and client.desk.listings.known(choice).reasoning is False:
            lines.append(words("think-cannot", model=as_code(choice.model)))
        shown = (await client.preferences.delivery(location)).thoughts
        lines.append(words("think-shown", thoughts=words(f"choice-{shown.value}")))
        await whisper(interaction, "\n".join(lines))

    think.allowed_contexts, think.allowed_installs = ANYWHERE, BROUGHT_ALONG
    return think

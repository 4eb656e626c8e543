"""`/prompt`: what the model should know or do, in all of a server or in one channel, written in a form."""

from __future__ import annotations

from typing import Any

import discord
from discord import app_commands, ui

from bot.commands.choosing import Where, place, where_choices
from bot.commands.words import said
from bot.gateway.admission.visits import Entrance
from bot.gateway.interactions import GatedModal, admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.preferences import ConversationPreferences, Scope
from bot.preferences.topics import LONGEST_PROMPT

_FIELDS = {Scope.SERVER: "server_prompt", Scope.CHANNEL: "channel_prompt"}


def prompt_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-prompt"), description=said(translator, "command-prompt-description")
    )
    @app_commands.describe(where=said(translator, "prompt-where"))
    @app_commands.choices(where=where_choices(translator, Where.HERE, Where.SERVER))
    async def prompt(interaction: discord.Interaction[Any], where: str = Where.HERE.value) -> None:
        # A modal must be the first answer, so nothing is acknowledged before it.
        if not await admitted(interaction, Entrance.COMMAND, opens_modal=True):
            return
        there = await place(interaction, Where(where))
        if there is None:
            return
        scope, scope_id, _ = there
        chosen = await interaction.client.preferences.chosen(ConversationPreferences, scope, scope_id)
        await interaction.response.send_modal(
            PromptModal(Where(where), chosen.get(_FIELDS[scope], ""), words_of(interaction))
        )

    prompt.guild_only = True
    prompt.default_permissions = discord.Permissions(manage_guild=True)
    return prompt


class PromptModal(GatedModal):
    def __init__(self, where: Where, text: str, words: Words) -> None:
        super().__init__(words(f"prompt-modal-title-{where}"))
        self._where = where
        self._text: ui.TextInput[Any] = ui.TextInput(
            style=discord.TextStyle.paragraph, default=text, required=False, max_length=LONGEST_PROMPT
        )
        self.add_item(ui.Label(text=words("prompt-modal-label"), component=self._text))

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        there = await place(interaction, self._where)  # asked again: rights may have changed meanwhile
        if there is None:
            return
        scope, scope_id, deed = there
        text = self._text.value.strip()
        await interaction.client.preferences.change(
            ConversationPreferences, scope, scope_id, deed, **{_FIELDS[scope]: text or None}
        )
        words = words_of(interaction)
        await whisper(interaction, words("prompt-kept", count=len(text)) if text else words("prompt-none"))

"""`/ask`, and *Ask about this* at a message: wherever the bot is, or the person brought it along.

Both are for servers, direct messages with the bot, and those among other people. *Ask about this* first asks what; a modal must be
the first answer to its command, so there it is the modal that is acknowledged.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import discord
from discord import app_commands, ui

from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.gateway.admission.visits import Entrance
from bot.gateway.asking import Asking
from bot.gateway.interactions import LONGEST_INPUT, GatedModal, admitted, words_of
from bot.localization import Translator, Words

AskCommand: TypeAlias = app_commands.Command[Any, ..., Any] | app_commands.ContextMenu


def ask_commands(translator: Translator) -> Sequence[AskCommand]:
    return (_ask(translator), _ask_about(translator))


def _ask(translator: Translator) -> AskCommand:
    @app_commands.command(name=said(translator, "command-ask"), description=said(translator, "command-ask-description"))
    @app_commands.describe(
        question=said(translator, "ask-question"),
        file=said(translator, "ask-file"),
        private=said(translator, "ask-private"),
    )
    async def ask(
        interaction: discord.Interaction[Any],
        question: app_commands.Range[str, 1, LONGEST_INPUT],
        file: discord.Attachment | None = None,
        private: bool = False,
    ) -> None:
        if await admitted(interaction, Entrance.COMMAND, asks=True, ephemeral=private, thinking=True):
            files = [file] if file is not None else []
            await _asking(interaction).ask(interaction, question, files=files, private=private)

    ask.allowed_contexts, ask.allowed_installs = ANYWHERE, BROUGHT_ALONG
    return ask


def _ask_about(translator: Translator) -> AskCommand:
    async def ask_about(interaction: discord.Interaction[Any], message: discord.Message) -> None:
        if await admitted(interaction, Entrance.COMMAND, opens_modal=True):
            await interaction.response.send_modal(AskModal(message, words_of(interaction)))

    return app_commands.ContextMenu(
        name=said(translator, "command-ask-about"),
        callback=ask_about,
        allowed_contexts=ANYWHERE,
        allowed_installs=BROUGHT_ALONG,
    )


class AskModal(GatedModal):
    """What to ask about a message; nothing asks what it says."""

    door = MappingProxyType({"asks": True, "ephemeral": False, "thinking": True})

    def __init__(self, about: discord.Message, words: Words) -> None:
        super().__init__(words("ask-about-title"))
        self._about = about
        self._default = words("ask-about-default")
        self._question: ui.TextInput[AskModal] = ui.TextInput(
            style=discord.TextStyle.paragraph,
            placeholder=self._default,
            required=False,
            max_length=LONGEST_INPUT,
        )
        self.add_item(ui.Label(text=words("ask-about-label"), component=self._question))

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        text = self._question.value.strip() or self._default
        await _asking(interaction).ask(interaction, text, about=self._about)


def _asking(interaction: discord.Interaction[Any]) -> Asking:
    asking: Asking = interaction.client.asking
    return asking

"""The command tree: which commands there are, and when Discord hears of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import discord
import structlog
from discord import app_commands

from bot.commands.again import again_commands
from bot.commands.ask import ask_commands
from bot.commands.context import context_commands
from bot.commands.forget import ForgetItem, forget_commands
from bot.commands.help import help_command
from bot.commands.keys import KeyItem, keys_command
from bot.commands.language import language_command
from bot.commands.memory import MemoryItem, memory_commands
from bot.commands.model import model_command
from bot.commands.persona import persona_commands
from bot.commands.privacy import privacy_commands
from bot.commands.prompt import prompt_command
from bot.commands.proposals import ProposalItem, remember_command
from bot.commands.server_files import ImportItem, file_commands
from bot.commands.settings import SettingItem, settings_commands
from bot.commands.setup import SetupItem, setup_command
from bot.commands.status import status_command
from bot.commands.stop import stop_command
from bot.commands.think import think_command
from bot.commands.usage import UsageItem, usage_command
from bot.commands.words import CommandWords
from bot.delivery.refusals import FAILURES
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import tell_of_failure
from bot.localization import Translator
from bot.store import DatabaseUnavailable, Notes

log = structlog.get_logger()

_SYNCED = "commands"
"""The note of what Discord was told last."""

AnyCommand: TypeAlias = app_commands.Command[Any, ..., Any] | app_commands.Group | app_commands.ContextMenu


def all_commands(translator: Translator) -> Sequence[AnyCommand]:
    return (
        *ask_commands(translator),
        stop_command(translator),
        *again_commands(translator),
        *context_commands(translator),
        model_command(translator),
        think_command(translator),
        language_command(translator),
        setup_command(translator),
        keys_command(translator),
        persona_commands(translator),
        *memory_commands(translator),
        remember_command(translator),
        *forget_commands(translator),
        *privacy_commands(translator),
        *settings_commands(translator),
        prompt_command(translator),
        *file_commands(translator),
        help_command(translator),
        status_command(translator),
        usage_command(translator),
    )


class CommandTree(app_commands.CommandTree[ParleyClient]):
    def __init__(self, client: ParleyClient, translator: Translator, notes: Notes) -> None:
        super().__init__(client)
        client.tree = self
        self._words = translator
        self._notes = notes
        self._ids: Mapping[str, int] | None = None
        for command in all_commands(translator):
            self.add_command(command)
        client.add_dynamic_items(
            SettingItem, KeyItem, SetupItem, MemoryItem, ForgetItem, ProposalItem, ImportItem, UsageItem
        )

    async def sync_if_changed(self) -> None:
        """Discord takes at most 200 new commands a day (30034), so it is told only of what it does not know.

        A failure is for the log: the bot answers without commands too.
        """
        try:
            words = CommandWords(self._words)
            payload = [await command.get_translated_payload(self, words) for command in self.get_commands()]
            told = json.dumps([self.client.application_id, payload], sort_keys=True)
            digest = hashlib.sha256(told.encode()).hexdigest()
            if await self._notes.get(_SYNCED) == digest:
                return
            await self.set_translator(words)
            await self.sync()
            await self._notes.put(_SYNCED, digest)
            log.info("commands_synced", count=len(payload))
        except (*FAILURES, DatabaseUnavailable) as error:
            log.warning("commands_not_synced", error=str(error))

    async def ids(self) -> Mapping[str, int]:
        """Of our commands at Discord, by name; asked for once. Raises as discord.py does."""
        if self._ids is None:
            self._ids = {command.name: command.id for command in await self.fetch_commands()}
        return self._ids

    async def on_error(self, interaction: discord.Interaction[Any], error: app_commands.AppCommandError, /) -> None:
        name = interaction.command.qualified_name if interaction.command else None
        cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
        await tell_of_failure(interaction, cause, "command_failed", command=name)

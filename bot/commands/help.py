"""`/help`: how to talk with the bot, and the commands that this person may use here, made from the command tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import discord
from discord import app_commands

from bot.commands.panels import show
from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.delivery.refusals import FAILURES
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, words_of
from bot.localization import Translator, Words

LONGEST_FIELD = 1024
"""Code points of an embed's field (https://docs.discord.com/developers/resources/message#embed-object-embed-limits)."""


def help_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-help"), description=said(translator, "command-help-description")
    )
    async def help_(interaction: discord.Interaction[ParleyClient]) -> None:
        if not await admitted(interaction):
            return
        await show(interaction, help_embed(interaction, await _ids(interaction), words_of(interaction)))

    help_.allowed_contexts = ANYWHERE
    help_.allowed_installs = BROUGHT_ALONG
    return help_


def help_embed(interaction: discord.Interaction[Any], ids: Mapping[str, int], words: Words) -> discord.Embed:
    """`ids`: of commands as Discord knows them; one that is not among them is named without a link."""
    embed = discord.Embed(title=words("help-title"), description=words("help-talk", me=interaction.client.user.mention))
    commands = [command for command in interaction.client.tree.get_commands() if may_use(command, interaction)]
    manages = [command for command in commands if command.default_permissions is not None]
    for key, some in (("help-commands", [each for each in commands if each not in manages]), ("help-manage", manages)):
        for nr, lines in enumerate(_fields(_lines(some, ids, words))):
            embed.add_field(name=words(key) if nr == 0 else "\u200b", value=lines, inline=False)
    embed.set_footer(text=words("help-more", privacy=f"/{words('command-privacy')}"))
    return embed


def may_use(command: Any, interaction: discord.Interaction[Any]) -> bool:
    """As Discord shows it to them, unless the server decided otherwise."""
    if isinstance(command, app_commands.ContextMenu):
        return False  # found by a right click
    if interaction.guild_id is None:
        contexts = command.allowed_contexts
        return not command.guild_only and (contexts is None or contexts.dm_channel or contexts.private_channel)
    needed = command.default_permissions
    return needed is None or interaction.permissions.administrator or needed <= interaction.permissions


def _lines(commands: list[Any], ids: Mapping[str, int], words: Words) -> Iterator[str]:
    for command in sorted(commands, key=lambda each: each.name):
        yield f"{_name(command, ids, words)} {_said(command.description, command, words)}"


def _name(command: Any, ids: Mapping[str, int], words: Words) -> str:
    command_id = ids.get(command.name)
    # A group cannot be sent itself, so it is no link.
    if command_id is not None and not isinstance(command, app_commands.Group):
        return f"</{command.name}:{command_id}>"
    text = command._locale_name  # the message of locales/ that it was made with
    key = text.extras.get("key") if text is not None else None
    return f"`/{words(key) if key else command.name}`"


def _said(fallback: str, command: Any, words: Words) -> str:
    text = command._locale_description
    key = text.extras.get("key") if text is not None else None
    return words(key) if key else fallback


def _fields(lines: Iterator[str]) -> Iterator[str]:
    """As few as there must be."""
    field = ""
    for line in lines:
        if len(field) + len(line) >= LONGEST_FIELD:
            yield field
            field = ""
        field += f"{line}\n"
    if field:
        yield field


async def _ids(interaction: discord.Interaction[Any]) -> Mapping[str, int]:
    try:
        return await interaction.client.tree.ids()  # type: ignore[no-any-return]  # CommandTree
    except FAILURES:
        return {}

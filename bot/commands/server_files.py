"""`/export` and `/import`: what a server has set, as a file. What a file would change is shown before anything is."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from functools import partial
from io import BytesIO
from itertools import groupby
from typing import Any, Self, TypeAlias

import discord
import structlog
from discord import app_commands, ui

from bot.commands import server_file
from bot.commands.options import BadValue
from bot.commands.panels import pressed, show
from bot.commands.persona_keeping import keep, read_file
from bot.commands.server_file import FileFault, Plan, Surroundings
from bot.commands.words import said
from bot.conversation.character_cards import Card
from bot.delivery.foreign_text import as_code, as_words
from bot.delivery.payloads import NOBODY
from bot.gateway.admission.gate import may_manage
from bot.gateway.avatars import NoPicture, portrait
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.preferences import TOPICS, Scope
from bot.store import Deed, Preferences, Subject
from bot.store.memories import NotKept

log = structlog.get_logger()

Interaction: TypeAlias = discord.Interaction[Any]

SHOWN = 10
"""Of what is left out, how much is named."""
_TEMPLATE = re.compile(r"parley:import:(?P<act>take|leave):(?P<user_id>[0-9]{1,20})")


def file_commands(translator: Translator) -> Sequence[app_commands.Command[Any, ..., Any]]:
    return _export(translator), _import(translator)


def _export(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-export"), description=said(translator, "command-export-description")
    )
    @app_commands.describe(notes=said(translator, "export-notes"))
    async def export(interaction: Interaction, notes: bool = False) -> None:
        guild = await _managed(interaction)
        if guild is None:
            return
        data = await _written(interaction.client, guild, with_notes=notes)
        file = discord.File(BytesIO(data), f"parley-{guild.id}.json")
        await interaction.followup.send(
            words_of(interaction)("export-done"), file=file, ephemeral=True, allowed_mentions=NOBODY
        )

    return _for_managers(export)


def _import(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-import"), description=said(translator, "command-import-description")
    )
    @app_commands.describe(file=said(translator, "import-file"))
    async def import_(interaction: Interaction, file: discord.Attachment) -> None:
        if (guild := await _managed(interaction)) is None:
            return
        words = words_of(interaction)
        try:
            data = await read_file(file, server_file.LARGEST_FILE)
            plan = await _read(data, guild)
        except BadValue as error:
            await whisper(interaction, words(error.key, **error.arguments))
            return
        embed = discord.Embed(title=words("import-title"), description="\n".join(_told(plan, words)))
        # The file stays with the message: what is pressed later, even after a restart, is about what was shown.
        await show(interaction, embed, _buttons(interaction.user.id, words))
        await interaction.edit_original_response(
            attachments=[discord.File(BytesIO(data), "import.json")], allowed_mentions=NOBODY
        )

    return _for_managers(import_)


def _for_managers(command: app_commands.Command[Any, ..., Any]) -> app_commands.Command[Any, ..., Any]:
    command.guild_only = True
    command.default_permissions = discord.Permissions(manage_guild=True)
    return command


async def _managed(interaction: Interaction) -> discord.Guild | None:
    """The server, for who is admitted and may manage it; who may not is told so."""
    if not await admitted(interaction):
        return None
    # Discord's own setting can open the command to others.
    if interaction.guild is None or not may_manage(interaction.permissions):
        await whisper(interaction, words_of(interaction)("command-not-allowed"))
        return None
    return interaction.guild


async def _written(client: Any, guild: discord.Guild, *, with_notes: bool) -> bytes:
    preferences, personas = client.preferences, client.personas
    server = await _chosen(preferences, Scope.SERVER, guild.id)
    channels = {id_: await _chosen(preferences, Scope.CHANNEL, id_) for id_ in _channel_ids(guild)}
    kept = [await personas.whole(guild.id, name) for name in await personas.names(guild.id)]
    notes = [note.text for note in await client.memories.server(guild.id)] if with_notes else []
    return await asyncio.to_thread(
        server_file.write, server, channels, [persona for persona in kept if persona is not None], notes
    )


async def _chosen(preferences: Preferences, scope: Scope, scope_id: int) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    for topic in TOPICS:
        chosen |= await preferences.chosen(topic.of, scope, scope_id)
    return chosen


async def _read(data: bytes, guild: discord.Guild) -> Plan:
    """Raises BadValue."""
    here = Surroundings(guild.id, frozenset(_channel_ids(guild)), frozenset(role.id for role in guild.roles))
    try:
        return await asyncio.to_thread(server_file.read, data, here)
    except FileFault as fault:
        raise BadValue(f"import-fault-{fault.why}") from None


def _channel_ids(guild: discord.Guild) -> list[int]:
    return [channel.id for channel in (*guild.channels, *guild.threads)]


def _told(plan: Plan, words: Words) -> Iterator[str]:
    if not (plan.choices or plan.cards or plan.notes):
        yield words("import-nothing")
    else:
        yield words("import-would", settings=len(plan.choices), personas=len(plan.cards), notes=len(plan.notes))
    for name in sorted({choice.setting.name for choice in plan.choices})[:25]:
        yield f"• {as_code(name)}"
    for card in plan.cards[:25]:
        yield f"• {as_words(card.persona.name)}"
    if plan.left_out:
        yield words("import-left-out")
        for left in plan.left_out[:SHOWN]:
            yield f"• {as_code(left.what)}: {words(f'import-left-out-{left.why}')}"
        if len(plan.left_out) > SHOWN:
            yield words("settings-and-more", count=len(plan.left_out) - SHOWN)


def _buttons(user_id: int, words: Words) -> list[ui.Item[Any]]:
    return [
        ui.Button(
            custom_id=f"parley:import:{act}:{user_id}",
            label=words(f"import-{act}"),
            style=discord.ButtonStyle.primary if act == "take" else discord.ButtonStyle.secondary,
        )
        for act in ("take", "leave")
    ]


class ImportItem(ui.DynamicItem[ui.Button[Any]], template=_TEMPLATE):
    """Import, or leave it."""

    def __init__(self, act: str, user_id: int, button: ui.Button[Any]) -> None:
        super().__init__(button)
        self._act = act
        self._user_id = user_id

    @classmethod
    async def from_custom_id(
        cls, _interaction: discord.Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        assert isinstance(item, ui.Button)
        return cls(match["act"], int(match["user_id"]), item)

    async def callback(self, interaction: Interaction) -> None:
        deed = _take if self._act == "take" else _leave
        await pressed(interaction, self._user_id, partial(deed, interaction))


async def _leave(interaction: Interaction) -> None:
    await _end(interaction, words_of(interaction)("import-left"))


async def _take(interaction: Interaction) -> None:
    words, guild, message = words_of(interaction), interaction.guild, interaction.message
    if guild is None or not may_manage(interaction.permissions):
        await whisper(interaction, words("command-not-allowed"))
        return
    if message is None or not message.attachments:
        await _end(interaction, words("import-fault-gone"))
        return
    try:
        plan = await _read(await read_file(message.attachments[0], server_file.LARGEST_FILE), guild)
    except BadValue as error:
        await _end(interaction, words(error.key, **error.arguments))
        return
    await interaction.client.preferences.change_all(list(_changes(plan)), Deed(interaction.user.id, guild.id))
    problems = [problem async for problem in _keep_all(interaction, guild, plan, words)]
    log.info("server_file_taken", guild=guild.id, settings=len(plan.choices), personas=len(plan.cards))
    await _end(interaction, "\n".join([words("import-done"), *problems[:SHOWN]]))


def _changes(plan: Plan) -> Iterator[tuple[Any, Scope, int, dict[str, Any]]]:
    topic_nr = {topic.name: nr for nr, topic in enumerate(TOPICS)}

    def place(choice: server_file.Choice) -> tuple[str, int, int]:
        return choice.scope, choice.scope_id, topic_nr[choice.setting.topic.name]

    for (_, scope_id, nr), choices in groupby(sorted(plan.choices, key=place), key=place):
        some = list(choices)
        yield TOPICS[nr].of, some[0].scope, scope_id, {choice.setting.name: choice.value for choice in some}


async def _keep_all(interaction: Interaction, guild: discord.Guild, plan: Plan, words: Words) -> AsyncIterator[str]:
    """Personas and notes; what could not be kept, in words."""
    there = {name.casefold() for name in await interaction.client.personas.names(guild.id)}
    for card in plan.cards:
        try:
            await _keep_persona(interaction, guild.id, card, card.persona.name.casefold() in there)
        except BadValue as error:
            yield f"⚠️ {as_words(card.persona.name)}: {words(error.key, **error.arguments)}"
    for note in plan.notes:
        with contextlib.suppress(NotKept):  # the same note is there already, or there is no room for more
            await interaction.client.memories.add(Subject(guild.id), note, by=interaction.user.id)


async def _keep_persona(interaction: Interaction, guild_id: int, card: Card, is_there: bool) -> None:
    avatar = None
    if card.picture is not None:
        with contextlib.suppress(NoPicture):
            avatar = await portrait(card.picture)
    name = card.persona.name
    await keep(interaction, guild_id, card.persona, avatar=avatar, instead_of=name if is_there else None)


async def _end(interaction: Interaction, text: str) -> None:
    await show(interaction, discord.Embed(title=words_of(interaction)("import-title"), description=text[:4096]))
    await interaction.edit_original_response(attachments=[], allowed_mentions=NOBODY)

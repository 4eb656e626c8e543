"""`/persona …`: who speaks here, and who there is to choose from.

Who manages the server makes and changes personas; who manages channels may choose one for a channel. Discord shows the commands to the
latter, and what each of them needs is looked at here again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import discord
import msgspec
from discord import app_commands

from bot.commands.options import NONE, BadValue
from bot.commands.persona_files import JSON, PNG, hand_out, take_in
from bot.commands.persona_form import PersonaForm
from bot.commands.persona_keeping import (
    follow,
    found,
    keep,
    personas_of,
    preferences_of,
    server_of,
    shown,
    suggest_names,
    tuning,
)
from bot.commands.words import said
from bot.conversation.character_cards import LONGEST_MODEL
from bot.delivery.foreign_text import as_code
from bot.gateway.admission.gate import may_manage
from bot.gateway.admission.visits import Entrance, location_of_interaction
from bot.gateway.avatars import retire
from bot.gateway.interactions import admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.persona import LONGEST_NAME, Persona
from bot.preferences import ConversationPreferences
from bot.store import Deed, Scope

_LONGEST_LIST = 1900
"""Code points, of the 2,000 of a message."""
_HERE, _SERVER = "here", "server"
_WHERE = [app_commands.Choice(name=name, value=name) for name in (_HERE, _SERVER)]
_FORMS = [app_commands.Choice(name=form.upper(), value=form) for form in (PNG, JSON)]

_Command: TypeAlias = app_commands.Command[Any, ..., Any]
_Name: TypeAlias = app_commands.Range[str, 1, LONGEST_NAME]
_Model: TypeAlias = app_commands.Range[str, 1, LONGEST_MODEL]
_Temperature: TypeAlias = app_commands.Range[float, 0.0, 2.0]
_TopP: TypeAlias = app_commands.Range[float, 0.01, 1.0]
_Tokens: TypeAlias = app_commands.Range[int, 1, 1_000_000]


def persona_commands(translator: Translator) -> app_commands.Group:
    group = app_commands.Group(
        name=said(translator, "command-persona"),
        description=said(translator, "command-persona-description"),
        guild_only=True,
        default_permissions=discord.Permissions(manage_channels=True),
    )
    for made in (_use, _list, _create, _edit, _tune, _import, _export, _delete):
        group.add_command(made(translator))
    return group


def _command(translator: Translator, name: str) -> Callable[[Callable[..., Any]], _Command]:
    return app_commands.command(
        name=said(translator, f"command-persona-{name}"),
        description=said(translator, f"command-persona-{name}-description"),
    )


async def _tell(
    interaction: discord.Interaction[Any],
    work: Callable[[Words], Awaitable[str | None]],
    *,
    opens_modal: bool = False,
) -> None:
    """The command's way in and out: what `work` returns is told, or what was wrong."""
    if not await admitted(interaction, Entrance.COMMAND, opens_modal=opens_modal):
        return
    words = words_of(interaction)
    try:
        told = await work(words)
    except BadValue as error:
        told = words(error.key, **error.arguments)
    if told is not None:
        await whisper(interaction, told)


def _use(translator: Translator) -> _Command:
    @_command(translator, "use")
    @app_commands.describe(
        name=said(translator, "persona-use-name"),
        where=said(translator, "persona-use-where"),
        greet=said(translator, "persona-use-greet"),
    )
    @app_commands.choices(where=_WHERE)
    @app_commands.autocomplete(name=suggest_names)
    async def use(
        interaction: discord.Interaction[Any], name: _Name | None = None, where: str = _HERE, greet: bool = False
    ) -> None:
        async def work(words: Words) -> str:
            persona, told = await _chosen(interaction, name, where == _HERE, words)
            if not greet or persona is None:
                return told
            problem = await interaction.client.greeting.say(interaction, persona)
            return told if problem is None else f"{told}\n{words(problem)}"

        await _tell(interaction, work)

    return use


async def _chosen(
    interaction: discord.Interaction[Any], name: str | None, here: bool, words: Words
) -> tuple[Persona | None, str]:
    """Who speaks there now, None: Parley; and what is told of it."""
    guild_id, channel_id = interaction.guild_id, interaction.channel_id
    if guild_id is None or channel_id is None or not _may_choose(interaction.permissions, here):
        raise BadValue("persona-channel-not-allowed" if here else "command-not-allowed")
    preferences = preferences_of(interaction)
    persona = (await found(interaction, guild_id, name)).persona if name is not None else None
    scope, scope_id = (Scope.CHANNEL, channel_id) if here else (Scope.SERVER, guild_id)
    deed, chosen = Deed(interaction.user.id, guild_id), persona.name if persona else None
    await preferences.change(ConversationPreferences, scope, scope_id, deed, persona=chosen)
    if persona is None and here and await _name_here(interaction):
        # Whoever speaks in the server would speak here too.
        await preferences.change(ConversationPreferences, scope, scope_id, deed, persona="")
    place = _HERE if here else _SERVER
    if persona is None:
        return None, words(f"persona-parley-{place}")
    return persona, words(f"persona-used-{place}", name=shown(persona.name))


async def _name_here(interaction: discord.Interaction[Any]) -> str | None:
    """Of the persona that is chosen to speak here; nothing where Parley does."""
    location = location_of_interaction(interaction)
    return (await preferences_of(interaction).conversation(location)).persona


def _may_choose(permissions: discord.Permissions, here: bool) -> bool:
    return may_manage(permissions) or (here and permissions.manage_channels)


def _list(translator: Translator) -> _Command:
    @_command(translator, "list")
    async def list_(interaction: discord.Interaction[Any]) -> None:
        await _tell(interaction, lambda words: _listed(interaction, words))

    return list_


async def _listed(interaction: discord.Interaction[Any], words: Words) -> str:
    personas = await personas_of(interaction).all(interaction.guild_id or 0)
    if not personas:
        return words("persona-none")
    speaks = await _name_here(interaction) or "Parley"
    lines = [words("persona-list", count=len(personas), name=shown(speaks))]
    left = _LONGEST_LIST - len(lines[0])
    for nr, persona in enumerate(personas):
        line = _line(persona)
        if (left := left - len(line) - 1) < 0:
            lines.append(words("persona-list-more", count=len(personas) - nr))
            break
        lines.append(line)
    return "\n".join(lines)


def _line(persona: Persona) -> str:
    told = [f"**{shown(persona.name)}**", *(shown(word) for word in persona.trigger_words[:3])]
    if persona.model:
        told.append(as_code(persona.model))
    return "- " + " · ".join(told)


def _create(translator: Translator) -> _Command:
    @_command(translator, "create")
    @app_commands.describe(picture=said(translator, "persona-picture"))
    async def create(interaction: discord.Interaction[Any], picture: discord.Attachment | None = None) -> None:
        await _tell(interaction, lambda words: _form(interaction, None, picture, words), opens_modal=True)

    return create


def _edit(translator: Translator) -> _Command:
    @_command(translator, "edit")
    @app_commands.describe(name=said(translator, "persona-name"), picture=said(translator, "persona-picture"))
    @app_commands.autocomplete(name=suggest_names)
    async def edit(
        interaction: discord.Interaction[Any], name: _Name, picture: discord.Attachment | None = None
    ) -> None:
        await _tell(interaction, lambda words: _form(interaction, name, picture, words), opens_modal=True)

    return edit


async def _form(
    interaction: discord.Interaction[Any], name: str | None, picture: discord.Attachment | None, words: Words
) -> None:
    guild_id = server_of(interaction)
    persona = (await found(interaction, guild_id, name)).persona if name is not None else None
    await interaction.response.send_modal(PersonaForm(words, persona, picture))


def _tune(translator: Translator) -> _Command:
    @_command(translator, "tune")
    @app_commands.describe(
        name=said(translator, "persona-name"),
        model=said(translator, "persona-model"),
        temperature=said(translator, "persona-temperature"),
        top_p=said(translator, "persona-top-p"),
        max_tokens=said(translator, "persona-max-tokens"),
        reset=said(translator, "persona-reset"),
    )
    @app_commands.autocomplete(name=suggest_names)
    async def tune(
        interaction: discord.Interaction[Any],
        name: _Name,
        model: _Model | None = None,
        temperature: _Temperature | None = None,
        top_p: _TopP | None = None,
        max_tokens: _Tokens | None = None,
        reset: bool = False,
    ) -> None:
        given = {"model": model, "temperature": temperature, "top_p": top_p, "max_output_tokens": max_tokens}
        await _tell(interaction, lambda words: _tuned(interaction, name, given, reset, words))

    return tune


async def _tuned(
    interaction: discord.Interaction[Any], name: str, given: dict[str, Any], reset: bool, words: Words
) -> str:
    guild_id = server_of(interaction)
    persona = (await found(interaction, guild_id, name)).persona
    changes = {field: value for field, value in given.items() if reset or value is not None}
    if (model := changes.get("model")) is not None and model.strip().casefold() in (NONE, ""):
        changes["model"] = None
    if changes:
        persona = await keep(
            interaction, guild_id, msgspec.structs.replace(persona, **changes), instead_of=persona.name
        )
    return tuning(persona, words)


def _import(translator: Translator) -> _Command:
    @_command(translator, "import")
    @app_commands.describe(file=said(translator, "persona-import-file"), replace=said(translator, "persona-replace"))
    async def import_(interaction: discord.Interaction[Any], file: discord.Attachment, replace: bool = False) -> None:
        async def work(words: Words) -> str:
            return await take_in(interaction, server_of(interaction), file, replace, words)

        await _tell(interaction, work)

    return import_


def _export(translator: Translator) -> _Command:
    @_command(translator, "export")
    @app_commands.rename(form="format")
    @app_commands.describe(name=said(translator, "persona-name"), form=said(translator, "persona-export-format"))
    @app_commands.choices(form=_FORMS)
    @app_commands.autocomplete(name=suggest_names)
    async def export(interaction: discord.Interaction[Any], name: _Name, form: str = PNG) -> None:
        async def work(_words: Words) -> None:
            await hand_out(interaction, await found(interaction, server_of(interaction), name), form)

        await _tell(interaction, work)

    return export


def _delete(translator: Translator) -> _Command:
    @_command(translator, "delete")
    @app_commands.describe(name=said(translator, "persona-name"))
    @app_commands.autocomplete(name=suggest_names)
    async def delete(interaction: discord.Interaction[Any], name: _Name) -> None:
        await _tell(interaction, lambda words: _deleted(interaction, name, words))

    return delete


async def _deleted(interaction: discord.Interaction[Any], name: str, words: Words) -> str:
    guild_id = server_of(interaction)
    persona = (await found(interaction, guild_id, name)).persona
    await personas_of(interaction).delete(guild_id, name)
    await follow(interaction, persona.name, None)
    await retire(interaction.client, personas_of(interaction), persona.avatar_url)
    return words("persona-deleted", name=shown(persona.name))

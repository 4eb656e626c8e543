"""`/model` and `/think`: which model answers, and how much it thinks; for oneself, a channel, or the server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, Optional, TypeAlias

import discord
import msgspec
from discord import app_commands

from adapters.contract import ModelInfo
from bot.commands.choosing import Where, place, where_choices
from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.delivery.foreign_text import as_code
from bot.gateway.admission.visits import location_of_interaction
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, for_admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.preferences import ChosenModel, Location, ModelPreferences, Scope, ServerCapabilities, Thinking
from bot.store import Deed
from bot.turn.attempts import ModelChoice
from bot.turn.scenes import chosen_model, model_preferences

MOST_SUGGESTED = 25
"""What Discord shows of an autocompletion."""
LONGEST_MODEL = 100
"""Code points; what Discord takes as the value of a suggestion."""
DEFAULT = "default"
"""Given as the model: as before anybody chose."""

_Command: TypeAlias = app_commands.Command[Any, ..., Any]
_Interaction: TypeAlias = discord.Interaction[ParleyClient]


def model_commands(translator: Translator) -> Sequence[_Command]:
    return _model(translator), _think(translator)


def _model(translator: Translator) -> _Command:
    @app_commands.command(
        name=said(translator, "command-model"), description=said(translator, "command-model-description")
    )
    @app_commands.describe(model=said(translator, "model-model"), where=said(translator, "model-where"))
    @app_commands.choices(where=where_choices(translator))
    @app_commands.autocomplete(model=_suggest)
    async def model(
        interaction: _Interaction,
        model: Optional[app_commands.Range[str, 1, LONGEST_MODEL]] = None,  # noqa: UP045 - discord.py reads it
        where: str = Where.ME.value,
    ) -> None:
        if not await admitted(interaction):
            return
        words, available = words_of(interaction), interaction.client.desk.parts.model
        if available is None:
            await whisper(interaction, words("notice-no-model"))
            return
        lines: list[str] = []
        if model is not None:
            there = await _place(interaction, Where(where))
            if there is None:
                return
            name = model.strip()
            chosen = None if name.casefold() == DEFAULT else ChosenModel(available.adapter.name, name)
            if chosen is not None and not available.offers(name):
                await whisper(interaction, words("model-not-offered", model=as_code(name)))
                return
            scope, scope_id, deed = there
            await interaction.client.preferences.change(ModelPreferences, scope, scope_id, deed, model=chosen)
            if chosen is not None:
                lines += _warning(interaction.client.desk.listings.names(available), name, words)
        lines = [*[line async for line in _told(interaction, available, words)], *lines]
        await whisper(interaction, "\n".join(lines))

    model.allowed_contexts, model.allowed_installs = ANYWHERE, BROUGHT_ALONG
    return model


def _think(translator: Translator) -> _Command:
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
    async def think(interaction: _Interaction, effort: Optional[str] = None, where: str = Where.ME.value) -> None:  # noqa: UP045
        if not await admitted(interaction):
            return
        words, client = words_of(interaction), interaction.client
        if effort is not None:
            there = await _place(interaction, Where(where))
            if there is None:
                return
            scope, scope_id, deed = there
            # The default is chosen too: it may be wanted where the server chose otherwise.
            await client.preferences.change(ModelPreferences, scope, scope_id, deed, thinking=Thinking(effort))
        preferences = await model_preferences(client.preferences, _location(interaction))
        lines = [words("think-now", effort=words(f"choice-thinking-{preferences.thinking}"))]
        available = client.desk.parts.model
        if available is not None:
            name = chosen_model(preferences.model, available)
            if client.desk.listings.known(available, name).reasoning is False:
                lines.append(words("think-cannot", model=as_code(name)))
        await whisper(interaction, "\n".join(lines))

    think.allowed_contexts, think.allowed_installs = ANYWHERE, BROUGHT_ALONG
    return think


@for_admitted
async def _suggest(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
    available: ModelChoice | None = interaction.client.desk.parts.model
    if available is None:
        return []
    typed = current.strip().casefold()
    names = dict.fromkeys([available.model, *interaction.client.desk.listings.names(available)])
    offered = [name for name in names if available.offers(name) and len(name) <= LONGEST_MODEL]
    fitting = [name for name in offered if typed in name.casefold()]
    # Those that begin with it, or have a part that does, before those that only hold it.
    fitting.sort(key=lambda name: not name.casefold().startswith(typed))
    return [app_commands.Choice(name=name, value=name) for name in fitting[:MOST_SUGGESTED]]


async def _told(interaction: _Interaction, available: ModelChoice, words: Words) -> AsyncIterator[str]:
    client, location = interaction.client, _location(interaction)
    preferences = await model_preferences(client.preferences, location)
    name = chosen_model(preferences.model, available)
    yield words("model-now", model=as_code(name), provider=available.adapter.name)
    yield words(f"model-by-{await _chosen_by(client, location)}")
    about = "; ".join(_facts(client.desk.listings.known(available, name), words))
    if about:
        yield about


async def _chosen_by(client: ParleyClient, location: Location) -> str:
    """The nearest who chose: the end of a key in locales/."""
    if not await _may_choose(client, location):
        location = msgspec.structs.replace(location, person_id=None)
    near_to_far = (
        (Scope.PERSON, location.person_id),
        (Scope.CHANNEL, location.channel_id),
        (Scope.CHANNEL, location.parent_id),
        (Scope.SERVER, location.guild_id),
        (Scope.GLOBAL, 0),
    )
    for scope, scope_id in near_to_far:
        if scope_id is not None and "model" in await client.preferences.chosen(ModelPreferences, scope, scope_id):
            return scope.value
    return "nobody"


async def _may_choose(client: ParleyClient, location: Location) -> bool:
    """Whether a person may for themselves."""
    return location.guild_id is None or (
        (await client.preferences.of(ServerCapabilities, location)).personal_models_enabled
    )


async def _place(interaction: _Interaction, where: Where) -> tuple[Scope, int, Deed] | None:
    """See bot.commands.choosing.place."""
    if where is Where.ME and not await _may_choose(interaction.client, _location(interaction)):
        await whisper(interaction, words_of(interaction)("model-not-yours"))
        return None
    return await place(interaction, where)


def _facts(info: ModelInfo, words: Words) -> Iterator[str]:
    if info.context_window is not None:
        yield words("model-context", tokens=info.context_window)
    for ability in ("vision", "tools", "reasoning"):
        if getattr(info, ability) is not None:
            yield words(f"model-{ability}-{'yes' if getattr(info, ability) else 'no'}")
    if info.input_price is not None and info.output_price is not None:
        yield words("model-price", read=f"${info.input_price:g}", written=f"${info.output_price:g}")


def _warning(names: Sequence[str], name: str, words: Words) -> list[str]:
    if not names or name in names:
        return []
    near = get_close_matches(name, names, n=3, cutoff=0.4)
    told = words("model-not-listed", model=as_code(name))
    return [f"{told} {words('model-near', models=', '.join(map(as_code, near)))}" if near else told]


def _location(interaction: discord.Interaction[Any]) -> Location:
    return msgspec.structs.replace(location_of_interaction(interaction), person_id=interaction.user.id)

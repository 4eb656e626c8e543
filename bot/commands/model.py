"""`/model`: which model answers, why, and with whose key; and choosing another, for oneself, a channel, or the server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Optional, TypeAlias

import discord
from discord import app_commands

from adapters.contract import ModelInfo
from bot.commands.choosing import SCOPES, Where, place, where_choices
from bot.commands.model_names import LONGEST_VALUE, Place, Typed, labels, near, read, suggestions
from bot.commands.reach import ANYWHERE, BROUGHT_ALONG
from bot.commands.words import said
from bot.delivery.foreign_text import as_code
from bot.gateway.admission.visits import location_of_asker
from bot.gateway.client import ParleyClient
from bot.gateway.interactions import admitted, for_admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.preferences import ChosenModel, ModelPreferences, Scope
from bot.store import Deed
from bot.turn.models import Account, ModelChoice, NoModel, Payer

DEFAULT = "default"
"""Given as the model: as before anybody chose."""

_Interaction: TypeAlias = discord.Interaction[ParleyClient]


def model_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-model"), description=said(translator, "command-model-description")
    )
    @app_commands.describe(model=said(translator, "model-model"), where=said(translator, "model-where"))
    @app_commands.choices(where=where_choices(translator))
    @app_commands.autocomplete(model=_suggest)
    async def model(
        interaction: _Interaction,
        model: Optional[app_commands.Range[str, 1, LONGEST_VALUE]] = None,  # noqa: UP045 - discord.py reads it
        where: str = Where.ME.value,
    ) -> None:
        if not await admitted(interaction):
            return
        remarks: Sequence[str] = ()
        if model is not None:
            there = await may_choose_at(interaction, Where(where))
            if there is None:
                return
            chosen = await _choose(interaction, model, *there)
            if chosen is None:
                return
            remarks = chosen
        choice = await interaction.client.desk.parts.models.look(location_of_asker(interaction))
        await whisper(interaction, "\n".join((*_told(interaction, choice), *remarks)))

    model.allowed_contexts, model.allowed_installs = ANYWHERE, BROUGHT_ALONG
    return model


async def may_choose_at(interaction: _Interaction, where: Where) -> tuple[Scope, int, Deed] | None:
    """See bot.commands.choosing.place; and people may not for themselves where the server does not want it."""
    models = interaction.client.desk.parts.models
    if where is Where.ME and not await models.may_choose(location_of_asker(interaction)):
        await whisper(interaction, words_of(interaction)("model-not-yours"))
        return None
    return await place(interaction, where)


@for_admitted
async def _suggest(interaction: _Interaction, current: str) -> list[app_commands.Choice[str]]:
    wanted = getattr(interaction.namespace, "where", None)
    scope = SCOPES[Where(wanted)] if wanted in set(Where) else Scope.PERSON
    found = suggestions(await _places(interaction, scope), current)
    return [app_commands.Choice(name=value, value=value) for value in found]


# ------------------------------------------------------------------------------------------------------------- choosing


async def _choose(
    interaction: _Interaction, typed: str, scope: Scope, scope_id: int, deed: Deed
) -> Sequence[str] | None:
    """What there is to remark; None: nothing was chosen, and they were told why."""
    words, store = words_of(interaction), interaction.client.preferences
    if typed.strip().casefold() == DEFAULT:
        await store.change(ModelPreferences, scope, scope_id, deed, model=None)
        return ()
    places = await _places(interaction, scope)
    meant = read(places, typed)
    problem = _problem(interaction, places, meant, words)
    if problem is None and await _is_nobodys(interaction, scope, meant):
        problem = words("model-not-offered", model=as_code(meant.name))
    if problem is not None or meant.place is None:
        await whisper(interaction, problem or words("notice-no-model"))
        return None
    chosen = ChosenModel(meant.place.provider, meant.name, meant.place.base_url)
    await store.change(ModelPreferences, scope, scope_id, deed, model=chosen)
    return _warning(meant.place, meant.name, words)


def _problem(interaction: _Interaction, places: Sequence[Place], meant: Typed, words: Words) -> str | None:
    if not places:
        return words("notice-no-model")
    if meant.place is not None:
        return None
    if meant.provider:
        return words("model-no-key", provider=meant.provider)
    return words("model-which", model=as_code(meant.name), places=", ".join(map(as_code, labels(places))))


async def _is_nobodys(interaction: _Interaction, scope: Scope, meant: Typed) -> bool:
    """Only the operator could pay for it, and does not offer it."""
    accounts = [
        it for it in await _accounts(interaction, scope) if meant.place and _place_of(it) == _place_of(meant.place)
    ]
    return all(it.payer is Payer.OPERATOR and not _offers(interaction, it, meant.name) for it in accounts)


def _warning(there: Place, name: str, words: Words) -> Sequence[str]:
    if not there.names or name in there.names:
        return ()
    told, alike = words("model-not-listed", model=as_code(name)), near(there, name)
    return (f"{told} {words('model-near', models=', '.join(map(as_code, alike)))}" if alike else told,)


async def _places(interaction: _Interaction, scope: Scope) -> Sequence[Place]:
    """Where models are to be had for what is chosen at this scope, with those that are listed and may be chosen."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    listings, operator = interaction.client.desk.listings, interaction.client.desk.parts.models.operator
    for account in await _accounts(interaction, scope):
        names = list(listings.names(account))
        if account.payer is Payer.OPERATOR and operator is not None:
            names.insert(0, operator.model)
        offered = (name for name in names if _offers(interaction, account, name))
        found.setdefault(_place_of(account), {}).update(dict.fromkeys(offered))
    return [Place(provider, base_url, tuple(names)) for (provider, base_url), names in found.items()]


async def _accounts(interaction: _Interaction, scope: Scope) -> Sequence[Account]:
    return await interaction.client.desk.parts.models.accounts(location_of_asker(interaction), scope)


def _offers(interaction: _Interaction, account: Account, name: str) -> bool:
    """Of their own key people choose any model."""
    operator = interaction.client.desk.parts.models.operator
    return account.payer is not Payer.OPERATOR or (operator is not None and operator.offers(name))


def _place_of(it: Account | Place) -> tuple[str, str]:
    return it.provider, it.base_url


# -------------------------------------------------------------------------------------------------------------- telling


def _told(interaction: _Interaction, choice: ModelChoice | NoModel) -> Iterator[str]:
    words = words_of(interaction)
    if isinstance(choice, NoModel):
        yield words(choice.reason, model=as_code(choice.model), provider=choice.provider)
        return
    yield words("model-now", model=as_code(choice.model), provider=choice.adapter.name)
    if choice.instead_of:
        yield words("model-gone", model=as_code(choice.instead_of))
    else:
        yield words(f"model-by-{choice.chosen_by.value if choice.chosen_by else 'nobody'}")
    yield words(f"model-paid-{choice.payer.value}")
    about = "; ".join(_facts(interaction.client.desk.listings.known(choice), words))
    if about:
        yield about


def _facts(info: ModelInfo, words: Words) -> Iterator[str]:
    if info.context_window is not None:
        yield words("model-context", tokens=info.context_window)
    for ability in ("vision", "tools", "reasoning"):
        if getattr(info, ability) is not None:
            yield words(f"model-{ability}-{'yes' if getattr(info, ability) else 'no'}")
    if info.input_price is not None and info.output_price is not None:
        yield words("model-price", read=f"${info.input_price:g}", written=f"${info.output_price:g}")

"""`/setup`: from nothing to a first answer, step by step, for who manages a server.

Each step keeps what was chosen at once, so that it can be left, taken up again and walked anew at any time; nothing waits for an end.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import discord
import msgspec
from discord import app_commands, ui

from adapters.contract import ErrorReason, ProviderError
from bot.commands import setup_panel
from bot.commands.choosing import Where
from bot.commands.key_form import (
    KeyModal,
    Report,
    chosen_value,
    deed_of,
    keep_waiting,
    keyring_of,
    owner_of,
    provider_name,
    verdict_line,
)
from bot.commands.language import AS_DISCORD
from bot.commands.model_order import best_first
from bot.commands.panels import IN_PANEL, PanelItem, pressed, show
from bot.commands.setup_panel import LONGEST_MODEL, TEMPLATE, SetupControl, State, Step
from bot.commands.words import said
from bot.delivery.foreign_text import as_code
from bot.gateway.admission.visits import location_of_interaction
from bot.gateway.interactions import GatedModal, acknowledge, admitted, whisper, words_of
from bot.localization import Translator, Words
from bot.preferences import (
    Answering,
    ChosenModel,
    ConversationPreferences,
    LanguagePreferences,
    ModelPreferences,
    Scope,
)
from bot.store import KeptKey
from bot.turn.keyring import PROVIDERS, Owner, Verdict
from bot.turn.listings import Listings
from bot.turn.models import Account, Models, NoModel, Payer

Interaction: TypeAlias = discord.Interaction[Any]


def setup_command(translator: Translator) -> app_commands.Command[Any, ..., Any]:
    @app_commands.command(
        name=said(translator, "command-setup"), description=said(translator, "command-setup-description")
    )
    async def setup(interaction: Interaction) -> None:
        if await admitted(interaction) and await owner_of(interaction, Where.SERVER) is not None:
            await _show_start(interaction)

    setup.guild_only = True
    setup.default_permissions = discord.Permissions(manage_guild=True)
    return setup


class SetupItem(PanelItem[SetupControl], ui.DynamicItem[ui.Item[Any]], template=TEMPLATE):
    """A button or select of the wizard."""

    read = staticmethod(setup_panel.read)

    async def callback(self, interaction: Interaction) -> None:
        step = self._control.step
        deed = partial(_do, interaction, self._control)
        # What may open a modal acknowledges by itself where it opens none.
        by_itself = step in (Step.PROVIDER, Step.KEY, Step.OTHER, Step.HELLO)
        await pressed(interaction, self._control.user_id, deed, opens_modal=by_itself, asks=step is Step.HELLO)


async def _do(interaction: Interaction, control: SetupControl) -> None:
    owner = await owner_of(interaction, Where.SERVER)
    if owner is not None:
        await _STEPS[control.step](interaction, control, owner)


# ----------------------------------------------------------------------------------------------- 1: a provider and its key


async def _show_start(interaction: Interaction, report: Report | None = None) -> None:
    state = await _state(interaction)
    notice, waiting = (report.text, report.waiting) if report else ("", "")
    await show(interaction, *setup_panel.start(state, words_of(interaction), notice, waiting))


async def _start(interaction: Interaction, _control: SetupControl, _owner: Owner) -> None:
    await _show_start(interaction)


async def _provider(interaction: Interaction, _control: SetupControl, owner: Owner) -> None:
    provider = chosen_value(interaction)
    if provider not in PROVIDERS:
        await whisper(interaction, words_of(interaction)("keys-bad-provider"))
        return
    kept = await keyring_of(interaction).keys.of(owner.scope, owner.scope_id)
    key = next((key for key in kept if key.provider == provider and key.opens), None)
    if key is None:
        modal = KeyModal(Where.SERVER, provider, words_of(interaction), _entered)
        await interaction.response.send_modal(modal)
    elif await acknowledge(interaction, **IN_PANEL):
        await _show_models(interaction, owner, key)


async def _entered(interaction: Interaction, report: Report) -> None:
    owner = await owner_of(interaction, Where.SERVER)
    if report.kept is None or owner is None:
        await _show_start(interaction, report)
    else:
        await _show_models(interaction, owner, report.kept, report.text)


async def _keep(interaction: Interaction, control: SetupControl, owner: Owner) -> None:
    await _entered(interaction, await keep_waiting(interaction, owner, control.subject))


# --------------------------------------------------------------------------------------------------------------- 2: a model


async def _show_models(interaction: Interaction, owner: Owner, key: KeptKey, notice: str = "") -> None:
    words = words_of(interaction)
    (names, error), state = await _names(interaction, owner, key), await _state(interaction)
    if error is not None and error.reason is ErrorReason.AUTH and not notice:
        notice = verdict_line(Verdict.REFUSED, provider_name(key.provider, words), words)
    await show(interaction, *setup_panel.choose_model(state, key.provider, key.key_id, names, words, notice))


async def _names(interaction: Interaction, owner: Owner, key: KeptKey) -> tuple[Sequence[str], ProviderError | None]:
    """That the provider lists, the best first; empty where it lists none now. With its error."""
    listings: Listings = interaction.client.desk.listings
    account = Account(Payer.SERVER, owner.scope_id, key.provider, key.base_url)
    error = await listings.ask(account)
    return best_first([name for name in listings.listed(account) if len(name) <= LONGEST_MODEL]), error


async def _key(interaction: Interaction, control: SetupControl, owner: Owner) -> None:
    kept = await keyring_of(interaction).keys.of(owner.scope, owner.scope_id)
    provider = next((key.provider for key in kept if str(key.key_id) == control.subject), "")
    if provider not in PROVIDERS:
        await whisper(interaction, words_of(interaction)("keys-gone"))
        return
    await interaction.response.send_modal(KeyModal(Where.SERVER, provider, words_of(interaction), _entered))


async def _model(interaction: Interaction, control: SetupControl, owner: Owner) -> None:
    await _choose_model(interaction, owner, control.subject, chosen_value(interaction))


async def _other(interaction: Interaction, control: SetupControl, _owner: Owner) -> None:
    await interaction.response.send_modal(ModelModal(control.subject, words_of(interaction)))


async def _choose_model(interaction: Interaction, owner: Owner, key_id: str, name: str) -> None:
    kept = await keyring_of(interaction).keys.of(owner.scope, owner.scope_id)
    key = next((key for key in kept if str(key.key_id) == key_id), None)
    name = " ".join(name.split())
    if key is None or not name:
        await _show_start(interaction, Report(words_of(interaction)("keys-gone")))
        return
    chosen = ChosenModel(key.provider, name[:LONGEST_MODEL], key.base_url)
    deed = deed_of(interaction, owner)
    await interaction.client.preferences.change(ModelPreferences, Scope.SERVER, owner.scope_id, deed, model=chosen)
    await _show_place(interaction)


class ModelModal(GatedModal):
    """A model by its name."""

    door = IN_PANEL

    def __init__(self, key_id: str, words: Words) -> None:
        super().__init__(words("setup-other"))
        self._key_id = key_id
        self._name: ui.TextInput[Any] = ui.TextInput(custom_id="model", max_length=LONGEST_MODEL)
        self.add_item(ui.Label(text=words("setup-model-name"), component=self._name))

    async def on_submit(self, interaction: Interaction, /) -> None:
        owner = await owner_of(interaction, Where.SERVER)
        if owner is not None:
            await _choose_model(interaction, owner, self._key_id, self._name.value)


# ---------------------------------------------------------------------------------------------- 3: where, and in what language


async def _show_place(interaction: Interaction) -> None:
    translator: Translator = interaction.client.translator
    state = await _state(interaction)
    await show(interaction, *setup_panel.choose_place(state, translator.locales, words_of(interaction)))


async def _place(interaction: Interaction, _control: SetupControl, _owner: Owner) -> None:
    await _show_place(interaction)


async def _answering(interaction: Interaction, _control: SetupControl, owner: Owner) -> None:
    always = chosen_value(interaction) == Answering.ALWAYS
    here = {"answering": Answering.ALWAYS if always else None}
    changes: list[tuple[type[msgspec.Struct], Scope, int, Mapping[str, Any]]] = [
        (ConversationPreferences, Scope.CHANNEL, interaction.channel_id or 0, here)
    ]
    if not always:
        changes.append((ConversationPreferences, Scope.SERVER, owner.scope_id, {"answering": Answering.MENTIONS}))
    await interaction.client.preferences.change_all(changes, deed_of(interaction, owner))
    await _show_place(interaction)


async def _language(interaction: Interaction, _control: SetupControl, owner: Owner) -> None:
    chosen, translator = chosen_value(interaction), interaction.client.translator
    locale = chosen if chosen in translator.locales else None
    if locale is not None or chosen == AS_DISCORD:
        deed = deed_of(interaction, owner)
        await interaction.client.preferences.change(
            LanguagePreferences, Scope.SERVER, owner.scope_id, deed, locale=locale
        )
    await _show_place(interaction)


# --------------------------------------------------------------------------------------------------------------- and its end


async def _done(interaction: Interaction, _control: SetupControl, _owner: Owner) -> None:
    mention = interaction.client.user.mention
    await show(interaction, *setup_panel.done(await _state(interaction), mention, words_of(interaction)))


async def _hello(interaction: Interaction, _control: SetupControl, _owner: Owner) -> None:
    """For their eyes only: nobody else asked."""
    if await acknowledge(interaction, ephemeral=True, thinking=True):
        await interaction.client.asking.ask(interaction, words_of(interaction)("setup-hello"), private=True)


async def _cancel(interaction: Interaction, _control: SetupControl, _owner: Owner) -> None:
    await show(interaction, *setup_panel.cancelled(words_of(interaction)))


_STEPS: Mapping[Step, Callable[[Interaction, SetupControl, Owner], Awaitable[None]]] = {
    Step.START: _start,
    Step.PROVIDER: _provider,
    Step.KEEP: _keep,
    Step.MODEL: _model,
    Step.KEY: _key,
    Step.OTHER: _other,
    Step.PLACE: _place,
    Step.ANSWERING: _answering,
    Step.LANGUAGE: _language,
    Step.DONE: _done,
    Step.HELLO: _hello,
    Step.CANCEL: _cancel,
}


async def _state(interaction: Interaction) -> State:
    client, location, guild_id = interaction.client, location_of_interaction(interaction), interaction.guild_id or 0
    keys = await keyring_of(interaction).keys.of(Scope.SERVER, guild_id)
    conversation = await client.preferences.of(ConversationPreferences, location)
    language = await client.preferences.chosen(LanguagePreferences, Scope.SERVER, guild_id)
    model, why_none = await _answering_model(interaction)
    return State(
        user_id=interaction.user.id,
        model=model,
        why_none=why_none,
        answering=conversation.answering,
        locale=language.get("locale", ""),
        key_count=len(keys),
        reads_all=client.intents.message_content,
    )


async def _answering_model(interaction: Interaction) -> tuple[ChosenModel | None, str]:
    """Which answers here whoever asks; or why none does, where one was chosen."""
    models: Models = interaction.client.desk.parts.models
    choice = await models.look(location_of_interaction(interaction))
    if not isinstance(choice, NoModel):
        return ChosenModel(choice.adapter.name, choice.model), ""
    if choice.chosen is None:
        return None, ""
    words = words_of(interaction)
    return None, words(choice.reason, model=as_code(choice.model), provider=provider_name(choice.provider, words))

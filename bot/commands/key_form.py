"""How a key is entered, in `/keys` and in `/setup`: a provider is chosen, a form asks for the key, and the key is tried.

The key stands in the form and nowhere else: no message, id or log has it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import discord
import msgspec
from discord import ui

from adapters import registry
from adapters.providers.chat.custom import CUSTOM
from bot.commands.choosing import Where
from bot.commands.panels import IN_PANEL, picked, show
from bot.gateway.admission.gate import may_manage
from bot.gateway.interactions import GatedModal, whisper, words_of
from bot.localization import Words
from bot.preferences import Scope
from bot.store import Deed, KeptKey
from bot.store.keys import NotAdded
from bot.turn.keyring import LONGEST_ADDRESS, LONGEST_KEY, NEEDS_ADDRESS, PROVIDERS, BadEntry, Keyring, Owner, Verdict

Interaction: TypeAlias = discord.Interaction[Any]

LONGEST_TITLE = 45
"""Code points of a modal's title (https://docs.discord.com/developers/interactions/receiving-and-responding)."""


class Report(msgspec.Struct, frozen=True):
    """What came of an entered key."""

    text: str
    """For who entered it."""
    kept: KeptKey | None = None
    waiting: str = ""
    """By which it is kept all the same."""


Then: TypeAlias = Callable[[Interaction, Report], Awaitable[None]]


def provider_name(provider: str, words: Words) -> str:
    """For people."""
    if provider == CUSTOM.name:
        return words("keys-custom")
    return registry.adapter(provider).title if provider in registry.NAMES else provider  # of another version


def provider_select(custom_id: str, placeholder: str, words: Words) -> ui.Item[Any]:
    """Those at their own address first, then the servers of whoever enters the key."""
    names = sorted((provider in NEEDS_ADDRESS, provider_name(provider, words), provider) for provider in PROVIDERS)
    options = [
        discord.SelectOption(
            label=name, value=provider, description=words("keys-needs-address") if needs_address else None
        )
        for needs_address, name, provider in names
    ]
    return ui.Select(custom_id=custom_id, placeholder=placeholder, options=options)


async def owner_of(interaction: Interaction, where: Where) -> Owner | None:
    """Whose keys these are; None: they may not, and were told so."""
    if where is Where.ME:
        return Owner(Scope.PERSON, interaction.user.id)
    words = words_of(interaction)
    if interaction.guild_id is None or interaction.client.get_guild(interaction.guild_id) is None:
        # Where only a person brought us along, nobody would tell us to let go of the server's keys.
        await whisper(interaction, words("where-no-server"))
        return None
    if not may_manage(interaction.permissions):
        await whisper(interaction, words("command-not-allowed"))
        return None
    return Owner(Scope.SERVER, interaction.guild_id)


def deed_of(interaction: Interaction, owner: Owner) -> Deed:
    """What is done to a person's keys shows in no server's history."""
    return Deed(interaction.user.id, owner.scope_id if owner.scope is Scope.SERVER else 0)


def keyring_of(interaction: Interaction) -> Keyring:
    keyring: Keyring = interaction.client.desk.keyring
    return keyring


class KeyModal(GatedModal):
    door = IN_PANEL

    def __init__(self, where: Where, provider: str, words: Words, then: Then) -> None:
        super().__init__(words("keys-form-title", provider=provider_name(provider, words))[:LONGEST_TITLE])
        self._where, self._provider, self._then = where, provider, then
        self._key: ui.TextInput[Any] = ui.TextInput(
            custom_id="key", required=provider in registry.NEEDS_KEY, max_length=LONGEST_KEY
        )
        self._address: ui.TextInput[Any] = ui.TextInput(
            custom_id="address", required=provider in NEEDS_ADDRESS, max_length=LONGEST_ADDRESS
        )
        address_hint = "keys-form-address-needed" if provider in NEEDS_ADDRESS else "keys-form-address-hint"
        self.add_item(
            ui.Label(text=words("keys-form-key"), description=words("keys-form-key-hint"), component=self._key)
        )
        self.add_item(
            ui.Label(text=words("keys-form-address"), description=words(address_hint), component=self._address)
        )

    async def on_submit(self, interaction: Interaction, /) -> None:
        owner = await owner_of(interaction, self._where)  # asked again: rights may have changed meanwhile
        if owner is None:
            return
        words = words_of(interaction)
        testing = words("keys-testing", provider=provider_name(self._provider, words))
        await show(interaction, discord.Embed(description=testing))
        await self._then(interaction, await self._entered(interaction, owner, words))

    async def _entered(self, interaction: Interaction, owner: Owner, words: Words) -> Report:
        keyring, provider = keyring_of(interaction), provider_name(self._provider, words)
        try:
            entry = keyring.read(self._provider, self._address.value, self._key.value)
            outcome = await keyring.enter(owner, entry, deed_of(interaction, owner))
        except BadEntry as bad:
            return Report(words(f"keys-bad-{bad.why}"))
        except NotAdded as problem:
            return Report(not_added(problem, words))
        text = verdict_line(outcome.verdict, provider, words)
        if outcome.kept is not None:
            text = f"{text} {words('keys-kept')}"
        elif outcome.waiting:
            text = f"{text} {words('keys-not-kept-yet')}"
        return Report(text, outcome.kept, outcome.waiting)


def verdict_line(verdict: Verdict, provider: str, words: Words) -> str:
    return words(f"keys-verdict-{verdict}", provider=provider)


def not_added(problem: NotAdded, words: Words) -> str:
    return words(f"keys-not-added-{problem.why}", most=problem.most)


async def keep_waiting(interaction: Interaction, owner: Owner, waiting: str) -> Report:
    """Of a press on "Save all the same"."""
    words = words_of(interaction)
    try:
        kept = await keyring_of(interaction).keep_waiting(owner, waiting, deed_of(interaction, owner))
    except NotAdded as problem:
        return Report(not_added(problem, words))
    return Report(words("keys-waited-too-long")) if kept is None else Report(words("keys-kept"), kept)


def chosen_value(interaction: Interaction) -> str:
    """Of a select with one choice; empty where there is none."""
    return next(iter(picked(interaction)), "")

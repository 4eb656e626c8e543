"""Answering a press or a command: acknowledged first, then asked at the gate; what is told is for the eyes of who did it.

Discord waits three seconds for the acknowledgement, so it comes before anything is looked up. Every command, modal and autocomplete
goes in by one of the doors here (tests/e2e/test_entrances.py tries them all).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias, TypeVar

import discord
import structlog
from discord import app_commands

from bot.delivery.payloads import NOBODY
from bot.delivery.refusals import FAILURES
from bot.gateway.admission.gate import Gate, Refusal, Refused
from bot.gateway.admission.visits import Entrance, location_of_interaction, visit_of_interaction
from bot.gateway.languages import locale_of_reader, look_up_reader
from bot.localization import Translator, Words
from bot.preferences import Location
from bot.store import DatabaseUnavailable, Preferences

log = structlog.get_logger()

MODAL_SECONDS = 900.0
"""How long an opened modal is waited for."""
LONGEST_INPUT = 4000
"""Code points; what a text input of a modal takes (https://docs.discord.com/developers/components/reference#text-input)."""

C = TypeVar("C", str, int, float)
Suggest: TypeAlias = Callable[[discord.Interaction[Any], str], Coroutine[Any, Any, list[app_commands.Choice[C]]]]


async def admitted(
    interaction: discord.Interaction[Any],
    entrance: Entrance = Entrance.COMMAND,
    *,
    asks: bool = False,
    own_data: bool = False,
    opens_modal: bool = False,
    **how: bool,
) -> bool:
    """The door of commands, buttons and modals. Where it is False, there is nothing left to do: who is refused was told why.

    `asks`: for an answer of the model; `own_data`: for what is kept of them (bot.gateway.admission.visits.Visit). `how` it is
    acknowledged: see InteractionResponse.defer; without it, for the person's eyes only. `opens_modal`: it is not acknowledged,
    since a modal must be the first answer.
    """
    how = how or {"ephemeral": True, "thinking": entrance is not Entrance.BUTTON}
    if not opens_modal and not await acknowledge(interaction, **how):
        return False
    await look_up_reader(interaction)
    refused = await asked(interaction, entrance, asks=asks, own_data=own_data)
    if refused is None:
        return True
    says_thinking = entrance is Entrance.COMMAND or how.get("thinking", False)
    if says_thinking and not how.get("ephemeral") and not opens_modal:
        # What follows on a public "thinking …" would be as public as that.
        await _take_back(interaction)
    location = location_of_interaction(interaction)
    await whisper(interaction, refusal_text(refused, interaction.client.preferences, location, words_of(interaction)))
    return False


async def asked(
    interaction: discord.Interaction[Any], entrance: Entrance, *, asks: bool = False, own_data: bool = False
) -> Refused | None:
    """What the gate says; nobody is told."""
    gate: Gate = interaction.client.gate
    visit = visit_of_interaction(interaction, entrance, asks=asks, own_data=own_data)
    return await gate.refusal(visit, asyncio.get_running_loop().time())


def refusal_text(refused: Refused, preferences: Preferences, location: Location, words: Words) -> str:
    """Why somebody is not answered. Nobody chose that a channel is closed where the database went away before it could be asked."""
    is_guess = refused.reason is Refusal.CHANNEL_CLOSED and preferences.is_guess(location)
    return words("outage-refused") if is_guess else refused.text(words)


def for_admitted(suggest: Suggest[C]) -> Suggest[C]:
    """The door of autocomplete, as a decorator: who is refused gets no suggestions."""

    @wraps(suggest)
    async def guarded(interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[C]]:
        refused = await asked(interaction, Entrance.AUTOCOMPLETE)
        return await suggest(interaction, current) if refused is None else []

    return guarded


class GatedModal(discord.ui.Modal):
    """The door of modals: on_submit is called for who is admitted, with the interaction acknowledged."""

    door: ClassVar[Mapping[str, bool]] = MappingProxyType({"ephemeral": True, "thinking": True})
    """How it is acknowledged, and what for: see `admitted`."""

    def __init__(self, title: str) -> None:
        super().__init__(title=title, timeout=MODAL_SECONDS)

    async def interaction_check(self, interaction: discord.Interaction[Any], /) -> bool:
        return await admitted(interaction, Entrance.MODAL, **self.door)

    async def on_error(  # type: ignore[override]  # as discord.py's own Modal has it
        self, interaction: discord.Interaction[Any], error: Exception, /
    ) -> None:
        await tell_of_failure(interaction, error, "modal_failed", modal=type(self).__name__)


def words_of(interaction: discord.Interaction[Any]) -> Words:
    """In the language of who pressed or typed."""
    translator: Translator = interaction.client.translator
    return translator.say(locale_of_reader(interaction))


async def acknowledge(interaction: discord.Interaction[Any], **how: bool) -> bool:
    """Discord waits three seconds for this, so it comes before anything is looked up. `how`: see InteractionResponse.defer.

    False where there is nothing left to do: another process on the same token was quicker (40060), or it came too late (10062).
    """
    try:
        await interaction.response.defer(**how)
        return True
    except FAILURES as error:
        log.info("not_acknowledged", interaction=interaction.id, error=str(error))
        return False


async def whisper(interaction: discord.Interaction[Any], text: str) -> None:
    """Tell it to who pressed or typed, and to nobody else. Never raises: without an ear there is the log."""
    try:
        if interaction.response.is_done():
            await interaction.followup.send(text, ephemeral=True, allowed_mentions=NOBODY)
        else:
            await interaction.response.send_message(text, ephemeral=True, allowed_mentions=NOBODY)
    except FAILURES as error:
        log.warning("not_whispered", interaction=interaction.id, error=str(error))


async def tell_of_failure(
    interaction: discord.Interaction[Any], error: Exception, event: str, **details: object
) -> None:
    """What went wrong, to who pressed or typed, and to the log: a fault of ours as this event. That the database is away is none."""
    log_failure(error, event, **details)
    await whisper(interaction, words_of(interaction)(failure_key(error)))


def log_failure(error: Exception, event: str, **details: object) -> None:
    if isinstance(error, DatabaseUnavailable):
        log.info("not_done", why=str(error), **details)
    else:
        log.error(event, exc_info=error, **details)


def failure_key(error: Exception) -> str:
    """What people are told of it: a message key."""
    return "outage-not-done" if isinstance(error, DatabaseUnavailable) else "error-internal"


async def _take_back(interaction: discord.Interaction[Any]) -> None:
    try:
        await interaction.delete_original_response()
    except FAILURES as error:
        log.info("not_taken_back", interaction=interaction.id, error=str(error))

"""How an answer looks where it was asked for, and who speaks: what was chosen there, as far as it is possible there."""

from __future__ import annotations

import msgspec

from bot.persona import Persona
from bot.preferences import DeliveryPreferences, Style
from bot.store import StoredVersion
from bot.turn.ending import Look, decoded
from bot.turn.parts import TurnParts
from bot.turn.request import Task, TurnRequest


async def look_of(parts: TurnParts, request: TurnRequest) -> Look:
    """Of a first version."""
    return await _look(parts, request, await parts.scenes.persona(request), request.heading)


async def look_after(parts: TurnParts, request: TurnRequest, version: StoredVersion | None) -> Look:
    """Of what follows `version`: another one, its rest, or itself once more. What stood above it stays."""
    if version is None:
        return await look_of(parts, request)
    persona = await parts.scenes.persona(request, version.persona)
    if request.task is Task.SHOW and version.persona and (persona is None or persona.name != version.persona):
        persona = Persona(version.persona)  # it is no more, and its words are still its own
    return await _look(parts, request, persona, decoded(version.facts).heading)


async def _look(parts: TurnParts, request: TurnRequest, persona: Persona | None, heading: str) -> Look:
    preferences = await parts.preferences.delivery(request.location)
    may_embed = request.channel.may_embed
    voice = None
    if persona is not None and (await parts.preferences.conversation(request.location)).webhooks:
        voice = await request.channel.voice(persona.name, persona.avatar_url)
    return Look(
        request.turn_id,
        parts.translator.say(request.locale),
        _possible(preferences, may_embed),
        may_embed,
        persona=persona,
        voice=voice,
        heading=heading,
    )


def _possible(preferences: DeliveryPreferences, may_embed: bool) -> DeliveryPreferences:
    """Discord drops embeds of who may not embed without a word."""
    if preferences.style is Style.EMBED and not may_embed:
        return msgspec.structs.replace(preferences, style=Style.PLAIN)
    return preferences

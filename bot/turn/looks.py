"""How an answer looks where it was asked for, and who speaks: what was chosen there, as far as it is possible there."""

from __future__ import annotations

import msgspec

from bot.delivery.foreign_text import as_words
from bot.preferences import DeliveryPreferences, Style
from bot.turn.ending import Look
from bot.turn.parts import TurnParts
from bot.turn.request import TurnRequest


async def look_of(parts: TurnParts, request: TurnRequest, persona_name: str | None = None) -> Look:
    """Of a first version. `persona_name`: who speaks; None: who does so there."""
    preferences = await parts.preferences.delivery(request.location)
    may_embed = request.channel.may_embed
    persona = await parts.scenes.persona(request, persona_name)
    voice = None
    heading = request.heading
    if persona is not None:
        if (await parts.preferences.conversation(request.location)).webhooks:
            voice = await request.channel.voice(persona.name, persona.avatar_url)
        if voice is None:
            heading += f"**{as_words(persona.name)}**\n"
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

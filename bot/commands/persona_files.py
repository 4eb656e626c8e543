"""Character cards come in and go out as files."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import discord

from bot.commands.options import BadValue
from bot.commands.persona_keeping import is_tuned, keep, read_file, shown, tuning
from bot.conversation.card_files import LARGEST_FILE, CardError
from bot.conversation.character_cards import Card, card_json, card_png, read_card
from bot.delivery.foreign_text import as_words
from bot.delivery.payloads import NOBODY
from bot.delivery.refusals import FAILURES
from bot.gateway.avatars import NoPicture, portrait
from bot.localization import Words
from bot.store import KeptPersona

PNG, JSON = "png", "json"
_LONGEST_FILE_NAME = 60
_LONGEST_LIST = 300


async def take_in(
    interaction: discord.Interaction[Any], guild_id: int, file: discord.Attachment, replace: bool, words: Words
) -> str:
    """Keep the persona that a card describes; what there is to tell about it. Raises BadValue."""
    data = await read_file(file, LARGEST_FILE)
    try:
        card = await asyncio.to_thread(read_card, data)
    except CardError as error:
        raise BadValue(f"card-fault-{error.fault.value}", **error.about) from None
    avatar = None
    if card.picture is not None:
        # Told below; the card is worth more than its picture.
        with contextlib.suppress(NoPicture):
            avatar = await portrait(card.picture)
    name = card.persona.name
    kept = await keep(interaction, guild_id, card.persona, avatar=avatar, instead_of=name if replace else None)
    lines = [words("persona-imported", name=shown(kept.name), version=card.version), *_summary(card, words)]
    if kept.trigger_words:
        lines.append(words("persona-card-words", words=as_words(", ".join(kept.trigger_words), _LONGEST_LIST)))
    if is_tuned(kept):
        lines.append(tuning(kept, words))
    if card.picture is not None and (avatar is None or kept.avatar_url is None):
        lines.append(words("persona-picture-not-taken"))
    return "\n".join(lines)


def _summary(card: Card, words: Words) -> Iterator[str]:
    persona = card.persona
    if card.creator:
        yield words("persona-card-creator", creator=as_words(card.creator))
    yield words(
        "persona-card-lengths",
        prompt=len(persona.prompt),
        greeting=len(persona.greeting),
        examples=len(persona.examples),
        note=len(persona.note),
    )
    if card.tags:
        yield words("persona-card-tags", tags=as_words(", ".join(card.tags), _LONGEST_LIST))
    if card.greetings or card.lore:
        yield words("persona-card-unused", greetings=card.greetings, lore=card.lore)


async def hand_out(interaction: discord.Interaction[Any], kept: KeptPersona, form: str) -> None:
    """As a file that only the person sees. Raises BadValue."""
    if form == JSON:
        data = await asyncio.to_thread(card_json, kept.persona)
    else:
        data = await asyncio.to_thread(card_png, kept.persona, kept.avatar)
    file = discord.File(BytesIO(data), f"{_file_name(kept.persona.name)}.{form}")
    try:
        await interaction.followup.send(file=file, ephemeral=True, allowed_mentions=NOBODY)
    except FAILURES:
        raise BadValue("persona-not-exported") from None


def _file_name(name: str) -> str:
    return re.sub(r"[^\w-]+", "_", name)[:_LONGEST_FILE_NAME].strip("_") or "persona"

"""Pictures of personas: a webhook wants a public address of one, so each is uploaded as an emoji that the application owns.

Discord keeps 2,000 of them, and their addresses stay the same (https://docs.discord.com/developers/resources/emoji). An emoji is named
by what the picture is, so the same one is uploaded once. When all places are taken, the oldest that no persona has makes room. Where
any of that fails the persona has no picture, which is no reason not to have the persona.
"""

from __future__ import annotations

import asyncio
import hashlib
from io import BytesIO

import discord
import structlog
from PIL import Image, ImageOps

from bot.attachments.kinds import kind_of
from bot.attachments.pictures import read_picture
from bot.delivery.refusals import FAILURES
from bot.store import Personas

log = structlog.get_logger()

LARGEST_PICTURE = 8_000_000
"""Bytes that are looked at."""
MOST_EMOJIS = 2000
LARGEST_EMOJI = 256 * 1024
"""Bytes (https://docs.discord.com/developers/resources/emoji#create-application-emoji)."""
_SIDES = (256, 192, 128)
"""Pixels. A picture of noise does not fit into LARGEST_EMOJI at the first."""
_PREFIX = "persona_"


class NoPicture(ValueError):
    """It cannot be read as a picture."""


async def portrait(data: bytes) -> bytes:
    """Anybody's picture → a square PNG of at most 256 pixels and LARGEST_EMOJI bytes. Raises NoPicture."""
    try:
        return await asyncio.to_thread(_portrait, data)
    except Exception as error:
        # Pillow raises whatever it likes for a file that is damaged (bot.attachments.pictures).
        raise NoPicture(type(error).__name__) from error


async def publish(client: discord.Client, personas: Personas, picture: bytes) -> str | None:
    """The public address of a portrait, which is uploaded unless it is there already. None where Discord does not take it."""
    name = f"{_PREFIX}{hashlib.blake2s(picture, digest_size=12).hexdigest()}"
    try:
        emojis = await client.fetch_application_emojis()
        if (known := discord.utils.get(emojis, name=name)) is not None:
            return known.url
        if len(emojis) >= MOST_EMOJIS:
            await _make_room(emojis, personas)
        return (await client.create_application_emoji(name=name, image=picture)).url
    except FAILURES as error:
        log.warning("avatar_not_published", error=str(error))
        return None


async def retire(client: discord.Client, personas: Personas, url: str | None) -> None:
    """The persona that had this picture is no more, or has another: delete it unless a second one has it too."""
    if url is None or url in await personas.avatar_addresses():
        return
    try:
        emojis = await client.fetch_application_emojis()
        for emoji in emojis:
            if emoji.url == url and _is_ours(emoji):
                await emoji.delete()
    except FAILURES as error:
        log.warning("avatar_not_retired", error=str(error))


async def _make_room(emojis: list[discord.Emoji], personas: Personas) -> None:
    used = await personas.avatar_addresses()
    unused = [emoji for emoji in emojis if _is_ours(emoji) and emoji.url not in used]
    if unused:
        await min(unused, key=lambda emoji: emoji.id).delete()


def _is_ours(emoji: discord.Emoji) -> bool:
    """Whoever runs the bot may have emoji of other kinds with the application."""
    return emoji.name.startswith(_PREFIX)


def _portrait(data: bytes) -> bytes:
    if len(data) > LARGEST_PICTURE or (kind := kind_of(data)) is None:
        raise NoPicture
    with Image.open(BytesIO(read_picture(data, kind.form).data), formats=("PNG", "JPEG")) as image:
        whole = image.convert("RGBA" if image.has_transparency_data else "RGB")
    for side in _SIDES:
        out = BytesIO()
        ImageOps.fit(whole, (side, side), Image.Resampling.LANCZOS).save(out, "PNG", optimize=True)
        if out.tell() <= LARGEST_EMOJI:
            break
    return out.getvalue()

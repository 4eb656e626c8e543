"""Answering a press or a command: acknowledged first, and whatever is told is for the eyes of who did it."""

from __future__ import annotations

from typing import Any

import discord
import structlog

from bot.delivery.payloads import NOBODY
from bot.delivery.refusals import FAILURES

log = structlog.get_logger()


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

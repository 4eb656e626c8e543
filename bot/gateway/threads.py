"""A thread for a question, and its name. The name is ours only as long as nobody gave it another one."""

from __future__ import annotations

from collections.abc import Callable

import discord
import structlog

from bot.delivery.refusals import FAILURES

log = structlog.get_logger()


def may_open_thread(message: discord.Message) -> bool:
    """Whether a question here can have a thread of its own, and Discord would let us open it."""
    channel = message.channel
    if not isinstance(channel, discord.TextChannel) or message.guild is None or message.flags.has_thread:
        return False
    permissions = channel.permissions_for(message.guild.me)
    return permissions.create_public_threads and permissions.send_messages_in_threads


async def open_thread(message: discord.Message, name: str) -> discord.Thread | None:
    """None where Discord does not open it; then the answer stands in the channel."""
    try:
        return await message.create_thread(name=name)
    except (*FAILURES, ValueError) as error:  # ValueError: discord.py knows already that it has one
        log.info("thread_not_opened", message=message.id, error=str(error))
        return None


async def rename_thread(client: Callable[[], discord.Client], thread_id: int, ours: str, name: str) -> None:
    """Give it this name, unless it has another one than ours by now, or is gone."""
    try:
        thread = await client().fetch_channel(thread_id)
        if isinstance(thread, discord.Thread) and thread.name == ours and not thread.archived:
            await thread.edit(name=name)
    except FAILURES as error:
        log.info("thread_not_renamed", thread=thread_id, error=str(error))

"""May we answer here? The one gate that every entrance asks."""

from __future__ import annotations

from enum import StrEnum

import discord


class Refusal(StrEnum):
    CANNOT_SEND = "cannot_send"
    """Discord would refuse our answer (50013), so the model is not asked for one that nobody would see."""

    PLACE_UNKNOWN = "place_unknown"
    """Discord has not told us about this server or thread (an outage of the server, as a rule): nothing is known of
    what we may do there."""


def refusal(channel: discord.abc.MessageableChannel, guild: discord.Guild | None) -> Refusal | None:
    if isinstance(channel, discord.DMChannel):
        return None
    if guild is None or guild.unavailable or isinstance(channel, discord.PartialMessageable):
        return Refusal.PLACE_UNKNOWN
    permissions = channel.permissions_for(guild.me)
    in_thread = isinstance(channel, discord.Thread)
    may_send = permissions.send_messages_in_threads if in_thread else permissions.send_messages
    return None if permissions.view_channel and may_send else Refusal.CANNOT_SEND


def may_steer(user_id: int, permissions: discord.Permissions, asker_id: int | None) -> bool:
    """Stop, delete, repeat or continue an answer: for who asked, and for those who may manage messages there."""
    return user_id == asker_id or permissions.manage_messages


def may_manage(permissions: discord.Permissions) -> bool:
    """Change how the bot behaves in a server."""
    return permissions.manage_guild

"""Somebody at an entrance of ours: who, where, for what. Plain values, and how they are read off discord.py's objects."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import discord
import msgspec

from bot.preferences import Location


class Entrance(StrEnum):
    MESSAGE = "message"
    COMMAND = "command"
    BUTTON = "button"
    MODAL = "modal"
    AUTOCOMPLETE = "autocomplete"


class Place(msgspec.Struct, frozen=True):
    """What we may do in a channel."""

    is_known: bool = True
    may_write: bool = True
    is_timed_out: bool = False


class Visit(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody at an entrance."""

    entrance: Entrance
    location: Location
    user_id: int
    is_bot: bool = False
    role_ids: frozenset[int] = frozenset()
    manages_server: bool = False
    place: Place = Place()
    asks: bool = False
    """For an answer of the model. Stopping one, looking at thoughts, or settings, is for free."""
    own_data: bool = False
    """To see or delete what is kept of them. That is everybody's right, wherever they are and whatever they did."""
    is_addressed: bool = True
    """Of a message: it speaks to us (Trigger.is_addressed), and does not only have a word, or stand in a channel, of ours."""


def place_of(channel: object, guild: discord.Guild | None) -> Place:
    """`channel`: a message's or an interaction's."""
    if isinstance(channel, discord.DMChannel):
        return Place()
    if guild is None or guild.unavailable:
        return Place(is_known=False)
    if isinstance(channel, discord.Thread):
        if channel.parent is None:  # permissions_for would raise
            return Place(is_known=False)
        permissions = channel.permissions_for(guild.me)
        # Only moderators write in a locked thread.
        may_send = permissions.send_messages_in_threads and (not channel.locked or permissions.manage_threads)
    elif isinstance(channel, discord.abc.GuildChannel):
        permissions = channel.permissions_for(guild.me)
        may_send = permissions.send_messages
    else:
        return Place(is_known=False)
    return Place(
        may_write=permissions.view_channel and may_send,
        # Who administrates the server cannot be timed out.
        is_timed_out=guild.me.is_timed_out() and not permissions.administrator,
    )


def visit_of_message(message: discord.Message, *, asks: bool, is_addressed: bool) -> Visit:
    author = message.author
    member = author if isinstance(author, discord.Member) else None
    return Visit(
        entrance=Entrance.MESSAGE,
        location=location_of(message.channel, message.guild.id if message.guild else None),
        user_id=author.id,
        is_bot=author.bot or message.webhook_id is not None,
        role_ids=_role_ids(author),
        manages_server=member is not None and member.guild_permissions.manage_guild,
        place=place_of(message.channel, message.guild),
        asks=asks,
        is_addressed=is_addressed,
    )


def visit_of_interaction(
    interaction: discord.Interaction, entrance: Entrance, *, asks: bool = False, own_data: bool = False
) -> Visit:
    # Where only the person brought us along, we are not: in a server, or in a direct message between two other people.
    guild = interaction.client.get_guild(interaction.guild_id) if interaction.guild_id is not None else None
    among_others = interaction.context.private_channel
    return Visit(
        entrance=entrance,
        location=location_of_interaction(interaction),
        user_id=interaction.user.id,
        role_ids=_role_ids(interaction.user),
        manages_server=interaction.guild_id is not None and interaction.permissions.manage_guild,
        place=Place(is_known=False) if among_others else place_of(interaction.channel, guild),
        asks=asks,
        own_data=own_data,
    )


def location_of(channel: object, guild_id: int | None, channel_id: int | None = None) -> Location:
    """`channel_id`: for a channel of a kind that discord.py does not know."""
    parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
    return Location(getattr(channel, "id", channel_id or 0), guild_id, parent_id)


def location_of_interaction(interaction: discord.Interaction[Any]) -> Location:
    return location_of(interaction.channel, interaction.guild_id, interaction.channel_id)


def location_of_asker(interaction: discord.Interaction[Any]) -> Location:
    """With who is there, whose own choices count."""
    return msgspec.structs.replace(location_of_interaction(interaction), person_id=interaction.user.id)


def _role_ids(person: discord.User | discord.Member) -> frozenset[int]:
    return frozenset(role.id for role in person.roles) if isinstance(person, discord.Member) else frozenset()

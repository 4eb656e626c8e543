"""Who and what there is in the stand-in's world, as values. Messages are kept as Discord's own JSON objects instead."""

from __future__ import annotations

from enum import IntEnum

import msgspec

from bot.playground.standin.permissions import MEMBER_DEFAULT, Overwrite, Permission


class ChannelType(IntEnum):
    """https://docs.discord.com/developers/resources/channel#channel-object-channel-types"""

    TEXT = 0
    DM = 1
    GROUP_DM = 3
    ANNOUNCEMENT_THREAD = 10
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    FORUM = 15


FILE_BYTES_LIMIT = 10 * 1024 * 1024
"""Where nobody has paid for more (https://docs.discord.com/developers/reference#uploading-files)."""

THREAD_TYPES = frozenset({ChannelType.ANNOUNCEMENT_THREAD, ChannelType.PUBLIC_THREAD, ChannelType.PRIVATE_THREAD})


class User(msgspec.Struct, frozen=True):
    id: str
    username: str
    global_name: str | None
    is_bot: bool = False
    locale: str = "en-US"
    avatar: str | None = None
    """The hash by which Discord names a picture."""

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"


class Role(msgspec.Struct, frozen=True):
    """The role whose id is the guild's is @everyone."""

    id: str
    guild_id: str
    name: str
    permissions: Permission = MEMBER_DEFAULT
    position: int = 0


class Member(msgspec.Struct, frozen=True):
    user_id: str
    guild_id: str
    role_ids: tuple[str, ...] = ()
    nick: str | None = None


class Guild(msgspec.Struct, frozen=True):
    id: str
    name: str
    owner_id: str
    locale: str = "en-US"
    file_limit: int = FILE_BYTES_LIMIT
    """Bytes that one file may have. A server that is boosted allows more."""


class Channel(msgspec.Struct, frozen=True):
    id: str
    type: ChannelType
    name: str | None = None
    guild_id: str | None = None
    parent_id: str | None = None
    """The text channel a thread hangs on, or the forum that a post is in."""
    owner_id: str | None = None
    """Who started the thread, or the group."""
    recipient_id: str | None = None
    """The person of a DM with the bot."""
    people: tuple[str, ...] = ()
    """Who is in a DM or group that the bot is not in."""
    position: int = 0
    topic: str | None = None
    created_at: str = ""
    """ISO 8601."""
    auto_archive_minutes: int = 1440
    archived: bool = False
    """Of a thread: it has gone from the list of channels, and nothing in it can be changed until somebody writes."""
    locked: bool = False
    """Of a thread: only moderators can write in it and bring it back."""
    archive_changed_at: str = ""
    """ISO 8601; as long as it is empty: when it was created."""
    overwrites: tuple[Overwrite, ...] = ()

    @property
    def is_thread(self) -> bool:
        return self.type in THREAD_TYPES


class Webhook(msgspec.Struct, frozen=True):
    id: str
    token: str
    channel_id: str
    guild_id: str
    name: str
    user_id: str
    """Who made it."""
    application_id: str | None = None
    """The bot's, if the bot made it: then its messages may have buttons."""
    avatar: str | None = None


class AppEmoji(msgspec.Struct, frozen=True):
    """An emoji that the application owns, and uses wherever it is."""

    id: str
    name: str
    image: bytes
    media_type: str

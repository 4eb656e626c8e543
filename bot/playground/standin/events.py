"""What happens in the stand-in's world, as typed values: what a person in the channel would see.

The page and the tests consume these; the gateway turns the same happenings into Discord's own dispatches.
`message` and `channel` are Discord's JSON objects (https://docs.discord.com/developers/resources/message).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

Json: TypeAlias = dict[str, Any]


class MessageCreated(msgspec.Struct, frozen=True, tag="message.create"):
    message: Json
    ephemeral_to: str | None = None
    """The one user who sees it, for an ephemeral answer to an interaction."""


class MessageUpdated(msgspec.Struct, frozen=True, tag="message.update"):
    message: Json
    ephemeral_to: str | None = None


class MessageDeleted(msgspec.Struct, frozen=True, tag="message.delete"):
    channel_id: str
    message_id: str
    ephemeral_to: str | None = None


class ReactionAdded(msgspec.Struct, frozen=True, tag="reaction.add"):
    channel_id: str
    message_id: str
    user_id: str
    emoji: str


class ReactionRemoved(msgspec.Struct, frozen=True, tag="reaction.remove"):
    channel_id: str
    message_id: str
    user_id: str
    emoji: str


class PollVoteAdded(msgspec.Struct, frozen=True, tag="poll.vote"):
    channel_id: str
    message_id: str
    user_id: str
    answer_id: int


class PollVoteRemoved(msgspec.Struct, frozen=True, tag="poll.unvote"):
    channel_id: str
    message_id: str
    user_id: str
    answer_id: int


class TypingStarted(msgspec.Struct, frozen=True, tag="typing.start"):
    """Shown for ten seconds, or until that user's next message."""

    channel_id: str
    user_id: str


class ChannelCreated(msgspec.Struct, frozen=True, tag="channel.create"):
    """A thread, or a DM that was opened."""

    channel: Json


class ChannelUpdated(msgspec.Struct, frozen=True, tag="channel.update"):
    """Also of a thread: archived, locked, renamed."""

    channel: Json


class ChannelDeleted(msgspec.Struct, frozen=True, tag="channel.delete"):
    """As it was. Its threads and messages went with it, and nobody is told of those one by one."""

    channel: Json


class GuildJoined(msgspec.Struct, frozen=True, tag="guild.join"):
    """The bot has been added to a server."""

    guild_id: str


class GuildLeft(msgspec.Struct, frozen=True, tag="guild.leave"):
    """The bot has been thrown out of a server."""

    guild_id: str


class MemberJoined(msgspec.Struct, frozen=True, tag="member.join"):
    guild_id: str
    user_id: str


class MemberChanged(msgspec.Struct, frozen=True, tag="member.update"):
    """Another nickname, other roles."""

    guild_id: str
    user_id: str


class RoleCreated(msgspec.Struct, frozen=True, tag="role.create"):
    guild_id: str
    role_id: str


class CommandsRegistered(msgspec.Struct, frozen=True, tag="commands.register"):
    """The bot has overwritten its application commands."""


class InteractionStarted(msgspec.Struct, frozen=True, tag="interaction.start"):
    interaction_id: str
    user_id: str
    message_id: str | None
    custom_id: str | None


class InteractionAnswered(msgspec.Struct, frozen=True, tag="interaction.answer"):
    interaction_id: str


class InteractionFailed(msgspec.Struct, frozen=True, tag="interaction.fail"):
    """The bot did not acknowledge within three seconds: people read "This interaction failed"."""

    interaction_id: str


WorldEvent: TypeAlias = (
    MessageCreated
    | MessageUpdated
    | MessageDeleted
    | ReactionAdded
    | ReactionRemoved
    | PollVoteAdded
    | PollVoteRemoved
    | TypingStarted
    | GuildJoined
    | GuildLeft
    | MemberJoined
    | MemberChanged
    | RoleCreated
    | ChannelCreated
    | ChannelUpdated
    | ChannelDeleted
    | CommandsRegistered
    | InteractionStarted
    | InteractionAnswered
    | InteractionFailed
)

"""What the REST handlers work on: the world, its files, the interactions, the commands."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.playground.standin.attachments import AttachmentStore
from bot.playground.standin.clock import Clock
from bot.playground.standin.commands import CommandRegistry
from bot.playground.standin.dispatches import Intent, without_content
from bot.playground.standin.errors import (
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    ApiError,
)
from bot.playground.standin.events import Json
from bot.playground.standin.gateway import Gateway
from bot.playground.standin.interactions import Interactions
from bot.playground.standin.nonces import Nonces
from bot.playground.standin.permissions import Permission
from bot.playground.standin.rate_limits import RateLimiter
from bot.playground.standin.records import Channel
from bot.playground.standin.world import Change, World


@dataclass(frozen=True)
class Backend:
    world: World
    clock: Clock
    gateway: Gateway
    interactions: Interactions
    limiter: RateLimiter
    shards: int
    commands: CommandRegistry
    nonces: Nonces
    attachments: AttachmentStore = field(default_factory=AttachmentStore)

    @property
    def bot_id(self) -> str:
        return self.world.bot.id

    def channel(self, channel_id: str) -> Channel:
        """A channel that the bot can see. Raises 10003, 50001."""
        channel = self.world.channels.get(channel_id)
        if channel is None:
            raise ApiError(UNKNOWN_CHANNEL)
        if not self.world.permissions(self.bot_id, channel_id) & Permission.VIEW_CHANNEL:
            raise ApiError(MISSING_ACCESS)
        return channel

    def message_in(self, channel_id: str, message_id: str) -> str:
        """The id of a message in this channel that all may see. Raises 10003, 50001, 10008."""
        self.channel(channel_id)
        if (
            not self.world.has_message(message_id)
            or self.world.message(message_id)["channel_id"] != channel_id
            or self.world.ephemeral_to(message_id) is not None
        ):
            raise ApiError(UNKNOWN_MESSAGE)
        return message_id

    def as_bot_reads(self, message: Json) -> Json:
        """A message as the REST answers it: without MESSAGE_CONTENT a guild's messages have little text here too."""
        is_direct = self.world.channels[message["channel_id"]].guild_id is None
        if is_direct or self.gateway.allowed_privileged & Intent.MESSAGE_CONTENT:
            return message
        return without_content(message, self.bot_id)

    def edit_message(self, message_id: str, change: Change, *, is_first_fill: bool = False) -> Json:
        """As `World.edit_message`; files that the message loses are forgotten."""
        before = self.world.message(message_id)["attachments"]
        edited = self.world.edit_message(message_id, change, is_first_fill=is_first_fill)
        kept = {attachment["id"] for attachment in edited["attachments"]}
        self.attachments.forget(attachment["id"] for attachment in before if attachment["id"] not in kept)
        return edited

    def delete_message(self, message_id: str) -> None:
        """With its files."""
        attachments = self.world.message(message_id)["attachments"]
        self.world.delete_message(message_id)
        self.attachments.forget(attachment["id"] for attachment in attachments)

    def require(self, channel_id: str, needed: Permission) -> None:
        """Raises 50013 unless the bot has all of these there."""
        require_permission(self.world, self.bot_id, channel_id, needed)


def require_permission(world: World, user_id: str, channel_id: str, needed: Permission) -> None:
    """Raises 50013 unless the user has all of these there."""
    if needed & ~world.permissions(user_id, channel_id):
        raise ApiError(MISSING_PERMISSIONS)


def sending_permission(channel: Channel) -> Permission:
    return Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES

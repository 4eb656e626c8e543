"""What the REST handlers work on: the world, its files, the interactions, the commands."""

from __future__ import annotations

from dataclasses import dataclass

from bot.playground.standin.attachments import AttachmentStore
from bot.playground.standin.clock import Clock
from bot.playground.standin.commands import CommandRegistry
from bot.playground.standin.contents import files_of
from bot.playground.standin.dispatches import Intent, without_content
from bot.playground.standin.drafts import Change
from bot.playground.standin.errors import (
    DMS_CLOSED,
    MISSING_ACCESS,
    MISSING_PERMISSIONS,
    NO_TEXT_CHANNEL,
    THREAD_ARCHIVED,
    THREAD_LOCKED,
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
from bot.playground.standin.records import Channel, ChannelType
from bot.playground.standin.world import World


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
    attachments: AttachmentStore

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
        """A message as the REST answers it: its files at addresses that can be read.

        Without MESSAGE_CONTENT a guild's messages have little text here too.
        """
        if renewed := self.attachments.renew(files_of(message)):
            self.world.readdress(message["id"], renewed)
            message = self.world.message(message["id"])
        is_direct = self.world.channels[message["channel_id"]].guild_id is None
        if is_direct or self.gateway.allowed_privileged & Intent.MESSAGE_CONTENT:
            return message
        return without_content(message, self.bot_id)

    def edit_message(self, message_id: str, change: Change, *, is_first_fill: bool = False) -> Json:
        """As `World.edit_message`; files that the message loses are forgotten."""
        before = self.world.message(message_id)["attachments"]
        edited = self.world.edit_message(message_id, change, is_first_fill=is_first_fill)
        kept = {attachment["id"] for attachment in edited["attachments"]}
        self.attachments.forget(attachment for attachment in before if attachment["id"] not in kept)
        return edited

    def delete_message(self, message_id: str) -> None:
        """With its files."""
        files = files_of(self.world.message(message_id))
        self.world.delete_message(message_id)
        self.attachments.forget(files)

    def delete_channel(self, channel_id: str) -> None:
        """With its threads, and the messages and files in them."""
        for message in self.world.delete_channel(channel_id):
            self.attachments.forget(files_of(message))

    def check_open(self, channel_id: str) -> None:
        """Raises 50083: in an archived thread nothing can be changed, until somebody writes there."""
        if self.world.channels[channel_id].archived:
            raise ApiError(THREAD_ARCHIVED)

    def require(self, channel_id: str, needed: Permission) -> None:
        """Raises 50013 unless the bot has all of these there."""
        require_permission(self.world, self.bot_id, channel_id, needed)


def require_permission(world: World, user_id: str, channel_id: str, needed: Permission) -> None:
    """Raises 50013 unless the user has all of these there."""
    if needed & ~world.permissions(user_id, channel_id):
        raise ApiError(MISSING_PERMISSIONS)


def check_may_send(world: World, user_id: str, channel: Channel, needed: Permission) -> None:
    """Raises 50013 for who may not write there, or lacks more that is needed; 160005; 50007."""
    if channel.recipient_id in world.closed_to_dms and user_id != channel.recipient_id:
        raise ApiError(DMS_CLOSED)
    require_permission(world, user_id, channel.id, sending_permission(channel) | needed)
    if channel.type is ChannelType.FORUM:
        raise ApiError(NO_TEXT_CHANNEL)
    if channel.locked and not world.permissions(user_id, channel.id) & Permission.MANAGE_THREADS:
        raise ApiError(THREAD_LOCKED)


def sending_permission(channel: Channel) -> Permission:
    return Permission.SEND_MESSAGES_IN_THREADS if channel.is_thread else Permission.SEND_MESSAGES

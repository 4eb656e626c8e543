"""What page and browser say to each other over the WebSocket: JSON objects whose `type` says which of these they are."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

from bot.playground.page.encoding import encode
from bot.playground.page.port import Channel
from bot.playground.page.slash import SlashCommand
from bot.playground.page.views import AuthorView, MessageView
from bot.playground.standin.request_shapes import CONTENT_LIMIT

MAX_FRAME_BYTES = 64 * 1024
"""Far above any command: 2000 code points are at most 24 kB when JSON escapes all of them."""

Snowflake: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^\d{1,20}$")]
Content: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=CONTENT_LIMIT)]
CustomId: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Emoji: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=32)]

# ---------------------------------------------------------------------------------------------------- from the browser


class Say(msgspec.Struct, frozen=True, tag="say"):
    """A message, or the call of a slash command: `/name option:value`."""

    content: Content
    reply_to: Snowflake | None = None
    nonce: int | None = None
    """Comes back in `Said` or `Refused`, so that the browser knows which of its texts that was."""


class Press(msgspec.Struct, frozen=True, tag="press"):
    message_id: Snowflake
    custom_id: CustomId


class Delete(msgspec.Struct, frozen=True, tag="delete"):
    message_id: Snowflake


class React(msgspec.Struct, frozen=True, tag="react"):
    message_id: Snowflake
    emoji: Emoji


class Switch(msgspec.Struct, frozen=True, tag="switch"):
    channel_id: Snowflake


class Identity(msgspec.Struct, frozen=True, tag="identity"):
    user_id: Snowflake


class Typing(msgspec.Struct, frozen=True, tag="typing"):
    pass


Command: TypeAlias = Say | Press | Delete | React | Switch | Identity | Typing

# ------------------------------------------------------------------------------------------------------ to the browser


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", kw_only=True):
    """All that the page shows. First on every connection, and again after `switch` and `identity`."""

    message_limit: int
    """Code points that a message may have."""

    server: str
    notice: str
    me: AuthorView
    bot: AuthorView
    people: tuple[AuthorView, ...]
    channels: tuple[Channel, ...]
    channel: Channel
    commands: tuple[SlashCommand, ...]
    messages: tuple[MessageView, ...]
    """The last ones of the channel, oldest first."""
    has_older: bool
    """There are earlier ones, which are not in `messages`."""


class MessageShown(msgspec.Struct, frozen=True, tag="message.create"):
    message: MessageView
    is_unheard: bool = False
    """This browser's own person wrote it, and the bot will not answer: it is neither mentioned nor replied to."""


class MessageChanged(msgspec.Struct, frozen=True, tag="message.update"):
    message: MessageView


class MessageGone(msgspec.Struct, frozen=True, tag="message.delete"):
    message_id: str


class SomeoneTypes(msgspec.Struct, frozen=True, tag="typing.start"):
    user_id: str
    name: str


class ChannelsChanged(msgspec.Struct, frozen=True, tag="channels"):
    channels: tuple[Channel, ...]


class CommandsChanged(msgspec.Struct, frozen=True, tag="commands"):
    """The slash commands that can be used in the channel shown."""

    commands: tuple[SlashCommand, ...]


class Unread(msgspec.Struct, frozen=True, tag="unread"):
    """A message came in a channel that is not the one shown."""

    channel_id: str


class PressPending(msgspec.Struct, frozen=True, tag="press.pending"):
    message_id: str
    custom_id: str | None


class PressAnswered(msgspec.Struct, frozen=True, tag="press.answered"):
    message_id: str


class PressFailed(msgspec.Struct, frozen=True, tag="press.failed"):
    """People read "This interaction failed" below the message."""

    message_id: str


class Said(msgspec.Struct, frozen=True, tag="said"):
    """The `Say` of this nonce is in the channel."""

    nonce: int


class Refused(msgspec.Struct, frozen=True, tag="error"):
    """What the person just did was not done; `text` says why."""

    text: str
    nonce: int | None = None
    """Of the `Say` that was refused."""


Event: TypeAlias = (
    Snapshot
    | MessageShown
    | MessageChanged
    | MessageGone
    | SomeoneTypes
    | ChannelsChanged
    | CommandsChanged
    | Unread
    | PressPending
    | PressAnswered
    | PressFailed
    | Said
    | Refused
)

_COMMANDS = msgspec.json.Decoder(Command)


def decode_command(frame: str | bytes) -> Command:
    """Raises msgspec.DecodeError (or its kind ValidationError) on anything that is no command within its bounds."""
    return _COMMANDS.decode(frame)


def encode_event(event: Event) -> str:
    return encode(event).decode()

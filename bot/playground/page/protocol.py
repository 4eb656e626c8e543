"""What page and browser say to each other over the WebSocket: JSON objects whose `type` says which of these they are."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

from bot.playground.page.encoding import encode
from bot.playground.page.modal_views import ModalView
from bot.playground.page.port import Channel, Role
from bot.playground.page.slash import Pick, SlashCommand
from bot.playground.page.views import AuthorView, MessageView
from bot.playground.standin.request_shapes import CONTENT_LIMIT

# https://docs.discord.com/developers/reference#locales
LOCALES = (
    "en-US",
    "en-GB",
    *("bg", "cs", "da", "de", "el", "es-ES", "es-419", "fi", "fr", "hi", "hr", "hu", "id", "it", "ja", "ko", "lt"),
    *("nl", "no", "pl", "pt-BR", "ro", "ru", "sv-SE", "th", "tr", "uk", "vi", "zh-CN", "zh-TW"),
)
MAX_FRAME_BYTES = 512 * 1024
"""Above any command: a form has five texts of 4000 code points, each of at most 12 bytes when JSON escapes it."""

Snowflake: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^\d{1,20}$")]
Content: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=CONTENT_LIMIT)]
CustomId: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
OptionName: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=32)]
Picks: TypeAlias = Annotated[dict[OptionName, Pick], msgspec.Meta(max_length=25)]
"""By the option's own name."""
Value: TypeAlias = Annotated[str, msgspec.Meta(max_length=4000)]
Values: TypeAlias = Annotated[list[Value], msgspec.Meta(max_length=25)]
Locale: TypeAlias = Annotated[str, msgspec.Meta(min_length=2, max_length=6)]
Emoji: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=32)]

# ---------------------------------------------------------------------------------------------------- from the browser


class Say(msgspec.Struct, frozen=True, tag="say"):
    """A message, or the call of a slash command: `/name option:value`."""

    content: Content
    reply_to: Snowflake | None = None
    nonce: int | None = None
    """Comes back in `Said` or `Refused`, so that the browser knows which of its texts that was."""
    picks: Picks = {}
    """What was picked from lists for the options of a command."""


class Suggest(msgspec.Struct, frozen=True, tag="suggest"):
    """While a command is written: what may the value of this option be?"""

    content: Content
    option: OptionName
    nonce: int
    picks: Picks = {}


class Press(msgspec.Struct, frozen=True, tag="press"):
    message_id: Snowflake
    custom_id: CustomId
    values: Values = []
    """Of a select."""


class Submit(msgspec.Struct, frozen=True, tag="submit"):
    """A filled form. Files are named by what their upload was answered with."""

    form: Snowflake
    values: Annotated[dict[CustomId, Value | bool | Values | None], msgspec.Meta(max_length=10)]


class Delete(msgspec.Struct, frozen=True, tag="delete"):
    message_id: Snowflake


class React(msgspec.Struct, frozen=True, tag="react"):
    message_id: Snowflake
    emoji: Emoji


class Switch(msgspec.Struct, frozen=True, tag="switch"):
    channel_id: Snowflake


class Identity(msgspec.Struct, frozen=True, tag="identity"):
    user_id: Snowflake


class ChooseLocale(msgspec.Struct, frozen=True, tag="locale"):
    locale: Locale


class Typing(msgspec.Struct, frozen=True, tag="typing"):
    pass


Command: TypeAlias = Say | Suggest | Press | Submit | Delete | React | Switch | Identity | ChooseLocale | Typing

# ------------------------------------------------------------------------------------------------------ to the browser


class Choice(msgspec.Struct, frozen=True):
    name: str
    value: str | int | float


class Snapshot(msgspec.Struct, frozen=True, tag="snapshot", kw_only=True):
    """All that the page shows. First on every connection, and again after `switch` and `identity`."""

    message_limit: int
    """Code points that a message may have."""

    server: str
    notice: str
    me: AuthorView
    bot: AuthorView
    people: tuple[AuthorView, ...]
    managers: tuple[str, ...]
    """Ids of those who may manage the server."""
    roles: tuple[Role, ...]
    locale: str
    """Of the person's client."""
    locales: tuple[str, ...]
    """All that there are."""
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


class Choices(msgspec.Struct, frozen=True, tag="choices"):
    """The bot's answer to the `Suggest` of this nonce."""

    nonce: int
    choices: tuple[Choice, ...]
    failed: bool = False
    """It did not answer."""


class ModalShown(msgspec.Struct, frozen=True, tag="modal.open"):
    """The bot answered what the person did with a form."""

    modal: ModalView
    message_id: str | None
    """Where something was pressed for it."""


class ModalDone(msgspec.Struct, frozen=True, tag="modal.done"):
    """The bot has taken the filled form."""

    form: str


class ModalFailed(msgspec.Struct, frozen=True, tag="modal.failed"):
    """It did not, or Discord refused it; the person can try again."""

    form: str
    text: str


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
    | Choices
    | ModalShown
    | ModalDone
    | ModalFailed
    | Said
    | Refused
)

_COMMANDS = msgspec.json.Decoder(Command)


def decode_command(frame: str | bytes) -> Command:
    """Raises msgspec.DecodeError (or its kind ValidationError) on anything that is no command within its bounds."""
    return _COMMANDS.decode(frame)


def encode_event(event: Event) -> str:
    return encode(event).decode()

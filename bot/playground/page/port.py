"""What the page needs of the chat behind it. `standin_port.py` gives it the stand-in; tests give it a small fake."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Protocol, TypeAlias

import msgspec

from bot.playground.page.mentions import Mention
from bot.playground.page.slash import SlashCommand, SlashValue
from bot.playground.page.uploads import File
from bot.playground.standin.events import Json, WorldEvent
from bot.playground.standin.interactions import Answer


class ActionRefused(Exception):
    """The chat did not take what the person wanted to do; the text says why, for the person to read."""


class Person(msgspec.Struct, frozen=True):
    id: str
    name: str


class Role(msgspec.Struct, frozen=True):
    id: str
    name: str


class ChannelKind(StrEnum):
    TEXT = "text"
    THREAD = "thread"
    DM = "dm"


class Channel(msgspec.Struct, frozen=True):
    id: str
    name: str
    """Without a sigil. Of a DM: the bot's name."""
    kind: ChannelKind
    topic: str = ""
    parent_id: str | None = None
    """The channel that a thread hangs on."""
    archived: bool = False
    locked: bool = False
    type: int = 0
    """https://docs.discord.com/developers/resources/channel#channel-object-channel-types"""


class Attachment(msgspec.Struct, frozen=True):
    media_type: str
    body: bytes


FormValue: TypeAlias = str | bool | Sequence[str | File] | None
InteractionId: TypeAlias = str
"""Of what has been handed to the bot; how it goes on comes as events."""


class ChatPort(Protocol):
    """A server with people, channels and one bot. Ids are Discord's, as text; messages are Discord's JSON objects.

    The coroutines raise ActionRefused where Discord would refuse the action, unknown ids included.
    """

    @property
    def server_name(self) -> str: ...

    @property
    def bot(self) -> Person: ...

    def people(self) -> Sequence[Person]:
        """Whom the page's user may speak as; never empty."""
        ...

    def may_manage(self, user_id: str) -> bool:
        """Whether this person may manage the server."""
        ...

    def locale(self, user_id: str) -> str:
        """The language of the person's client."""
        ...

    def set_locale(self, user_id: str, locale: str) -> None: ...

    def roles(self) -> Sequence[Role]:
        """Of the server, without that of everyone."""
        ...

    def channels(self, viewer_id: str) -> Sequence[Channel]:
        """What this person sees in the left column, in its order; never empty."""
        ...

    def name_of(self, kind: Mention, id: str) -> str | None: ...  # noqa: A002 - Discord's own name for it

    def messages(self, channel_id: str, viewer_id: str, last: int) -> Sequence[Json]:
        """The last so many, oldest first, with the ephemeral messages that this person may see."""
        ...

    def message(self, message_id: str) -> Json | None: ...

    def may_moderate(self, user_id: str, channel_id: str) -> bool:
        """Whether this person may delete what others wrote there."""
        ...

    def subscribe(self) -> AbstractContextManager[AsyncIterator[WorldEvent]]:
        """What happens from now on, in order. Ends when the listener was too slow and has missed something."""
        ...

    def file_start(self, attachment_id: str) -> bytes:
        """The first bytes of a file, as many as a preview needs; nothing where there is no such file."""
        ...

    def commands(self, channel_id: str, viewer_id: str) -> Sequence[SlashCommand]:
        """The slash commands that the person finds there, in their language."""
        ...

    async def slash(
        self, user_id: str, channel_id: str, command: SlashCommand, values: Mapping[str, SlashValue | File]
    ) -> InteractionId:
        """`values` by the options' own names; people, channels and roles by id or name."""
        ...

    async def suggest(
        self, user_id: str, channel_id: str, command: SlashCommand, values: Mapping[str, SlashValue], focused: str
    ) -> InteractionId:
        """The person is writing the option `focused`, and the bot is asked what it may be."""
        ...

    def answer(self, interaction_id: str) -> Answer | None:
        """The bot's first answer to what somebody did lately."""
        ...

    async def submit(self, user_id: str, form_id: str, values: Mapping[str, FormValue]) -> InteractionId:
        """Fills in the modal that answered the interaction `form_id` of this person; `values` by custom id."""
        ...

    async def attachment(self, message_id: str, attachment_id: str) -> Attachment: ...

    async def say(self, user_id: str, channel_id: str, content: str, reply_to: str | None) -> None: ...

    async def press(self, user_id: str, message_id: str, custom_id: str, values: Sequence[str] = ()) -> InteractionId:
        """A button, or a select with the values and ids that are chosen in it."""
        ...

    async def delete(self, user_id: str, message_id: str) -> None: ...

    async def react(self, user_id: str, message_id: str, emoji: str) -> None: ...

    async def typing(self, user_id: str, channel_id: str) -> None: ...

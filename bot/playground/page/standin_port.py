"""The stand-in as the page's chat."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

from bot.playground.page.file_views import START_BYTES
from bot.playground.page.mentions import Mention
from bot.playground.page.port import ActionRefused, Attachment, Channel, ChannelKind, Person
from bot.playground.page.slash import SlashCommand, SlashValue, WrongOptions, option_values, slash_commands
from bot.playground.standin import records
from bot.playground.standin.changes import SubscriptionOverflow
from bot.playground.standin.commands import OptionType
from bot.playground.standin.errors import ApiError
from bot.playground.standin.events import Json, WorldEvent
from bot.playground.standin.interaction_payloads import OptionValue
from bot.playground.standin.permissions import Permission
from bot.playground.standin.records import ChannelType, User
from bot.playground.standin.world import World

_Thing = TypeVar("_Thing")


class ActsForPeople(Protocol):
    """The part of a `Standin` that acts for people. Users and channels by id; what Discord refuses is an ApiError."""

    @property
    def world(self) -> World: ...

    def subscribe(self) -> AbstractContextManager[AsyncIterator[WorldEvent]]: ...

    def attachment(self, attachment_id: str) -> bytes: ...

    def say(self, author: str, channel: str, text: str, *, reply_to: str | None = None) -> Awaitable[object]: ...

    def press(self, user: str, message_id: str, custom_id: str) -> Awaitable[object]: ...

    def commands_in(self, channel: str) -> Sequence[Json]: ...

    def slash(self, user: str, channel: str, name: str, options: Mapping[str, OptionValue]) -> Awaitable[object]: ...

    def delete(self, message_id: str, *, by: str) -> Awaitable[object]: ...

    def react(self, user: str, message_id: str, emoji: str) -> Awaitable[object]: ...

    def typing(self, user: str, channel: str) -> Awaitable[object]: ...


class StandinPort:
    """A ChatPort over a running stand-in. Every person has a DM with the bot from the start."""

    def __init__(self, standin: ActsForPeople) -> None:
        self._standin = standin
        self._world = standin.world
        for person in self._world.users.values():
            if not person.is_bot:
                self._world.open_dm(person)

    @property
    def server_name(self) -> str:
        return next(iter(self._world.guilds.values())).name

    @property
    def bot(self) -> Person:
        return _person(self._world.bot)

    def people(self) -> Sequence[Person]:
        return [_person(user) for user in self._world.users.values() if not user.is_bot]

    def channels(self, viewer_id: str) -> Sequence[Channel]:
        visible = [
            channel
            for channel in self._world.channels.values()
            if self._world.permissions(viewer_id, channel.id) & Permission.VIEW_CHANNEL
        ]
        return [self._channel(channel) for channel in sorted(visible, key=lambda channel: channel.position)]

    def name_of(self, kind: Mention, id: str) -> str | None:  # noqa: A002 - Discord's own name for it
        match kind:
            case Mention.USER:
                user = self._world.users.get(id)
                return _person(user).name if user else None
            case Mention.ROLE:
                role = self._world.roles.get(id)
                return role.name if role else None
            case Mention.CHANNEL:
                channel = self._world.channels.get(id)
                return channel.name if channel else None

    def messages(self, channel_id: str, viewer_id: str, last: int) -> Sequence[Json]:
        return self._world.messages(channel_id, viewer_id, last)

    def message(self, message_id: str) -> Json | None:
        return self._world.message(message_id) if self._world.has_message(message_id) else None

    def may_moderate(self, user_id: str, channel_id: str) -> bool:
        return bool(self._world.permissions(user_id, channel_id) & Permission.MANAGE_MESSAGES)

    @contextmanager
    def subscribe(self) -> Iterator[AsyncIterator[WorldEvent]]:
        with self._standin.subscribe() as events:
            yield _until_overflow(events)

    def file_start(self, attachment_id: str) -> bytes:
        try:
            return self._standin.attachment(attachment_id)[:START_BYTES]
        except KeyError:
            return b""

    def commands(self, channel_id: str) -> Sequence[SlashCommand]:
        known = channel_id in self._world.channels
        return list(slash_commands(self._standin.commands_in(channel_id))) if known else []

    async def slash(self, user_id: str, channel_id: str, command: SlashCommand, text: str) -> None:
        try:
            values = option_values(command, text)
            kinds = {option.name: option.type for option in command.options}
            options = {name: self._resolved(kinds[name], value) for name, value in values.items()}
        except WrongOptions as wrong:
            raise ActionRefused(str(wrong)) from wrong
        await _done(self._standin.slash(user_id, channel_id, command.name, options))

    async def attachment(self, message_id: str, attachment_id: str) -> Attachment:
        for file in (self.message(message_id) or {}).get("attachments", ()):
            if file["id"] == attachment_id:
                return Attachment(file.get("content_type") or "", self._standin.attachment(attachment_id))
        raise ActionRefused("There is no such file.")

    async def say(self, user_id: str, channel_id: str, content: str, reply_to: str | None) -> None:
        await _done(self._standin.say(user_id, channel_id, content, reply_to=reply_to))

    async def press(self, user_id: str, message_id: str, custom_id: str) -> None:
        try:
            await _done(self._standin.press(user_id, message_id, custom_id))
        except LookupError as error:
            raise ActionRefused("That button cannot be pressed any more.") from error

    async def delete(self, user_id: str, message_id: str) -> None:
        await _done(self._standin.delete(message_id, by=user_id))

    async def react(self, user_id: str, message_id: str, emoji: str) -> None:
        await _done(self._standin.react(user_id, message_id, emoji))

    async def typing(self, user_id: str, channel_id: str) -> None:
        await _done(self._standin.typing(user_id, channel_id))

    def _channel(self, channel: records.Channel) -> Channel:
        if channel.people:
            names = (_person(self._world.users[user_id]).name for user_id in channel.people)
            return Channel(channel.id, channel.name or ", ".join(names), ChannelKind.DM)
        if channel.type is ChannelType.DM:
            return Channel(channel.id, self.bot.name, ChannelKind.DM)
        kind = ChannelKind.THREAD if channel.is_thread else ChannelKind.TEXT
        name, topic = channel.name or "", channel.topic or ""
        return Channel(channel.id, name, kind, topic, channel.parent_id, channel.archived, channel.locked)

    def _resolved(self, kind: int, value: SlashValue) -> OptionValue:
        """People and channels by their names. Raises WrongOptions."""
        match kind:
            case OptionType.USER:
                named = {_person(user).name: user for user in self._world.users.values()}
                return _pick(named, value)
            case OptionType.CHANNEL:
                return _pick({channel.name or "": channel for channel in self._world.channels.values()}, value)
            case OptionType.ROLE | OptionType.ATTACHMENT:
                raise WrongOptions("Roles and files cannot be given here.")
        return value


def _person(user: User) -> Person:
    return Person(user.id, user.global_name or user.username)


def _pick(named: Mapping[str, _Thing], value: SlashValue) -> _Thing:
    name = str(value).lstrip("@#")
    if name not in named:
        raise WrongOptions(f"There is no “{name}” here.")
    return named[name]


async def _done(action: Awaitable[object]) -> None:
    try:
        await action
    except ApiError as error:
        raise ActionRefused(f"Discord refuses that: {error.kind.message}") from error


async def _until_overflow(events: AsyncIterator[WorldEvent]) -> AsyncIterator[WorldEvent]:
    try:
        async for event in events:
            yield event
    except SubscriptionOverflow:
        return

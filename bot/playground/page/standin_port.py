"""The stand-in as the page's chat."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeVar

from bot.playground.page.file_views import START_BYTES
from bot.playground.page.mentions import Mention
from bot.playground.page.port import (
    ActionRefused,
    Attachment,
    Channel,
    ChannelKind,
    FormValue,
    InteractionId,
    Person,
    Role,
)
from bot.playground.page.slash import SlashCommand, SlashValue, slash_commands
from bot.playground.page.uploads import File
from bot.playground.standin import records
from bot.playground.standin.changes import SubscriptionOverflow
from bot.playground.standin.commands import OptionType
from bot.playground.standin.errors import ApiError
from bot.playground.standin.events import Json, WorldEvent
from bot.playground.standin.filling import FieldValue
from bot.playground.standin.interactions import Answer, Interaction
from bot.playground.standin.permissions import Permission
from bot.playground.standin.records import ChannelType, User
from bot.playground.standin.resolved import OptionValue
from bot.playground.standin.world import World

_Thing = TypeVar("_Thing", bound=User | records.Role | records.Channel)
_Result = TypeVar("_Result")
_REMEMBERED = 100
"""How many deeds of people: a form can wait longer than it takes to do so much else."""


class ActsForPeople(Protocol):
    """The part of a `Standin` that acts for people. Users and channels by id; what Discord refuses is an ApiError."""

    @property
    def world(self) -> World: ...

    def subscribe(self) -> AbstractContextManager[AsyncIterator[WorldEvent]]: ...

    def attachment(self, attachment_id: str) -> bytes: ...

    def say(self, author: str, channel: str, text: str, *, reply_to: str | None = None) -> Awaitable[object]: ...

    def press(
        self, user: str, message_id: str, custom_id: str, values: Sequence[str] = ()
    ) -> Awaitable[Interaction]: ...

    def commands_in(self, channel: str, user: str) -> Sequence[Json]: ...

    def slash(
        self, user: str, channel: str, name: str, options: Mapping[str, OptionValue]
    ) -> Awaitable[Interaction]: ...

    def autocomplete(
        self, user: str, channel: str, name: str, options: Mapping[str, OptionValue], *, focused: str
    ) -> Awaitable[Interaction]: ...

    def submit_modal(self, opened_by: Interaction, values: Mapping[str, FieldValue]) -> Awaitable[Interaction]: ...

    def set_locale(self, user: str, locale: str) -> None: ...

    def delete(self, message_id: str, *, by: str) -> Awaitable[object]: ...

    def react(self, user: str, message_id: str, emoji: str) -> Awaitable[object]: ...

    def typing(self, user: str, channel: str) -> Awaitable[object]: ...


class StandinPort:
    """A ChatPort over a running stand-in. Every person has a DM with the bot from the start."""

    def __init__(self, standin: ActsForPeople) -> None:
        self._standin = standin
        self._world = standin.world
        self._begun: dict[str, Interaction] = {}
        """What people did lately, by id."""
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

    def may_manage(self, user_id: str) -> bool:
        place = next(channel for channel in self._world.channels.values() if channel.guild_id)
        return bool(self._world.permissions(user_id, place.id) & Permission.MANAGE_GUILD)

    def locale(self, user_id: str) -> str:
        return self._world.users[user_id].locale

    def set_locale(self, user_id: str, locale: str) -> None:
        self._standin.set_locale(user_id, locale)

    def roles(self) -> Sequence[Role]:
        guild_ids = self._world.guilds.keys()
        return [Role(role.id, role.name) for role in self._world.roles.values() if role.id not in guild_ids]

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

    def commands(self, channel_id: str, viewer_id: str) -> Sequence[SlashCommand]:
        known = channel_id in self._world.channels
        definitions = self._standin.commands_in(channel_id, viewer_id) if known else ()
        return list(slash_commands(definitions, self.locale(viewer_id)))

    async def slash(
        self, user_id: str, channel_id: str, command: SlashCommand, values: Mapping[str, SlashValue | File]
    ) -> InteractionId:
        options = self._options(command, values)
        return await self._begin(self._standin.slash(user_id, channel_id, command.name, options))

    async def suggest(
        self, user_id: str, channel_id: str, command: SlashCommand, values: Mapping[str, SlashValue], focused: str
    ) -> InteractionId:
        # What is not known yet, as its name is still being written, the bot is not told.
        known = {
            name: value for name, value in values.items() if name == focused or self._is_known(command, name, value)
        }
        options = self._options(command, known)
        return await self._begin(
            self._standin.autocomplete(user_id, channel_id, command.name, options, focused=focused)
        )

    def answer(self, interaction_id: str) -> Answer | None:
        begun = self._begun.get(interaction_id)
        return begun.answer if begun else None

    async def submit(self, user_id: str, form_id: str, values: Mapping[str, FormValue]) -> InteractionId:
        opened_by = self._begun.get(form_id)
        if opened_by is None or opened_by.user_id != user_id:
            raise ActionRefused("This form is no longer open.")
        filled = {custom_id: _field_value(value) for custom_id, value in values.items()}
        return await self._begin(self._standin.submit_modal(opened_by, filled))

    async def attachment(self, message_id: str, attachment_id: str) -> Attachment:
        for file in (self.message(message_id) or {}).get("attachments", ()):
            if file["id"] == attachment_id:
                return Attachment(file.get("content_type") or "", self._standin.attachment(attachment_id))
        raise ActionRefused("There is no such file.")

    async def say(self, user_id: str, channel_id: str, content: str, reply_to: str | None) -> None:
        await _done(self._standin.say(user_id, channel_id, content, reply_to=reply_to))

    async def press(self, user_id: str, message_id: str, custom_id: str, values: Sequence[str] = ()) -> InteractionId:
        return await self._begin(self._standin.press(user_id, message_id, custom_id, values))

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
        return Channel(channel.id, name, kind, topic, channel.parent_id, channel.archived, channel.locked, channel.type)

    async def _begin(self, deed: Awaitable[Interaction]) -> InteractionId:
        try:
            interaction = await _done(deed)
        except LookupError as error:
            raise ActionRefused("That cannot be used any more.") from error
        self._begun[interaction.id] = interaction
        for forgotten in list(self._begun)[:-_REMEMBERED]:
            del self._begun[forgotten]
        return interaction.id

    def _options(self, command: SlashCommand, values: Mapping[str, SlashValue | File]) -> dict[str, OptionValue]:
        kinds = {option.name: option.type for option in command.options}
        return {name: self._resolved(kinds[name], value) for name, value in values.items()}

    def _is_known(self, command: SlashCommand, name: str, value: SlashValue) -> bool:
        try:
            self._options(command, {name: value})
        except ActionRefused:
            return False
        return True

    def _resolved(self, kind: int, value: SlashValue | File) -> OptionValue:
        """People, roles and channels by id or name. Raises ActionRefused."""
        if isinstance(value, File):
            return value.name, value.body
        world = self._world
        match kind:
            case OptionType.USER:
                return _pick(_named_users(world), value)
            case OptionType.ROLE:
                return _pick(_named_roles(world), value)
            case OptionType.MENTIONABLE:
                named: list[tuple[str, User | records.Role]] = [*_named_users(world), *_named_roles(world)]
                return _pick(named, value)
            case OptionType.CHANNEL:
                return _pick([(channel.name or "", channel) for channel in world.channels.values()], value)
            case OptionType.ATTACHMENT:
                raise ActionRefused(f"Choose the file “{value}” from the list.")
        return value


def _named_users(world: World) -> list[tuple[str, User]]:
    return [(_person(user).name, user) for user in world.users.values()]


def _named_roles(world: World) -> list[tuple[str, records.Role]]:
    return [(role.name, role) for role in world.roles.values()]


def _field_value(value: FormValue) -> FieldValue:
    if isinstance(value, str | bool) or value is None:
        return value
    return [(part.name, part.body) if isinstance(part, File) else part for part in value]


def _person(user: User) -> Person:
    return Person(user.id, user.global_name or user.username)


def _pick(named: Sequence[tuple[str, _Thing]], value: SlashValue) -> _Thing:
    wanted = str(value)
    for name, thing in named:
        if wanted == thing.id or wanted.lstrip("@#") == name:
            return thing
    raise ActionRefused(f"There is no “{wanted.lstrip('@#')}” here.")


async def _done(action: Awaitable[_Result]) -> _Result:
    try:
        return await action
    except ApiError as error:
        raise ActionRefused(f"Discord refuses that: {_reasons(error)}") from error


def _reasons(error: ApiError) -> str:
    """Discord's words, with what it says about each field."""
    said = [leaf["message"] for tree in (error.errors or {}).values() for leaf in tree.get("_errors", ())]
    return ": ".join([error.kind.message, " ".join(said)] if said else [error.kind.message])


async def _until_overflow(events: AsyncIterator[WorldEvent]) -> AsyncIterator[WorldEvent]:
    try:
        async for event in events:
            yield event
    except SubscriptionOverflow:
        return

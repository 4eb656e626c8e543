"""One browser's view of the chat: who it speaks as, which channel it shows, and what therefore concerns it.

Without a socket: a world event goes in and the page's events come out; a command goes in and is carried out on the port.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import msgspec
import structlog

from bot.playground.page import protocol
from bot.playground.page.deeds import Deeds
from bot.playground.page.encoding import encode
from bot.playground.page.mentions import mentions_from_names
from bot.playground.page.port import ActionRefused, Channel, ChannelKind, ChatPort, FormValue, Person
from bot.playground.page.slash import (
    Pick,
    SlashCommand,
    SlashValue,
    WrongOptions,
    begun_values,
    called_command,
    option_values,
)
from bot.playground.page.uploads import File, Uploads
from bot.playground.page.views import AuthorView, MessageView, author_view, message_view, unshowable_view
from bot.playground.standin import events as world
from bot.playground.standin.commands import OptionType
from bot.playground.standin.events import Json
from bot.playground.standin.request_shapes import CONTENT_LIMIT

SNAPSHOT_MESSAGES = 100

log = structlog.get_logger()


class Session:
    """`user_id` and `channel_id` say where the browser was before, if it was; what is not there any more is ignored."""

    def __init__(
        self,
        chat: ChatPort,
        notice: str,
        *,
        user_id: str | None = None,
        channel_id: str | None = None,
        uploads: Uploads | None = None,
    ) -> None:
        self._chat = chat
        self._notice = notice
        people = chat.people()
        self._me = next((person for person in people if person.id == user_id), people[0])
        self._channel = self._channel_or_first(channel_id)
        self._uploads = Uploads() if uploads is None else uploads
        self._deeds = Deeds(chat)

    async def snapshot(self) -> protocol.Snapshot:
        """As things are at the call. A hundred long messages take a second to draw; the event loop runs in between."""
        # One more than is shown tells whether there are older ones.
        messages = self._chat.messages(self._channel.id, self._me.id, SNAPSHOT_MESSAGES + 1)
        people = self._chat.people()
        views = []
        for message in messages[-SNAPSHOT_MESSAGES:]:
            views.append(self._view(message))
            await asyncio.sleep(0)
        return protocol.Snapshot(
            server=self._chat.server_name,
            notice=self._notice,
            message_limit=CONTENT_LIMIT,
            me=_person_view(self._me),
            bot=_person_view(self._chat.bot, is_app=True),
            people=tuple(map(_person_view, people)),
            managers=tuple(person.id for person in people if self._chat.may_manage(person.id)),
            roles=tuple(self._chat.roles()),
            locale=self._chat.locale(self._me.id),
            locales=protocol.LOCALES,
            channels=tuple(self._chat.channels(self._me.id)),
            channel=self._channel,
            commands=self._commands(),
            messages=tuple(views),
            has_older=len(messages) > SNAPSHOT_MESSAGES,
        )

    def translate(self, event: world.WorldEvent) -> protocol.Event | None:
        """What this browser must be told of what happened; None where it is not its business."""
        match event:
            case world.MessageCreated(message, ephemeral_to):
                return self._created(message, ephemeral_to)
            case world.MessageUpdated(message, ephemeral_to):
                shown = self._is_shown(message["channel_id"]) and ephemeral_to in (None, self._me.id)
                return protocol.MessageChanged(self._view(message)) if shown else None
            case world.MessageDeleted(channel_id, message_id):
                return protocol.MessageGone(message_id) if self._is_shown(channel_id) else None
            case world.ReactionAdded(channel_id, message_id) | world.ReactionRemoved(channel_id, message_id):
                message_now = self._chat.message(message_id) if self._is_shown(channel_id) else None
                return protocol.MessageChanged(self._view(message_now)) if message_now else None
            case world.TypingStarted(channel_id, user_id):
                return self._typing(user_id) if self._is_shown(channel_id) and user_id != self._me.id else None
            case world.ChannelCreated() | world.ChannelUpdated() | world.ChannelDeleted():
                channels = tuple(self._chat.channels(self._me.id))
                self._channel = next((other for other in channels if other.id == self._channel.id), self._channel)
                return protocol.ChannelsChanged(channels)
            case world.CommandsRegistered():
                return protocol.CommandsChanged(self._commands())
            case world.InteractionStarted() | world.InteractionAnswered() | world.InteractionFailed():
                return self._deeds.translate(event)
        return None

    async def obey(self, frame: str | bytes) -> protocol.Event | None:
        """Carry out a command as the browser sent it. What it changes in the chat comes back as world events."""
        try:
            command = protocol.decode_command(frame)
        except msgspec.DecodeError as error:
            return protocol.Refused(f"The page sent something that is no command: {error}")
        try:
            return await self._carry_out(command)
        except ActionRefused as refusal:
            match command:
                case protocol.Say(nonce=nonce):
                    return protocol.Refused(str(refusal), nonce)
                case protocol.Suggest(nonce=nonce):
                    return protocol.Choices(nonce, (), failed=True)
                case protocol.Submit(form):
                    return protocol.ModalFailed(form, str(refusal))
            return protocol.Refused(str(refusal))

    async def _carry_out(self, command: protocol.Command) -> protocol.Event | None:
        chat, me = self._chat, self._me.id
        match command:
            case protocol.Say(content, reply_to, nonce, picks):
                if called := called_command(content, self._commands()):
                    await self._call(called, content, picks)
                else:
                    await chat.say(me, self._channel.id, self._with_mentions(content), reply_to)
                return None if nonce is None else protocol.Said(nonce)
            case protocol.Suggest():
                await self._suggest(command)
            case protocol.Press(message_id, custom_id, values):
                self._deeds.pressed(await chat.press(me, message_id, custom_id, values), message_id)
            case protocol.Submit(form, given):
                filled = {custom_id: self._with_files(form, custom_id, value) for custom_id, value in given.items()}
                self._deeds.submitted(await chat.submit(me, form, filled), form)
            case protocol.Delete(message_id):
                await chat.delete(me, message_id)
            case protocol.React(message_id, emoji):
                await chat.react(me, message_id, emoji)
            case protocol.Typing():
                await chat.typing(me, self._channel.id)
            case protocol.Switch(channel_id):
                self._channel = self._find_channel(channel_id)
                return await self.snapshot()
            case protocol.Identity(user_id):
                self._become(user_id)
                return await self.snapshot()
            case protocol.ChooseLocale(locale):
                if locale not in protocol.LOCALES:
                    raise ActionRefused("Discord does not speak this language.")
                chat.set_locale(me, locale)
                return await self.snapshot()
        return None

    def _commands(self) -> tuple[SlashCommand, ...]:
        return tuple(self._chat.commands(self._channel.id, self._me.id))

    async def _call(self, command: SlashCommand, text: str, picks: Mapping[str, Pick]) -> None:
        try:
            values: dict[str, SlashValue | File] = {**option_values(command, text, picks)}
        except WrongOptions as wrong:
            raise ActionRefused(str(wrong)) from wrong
        for option in command.options:
            if option.type == OptionType.ATTACHMENT and option.name in values:
                values[option.name] = self._upload(str(values[option.name]))
        self._deeds.called(await self._chat.slash(self._me.id, self._channel.id, command, values))

    async def _suggest(self, wanted: protocol.Suggest) -> None:
        command = called_command(wanted.content, self._commands())
        if command is None or wanted.option not in {option.name for option in command.options}:
            raise ActionRefused("There is no such option here.")
        values = begun_values(command, wanted.content, wanted.option, wanted.picks)
        asked = await self._chat.suggest(self._me.id, self._channel.id, command, values, wanted.option)
        self._deeds.asked(asked, wanted.nonce)

    def _with_files(self, form: str, custom_id: str, value: FormValue) -> FormValue:
        """What a field for files holds are the ids of uploads."""
        if not isinstance(value, list) or custom_id not in self._deeds.file_fields(form):
            return value
        return [self._upload(str(upload_id)) for upload_id in value]

    def _upload(self, upload_id: str) -> File:
        file = self._uploads.get(upload_id)
        if file is None:
            raise ActionRefused("There is no such file here; choose it again.")
        return file

    def _with_mentions(self, content: str) -> str:
        everyone = (*self._chat.people(), self._chat.bot)
        sent = mentions_from_names(content, {person.name: person.id for person in everyone})
        if len(sent) > CONTENT_LIMIT:
            raise ActionRefused(f"Your message is too long: {len(sent)} of {CONTENT_LIMIT} characters.")
        return sent

    def _become(self, user_id: str) -> None:
        person = next((person for person in self._chat.people() if person.id == user_id), None)
        if person is None:
            raise ActionRefused("There is no such person here.")
        self._me = person
        self._deeds = Deeds(self._chat)
        # Another person's DM is not this person's to read.
        self._channel = self._channel_or_first(self._channel.id)

    def _channel_or_first(self, channel_id: str | None) -> Channel:
        channels = self._chat.channels(self._me.id)
        return next((channel for channel in channels if channel.id == channel_id), channels[0])

    def _find_channel(self, channel_id: str) -> Channel:
        for channel in self._chat.channels(self._me.id):
            if channel.id == channel_id:
                return channel
        raise ActionRefused("There is no such channel here.")

    def _created(self, message: Json, ephemeral_to: str | None) -> protocol.Event | None:
        if ephemeral_to not in (None, self._me.id):
            return None
        if self._is_shown(message["channel_id"]):
            return protocol.MessageShown(self._view(message), self._is_unheard(message))
        visible = {channel.id for channel in self._chat.channels(self._me.id)}
        return protocol.Unread(message["channel_id"]) if message["channel_id"] in visible else None

    def _typing(self, user_id: str) -> protocol.Event:
        everyone = {person.id: person.name for person in (*self._chat.people(), self._chat.bot)}
        return protocol.SomeoneTypes(user_id, everyone.get(user_id, "Someone"))

    def _is_shown(self, channel_id: str) -> bool:
        return channel_id == self._channel.id

    def _is_unheard(self, message: Json) -> bool:
        if message["author"]["id"] != self._me.id or self._channel.kind is ChannelKind.DM:
            return False
        called = [user["id"] for user in message.get("mentions", ())]
        if replied_to := message.get("referenced_message"):
            called.append(replied_to["author"]["id"])
        return self._chat.bot.id not in called

    def _view(self, message: Json) -> MessageView:
        try:
            may_moderate = self._chat.may_moderate(self._me.id, message["channel_id"])
            view = message_view(
                message,
                self._me.id,
                self._chat.name_of,
                may_moderate=may_moderate,
                start_of=self._chat.file_start,
            )
            encode(view)
        except Exception:  # One message, whatever is wrong with it, must not take the page and all others with it.
            log.exception("message_not_drawn", message_id=message["id"])
            return unshowable_view(message)
        return view


def _person_view(person: Person, *, is_app: bool = False) -> AuthorView:
    return author_view({"id": person.id, "username": person.name, "bot": is_app})

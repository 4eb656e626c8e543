"""One browser's view of the chat: who it speaks as, which channel it shows, and what therefore concerns it.

Without a socket: a world event goes in and the page's events come out; a command goes in and is carried out on the port.
"""

from __future__ import annotations

import msgspec

from bot.playground.page import protocol
from bot.playground.page.mentions import mentions_from_names
from bot.playground.page.port import ActionRefused, Channel, ChatPort, Person
from bot.playground.page.views import AuthorView, MessageView, author_view, message_view
from bot.playground.standin import events as world
from bot.playground.standin.events import Json

MESSAGE_LIMIT = 2000
"""Code points of a message's content, for people as for bots."""


class Session:
    def __init__(self, chat: ChatPort, notice: str) -> None:
        self._chat = chat
        self._notice = notice
        self._me = chat.people()[0]
        self._channel = chat.channels(self._me.id)[0]
        self._pressed: dict[str, str] = {}
        """Of open interactions of this person: interaction id → message id."""

    def snapshot(self) -> protocol.Snapshot:
        return protocol.Snapshot(
            server=self._chat.server_name,
            notice=self._notice,
            me=_person_view(self._me),
            bot=_person_view(self._chat.bot, is_app=True),
            people=tuple(map(_person_view, self._chat.people())),
            channels=tuple(self._chat.channels(self._me.id)),
            channel=self._channel,
            messages=tuple(map(self._view, self._chat.messages(self._channel.id, self._me.id))),
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
            case world.ChannelCreated():
                return protocol.ChannelsChanged(tuple(self._chat.channels(self._me.id)))
            case world.InteractionStarted(interaction_id, user_id, str(message_id), custom_id):
                if user_id != self._me.id:
                    return None
                self._pressed[interaction_id] = message_id
                return protocol.PressPending(message_id, custom_id)
            case world.InteractionAnswered(interaction_id):
                pressed = self._pressed.pop(interaction_id, None)
                return protocol.PressAnswered(pressed) if pressed else None
            case world.InteractionFailed(interaction_id):
                pressed = self._pressed.pop(interaction_id, None)
                return protocol.PressFailed(pressed) if pressed else None
        return None

    async def obey(self, frame: str | bytes) -> protocol.Event | None:
        """Carry out a command as the browser sent it. What it changes in the chat comes back as world events."""
        try:
            return await self._carry_out(protocol.decode_command(frame))
        except msgspec.DecodeError as error:
            return protocol.Refused(f"The page sent something that is no command: {error}")
        except ActionRefused as refusal:
            return protocol.Refused(str(refusal))

    async def _carry_out(self, command: protocol.Command) -> protocol.Event | None:
        chat, me = self._chat, self._me.id
        match command:
            case protocol.Say(content, reply_to):
                await chat.say(me, self._channel.id, self._with_mentions(content), reply_to)
            case protocol.Press(message_id, custom_id):
                await chat.press(me, message_id, custom_id)
            case protocol.Delete(message_id):
                await chat.delete(me, message_id)
            case protocol.React(message_id, emoji):
                await chat.react(me, message_id, emoji)
            case protocol.Typing():
                await chat.typing(me, self._channel.id)
            case protocol.Switch(channel_id):
                self._channel = self._find_channel(channel_id)
                return self.snapshot()
            case protocol.Identity(user_id):
                self._become(user_id)
                return self.snapshot()
        return None

    def _with_mentions(self, content: str) -> str:
        everyone = (*self._chat.people(), self._chat.bot)
        sent = mentions_from_names(content, {person.name: person.id for person in everyone})
        if len(sent) > MESSAGE_LIMIT:
            raise ActionRefused(f"Your message is too long: {len(sent)} of {MESSAGE_LIMIT} characters.")
        return sent

    def _become(self, user_id: str) -> None:
        person = next((person for person in self._chat.people() if person.id == user_id), None)
        if person is None:
            raise ActionRefused("There is no such person here.")
        self._me = person
        self._pressed.clear()
        channels = self._chat.channels(person.id)
        # Another person's DM is not this person's to read.
        self._channel = next((channel for channel in channels if channel.id == self._channel.id), channels[0])

    def _find_channel(self, channel_id: str) -> Channel:
        for channel in self._chat.channels(self._me.id):
            if channel.id == channel_id:
                return channel
        raise ActionRefused("There is no such channel here.")

    def _created(self, message: Json, ephemeral_to: str | None) -> protocol.Event | None:
        if ephemeral_to not in (None, self._me.id):
            return None
        if self._is_shown(message["channel_id"]):
            return protocol.MessageShown(self._view(message))
        visible = {channel.id for channel in self._chat.channels(self._me.id)}
        return protocol.Unread(message["channel_id"]) if message["channel_id"] in visible else None

    def _typing(self, user_id: str) -> protocol.Event:
        everyone = {person.id: person.name for person in (*self._chat.people(), self._chat.bot)}
        return protocol.SomeoneTypes(user_id, everyone.get(user_id, "Someone"))

    def _is_shown(self, channel_id: str) -> bool:
        return channel_id == self._channel.id

    def _view(self, message: Json) -> MessageView:
        may_moderate = self._chat.may_moderate(self._me.id, message["channel_id"])
        return message_view(message, self._me.id, self._chat.name_of, may_moderate=may_moderate)


def _person_view(person: Person, *, is_app: bool = False) -> AuthorView:
    return author_view({"id": person.id, "username": person.name, "bot": is_app})

"""What people do in the stand-in's world: say, edit, react, press, use commands.

People are held to Discord's rules too: what they may not do is an ApiError with Discord's words, and so is an unknown
id. Channels and users may be given as records or as ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.playground.standin.backend import Backend, check_may_send, require_permission, sending_permission
from bot.playground.standin.commands import CommandType
from bot.playground.standin.dispatches import Dispatch
from bot.playground.standin.errors import (
    MISSING_PERMISSIONS,
    NOT_THE_AUTHOR,
    THREAD_EXISTS,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    UNKNOWN_USER,
    ApiError,
    invalid_form,
)
from bot.playground.standin.events import Json
from bot.playground.standin.interaction_payloads import (
    CommandOptions,
    OptionValue,
    interaction_metadata,
    interaction_payload,
    modal_data,
)
from bot.playground.standin.interactions import Interaction, InteractionType
from bot.playground.standin.message_endpoints import checked_emoji
from bot.playground.standin.objects import user_object
from bot.playground.standin.permissions import NOTHING, Permission
from bot.playground.standin.records import Channel, User
from bot.playground.standin.request_shapes import CONTENT_LIMIT
from bot.playground.standin.shapes import Shape, Text, require
from bot.playground.standin.validation import check_not_empty, walk_components
from bot.playground.standin.world import Change, Draft

_NEEDED = dict.fromkeys((InteractionType.COMMAND, InteractionType.AUTOCOMPLETE), Permission.USE_APPLICATION_COMMANDS)
_TEXT = Shape({"content": Text(CONTENT_LIMIT)})


class People:
    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._world = backend.world

    def say(
        self,
        author: User | str,
        channel: Channel | str,
        text: str,
        *,
        reply_to: str | None = None,
        attachments: Iterable[tuple[str, bytes]] = (),
        ping_replied: bool = True,
    ) -> Json:
        user_id, place = self._user(author), self._channel(channel)
        check_may_send(self._world, user_id, place, NOTHING)
        require(_TEXT, {"content": text})
        if reply_to is not None and self._message(reply_to)["channel_id"] != place.id:
            raise invalid_form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
        stored = tuple(
            self._backend.attachments.add(place.id, self._world.new_id(), filename, data, None)
            for filename, data in attachments
        )
        check_not_empty({"content": text, "attachments": stored})
        everything = {"parse": ["users", "roles", "everyone"], "replied_user": ping_replied}
        draft = Draft(content=text, reply_to=reply_to, attachments=stored, allowed_mentions=everything)
        return self._world.create_message(user_id, place.id, draft)

    def edit(self, author: User | str, message_id: str, text: str) -> Json:
        if self._message(message_id)["author"]["id"] != self._user(author):
            raise ApiError(NOT_THE_AUTHOR)
        self._backend.check_open(self._message(message_id)["channel_id"])
        require(_TEXT, {"content": text})
        return self._world.edit_message(message_id, Change(content=text))

    def delete(self, by: User | str, message_id: str) -> None:
        message = self._message(message_id)
        user_id, place = self._user(by), self._channel(message["channel_id"])
        if message["author"]["id"] != user_id and self._world.ephemeral_to(message_id) != user_id:
            self._require(user_id, place, Permission.MANAGE_MESSAGES)
        self._backend.delete_message(message_id)

    def react(self, user: User | str, message_id: str, emoji: str) -> None:
        place = self._channel(self._message(message_id)["channel_id"])
        self._require(self._user(user), place, Permission.ADD_REACTIONS)
        self._backend.check_open(place.id)
        self._world.add_reaction(message_id, self._user(user), checked_emoji(emoji))

    def unreact(self, user: User | str, message_id: str, emoji: str) -> None:
        self._message(message_id)
        self._world.remove_reaction(message_id, self._user(user), emoji)

    def type_in(self, user: User | str, channel: Channel | str) -> None:
        place = self._channel(channel)
        self._require(self._user(user), place, sending_permission(place))
        self._world.start_typing(place.id, self._user(user))

    def start_thread(self, user: User | str, channel: Channel | str, name: str, message_id: str | None) -> Channel:
        place = self._channel(channel)
        self._require(self._user(user), place, Permission.CREATE_PUBLIC_THREADS)
        if message_id is not None and message_id in self._world.channels:
            raise ApiError(THREAD_EXISTS)
        return self._world.start_thread(place, name, self._user(user), message_id=message_id)

    def press(self, user: User | str, message_id: str, custom_id: str, values: Iterable[str] = ()) -> Interaction:
        """A button, or a select with the chosen values. Raises ApiError 10008; LookupError without such a component."""
        message = self._message(message_id)
        if self._world.ephemeral_to(message_id) not in (None, self._user(user)):
            raise ApiError(UNKNOWN_MESSAGE)
        for component in walk_components(message["components"]):
            if component.get("custom_id") == custom_id and not component.get("disabled"):
                break
        else:
            ids = [c["custom_id"] for c in walk_components(message["components"]) if "custom_id" in c]
            raise LookupError(f"no enabled component {custom_id!r} on the message; it has {ids}")
        data: Json = {"custom_id": custom_id, "component_type": component["type"], "id": component["id"]}
        chosen = list(values)
        return self._interact(
            InteractionType.COMPONENT,
            user,
            message["channel_id"],
            {**data, "values": chosen} if chosen else data,
            message_id=message_id,
        )

    def slash(
        self, user: User | str, channel: Channel | str, name: str, options: Mapping[str, OptionValue] | None = None
    ) -> Interaction:
        """`name` may go on with a group and a subcommand: "settings model". LookupError for what is not registered."""
        data = self._command_data(channel, name, options or {})
        return self._interact(InteractionType.COMMAND, user, channel, data)

    def autocomplete(
        self, user: User | str, channel: Channel | str, name: str, options: Mapping[str, OptionValue], focused: str
    ) -> Interaction:
        """The person is typing the option `focused`."""
        data = self._command_data(channel, name, options, focused)
        return self._interact(InteractionType.AUTOCOMPLETE, user, channel, data)

    def message_command(self, user: User | str, message_id: str, name: str) -> Interaction:
        message = self._message(message_id)
        data = self._menu_data(name, CommandType.MESSAGE, message["channel_id"])
        data |= {"target_id": message_id, "resolved": {"messages": {message_id: message}}}
        return self._interact(InteractionType.COMMAND, user, message["channel_id"], data)

    def user_command(self, user: User | str, channel: Channel | str, target: User | str, name: str) -> Interaction:
        target_id, place = self._user(target), self._channel(channel)
        data = self._menu_data(name, CommandType.USER, place.id)
        users = {target_id: user_object(self._world.users[target_id])}
        return self._interact(
            InteractionType.COMMAND, user, place, {**data, "target_id": target_id, "resolved": {"users": users}}
        )

    def submit_modal(self, opened_by: Interaction, values: Mapping[str, str | list[str]]) -> Interaction:
        """Fills in the modal with which the bot answered; `values` by custom_id. LookupError when it did not."""
        if opened_by.answer is None or opened_by.answer.modal is None:
            raise LookupError("the interaction was not answered with a modal")
        return self._interact(
            InteractionType.MODAL_SUBMIT,
            opened_by.user_id,
            opened_by.channel_id,
            modal_data(opened_by.answer.modal, values),
            message_id=opened_by.message_id,
            opened_by=opened_by,
        )

    def _interact(
        self,
        kind: InteractionType,
        user: User | str,
        channel: Channel | str,
        data: Json,
        *,
        message_id: str | None = None,
        opened_by: Interaction | None = None,
    ) -> Interaction:
        user_id, place = self._user(user), self._channel(channel)
        self._require(user_id, place, _NEEDED.get(kind, Permission.VIEW_CHANNEL))
        interactions = self._backend.interactions
        custom_id = data.get("custom_id")
        interaction = interactions.start(kind, user_id, place.id, message_id=message_id, custom_id=custom_id)
        interaction.metadata = interaction_metadata(interaction, self._world, opened_by)
        payload = interaction_payload(interaction, data, self._world)
        self._backend.gateway.dispatch(Dispatch("INTERACTION_CREATE", payload, place.guild_id))
        interactions.watch_deadline(interaction)
        return interaction

    def _command_data(
        self,
        channel: Channel | str,
        name: str,
        values: Mapping[str, OptionValue],
        focused: str | None = None,
    ) -> Json:
        place = self._channel(channel)
        first, *path = name.split()
        command = self._backend.commands.find(first, CommandType.SLASH, place.guild_id)
        return CommandOptions(self._world, self._backend.attachments, place).data(command, path, values, focused)

    def _menu_data(self, name: str, kind: CommandType, channel_id: str) -> Json:
        command = self._backend.commands.find(name, kind, self._channel(channel_id).guild_id)
        return {"id": command["id"], "name": name, "type": int(kind)}

    def _require(self, user_id: str, channel: Channel, needed: Permission) -> None:
        if channel.guild_id is not None:
            require_permission(self._world, user_id, channel.id, needed)
        elif user_id not in (channel.recipient_id, self._world.bot.id) or needed & Permission.MANAGE_MESSAGES:
            raise ApiError(MISSING_PERMISSIONS)

    def _user(self, user: User | str) -> str:
        user_id = user if isinstance(user, str) else user.id
        if user_id not in self._world.users:
            raise ApiError(UNKNOWN_USER)
        return user_id

    def _channel(self, channel: Channel | str) -> Channel:
        channel_id = channel if isinstance(channel, str) else channel.id
        if channel_id not in self._world.channels:
            raise ApiError(UNKNOWN_CHANNEL)
        return self._world.channels[channel_id]

    def _message(self, message_id: str) -> Json:
        if not self._world.has_message(message_id):
            raise ApiError(UNKNOWN_MESSAGE)
        return self._world.message(message_id)

"""What people do with the application: press, choose, call commands, fill in forms.

Where the bot is no member a person can use only what they have installed for themselves; the bot then hears of nothing
but the interaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bot.playground.standin.acting import Acting
from bot.playground.standin.commands import CommandType, Install, Reach, is_allowed
from bot.playground.standin.dispatches import Dispatch
from bot.playground.standin.errors import UNKNOWN_MESSAGE, ApiError
from bot.playground.standin.events import Json
from bot.playground.standin.filling import Choice, FieldValue, Filling
from bot.playground.standin.interaction_payloads import (
    CommandOptions,
    context_of,
    interaction_metadata,
    interaction_payload,
)
from bot.playground.standin.interactions import Interaction, InteractionType
from bot.playground.standin.modal_shapes import SELECT_TYPES
from bot.playground.standin.permissions import Permission
from bot.playground.standin.records import Channel, User
from bot.playground.standin.resolved import OptionValue, Resolved
from bot.playground.standin.validation import walk_components

_NEEDED = dict.fromkeys((InteractionType.COMMAND, InteractionType.AUTOCOMPLETE), Permission.USE_APPLICATION_COMMANDS)
_SLASH_ANSWER, _MENU_ANSWER = 20, 23
"""Types of the messages that answer commands."""


class Using(Acting):
    async def press(
        self, user: User | str, message_id: str, custom_id: str, values: Iterable[Choice] = ()
    ) -> Interaction:
        """A button, or a select with what is chosen in it. Raises ApiError 10008; the errors of `Filling.chosen`.

        LookupError without such a component that can be used.
        """
        message = self._message(message_id)
        if self.world.ephemeral_to(message_id) not in (None, self._user(user)):
            raise ApiError(UNKNOWN_MESSAGE)
        component = _enabled(message, custom_id)
        place = self._channel(message["channel_id"])
        data: Json = {"custom_id": custom_id, "component_type": component["type"], "id": component["id"]}
        if component["type"] in SELECT_TYPES:
            data |= self._filling(place, user).chosen(component, list(values))
        metadata = message.get("interaction_metadata") or {}
        return self._interact(
            InteractionType.COMPONENT,
            user,
            place,
            data,
            owners=metadata.get("authorizing_integration_owners") or {"0": place.guild_id or "0"},
            message_id=message_id,
        )

    async def slash(
        self, user: User | str, channel: Channel | str, name: str, options: Mapping[str, OptionValue] | None = None
    ) -> Interaction:
        """`name` may go on with a group and a subcommand: "settings model". LookupError for what is not there for them."""
        return self._call(InteractionType.COMMAND, user, channel, name, options or {})

    async def autocomplete(
        self, user: User | str, channel: Channel | str, name: str, options: Mapping[str, OptionValue], *, focused: str
    ) -> Interaction:
        """The person is typing the option `focused`."""
        return self._call(InteractionType.AUTOCOMPLETE, user, channel, name, options, focused)

    async def message_command(self, user: User | str, message_id: str, name: str) -> Interaction:
        """A command of the menu of a message."""
        message = self._message(message_id)
        target = {"target_id": message_id, "resolved": {"messages": {message_id: message}}}
        return self._choose(CommandType.MESSAGE, user, message["channel_id"], name, target)

    async def user_command(
        self, user: User | str, channel: Channel | str, target: User | str, name: str
    ) -> Interaction:
        """A command of the menu of a person."""
        target_user = self.world.users[self._user(target)]
        resolved = self._resolved(self._channel(channel), user)
        target_data = {"target_id": resolved.value(target_user), **resolved.field()}
        return self._choose(CommandType.USER, user, channel, name, target_data)

    async def submit_modal(self, opened_by: Interaction, values: Mapping[str, FieldValue]) -> Interaction:
        """Fills in the modal with which the bot answered; `values` by custom_id. The errors of `Filling.modal`.

        LookupError when the bot answered otherwise.
        """
        if opened_by.answer is None or opened_by.answer.modal is None:
            raise LookupError("the interaction was not answered with a modal")
        place = self._channel(opened_by.channel_id)
        return self._interact(
            InteractionType.MODAL_SUBMIT,
            opened_by.user_id,
            place,
            self._filling(place, opened_by.user_id).modal(opened_by.answer.modal, values),
            owners=opened_by.owners,
            message_id=opened_by.message_id,
            opened_by=opened_by,
        )

    def commands_in(self, channel: Channel | str, user: User | str | None = None) -> list[Json]:
        """The slash commands that the person, or somebody who has installed nothing, finds there.

        Discord does not list to a person what needs permissions that they do not have. `slash` lets it through all the
        same, as each server can allow more than the bot asked for.
        """
        place = self._channel(channel)
        reach = self._reach(None if user is None else self._user(user), place)
        found = self._backend.commands.reachable(CommandType.SLASH, reach)
        if user is None or place.guild_id is None:
            return found
        allowed = self.world.permissions(self._user(user), place.id)
        return [command for command in found if is_allowed(command, allowed)]

    def _call(
        self,
        kind: InteractionType,
        user: User | str,
        channel: Channel | str,
        name: str,
        values: Mapping[str, OptionValue],
        focused: str | None = None,
    ) -> Interaction:
        place = self._channel(channel)
        first, *path = name.split()
        reach = self._reach(self._user(user), place)
        command = self._backend.commands.find(first, CommandType.SLASH, reach)
        data = CommandOptions(self._resolved(place, user), place).data(command, path, values, focused)
        owners = self._owners(command, reach, self._user(user))
        return self._interact(kind, user, place, data, owners=owners, answer_type=_SLASH_ANSWER)

    def _choose(
        self, kind: CommandType, user: User | str, channel: Channel | str, name: str, target: Json
    ) -> Interaction:
        place = self._channel(channel)
        reach = self._reach(self._user(user), place)
        command = self._backend.commands.find(name, kind, reach)
        data = {"id": command["id"], "name": name, "type": int(kind), **target}
        owners = self._owners(command, reach, self._user(user))
        return self._interact(InteractionType.COMMAND, user, place, data, owners=owners, answer_type=_MENU_ANSWER)

    def _resolved(self, place: Channel, user: User | str) -> Resolved:
        return Resolved(self.world, self._backend.attachments, place, self._user(user))

    def _filling(self, place: Channel, user: User | str) -> Filling:
        return Filling(self.world, self._resolved(place, user), place)

    def _reach(self, user_id: str | None, place: Channel) -> Reach:
        is_member = self.world.has_bot(place.guild_id) if place.guild_id else place.recipient_id is not None
        installs = {Install.GUILD} if is_member else set()
        installs |= {Install.USER} if user_id in self.world.installed_by else set()
        return Reach(place.guild_id, context_of(place), frozenset(installs))

    def _owners(self, command: Json, reach: Reach, user_id: str) -> Json:
        owners = {Install.GUILD: reach.guild_id or "0", Install.USER: user_id}
        return {str(int(kind)): owners[kind] for kind in sorted(reach.installs & set(command["integration_types"]))}

    def _interact(
        self,
        kind: InteractionType,
        user: User | str,
        place: Channel,
        data: Json,
        *,
        owners: Json,
        message_id: str | None = None,
        opened_by: Interaction | None = None,
        answer_type: int = 0,
    ) -> Interaction:
        user_id = self._user(user)
        self._require(user_id, place, _NEEDED.get(kind, Permission.VIEW_CHANNEL))
        interactions = self._backend.interactions
        interaction = interactions.start(
            kind,
            user_id,
            place.id,
            message_id=message_id,
            custom_id=data.get("custom_id"),
            owners=owners,
            answer_type=answer_type,
        )
        interaction.metadata = interaction_metadata(interaction, data, self.world, opened_by)
        payload = interaction_payload(interaction, data, self.world)
        self._backend.gateway.dispatch(Dispatch("INTERACTION_CREATE", payload, place.guild_id))
        interactions.watch_deadline(interaction)
        return interaction


def _enabled(message: Json, custom_id: str) -> Json:
    """The component of this id. Raises LookupError where there is none that can be used."""
    ids = []
    for component in walk_components(message["components"]):
        if component.get("custom_id") == custom_id and not component.get("disabled"):
            return component
        ids += [component["custom_id"]] if "custom_id" in component else []
    raise LookupError(f"no enabled component {custom_id!r} on the message; it has {ids}")

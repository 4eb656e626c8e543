"""The payload of INTERACTION_CREATE, and the options of a command from plain values.

https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object
"""

from __future__ import annotations

from collections.abc import Mapping

from bot.playground.standin.commands import CommandType, Context
from bot.playground.standin.events import Json
from bot.playground.standin.interactions import Interaction, InteractionType
from bot.playground.standin.objects import interaction_channel_object, member_object, user_object
from bot.playground.standin.permissions import Permission
from bot.playground.standin.records import Channel
from bot.playground.standin.resolved import OptionValue, Resolved
from bot.playground.standin.world import World

_WITHOUT_BOT = Permission.ATTACH_FILES | Permission.EMBED_LINKS | Permission.MENTION_EVERYONE


def interaction_payload(interaction: Interaction, data: Json, world: World) -> Json:
    channel = world.channels[interaction.channel_id]
    user = world.users[interaction.user_id]
    permissions = world.permissions(user.id, channel.id)
    payload: Json = {
        "id": interaction.id,
        "application_id": world.bot.id,
        "type": int(interaction.type),
        "data": data,
        "channel_id": channel.id,
        "channel": interaction_channel_object(world.channel_json(channel.id), permissions),
        "token": interaction.token,
        "version": 1,
        "app_permissions": str(int(_app_permissions(channel, world))),
        "locale": user.locale,
        "entitlements": [],
        "authorizing_integration_owners": interaction.owners,
        "context": int(context_of(channel)),
        "attachment_size_limit": world.file_limit(channel.id),
    }
    if channel.guild_id is None:
        payload["user"] = user_object(user)
    else:
        guild = world.guilds[channel.guild_id]
        member = member_object(world.members[guild.id, user.id], user)
        payload |= {
            "guild_id": guild.id,
            "guild": {"id": guild.id, "locale": guild.locale, "features": []},
            "guild_locale": guild.locale,
            "member": {**member, "permissions": str(int(permissions))},
        }
    if interaction.message_id is not None:
        payload["message"] = world.message(interaction.message_id)
    return payload


def context_of(channel: Channel) -> Context:
    if channel.guild_id is not None:
        return Context.GUILD
    return Context.BOT_DM if channel.recipient_id else Context.PRIVATE


def _app_permissions(channel: Channel, world: World) -> Permission:
    """Where the application is installed only for a person, Discord tells what its answers may hold."""
    is_member = world.has_bot(channel.guild_id) if channel.guild_id else bool(channel.recipient_id)
    return world.permissions(world.bot.id, channel.id) if is_member else _WITHOUT_BOT


def interaction_metadata(
    interaction: Interaction, data: Json, world: World, opened_by: Interaction | None = None
) -> Json:
    """What stands on the messages that answer the interaction. `opened_by` is what a submitted modal answered."""
    metadata: Json = {
        "id": interaction.id,
        "type": int(interaction.type),
        "user": user_object(world.users[interaction.user_id]),
        "authorizing_integration_owners": interaction.owners,
    }
    if interaction.type is InteractionType.COMPONENT:
        metadata["interacted_message_id"] = interaction.message_id
    if data.get("type") == CommandType.MESSAGE:
        metadata["target_message_id"] = data["target_id"]
    if opened_by is not None:
        metadata["triggering_interaction_metadata"] = opened_by.metadata
    return metadata


class CommandOptions:
    """The `data` of a slash command: options nested as the command's subcommands are, and what their ids stand for."""

    def __init__(self, resolved: Resolved, channel: Channel) -> None:
        self._resolved = resolved
        self._channel = channel

    def data(
        self, command: Json, path: list[str], values: Mapping[str, OptionValue], focused: str | None = None
    ) -> Json:
        """`path` names subcommand group and subcommand. LookupError for a name that the command does not have."""
        data: Json = {"id": command["id"], "name": command["name"], "type": command["type"]}
        data["options"] = self._options(command, path, values, focused)
        if self._channel.guild_id and "guild_id" in command:
            data["guild_id"] = command["guild_id"]
        return data | self._resolved.field()

    def _options(
        self, definition: Json, path: list[str], values: Mapping[str, OptionValue], focused: str | None
    ) -> list[Json]:
        known = {option["name"]: option for option in definition.get("options") or []}
        if path:
            name, *rest = path
            inner = self._options(_pick(known, name), rest, values, focused)
            return [{"type": known[name]["type"], "name": name, "options": inner}]
        options = []
        for name, value in values.items():
            option: Json = {"name": name, "type": _pick(known, name)["type"], "value": self._resolved.value(value)}
            options.append({**option, "focused": True} if name == focused else option)
        return options


def _pick(known: Mapping[str, Json], name: str) -> Json:
    if name not in known:
        raise LookupError(f"the command has no option {name!r}; it has: {', '.join(known) or 'none'}")
    return known[name]

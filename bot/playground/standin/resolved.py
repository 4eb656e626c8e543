"""What the ids in an interaction's data stand for: people, roles, channels, files.

https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object-resolved-data-structure
"""

from __future__ import annotations

from typing import Any, TypeAlias

from bot.playground.standin.attachments import AttachmentStore
from bot.playground.standin.contents import Upload
from bot.playground.standin.events import Json
from bot.playground.standin.objects import interaction_channel_object, member_object, role_object, user_object
from bot.playground.standin.records import Channel, Role, User
from bot.playground.standin.world import World

File: TypeAlias = Upload | tuple[str, bytes]
"""(filename, bytes), or all that a sender says of it."""
OptionValue: TypeAlias = str | int | float | bool | User | Channel | Role | File

_PARTIAL_MEMBER_LACKS = ("deaf", "mute")


class Resolved:
    """Gathers what a person has chosen in an interaction that takes place in `channel`."""

    def __init__(self, world: World, attachments: AttachmentStore, channel: Channel, user_id: str) -> None:
        self._world = world
        self._attachments = attachments
        self._channel = channel
        self._user_id = user_id
        self._objects: Json = {}

    def field(self) -> Json:
        """The field of the interaction's data; nothing where there is nothing to resolve."""
        return {"resolved": self._objects} if self._objects else {}

    def value(self, value: OptionValue) -> Any:
        """How the data names this: by its id, which is resolved; a plain value is itself. A file is stored."""
        match value:
            case User():
                return self._user(value)
            case Role():
                return self._add("roles", value.id, role_object(value))
            case Channel():
                permissions = self._world.permissions(self._user_id, value.id)
                channel = interaction_channel_object(self._world.channel_json(value.id), permissions)
                return self._add("channels", value.id, channel)
            case Upload() | (str(), bytes()):
                attachment_id = self._world.new_id()
                upload = value if isinstance(value, Upload) else Upload(filename=value[0], data=value[1])
                stored = self._attachments.add(self._channel.id, attachment_id, upload)
                return self._add("attachments", attachment_id, {**stored, "ephemeral": True})
            case _:
                return value

    def _user(self, user: User) -> str:
        guild_id = self._channel.guild_id
        member = self._world.members.get((guild_id, user.id)) if guild_id else None
        if member:
            partial = {key: item for key, item in member_object(member).items() if key not in _PARTIAL_MEMBER_LACKS}
            permissions = str(int(self._world.permissions(user.id, self._channel.id)))
            self._add("members", user.id, {**partial, "permissions": permissions})
        return self._add("users", user.id, user_object(user))

    def _add(self, kind: str, object_id: str, resolved: Json) -> str:
        self._objects.setdefault(kind, {})[object_id] = resolved
        return object_id

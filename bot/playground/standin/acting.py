"""What all who act in the stand-in's world need: they are named by record or id, and held to Discord's rules.

What a person may not do is an ApiError with Discord's words, and so is an unknown id.
"""

from __future__ import annotations

from bot.playground.standin.backend import Backend, require_permission
from bot.playground.standin.errors import UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, UNKNOWN_USER, ApiError
from bot.playground.standin.events import Json
from bot.playground.standin.permissions import Permission
from bot.playground.standin.records import Channel, User
from bot.playground.standin.world import World


class Acting:
    world: World
    _backend: Backend

    def _require(self, user_id: str, channel: Channel, needed: Permission) -> None:
        require_permission(self.world, user_id, channel.id, needed)

    def _user(self, user: User | str) -> str:
        user_id = id_of(user)
        if user_id not in self.world.users:
            raise ApiError(UNKNOWN_USER)
        return user_id

    def _channel(self, channel: Channel | str) -> Channel:
        channel_id = id_of(channel)
        if channel_id not in self.world.channels:
            raise ApiError(UNKNOWN_CHANNEL)
        return self.world.channels[channel_id]

    def _message(self, message_id: str) -> Json:
        if not self.world.has_message(message_id):
            raise ApiError(UNKNOWN_MESSAGE)
        return self.world.message(message_id)


def id_of(thing: User | Channel | str) -> str:
    return thing if isinstance(thing, str) else thing.id

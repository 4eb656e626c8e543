"""Webhooks of channels: who may make them, how they are called, what Discord shows of them.

https://docs.discord.com/developers/resources/webhook. Whoever knows its token may write by a webhook, under any name.
"""

from __future__ import annotations

import secrets
from hashlib import sha256

from bot.playground.standin.errors import TOO_MANY_WEBHOOKS, WRONG_CHANNEL_TYPE, ApiError, invalid_form
from bot.playground.standin.events import Json
from bot.playground.standin.objects import user_object
from bot.playground.standin.records import Channel, ChannelType, User, Webhook
from bot.playground.standin.world import World

WEBHOOKS_LIMIT = 15
"""Of one channel."""
_FORBIDDEN = ("clyde", "discord")
_INCOMING = 1


def make_webhook(world: World, channel: Channel, name: str, user_id: str, application_id: str | None) -> Webhook:
    """Raises 50024, 30007, 50035."""
    if channel.type not in (ChannelType.TEXT, ChannelType.FORUM) or channel.guild_id is None:
        raise ApiError(WRONG_CHANNEL_TYPE)
    if len(webhooks_in(world, channel.id)) >= WEBHOOKS_LIMIT:
        raise ApiError(TOO_MANY_WEBHOOKS)
    check_name("name", name)
    webhook = Webhook(
        id=world.new_id(),
        token=secrets.token_urlsafe(51),
        channel_id=channel.id,
        guild_id=channel.guild_id,
        name=name.strip(),
        user_id=user_id,
        application_id=application_id,
    )
    world.webhooks[webhook.id] = webhook
    return webhook


def webhooks_in(world: World, channel_id: str) -> list[Webhook]:
    return [webhook for webhook in world.webhooks.values() if webhook.channel_id == channel_id]


def check_name(field: str, name: str) -> None:
    """Raises 50035 for a name that looks like one of Discord's own."""
    if not name.strip():
        raise invalid_form(field, "BASE_TYPE_REQUIRED", "This field is required")
    for word in _FORBIDDEN:
        if word in name.lower():
            raise invalid_form(field, "USERNAME_INVALID_CONTAINS", f'Username cannot contain "{word}"')


def face_of(webhook: Webhook, username: str | None, avatar_url: str | None) -> User:
    """As whom one message of the webhook is shown. Of a picture elsewhere Discord makes one of its own, with a hash."""
    avatar = webhook.avatar if avatar_url is None else picture_hash(avatar_url.encode())
    return User(webhook.id, username or webhook.name, global_name=None, is_bot=True, avatar=avatar)


def picture_hash(picture: bytes) -> str:
    """The same for the same picture, or address of one."""
    return sha256(picture).hexdigest()[:32]


def webhook_object(webhook: Webhook, owner: User | None, reader_id: str) -> Json:
    """`owner` is left out where the token authorizes. The token of another application's webhook is not told."""
    shown: Json = {
        "id": webhook.id,
        "type": _INCOMING,
        "name": webhook.name,
        "avatar": webhook.avatar,
        "channel_id": webhook.channel_id,
        "guild_id": webhook.guild_id,
        "application_id": webhook.application_id,
    }
    if owner is not None:
        shown["user"] = user_object(owner)
    return shown | ({"token": webhook.token} if webhook.application_id in (None, reader_id) else {})

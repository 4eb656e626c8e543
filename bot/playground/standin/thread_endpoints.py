"""REST: threads are started, archived and locked (https://docs.discord.com/developers/topics/threads)."""

from __future__ import annotations

import msgspec

from bot.playground.standin.backend import Backend
from bot.playground.standin.errors import (
    MISSING_PERMISSIONS,
    THREAD_ARCHIVED,
    THREAD_EXISTS,
    WRONG_CHANNEL_TYPE,
    ApiError,
    invalid_form,
)
from bot.playground.standin.events import Json
from bot.playground.standin.permissions import Permission
from bot.playground.standin.records import Channel, ChannelType
from bot.playground.standin.request_shapes import THREAD_ALONE, THREAD_EDIT, THREAD_FROM_MESSAGE
from bot.playground.standin.routing import ApiAnswer, ApiRequest, Endpoint
from bot.playground.standin.shapes import require

_OWNERS_OWN = frozenset({"name", "archived", "auto_archive_duration"})
"""What who started a thread may change in it while it is not locked."""


def _start_from_message(backend: Backend, request: ApiRequest) -> ApiAnswer:
    require(THREAD_FROM_MESSAGE, request.body)
    parent = _parent(backend, request)
    message_id = backend.message_in(parent.id, request.params["message_id"])
    backend.require(parent.id, Permission.CREATE_PUBLIC_THREADS)
    if message_id in backend.world.channels:
        raise ApiError(THREAD_EXISTS)
    minutes = request.body.get("auto_archive_duration") or 1440
    thread = backend.world.start_thread(
        parent, request.body["name"], backend.bot_id, message_id=message_id, auto_archive_minutes=minutes
    )
    return ApiAnswer(201, backend.world.channel_json(thread.id))


def _start_alone(backend: Backend, request: ApiRequest) -> ApiAnswer:
    require(THREAD_ALONE, request.body)
    parent = _parent(backend, request)
    # Documented: without a type the thread is private.
    kind = ChannelType(request.body.get("type") or ChannelType.PRIVATE_THREAD)
    is_private = kind is ChannelType.PRIVATE_THREAD
    backend.require(parent.id, Permission.CREATE_PRIVATE_THREADS if is_private else Permission.CREATE_PUBLIC_THREADS)
    minutes = request.body.get("auto_archive_duration") or 1440
    thread = backend.world.start_thread(
        parent, request.body["name"], backend.bot_id, type=kind, auto_archive_minutes=minutes
    )
    return ApiAnswer(201, backend.world.channel_json(thread.id))


def _edit_channel(backend: Backend, request: ApiRequest) -> ApiAnswer:
    channel = backend.channel(request.params["channel_id"])
    if not channel.is_thread:
        raise invalid_form("_", "STANDIN_UNSUPPORTED", "The stand-in edits no channels but threads")
    require(THREAD_EDIT, request.body)
    body: Json = {key: value for key, value in request.body.items() if value is not None}
    _check_may_edit(backend, channel, body)
    if channel.archived and body.get("archived") is not False:
        raise ApiError(THREAD_ARCHIVED)
    edited = msgspec.structs.replace(
        channel,
        name=body.get("name", channel.name),
        locked=body.get("locked", channel.locked),
        auto_archive_minutes=body.get("auto_archive_duration", channel.auto_archive_minutes),
    )
    if edited != channel:
        backend.world.put_channel(edited)
    backend.world.set_archived(channel.id, body.get("archived", channel.archived))
    return ApiAnswer(200, backend.world.channel_json(channel.id))


def _check_may_edit(backend: Backend, thread: Channel, body: Json) -> None:
    """Raises 50013. To bring a thread back takes no more than the right to write in it."""
    allowed = backend.world.permissions(backend.bot_id, thread.id)
    owns = thread.owner_id == backend.bot_id and body.keys() <= _OWNERS_OWN
    revives = body == {"archived": False} and allowed & Permission.SEND_MESSAGES_IN_THREADS
    if not (allowed & Permission.MANAGE_THREADS or (not thread.locked and (owns or revives))):
        raise ApiError(MISSING_PERMISSIONS)


def _parent(backend: Backend, request: ApiRequest) -> Channel:
    parent = backend.channel(request.params["channel_id"])
    if parent.type is not ChannelType.TEXT:
        raise ApiError(WRONG_CHANNEL_TYPE)
    return parent


ENDPOINTS = (
    Endpoint("PATCH", "/channels/{channel_id}", _edit_channel),
    Endpoint("POST", "/channels/{channel_id}/messages/{message_id}/threads", _start_from_message),
    Endpoint("POST", "/channels/{channel_id}/threads", _start_alone),
)

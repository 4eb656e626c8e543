"""REST: channels, their messages and reactions."""

from __future__ import annotations

import msgspec

from bot.playground.standin.backend import Backend, check_may_send, sending_permission
from bot.playground.standin.errors import (
    NOT_THE_AUTHOR,
    REPLY_NEEDS_HISTORY,
    UNKNOWN_EMOJI,
    WRONG_FOR_DM,
    ApiError,
    invalid_form,
)
from bot.playground.standin.events import Json
from bot.playground.standin.message_bodies import change_of, draft_of
from bot.playground.standin.objects import user_object
from bot.playground.standin.permissions import NOTHING, Permission
from bot.playground.standin.rate_limits import (
    MESSAGE_CREATE,
    MESSAGE_DELETE,
    MESSAGE_EDIT,
    REACTION,
    TYPING,
    TooManyRequests,
)
from bot.playground.standin.records import Channel, ChannelType
from bot.playground.standin.request_shapes import HISTORY_QUERY, REACTIONS_QUERY
from bot.playground.standin.request_shapes import MESSAGE_CREATE as CREATE_SHAPE
from bot.playground.standin.request_shapes import MESSAGE_EDIT as EDIT_SHAPE
from bot.playground.standin.routing import NO_CONTENT, ApiAnswer, ApiRequest, Endpoint
from bot.playground.standin.shapes import require
from bot.playground.standin.validation import MessageFlag

OLD_MESSAGE_SECONDS = 3600.0
HISTORY_LIMIT = 100


def _get_channel(backend: Backend, request: ApiRequest) -> ApiAnswer:
    channel = backend.channel(request.params["channel_id"])
    return ApiAnswer(200, backend.world.channel_json(channel.id))


def _get_message(backend: Backend, request: ApiRequest) -> ApiAnswer:
    channel_id = request.params["channel_id"]
    message_id = backend.message_in(channel_id, request.params["message_id"])
    backend.require(channel_id, Permission.READ_MESSAGE_HISTORY)
    return ApiAnswer(200, backend.as_bot_reads(backend.world.message(message_id)))


def _get_history(backend: Backend, request: ApiRequest) -> ApiAnswer:
    channel = backend.channel(request.params["channel_id"])
    require(HISTORY_QUERY, dict(request.query))
    limit = int(request.query.get("limit", "50"))
    if not 1 <= limit <= HISTORY_LIMIT:
        raise invalid_form("limit", "NUMBER_TYPE_MAX", f"int value should be between 1 and {HISTORY_LIMIT}.")
    if not backend.world.permissions(backend.bot_id, channel.id) & Permission.READ_MESSAGE_HISTORY:
        return ApiAnswer(200, [])  # documented: no error, just no messages
    cursors = {key: request.query[key] for key in ("before", "after", "around") if key in request.query}
    found = backend.world.history(channel.id, limit, **cursors)
    return ApiAnswer(200, [backend.as_bot_reads(message) for message in found])


def _create_message(backend: Backend, request: ApiRequest) -> ApiAnswer:
    require(CREATE_SHAPE, request.body)
    body: Json = request.body
    channel = backend.channel(request.params["channel_id"])
    files, embeds = Permission.ATTACH_FILES, Permission.EMBED_LINKS
    needed = (files if request.files else NOTHING) | (embeds if body.get("embeds") else NOTHING)
    check_may_send(backend.world, backend.bot_id, channel, needed)
    nonce = body.get("nonce")
    earlier = backend.nonces.find(nonce) if nonce is not None and body.get("enforce_nonce") else None
    if earlier is not None and backend.world.has_message(earlier):
        return ApiAnswer(200, backend.as_bot_reads(backend.world.message(earlier)))
    reply_to = _reply_target(backend, channel, body.get("message_reference"))
    if (body.get("flags") or 0) & MessageFlag.EPHEMERAL:
        raise invalid_form("flags", "MESSAGE_FLAGS_INVALID", "Only answers to interactions can be ephemeral")
    draft = draft_of(backend, channel.id, request, body)
    message = backend.world.create_message(
        backend.bot_id, channel.id, msgspec.structs.replace(draft, reply_to=reply_to)
    )
    if nonce is not None:
        backend.nonces.add(nonce, message["id"])
    return ApiAnswer(200, backend.as_bot_reads(message))


def _edit_message(backend: Backend, request: ApiRequest) -> ApiAnswer:
    require(EDIT_SHAPE, request.body)
    channel_id = request.params["channel_id"]
    message_id = backend.message_in(channel_id, request.params["message_id"])
    message = backend.world.message(message_id)
    if message["author"]["id"] != backend.bot_id:
        raise ApiError(NOT_THE_AUTHOR)
    backend.check_open(channel_id)
    if backend.clock.wall() - backend.world.created_at(message_id) > OLD_MESSAGE_SECONDS:
        verdict = backend.limiter.take_old_edit(channel_id)
        if not verdict.allowed:
            raise TooManyRequests(verdict)
    change = change_of(backend, message, request, request.body)
    return ApiAnswer(200, backend.as_bot_reads(backend.edit_message(message_id, change)))


def _delete_message(backend: Backend, request: ApiRequest) -> ApiAnswer:
    channel = backend.channel(request.params["channel_id"])
    message_id = backend.message_in(channel.id, request.params["message_id"])
    if backend.world.message(message_id)["author"]["id"] != backend.bot_id:
        if channel.type is ChannelType.DM:
            raise ApiError(WRONG_FOR_DM)
        backend.require(channel.id, Permission.MANAGE_MESSAGES)
    backend.delete_message(message_id)
    return NO_CONTENT


def _put_reaction(backend: Backend, request: ApiRequest) -> ApiAnswer:
    channel_id = request.params["channel_id"]
    message_id = backend.message_in(channel_id, request.params["message_id"])
    backend.require(channel_id, Permission.READ_MESSAGE_HISTORY)
    backend.check_open(channel_id)
    emoji = checked_emoji(request.params["emoji"])
    if not any(emoji == reaction_key(r) for r in backend.world.message(message_id).get("reactions", ())):
        backend.require(channel_id, Permission.ADD_REACTIONS)  # only the first of its kind needs it
    backend.world.add_reaction(message_id, backend.bot_id, emoji)
    return NO_CONTENT


def _delete_own_reaction(backend: Backend, request: ApiRequest) -> ApiAnswer:
    message_id = backend.message_in(request.params["channel_id"], request.params["message_id"])
    backend.world.remove_reaction(message_id, backend.bot_id, checked_emoji(request.params["emoji"]))
    return NO_CONTENT


def _delete_reaction_of(backend: Backend, request: ApiRequest) -> ApiAnswer:
    channel_id = request.params["channel_id"]
    message_id = backend.message_in(channel_id, request.params["message_id"])
    backend.require(channel_id, Permission.MANAGE_MESSAGES)
    backend.world.remove_reaction(message_id, request.params["user_id"], checked_emoji(request.params["emoji"]))
    return NO_CONTENT


def _get_reactions(backend: Backend, request: ApiRequest) -> ApiAnswer:
    message_id = backend.message_in(request.params["channel_id"], request.params["message_id"])
    backend.require(request.params["channel_id"], Permission.READ_MESSAGE_HISTORY)
    require(REACTIONS_QUERY, dict(request.query))
    limit, after = int(request.query.get("limit", "25")), int(request.query.get("after", "0"))
    if not 1 <= limit <= HISTORY_LIMIT:
        raise invalid_form("limit", "NUMBER_TYPE_MAX", f"int value should be between 1 and {HISTORY_LIMIT}.")
    user_ids = backend.world.reacted(message_id, checked_emoji(request.params["emoji"]))
    wanted = sorted((user_id for user_id in user_ids if int(user_id) > after), key=int)[:limit]
    return ApiAnswer(200, [user_object(backend.world.users[user_id]) for user_id in wanted])


def _start_typing(backend: Backend, request: ApiRequest) -> ApiAnswer:
    channel = backend.channel(request.params["channel_id"])
    backend.require(channel.id, sending_permission(channel))
    backend.world.start_typing(channel.id, backend.bot_id)
    return NO_CONTENT


def reaction_key(reaction: Json) -> str:
    """A reaction object's emoji as it stands in a URL."""
    emoji = reaction["emoji"]
    return f"{emoji['name']}:{emoji['id']}" if emoji["id"] else str(emoji["name"])


def checked_emoji(emoji: str) -> str:
    """A Unicode emoji or `name:id`. Raises 10014."""
    name, _, emoji_id = emoji.partition(":")
    if (emoji_id and not emoji_id.isdecimal()) or (not emoji_id and name.isascii()):
        raise ApiError(UNKNOWN_EMOJI)
    return emoji


def _reply_target(backend: Backend, channel: Channel, reference: Json | None) -> str | None:
    """The id to reply to; None for no reply, or for one to a lost message that need not exist."""
    if reference is None:
        return None
    if not backend.world.permissions(backend.bot_id, channel.id) & Permission.READ_MESSAGE_HISTORY:
        raise ApiError(REPLY_NEEDS_HISTORY)
    target = str(reference["message_id"])
    if backend.world.has_message(target) and backend.world.message(target)["channel_id"] == channel.id:
        return target
    if reference.get("fail_if_not_exists", True):
        raise invalid_form("message_reference", "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
    return None


_CHANNEL = "/channels/{channel_id}"
_MESSAGES = f"{_CHANNEL}/messages"
_MESSAGE = f"{_MESSAGES}/{{message_id}}"
_REACTION = f"{_MESSAGE}/reactions/{{emoji}}"

ENDPOINTS = (
    Endpoint("GET", _CHANNEL, _get_channel),
    Endpoint("GET", _MESSAGES, _get_history),
    Endpoint("POST", _MESSAGES, _create_message, MESSAGE_CREATE),
    Endpoint("GET", _MESSAGE, _get_message),
    Endpoint("PATCH", _MESSAGE, _edit_message, MESSAGE_EDIT),
    Endpoint("DELETE", _MESSAGE, _delete_message, MESSAGE_DELETE),
    Endpoint("GET", _REACTION, _get_reactions),
    Endpoint("PUT", f"{_REACTION}/@me", _put_reaction, REACTION),
    Endpoint("DELETE", f"{_REACTION}/@me", _delete_own_reaction, REACTION),
    Endpoint("DELETE", f"{_REACTION}/{{user_id}}", _delete_reaction_of, REACTION),
    Endpoint("POST", f"{_CHANNEL}/typing", _start_typing, TYPING),
)

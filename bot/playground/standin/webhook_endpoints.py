"""REST: webhooks of channels are made and removed, and by their token write, edit and delete.

Their paths are those of interactions too: there the application's own id stands in the place of the webhook's.
"""

from __future__ import annotations

import msgspec

from bot.playground.standin import interaction_endpoints as interactions
from bot.playground.standin.backend import Backend
from bot.playground.standin.errors import (
    INVALID_WEBHOOK_TOKEN,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    UNKNOWN_WEBHOOK,
    ApiError,
    invalid_form,
)
from bot.playground.standin.events import Json
from bot.playground.standin.message_bodies import change_of, draft_of
from bot.playground.standin.permissions import Permission
from bot.playground.standin.rate_limits import WEBHOOK
from bot.playground.standin.records import Webhook
from bot.playground.standin.request_shapes import MESSAGE_EDIT, WEBHOOK_CREATE, WEBHOOK_EDIT, WEBHOOK_MESSAGE
from bot.playground.standin.routing import NO_CONTENT, ApiAnswer, ApiRequest, Endpoint, Handler
from bot.playground.standin.shapes import require
from bot.playground.standin.validation import walk_components
from bot.playground.standin.webhooks import check_name, face_of, make_webhook, picture_hash, webhook_object, webhooks_in

_TRUE = ("1", "true")
_LINK = 5

# ------------------------------------------------------------------------------------------- with the bot's own token


def _create(backend: Backend, request: ApiRequest) -> ApiAnswer:
    require(WEBHOOK_CREATE, request.body)
    channel = backend.channel(request.params["channel_id"])
    backend.require(channel.id, Permission.MANAGE_WEBHOOKS)
    name, image = request.body["name"], request.body.get("avatar")
    made = make_webhook(backend.world, channel, name, backend.bot_id, backend.bot_id)
    return ApiAnswer(200, _object(backend, _put(backend, made, avatar=picture_hash(image.encode()) if image else None)))


def _list(backend: Backend, request: ApiRequest) -> ApiAnswer:
    channel = backend.channel(request.params["channel_id"])
    backend.require(channel.id, Permission.MANAGE_WEBHOOKS)
    return ApiAnswer(200, [_object(backend, webhook) for webhook in webhooks_in(backend.world, channel.id)])


def _get(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, _object(backend, _managed(backend, request)))


def _edit(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, _object(backend, _edited(backend, _managed(backend, request), request)))


def _delete(backend: Backend, request: ApiRequest) -> ApiAnswer:
    del backend.world.webhooks[_managed(backend, request).id]
    return NO_CONTENT


def _managed(backend: Backend, request: ApiRequest) -> Webhook:
    """Raises 10015, 50013."""
    webhook = backend.world.webhooks.get(request.params["webhook_id"])
    if webhook is None:
        raise ApiError(UNKNOWN_WEBHOOK)
    backend.require(webhook.channel_id, Permission.MANAGE_WEBHOOKS)
    return webhook


# ----------------------------------------------------------------------------------------------- with the webhook's token


def _get_by_token(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, _object(backend, _webhook(backend, request), with_owner=False))


def _edit_by_token(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, _object(backend, _edited(backend, _webhook(backend, request), request), with_owner=False))


def _delete_by_token(backend: Backend, request: ApiRequest) -> ApiAnswer:
    del backend.world.webhooks[_webhook(backend, request).id]
    return NO_CONTENT


def _execute(backend: Backend, request: ApiRequest) -> ApiAnswer:
    webhook = _webhook(backend, request)
    require(WEBHOOK_MESSAGE, request.body)
    body: Json = request.body
    name = body.get("username")
    if name is not None:
        check_name("username", name)
    channel_id = _place(backend, webhook, request)
    draft = draft_of(backend, channel_id, request, _with_allowed_components(webhook, request, body))
    face = face_of(webhook, name, body.get("avatar_url"))
    draft = msgspec.structs.replace(draft, webhook=face, application_id=webhook.application_id)
    message = backend.world.create_message(webhook.id, channel_id, draft)
    return ApiAnswer(200, message) if request.query.get("wait", "").lower() in _TRUE else NO_CONTENT


def _get_message(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, backend.world.message(_own_message(backend, request)))


def _edit_message(backend: Backend, request: ApiRequest) -> ApiAnswer:
    message_id = _own_message(backend, request)
    require(MESSAGE_EDIT, request.body)
    message = backend.world.message(message_id)
    backend.check_open(message["channel_id"])
    body = _with_allowed_components(_webhook(backend, request), request, request.body)
    return ApiAnswer(200, backend.edit_message(message_id, change_of(backend, message, request, body)))


def _delete_message(backend: Backend, request: ApiRequest) -> ApiAnswer:
    backend.delete_message(_own_message(backend, request))
    return NO_CONTENT


def _webhook(backend: Backend, request: ApiRequest) -> Webhook:
    """Raises 10015 for one that there is not, 50027 for a wrong token, 10003 once its channel was deleted."""
    webhook = backend.world.webhooks.get(request.params["webhook_id"])
    if webhook is None:
        raise ApiError(UNKNOWN_WEBHOOK)
    if webhook.token != request.params["token"]:
        raise ApiError(INVALID_WEBHOOK_TOKEN)
    if webhook.channel_id not in backend.world.channels:
        raise ApiError(UNKNOWN_CHANNEL)
    return webhook


def _place(backend: Backend, webhook: Webhook, request: ApiRequest) -> str:
    """The webhook's channel, or the thread under it that the query names. Raises 10003."""
    thread_id = request.query.get("thread_id")
    if thread_id is None:
        return webhook.channel_id
    thread = backend.world.channels.get(thread_id)
    if thread is None or thread.parent_id != webhook.channel_id:
        raise ApiError(UNKNOWN_CHANNEL)
    return thread.id


def _own_message(backend: Backend, request: ApiRequest) -> str:
    """The id of a message that this webhook sent to this place. Raises 10008."""
    webhook, message_id = _webhook(backend, request), request.params.get("message_id", "")
    place = _place(backend, webhook, request)
    if not backend.world.has_message(message_id):
        raise ApiError(UNKNOWN_MESSAGE)
    message = backend.world.message(message_id)
    if message.get("webhook_id") != webhook.id or message["channel_id"] != place:
        raise ApiError(UNKNOWN_MESSAGE)
    return message_id


def _with_allowed_components(webhook: Webhook, request: ApiRequest, body: Json) -> Json:
    """A webhook that no application owns has no buttons, and other components only if `with_components` asks for them."""
    if webhook.application_id is not None or not body.get("components"):
        return body
    if request.query.get("with_components", "").lower() not in _TRUE:
        return {**body, "components": None}
    for component in walk_components(body["components"]):
        if "custom_id" in component and component.get("style") != _LINK:
            message = "Components that people can use need a webhook of an application"
            raise invalid_form("components", "COMPONENT_TYPE_INVALID", message)
    return body


def _edited(backend: Backend, webhook: Webhook, request: ApiRequest) -> Webhook:
    require(WEBHOOK_EDIT, request.body)
    body: Json = request.body
    if body.get("name") is not None:
        check_name("name", body["name"])
        webhook = msgspec.structs.replace(webhook, name=body["name"].strip())
    image = body.get("avatar")
    avatar = webhook.avatar if "avatar" not in body else picture_hash(image.encode()) if image else None
    return _put(backend, webhook, avatar=avatar)


def _put(backend: Backend, webhook: Webhook, *, avatar: str | None) -> Webhook:
    stored = msgspec.structs.replace(webhook, avatar=avatar)
    backend.world.webhooks[webhook.id] = stored
    return stored


def _object(backend: Backend, webhook: Webhook, *, with_owner: bool = True) -> Json:
    owner = backend.world.users[webhook.user_id] if with_owner else None
    return webhook_object(webhook, owner, backend.bot_id)


# -------------------------------------------------------------------------------------------------------------- routes


def _of_interaction_or(of_webhook: Handler, of_interaction: Handler) -> Handler:
    def handle(backend: Backend, request: ApiRequest) -> ApiAnswer:
        is_interaction = request.params["webhook_id"] == backend.bot_id
        return (of_interaction if is_interaction else of_webhook)(backend, request)

    return handle


_IN_CHANNEL = "/channels/{channel_id}/webhooks"
_WEBHOOK = "/webhooks/{webhook_id}"
_BY_TOKEN = f"{_WEBHOOK}/{{token}}"
_MESSAGE = f"{_BY_TOKEN}/messages/{{message_id}}"
_MAJOR = ("webhook_id", "token")

_MESSAGE_HANDLERS = {
    "GET": (_get_message, interactions.get_own),
    "PATCH": (_edit_message, interactions.edit_own),
    "DELETE": (_delete_message, interactions.delete_own),
}

ENDPOINTS = (
    Endpoint("POST", _IN_CHANNEL, _create),
    Endpoint("GET", _IN_CHANNEL, _list),
    Endpoint("GET", _WEBHOOK, _get),
    Endpoint("PATCH", _WEBHOOK, _edit),
    Endpoint("DELETE", _WEBHOOK, _delete),
    Endpoint("GET", _BY_TOKEN, _get_by_token, by_token=True),
    Endpoint("PATCH", _BY_TOKEN, _edit_by_token, by_token=True),
    Endpoint("DELETE", _BY_TOKEN, _delete_by_token, by_token=True),
    Endpoint("POST", _BY_TOKEN, _of_interaction_or(_execute, interactions.follow_up), WEBHOOK, _MAJOR, by_token=True),
    *(
        Endpoint(method, route, _of_interaction_or(*handlers), WEBHOOK, _MAJOR, by_token=True)
        for route in (_MESSAGE, f"{_BY_TOKEN}/messages/@original")
        for method, handlers in _MESSAGE_HANDLERS.items()
    ),
)

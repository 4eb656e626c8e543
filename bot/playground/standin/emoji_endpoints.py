"""REST: the emoji that the application owns (https://docs.discord.com/developers/resources/emoji#application-owned-emoji)."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode

from bot.playground.standin.backend import Backend
from bot.playground.standin.errors import TOO_MANY_EMOJIS, UNKNOWN_APPLICATION, UNKNOWN_EMOJI, ApiError, invalid_form
from bot.playground.standin.events import Json
from bot.playground.standin.objects import user_object
from bot.playground.standin.records import AppEmoji
from bot.playground.standin.request_shapes import EMOJI_CREATE
from bot.playground.standin.routing import NO_CONTENT, ApiAnswer, ApiRequest, Endpoint
from bot.playground.standin.shapes import require

EMOJIS_LIMIT = 2000
IMAGE_BYTES_LIMIT = 256 * 1024
_NAME = re.compile(r"\w{2,32}", re.ASCII)
_DATA_URI = re.compile(r"data:(image/(?:png|jpeg|gif|webp|avif));base64,(.*)", re.DOTALL)


def _create(backend: Backend, request: ApiRequest) -> ApiAnswer:
    _check_application(backend, request)
    require(EMOJI_CREATE, request.body)
    if not _NAME.fullmatch(request.body["name"]):
        raise invalid_form("name", "STRING_TYPE_REGEX", "String value did not match validation regex.")
    emojis = backend.world.emojis
    if len(emojis) >= EMOJIS_LIMIT:
        raise ApiError(TOO_MANY_EMOJIS)
    if any(emoji.name == request.body["name"] for emoji in emojis.values()):
        raise invalid_form("name", "APPLICATION_EMOJI_NAME_ALREADY_TAKEN", "An emoji with this name exists already")
    media_type, image = _image_of(request.body["image"])
    emoji = AppEmoji(backend.world.new_id(), request.body["name"], image, media_type)
    emojis[emoji.id] = emoji
    return ApiAnswer(201, _object(backend, emoji))


def _list(backend: Backend, request: ApiRequest) -> ApiAnswer:
    _check_application(backend, request)
    return ApiAnswer(200, {"items": [_object(backend, emoji) for emoji in backend.world.emojis.values()]})


def _get(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, _object(backend, _emoji(backend, request)))


def _delete(backend: Backend, request: ApiRequest) -> ApiAnswer:
    del backend.world.emojis[_emoji(backend, request).id]
    return NO_CONTENT


def _image_of(uri: str) -> tuple[str, bytes]:
    """Type and bytes of a picture in a data URI. Raises 50035."""
    found = _DATA_URI.fullmatch(uri)
    if found is None:
        raise invalid_form("image", "IMAGE_INVALID", "Unsupported image data")
    try:
        image = b64decode(found[2], validate=True)
    except binascii.Error:
        raise invalid_form("image", "IMAGE_INVALID", "Invalid image data") from None
    if len(image) > IMAGE_BYTES_LIMIT:
        raise invalid_form("image", "BINARY_TYPE_MAX_SIZE", "File cannot be larger than 256.0 kb.")
    return found[1], image


def _emoji(backend: Backend, request: ApiRequest) -> AppEmoji:
    _check_application(backend, request)
    emoji = backend.world.emojis.get(request.params["emoji_id"])
    if emoji is None:
        raise ApiError(UNKNOWN_EMOJI)
    return emoji


def _check_application(backend: Backend, request: ApiRequest) -> None:
    if request.params["application_id"] != backend.bot_id:
        raise ApiError(UNKNOWN_APPLICATION)


def _object(backend: Backend, emoji: AppEmoji) -> Json:
    return {
        "id": emoji.id,
        "name": emoji.name,
        "roles": [],
        "user": user_object(backend.world.bot),
        "require_colons": True,
        "managed": False,
        "animated": emoji.media_type == "image/gif",
        "available": True,
    }


_EMOJIS = "/applications/{application_id}/emojis"

ENDPOINTS = (
    Endpoint("POST", _EMOJIS, _create),
    Endpoint("GET", _EMOJIS, _list),
    Endpoint("GET", f"{_EMOJIS}/{{emoji_id}}", _get),
    Endpoint("DELETE", f"{_EMOJIS}/{{emoji_id}}", _delete),
)

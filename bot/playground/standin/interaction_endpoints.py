"""REST: the first answer to an interaction, and what its token may do afterwards."""

from __future__ import annotations

import msgspec

from bot.playground.standin.backend import Backend
from bot.playground.standin.drafts import Draft
from bot.playground.standin.errors import FOLLOW_UPS_USED, UNKNOWN_CHANNEL, ApiError
from bot.playground.standin.events import Json
from bot.playground.standin.interactions import Answer, CallbackType, Interaction
from bot.playground.standin.message_bodies import change_of, draft_of
from bot.playground.standin.modal_shapes import MODAL
from bot.playground.standin.permissions import Permission
from bot.playground.standin.request_shapes import (
    CHOICES,
    FOLLOW_UP,
    INTERACTION_CALLBACK,
    INTERACTION_MESSAGE,
    MESSAGE_EDIT,
)
from bot.playground.standin.routing import NO_CONTENT, ApiAnswer, ApiRequest, Endpoint
from bot.playground.standin.shapes import require
from bot.playground.standin.validation import MessageFlag, check_not_empty

USER_INSTALLED_FOLLOW_UPS = 5
"""Where the application is there only for a person who installed it, not for the server."""


def _callback(backend: Backend, request: ApiRequest) -> ApiAnswer:
    require(INTERACTION_CALLBACK, request.body)
    kind = CallbackType(request.body["type"])
    interaction = backend.interactions.to_answer(request.params["interaction_id"], request.params["token"], kind)
    _check_place(backend, interaction)
    answer = _first_answer(backend, interaction, kind, request)
    backend.interactions.settle(interaction, answer)
    if request.query.get("with_response", "").lower() not in ("1", "true"):
        return NO_CONTENT
    return ApiAnswer(200, _callback_object(backend, interaction, answer))


def _first_answer(backend: Backend, interaction: Interaction, kind: CallbackType, request: ApiRequest) -> Answer:
    data: Json = request.body.get("data") or {}
    match kind:
        case CallbackType.MESSAGE | CallbackType.DEFERRED_MESSAGE:
            require(INTERACTION_MESSAGE, data)
            if kind is CallbackType.DEFERRED_MESSAGE:
                draft = Draft(flags=int(data.get("flags") or 0) & MessageFlag.EPHEMERAL | MessageFlag.LOADING)
            else:
                draft = draft_of(backend, interaction.channel_id, request, data)
            message_id = _send(backend, interaction, draft)
            interaction.original_id = message_id
            return Answer(kind, message_id, backend.world.ephemeral_to(message_id) is not None)
        case CallbackType.UPDATE_MESSAGE:
            require(INTERACTION_MESSAGE, data)
            message_id = backend.interactions.own_message(interaction, "@original")
            change = change_of(backend, backend.world.message(message_id), request, data)
            backend.edit_message(message_id, change)
            return Answer(kind, message_id)
        case CallbackType.CHOICES:
            require(CHOICES, data)
            return Answer(kind, choices=tuple(data.get("choices") or ()))
        case CallbackType.MODAL:
            require(MODAL, data)
            return Answer(kind, modal=data)
        case CallbackType.DEFERRED_UPDATE:
            return Answer(kind, interaction.message_id)


def follow_up(backend: Backend, request: ApiRequest) -> ApiAnswer:
    require(FOLLOW_UP, request.body)
    interaction = _webhook(backend, request)
    original = interaction.original_id
    if original is not None and backend.world.has_message(original) and _is_loading(backend, original):
        # The first follow-up to a deferred answer becomes that answer, and keeps its visibility.
        return ApiAnswer(200, _edit(backend, original, request))
    if interaction.is_user_installed and len(interaction.follow_up_ids) >= USER_INSTALLED_FOLLOW_UPS:
        raise ApiError(FOLLOW_UPS_USED)
    message_id = _send(backend, interaction, draft_of(backend, interaction.channel_id, request, request.body))
    interaction.follow_up_ids.append(message_id)
    return ApiAnswer(200, backend.world.message(message_id))


def get_own(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, backend.world.message(_own_message(backend, request)))


def edit_own(backend: Backend, request: ApiRequest) -> ApiAnswer:
    return ApiAnswer(200, _edit(backend, _own_message(backend, request), request))


def delete_own(backend: Backend, request: ApiRequest) -> ApiAnswer:
    backend.delete_message(_own_message(backend, request))
    return NO_CONTENT


def _webhook(backend: Backend, request: ApiRequest) -> Interaction:
    interaction = backend.interactions.webhook(request.params["token"])
    _check_place(backend, interaction)
    return interaction


def _check_place(backend: Backend, interaction: Interaction) -> None:
    """Raises 10003 once the channel was deleted."""
    if interaction.channel_id not in backend.world.channels:
        raise ApiError(UNKNOWN_CHANNEL)


def _own_message(backend: Backend, request: ApiRequest) -> str:
    interaction = _webhook(backend, request)
    return backend.interactions.own_message(interaction, request.params.get("message_id", "@original"))


def _is_loading(backend: Backend, message_id: str) -> bool:
    return bool(backend.world.message(message_id)["flags"] & MessageFlag.LOADING)


def _edit(backend: Backend, message_id: str, request: ApiRequest) -> Json:
    require(MESSAGE_EDIT, request.body)
    backend.check_open(backend.world.message(message_id)["channel_id"])
    change = change_of(backend, backend.world.message(message_id), request, request.body)
    return backend.edit_message(message_id, change, is_first_fill=_is_loading(backend, message_id))


def _send(backend: Backend, interaction: Interaction, draft: Draft) -> str:
    if not draft.flags & MessageFlag.LOADING:
        check_not_empty(msgspec.structs.asdict(draft))
    if _is_hushed(backend, interaction):
        draft = msgspec.structs.replace(draft, flags=draft.flags | MessageFlag.EPHEMERAL)
    draft = msgspec.structs.replace(
        draft,
        type=interaction.answer_type,
        interaction_metadata=interaction.metadata,
        ephemeral_to=interaction.user_id if draft.flags & MessageFlag.EPHEMERAL else None,
    )
    message_id: str = backend.world.create_message(backend.bot_id, interaction.channel_id, draft)["id"]
    return message_id


def _is_hushed(backend: Backend, interaction: Interaction) -> bool:
    """Whether all answers are ephemeral: who may not use applications from outside is answered where nobody sees it."""
    allowed = backend.world.permissions(interaction.user_id, interaction.channel_id)
    return interaction.is_user_installed and not allowed & Permission.USE_EXTERNAL_APPS


def _callback_object(backend: Backend, interaction: Interaction, answer: Answer) -> Json:
    described: Json = {
        "id": interaction.id,
        "type": int(interaction.type),
        "response_message_loading": answer.kind is CallbackType.DEFERRED_MESSAGE,
        "response_message_ephemeral": answer.ephemeral,
    }
    if answer.message_id is None:
        return {"interaction": described}
    described["response_message_id"] = answer.message_id
    if answer.kind not in (CallbackType.MESSAGE, CallbackType.UPDATE_MESSAGE):
        return {"interaction": described}
    resource = {"type": int(answer.kind), "message": backend.world.message(answer.message_id)}
    return {"interaction": described, "resource": resource}


ENDPOINTS = (Endpoint("POST", "/interactions/{interaction_id}/{token}/callback", _callback, by_token=True),)
"""What the token may do afterwards has the paths of webhooks: `webhook_endpoints` routes it."""

"""What this browser has begun with the bot, and what it must be told of how that goes on.

Each press, call, filled form and wish for suggestions is an interaction, which the bot answers or fails to answer within
three seconds. Other tabs of the same person do not hear of it, as other clients do not on Discord.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from bot.playground.page import protocol
from bot.playground.page.modal_views import modal_view
from bot.playground.page.port import ChatPort
from bot.playground.standin.events import InteractionAnswered, InteractionFailed, InteractionStarted
from bot.playground.standin.interactions import Answer
from bot.playground.standin.modal_shapes import form_fields

_FILE_UPLOAD = 19
NO_RESPONSE = "The application did not respond."
FORM_FAILED = "Something went wrong. Try again."


class _Press(msgspec.Struct, frozen=True):
    message_id: str


class _Call(msgspec.Struct, frozen=True):
    pass


class _Wish(msgspec.Struct, frozen=True):
    nonce: int


class _Form(msgspec.Struct, frozen=True):
    id: str


_Deed: TypeAlias = _Press | _Call | _Wish | _Form


class Deeds:
    def __init__(self, chat: ChatPort) -> None:
        self._chat = chat
        self._open: dict[str, _Deed] = {}
        """By interaction id."""

    def pressed(self, interaction_id: str, message_id: str) -> None:
        self._open[interaction_id] = _Press(message_id)

    def called(self, interaction_id: str) -> None:
        self._open[interaction_id] = _Call()

    def asked(self, interaction_id: str, nonce: int) -> None:
        """For what the value of an option may be."""
        self._open[interaction_id] = _Wish(nonce)

    def submitted(self, interaction_id: str, form: str) -> None:
        self._open[interaction_id] = _Form(form)

    def file_fields(self, form: str) -> set[str]:
        """The custom ids of a form's fields that take files."""
        answer = self._chat.answer(form)
        fields = form_fields(answer.modal) if answer and answer.modal else ()
        return {field["custom_id"] for field in fields if field["type"] == _FILE_UPLOAD}

    def translate(self, event: InteractionStarted | InteractionAnswered | InteractionFailed) -> protocol.Event | None:
        match event, self._open.get(event.interaction_id):
            case _, None:
                return None
            case InteractionStarted(_, _, _, custom_id), _Press(message_id):
                return protocol.PressPending(message_id, custom_id)
            case InteractionStarted(), _:
                return None
            case InteractionAnswered(), deed:
                del self._open[event.interaction_id]
                return self._answered(event.interaction_id, deed)
            case _, deed:
                del self._open[event.interaction_id]
                return _FAILED[type(deed)](deed)

    def _answered(self, interaction_id: str, deed: _Deed) -> protocol.Event | None:
        answer = self._chat.answer(interaction_id)
        if answer is not None and answer.modal is not None:
            view = modal_view(interaction_id, answer.modal, self._chat.name_of)
            return protocol.ModalShown(view, deed.message_id if isinstance(deed, _Press) else None)
        match deed:
            case _Press(message_id):
                return protocol.PressAnswered(message_id)
            case _Wish(nonce):
                return protocol.Choices(nonce, _choices(answer))
            case _Form(form):
                return protocol.ModalDone(form)
        return None


_FAILED: dict[type, Callable[..., protocol.Event]] = {
    _Press: lambda deed: protocol.PressFailed(deed.message_id),
    _Call: lambda _: protocol.Refused(NO_RESPONSE),
    _Wish: lambda deed: protocol.Choices(deed.nonce, (), failed=True),
    _Form: lambda deed: protocol.ModalFailed(deed.id, FORM_FAILED),
}


def _choices(answer: Answer | None) -> tuple[protocol.Choice, ...]:
    found = answer.choices if answer else ()
    return tuple(protocol.Choice(choice["name"], choice["value"]) for choice in found)

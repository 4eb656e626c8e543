"""Who outside is given what people write: names and hosts for people to read, never a key."""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

from adapters.contract import EndpointError, GenerationRequest, Role, text_message
from bot.turn.attempts import ModelChoice


class Recipients(msgspec.Struct, frozen=True):
    provider: str = ""
    """Of the model; empty: there is none."""
    provider_host: str = ""
    speech_host: str = ""
    """Where voice messages are put into words; empty: nowhere."""


def recipients(model: ModelChoice | None, transcription_url: str | None) -> Recipients:
    speech_host = _host(transcription_url or "")
    if model is None:
        return Recipients(speech_host=speech_host)
    return Recipients(model.adapter.name, _host_of_model(model), speech_host)


def _host_of_model(model: ModelChoice) -> str:
    """Read off a request, as only the adapter knows where it goes when no address was set."""
    question = GenerationRequest(model=model.model, messages=(text_message(Role.USER, "?"),))
    try:
        return _host(model.adapter.build(question, model.endpoints[0]).url)
    except EndpointError:
        return _host(model.endpoints[0].base_url or "")


def _host(url: str) -> str:
    """Without what else an address may hold: a login, a key, a path."""
    return urlsplit(url).hostname or ""

"""Who outside is given what people write: names and hosts for people to read, never a key."""

from __future__ import annotations

from urllib.parse import urlsplit

import msgspec

from adapters.contract import EndpointError, GenerationRequest, Role, text_message
from bot.preferences import Location, ServerCapabilities
from bot.store import Preferences
from bot.turn.models import ModelChoice, Models, NoModel


class Recipients(msgspec.Struct, frozen=True):
    provider: str = ""
    """Of the model; empty: there is none."""
    provider_host: str = ""
    speech_host: str = ""
    """Where voice messages are put into words; empty: nowhere."""
    others_differ: bool = False
    """Others may have another model read what is said there, with keys of their own."""


class Disclosure:
    """Who is given what people write in a place."""

    def __init__(self, models: Models, preferences: Preferences, transcription_url: str | None) -> None:
        self._models = models
        self._preferences = preferences
        self._transcription_url = transcription_url

    async def at(self, location: Location) -> Recipients:
        """When the person of this location asks there."""
        may = await self._preferences.of(ServerCapabilities, location)
        hears = may.files_enabled and may.transcription_enabled
        told = recipients(await self._models.look(location), self._transcription_url if hears else None)
        differ = location.guild_id is not None and may.personal_models_enabled and may.own_keys_enabled
        return msgspec.structs.replace(told, others_differ=differ)


def recipients(choice: ModelChoice | NoModel, transcription_url: str | None) -> Recipients:
    speech_host = _host(transcription_url or "")
    if isinstance(choice, NoModel):
        return Recipients(speech_host=speech_host)
    return Recipients(choice.adapter.name, _host_of_model(choice), speech_host)


def _host_of_model(choice: ModelChoice) -> str:
    """Read off a request, as only the adapter knows where it goes when no address was set."""
    question = GenerationRequest(model=choice.model, messages=(text_message(Role.USER, "?"),))
    try:
        return _host(choice.adapter.build(question, choice.endpoint).url)
    except EndpointError:
        return _host(choice.endpoint.base_url or "")


def _host(url: str) -> str:
    """Without what else an address may hold: a login, a key, a path."""
    return urlsplit(url).hostname or ""

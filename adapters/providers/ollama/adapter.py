"""Ollama's own API: addresses, keys and the listing of models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from adapters.contract import (
    Endpoint,
    GenerationRequest,
    HttpRequest,
    ModelInfo,
    ProviderError,
    StreamDecoder,
)
from adapters.errors import response_error
from adapters.providers.body import encoded
from adapters.providers.ollama.decoder import OllamaDecoder
from adapters.providers.ollama.request import chat_body
from adapters.wire.loose_json import read_json
from adapters.wire.stage import Layers, Observer

BASE_URL: Final = "http://localhost:11434"

_PATHS: Final = ("/api/chat", "/api/generate", "/api", "/v1")
"""What people paste behind the address."""


class Ollama:
    """Adapter (contract.StreamAdapter)."""

    name = "ollama"
    title = "Ollama"

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        origin = endpoint.origin(self.name, request.model)
        return HttpRequest(
            method="POST",
            url=f"{_root(endpoint)}/api/chat",
            headers={"content-type": "application/json", "accept": "application/x-ndjson", **_authorization(endpoint)},
            body=encoded(chat_body(request, origin)),
            secrets=_secrets(endpoint),
        )

    def open(self, request: GenerationRequest, observer: Observer | None = None) -> StreamDecoder:
        return OllamaDecoder(request, Layers(observer) if observer else None)

    def classify(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return response_error(status, headers, body)

    def list_models(self, endpoint: Endpoint) -> HttpRequest | None:
        return HttpRequest(
            method="GET",
            url=f"{_root(endpoint)}/api/tags",
            headers={"accept": "application/json", **_authorization(endpoint)},
            body=b"",
            secrets=_secrets(endpoint),
        )

    def read_models(self, body: bytes) -> Sequence[ModelInfo]:
        value = read_json(body)
        entries = value.get("models") if isinstance(value, dict) else None
        models = map(_read_model, entries) if isinstance(entries, list) else ()
        return [model for model in models if model is not None]


def _root(endpoint: Endpoint) -> str:
    root = (endpoint.base_url or BASE_URL).rstrip("/")
    for path in _PATHS:
        root = root.removesuffix(path)
    return root.rstrip("/")


def _authorization(endpoint: Endpoint) -> dict[str, str]:
    """Ollama's cloud, and proxies before a server of one's own, ask for a key."""
    return {"authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}


def _secrets(endpoint: Endpoint) -> tuple[str, ...]:
    return (endpoint.api_key,) if endpoint.api_key else ()


def _read_model(entry: Any) -> ModelInfo | None:
    if not isinstance(entry, dict):
        return None
    model_id = entry.get("model") or entry.get("name")
    if not isinstance(model_id, str) or not model_id:
        return None
    able = entry.get("capabilities")
    if not isinstance(able, list):
        return ModelInfo(model_id)
    return ModelInfo(model_id, vision="vision" in able, tools="tools" in able, reasoning="thinking" in able)


OLLAMA: Final = Ollama()

"""Anthropic's Messages API, and servers that speak it (https://platform.claude.com/docs/en/api/messages).

The request is in request and history, what each model takes in providers.claude_models, the answer in events and decoder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from adapters.contract import Endpoint, GenerationRequest, HttpRequest, ModelInfo, ProviderError, StreamDecoder
from adapters.errors import response_error
from adapters.providers.anthropic.decoder import AnthropicDecoder
from adapters.providers.anthropic.request import body_of
from adapters.providers.body import encoded
from adapters.wire.loose_json import read_json
from adapters.wire.stage import Layers, Observer

BASE_URL: Final = "https://api.anthropic.com"
VERSION: Final = "2023-06-01"
"""Of the API; the only one there is."""

LISTED_MODELS: Final = 1000
"""The most that the API gives in one page."""


class Anthropic:
    """Adapter (contract.StreamAdapter)."""

    name: Final = "anthropic"
    title: Final = "Anthropic"

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        return HttpRequest(
            method="POST",
            url=f"{_root(endpoint)}/v1/messages",
            headers={
                **_headers(endpoint),
                "content-type": "application/json",
                "accept": "text/event-stream",
            },
            body=encoded(body_of(request, endpoint.origin(self.name, request.model))),
            secrets=_secrets(endpoint),
        )

    def open(self, request: GenerationRequest, observer: Observer | None = None) -> StreamDecoder:
        return AnthropicDecoder(request, Layers(observer) if observer else None)

    def classify(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return response_error(status, headers, body)

    def list_models(self, endpoint: Endpoint) -> HttpRequest | None:
        url = f"{_root(endpoint)}/v1/models?limit={LISTED_MODELS}"
        return HttpRequest("GET", url, {**_headers(endpoint), "accept": "application/json"}, b"", _secrets(endpoint))

    def read_models(self, body: bytes) -> Sequence[ModelInfo]:
        value = read_json(body)
        entries = value.get("data") if isinstance(value, dict) else None
        return tuple(
            _model(entry)
            for entry in (entries if isinstance(entries, list) else ())
            if isinstance(entry, dict) and isinstance(entry.get("id"), str) and entry["id"]
        )


def _root(endpoint: Endpoint) -> str:
    """The address before `/v1`; people paste what they find."""
    root = (endpoint.base_url or BASE_URL).rstrip("/")
    for end in ("/messages", "/v1"):
        root = root.removesuffix(end).rstrip("/")
    return root


def _headers(endpoint: Endpoint) -> dict[str, str]:
    key = {"x-api-key": endpoint.api_key} if endpoint.api_key else {}
    return {"anthropic-version": VERSION, **key}


def _secrets(endpoint: Endpoint) -> tuple[str, ...]:
    return (endpoint.api_key,) if endpoint.api_key else ()


def _model(entry: Mapping[str, Any]) -> ModelInfo:
    capabilities = entry.get("capabilities")
    able = capabilities if isinstance(capabilities, dict) else {}
    name = entry.get("display_name")
    return ModelInfo(
        id=entry["id"],
        name=name if isinstance(name, str) and name else None,
        context_window=_count(entry.get("max_input_tokens")),
        output_limit=_count(entry.get("max_tokens")),
        vision=_supported(able.get("image_input")),
        reasoning=_supported(able.get("thinking")),
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _supported(value: object) -> bool | None:
    supported = value.get("supported") if isinstance(value, dict) else None
    return supported if isinstance(supported, bool) else None


ANTHROPIC: Final = Anthropic()

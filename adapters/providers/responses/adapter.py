"""OpenAI's Responses API, and every server that speaks it (https://platform.openai.com/docs/api-reference/responses).

Nothing is kept at the provider's (`store: false`): each request holds the whole conversation, and reasoning goes back encrypted.
How a request is made of the conversation stands in the module request, what the stream's events mean in decoder.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from adapters.contract import Endpoint, GenerationRequest, HttpRequest, ModelInfo, ProviderError, StreamDecoder
from adapters.errors import response_error
from adapters.providers.body import encoded
from adapters.providers.openai_listing import read_models
from adapters.providers.responses.decoder import ResponsesDecoder
from adapters.providers.responses.request import request_body
from adapters.wire.stage import Layers, Observer

BASE_URL: Final = "https://api.openai.com/v1"


class OpenAIResponses:
    """Adapter (contract.StreamAdapter)."""

    name: Final = "openai-responses"
    title: Final = "OpenAI"

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        origin = endpoint.origin(self.name, request.model)
        return HttpRequest(
            method="POST",
            url=f"{_root(endpoint)}/responses",
            headers={**_headers(endpoint), "content-type": "application/json", "accept": "text/event-stream"},
            body=encoded(request_body(request, origin)),
            secrets=_secrets(endpoint),
        )

    def open(self, request: GenerationRequest, observer: Observer | None = None) -> StreamDecoder:
        return ResponsesDecoder(request, Layers(observer) if observer else None)

    def classify(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return response_error(status, headers, body)

    def list_models(self, endpoint: Endpoint) -> HttpRequest | None:
        headers = {**_headers(endpoint), "accept": "application/json"}
        return HttpRequest("GET", f"{_root(endpoint)}/models", headers, b"", _secrets(endpoint))

    def read_models(self, body: bytes) -> Sequence[ModelInfo]:
        return read_models(body)


def _root(endpoint: Endpoint) -> str:
    return (endpoint.base_url or BASE_URL).rstrip("/").removesuffix("/responses").rstrip("/")


def _headers(endpoint: Endpoint) -> dict[str, str]:
    return {"authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}


def _secrets(endpoint: Endpoint) -> tuple[str, ...]:
    return (endpoint.api_key,) if endpoint.api_key else ()


OPENAI_RESPONSES: Final = OpenAIResponses()

"""OpenAI Chat Completions and every server that speaks it: one adapter, and a Dialect for what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from adapters.contract import (
    Endpoint,
    EndpointError,
    GenerationRequest,
    HttpRequest,
    ModelInfo,
    ProviderError,
    StreamDecoder,
)
from adapters.errors import response_error
from adapters.providers.body import encoded
from adapters.providers.chat.decoder import OpenAIChatDecoder
from adapters.providers.chat.dialect import ALL_EFFORTS, Dialect, Media, efforts
from adapters.providers.chat.request import chat_body
from adapters.providers.openai_listing import read_models
from adapters.wire.stage import Layers, Observer


class OpenAIChat:
    """Adapter (contract.StreamAdapter) for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    @property
    def name(self) -> str:
        return self.dialect.name

    @property
    def title(self) -> str:
        return self.dialect.title

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        """Raises EndpointError where the endpoint lacks the address or the key that the dialect needs."""
        return HttpRequest(
            method="POST",
            url=f"{self._base(endpoint)}/chat/completions",
            headers={**self._headers(endpoint), "content-type": "application/json", "accept": "text/event-stream"},
            body=encoded(chat_body(request, endpoint, self.dialect)),
            secrets=(endpoint.api_key,) if endpoint.api_key else (),
        )

    def open(self, request: GenerationRequest, observer: Observer | None = None) -> StreamDecoder:
        layers = Layers(observer) if observer else None
        return OpenAIChatDecoder(request, layers, leaks=self.dialect.leaks, routes=self.dialect.routes)

    def list_models(self, endpoint: Endpoint) -> HttpRequest | None:
        if self.dialect.models_url is None:
            return None
        return HttpRequest(
            method="GET",
            url=(not endpoint.base_url and self.dialect.models_url) or f"{self._base(endpoint)}/models",
            headers={**self._headers(endpoint), "accept": "application/json"},
            body=b"",
            secrets=(endpoint.api_key,) if endpoint.api_key else (),
        )

    def read_models(self, body: bytes) -> Sequence[ModelInfo]:
        return read_models(body)

    def classify(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return response_error(status, headers, body)

    def _base(self, endpoint: Endpoint) -> str:
        base = endpoint.base_url or self.dialect.base_url
        if not base:
            raise EndpointError(f"{self.name} needs a base URL, such as http://localhost:8080/v1")
        if self.dialect.needs_key and not endpoint.api_key and not endpoint.base_url:
            raise EndpointError(f"{self.name} needs an API key")
        return base.rstrip("/").removesuffix("/chat/completions").rstrip("/")

    def _headers(self, endpoint: Endpoint) -> dict[str, str]:
        key = {"authorization": f"Bearer {endpoint.api_key}"} if endpoint.api_key else {}
        return {**self.dialect.headers, **key}


OPENAI_CHAT: Final = OpenAIChat(
    Dialect(
        name="openai-chat",
        title="OpenAI Chat Completions",
        base_url="https://api.openai.com/v1",
        limit_field="max_completion_tokens",
        cache_field="prompt_cache_key",
        reasoning=efforts(ALL_EFFORTS),
        takes=frozenset(Media),
        refuses=frozenset({"top_k"}),
        leaks=False,
    )
)

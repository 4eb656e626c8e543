"""Ollama's own API (github.com/ollama/ollama/blob/main/docs/api.md): one JSON object a line, the last of them with `done`.

Calls come whole, several in a row or one a line, most times without an id. An error is a line of its own, also in the middle
of an answer whose status was 200. A stream without its last line was cut, however it ended.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from adapters.contract import (
    Endpoint,
    ErrorReason,
    FinishReason,
    GeneratedImage,
    GenerationRequest,
    HttpRequest,
    ModelInfo,
    ProviderError,
    StreamDecoder,
    Usage,
)
from adapters.decoder import Decoder, Guard
from adapters.errors import error_of, is_web_page, response_error, stream_error, web_page_error
from adapters.guards.think_tags import think_tags
from adapters.providers.body import encoded
from adapters.providers.ollama_chunks import OllamaChunk, ToolCall, decode_chunk, read_slowly
from adapters.providers.ollama_request import chat_body
from adapters.wire.data import DataLine, DataMessage, DataStray
from adapters.wire.loose_json import read_json
from adapters.wire.ndjson import ndjson
from adapters.wire.stage import Layers, Observer

BASE_URL: Final = "http://localhost:11434"

FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
}
"""Every other word (`load`, `unload`: the model was only loaded or put away) is a stop: without text that is an error anyway."""

_PATHS: Final = ("/api/chat", "/api/generate", "/api", "/v1")
"""What people paste behind the address."""


class Ollama:
    """Adapter (contract.StreamAdapter)."""

    name = "ollama"

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
        return OllamaDecoder((think_tags(),), Layers(observer) if observer else None)

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


class OllamaDecoder(Decoder[DataMessage, OllamaChunk]):
    def __init__(self, guards: Sequence[Guard] = (), layers: Layers | None = None) -> None:
        super().__init__(ndjson(layers), guards, layers)
        self._calls_nr = 0

    def read_chunk(self, message: DataMessage) -> OllamaChunk | None:
        if isinstance(message, DataLine):
            try:
                return decode_chunk(message.data)
            except (msgspec.MsgspecError, RecursionError):
                return self._read_odd(message.data)
        if isinstance(message, DataStray):
            return self._read_stray(message.data)
        self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, message.message))
        return None

    def process_chunk(self, raw: OllamaChunk) -> None:
        message = raw.message
        if message is not None:
            if message.thinking:
                self.think(message.thinking)
            if message.content:
                self.show(message.content)
            if message.tool_calls:
                for call in message.tool_calls:
                    self._call(call)
            if message.images:
                for image in message.images:
                    self._draw(image)
        else:
            self._read_generated(raw)
        if raw.error:
            self.break_off(stream_error({"error": raw.error}), raw.done_reason)
        elif raw.done:
            self._complete(raw)

    def at_end(self, error: ProviderError | None) -> None:
        self.break_off(error or error_of(ErrorReason.TRUNCATED_STREAM, "the stream ended before the answer did"))

    # --------------------------------------------------------------------------------------------------- good chunks

    def _read_odd(self, data: bytes) -> OllamaChunk | None:
        self.expect_halves()
        chunk = read_slowly(data)
        if chunk is None and not self.closing:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "a line of the stream is not valid JSON"))
        # Else it is the half of a line that the end of the body cut off; at_end says so.
        return chunk

    def _read_generated(self, raw: OllamaChunk) -> None:
        if raw.thinking:
            self.think(raw.thinking)
        if raw.response:
            self.show(raw.response)
        if raw.image:
            self._draw(raw.image)
        if raw.detail:
            self.break_off(stream_error({"detail": raw.detail}))

    def _call(self, call: ToolCall) -> None:
        """Whole as it comes: two calls with one id, or without any, are two calls all the same."""
        self._calls_nr += 1
        function = call.function
        self.calls.add(
            index=self._calls_nr,
            call_id=call.id or "",
            name=(function.name or "") if function else "",
            arguments=function.arguments if function else None,
        )
        self.settle_call(self._calls_nr)

    def _draw(self, image: object) -> None:
        try:
            data = b64decode(image) if isinstance(image, str) else b""
        except (Base64Error, ValueError):
            return
        if data:
            self.draw(GeneratedImage(_media_type(data), data))

    def _complete(self, raw: OllamaChunk) -> None:
        if raw.prompt_eval_count is not None or raw.eval_count is not None:
            self.count(Usage(input_tokens=raw.prompt_eval_count, output_tokens=raw.eval_count))
        self.finish(FINISH_REASONS.get(raw.done_reason or "stop", FinishReason.STOP), raw.done_reason)

    # ----------------------------------------------------------------------------------------------- what is no chunk

    def _read_stray(self, data: bytes) -> OllamaChunk | None:
        """Lines that are no object of their own: a web page, words, an object that is spread over several lines."""
        value = read_json(data)
        if isinstance(value, dict):
            return read_slowly(data)
        if is_web_page(data):
            self.break_off(web_page_error(data))
        elif not data.lstrip().startswith(b"{"):
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, data.decode("utf-8", "replace")))
        elif not self.closing:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "a line of the stream is not valid JSON"))
        return None


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


_MAGIC: Final = ((b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp"))


def _media_type(data: bytes) -> str:
    """Ollama does not say; PNG is what its models draw."""
    return next((media_type for start, media_type in _MAGIC if data.startswith(start)), "image/png")


OLLAMA: Final = Ollama()

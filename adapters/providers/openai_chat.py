"""OpenAI Chat Completions, and the base of every server that speaks it (https://platform.openai.com/docs/api-reference/chat).

The end mark is `[DONE]`; the finish reason comes before it, the usage between the two in a chunk without choices. Servers in the
field leave out either mark, finish twice, or answer a stream request with one JSON body: what counts is that a finish reason or
the end mark was seen. Only the first choice is read: one answer is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from adapters.contract import (
    Endpoint,
    EndpointError,
    ErrorReason,
    FinishReason,
    GenerationRequest,
    HttpRequest,
    ModelInfo,
    ProviderError,
    StreamDecoder,
)
from adapters.decoder import Decoder, Guard
from adapters.errors import error_of, is_web_page, response_error, stream_error, web_page_error
from adapters.providers.chat_chunks import ChatChunk, Choice, MessageDelta, read_chunk
from adapters.providers.chat_usage import read_usage
from adapters.wire.data import DataLine, DataMessage, DataStray
from adapters.wire.sse import sse
from adapters.wire.stage import Layers, Observer
from adapters.wire.surrogates import SurrogateJoiner

FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,  # Mistral
    "tool_calls": FinishReason.TOOL_CALLS,
    "tool_call": FinishReason.TOOL_CALLS,
    "tool_use": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
    "sensitive": FinishReason.CONTENT_FILTER,  # Z.ai
}
"""Every other word (`eos`, `end_turn`, …) is a stop: an answer without text is an error anyway."""

FAULTS: Final[Mapping[str, ErrorReason]] = {
    "error": ErrorReason.SERVER,
    "network_error": ErrorReason.SERVER,  # Z.ai
    "insufficient_system_resource": ErrorReason.OVERLOADED,  # DeepSeek
}
"""Finish reasons that say the answer is broken."""


class Dialect(msgspec.Struct, frozen=True):
    """Where servers of this protocol differ."""

    name: str
    base_url: str | None
    """The provider's own address; None where every user has another."""
    limit_field: str
    """Name of the field that bounds the output tokens."""


class OpenAIChat:
    """Adapter (contract.StreamAdapter) for one dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    @property
    def name(self) -> str:
        return self._dialect.name

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        """Raises EndpointError where the dialect has no address of its own and the endpoint names none."""
        base = endpoint.base_url or self._dialect.base_url
        if not base:
            raise EndpointError(f"{self.name} needs a base URL, such as http://localhost:8080/v1")
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        if endpoint.api_key:
            headers["authorization"] = f"Bearer {endpoint.api_key}"
        return HttpRequest(
            method="POST",
            url=base.rstrip("/").removesuffix("/chat/completions") + "/chat/completions",
            headers=headers,
            body=msgspec.json.encode(self._body(request)),
            secrets=(endpoint.api_key,) if endpoint.api_key else (),
        )

    def open(self, request: GenerationRequest, observer: Observer | None = None) -> StreamDecoder:
        return OpenAIChatDecoder(layers=Layers(observer) if observer else None)

    def list_models(self, endpoint: Endpoint) -> HttpRequest | None:
        return None

    def read_models(self, body: bytes) -> Sequence[ModelInfo]:
        return ()

    def classify(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        return response_error(status, headers, body)

    def _body(self, request: GenerationRequest) -> dict[str, Any]:
        system = [{"role": "system", "content": request.system}] if request.system else []
        body: dict[str, Any] = {
            "model": request.model,
            "messages": [*system, *({"role": message.role, "content": message.text} for message in request.messages)],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.max_output_tokens is not None:
            body[self._dialect.limit_field] = request.max_output_tokens
        if request.temperature is not None:
            body["temperature"] = request.temperature
        return body


class OpenAIChatDecoder(Decoder[DataMessage, ChatChunk]):
    def __init__(self, guards: Sequence[Guard] = (), layers: Layers | None = None) -> None:
        super().__init__(sse(layers), guards, layers)
        self._finish_reason: str | None = None
        self._snapshot: MessageDelta | None = None
        self._spoke = False
        self._alien = b""
        self._text = SurrogateJoiner()
        self._thought = SurrogateJoiner()

    def read_chunk(self, message: DataMessage) -> ChatChunk | None:
        if isinstance(message, DataLine):
            return self._read_event(message)
        if isinstance(message, DataStray):
            return self._read_stray(message.data)
        self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, message.message))
        return None

    def process_chunk(self, raw: ChatChunk) -> None:
        if raw.choices:
            for choice in raw.choices:
                if not choice.index:
                    self._read_choice(choice)
        if raw.usage:
            self._count(raw.usage)
        error = raw.error
        if raw.x_groq:
            self._count(_field(raw.x_groq, "usage"))
            error = error or _field(raw.x_groq, "error")
        if error:
            self.break_off(stream_error({"error": error}))

    def at_end(self, error: ProviderError | None) -> None:
        if self._finish_reason is not None:
            self._complete()
        elif error is not None:
            self.break_off(error)
        elif self._alien and not self._spoke:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, self._alien.decode("utf-8", "replace")))
        else:
            self.break_off(error_of(ErrorReason.TRUNCATED_STREAM, "the stream ended before the answer did"))

    # ------------------------------------------------------------------------------------------------- good chunks

    def _read_event(self, event: DataLine) -> ChatChunk | None:
        data = event.data
        if data.startswith(b"[DONE]"):
            self._complete()
            return None
        chunk = read_chunk(data)
        if event.event == "error" and (chunk is None or not chunk.error):
            self.break_off(stream_error(_json_or_text(data)))
            return None
        if chunk is None:
            self._read_no_chunk(data)
            return None
        return self._checked(chunk, data)

    def _checked(self, chunk: ChatChunk, data: bytes) -> ChatChunk | None:
        """Errors that some servers write without an `error` around them are no chunk."""
        if chunk.choices is None and not chunk.error and (chunk.message or chunk.detail):
            self.break_off(stream_error(_json_or_text(data)))
            return None
        return chunk

    def _read_choice(self, choice: Choice) -> None:
        delta = choice.delta
        if delta is not None:
            self._spoke = self._spoke or _says_something(delta)
            self._read_message(delta)
        if choice.message is not None:
            self._snapshot = choice.message
        if choice.usage:
            self._count(choice.usage)
        reason = choice.finish_reason
        if reason and self._finish_reason is None:
            self._finish_reason = str(reason)
        if choice.error:
            self.break_off(stream_error({"error": choice.error}), self._finish_reason)

    def _read_message(self, message: MessageDelta) -> None:
        thought = message.reasoning_content or message.reasoning or message.reasoning_text
        if isinstance(thought, str):
            self._think(thought)
        elif message.reasoning_details:
            for detail in _objects(message.reasoning_details):
                self._think_part(detail)
        content = message.content
        if isinstance(content, str):
            if content:
                self._show(content)
        elif content is not None:
            self._read_parts(content)
        if isinstance(message.refusal, str):
            self._show(message.refusal)
        for call in message.tool_calls or ():
            function = call.function
            self.calls.add(
                index=call.index if type(call.index) is int else None,
                call_id=_string(call.id),
                name=_string(function.name) if function else "",
                arguments=function.arguments if function else None,
            )
        if message.function_call is not None:
            self.calls.add(name=_string(message.function_call.name), arguments=message.function_call.arguments)

    def _read_parts(self, parts: object) -> None:
        """Content as a list of parts: Mistral's thinking models, and servers that pass on other protocols."""
        for part in _objects(parts):
            if part.get("type") in ("thinking", "reasoning"):
                self._think_part(part)
            else:
                self._show(_string(part.get("text")) or _string(part.get("refusal")))

    def _think_part(self, part: Mapping[str, Any]) -> None:
        inner = part.get("thinking")
        pieces = (
            [_string(entry.get("text")) for entry in _objects(inner)] if isinstance(inner, list) else [_string(inner)]
        )
        self._think("".join(pieces) or _string(part.get("text")) or _string(part.get("summary")))

    def _show(self, text: str) -> None:
        self.show(self._text.feed(text))

    def _think(self, text: str) -> None:
        self.think(self._thought.feed(text))

    def _count(self, value: object) -> None:
        usage = read_usage(value)
        if usage is not None:
            self.count(usage)

    # ---------------------------------------------------------------------------------------------- what is no chunk

    def _read_stray(self, data: bytes) -> ChatChunk | None:
        """Lines that are no event: the JSON of an answer that was not streamed, an error between events, a web page."""
        if is_web_page(data):
            self.break_off(web_page_error(data))
        elif (chunk := read_chunk(data)) is not None:
            return self._checked(chunk, data)
        else:
            self._alien = self._alien or data
        return None

    def _read_no_chunk(self, data: bytes) -> None:
        if (error := _glued_error(data)) is not None:
            self.break_off(stream_error(error))
        elif not data.lstrip().startswith(b"{"):
            # `data: keep-alive` and the like.
            self._alien = self._alien or data
        elif not self.closing:
            self.break_off(error_of(ErrorReason.MALFORMED_RESPONSE, "an event of the stream is not valid JSON"))
        # Else it is the half of an event that the end of the body cut off; at_end says so.

    def _complete(self) -> None:
        if self._snapshot is not None and not self._spoke:
            self._read_message(self._snapshot)
        self.show(self._text.close())
        self.think(self._thought.close())
        reason = self._finish_reason
        if reason is not None and reason in FAULTS:
            self.break_off(error_of(FAULTS[reason], f"the provider ended the answer with {reason!r}"), reason)
        else:
            self.finish(FINISH_REASONS.get(reason or "stop", FinishReason.STOP), reason)


def _glued_error(data: bytes) -> dict[str, Any] | None:
    """The error that a gateway wrote into an event under way: a whole JSON object on a line of its own."""
    for line in reversed(data.split(b"\n")[1:]):
        try:
            value = msgspec.json.decode(line)
        except (msgspec.MsgspecError, RecursionError):
            continue
        if isinstance(value, dict) and value.get("error"):
            return value
    return None


def _json_or_text(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return data.decode("utf-8", "replace")


def _says_something(delta: MessageDelta) -> bool:
    return bool(
        delta.content
        or delta.reasoning_content
        or delta.reasoning
        or delta.reasoning_text
        or delta.reasoning_details
        or delta.refusal
        or delta.tool_calls
        or delta.function_call
    )


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _field(value: object, name: str) -> Any:
    return value.get(name) if isinstance(value, dict) else None


def _objects(value: object) -> Iterator[dict[str, Any]]:
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict):
            yield entry


OPENAI_CHAT: Final = OpenAIChat(Dialect("openai-chat", "https://api.openai.com/v1", "max_completion_tokens"))

"""The vocabulary between providers and the bot: what is asked, what comes back, and what an adapter must do.

Values only. They are immutable, compare by value, and know nothing of HTTP, Discord or time.

    GenerationRequest ──adapter.build()──▶ HttpRequest ──(transport)──▶ bytes
    bytes ──decoder.feed()──▶ RawStreamChunk ──decoder.process_chunk()──▶ ProcessedChunk

A stream of ProcessedChunks ends with exactly one DoneChunk or ErrorChunk, whatever happens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

import msgspec


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"


class FinishReason(StrEnum):
    """Why the model stopped, in one word for all providers."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    INCOMPLETE = "incomplete"
    """The stream ended cleanly but without the provider's end mark."""


class ErrorType(StrEnum):
    API_ERROR = "api_error"
    RATE_LIMIT = "rate_limit"
    CONTENT_BLOCKED = "content_blocked"
    TIMEOUT = "timeout"
    PROVIDER_OVERLOADED = "provider_overloaded"
    MODEL_ERROR = "model_error"


class ErrorReason(StrEnum):
    """What went wrong, finer than the type. REASON_TYPES says which type each belongs to."""

    AUTH = "auth"
    PERMISSION = "permission"
    QUOTA = "quota"
    BAD_REQUEST = "bad_request"
    CONTEXT_LENGTH = "context_length"
    PAYLOAD_TOO_LARGE = "payload_too_large"
    SERVER = "server"
    CONNECTION = "connection"
    TRUNCATED_STREAM = "truncated_stream"
    MALFORMED_RESPONSE = "malformed_response"
    EMPTY_REPLY = "empty_reply"
    RATE_LIMIT = "rate_limit"
    QUOTA_WINDOW = "quota_window"
    CONTENT_FILTER = "content_filter"
    FIRST_BYTE = "first_byte"
    IDLE = "idle"
    TOTAL = "total"
    GATEWAY_TIMEOUT = "gateway_timeout"
    OVERLOADED = "overloaded"
    MODEL_NOT_FOUND = "model_not_found"
    MODEL_UNSUPPORTED = "model_unsupported"


REASON_TYPES: Mapping[ErrorReason, ErrorType] = {
    **dict.fromkeys(ErrorReason, ErrorType.API_ERROR),
    ErrorReason.RATE_LIMIT: ErrorType.RATE_LIMIT,
    ErrorReason.QUOTA_WINDOW: ErrorType.RATE_LIMIT,
    ErrorReason.CONTENT_FILTER: ErrorType.CONTENT_BLOCKED,
    ErrorReason.FIRST_BYTE: ErrorType.TIMEOUT,
    ErrorReason.IDLE: ErrorType.TIMEOUT,
    ErrorReason.TOTAL: ErrorType.TIMEOUT,
    ErrorReason.GATEWAY_TIMEOUT: ErrorType.TIMEOUT,
    ErrorReason.OVERLOADED: ErrorType.PROVIDER_OVERLOADED,
    ErrorReason.MODEL_NOT_FOUND: ErrorType.MODEL_ERROR,
    ErrorReason.MODEL_UNSUPPORTED: ErrorType.MODEL_ERROR,
}


# --------------------------------------------------------------------------------------------------- what is asked


class PromptMessage(msgspec.Struct, frozen=True):
    role: Role
    text: str


class GenerationRequest(msgspec.Struct, frozen=True):
    """One call of a model, in no provider's dialect."""

    model: str
    messages: tuple[PromptMessage, ...]
    system: str = ""
    max_output_tokens: int | None = None
    temperature: float | None = None


class Endpoint(msgspec.Struct, frozen=True):
    """Where a provider is reached. The key never shows in repr(), logs or errors."""

    base_url: str | None = None
    """Root of the API, such as `https://host/v1`; None means the provider's own address."""
    api_key: str | None = None

    def __repr__(self) -> str:
        return f"Endpoint(base_url={self.base_url!r}, api_key={'***' if self.api_key else None})"


class EndpointError(ValueError):
    """The endpoint lacks what the adapter needs. The message is one sentence and holds no key."""


class HttpRequest(msgspec.Struct, frozen=True):
    """What the transport sends. Headers hold the key, so repr() leaves them out."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    secrets: tuple[str, ...] = ()
    """Values that must never stand in an error text, should the provider echo them."""

    def __repr__(self) -> str:
        return f"HttpRequest({self.method} {self.url}, {len(self.body)} bytes)"


# ------------------------------------------------------------------------------------------------- what comes back


class Usage(msgspec.Struct, frozen=True):
    """Tokens as the provider counted them; None where it does not say.

    `input_tokens` counts all input, cached included; `output_tokens` all output, reasoning included.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


class ThoughtLogEntry(msgspec.Struct, frozen=True):
    """A piece of reasoning, apart from the visible text. Pieces in a row belong together without a separator."""

    text: str


class FunctionCall(msgspec.Struct, frozen=True):
    """A call that is provably whole: its arguments parsed strictly."""

    id: str
    name: str
    args: Mapping[str, Any]
    opaque: Mapping[str, Any] = {}
    """Odd fields that this provider wants back with the result (thought signatures and the like)."""


class MalformedCall(msgspec.Struct, frozen=True):
    """A call that must not run. The model gets `problem` back as the call's result."""

    id: str
    name: str
    raw_arguments: str
    problem: str


class ProviderError(msgspec.Struct, frozen=True):
    """An error as a value. `message` is the provider's own wording, freed of keys, for the operator's log."""

    reason: ErrorReason
    message: str
    code: str | None = None
    """The provider's own code, else the HTTP status as text."""
    retryable: bool = False
    rotate_key: bool = False
    """Another key could succeed now."""
    retry_after: float | None = None
    """Seconds."""

    @property
    def type(self) -> ErrorType:
        return REASON_TYPES[self.reason]


class TextChunk(msgspec.Struct, frozen=True, gc=False, tag="text", kw_only=True):
    """Visible text, and whatever came along with it; `content` may be empty when only the rest matters."""

    content: str = ""
    thoughts: tuple[ThoughtLogEntry, ...] = ()
    usage: Usage | None = None
    serving_provider: str | None = None


class FunctionCallChunk(msgspec.Struct, frozen=True, gc=False, tag="function_call"):
    call: FunctionCall | MalformedCall


class ErrorChunk(msgspec.Struct, frozen=True, gc=False, tag="error"):
    """The stream ended badly. All text before it stays valid; `partial_text` joins it once more for who needs it."""

    error: ProviderError
    partial_text: str = ""
    finish: FinishReason = FinishReason.INCOMPLETE
    """How far the answer came: a filtered or an empty one has its reason, a broken one is incomplete."""
    provider_finish_reason: str | None = None


class DoneChunk(msgspec.Struct, frozen=True, gc=False, tag="done"):
    finish: FinishReason
    provider_finish_reason: str | None = None


ProcessedChunk: TypeAlias = TextChunk | FunctionCallChunk | ErrorChunk | DoneChunk


# ------------------------------------------------------------------------------------------- what an adapter must do


class StreamDecoder(Protocol):
    """One stream's state. Synchronous; the result is the same however the bytes are cut.

    The last chunk of `close()` or `fail()`, or of an earlier `feed()`, is the stream's one ending; after it, nothing.
    """

    def feed(self, data: bytes) -> Sequence[ProcessedChunk]: ...

    def close(self) -> Sequence[ProcessedChunk]:
        """The body ended cleanly."""
        ...

    def fail(self, error: ProviderError) -> Sequence[ProcessedChunk]:
        """The body ended otherwise: connection lost, deadline passed. What was held back comes out first."""
        ...


class StreamAdapter(Protocol):
    """One wire protocol. Stateless and shared by all streams; a stream's state is in the decoder that open() gives."""

    @property
    def name(self) -> str: ...

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest: ...

    def open(self, request: GenerationRequest) -> StreamDecoder: ...

    def classify(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """Read an answer whose status is not 2xx. Header names are lower-case."""
        ...

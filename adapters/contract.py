"""The vocabulary between providers and the bot: what is asked, what comes back, and what an adapter must do.

Values only. They are immutable, compare by value, and know nothing of HTTP, Discord or time.

    GenerationRequest ──adapter.build()──▶ HttpRequest ──(transport)──▶ bytes
    bytes ──decoder.feed()──▶ RawStreamChunk ──decoder.process_chunk()──▶ ProcessedChunk
    ProcessedChunks ──record.TurnRecord──▶ PromptMessage, part of the next GenerationRequest

A stream of ProcessedChunks ends with exactly one DoneChunk or ErrorChunk, whatever happens.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, TypeAlias

import msgspec

from adapters.wire.stage import Observer


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


Opaque: TypeAlias = Mapping[str, Any]
"""A provider's own odd fields (thought signatures, ids of items, encrypted reasoning), as it sent them. Only the adapter that
read them knows what they mean; they go back in the next request to the same Origin, and to no other."""


class Origin(msgspec.Struct, frozen=True):
    """Who spoke: what is opaque to others means something to the same provider, address and model only."""

    provider: str
    base_url: str | None
    model: str


class TextPart(msgspec.Struct, frozen=True, tag="text"):
    text: str
    opaque: Opaque | None = None


class ThoughtPart(msgspec.Struct, frozen=True, tag="thought"):
    """Reasoning of the model. Only its own Origin gets it back, where that asks for it."""

    text: str
    opaque: Opaque | None = None


class ImagePart(msgspec.Struct, frozen=True, tag="image"):
    """A picture: its bytes, or a public address where there are none."""

    media_type: str
    data: bytes = b""
    url: str | None = None


class FilePart(msgspec.Struct, frozen=True, tag="file"):
    """A document or sound that the API can take as such; an adapter whose API cannot names it in a line of text."""

    name: str
    media_type: str
    data: bytes


class FunctionCall(msgspec.Struct, frozen=True, tag="call"):
    """A call that is provably whole: its arguments are an object, and fit the tool's schema where the tool is known."""

    id: str
    name: str
    args: Mapping[str, Any]
    opaque: Opaque | None = None
    notes: tuple[str, ...] = ()
    """What was mended, or read as another type without a loss, one clause each; for the operator's log."""


class MalformedCall(msgspec.Struct, frozen=True, tag="malformed_call"):
    """A call that must not run. The model gets `problem` back as the call's result."""

    id: str
    name: str
    raw_arguments: str
    problem: str
    opaque: Opaque | None = None


class ToolResult(msgspec.Struct, frozen=True, tag="result"):
    """What came of a call; stands in a user message, together with all other results of the same answer."""

    call_id: str
    name: str
    content: tuple[TextPart | ImagePart | FilePart, ...]
    is_error: bool = False


Part: TypeAlias = TextPart | ThoughtPart | ImagePart | FilePart | FunctionCall | MalformedCall | ToolResult


class PromptMessage(msgspec.Struct, frozen=True):
    """One turn of the conversation. An assistant's parts stand in the order in which the model gave them."""

    role: Role
    parts: tuple[Part, ...]
    origin: Origin | None = None
    """Of an assistant's message: who spoke. None: unknown, so nothing opaque is given back."""
    cache_mark: bool = False
    """The prompt up to the end of this message will come again: a place for the provider's prompt cache."""

    @property
    def text(self) -> str:
        """The visible text, joined."""
        return "".join(part.text for part in self.parts if isinstance(part, TextPart))


def text_message(role: Role, text: str) -> PromptMessage:
    """A message of text alone."""
    return PromptMessage(role, (TextPart(text),))


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool on offer. `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]


class ToolChoice(StrEnum):
    AUTO = "auto"
    NONE = "none"
    """The tools stay in the prompt, and must not be called."""
    REQUIRED = "required"


class NamedTool(msgspec.Struct, frozen=True):
    """The choice of exactly this tool."""

    name: str


class Effort(StrEnum):
    """How much a model should think before it speaks, from least to most."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"


class Reasoning(msgspec.Struct, frozen=True):
    """Wanted reasoning. An adapter turns one into the other where its API knows only effort, or only a budget."""

    effort: Effort | None = None
    budget_tokens: int | None = None


class ResponseSchema(msgspec.Struct, frozen=True):
    """The answer shall be JSON: of this JSON Schema, or of any shape where `schema` is None."""

    name: str = "answer"
    schema: Mapping[str, Any] | None = None


class GenerationRequest(msgspec.Struct, frozen=True):
    """One call of a model, in no provider's dialect. None means: not sent, the provider's own default."""

    model: str
    messages: tuple[PromptMessage, ...]
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    text_tool_calls: bool = False
    """Calls of these tools that the model writes as text, for want of a server that understands it, are calls too."""
    tool_choice: ToolChoice | NamedTool = ToolChoice.AUTO
    parallel_tool_calls: bool | None = None
    reasoning: Reasoning | None = None
    response_schema: ResponseSchema | None = None
    max_output_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    cache_key: str | None = None
    """Names the conversation, for providers that route requests with one beginning to the same cache."""
    dropped: frozenset[str] = frozenset()
    """Names of options, in the provider's own spelling (`stream_options`, `max_tokens`), that this model was seen to refuse:
    the body is built without them (adapters.degradation)."""


class Endpoint(msgspec.Struct, frozen=True):
    """Where a provider is reached. The key never shows in repr(), logs or errors."""

    base_url: str | None = None
    """Root of the API, such as `https://host/v1`; None means the provider's own address."""
    api_key: str | None = None
    public_only: bool = False
    """The address comes from a stranger: it is reached only where it is public (adapters.public_connections), and only with this
    key, never with the machine's own credentials."""

    def origin(self, provider: str, model: str) -> Origin:
        """Who speaks when this endpoint is asked."""
        return Origin(provider, self.base_url, model)

    def __repr__(self) -> str:
        return f"Endpoint(base_url={_without_login(self.base_url)!r}, api_key={'***' if self.api_key else None})"


class EndpointError(ValueError):
    """The endpoint lacks what the adapter needs. The message is one sentence and holds no key."""


class Signer(Protocol):
    """Completes a request with what needs the time or a token; may block, so the transport calls it in a thread.

    Raises EndpointError where the credentials cannot be used.
    """

    def __call__(self, request: HttpRequest, now: datetime) -> HttpRequest: ...


class HttpRequest(msgspec.Struct, frozen=True):
    """What the transport sends. Headers hold the key, so repr() leaves them out."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    secrets: tuple[str, ...] = ()
    """Values that must never stand in an error text, should the provider echo them."""
    signer: Signer | None = None

    def __repr__(self) -> str:
        return f"HttpRequest({self.method} {_without_login(self.url)}, {len(self.body)} bytes)"


def _without_login(address: str | None) -> str | None:
    """`https://user:password@host` without the two; an address of a proxy may hold them."""
    return re.sub(r"(?<=://)[^/?#]*@", "***@", address) if address else address


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


class ThoughtLogEntry(msgspec.Struct, frozen=True, gc=False):
    """A piece of reasoning, apart from the visible text. Pieces in a row belong together without a separator."""

    text: str
    opaque: Opaque | None = None
    """The odd fields of the thought that ends with this piece, which may have none ({}); the next piece begins another one."""
    takes_back: bool = False
    """All text that this answer gave so far was reasoning and is the beginning of this thought: it is no longer to be shown. From
    models whose prompt opens the thought, so that only its closing mark stands in the text."""


class GeneratedImage(msgspec.Struct, frozen=True):
    """A picture that the model made: bytes, or an address."""

    media_type: str
    data: bytes = b""
    url: str | None = None


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
    param: str | None = None
    """The option of the request that the provider objects to, in its own spelling."""
    supported_models: tuple[str, ...] = ()
    """Models that the provider names instead of the one asked for."""

    @property
    def type(self) -> ErrorType:
        return REASON_TYPES[self.reason]


class TextChunk(msgspec.Struct, frozen=True, gc=False, tag="text"):
    """Visible text, and whatever came along with it; `content` may be empty when only the rest matters."""

    content: str = ""
    thoughts: tuple[ThoughtLogEntry, ...] = ()
    images: tuple[GeneratedImage, ...] = ()
    opaque: Opaque | None = None
    """The odd fields of the run of text that ends with this piece; later text begins another one."""


class FunctionCallChunk(msgspec.Struct, frozen=True, gc=False, tag="function_call"):
    call: FunctionCall | MalformedCall


class Closing(msgspec.Struct, frozen=True):
    """What is known of an answer when it is over, well or badly."""

    provider_finish_reason: str | None = None
    """As the provider wrote it."""
    usage: Usage | None = None
    serving_provider: str | None = None
    """The host behind a router such as OpenRouter."""


class ErrorChunk(msgspec.Struct, frozen=True, tag="error"):
    """The stream ended badly. All text before it stays valid; `partial_text` joins it once more for who needs it."""

    error: ProviderError
    partial_text: str = ""
    finish: FinishReason = FinishReason.INCOMPLETE
    """How far the answer came: a filtered or an empty one has its reason, a broken one is incomplete."""
    closing: Closing = Closing()


class DoneChunk(msgspec.Struct, frozen=True, tag="done"):
    finish: FinishReason
    closing: Closing = Closing()


ProcessedChunk: TypeAlias = TextChunk | FunctionCallChunk | ErrorChunk | DoneChunk


# ------------------------------------------------------------------------------------------- what an adapter must do


class ModelInfo(msgspec.Struct, frozen=True):
    """What is known of a model. None: unknown."""

    id: str
    name: str | None = None
    """For people."""
    context_window: int | None = None
    """Tokens, prompt and answer together."""
    output_limit: int | None = None
    """Tokens."""
    vision: bool | None = None
    tools: bool | None = None
    reasoning: bool | None = None
    input_price: float | None = None
    """US dollars for a million tokens, as the provider lists it."""
    output_price: float | None = None


class GrowingField(msgspec.Struct, frozen=True):
    """The string that is arriving."""

    name: str
    start: str
    """Its first characters, a few hundred at most."""
    length: int
    """Characters so far."""


class LiveCall(msgspec.Struct, frozen=True):
    """A call under way, for showing only: it may still turn out broken. Names and fields are what the model wrote, unchecked."""

    name: str
    fields: Mapping[str, Any]
    """The top-level fields that are complete."""
    growing: GrowingField | None


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

    @property
    def heard_nr(self) -> int:
        """How many times the model was heard (a delta, a piece of a call, a sign of a tool at work), as keep-alives are not.
        A number that stands still means that nothing happens, whatever bytes arrive."""
        ...

    def live_calls(self) -> Sequence[LiveCall]:
        """The calls that are arriving and of which something can be read. Looking costs as much as what came since the last look;
        not looking, nothing."""
        ...


class StreamAdapter(Protocol):
    """One wire protocol. Stateless and shared by all streams; a stream's state is in the decoder that open() gives."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str:
        """As the company or program writes itself; the same in all languages."""
        ...

    def build(self, request: GenerationRequest, endpoint: Endpoint) -> HttpRequest:
        """Raises EndpointError where the endpoint lacks what the adapter needs."""
        ...

    def open(self, request: GenerationRequest, observer: Observer | None = None) -> StreamDecoder: ...

    def classify(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """Read an answer whose status is not 2xx. Header names are lower-case."""
        ...

    def list_models(self, endpoint: Endpoint) -> HttpRequest | None:
        """The question which models there are; None where the API has none."""
        ...

    def read_models(self, body: bytes) -> Sequence[ModelInfo]:
        """The answer to it; () where it is not what it should be."""
        ...

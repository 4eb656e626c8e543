"""Who reads the samples: ours, and the floors that no reader in Python gets below with the same JSON library.

A contestant is prepared for a sample (clients are made, decoders compiled), and gives a function that reads the sample once. What
it found is compared with what the sample was made of; a floor finds nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from adapters import registry
from adapters.contract import (
    ErrorChunk,
    FunctionCall,
    FunctionCallChunk,
    GenerationRequest,
    ProcessedChunk,
    Role,
    StreamDecoder,
    TextChunk,
    text_message,
)
from tests.bench.samples import Sample

REQUEST: Final = GenerationRequest("model", (text_message(Role.USER, "hi"),))

OURS: Final = "ours"
ORJSON: Final = "split + orjson"
TYPED: Final = "split + msgspec typed"


class Found(msgspec.Struct, frozen=True):
    """What a contestant read. None: it does not look."""

    text: str | None = None
    calls: tuple[tuple[str, Any], ...] | None = None


NOTHING: Final = Found()

Read: TypeAlias = Callable[[], Found | Awaitable[Found]]
Contestant: TypeAlias = Callable[[Sample], Read]


def fault_of(found: Found, sample: Sample) -> str | None:
    """What is wrong with what was found, in words."""
    if found.text is not None and found.text != sample.text:
        return f"read {len(found.text)} characters that are not the {len(sample.text)} of {sample.name}"
    if found.calls is not None and found.calls != sample.calls:
        return f"read {len(found.calls)} calls that are not the {len(sample.calls)} of {sample.name}"
    return None


# ------------------------------------------------------------------------------------------------------------- ours


def ours(sample: Sample) -> Read:
    """Bytes to ProcessedChunks, and those read as a consumer does."""
    adapter = registry.adapter(sample.provider)
    return reading(sample, lambda: adapter.open(REQUEST))


def reading(sample: Sample, make_decoder: Callable[[], StreamDecoder]) -> Read:
    """The same with a decoder of another make."""

    def read() -> Found:
        decoder = make_decoder()
        feed = decoder.feed
        pieces: list[str] = []
        others: list[ProcessedChunk] = []
        for data in sample.reads:
            for chunk in feed(data):
                if type(chunk) is TextChunk:
                    pieces.append(chunk.content)
                else:
                    others.append(chunk)
        others.extend(decoder.close())
        return _found(pieces, others)

    return read


def _found(pieces: list[str], others: list[ProcessedChunk]) -> Found:
    calls = []
    for chunk in others:
        if isinstance(chunk, ErrorChunk):
            raise ValueError(chunk.error.message)
        if isinstance(chunk, FunctionCallChunk) and isinstance(chunk.call, FunctionCall):
            calls.append((chunk.call.name, chunk.call.args))
    return Found("".join(pieces), tuple(calls))


# ----------------------------------------------------------------------------------------------------------- floors


class _Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: str | None = None


class _ToolCall(msgspec.Struct, gc=False):
    index: int = 0
    id: str | None = None
    function: _Function | None = None


class _ChatDelta(msgspec.Struct, gc=False):
    content: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _ChatChoice(msgspec.Struct, gc=False):
    delta: _ChatDelta
    finish_reason: str | None = None


class _Chat(msgspec.Struct, gc=False):
    choices: list[_ChatChoice]


class _Responses(msgspec.Struct, gc=False):
    type: str
    delta: str | None = None


class _AnthropicDelta(msgspec.Struct, gc=False):
    text: str | None = None
    thinking: str | None = None
    partial_json: str | None = None


class _Anthropic(msgspec.Struct, gc=False):
    type: str
    delta: _AnthropicDelta | None = None


class _GooglePart(msgspec.Struct, gc=False):
    text: str | None = None


class _GoogleContent(msgspec.Struct, gc=False):
    parts: list[_GooglePart]


class _GoogleCandidate(msgspec.Struct, gc=False):
    content: _GoogleContent


class _Google(msgspec.Struct, gc=False):
    candidates: list[_GoogleCandidate]


_SHAPES: Final[Mapping[str, type[msgspec.Struct]]] = {
    "openai-chat": _Chat,
    "openai-responses": _Responses,
    "anthropic": _Anthropic,
    "google": _Google,
}
"""Provider -> the fields that a reader of text and calls cannot do without."""


def _floor(sample: Sample, loads: Callable[[bytes], object]) -> Read:
    end = b"\r\n\r\n" if sample.reads[0].endswith(b"\r\n\r\n") else b"\n\n"

    def read() -> Found:
        for event in b"".join(sample.reads).split(end):
            start = event.find(b"data: ")
            if start >= 0 and not event.endswith(b"[DONE]"):
                loads(event[start + 6 :])
        return NOTHING

    return read


def split_and_orjson(sample: Sample) -> Read:
    import orjson

    return _floor(sample, orjson.loads)


def split_and_typed(sample: Sample) -> Read:
    return _floor(sample, msgspec.json.Decoder(_SHAPES[sample.provider]).decode)

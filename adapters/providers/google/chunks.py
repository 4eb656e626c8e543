"""The chunks of Gemini's `streamGenerateContent` as typed values (https://ai.google.dev/api/generate-content).

Two ways lead to a GeminiChunk. The quick one decodes the JSON straight into structs that skip unknown fields; nearly every chunk
of a stream is text alone, and the counts that stand in each of them are left as bytes until the last one is known. The slow one
is for every other part (calls, pictures, what tools at Google's did, empty text that carries a signature), which it keeps whole,
and for what the quick one refuses: a container of the wrong kind, half a surrogate pair, bytes that are no UTF-8.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from adapters.contract import Usage
from adapters.wire.loose_json import objects
from adapters.wire.surrogates import whole_text


class Part(msgspec.Struct, gc=False, rename="camel"):
    """A piece of text or of a thought."""

    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None


class OtherPart(Part, gc=False):
    """Any other part, as it came."""

    fields: dict[str, Any] = {}


class Content(msgspec.Struct, gc=False):
    parts: list[Part] | None = None


class Candidate(msgspec.Struct, gc=False, rename="camel"):
    content: Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None
    index: int | None = None


class PromptFeedback(msgspec.Struct, gc=False, rename="camel"):
    block_reason: str | None = None
    block_reason_message: str | None = None


NOTHING: Final = msgspec.Raw()


class GeminiChunk(msgspec.Struct, gc=False, rename="camel"):
    candidates: list[Candidate] | None = None
    usage_metadata: msgspec.Raw = NOTHING
    prompt_feedback: PromptFeedback | None = None
    error: Any = None


_decode: Final = msgspec.json.Decoder(GeminiChunk).decode


def read_chunk(data: bytes) -> GeminiChunk | None:
    """The chunk if it holds text alone, else None: read the JSON as a value and ask chunk_of()."""
    try:
        chunk = _decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if not chunk.candidates:
        return None
    for candidate in chunk.candidates:
        content = candidate.content
        if content is not None:
            for part in content.parts or ():
                if not part.text:
                    return None
    return chunk


def chunk_of(value: dict[str, Any]) -> GeminiChunk:
    """The same from a JSON object; what is of the wrong kind counts as absent."""
    candidates, feedback, usage = value.get("candidates"), value.get("promptFeedback"), value.get("usageMetadata")
    return GeminiChunk(
        [_candidate(entry) for entry in objects(candidates)] if isinstance(candidates, list) else None,
        msgspec.Raw(msgspec.json.encode(_counts(usage))) if isinstance(usage, dict) else NOTHING,
        PromptFeedback(string(feedback.get("blockReason")), string(feedback.get("blockReasonMessage")))
        if isinstance(feedback, dict)
        else None,
        value.get("error"),
    )


def read_usage(raw: msgspec.Raw) -> Usage | None:
    """The counts of a `usageMetadata`; None where there are none.

    totalTokenCount = prompt (cached ones included) + toolUsePrompt + candidates + thoughts.
    """
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    counts = _counts(value)
    usage = Usage(
        input_tokens=_sum(counts.get("promptTokenCount"), counts.get("toolUsePromptTokenCount")),
        output_tokens=_sum(counts.get("candidatesTokenCount"), counts.get("thoughtsTokenCount")),
        reasoning_tokens=counts.get("thoughtsTokenCount"),
        cache_read_tokens=counts.get("cachedContentTokenCount"),
    )
    return usage if usage != Usage() else None


def without_halves(value: Any) -> Any:
    """The same without halves of surrogate pairs, except in the field `text`. Raises RecursionError where it is too deep."""
    if isinstance(value, dict):
        return {
            without_halves(name): inner if name == "text" and isinstance(inner, str) else without_halves(inner)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [without_halves(entry) for entry in value]
    return whole_text(value) if isinstance(value, str) else value


def _candidate(value: dict[str, Any]) -> Candidate:
    content, index = value.get("content"), value.get("index")
    parts = content.get("parts") if isinstance(content, dict) else None
    if isinstance(parts, dict):
        # A gateway that unpacks lists of one.
        parts = [parts]
    return Candidate(
        Content([_part(entry) for entry in objects(parts)]),
        string(value.get("finishReason")),
        string(value.get("finishMessage")),
        index if type(index) is int else None,
    )


def _part(value: dict[str, Any]) -> Part:
    text = value.get("text")
    if isinstance(text, str) and text:
        return Part(text, value.get("thought") is True, string(value.get("thoughtSignature")))
    return OtherPart(None, value.get("thought") is True, string(value.get("thoughtSignature")), fields=value)


def _counts(usage: dict[str, Any]) -> dict[str, int]:
    """The token counts alone: all that is read, and nothing that could not be encoded again."""
    counts = {}
    for name, value in usage.items():
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if name.endswith("TokenCount") and isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            counts[name] = value
    return counts


def _sum(first: int | None, second: int | None) -> int | None:
    return None if first is None and second is None else (first or 0) + (second or 0)


def string(value: object) -> str | None:
    return value if isinstance(value, str) and value else None

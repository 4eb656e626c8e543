"""The events of Anthropic's Messages API as typed values (platform.claude.com, page "Streaming Messages").

The quick way decodes the JSON straight into one struct of a tagged union. The slow one is for all else: types of events and
deltas that are newer than this file, containers of the wrong kind, a type that stands only in the SSE event's name, half a
surrogate pair. Errors always go the slow way, for every server has another shape of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, TypeAlias

import msgspec


class TextDelta(msgspec.Struct, frozen=True, gc=False, tag="text_delta"):
    text: str = ""


class ThinkingDelta(msgspec.Struct, frozen=True, gc=False, tag="thinking_delta"):
    thinking: str = ""


class InputDelta(msgspec.Struct, frozen=True, gc=False, tag="input_json_delta"):
    partial_json: str = ""


class SignatureDelta(msgspec.Struct, frozen=True, gc=False, tag="signature_delta"):
    signature: str = ""


class CitationsDelta(msgspec.Struct, frozen=True, tag="citations_delta"):
    citation: Any = None


Delta: TypeAlias = TextDelta | ThinkingDelta | InputDelta | SignatureDelta | CitationsDelta


class BlockDelta(msgspec.Struct, frozen=True, gc=False, tag="content_block_delta"):
    delta: Delta
    index: int = 0


class BlockStart(msgspec.Struct, frozen=True, tag="content_block_start"):
    content_block: dict[str, Any]
    index: int = 0


class BlockStop(msgspec.Struct, frozen=True, gc=False, tag="content_block_stop"):
    index: int = 0


class MessageStart(msgspec.Struct, frozen=True, tag="message_start"):
    message: dict[str, Any]


class MessageDelta(msgspec.Struct, frozen=True, tag="message_delta"):
    delta: dict[str, Any]
    usage: Any = None


class MessageStop(msgspec.Struct, frozen=True, gc=False, tag="message_stop"):
    pass


class Ping(msgspec.Struct, frozen=True, gc=False, tag="ping"):
    """A keep-alive, or an event of a type that means nothing here."""


class OddDelta(msgspec.Struct, frozen=True, tag="odd_delta"):
    """A delta of another type; its fields belong to the block as they are."""

    index: int
    fields: Mapping[str, Any]


class WholeMessage(msgspec.Struct, frozen=True, tag="message"):
    """An answer that was not streamed."""

    message: dict[str, Any]


class Fault(msgspec.Struct, frozen=True, tag="error"):
    """Anything that says the answer failed, as it came."""

    value: Any


KnownEvent: TypeAlias = BlockDelta | BlockStart | BlockStop | MessageStart | MessageDelta | MessageStop | Ping
Event: TypeAlias = KnownEvent | OddDelta | WholeMessage | Fault

decode_event: Final = msgspec.json.Decoder(KnownEvent).decode
"""The quick way. Raises what msgspec raises."""

_DELTAS: Final[Mapping[str, tuple[str, type[Any]]]] = {
    "text_delta": ("text", TextDelta),
    "thinking_delta": ("thinking", ThinkingDelta),
    "input_json_delta": ("partial_json", InputDelta),
    "signature_delta": ("signature", SignatureDelta),
    "citations_delta": ("citation", CitationsDelta),
}


def mended_event(value: Mapping[str, Any], name: str) -> Event:
    """The event of a JSON object that the quick way refuses. `name` is that of the SSE event."""
    kind = value.get("type") or name
    if "error" in (kind, name) or value.get("error"):
        return Fault(value)
    index = _index(value.get("index"))
    match kind:
        case "content_block_delta":
            return _mended_delta(_object(value.get("delta")), index)
        case "content_block_start":
            return BlockStart(_object(value.get("content_block")), index)
        case "content_block_stop":
            return BlockStop(index)
        case "message_start":
            return MessageStart(_object(value.get("message")))
        case "message_delta":
            return MessageDelta(_object(value.get("delta")), value.get("usage"))
        case "message_stop":
            return MessageStop()
        case "message":
            # With neither content nor role, it is an error that a proxy wrote as the event's data.
            return WholeMessage(dict(value)) if "content" in value or "role" in value else Fault(value)
        case _:
            # Z.ai: {"code", "msg", "success": false}
            bare = "type" not in value and any(value.get(key) for key in ("message", "detail", "msg"))
            return Fault(value) if bare else Ping()


def _mended_delta(delta: dict[str, Any], index: int) -> Event:
    kind = delta.get("type")
    if not isinstance(kind, str):
        kind = next((each for each, (field, _) in _DELTAS.items() if field in delta), "")
    if kind not in _DELTAS:
        return OddDelta(index, {key: value for key, value in delta.items() if key != "type"})
    field, struct = _DELTAS[kind]
    value = delta.get(field)
    if field == "partial_json" and isinstance(value, dict):
        value = _json(value)
    return BlockDelta(struct(value if field == "citation" or isinstance(value, str) else ""), index)


def _json(value: dict[str, Any]) -> str:
    try:
        return json.dumps(value)
    except RecursionError:
        # Nested just as deep as could be read. A broken piece makes the call a malformed one; none would make it an empty one.
        return "{"


def _index(value: object) -> int:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 10:
        return int(value)
    return value if type(value) is int else 0


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

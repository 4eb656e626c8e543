"""The events of the Responses API as typed values, read as loosely as the servers in the field write them.

Two ways lead to an Event. The quick one decodes the JSON straight into a struct that skips all other fields; what comes once an
item or once an answer stays `object`, to be looked at where it is used. The slow one is for what the quick one refuses: a field
of the wrong kind (a shell's output delta is an object), half a surrogate pair, bytes that are no UTF-8.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from adapters.contract import Usage
from adapters.wire.loose_json import count, read_json
from adapters.wire.surrogates import without_halves


class Event(msgspec.Struct, gc=False):
    type: str = ""
    delta: str | None = None
    output_index: int | None = None
    item_id: str | None = None
    content_index: int | None = None
    summary_index: int | None = None
    item: object = None
    response: object = None
    text: object = None
    refusal: object = None
    arguments: object = None
    input: object = None
    error: object = None
    loose: bool = False
    """Only a loose reader could read it: its text may hold halves of surrogate pairs."""


WHOLE: Final = "response"
"""Made up here: the type of an answer that came as one JSON body instead of a stream."""

_decode: Final = msgspec.json.Decoder(Event).decode
_KINDS: Final[dict[str, type]] = {
    "type": str,
    "delta": str,
    "output_index": int,
    "item_id": str,
    "content_index": int,
    "summary_index": int,
}
_REST: Final = ("item", "response", "text", "refusal", "arguments", "input", "error")


def read_event(data: bytes) -> Event | None:
    """The event, or None where the data is no JSON object. A whole response object becomes an event of type WHOLE."""
    try:
        event = _decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return _read_slowly(data)
    return event if event.type else _read_slowly(data)


def _read_slowly(data: bytes) -> Event | None:
    value = read_json(data)
    if not isinstance(value, dict):
        return None
    if not value.get("type") and (value.get("object") == "response" or isinstance(value.get("output"), list)):
        return Event(WHOLE, response=without_halves(value))
    typed = {name: value.get(name) for name, kind in _KINDS.items() if type(value.get(name)) is kind}
    # Only a delta may hold half a surrogate pair whose other half is still to come.
    rest = {name: without_halves(value.get(name)) for name in _REST}
    return Event(**typed, **rest, loose=True)  # type: ignore[arg-type]


def read_value(data: bytes) -> Any:
    """The JSON of what is no delta, so without halves of surrogate pairs; None where it is none."""
    return without_halves(read_json(data))


def read_usage(value: object) -> Usage | None:
    """`usage` of a response object; None where there is none. What is no count is unknown."""
    if not isinstance(value, dict) or not value:
        return None
    read, written = as_object(value.get("input_tokens_details")), as_object(value.get("output_tokens_details"))
    return Usage(
        input_tokens=count(value.get("input_tokens")),
        output_tokens=count(value.get("output_tokens")),
        reasoning_tokens=count(written.get("reasoning_tokens")),
        cache_read_tokens=count(read.get("cached_tokens")),
        cache_write_tokens=count(read.get("cache_write_tokens")),
    )


def as_object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}

"""JSON as the servers in the field write it: strictly first, and where that fails, with two liberties.

JavaScript servers that cut a string in two send half a surrogate pair, and some proxies cut UTF-8 in the middle of a character.
Both make a document that a strict reader refuses whole. The halves come out as they are; wire.surrogates joins them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec


def read_json(data: bytes | str) -> Any:
    """The value, or None where this is no JSON (or the JSON is `null`)."""
    try:
        return msgspec.json.decode(data)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        pass
    try:
        return json.loads(data.decode("utf-8", "replace") if isinstance(data, bytes) else data)
    except (ValueError, RecursionError):
        return None


def json_or_text(data: bytes) -> Any:
    """The value, or the bytes as text where they are no JSON."""
    value = read_json(data)
    return data.decode("utf-8", "replace") if value is None else value


# ------------------------------------------------------------------------------- values that may be of another kind


def objects(value: object) -> Iterator[dict[str, Any]]:
    """The objects of what should be a list of objects."""
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict):
            yield entry


def string(value: object) -> str:
    """The text, or "" where it is none."""
    return value if isinstance(value, str) else ""


def count(value: object) -> int | None:
    """A number of things, which some servers write as `12.0`; None where it is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if type(value) is int and value >= 0 else None

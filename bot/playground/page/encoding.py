"""JSON for the browser, whatever text it holds.

JSON may escape half of a surrogate pair, and Python keeps it in a str; UTF-8 cannot carry it, so it becomes U+FFFD.
"""

from __future__ import annotations

from typing import Any

import msgspec

_ENCODER = msgspec.json.Encoder()


def encode(value: object) -> bytes:
    """The JSON of a struct or of builtins. Raises TypeError for what is no JSON."""
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        return _ENCODER.encode(_well_formed(msgspec.to_builtins(value)))


def _well_formed(value: Any) -> Any:
    match value:
        case str():
            # A pair that arrived as two halves is one character again.
            return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        case list() | tuple():
            return [_well_formed(item) for item in value]
        case dict():
            return {key: _well_formed(item) for key, item in value.items()}
    return value

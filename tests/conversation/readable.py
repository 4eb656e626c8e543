"""The body of a request in readable form, close to YAML: each value as it is sent, but for media, which are told by their size and
hash, and the system prompt, which is long and stands in every body."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

SYSTEM = "<the system prompt>"


def readable(body: Mapping[str, Any], system: str = "") -> str:
    """`system`: the text that is told as the system prompt."""
    return "\n".join(_lines(body, system)) + "\n"


def _lines(value: Any, system: str) -> Iterator[str]:
    if isinstance(value, Mapping) and value:
        for key, entry in value.items():
            yield from _entry(f"{key}:", _media(value, key), entry, system)
    elif isinstance(value, list) and value:
        for entry in value:
            first, *more = _lines(entry, system)
            yield f"- {first}"
            yield from (f"  {line}" if line else "" for line in more)
    elif value == system != "":
        yield SYSTEM
    elif isinstance(value, str) and value.startswith("data:"):
        media_type, _, data = value.removeprefix("data:").partition(";base64,")
        yield f"data:{media_type}, {_measured(data)}"
    elif isinstance(value, str) and "\n" in value and all(line == line.rstrip() for line in value.split("\n")):
        yield "|"
        yield from (f"  {line}" if line else "" for line in value.split("\n"))
    else:
        yield json.dumps(value, ensure_ascii=False)


def _entry(label: str, media: str | None, value: Any, system: str) -> Iterator[str]:
    if media is not None:
        yield f"{label} {media}"
        return
    first, *more = _lines(value, system)
    if isinstance(value, Mapping | list) and value:
        yield label
        more = [first, *more]
        yield from (f"  {line}" if line else "" for line in more)
    else:
        yield f"{label} {first}"
        yield from more


def _media(owner: Mapping[str, Any], key: str) -> str | None:
    """Bytes beside the type that they are of."""
    is_bytes = key in ("data", "bytes") and {"media_type", "mimeType", "mime_type", "format"} & set(owner)
    return _measured(owner[key]) if is_bytes else None


def _measured(base64: str) -> str:
    data = b64decode(base64)
    return f"<{len(data)} bytes, sha256 {sha256(data).hexdigest()[:12]}>"

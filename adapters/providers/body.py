"""What the request bodies of several protocols share."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Collection, Iterable, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, Final

import msgspec

from adapters.contract import FunctionCall, Part, ResponseSchema, TextPart
from adapters.in_words import harmless
from adapters.wire.surrogates import whole_text

PICTURE_TYPES: Final = frozenset(("image/jpeg", "image/png", "image/gif", "image/webp"))
"""What OpenAI and Anthropic take as a picture, and those who follow them; one of another kind makes the whole request fail."""

MAX_KEY_CHARS: Final = 64
"""Of OpenAI's cache key."""

_TEXT_TYPES: Final = frozenset(("json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-sh", "sql"))
"""`application/…` that is text all the same."""


def without(body: dict[str, Any], dropped: Collection[str]) -> dict[str, Any]:
    """The body without the options of these names: a field anywhere outside the conversation, or a path (`a.b`) to one."""
    for name in dropped:
        _drop(body, name.split("."))
    return body


def _drop(body: dict[str, Any], path: Sequence[str]) -> None:
    inner: Any = body
    for key in path[:-1]:
        inner = inner.get(key)
        if not isinstance(inner, dict):
            return
    inner.pop(path[-1], None)


def encoded(body: dict[str, Any]) -> bytes:
    """The JSON of a body. Half a surrogate pair, which a person's client may send and JSON cannot hold, becomes U+FFFD."""
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return whole_text(json.dumps(body, ensure_ascii=False)).encode()


def base64_text(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def media_type_of(name: str) -> str:
    """Without parameters, and as it is registered."""
    media_type = name.partition(";")[0].strip().lower()
    return "image/jpeg" if media_type == "image/jpg" else media_type


def data_url(media_type: str, data: bytes) -> str:
    return f"data:{media_type};base64,{base64_text(data)}"


def spoken_text(parts: Iterable[Part]) -> str:
    """What an answer said, for an API that has its calls beside it: what stood around a call are two texts."""
    spoken = (part for part in parts if isinstance(part, TextPart | FunctionCall))
    runs = groupby(spoken, key=lambda part: isinstance(part, TextPart))
    return on_lines("".join(part.text for part in run if isinstance(part, TextPart)) for _, run in runs)


def on_lines(texts: Iterable[str]) -> str:
    """What people and tools said, as one text: nothing runs into the next."""
    out = ""
    for text in texts:
        parted = not out or not text or out[-1].isspace() or text[0].isspace()
        out += text if parted else f"\n{text}"
    return out


def short_key(text: str) -> str:
    """A cache key: the same wherever it stands, not longer than OpenAI takes."""
    if len(text) <= MAX_KEY_CHARS:
        return text
    return f"{text[: MAX_KEY_CHARS - 17]}-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def schema_in_words(wanted: ResponseSchema) -> str:
    """For a model or an API that does not take the schema itself."""
    if wanted.schema is None:
        return "Answer with one JSON value and nothing else."
    schema = msgspec.json.encode(wanted.schema).decode()
    return f"Answer with one JSON value of this JSON Schema and nothing else: {schema}"


def readable_text(data: bytes, media_type: str) -> str | None:
    """The text of a file that is one, else None; so is a blank one, which APIs refuse. `media_type`: by media_type_of."""
    kind, _, subtype = media_type.partition("/")
    if kind != "text" and not (subtype in _TEXT_TYPES or subtype.endswith(("+json", "+xml"))):
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return harmless(text) if text.strip() else None

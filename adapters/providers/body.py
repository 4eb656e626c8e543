"""What the request bodies of several protocols share."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

import msgspec

from adapters.contract import FilePart, ImagePart, PromptMessage, ResponseSchema, TextPart, ToolResult
from adapters.wire.surrogates import whole_text

_TEXT_TYPES: Final = frozenset(("json", "xml", "yaml", "x-yaml", "toml", "javascript", "x-sh", "sql"))
"""`application/…` that is text all the same."""


NO_RESULT: Final = "no result"
"""To the model: of a call that has none, where the API demands one for each."""
GO_ON: Final = "Go on."
"""To the model: what the user says where the conversation ends with the model, and that takes no such conversation."""


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


def data_url(media_type: str, data: bytes) -> str:
    return f"data:{media_type};base64,{base64_text(data)}"


def in_words(part: ImagePart | FilePart) -> TextPart:
    """For an API that cannot take the part itself: the model at least knows that there was one."""
    if isinstance(part, ImagePart):
        return TextPart(f"[picture: {part.url or part.media_type}]")
    return TextPart(f"[file: {part.name}, {part.media_type}, {len(part.data)} bytes]")


def result_in_words(result: ToolResult) -> TextPart:
    """For a result that can stand in no block of its own: its call is not there, or the model knows no tools."""
    words = "\n".join(part.text if isinstance(part, TextPart) else in_words(part).text for part in result.content)
    return TextPart(f"[result of {result.name}: {words}]")


def schema_in_words(wanted: ResponseSchema) -> str:
    """For a model or an API that does not take the schema itself."""
    if wanted.schema is None:
        return "Answer with one JSON value and nothing else."
    schema = msgspec.json.encode(wanted.schema).decode()
    return f"Answer with one JSON value of this JSON Schema and nothing else: {schema}"


def readable_text(data: bytes, media_type: str) -> str | None:
    """The text of a file that is one, else None; so is a blank one, which APIs refuse. `media_type` without parameters."""
    kind, _, subtype = media_type.partition("/")
    if kind != "text" and not (subtype in _TEXT_TYPES or subtype.endswith(("+json", "+xml"))):
        return None
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if text.strip() else None


def merged(messages: Iterable[PromptMessage]) -> Sequence[PromptMessage]:
    """Messages of one role in a row become one, for APIs that demand that the roles alternate.

    The parts stay apart. An assistant's message keeps its origin only where all of its pieces have the same.
    """
    out: list[PromptMessage] = []
    for message in messages:
        if out and out[-1].role is message.role:
            last = out[-1]
            out[-1] = msgspec.structs.replace(
                message,
                parts=last.parts + message.parts,
                origin=message.origin if message.origin == last.origin else None,
                cache_mark=message.cache_mark or last.cache_mark,
            )
        else:
            out.append(message)
    return out

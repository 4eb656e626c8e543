"""What the request bodies of several protocols share."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import msgspec

from adapters.contract import FilePart, ImagePart, PromptMessage, TextPart


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
        text = json.dumps(body, ensure_ascii=False)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()


def base64_text(data: bytes) -> str:
    return b64encode(data).decode("ascii")


def data_url(media_type: str, data: bytes) -> str:
    return f"data:{media_type};base64,{base64_text(data)}"


def in_words(part: ImagePart | FilePart) -> TextPart:
    """For an API that cannot take the part itself: the model at least knows that there was one."""
    if isinstance(part, ImagePart):
        return TextPart(f"[picture: {part.url or part.media_type}]")
    return TextPart(f"[file: {part.name}, {part.media_type}, {len(part.data)} bytes]")


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

"""The lines of Ollama's own API as typed values (github.com/ollama/ollama/blob/main/docs/api.md).

`/api/chat` has its text in `message.content`, `/api/generate` in `response`. As for every provider there is a quick way,
straight into the structs, and a slow one for lines with a value of another type than documented, half a surrogate pair or
broken UTF-8.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from adapters.wire.loose_json import count, objects, read_json
from adapters.wire.surrogates import without_halves


class Function(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: object = None
    """Ollama sends the whole object; servers that copy it, JSON text."""


class ToolCall(msgspec.Struct, gc=False):
    id: str | None = None
    function: Function | None = None


class Message(msgspec.Struct, gc=False):
    content: str | None = None
    thinking: str | None = None
    tool_calls: list[ToolCall] | None = None
    images: list[Any] | None = None


class OllamaChunk(msgspec.Struct, gc=False):
    message: Message | None = None
    response: str | None = None
    thinking: str | None = None
    image: str | None = None
    """Of a model that draws, asked by /api/generate: base64."""
    done: bool | None = None
    done_reason: str | None = None
    error: object = None
    detail: object = None
    """Of a proxy in front of Ollama: its error."""
    prompt_eval_count: int | None = None
    eval_count: int | None = None


decode_chunk: Final = msgspec.json.Decoder(OllamaChunk).decode
"""The quick way. Raises msgspec.MsgspecError or RecursionError: then read_slowly() may know better."""


def read_slowly(data: bytes) -> OllamaChunk | None:
    """The slow way; None where the data is no JSON object. Texts that others continue may hold halves of surrogate pairs."""
    value = read_json(data)
    if not isinstance(value, dict):
        return None
    message = value.get("message")
    return OllamaChunk(
        message=_mended_message(message) if isinstance(message, dict) else None,
        response=_string(value.get("response")),
        thinking=_string(value.get("thinking")),
        image=_string(value.get("image")),
        done=value.get("done") in (True, 1, "true"),
        done_reason=without_halves(_string(value.get("done_reason"))),
        # An error may also stand where the message should.
        error=without_halves(value.get("error") or (message if isinstance(message, str) else None)),
        detail=without_halves(value.get("detail")),
        prompt_eval_count=count(value.get("prompt_eval_count")),
        eval_count=count(value.get("eval_count")),
    )


def _mended_message(message: dict[str, Any]) -> Message:
    calls, images = message.get("tool_calls"), message.get("images")
    if isinstance(calls, dict):
        calls = [calls]
    return Message(
        content=_string(message.get("content")),
        thinking=_string(message.get("thinking")),
        tool_calls=[_mended_call(call) for call in objects(without_halves(calls))],
        images=images if isinstance(images, list) else None,
    )


def _mended_call(call: dict[str, Any]) -> ToolCall:
    function = call.get("function")
    if not isinstance(function, dict):
        return ToolCall(_string(call.get("id")))
    return ToolCall(_string(call.get("id")), Function(_string(function.get("name")), function.get("arguments")))


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None

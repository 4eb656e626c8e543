"""The chunks of Chat Completions as typed values, read as loosely as the servers in the field write them.

Two ways lead to a ChatChunk. The quick one decodes the JSON straight into structs that skip unknown fields; leaves whose type
varies between servers are `object`, to be looked at where they are used. The slow one is for what the quick one refuses: a
container of the wrong kind, half a surrogate pair (JavaScript servers that cut a string between two), bytes that are no UTF-8.
"""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec


class FunctionDelta(msgspec.Struct, gc=False):
    name: object = None
    arguments: object = None


class ToolCallDelta(msgspec.Struct, gc=False):
    index: object = None
    id: object = None
    function: FunctionDelta | None = None


class MessageDelta(msgspec.Struct, gc=False):
    content: object = None
    reasoning_content: object = None
    reasoning: object = None
    reasoning_text: object = None
    reasoning_details: object = None
    refusal: object = None
    tool_calls: list[ToolCallDelta] | None = None
    function_call: FunctionDelta | None = None


class Choice(msgspec.Struct, gc=False):
    index: object = None
    delta: MessageDelta | None = None
    message: MessageDelta | None = None
    finish_reason: object = None
    usage: object = None
    error: object = None


class ChatChunk(msgspec.Struct, gc=False):
    choices: list[Choice] | None = None
    usage: object = None
    error: object = None
    x_groq: object = None
    provider: object = None
    # Errors that some servers write without an `error` around them.
    message: object = None
    detail: object = None


_decode: Final = msgspec.json.Decoder(ChatChunk).decode


def read_chunk(data: bytes) -> ChatChunk | None:
    """The chunk, or None where the data is no JSON object."""
    try:
        return _decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return _read_slowly(data)


def _read_slowly(data: bytes) -> ChatChunk | None:
    try:
        value = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return msgspec.convert(_mended(value), ChatChunk)


def _mended(chunk: dict[str, Any]) -> dict[str, Any]:
    """The same chunk where every container is of its kind or absent."""
    choices = chunk.get("choices")
    return {
        **chunk,
        "choices": [_mended_choice(choice) for choice in _objects(choices)] if isinstance(choices, list) else None,
    }


def _mended_choice(choice: dict[str, Any]) -> dict[str, Any]:
    return {**choice, "delta": _mended_message(choice.get("delta")), "message": _mended_message(choice.get("message"))}


def _mended_message(message: object) -> dict[str, Any] | None:
    if not isinstance(message, dict):
        return None
    calls = [{**call, "function": _object(call.get("function"))} for call in _objects(message.get("tool_calls"))]
    return {**message, "tool_calls": calls, "function_call": _object(message.get("function_call"))}


def _objects(value: object) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _object(value: object) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None

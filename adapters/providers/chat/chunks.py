"""The chunks of Chat Completions as typed values, read as loosely as the servers in the field write them.

Two ways lead to a ChatChunk. The quick one decodes the JSON straight into structs that skip unknown fields. The slow one is for
what the quick one refuses: a value of another type than documented, half a surrogate pair (JavaScript servers that cut a string
between two), bytes that are no UTF-8. It takes away only what cannot be used, so that an odd field costs no text.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from adapters.wire.loose_json import count, objects, read_json, string
from adapters.wire.surrogates import without_halves


class FunctionDelta(msgspec.Struct, gc=False):
    name: str | None = None
    arguments: object = None
    """A piece of JSON text; some servers send the whole object."""


class ToolCallDelta(msgspec.Struct, gc=False):
    index: int | None = None
    id: str | None = None
    function: FunctionDelta | None = None
    name: str | None = None
    """Cloudflare: name and arguments without a `function` around them."""
    arguments: object = None
    extra_content: object = None
    """Google: the thought's signature."""
    provider_specific_fields: object = None
    """LiteLLM: the same under its own name."""


class MessageDelta(msgspec.Struct, gc=False):
    content: str | list[Any] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_text: str | None = None
    reasoning_details: list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[ToolCallDelta] | None = None
    function_call: FunctionDelta | None = None
    images: list[Any] | None = None


class Choice(msgspec.Struct, gc=False):
    index: int | None = None
    delta: MessageDelta | None = None
    message: MessageDelta | None = None
    finish_reason: str | None = None
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
    msg: object = None
    errors: object = None
    """Cloudflare."""
    error_msg: object = None
    """Baidu."""
    base_resp: object = None
    """MiniMax, in good chunks too."""


BARE_ERRORS: Final = ("message", "detail", "msg", "errors", "error_msg")
"""Fields that only an error has at the top."""

decode_chunk: Final = msgspec.json.Decoder(ChatChunk).decode
"""The quick way. Raises msgspec.MsgspecError or RecursionError: then read_slowly() may know better."""


def read_slowly(data: bytes) -> ChatChunk | None:
    """The slow way; None where the data is no JSON object. Texts that others continue may hold halves of surrogate pairs."""
    value = read_json(data)
    if isinstance(value, list) and value:
        # Google's compatible endpoint puts its errors into a list.
        value = value[0]
    if not isinstance(value, dict):
        return None
    choices = value.pop("choices", None)
    mended = [_mended_choice(choice) for choice in objects(choices)] if isinstance(choices, list) else None
    return msgspec.convert({**(without_halves(value) or {}), "choices": mended}, ChatChunk)


def text_of(value: object) -> str:
    """The text in a text, an object or a list of objects that hold one."""
    if isinstance(value, list):
        return "".join(string(part.get("text")) for part in objects(value))
    return string(value.get("text")) if isinstance(value, dict) else string(value)


def _mended_choice(choice: dict[str, Any]) -> dict[str, Any]:
    reason = choice.get("finish_reason")
    return {
        "index": _index(choice.get("index")),
        "delta": _mended_message(choice.get("delta")),
        "message": _mended_message(choice.get("message")),
        "finish_reason": without_halves(str(reason)) if isinstance(reason, str | int) and reason else None,
        "usage": choice.get("usage"),
        "error": without_halves(choice.get("error")),
    }


def _mended_message(message: object) -> dict[str, Any] | None:
    if not isinstance(message, dict):
        return None
    content, calls = message.get("content"), message.get("tool_calls")
    return {
        "content": content if isinstance(content, str | list) else None,
        "reasoning_content": text_of(message.get("reasoning_content")),
        "reasoning": text_of(message.get("reasoning")),
        "reasoning_text": text_of(message.get("reasoning_text")),
        "reasoning_details": _list(message.get("reasoning_details")),
        "refusal": string(message.get("refusal")),
        "tool_calls": [_mended_call(call) for call in objects([calls] if isinstance(calls, dict) else calls)],
        "function_call": _mended_function(message.get("function_call")),
        "images": without_halves(_list(message.get("images"))),
    }


def _mended_call(call: dict[str, Any]) -> dict[str, Any]:
    return {
        "index": _index(call.get("index")),
        "id": without_halves(string(call.get("id"))),
        "function": _mended_function(call.get("function")),
        "name": without_halves(string(call.get("name"))),
        "arguments": _arguments(call.get("arguments")),
        "extra_content": without_halves(call.get("extra_content")),
        "provider_specific_fields": without_halves(call.get("provider_specific_fields")),
    }


def _mended_function(function: object) -> dict[str, Any] | None:
    if not isinstance(function, dict):
        return None
    return {
        "name": without_halves(string(function.get("name"))),
        "arguments": _arguments(function.get("arguments")),
    }


def _arguments(value: object) -> object:
    return value if isinstance(value, str) else without_halves(value)


def _index(value: object) -> int | None:
    """Some servers write it as text."""
    return int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 9 else count(value)


def _list(value: object) -> list[Any] | None:
    return value if isinstance(value, list) else None

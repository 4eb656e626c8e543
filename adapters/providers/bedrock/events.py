"""The events of ConverseStream as typed values (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html).

The event's name stands in its frame's headers, its fields in the payload; one struct has the fields of all of them. As for
every provider there is a quick way, straight into the structs, and a slow one for payloads with a value of another type than
documented, half a surrogate pair or broken UTF-8. `whole_answer` tells the answer of Converse, which does not stream, as the
events that ConverseStream would have sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from adapters.wire.loose_json import objects, read_json, string


class ToolUse(msgspec.Struct, gc=False, rename="camel"):
    """Of a start: id, name and type. Of a delta: a piece of the arguments."""

    tool_use_id: str | None = None
    name: str | None = None
    type: str | None = None
    """`server_tool_use`: a tool that Bedrock runs itself."""
    input: str | dict[str, Any] | None = None


class Reasoning(msgspec.Struct, gc=False, rename="camel"):
    text: str | None = None
    signature: str | None = None
    redacted_content: str | None = None
    """Encrypted reasoning, base64."""


class Delta(msgspec.Struct, gc=False, rename="camel"):
    text: str | None = None
    tool_use: ToolUse | None = None
    reasoning_content: Reasoning | None = None
    tool_result: object = None
    image: object = None
    citation: object = None


class Start(msgspec.Struct, gc=False, rename="camel"):
    tool_use: ToolUse | None = None
    tool_result: dict[str, Any] | None = None
    image: dict[str, Any] | None = None


class ConverseEvent(msgspec.Struct, gc=False, rename="camel"):
    name: str = ""
    """As the frame's header says."""
    content_block_index: int | None = None
    delta: Delta | None = None
    start: Start | None = None
    stop_reason: str | None = None
    usage: object = None


decode_event: Final = msgspec.json.Decoder(ConverseEvent).decode
"""The quick way. Raises msgspec.MsgspecError or RecursionError: then read_slowly() may know better."""


def read_slowly(data: bytes) -> ConverseEvent | None:
    """The slow way; None where the data is no JSON. Its text may hold halves of surrogate pairs."""
    value = read_json(data) if data.strip() else {}
    if value is None:
        return None
    value = _object(value)
    index, start = value.get("contentBlockIndex"), _object(value.get("start"))
    return ConverseEvent(
        content_block_index=index if type(index) is int else None,
        delta=_mended_delta(_object(value.get("delta"))),
        start=Start(
            tool_use=_mended_tool_use(start.get("toolUse")),
            tool_result=_object(start.get("toolResult")) or None,
            image=_object(start.get("image")) or None,
        ),
        stop_reason=_string(value.get("stopReason")),
        usage=value.get("usage"),
    )


def whole_answer(value: object) -> Iterator[ConverseEvent]:
    """The events of an answer that came as one JSON object; none where it is no such answer."""
    message = _object(_object(_object(value).get("output")).get("message"))
    blocks = message.get("content")
    if not isinstance(value, dict) or not isinstance(blocks, list):
        return
    for index, block in enumerate(blocks):
        if isinstance(block, dict):
            yield from _whole_block(index, block)
    yield ConverseEvent("messageStop", stop_reason=_string(value.get("stopReason")))
    yield ConverseEvent("metadata", usage=value.get("usage"))


def _whole_block(index: int, block: dict[str, Any]) -> Iterator[ConverseEvent]:
    reasoning = _object(block.get("reasoningContent"))
    thought = {**reasoning, **_object(reasoning.get("reasoningText"))}
    start = Start(
        _mended_tool_use(block.get("toolUse")),
        _object(block.get("toolResult")) or None,
        _object(block.get("image")) or None,
    )
    yield ConverseEvent("contentBlockStart", index, start=start)
    # What the start has said whole is not said again.
    delta = _mended_delta({"text": _whole_text(block), "reasoningContent": thought})
    if start.tool_result is not None:
        delta.tool_result = start.tool_result.get("content")
    yield ConverseEvent("contentBlockDelta", index, delta)
    yield ConverseEvent("contentBlockStop", index)


def _whole_text(block: dict[str, Any]) -> object:
    """Text that has citations stands in a list beside them."""
    cited = _object(block.get("citationsContent"))
    if not cited:
        return block.get("text")
    return "".join(string(piece.get("text")) for piece in objects(cited.get("content")))


def _mended_delta(delta: dict[str, Any]) -> Delta:
    reasoning = _object(delta.get("reasoningContent"))
    return Delta(
        text=_string(delta.get("text")),
        tool_use=_mended_tool_use(delta.get("toolUse")),
        reasoning_content=Reasoning(
            _string(reasoning.get("text")),
            _string(reasoning.get("signature")),
            _string(reasoning.get("redactedContent")),
        )
        if reasoning
        else None,
        tool_result=delta.get("toolResult"),
        image=delta.get("image"),
        citation=delta.get("citation"),
    )


def _mended_tool_use(value: object) -> ToolUse | None:
    if not isinstance(value, dict):
        return None
    arguments = value.get("input")
    return ToolUse(
        _string(value.get("toolUseId")),
        _string(value.get("name")),
        _string(value.get("type")),
        arguments if isinstance(arguments, str | dict) else None,
    )


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None

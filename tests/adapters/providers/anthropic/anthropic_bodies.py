"""Bodies of Messages streams, written short."""

from __future__ import annotations

from typing import Any

import msgspec


def event(kind: str, **fields: Any) -> bytes:
    data = msgspec.json.encode({"type": kind, **fields})
    return b"event: " + kind.encode() + b"\ndata: " + data + b"\n\n"


def start(**fields: Any) -> bytes:
    usage = {"input_tokens": 9, "output_tokens": 1}
    return event("message_start", message={"id": "msg_1", "role": "assistant", "content": [], "usage": usage} | fields)


def block(index: int, kind: str, **fields: Any) -> bytes:
    return event("content_block_start", index=index, content_block={"type": kind, **fields})


def delta(index: int, kind: str, **fields: Any) -> bytes:
    return event("content_block_delta", index=index, delta={"type": kind, **fields})


def end(index: int) -> bytes:
    return event("content_block_stop", index=index)


def text(content: str, index: int = 0) -> bytes:
    """A whole block of text."""
    return block(index, "text", text="") + delta(index, "text_delta", text=content) + end(index)


def thought(content: str, signature: str, index: int = 0) -> bytes:
    """A whole block of thinking."""
    return (
        block(index, "thinking", thinking="", signature="")
        + delta(index, "thinking_delta", thinking=content)
        + delta(index, "signature_delta", signature=signature)
        + end(index)
    )


def call(index: int, name: str, *pieces: str, id: str = "toolu_1", **fields: Any) -> bytes:  # noqa: A002
    """A whole block of a call."""
    return (
        block(index, "tool_use", id=id, name=name, **{"input": {}, **fields})
        + b"".join(delta(index, "input_json_delta", partial_json=piece) for piece in pieces)
        + end(index)
    )


def finish(reason: str | None = "end_turn", **usage: Any) -> bytes:
    return event(
        "message_delta", delta={"stop_reason": reason, "stop_sequence": None}, usage={"output_tokens": 4} | usage
    )


STOP = event("message_stop")
PING = event("ping")

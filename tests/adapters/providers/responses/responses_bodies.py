"""Bodies of Responses streams, written short."""

from __future__ import annotations

from typing import Any

import msgspec

PNG = "iVBORw0KGgo="


def event(kind: str, **fields: Any) -> bytes:
    return b"event: " + kind.encode() + b"\ndata: " + msgspec.json.encode({"type": kind, **fields}) + b"\n\n"


def text(delta: str, index: int = 0, part: int = 0) -> bytes:
    return event(
        "response.output_text.delta", output_index=index, item_id=f"item_{index}", content_index=part, delta=delta
    )


def summary(delta: str, index: int = 0, part: int = 0) -> bytes:
    return event(
        "response.reasoning_summary_text.delta",
        output_index=index,
        item_id=f"item_{index}",
        summary_index=part,
        delta=delta,
    )


def thought(delta: str, index: int = 0) -> bytes:
    return event(
        "response.reasoning_text.delta", output_index=index, item_id=f"item_{index}", content_index=0, delta=delta
    )


def arguments(delta: str, index: int = 0) -> bytes:
    return event("response.function_call_arguments.delta", output_index=index, item_id=f"item_{index}", delta=delta)


def added(item: dict[str, Any], index: int = 0) -> bytes:
    return event("response.output_item.added", output_index=index, item={"id": f"item_{index}", **item})


def done(item: dict[str, Any], index: int = 0) -> bytes:
    return event("response.output_item.done", output_index=index, item={"id": f"item_{index}", **item})


def message(content: str, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": content}], **fields}


def reasoning(words: str = "", **fields: Any) -> dict[str, Any]:
    return {"type": "reasoning", "summary": [{"type": "summary_text", "text": words}] if words else [], **fields}


def call(raw: str = "", name: str = "get", call_id: str = "call_1", **fields: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": raw, **fields}


def completed(*output: dict[str, Any], **fields: Any) -> bytes:
    return event("response.completed", response={"status": "completed", "output": list(output), **fields})


def incomplete(reason: str | None, *output: dict[str, Any]) -> bytes:
    details = {"reason": reason} if reason else None
    return event(
        "response.incomplete",
        response={"status": "incomplete", "incomplete_details": details, "output": list(output)},
    )


def failed(**error: Any) -> bytes:
    return event("response.failed", response={"status": "failed", "error": error or None, "output": []})


END = completed()

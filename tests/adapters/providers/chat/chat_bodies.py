"""Bodies of Chat Completions streams, written short."""

from __future__ import annotations

from typing import Any

import msgspec

DONE = b"data: [DONE]\n\n"


def event(value: Any) -> bytes:
    return b"data: " + msgspec.json.encode(value) + b"\n\n"


def delta(finish: str | None = None, **fields: Any) -> bytes:
    return event({"id": "c", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


def text(content: str) -> bytes:
    return delta(content=content)


def finish(reason: str = "stop") -> bytes:
    return delta(reason)

"""Bodies of Gemini streams, written short."""

from __future__ import annotations

from typing import Any

import msgspec

from adapters.contract import ProcessedChunk
from adapters.decode_command import decode
from adapters.providers.google.adapter import GOOGLE
from adapters.providers.google.decoder import GoogleDecoder
from tests.adapters.cuts import run


def event(value: Any) -> bytes:
    return b"data: " + msgspec.json.encode(value) + b"\r\n\r\n"


def parts(*values: Any, finish: str | None = None, **more: Any) -> bytes:
    """One chunk. `more` stands beside the candidates."""
    candidate = {"content": {"parts": list(values), "role": "model"}, "index": 0}
    return event({"candidates": [candidate | ({"finishReason": finish} if finish else {})], **more})


def text(content: str, **more: Any) -> bytes:
    return parts({"text": content, **more})


def thought(content: str, **more: Any) -> bytes:
    return parts({"text": content, "thought": True, **more})


def call(signature: str | None = None, **fields: Any) -> bytes:
    part: dict[str, Any] = {"functionCall": fields}
    return parts(part | ({"thoughtSignature": signature} if signature else {}))


def finish(reason: str = "STOP", **more: Any) -> bytes:
    return event({"candidates": [{"finishReason": reason, "index": 0, **more}]})


STOPPED = finish()


def read(*pieces: bytes, reset: bool = False) -> dict[str, Any]:
    return decode(GOOGLE, b"".join(pieces), reset=reset)


def failed(*pieces: bytes, reset: bool = False) -> tuple[str, str, bool]:
    """The text, the error's reason, and whether it is retryable."""
    result = read(*pieces, reset=reset)
    assert result["error"] is not None
    return result["text"], result["error"]["reason"], result["error"]["retryable"]


def chunks(*pieces: bytes) -> list[ProcessedChunk]:
    return run(GoogleDecoder(), [b"".join(pieces)])

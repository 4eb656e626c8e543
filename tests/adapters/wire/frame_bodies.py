"""Frames of Amazon's event streams, written by the format's own description and not by the code under test."""

from __future__ import annotations

import json
from struct import pack
from typing import Any
from zlib import crc32


def header(name: str, value: str) -> bytes:
    """A header of the type string."""
    return bytes([len(name)]) + name.encode() + b"\x07" + pack(">H", len(value.encode())) + value.encode()


def raw_frame(headers: bytes, payload: bytes) -> bytes:
    prelude = pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + pack(">I", crc32(prelude)) + headers + payload
    return message + pack(">I", crc32(message))


def event(name: str, payload: Any = None) -> bytes:
    """One event as Bedrock sends it."""
    headers = (
        header(":event-type", name) + header(":content-type", "application/json") + header(":message-type", "event")
    )
    data = payload if isinstance(payload, bytes) else json.dumps(payload or {}).encode()
    return raw_frame(headers, data)


def exception(name: str, payload: Any) -> bytes:
    """An exception that the service knows."""
    headers = header(":exception-type", name) + header(":message-type", "exception")
    return raw_frame(headers, payload if isinstance(payload, bytes) else json.dumps(payload).encode())


def error(code: str, message: str) -> bytes:
    """An error of the stream itself: it has no payload."""
    headers = header(":error-code", code) + header(":error-message", message) + header(":message-type", "error")
    return raw_frame(headers, b"")

"""Bytes to the frames of an Amazon event stream (`application/vnd.amazon.eventstream`, smithy.io/2.0/aws/amazon-eventstream).

    total length │ headers length │ CRC of these │ headers │ payload │ CRC of all before          (lengths and CRCs: 4 bytes)

Frames are cut here, so that work is linear in any cut of the input and no frame can grow without bound; their headers are read
by botocore. A frame's first byte is 0 or 1, for it is never larger than the limit below. Where another byte stands (a JSON or
web page instead of frames, a gateway's words after some of them) the rest of the body is one `frame.stray`, for the
protocol's decoder to judge. After a wrong checksum nothing can be trusted: that is a `frame.error`, and the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from struct import Struct
from struct import error as StructError  # noqa: N812 — an exception, and named like one
from typing import Any, Final, TypeAlias
from zlib import crc32

import msgspec

from adapters.wire.stage import Layers, Stage, watched

MAX_HEADERS_BYTES: Final = 16 * 1024
"""The format allows 128 KiB; a service's frames have about a hundred bytes, an error's text a few hundred more."""

MAX_FRAME_BYTES: Final = 24 * 1024 * 1024 + MAX_HEADERS_BYTES + 16
"""The format allows 24 MiB of payload."""

MAX_STRAY_BYTES: Final = 1024 * 1024
"""How much is kept of a body that is not in frames: an answer as one JSON, an error, the beginning of a web page."""

_PRELUDE: Final = 12
_CRC: Final = 4
_read_prelude: Final = Struct(">III").unpack_from
_read_crc: Final = Struct(">I").unpack_from
_KNOWN_HEADERS: Final = 64


class Frame(msgspec.Struct, frozen=True, gc=False, tag="frame.frame"):
    """One message of the service."""

    kind: str
    """`event`, `exception` (modelled by the service) or `error` (of the stream itself)."""
    name: str
    """Which event or exception; of an error its code."""
    payload: bytes
    text: str = ""
    """Of an error, which has no payload: what went wrong."""


class FrameStray(msgspec.Struct, frozen=True, gc=False, tag="frame.stray"):
    """What stands in the body where a frame should begin, up to the end."""

    data: bytes


class FrameError(msgspec.Struct, frozen=True, gc=False, tag="frame.error"):
    """The bytes are damaged; nothing sensible follows."""

    message: str


FrameMessage: TypeAlias = Frame | FrameStray | FrameError


class AwsFrames:
    """Stage: bytes of any cut -> FrameMessage. A frame that the end of the body cuts off gives nothing."""

    def __init__(self, max_bytes: int = MAX_FRAME_BYTES) -> None:
        self._max_bytes = max_bytes
        self._held = bytearray()
        self._needed = 0
        self._calm = True
        """Between two frames: nothing is held."""
        self._stray = False
        self._dead = False
        self._read_headers = _header_reader()
        # The frames of one kind have the same headers, byte for byte.
        self._known: dict[bytes, tuple[str, str, str]] = {}

    def feed(self, item: bytes) -> Sequence[FrameMessage]:
        if self._calm:
            return self._cut(item)
        if self._dead:
            return ()
        self._held += item
        if self._stray:
            del self._held[MAX_STRAY_BYTES:]
            return ()
        if len(self._held) < self._needed:
            return ()
        item = bytes(self._held)
        self._held.clear()
        self._calm = True
        return self._cut(item)

    def close(self) -> Sequence[FrameMessage]:
        return (FrameStray(bytes(self._held)),) if self._stray else ()

    def _cut(self, data: bytes) -> Sequence[FrameMessage]:
        messages: list[FrameMessage] = []
        start, size, known = 0, len(data), self._known
        while start < size:
            if size - start < _PRELUDE or data[start] > 1:
                self._hold(data[start:], _PRELUDE)
                break
            length, headers_length, expected = _read_prelude(data, start)
            crc = crc32(data[start : start + 8])
            payload_start, end = start + _PRELUDE + headers_length, start + length - _CRC
            if crc != expected or payload_start > end or end - start > self._max_bytes:
                return self._give_up(messages, crc == expected)
            if end + _CRC > size:
                self._hold(data[start:], length)
                break
            # The checksum of all goes on where that of the prelude's first eight bytes ended.
            if (crc32(data[start + 8 : end], crc),) != _read_crc(data, end):
                return self._give_up(messages, intact=False)
            raw = data[start + _PRELUDE : payload_start]
            head = known.get(raw) or self._head(raw)
            if head is None:
                return self._give_up(messages, intact=True)
            messages.append(Frame(head[0], head[1], data[payload_start:end], head[2]))
            start = end + _CRC
        return messages

    def _head(self, raw: bytes) -> tuple[str, str, str] | None:
        headers = self._read_headers(raw) if len(raw) <= MAX_HEADERS_BYTES else None
        if headers is None:
            return None
        kind = str(headers.get(":message-type", "event"))
        name = headers.get(_NAME_HEADERS.get(kind, ":event-type"), "")
        head = (kind, str(name), str(headers.get(":error-message", "")))
        if len(self._known) < _KNOWN_HEADERS:
            self._known[raw] = head
        return head

    def _hold(self, data: bytes, needed: int) -> None:
        self._calm = False
        self._stray = data[0] > 1
        self._held += data[:MAX_STRAY_BYTES] if self._stray else data
        self._needed = needed

    def _give_up(self, messages: list[FrameMessage], intact: bool) -> Sequence[FrameMessage]:
        self._calm, self._dead = False, True
        fault = "a frame is too large, or its headers cannot be read" if intact else "a frame's checksum is wrong"
        messages.append(FrameError(fault))
        return messages


_NAME_HEADERS: Final[Mapping[str, str]] = {
    "event": ":event-type",
    "exception": ":exception-type",
    "error": ":error-code",
}


def _header_reader() -> Callable[[bytes], Mapping[str, Any] | None]:
    """A function from a frame's header bytes to its headers; None where they cannot be read."""
    # Late: only who asks Bedrock pays for it.
    from botocore.eventstream import EventStreamHeaderParser, ParserError

    parse = EventStreamHeaderParser().parse

    def read(raw: bytes) -> Mapping[str, Any] | None:
        try:
            headers: Mapping[str, Any] = parse(raw)
        except (ParserError, StructError, KeyError, UnicodeDecodeError):
            # A header that is cut, of a type that does not exist, no UTF-8, or there twice.
            return None
        return headers

    return read


def aws_frames(layers: Layers | None = None) -> Stage[bytes, FrameMessage]:
    """The stage of a body in frames, as the layer `data` where somebody looks."""
    stage = AwsFrames()
    return stage if layers is None else watched(stage, layers.add("data"))

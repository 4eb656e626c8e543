"""Bytes to the data of server-sent events: the stages Lines and Data, and a short way around them.

Nearly every read of a live stream holds whole events of one `data:` line, maybe with an `event:` line before it. Between two
events nothing is held back, so such an event means the same without its surroundings and needs no walk through the stages:
one search and one slice. All else goes the long way, which is the only one that knows the rules; both give the same messages,
and a test holds them to it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from adapters.wire.data import MAX_EVENT_BYTES, Data, DataLine, DataMessage
from adapters.wire.lines import Lines
from adapters.wire.stage import Layers, Stage, pipeline, watched

_END: Final = b"\n\n"
_CR: Final = 13
_ONE_EVENT: Final = re.compile(rb"(?:event: (.*)\n)?data: (.+)\n\n").fullmatch


class Sse:
    """Stage: bytes of any cut -> DataMessage."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._data = Data()
        self._stages = pipeline(self._lines, self._data)
        self._idle = False

    def feed(self, item: bytes) -> Sequence[DataMessage]:
        if self._idle:
            message = _only_event(item)
            if message is not None:
                return (message,)
        if len(item) > MAX_EVENT_BYTES:
            return self._long_way(item)
        if b"\r" in item:
            if not self._idle or item.count(b"\r") != item.count(b"\r\n"):
                return self._long_way(item)
            item = item.replace(b"\r\n", b"\n")
        if self._idle:
            return self._short_way(item)
        end = item.find(_END) + len(_END)
        if end < len(_END):
            return self._long_way(item)
        messages, rest = self._long_way(item[:end]), item[end:]
        if rest:
            # The end of the event under way leaves nothing held, most times; then the rest may go the short way.
            messages = [*messages, *self._rest(rest)]
        return messages

    def close(self) -> Sequence[DataMessage]:
        return self._stages.close()

    def _rest(self, item: bytes) -> Sequence[DataMessage]:
        return self._short_way(item) if self._idle else self._long_way(item)

    def _short_way(self, item: bytes) -> Sequence[DataMessage]:
        """Only between two events, and without any CR."""
        events = item.split(_END)
        rest = events.pop()
        messages: list[DataMessage] = []
        for event in events:
            message = _event(event)
            if message is not None and self._idle:
                messages.append(message)
            else:
                messages.extend(self._long_way(event + _END))
        if rest:
            messages.extend(self._long_way(rest))
        return messages

    def _long_way(self, item: bytes) -> Sequence[DataMessage]:
        messages = self._stages.feed(item)
        self._idle = self._lines.idle and self._data.idle
        return messages


def _only_event(item: bytes) -> DataLine | None:
    """The event, where the bytes are exactly one of the usual shape with its blank line: as a live stream brings it."""
    size = len(item)
    if size > MAX_EVENT_BYTES:
        return None
    if _CR not in item:
        match = _ONE_EVENT(item)
        if match is None:
            return None
        name, data = match.groups()
        return DataLine(data, _name(name)) if name else DataLine(data)
    # Google ends its lines with CRLF.
    end = item.find(b"\n")
    if (
        end == size - 3
        and item.startswith(b"data: ")
        and item.endswith(b"\r\n\r\n")
        and item.find(b"\r") == end - 1 > 6
    ):
        return DataLine(item[6:-4])
    return None


def _event(block: bytes) -> DataLine | None:
    """The event of a block of lines, its blank line taken off and without any CR; None where it takes the rules to tell."""
    if block.startswith(b"data: "):
        return DataLine(block[6:]) if len(block) > 6 and b"\n" not in block else None
    if block.startswith(b"event: "):
        end = block.find(b"\n")
        start = end + 7
        if end > 0 and block.startswith(b"data: ", end + 1) and start < len(block) and block.find(b"\n", start) < 0:
            return DataLine(block[start:], _name(block[7:end]))
    return None


@lru_cache(maxsize=256)
def _name(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def sse(layers: Layers | None = None) -> Stage[bytes, DataMessage]:
    """The stages of an SSE body, as the layers `line` and `data` where somebody looks."""
    if layers is None:
        return Sse()
    return pipeline(watched(Lines(), layers.add("line")), watched(Data(), layers.add("data")))

"""Lines to the data of server-sent events (WHATWG HTML, 9.2.6), as model servers in the field really send them.

An event is a block of lines up to a blank one; its `data:` lines are joined with LF. Two liberties are taken:
the last event counts even without its blank line (many servers leave it out, and it holds the finish reason), and lines
that are no field at all (a JSON body in answer to a stream request, a web page, an error written between events) are not
thrown away but come out as one `data.stray` a block, for the protocol's decoder to judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

from adapters.wire.lines import LineError, LineMessage

MAX_EVENT_BYTES: Final = 16 * 1024 * 1024
"""Largest event held in memory: one longest line (lines.MAX_LINE_BYTES), or many that make up as much."""


class DataLine(msgspec.Struct, frozen=True, gc=False, tag="data.line"):
    """The data of one event. `event` is its name, "" where the server gave none."""

    data: bytes
    event: str = ""


class DataStray(msgspec.Struct, frozen=True, gc=False, tag="data.stray"):
    """A block of lines that belong to no event."""

    data: bytes


class DataError(msgspec.Struct, frozen=True, gc=False, tag="data.error"):
    """The bytes cannot be what they should be; nothing sensible follows."""

    message: str


DataMessage: TypeAlias = DataLine | DataStray | DataError


class Data:
    """Stage: LineMessage -> DataMessage."""

    def __init__(self, max_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lines: list[bytes] = []
        self._stray: list[bytes] = []
        self._event = ""
        self._bytes_nr = 0
        self._skipping = False

    @property
    def idle(self) -> bool:
        """Between two events: nothing is held."""
        return not (self._lines or self._stray or self._event or self._skipping)

    def feed(self, item: LineMessage) -> Sequence[DataMessage]:
        if isinstance(item, LineError):
            return (DataError(item.message),)
        line = item.content
        if not line:
            return self._dispatch()
        if line.startswith(b"data:"):
            return self._hold(self._lines, line[6:] if line.startswith(b" ", 5) else line[5:])
        if line.startswith(b":"):
            return ()
        return self._other_field(line)

    def close(self) -> Sequence[DataMessage]:
        return self._dispatch()

    def _other_field(self, line: bytes) -> Sequence[DataMessage]:
        name, _, value = line.partition(b":")
        if name == b"event":
            self._event = value.removeprefix(b" ").decode("utf-8", "replace")
        elif name == b"data":
            return self._hold(self._lines, b"")
        elif name not in (b"id", b"retry"):
            return self._hold(self._stray, line)
        return ()

    def _hold(self, block: list[bytes], line: bytes) -> Sequence[DataMessage]:
        if self._skipping:
            return ()
        # One more for the LF between two lines: a million empty lines are not free either.
        self._bytes_nr += len(line) + 1
        if self._bytes_nr > self._max_bytes + 1:
            self._clear()
            self._skipping = True
            return (DataError(f"an event is larger than {self._max_bytes} bytes"),)
        block.append(line)
        return ()

    def _dispatch(self) -> Sequence[DataMessage]:
        if self._lines and not self._stray:
            lines = self._lines
            data = lines[0] if len(lines) == 1 else b"\n".join(lines)
            message = DataLine(data, self._event)
            self._clear()
            return (message,) if data else ()
        messages: list[DataMessage] = []
        if self._lines and any(self._lines):
            messages.append(DataLine(b"\n".join(self._lines), self._event))
        if self._stray:
            messages.append(DataStray(b"\n".join(self._stray)))
        self._clear()
        return messages

    def _clear(self) -> None:
        self._lines = []
        self._stray = []
        self._event = ""
        self._bytes_nr = 0
        self._skipping = False

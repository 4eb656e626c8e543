"""Lines to JSON objects, one a line (newline-delimited JSON, https://github.com/ndjson/ndjson-spec).

A line that begins with `{` and ends with `}` is one object; blank lines are nothing. All other lines (a web page, an error in
words or spread over several lines, the half of an object that the end of the body cut off) come out as one `data.stray` a
block, for the protocol's decoder to judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adapters.wire.data import DataError, DataLine, DataMessage, DataStray
from adapters.wire.lines import MAX_LINE_BYTES, LineError, LineMessage, Lines
from adapters.wire.stage import Layers, Stage, pipeline, watched

MAX_STRAY_BYTES: Final = 64 * 1024
"""How much is kept of lines that are no objects: the beginning holds the reason."""


_LF: Final = 10
_CR: Final = 13


class Objects:
    """Stage: LineMessage -> DataMessage."""

    def __init__(self) -> None:
        self._stray = bytearray()

    @property
    def idle(self) -> bool:
        """Between two objects: nothing is held."""
        return not self._stray

    def feed(self, item: LineMessage) -> Sequence[DataMessage]:
        if isinstance(item, LineError):
            return (*self.close(), DataError(item.message))
        line = item.content.strip()
        if line.startswith(b"{") and line.endswith(b"}"):
            return (*self.close(), DataLine(line))
        if line:
            self._stray += item.content + b"\n"
            del self._stray[MAX_STRAY_BYTES:]
        return ()

    def close(self) -> Sequence[DataMessage]:
        if not self._stray:
            return ()
        stray = DataStray(bytes(self._stray).rstrip(b"\n"))
        self._stray.clear()
        return (stray,)


class Ndjson:
    """Stage: bytes of any cut -> DataMessage. A read that is exactly one object, as a live stream brings it, goes no long way."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._objects = Objects()
        self._stages = pipeline(self._lines, self._objects)
        self._idle = False

    def feed(self, item: bytes) -> Sequence[DataMessage]:
        size = len(item)
        if (
            self._idle
            and item.endswith(b"}\n")
            and item.find(_LF) == size - 1
            and item.startswith(b"{")
            and _CR not in item
            and size <= MAX_LINE_BYTES
        ):
            return (DataLine(item[:-1]),)
        messages = self._stages.feed(item)
        self._idle = self._lines.idle and self._objects.idle
        return messages

    def close(self) -> Sequence[DataMessage]:
        return self._stages.close()


def ndjson(layers: Layers | None = None) -> Stage[bytes, DataMessage]:
    """The stages of an NDJSON body, as the layers `line` and `data` where somebody looks."""
    if layers is None:
        return Ndjson()
    return pipeline(watched(Lines(), layers.add("line")), watched(Objects(), layers.add("data")))

"""Bytes to the data of server-sent events: the stages Lines and Data, and a short way around them.

Nearly every read of a live stream holds whole events of one `data:` line. Between two events nothing is held back, so such
an event means the same without its surroundings and needs no walk through the stages: one search and one slice. All else goes
the long way, which is the only one that knows the rules; both give the same messages, and a test holds them to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adapters.wire.data import MAX_EVENT_BYTES, Data, DataLine, DataMessage
from adapters.wire.lines import Lines
from adapters.wire.stage import Layers, Stage, pipeline, watched

_END: Final = b"\n\n"


class Sse:
    """Stage: bytes of any cut -> DataMessage."""

    def __init__(self) -> None:
        self._lines = Lines()
        self._data = Data()
        self._stages = pipeline(self._lines, self._data)
        self._idle = False

    def feed(self, item: bytes) -> Sequence[DataMessage]:
        size = len(item)
        if (
            self._idle
            and item.startswith(b"data: ")
            and item.endswith(_END)
            and item.find(b"\n") == size - len(_END)
            and 8 < size <= MAX_EVENT_BYTES
            and b"\r" not in item
        ):
            # Exactly one event, as a live stream brings it.
            return (DataLine(item[6:-2]),)
        if size > MAX_EVENT_BYTES or b"\r" in item:
            return self._long_way(item)
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
        events = item.split(_END)
        rest = events.pop()
        messages: list[DataMessage] = []
        for event in events:
            if len(event) > 6 and event.startswith(b"data: ") and b"\n" not in event:
                messages.append(DataLine(event[6:]))
            else:
                messages.extend(self._long_way(event + _END))
        if rest:
            messages.extend(self._long_way(rest))
        return messages

    def _long_way(self, item: bytes) -> Sequence[DataMessage]:
        messages = self._stages.feed(item)
        self._idle = self._lines.idle and self._data.idle
        return messages


def sse(layers: Layers | None = None) -> Stage[bytes, DataMessage]:
    """The stages of an SSE body, as the layers `line` and `data` where somebody looks."""
    if layers is None:
        return Sse()
    return pipeline(watched(Lines(), layers.add("line")), watched(Data(), layers.add("data")))

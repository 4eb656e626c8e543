"""Bytes to lines, by the rules of server-sent events (WHATWG HTML, 9.2.5).

A line ends at CR, LF or CRLF and at nothing else: U+2028, U+0085, VT and FF stand inside JSON strings, so `splitlines()`
would tear events apart. A CR ends its line at once; an LF that follows, maybe in the next read, belongs to it. Bytes stay
bytes here: a character that was cut between two reads is whole again before anybody decodes it.
Work is linear: only new bytes are searched, the unfinished line waits in one growing buffer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias

import msgspec

MAX_LINE_BYTES: Final = 16 * 1024 * 1024
"""Longest line held in memory. Generated pictures arrive as one line of base64, a few megabytes; nothing larger is known."""

_BOM: Final = b"\xef\xbb\xbf"


class Line(msgspec.Struct, frozen=True, gc=False, tag="line.line"):
    """One line without its end."""

    content: bytes


class LineError(msgspec.Struct, frozen=True, gc=False, tag="line.error"):
    """Stands in the place of a line that was too long."""

    message: str


LineMessage: TypeAlias = Line | LineError


class Lines:
    """Stage: bytes of any cut -> LineMessage. The last line needs no end."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._held = bytearray()
        self._at_start = True
        self._after_cr = False
        self._skipping = False

    @property
    def idle(self) -> bool:
        """Between two lines: nothing is held, and the next byte begins a line."""
        return not (self._held or self._at_start or self._after_cr or self._skipping)

    def feed(self, item: bytes) -> Sequence[LineMessage]:
        if self._at_start or self._after_cr:
            item = self._without_prefix(item)
            if not item:
                return ()
        if b"\r" in item:
            self._after_cr = item.endswith(b"\r")
            item = item.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if len(self._held) + len(item) > self._max_bytes or self._skipping:
            return self._feed_near_the_limit(item)
        parts = item.split(b"\n")
        rest = parts.pop()
        if parts and self._held:
            self._held += parts[0]
            parts[0] = bytes(self._held)
            self._held.clear()
        if rest:
            self._held += rest
        return [Line(part) for part in parts]

    def close(self) -> Sequence[LineMessage]:
        if self._at_start:
            # The input was shorter than a byte order mark could tell.
            self._at_start = False
            rest, self._held = bytes(self._held), bytearray()
            return [*self.feed(rest), *self.close()]
        if not self._held:
            return ()
        last = Line(bytes(self._held))
        self._held.clear()
        return (last,)

    def _without_prefix(self, item: bytes) -> bytes:
        """Take off what belongs to no line: the byte order mark, and the LF of a CRLF that was cut."""
        if self._at_start:
            item = bytes(self._held) + item
            self._held.clear()
            if len(item) < len(_BOM) and _BOM.startswith(item):
                self._held += item
                return b""
            self._at_start = False
            return item.removeprefix(_BOM)
        if not item:
            return b""
        self._after_cr = False
        return item.removeprefix(b"\n")

    def _feed_near_the_limit(self, item: bytes) -> list[LineMessage]:
        messages: list[LineMessage] = []
        *ended, rest = item.split(b"\n")
        for part in ended:
            self._hold(part, messages)
            if not self._skipping:
                messages.append(Line(bytes(self._held)))
            self._held.clear()
            self._skipping = False
        self._hold(rest, messages)
        return messages

    def _hold(self, part: bytes, messages: list[LineMessage]) -> None:
        if self._skipping:
            return
        if len(self._held) + len(part) > self._max_bytes:
            self._skipping = True
            self._held.clear()
            messages.append(LineError(f"a line is longer than {self._max_bytes} bytes"))
        else:
            self._held += part

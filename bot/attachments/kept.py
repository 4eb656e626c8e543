"""What was read lately, within a number of bytes: what was not asked for the longest goes first."""

from __future__ import annotations

from collections import OrderedDict

from adapters.contract import ImagePart
from bot.attachments.readout import Readout

Key = tuple[int, bool, bool | None]
"""An attachment's id, whether it was forwarded, and whether the model is to see the picture; None: it is none."""

_OVERHEAD = 1000
"""Bytes of the objects around what was read, so that many empty readouts are not for nothing."""


class Kept:
    def __init__(self, most_bytes: int) -> None:
        self._most = most_bytes
        self._held = 0
        self._readouts: OrderedDict[Key, Readout] = OrderedDict()

    def get(self, key: Key) -> Readout | None:
        if key in self._readouts:
            self._readouts.move_to_end(key)
        return self._readouts.get(key)

    def put(self, key: Key, readout: Readout) -> None:
        self._held += _bytes(readout) - (_bytes(self._readouts[key]) if key in self._readouts else 0)
        self._readouts[key] = readout
        self._readouts.move_to_end(key)
        while self._held > self._most:
            _, gone = self._readouts.popitem(last=False)
            self._held -= _bytes(gone)


def _bytes(readout: Readout) -> int:
    # A string takes up to four bytes for each code point.
    return _OVERHEAD + sum(
        len(part.data) if isinstance(part, ImagePart) else 4 * len(part.text) for part in readout.parts
    )

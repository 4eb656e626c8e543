"""Tool calls out of streamed fragments.

The protocol says: fragments of one call share an `index`, the first carries `id` and `name`, the rest pieces of the
argument text. In the field the index is missing or always 0, the id comes once or changes with every fragment, the name
is repeated, cut in two or never said again, and arguments may be an object. So a fragment first finds a candidate (by
index, else by id, else the last call), and then the fragment's own words decide whether it goes on with it or starts anew.
Argument pieces are joined and judged once, at the end (verdict.py): a call is whole or it is a MalformedCall.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from adapters.contract import LiveCall, Opaque
from adapters.tool_calls.live_arguments import LiveArguments
from adapters.tool_calls.verdict import Call, Verdicts, parsed


class _Slot:
    """One call under construction."""

    __slots__ = ("call", "id", "live", "looked_at", "name", "opaque", "pieces")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.pieces: list[str] = []
        self.opaque: dict[str, Any] = {}
        self.call: Call | None = None
        """The verdict, once it is given."""
        self.live: LiveArguments | None = None
        """Where somebody looks; it has read the first `looked_at` pieces."""
        self.looked_at = 0

    def add(self, call_id: str, name: str, piece: str) -> None:
        self.id = self.id or call_id
        if name and (not self.pieces or not self.name):
            self.name = name if name.startswith(self.name) else self.name + name
        if piece:
            self.pieces.append(piece)

    def is_complete(self) -> bool:
        """The arguments so far are a whole object. Parses only where the last piece could have closed it."""
        return bool(self.pieces) and self.pieces[-1].rstrip().endswith("}") and isinstance(parsed(self.raw()), dict)

    def raw(self) -> str:
        if self.live is not None:
            self._look(self.live)
        text = "".join(self.pieces)
        self.pieces = [text] if text else []
        self.looked_at = len(self.pieces)
        return text

    def seen(self) -> LiveCall | None:
        """What can be read so far."""
        if self.live is None:
            self.live, self.looked_at = LiveArguments(), 0
        self._look(self.live)
        fields = self.live.fields
        return LiveCall(self.name, dict(fields), self.live.growing) if fields is not None and self.name else None

    def _look(self, live: LiveArguments) -> None:
        for place in range(self.looked_at, len(self.pieces)):
            live.feed(self.pieces[place])
        self.looked_at = len(self.pieces)


class ToolCallAssembly:
    """The calls of one answer. Feed fragments in stream order, then `finish` once."""

    def __init__(self, verdicts: Verdicts | None = None) -> None:
        self._verdicts = verdicts or Verdicts()
        self._slots: list[_Slot] = []
        self._by_index: dict[int, _Slot] = {}
        self._by_id: dict[str, _Slot] = {}
        self._taken: set[str] = set()
        self.fragments_nr = 0

    def __bool__(self) -> bool:
        return bool(self._slots)

    def add(
        self,
        *,
        index: int | None = None,
        call_id: str = "",
        name: str = "",
        arguments: object = None,
        opaque: Opaque | None = None,
    ) -> None:
        """One fragment. `arguments` is a piece of JSON text, or the whole object; anything else counts as nothing."""
        piece = _piece(arguments)
        slot = self._candidate(index, call_id)
        if slot is None and not (call_id or name or piece or opaque):
            # Some servers put an empty call beside every piece of text.
            return
        self.fragments_nr += 1
        if slot is None or _starts_anew(slot, indexed=index is not None, call_id=call_id, name=name, piece=piece):
            slot = _Slot()
            self._slots.append(slot)
        slot.add(call_id, name, piece)
        if index is not None:
            self._by_index[index] = slot
        if call_id:
            self._by_id.setdefault(call_id, slot)
        if opaque:
            slot.opaque.update(opaque)

    def extend(self, index: int, piece: str) -> bool:
        """A fragment that says neither id nor name, as nearly all do: it goes on with the call at its index.

        False, and nothing done, where there is none: then it is a case for `add`.
        """
        slot = self._by_index.get(index)
        if slot is None:
            return False
        self.fragments_nr += 1
        if piece:
            slot.pieces.append(piece)
        return True

    def settle(self, index: int) -> Call | None:
        """The call at this index, whose last fragment has come; None where it has no arguments yet, or none is there."""
        slot = self._by_index.get(index)
        if slot is None or slot.call is not None or not slot.raw().strip():
            return None
        return self._judge(slot, ended=True)

    def finish(self, *, ended: bool) -> Sequence[Call]:
        """All calls that were not settled, in the order of their first fragment.

        `ended` says that the provider ended the answer itself, and not for want of tokens. Only then may a call for which no
        arguments were sent count as one without arguments; in a cut answer they may just not have arrived.
        """
        calls = [self._judge(slot, ended=ended) for slot in self._slots if slot.call is None]
        self._slots = []
        return calls

    def live(self) -> Sequence[LiveCall]:
        """The calls under way of which something can be read (contract.StreamDecoder.live_calls)."""
        return [seen for slot in self._slots if slot.call is None and (seen := slot.seen()) is not None]

    def _judge(self, slot: _Slot, *, ended: bool) -> Call:
        call_id = slot.id if slot.id and slot.id not in self._taken else self._verdicts.make_id()
        self._taken.add(call_id)
        slot.call = self._verdicts.judge(call_id, slot.name, slot.raw(), slot.opaque or None, ended=ended)
        return slot.call

    def _candidate(self, index: int | None, call_id: str) -> _Slot | None:
        if index is not None:
            return self._by_index.get(index)
        known = self._by_id.get(call_id) if call_id else None
        return known or (self._slots[-1] if self._slots else None)


def _piece(arguments: object) -> str:
    if isinstance(arguments, str):
        return arguments
    try:
        return msgspec.json.encode(arguments).decode() if isinstance(arguments, dict) else ""
    except RecursionError:
        # Can be read and not be written: no JSON, so that the call is malformed.
        return "{ nested too deeply"


def _starts_anew(slot: _Slot, *, indexed: bool, call_id: str, name: str, piece: str) -> bool:
    if not name:
        # A changing id alone is no new call: some servers make up one for every fragment.
        return False
    if call_id and call_id == slot.id:
        return False
    if call_id and slot.id:
        return name != slot.name or not slot.pieces or slot.is_complete()
    if not slot.name:
        # SGLang and vLLM have sent the name after arguments.
        return False
    if slot.pieces:
        return slot.is_complete() if name == slot.name or indexed else True
    return not indexed and bool(slot.name) and (name != slot.name or bool(piece))

"""Tool calls out of streamed fragments.

The protocol says: fragments of one call share an `index`, the first carries `id` and `name`, the rest pieces of the
argument text. In the field the index is missing, always 0 or counts the fragments, the id comes once or changes with every
fragment, the name is repeated, cut in two or never said again, and arguments may be an object. So a fragment first finds a
candidate (by index, else by id, else the last call), and then the fragment's own words decide whether it goes on with it or
starts anew. Argument pieces are joined and judged once, at the end (verdict.py): a call is whole or it is a MalformedCall.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, zip_longest
from typing import Any, Final

from adapters.contract import LiveCall, MalformedCall, Opaque
from adapters.tool_calls.live_arguments import WatchedArguments
from adapters.tool_calls.snapshots import goes_on, last_snapshot
from adapters.tool_calls.verdict import Call, Verdicts, parsed, written

MAX_CALLS: Final = 256
"""Calls of one answer that are judged; a verdict takes a tenth of a millisecond of the loop that streams all answers."""
MAX_SHOWN: Final = 16
"""Calls under way that are shown at once."""


class _Slot:
    """One call under construction."""

    __slots__ = ("_whole", "_whole_nr", "ended", "id", "name", "opaque", "pieces", "watched")

    def __init__(self) -> None:
        self.id = ""
        self.name = ""
        self.pieces: list[str] = []
        self.opaque: dict[str, Any] = {}
        self.ended = False
        """The provider says that no more comes."""
        self.watched = WatchedArguments(self.pieces)
        self._whole: Any = None
        """The first `_whole_nr` pieces as a value, once their last bracket has closed."""
        self._whole_nr = 0

    def add(self, call_id: str, name: str, piece: str) -> None:
        self.id = self.id or call_id
        if name and (not self.pieces or not self.name):
            self.name = name if name.startswith(self.name) else self.name + name
        if piece:
            self.pieces.append(piece)

    def whole(self) -> dict[str, Any] | None:
        """The arguments so far, if they are an object. Each piece is read once, and all of them are parsed once at most: what
        follows an object's last bracket can only spoil it."""
        if not self._whole_nr:
            if not (self.pieces and self.watched.read().closed):
                return None
            self._whole = parsed("".join(self.pieces))
        elif any(piece.strip() for piece in self.pieces[self._whole_nr :]):
            self._whole = None
        self._whole_nr = len(self.pieces)
        return self._whole if isinstance(self._whole, dict) else None

    def raw(self) -> str:
        """The argument text."""
        text = "".join(self.pieces)
        last = last_snapshot(self.pieces)
        return text if last is None or isinstance(parsed(text), dict) else last


class ToolCallAssembly:
    """The calls of one answer. Feed fragments in stream order, then `finish` once."""

    def __init__(self, verdicts: Verdicts | None = None) -> None:
        self._verdicts = verdicts or Verdicts()
        self._open: dict[_Slot, None] = {}
        """Those without a verdict, in the order of their first fragment."""
        self._waiting: list[_Slot] = []
        """Those of them that have ended."""
        self._last: _Slot | None = None
        self._by_index: dict[int, _Slot] = {}
        self._by_id: dict[str, _Slot] = {}
        self._taken: set[str] = set()
        self.fragments_nr = 0

    def __bool__(self) -> bool:
        return self._last is not None

    def add(
        self,
        *,
        index: int | None = None,
        call_id: str = "",
        name: str = "",
        arguments: object = None,
        opaque: Opaque | None = None,
    ) -> None:
        """One fragment. `arguments` is a piece of JSON text, or a value that is to be an object; None: nothing."""
        piece = arguments if isinstance(arguments, str) else "" if arguments is None else written(arguments)
        slot = self._candidate(index, call_id, name)
        if slot is None and not (call_id or name or piece or opaque):
            # Some servers put an empty call beside every piece of text.
            return
        self.fragments_nr += 1
        if slot is None or self._starts_anew(slot, index is not None, call_id, name, piece):
            slot = self._last = _Slot()
            self._open[slot] = None
        slot.add(call_id, name, piece)
        if index is not None:
            self._by_index[index] = slot
        if call_id:
            self._by_id.setdefault(call_id, slot)
        if opaque:
            slot.opaque.update(opaque)

    def extend(self, index: int, piece: str) -> bool:
        """A fragment that says neither id nor name, as nearly all do: it goes on with the call at its index.

        False, and nothing done, where there is none that goes on: then it is a case for `add`.
        """
        slot = self._by_index.get(index)
        if slot is None or slot.ended:
            return False
        self.fragments_nr += 1
        if piece:
            slot.pieces.append(piece)
        return True

    def settle(self, index: int) -> Sequence[Call]:
        """The last fragment of the call at this index has come. Gives the calls whose verdict is thereby certain.

        An object is. Broken arguments and missing ones wait until another call settles or the answer is over: only the last
        call of an answer may be cut off, and a provider says the same of a call that its token limit cut (Anthropic).
        """
        slot = self._by_index.get(index)
        if slot is None or slot.ended:
            return ()
        slot.ended = True
        self._waiting.append(slot)
        if slot.whole() is None:
            return ()
        calls = [self._judge(each, ended=True) for each in self._waiting]
        self._waiting = []
        return calls

    def finish(self, *, ended: bool) -> Sequence[Call]:
        """All calls that were not settled, in the order of their first fragment.

        `ended` says that the provider ended the answer itself, and not for want of tokens. Only then may a call for which no
        arguments were sent count as one without arguments; in a cut answer they may just not have arrived.
        """
        slots = list(self._open)
        return [
            self._judge(slot, ended=ended or (slot.ended and following is not None))
            for slot, following in zip_longest(slots, slots[1:])
            if following is None or not self._is_announced_again(slot, following)
        ]

    def live(self) -> Sequence[LiveCall]:
        """The calls under way of which something can be read (contract.StreamDecoder.live_calls)."""
        return [seen for slot in islice(self._open, MAX_SHOWN) if (seen := slot.watched.call(slot.name)) is not None]

    def _judge(self, slot: _Slot, *, ended: bool) -> Call:
        call_id = slot.id if slot.id and slot.id not in self._taken else self._verdicts.make_id()
        self._taken.add(call_id)
        self._open.pop(slot, None)
        if len(self._taken) > MAX_CALLS:
            problem = f"too many calls in one answer; {MAX_CALLS} can be run"
            return MalformedCall(call_id, slot.name, slot.raw(), problem, slot.opaque or None)
        return self._verdicts.judge(call_id, slot.name, slot.raw(), slot.opaque or None, ended=ended)

    def _is_announced_again(self, slot: _Slot, following: _Slot) -> bool:
        """An id with every fragment, and the name too: what was to be one call began a second time with the first arguments."""
        if slot.pieces or slot.ended or slot.name != following.name or len(self._taken) > MAX_CALLS:
            return False
        return not self._verdicts.takes_none(slot.name)

    def _candidate(self, index: int | None, call_id: str, name: str) -> _Slot | None:
        by_id = self._by_id.get(call_id) if call_id else None
        if index is None:
            return by_id or self._last
        slot = self._by_index.get(index)
        if slot is not None:
            # All calls at index 0, told apart by their ids.
            return by_id if by_id is not None and slot.id != call_id else slot
        # An index that counts fragments, or was left out before: this goes on with a call that waits for more.
        slot = by_id or (None if call_id or name else self._last)
        if slot is None or slot.ended or slot.whole() is not None:
            return None
        return slot if not name or (name == slot.name and slot.pieces) else None

    def _starts_anew(self, slot: _Slot, indexed: bool, call_id: str, name: str, piece: str) -> bool:
        if slot.ended:
            return bool(name or piece.strip())
        if not name or not slot.name:
            # A changing id alone is no new call: some servers make up one for every fragment. And SGLang and vLLM have
            # sent the name after arguments.
            return False
        whole = slot.whole()
        if call_id and call_id == slot.id:
            # Two calls with one id, and not one call that is sent again.
            return whole is not None and (name != slot.name or not goes_on(whole, parsed(piece) or whole))
        other_id = bool(call_id and slot.id)
        if not slot.pieces:
            if name != slot.name:
                return self._is_another(slot.name, name, told=other_id or not indexed)
            return other_id or (not indexed and bool(piece))
        if other_id or not indexed:
            return whole is not None or name != slot.name
        return whole is not None

    def _is_another(self, before: str, name: str, *, told: bool) -> bool:
        """Whether this is another name, and not the rest or the whole of the one before, of which no arguments came yet. `told`:
        the fragment looks like a call of its own."""
        tools = self._verdicts.tools
        joined = name if name.startswith(before) else before + name
        if before in tools:
            return name in tools or (told and joined not in tools)
        return told and not any(tool.startswith(joined) for tool in tools)

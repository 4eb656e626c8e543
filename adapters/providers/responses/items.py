"""The output items of one answer, as far as the stream has told them.

An event says which item it belongs to by `output_index` and by `item_id`. llama.cpp sends no index, Copilot another id with
every event, others leave either out of some events or count all items as 0. So an item is found by index where there is one and
it is of the right type and open, else by id, else it is the last open one of that type. What the deltas of an item said is kept,
so that the events that repeat it whole (part done, item done, the final response) add only what was missing.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from adapters.contract import LiveCall
from adapters.tool_calls.live_arguments import WatchedArguments
from adapters.wire.loose_json import string


class OutputItem:
    """One item; its pieces by kind of speech (`text`, `refusal`, `summary`, `thought`, `arguments`, `input`) and part."""

    __slots__ = ("added", "done", "encrypted", "id", "index", "nr", "pieces", "type", "watched", "whole")

    def __init__(self, nr: int, kind: str, item_id: str = "", index: int | None = None) -> None:
        self.nr = nr
        """Its place among the items, by first mention."""
        self.type = kind
        self.id = item_id
        self.index = index
        self.pieces: dict[tuple[str, int], list[str]] = {}
        self.added: dict[str, Any] = {}
        """As it was announced."""
        self.whole = ""
        """Arguments as an event of their own gave them whole."""
        self.watched: WatchedArguments | None = None
        """Where somebody looks."""
        self.done = False
        self.encrypted = False

    def part(self, kind: str, index: int) -> list[str]:
        """The pieces told so far of one part; append to it what is told."""
        return self.pieces.setdefault((kind, index), [])

    def told(self, kind: str) -> str:
        """All that was told of this kind."""
        return "".join("".join(self.pieces[key]) for key in sorted(self.pieces) if key[0] == kind)

    def has_told(self, *kinds: str) -> bool:
        return any(key[0] in kinds and pieces for key, pieces in self.pieces.items())

    def live_call(self) -> LiveCall | None:
        """What can be read of a call under way."""
        self.watched = self.watched or WatchedArguments(self.part("arguments", 0))
        return self.watched.call(string(self.added.get("name")))

    def missing(self, kind: str, whole: str) -> str:
        """What of the whole was not told yet. Where the two contradict each other, what was told stands."""
        told = self.told(kind)
        return whole[len(told) :] if whole.startswith(told) else ""


class OutputItems:
    def __init__(self) -> None:
        self.all: list[OutputItem] = []
        self._by_index: dict[int, OutputItem] = {}
        self._by_id: dict[str, OutputItem] = {}
        self._of_type: dict[str, list[OutputItem]] = defaultdict(list)
        """Those that may still be open, the last one last."""

    def open(self, index: int | None, value: dict[str, Any]) -> OutputItem:
        """The item that `output_item.added` announces."""
        item_id, kind = identity(value), string(value.get("type"))
        known = self._by_id.get(item_id)
        if known is None or known.done or known.type != kind or known.index != index:
            known = self._new(kind, item_id, index)
        known.added = value
        return known

    def find(self, index: int | None, item_id: str, kind: str, *, again: bool = False) -> OutputItem:
        """The item of this type that an event speaks of; a new one where none fits. `again`: the event may repeat what an item
        that is closed has said."""
        if index is not None:
            item = self._by_index.get(index)
            if item is not None and item.type == kind and _goes_on(item, item_id, again=again):
                return item
        item = self._by_id.get(item_id)
        if item is not None and item.type == kind and (index is None or item.index is None):
            if index is not None:
                item.index = index
                self._by_index[index] = item
            return item
        if index is None or index in self._by_index:
            of_type = self._of_type[kind]
            while of_type and of_type[-1].done:
                of_type.pop()
            if of_type:
                return of_type[-1]
        return self._new(kind, item_id, index)

    def match(self, output: Sequence[dict[str, Any]]) -> Iterator[tuple[OutputItem, dict[str, Any]]]:
        """The items of the final response beside those of the stream: by id, else by order among those of one type."""
        by_id = [self._by_id.get(identity(value)) for value in output]
        claimed = {item.nr for item in by_id if item is not None}
        rest: dict[str, list[OutputItem]] = defaultdict(list)
        for item in reversed(self.all):
            if item.nr not in claimed:
                rest[item.type].append(item)
        for value, known in zip(output, by_id, strict=True):
            kind = string(value.get("type"))
            if known is None or known.type != kind:
                known = rest[kind].pop() if rest[kind] else self._new(kind, identity(value), None)
            yield known, value

    def live_calls(self) -> Sequence[LiveCall]:
        """The calls under way of which something can be read."""
        calls = self._of_type["function_call"]
        return [seen for item in calls if not item.done and (seen := item.live_call()) is not None]

    def close(self, item: OutputItem, value: dict[str, Any]) -> None:
        """The item is as complete as this, and its id is the one given here: by it a repetition is told from the next item."""
        item.done = True
        if item_id := identity(value):
            item.id = item_id
            self._by_id.setdefault(item_id, item)

    def _new(self, kind: str, item_id: str, index: int | None) -> OutputItem:
        item = OutputItem(len(self.all), kind, item_id, index)
        self.all.append(item)
        self._of_type[kind].append(item)
        if index is not None:
            self._by_index[index] = item
        if item_id:
            self._by_id[item_id] = item
        return item


def identity(value: dict[str, Any]) -> str:
    """What tells an item from the others: its id, else that of its call; "" where it has neither."""
    return string(value.get("id")) or string(value.get("call_id"))


def _goes_on(item: OutputItem, item_id: str, *, again: bool) -> bool:
    """Whether an event under the item's index is about it. Under that of a closed one comes the next, where all count as 0."""
    return not item.done or (item.id == item_id if item_id else again)


def best_arguments(candidates: Sequence[object]) -> str:
    """The arguments of a call from all places that gave them: the longest that are an object, else the longest."""
    texts = [json.dumps(each) if isinstance(each, dict | list) else string(each) for each in candidates]
    texts = sorted((text for text in texts if text), key=len, reverse=True)
    return next((text for text in texts if is_json_object(text)), texts[0] if texts else "")


def is_json_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.MsgspecError, RecursionError, UnicodeEncodeError):
        return False

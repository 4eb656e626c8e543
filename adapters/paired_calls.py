"""Calls and results of a conversation as pairs: APIs refuse a call without its result, a result without its call, and one id twice.

Ids and names are those of other APIs, of models that made them up, or begin anew with every answer; each call gets one of each that
this API takes, made from what it had and from the calls before it, and its result gets the same. The results stand directly behind
the calls, in their order. Arguments become an object that JSON can hold: broken ones are told the model in the result.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, TypeAlias

import msgspec

from adapters.contract import FunctionCall, MalformedCall, Origin, Part, PromptMessage, Role, TextPart, ToolResult
from adapters.in_words import harmless, result_in_words
from adapters.tool_calls.verdict import parsed
from adapters.tool_calls.wire_names import wire_name
from adapters.wire.surrogates import without_halves

NO_RESULT: Final = "no result"
"""To the model: of a call that has none."""

_DEEPEST: Final = 100
"""Levels of arguments that are sent. Nobody means more, and what JSON can be written of depends on how deep its writer stands."""

_CALLS: Final = (FunctionCall, MalformedCall)

_Asked: TypeAlias = tuple[FunctionCall | MalformedCall, FunctionCall]
"""A call as the history has it, and as it is sent."""


class CallIds(msgspec.Struct, frozen=True):
    """Which ids of calls an API takes; any other is replaced by one that is made from it."""

    legal: re.Pattern[str]
    keeps_own: bool = False
    """A server that made other ids itself may find things in them again: its own stay, if they can be printed."""
    length: int | None = None
    """Letters and digits that an id has, where it must have exactly so many."""

    def take(self, call_id: str, *, own: bool) -> bool:
        """Whether the id may stay as it is. `own`: whoever is asked made it."""
        if self.legal.fullmatch(call_id):
            return True
        return own and self.keeps_own and bool(call_id) and call_id.isascii() and call_id.isprintable()

    def made(self, call_id: str, use_nr: int) -> str:
        """`use_nr`: how many calls before it had the same id."""
        seed = f"{call_id}#{use_nr}" if use_nr else call_id
        digest = sha256(seed.encode("utf-8", "surrogatepass")).hexdigest()
        return digest[: self.length] if self.length else f"call_{digest[:24]}"


class PairedCalls:
    """One conversation's."""

    def __init__(self, names: Mapping[str, str], reader: Origin, ids: CallIds) -> None:
        """`names`: the tools on offer, each with the name under which it is (tool_calls.wire_names)."""
        self._names = names
        self._reader = reader
        self._ids = ids
        self._uses: Counter[str] = Counter()
        self._taken: set[str] = set()

    def turns(self, turns: Iterable[PromptMessage]) -> Sequence[PromptMessage]:
        """`turns` alternate, and so do those that come out."""
        out: list[PromptMessage] = []
        asked: Sequence[_Asked] = ()
        for turn in turns:
            parts: list[Part] = []
            if turn.role is Role.USER:
                if asked or any(isinstance(part, ToolResult) for part in turn.parts):
                    parts = _answered(turn.parts, asked)
                asked = ()
            elif calls := [part for part in turn.parts if isinstance(part, _CALLS)]:
                own = turn.origin == self._reader
                asked = [(call, self._sent(call, own=own)) for call in calls]
                sent = (call for _, call in asked)
                parts = [next(sent) if isinstance(part, _CALLS) else part for part in turn.parts]
            out.append(msgspec.structs.replace(turn, parts=tuple(parts)) if parts else turn)
        if asked:
            out.append(PromptMessage(Role.USER, tuple(_answered((), asked))))
        return out

    def _sent(self, call: FunctionCall | MalformedCall, *, own: bool) -> FunctionCall:
        name = self._names.get(call.name) or wire_name(call.name)
        return FunctionCall(self._new_id(call.id, own=own), name, _arguments(call), call.opaque)

    def _new_id(self, call_id: str, *, own: bool) -> str:
        use_nr = self._uses[call_id]
        made = call_id if use_nr == 0 and self._ids.take(call_id, own=own) else self._ids.made(call_id, use_nr)
        while made in self._taken:
            use_nr += 1
            made = self._ids.made(call_id, use_nr)
        self._uses[call_id] = use_nr + 1
        self._taken.add(made)
        return made


def _answered(parts: Sequence[Part], asked: Sequence[_Asked]) -> list[Part]:
    """A user's parts behind these calls: first their results, then the rest, with results that are nobody's in words."""
    waiting: dict[str, deque[int]] = {}
    """Where the results for an id stand."""
    for nr, part in enumerate(parts):
        if isinstance(part, ToolResult):
            waiting.setdefault(part.call_id, deque()).append(nr)
    out: list[Part] = []
    taken: set[int] = set()
    for call, sent in asked:
        found: Part = _missing(call)
        if places := waiting.get(call.id):
            taken.add(nr := places.popleft())
            found = parts[nr]
        out.append(msgspec.structs.replace(found, call_id=sent.id, name=sent.name))
    follows_result = False
    for nr, part in enumerate(parts):
        if not isinstance(part, ToolResult):
            _add(out, part, on_line=follows_result)
        elif nr not in taken:
            _add(out, result_in_words(part), on_line=True)
            out += [each for each in part.content if not isinstance(each, TextPart)]
        follows_result = isinstance(part, ToolResult)
    return out


def _missing(call: FunctionCall | MalformedCall) -> ToolResult:
    problem = harmless(call.problem).strip() if isinstance(call, MalformedCall) else ""
    return ToolResult(call.id, call.name, (TextPart(problem or NO_RESULT),), is_error=True)


def _add(parts: list[Part], part: Part, *, on_line: bool) -> None:
    if on_line and isinstance(part, TextPart) and parts and isinstance(parts[-1], TextPart):
        part = TextPart(f"\n{part.text}")
    parts.append(part)


def _arguments(call: FunctionCall | MalformedCall) -> Mapping[str, Any]:
    args = parsed(call.raw_arguments) if isinstance(call, MalformedCall) else call.args
    if not isinstance(args, Mapping):
        return {}
    try:
        made: dict[str, Any] = _harmless_value(args, 0)
        if call.opaque:
            # What is signed stays as it was.
            made = without_halves(dict(args))
        msgspec.json.encode(made)
    except (TypeError, ValueError):
        return {}
    return made


def _harmless_value(value: Any, depth: int) -> Any:
    """Raises ValueError where it is nested too deep."""
    if depth > _DEEPEST:
        raise ValueError
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, Mapping):
        return {harmless(str(key)): _harmless_value(entry, depth + 1) for key, entry in value.items()}
    return [_harmless_value(entry, depth + 1) for entry in value] if isinstance(value, list | tuple) else value

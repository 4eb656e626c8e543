"""Whether a call may run: one verdict for every call, however it came.

A name is first led back to an offered tool. Arguments are parsed strictly; only what that refuses is repaired, and a repair counts
where it leaves one reading, or the schema leaves exactly one. What fits neither is a MalformedCall, whose problem tells the model
what would be right. Without tools on offer nothing is known of a call: then every name is right, and every object.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias
from uuid import uuid4

import msgspec

from adapters.contract import FunctionCall, MalformedCall, Opaque, ToolSpec
from adapters.tool_calls.corrections import CUT_OFF
from adapters.tool_calls.names import resolve_name, unknown_tool
from adapters.tool_calls.repair import Reading, readings
from adapters.tool_calls.schema import check_arguments, describe
from adapters.tool_calls.wire_names import wire_names
from adapters.wire.surrogates import whole_text

Call: TypeAlias = FunctionCall | MalformedCall


def random_id() -> str:
    """An id for a call whose provider gave none; unique in a whole conversation, where earlier calls stand too."""
    return f"call_{uuid4().hex[:24]}"


class Verdicts:
    """The judge of one answer's calls."""

    def __init__(self, tools: Sequence[ToolSpec] = (), make_id: Callable[[], str] = random_id) -> None:
        self._names = wire_names(tool.name for tool in tools)
        self.tools: Mapping[str, ToolSpec] = {self._names[tool.name]: tool for tool in tools}
        """By the name under which the model knows it."""
        self.make_id = make_id
        self._take_none: dict[str, bool] = {}

    def judge(self, call_id: str, name: str, raw: str, opaque: Opaque | None = None, *, ended: bool) -> Call:
        """Of arguments as text. `ended`: the model ended the call itself; else it may be cut off anywhere."""
        case = self._case(call_id, name, whole_text(raw), opaque)
        if case.problem:
            return case.malformed(case.problem)
        try:
            value = msgspec.json.decode(case.raw) if case.raw.strip() else None
        except (msgspec.MsgspecError, RecursionError) as fault:
            return case.repaired(f"the arguments are not valid JSON: {fault}", ended=ended)
        if value in _NONE:
            return case.checked({}) if ended else case.malformed(f"{_CUT} arguments")
        if not isinstance(value, dict):
            return case.repaired("the arguments are not a JSON object", ended=ended)
        call = case.checked(value)
        if isinstance(call, MalformedCall) and not ended:
            # Servers close the object that the limit cut.
            return case.malformed(f"{_CUT} arguments were complete ({call.problem})")
        return call

    def takes_none(self, name: str) -> bool:
        """Whether a call of this name may be whole without arguments."""
        if name not in self._take_none:
            self._take_none[name] = isinstance(self.judge("", name, "", ended=True), FunctionCall)
        return self._take_none[name]

    def judge_fields(self, call_id: str, name: str, fields: Mapping[str, Any], opaque: Opaque | None = None) -> Call:
        """Of arguments that came field by field. A text may stand for any type that reads it without a loss."""
        case = self._case(call_id, name, written(fields), opaque)
        return case.malformed(case.problem) if case.problem else case.checked(fields)

    def _case(self, call_id: str, name: str, raw: str, opaque: Opaque | None) -> _Case:
        # Of a tool that is offered under another name the model may have read its own, in a prompt or in an older answer.
        return _Case(self.tools, call_id, self._names.get(name, name), raw, opaque)


def written(value: Any) -> str:
    """A value as JSON text; of what JSON cannot say, a text that no reading makes whole."""
    try:
        # Not msgspec, which writes NaN as null: a call could run without it.
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (RecursionError, TypeError, ValueError):
        return "{ cannot be written"


def parsed(text: str) -> Any:
    """The JSON value, or None where it is not strict JSON (or null, which is no object either)."""
    try:
        return msgspec.json.decode(whole_text(text))
    except (msgspec.MsgspecError, RecursionError):
        return None


MAX_REPAIRED: Final = 200_000
"""Characters of broken arguments that are still worth the time to repair them; tried on the loop that streams all answers."""

_NONE: Final[Sequence[Any]] = (None, "", [])
"""What is sent for no arguments, beside nothing at all; PHP writes an empty object as an empty list."""

_CUT: Final = f"{CUT_OFF} before the"


class _Case:
    """One call before its judge."""

    def __init__(self, tools: Mapping[str, ToolSpec], call_id: str, name: str, raw: str, opaque: Opaque | None) -> None:
        self.call_id = call_id
        self.raw = raw
        self.opaque = opaque
        known = (resolve_name(name, call_id, tools) if tools else None) or name
        self.tool = tools.get(known)
        self.name = known if self.tool is None else self.tool.name
        self.notes = (f"the name {name!r} read as {known}",) if known != name else ()
        self.problem = ""
        if not name.strip() and self.tool is None:
            self.problem = "the call names no tool"
        elif tools and self.tool is None:
            self.problem = unknown_tool(name, tools)

    def malformed(self, problem: str) -> MalformedCall:
        return MalformedCall(self.call_id, self.name, self.raw, problem, self.opaque)

    def checked(self, args: Mapping[str, Any], notes: tuple[str, ...] = ()) -> Call:
        notes = (*self.notes, *notes)
        if self.tool is None:
            return FunctionCall(self.call_id, self.name, args, self.opaque, notes)
        checked = check_arguments(self.tool, args)
        if checked.problem is not None:
            return self.malformed(checked.problem)
        return FunctionCall(self.call_id, self.name, checked.args, self.opaque, (*notes, *checked.notes))

    def repaired(self, fault: str, *, ended: bool) -> Call:
        """What strict reading refused, by `fault`."""
        found = readings(self.raw) if len(self.raw) <= MAX_REPAIRED else ()
        verdicts = [self._verdict(reading) for reading in found if self._counts(reading, ended=ended)]
        fitting = [verdict for verdict in verdicts if isinstance(verdict, FunctionCall)]
        if len(fitting) == 1:
            return fitting[0]
        if not ended:
            return self.malformed(f"{_CUT} arguments were complete ({fault})")
        if len(verdicts) == 1 and isinstance(verdicts[0], MalformedCall):
            return self.malformed(f"{fault}; and {verdicts[0].problem}")
        return self.malformed(fault if self.tool is None else f"{fault}. The arguments are: {describe(self.tool)}")

    def _verdict(self, reading: Reading) -> Call:
        return self.checked(reading.value, tuple(repair.value for repair in reading.repairs))

    def _counts(self, reading: Reading, *, ended: bool) -> bool:
        """Only what leaves no doubt: nothing was cut off, and what a schema must vouch for has one."""
        if reading.may_be_cut and not ended:
            return False
        return not (reading.in_value if self.tool is not None else reading.needs_schema)

"""Arguments of the wrong type, read as the right one where nothing is lost.

Models write `"5"` for 5, a list as the text of a list, one thing where a list of one is wanted, `null` for what may be left out.
The validator's faults say where; each may have an edit that mends it. Edits are made in rounds, as what was text may hold faults
of its own, and count only if in the end the schema is met. So what was right is never touched, and a guess never runs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from adapters.tool_calls.schema.rules import Rules
from adapters.tool_calls.schema.shape import at_pointer, declared, json_text, path_text

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

MAX_ROUNDS: Final = 5
MAX_NOTES: Final = 20

MAX_FAULTS_WORK: Final = 30_000
"""Looks of the validator's, each of which may find a fault, at some ten microseconds; larger arguments are not mended."""

Path: TypeAlias = tuple[str | int, ...]
Mended: TypeAlias = tuple[dict[str, Any], list[str]]
"""Arguments, and what was read how."""

_NOTHING: Final = object()
"""No reading; and, of an edit, the value that leaves the field out."""

_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,39})(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,2})?")
"""A number of JSON, with so few digits that it neither overflows nor vanishes as a float."""
_EXACT: Final = 2.0**53
"""Up to here a float holds every integer."""


class Edit(msgspec.Struct, frozen=True):
    """One change at a path: another value, no value, or (`name`) the same value under another name."""

    path: Path
    value: Any = _NOTHING
    name: str = ""


def coerced(rules: Rules, args: dict[str, Any], faults: Sequence[ValidationError]) -> Mended | None:
    """Arguments that meet the rules and say the same; None where there are none. `args` stay as they are."""
    notes: list[str] = []
    for _ in range(MAX_ROUNDS):
        reading = _Reading(rules, args)
        edits = [edit for fault in faults for edit in reading.edits(fault)]
        if not edits:
            return None
        args = _edited(args, edits, notes)
        work = rules.work(args)
        if work is None or work > MAX_FAULTS_WORK:
            # What was text may hold anything.
            return None
        faults = rules.faults(args)
        if not faults:
            return args, notes
    return None


def whole_numbers(rules: Rules, args: dict[str, Any]) -> Mended:
    """5.0 as 5 where an integer is wanted. To a schema both are integers; to Python's range() they are not.

    Where one is wanted shows by putting a fraction in the place.
    """
    notes: list[str] = []
    found = {path: int(value) for path, value in _values(args) if isinstance(value, float) and _is_whole(value)}
    if not found:
        return args, notes
    probe = _edited(args, [Edit(path, 0.5) for path in found], [])
    refused = {
        tuple(fault.instance_path)
        for fault in _leaves(rules.faults(probe))
        if fault.kind.name == "type" and "integer" in fault.kind.value
    }
    return _edited(args, [Edit(path, found[path]) for path in found if path in refused], notes), notes


class _Reading:
    """The edits that would mend a fault."""

    def __init__(self, rules: Rules, args: dict[str, Any]) -> None:
        self._schema = rules.schema
        self._args = args

    def edits(self, fault: ValidationError, *, in_union: bool = False, wrap: bool = True) -> list[Edit]:
        """`in_union`: other branches may take the value. `wrap`: one thing may be read as a list of one."""
        path = tuple(fault.instance_path)
        value = at_pointer(self._args, path)
        kind = fault.kind.name
        if value is None and _is_field(fault):
            return [Edit(path)]
        if kind == "type":
            new = _retyped(value, fault.kind.value, in_union=in_union, wrap=wrap)
        elif kind in ("enum", "const"):
            new = _chosen(value, fault.kind.value if kind == "enum" else [fault.kind.value])
        elif kind in ("additionalProperties", "unevaluatedProperties"):
            return self._renamed(fault, path, value, fault.kind.value)
        elif kind == "required":
            return self._renamed(fault, path, value, list(value), only=fault.kind.value)
        elif kind in ("anyOf", "oneOf"):
            return self._of_branch(fault.kind.value, wrap=wrap)
        else:
            return []
        return [] if new is _NOTHING else [Edit(path, new)]

    def _of_branch(self, context: Sequence[Sequence[ValidationError]], *, wrap: bool) -> list[Edit]:
        """The edits of the first branch that they can make right; a list of one only where nothing else does."""
        for wrapped in (False, True)[: 1 + wrap]:
            for faults in context:
                edits = [self.edits(fault, in_union=True, wrap=wrapped) for fault in faults]
                # A missing field may be one that another edit renames.
                mended = [
                    bool(made) or fault.kind.name == "required" for fault, made in zip(faults, edits, strict=True)
                ]
                if all(mended) and any(edits):
                    return [edit for made in edits for edit in made]
        return []

    def _renamed(
        self, fault: ValidationError, path: Path, value: Any, names: Sequence[str], only: str = ""
    ) -> list[Edit]:
        """These fields, where each is spelt like exactly one that is declared and not there; `only`: like this one."""
        fields = declared(at_pointer(self._schema, fault.schema_path[:-1]), self._schema)
        known: dict[str, list[str]] = {}
        for name in fields:
            known.setdefault(_folded(name), []).append(name)
        claims: dict[str, list[str]] = {}
        for name in names:
            meant = known.get(_folded(name), [])
            if len(meant) == 1 and meant[0] not in value and name not in fields and only in ("", meant[0]):
                claims.setdefault(meant[0], []).append(name)
        return [Edit((*path, names[0]), name=meant) for meant, names in claims.items() if len(names) == 1]


def _is_field(fault: ValidationError) -> bool:
    """Whether the value at fault is a declared property, and no item or entry of a map."""
    if not fault.instance_path:
        return False
    steps = fault.evaluation_path
    return any(steps[at : at + 2] == ["properties", fault.instance_path[-1]] for at in range(len(steps) - 1))


def _retyped(value: Any, types: Sequence[str], *, in_union: bool, wrap: bool) -> Any:
    for wanted, reading in _READINGS.items():
        if wanted in types and (new := reading(value)) is not _NOTHING:
            return new
    if list(types) == ["null"] and not in_union and isinstance(value, str) and value.strip().lower() in ("", "null"):
        return None
    # What begins like a list and is none is more likely a broken one than an item.
    broken_list = isinstance(value, str) and value.lstrip().startswith("[")
    return [value] if wrap and "array" in types and value is not None and not broken_list else _NOTHING


def _integer(value: Any) -> Any:
    number = _number(value)
    if isinstance(number, float):
        return int(number) if _is_whole(number) else _NOTHING
    return number


def _number(value: Any) -> Any:
    if not isinstance(value, str) or not _NUMBER.fullmatch(text := value.strip()):
        return _NOTHING
    if text.lstrip("-").isdecimal():
        return int(text)
    return float(text)


def _is_whole(number: float) -> bool:
    return number.is_integer() and abs(number) < _EXACT


def _boolean(value: Any) -> Any:
    text = value.strip().lower() if isinstance(value, str) else ""
    return text == "true" if text in ("true", "false") else _NOTHING


def _string(value: Any) -> Any:
    is_number = isfinite(value) if isinstance(value, float) else isinstance(value, int) and not isinstance(value, bool)
    return msgspec.json.encode(value).decode() if is_number else _NOTHING


def _parsed(value: Any, wanted: type) -> Any:
    if not isinstance(value, str):
        return _NOTHING
    try:
        parsed = msgspec.json.decode(value.strip())
    except (ValueError, RecursionError):
        return _NOTHING
    return parsed if isinstance(parsed, wanted) else _NOTHING


_READINGS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "string": _string,
    "array": lambda value: _parsed(value, list),
    "object": lambda value: _parsed(value, dict),
}
"""How a value reads as each type, in the order in which they are tried."""


def _chosen(value: Any, options: Sequence[Any]) -> Any:
    """The one option that is spelt like the value."""
    if not isinstance(value, str | int | float) or isinstance(value, bool):
        return _NOTHING
    spelling = _spelling(value)
    alike = [option for option in options if isinstance(option, str | int | float) and _spelling(option) == spelling]
    return alike[0] if len(alike) == 1 else _NOTHING


def _spelling(value: Any) -> str:
    return value.strip().casefold() if isinstance(value, str) else msgspec.json.encode(value).decode()


def _folded(name: str) -> str:
    return re.sub(r"[-_\s]", "", name).casefold()


def _leaves(faults: Iterable[ValidationError]) -> Iterator[ValidationError]:
    for fault in faults:
        if fault.kind.name in ("anyOf", "oneOf"):
            yield from _leaves(inner for branch in fault.kind.value for inner in branch)
        else:
            yield fault


def _values(value: Any) -> Iterator[tuple[Path, Any]]:
    """Everything inside, with its path."""
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, value = waiting.pop()
        inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        for key, each in inner:
            yield (*path, key), each
            if isinstance(each, dict | list):
                waiting.append(((*path, key), each))


def _edited(args: dict[str, Any], edits: Sequence[Edit], notes: list[str]) -> dict[str, Any]:
    """A copy with the edits made, of which the first counts at each path; the parts without any are shared."""
    root = [args]
    copies: dict[int, Any] = {}
    done: set[Path] = set()
    for edit in sorted(edits, key=lambda edit: bool(edit.name)):
        if edit.path in done:
            continue
        done.add(edit.path)
        holder: Any = root
        try:
            for step in (0, *edit.path[:-1]):
                child = holder[step]
                if id(child) not in copies:
                    copy = child.copy()
                    copies[id(child)] = copies[id(copy)] = copy
                holder[step] = copies[id(child)]
                holder = holder[step]
            note = _make(holder, edit)
        except (LookupError, TypeError, AttributeError):
            # A deeper edit of what another one has replaced.
            continue
        if len(notes) < MAX_NOTES:
            notes.append(note)
    return root[0]


def _make(holder: Any, edit: Edit) -> str:
    """Makes the edit in the object or list that it is about, and says what it was."""
    key, where = edit.path[-1], path_text(edit.path)
    if edit.name:
        items = list(holder.items())
        holder.clear()
        holder.update((edit.name if name == key else name, value) for name, value in items)
        return f"{where}: read as {edit.name}"
    old = json_text(holder[key])
    if edit.value is _NOTHING:
        del holder[key]
        return f"{where}: {old} left out"
    holder[key] = edit.value
    return f"{where}: {old} read as {json_text(edit.value)}"

"""A tool's JSON Schema, made into rules that arguments are held to.

Schemas come from strangers too. Nothing is ever fetched for one: a reference out of it counts as broken. Patterns run on an engine
whose time is linear, and formats are not asserted. A keyword that is broken, or that this engine cannot run, is left out and the
rest still holds; where nothing can be kept, every object is right. Compiled once for each schema, by its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import msgspec

from adapters.tool_calls.schema.cost import MAX_NESTING, looks, measured, objects
from adapters.tool_calls.schema.shape import TYPE_WORDS, at_pointer, clipped, referred

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

MAX_SCHEMA_BYTES: Final = 1 << 20
MAX_REPAIRS: Final = 16
"""Broken keywords in one schema; one with more is unusable."""

MASK: Final = "\ufffc"
"""Stands for the value in the validator's sentences, which would else hold all of it."""

_UNUSABLE: Final = "the tool's schema is unusable, so the arguments are not checked"


class Rules(msgspec.Struct, frozen=True):
    schema: Mapping[str, Any]
    """As it is held to: without what was left out."""
    validator: Any = None
    """A jsonschema_rs.Validator; None where the schema is unusable."""
    looks: tuple[int, ...] = ()
    """At one value, by its depth in the arguments (cost.py)."""
    notes: tuple[str, ...] = ()
    """What is not checked, for the operator."""

    def is_met(self, value: Any) -> bool:
        return self.validator is None or bool(self.validator.is_valid(value))

    def faults(self, value: Any) -> list[ValidationError]:
        return [] if self.validator is None else list(self.validator.iter_errors(value))

    def work(self, value: Any) -> int | None:
        """How many looks a check of this value takes at most; None: too many to be counted."""
        values_nr, nesting = measured(value)
        if self.validator is None and nesting <= MAX_NESTING:
            return values_nr
        return values_nr * self.looks[nesting] if nesting < len(self.looks) else None


def rules_of(schema: Mapping[str, Any]) -> Rules:
    """The rules of this schema; never raises."""
    try:
        text = msgspec.json.encode(schema, enc_hook=_plain)
    except (TypeError, ValueError, RecursionError):
        return Rules({}, notes=(_UNUSABLE,))
    return _compiled(text)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError


@lru_cache(maxsize=256)
def _compiled(text: bytes) -> Rules:
    if len(text) > MAX_SCHEMA_BYTES:
        return Rules({}, notes=(f"{_UNUSABLE}: it is too long",))
    from jsonschema_rs import ValidationError  # 15 MB, which a process without tools need not load

    try:
        schema = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return Rules({}, notes=(_UNUSABLE,))
    left_out: list[str] = []
    reason = "it is no object"
    for _ in range(MAX_REPAIRS if isinstance(schema, dict) else 0):
        try:
            validator = _validator(schema)
        except ValidationError as fault:
            reason = clipped(fault.message.replace(MASK, "it"), 200)
            broken = _without_fault(schema, fault)
            if broken is None:
                break
            left_out += broken
        except (ValueError, RecursionError) as fault:  # a limit of the validator's
            reason = clipped(str(fault), 200)
            break
        else:
            costs = looks(schema)
            if len(costs) < 2:  # not even a flat object can be checked
                reason = "it has too many branches"
                break
            notes = (f"the tool's schema is checked without {', '.join(left_out)}",) if left_out else ()
            return Rules(schema, validator, costs, notes)
    return Rules({}, notes=(f"{_UNUSABLE}: {reason}",))


def _validator(schema: dict[str, Any]) -> Validator:
    from jsonschema_rs import RegexOptions, validator_for

    return validator_for(schema, offline=True, pattern_options=RegexOptions(), validate_formats=False, mask=MASK)


def _without_fault(schema: dict[str, Any], fault: ValidationError) -> list[str] | None:
    """Takes what the fault is about out of the schema, in place, and names it; None where that is not known."""
    path = fault.instance_path
    if not path:
        return _without_lost_references(schema) if fault.kind.name == "$ref" else None
    if path[-1] == "type" and (loud := [place for place in objects(schema) if _is_loud(place.get("type"))]):
        for place in loud:
            place["type"] = place["type"].lower()
        return []
    holder, key = at_pointer(schema, path[:-1]), path[-1]
    if len(path) > 1 and path[-2] == "patternProperties":
        # What its pattern would have let in is not known, so that nothing can be kept out.
        holder = at_pointer(schema, path[:-2])
        holder.pop("patternProperties")
        holder.pop("additionalProperties", None)
    elif isinstance(holder, list) or (len(path) > 1 and path[-2] in ("properties", "$defs", "definitions")):
        holder[key] = True
    else:
        holder.pop(key)
    return [clipped(".".join(map(str, path)))]


def _is_loud(kind: Any) -> bool:
    """Google's own dialect writes "STRING"."""
    return isinstance(kind, str) and kind not in TYPE_WORDS and kind.lower() in TYPE_WORDS


def _without_lost_references(schema: dict[str, Any]) -> list[str] | None:
    """Takes out the references that lead nowhere or out of the schema, and a dialect that is not known."""
    lost = [place for place in objects(schema) if "$ref" in place and referred(place["$ref"], schema) is None]
    names = [f"$ref {clipped(str(place.pop('$ref')))}" for place in lost]
    if "$schema" in schema:
        names.append(f"$schema {clipped(str(schema.pop('$schema')))}")
    return names[:3] or None

"""A call's arguments against the schema of its tool.

Three steps: what fits is left as it is; what does not is read without a loss, if it can be; what is left over is told to the model,
in words that say how to do it right. A schema that cannot be used never costs a call: then what it would have said is not checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from adapters.contract import ToolSpec
from adapters.tool_calls.schema.coercion import MAX_FAULTS_WORK, Mended, coerced, whole_numbers
from adapters.tool_calls.schema.faults import told
from adapters.tool_calls.schema.rules import Rules, rules_of
from adapters.tool_calls.schema.shape import MAX_ENTRIES, MAX_UNIONS, branches, clipped, declared, describe, resolved

MAX_WORK: Final = 5_000_000
"""Looks at values in one check; each is some ten nanoseconds."""


_WRAPPERS: Final = frozenset({"arguments", "parameters", "args", "params", "input"})


class Checked(msgspec.Struct, frozen=True):
    """Arguments after the check."""

    args: dict[str, Any]
    """Fit the schema where there is no problem; else as they came."""
    notes: tuple[str, ...] = ()
    """What was read how, and what could not be checked; for the operator."""
    problem: str | None = None
    """For the model. None: the call may run."""


def check_arguments(tool: ToolSpec, args: Mapping[str, Any]) -> Checked:
    """Arguments as they fit the tool's schema, or the problem with them. Never raises, and leaves `args` as they are."""
    checked = _checked(tool, dict(args))
    if checked.problem is None or (inner := _inner_arguments(tool, args)) is None:
        return checked
    unwrapped = _checked(tool, inner)
    note = "the arguments of a call written as its arguments"
    return msgspec.structs.replace(unwrapped, notes=(note, *unwrapped.notes)) if unwrapped.problem is None else checked


def _inner_arguments(tool: ToolSpec, args: Mapping[str, Any]) -> dict[str, Any] | None:
    """Of `{"arguments": {…}}`, and with the tool's name beside it: models write the whole call once more."""
    rest = [(key, value) for key, value in args.items() if (key, value) != ("name", tool.name)]
    if len(rest) != 1:
        return None
    ((key, inner),) = rest
    return inner if key in _WRAPPERS and isinstance(inner, dict) and not unknown_fields(tool, inner) else None


def _checked(tool: ToolSpec, given: dict[str, Any]) -> Checked:
    rules = rules_of(tool.parameters)
    work = rules.work(given)
    if work is None or work > MAX_WORK:
        return _refused(tool, rules, given, "nested too deeply, or too many, to be checked")
    try:
        if rules.is_met(given):
            fit: Mended | None = (given, [])
        elif work > MAX_FAULTS_WORK:
            return _refused(tool, rules, given, "not as they should be, and too many to say where")
        else:
            faults = rules.faults(given)
            fit = coerced(rules, given, faults)
        if fit is None:
            return Checked(given, rules.notes, f"{told(rules, given, faults)}. {_right(tool)}")
        mended, notes = fit
        mended, more = whole_numbers(rules, mended) if work <= MAX_FAULTS_WORK else (mended, [])
    except (ValueError, RecursionError) as fault:  # half a surrogate pair, a limit of the validator's
        return _refused(tool, rules, given, f"cannot be checked ({clipped(str(fault))})")
    return Checked(mended, (*rules.notes, *notes, *more))


def _refused(tool: ToolSpec, rules: Rules, given: dict[str, Any], reason: str) -> Checked:
    return Checked(given, rules.notes, f"arguments: {reason}. {_right(tool)}")


def _right(tool: ToolSpec) -> str:
    return f"The arguments are: {describe(tool)}"


# ------------------------------------------------------------------------------------ what a schema says beforehand


def unknown_fields(tool: ToolSpec, args: Mapping[str, Any]) -> list[str]:
    """The keys that the schema does not declare, also where it would let them pass by saying nothing of further ones.

    None are unknown to a schema that speaks of no properties, or that says of further ones that, or what, they may be.
    """
    root = tool.parameters
    schema = resolved(root, root)
    further = schema.get("additionalProperties")
    if further is True or isinstance(further, Mapping):
        return []
    known = declared(schema, root)
    patterns = schema.get("patternProperties")
    if not known and not isinstance(schema.get("properties"), Mapping) and further is not False:
        return []
    unknown = [name for name in args if name not in known]
    if unknown and isinstance(patterns, Mapping):
        # The validator's engine runs them in linear time, and `re` may not.
        rules = rules_of({"patternProperties": dict.fromkeys(patterns, False)})
        unknown = [name for name in unknown if rules.is_met({name: None})]
    return unknown


def only_required_string(tool: ToolSpec) -> str | None:
    """The name of the one required parameter, if there is exactly one and it takes a string."""
    root = tool.parameters
    schema = resolved(root, root)
    required = schema.get("required")
    if not isinstance(required, list | tuple) or len(required) != 1 or not isinstance(required[0], str):
        return None
    name = required[0]
    return name if _takes_text(declared(schema, root).get(name, {}), root) else None


def _takes_text(schema: Any, root: Any, hops: int = MAX_UNIONS) -> bool:
    schema = resolved(schema, root)
    kinds = schema.get("type", "string")
    if "string" not in (kinds if isinstance(kinds, list) else [kinds]):
        return False
    beside = branches(schema)[: 2 * MAX_ENTRIES] if hops else []
    return not beside or any(_takes_text(each, root, hops // 2) for each in beside)

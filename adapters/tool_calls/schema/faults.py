"""A validator's faults in words for the model: where, what is wrong, and what would be right; one plain sentence each.

Of a union only the branch that was meant is told, if one can be seen: whose type, or whose constant that names the kind, is the
value's. All is bounded, as values and names are the model's own, and schemas strangers'.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from adapters.tool_calls.schema.rules import MASK, Rules
from adapters.tool_calls.schema.shape import (
    MAX_ENTRIES,
    TYPE_WORDS,
    at_pointer,
    clipped,
    declared,
    json_text,
    path_text,
    wanted,
)

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError

MAX_FAULTS: Final = 5
MAX_SENTENCE_CHARS: Final = 300


def told(rules: Rules, args: Any, faults: Sequence[ValidationError]) -> str:
    """All faults, the first few in words."""
    sentences = list(dict.fromkeys(each for fault in faults for each in _sentences(rules, args, fault)))
    words = [clipped(sentence, MAX_SENTENCE_CHARS) for sentence in sentences[:MAX_FAULTS]]
    more = [f"and {len(sentences) - MAX_FAULTS} more"] if len(sentences) > MAX_FAULTS else []
    return ". ".join([*words, *more])


def _sentences(rules: Rules, args: Any, fault: ValidationError) -> Iterator[str]:
    branch = _meant_branch(fault)
    if branch is not None:
        for inner in branch:
            yield from _sentences(rules, args, inner)
        return
    holder = at_pointer(rules.schema, fault.schema_path[:-1])
    word = _WORDS.get(fault.kind.name)
    if word is not None:
        yield from word(rules, holder, args, fault)
        return
    value = json_text(at_pointer(args, fault.instance_path))
    yield f"{path_text(fault.instance_path)}: {fault.message.replace(MASK, value)}"


def _meant_branch(fault: ValidationError) -> Sequence[ValidationError] | None:
    if fault.kind.name not in ("anyOf", "oneOf"):
        return None
    branches = [branch for branch in fault.kind.value if branch]
    same_type = [
        branch
        for branch in branches
        if not any(
            inner.kind.name in ("type", "enum", "const") and inner.instance_path == fault.instance_path
            for inner in branch
        )
    ]
    same_kind = [branch for branch in same_type if not any(inner.kind.name == "const" for inner in branch)]
    return next((found[0] for found in (same_type, same_kind) if len(found) == 1), None)


def _missing(rules: Rules, holder: Any, args: Any, fault: ValidationError) -> Iterator[str]:
    name = str(fault.kind.value)
    fields = declared(holder, rules.schema)
    right = f" ({wanted(fields[name], rules.schema)})" if name in fields else ""
    yield f"{path_text([*fault.instance_path, name])}: required, and missing{right}"


def _wrong_type(rules: Rules, holder: Any, args: Any, fault: ValidationError) -> Iterator[str]:
    words = " or ".join(word for kind, word in TYPE_WORDS.items() if kind in fault.kind.value)
    yield f"{path_text(fault.instance_path)}: {_value(args, fault)} is not {words}"


def _no_option(rules: Rules, holder: Any, args: Any, fault: ValidationError) -> Iterator[str]:
    options = fault.kind.value if fault.kind.name == "enum" else [fault.kind.value]
    texts = [json_text(option) for option in options[:MAX_ENTRIES]]
    more = ["…"] if len(options) > MAX_ENTRIES else []
    none = "is not" if len(options) == 1 else "is none of"
    yield f"{path_text(fault.instance_path)}: {_value(args, fault)} {none} {', '.join(texts + more)}"


def _no_field(rules: Rules, holder: Any, args: Any, fault: ValidationError) -> Iterator[str]:
    fields = list(declared(holder, rules.schema))
    names = ", ".join(
        [clipped(name, 40) for name in fields[:MAX_ENTRIES]] + (["…"] if len(fields) > MAX_ENTRIES else [])
    )
    right = f"the fields are {names}" if fields else "there are none"
    for name in fault.kind.value:
        yield f"{path_text([*fault.instance_path, name])}: there is no such field; {right}"


def _no_branch(rules: Rules, holder: Any, args: Any, fault: ValidationError) -> Iterator[str]:
    key = fault.kind.name
    if any(not branch for branch in fault.kind.value):
        yield f"{path_text(fault.instance_path)}: {_value(args, fault)} fits more than one of the shapes that exclude each other"
        return
    right = wanted({key: at_pointer(holder, [key])}, rules.schema)
    yield f"{path_text(fault.instance_path)}: {_value(args, fault)} is not {right}"


def _value(args: Any, fault: ValidationError) -> str:
    return json_text(at_pointer(args, fault.instance_path))


_WORDS: Final[Mapping[str, Callable[[Rules, Any, Any, Any], Iterator[str]]]] = {
    "required": _missing,
    "type": _wrong_type,
    "enum": _no_option,
    "const": _no_option,
    "additionalProperties": _no_field,
    "unevaluatedProperties": _no_field,
    "anyOf": _no_branch,
    "oneOf": _no_branch,
}
"""Keywords with words of their own; of the others the validator's are good."""

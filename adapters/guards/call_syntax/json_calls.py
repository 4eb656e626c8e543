"""Calls written as JSON: `{"name": …, "arguments": …}`, under all the keys that models use for the two.

A call's JSON is read by its members, so that the arguments stay as they were written. Lists and what only wraps calls
(`tool_calls`, `function`) say nothing more than that calls follow. Where the JSON is broken or cut, the name is looked for and the
arguments are given from their beginning on. Everything is linear: a value is parsed once, and once more for each wrapper around it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec

from adapters.guards.call_syntax.matching import SPACE, end_of
from adapters.guards.call_syntax.written import Written

NAME_KEYS: Final = ("name", "tool_name", "function_name", "tool", "function", "action", "recipient_name")
ARGUMENT_KEYS: Final = ("arguments", "parameters", "args", "input", "tool_input", "action_input", "params")
WRAPPER_KEYS: Final = ("function", "function_call", "tool_call", "tool_calls", "tool_uses")
SIDE_KEYS: Final = frozenset({"id", "type", "call_id", "tool_call_id", "index"})
"""Say nothing of what is called, and stand in many a call."""

_WRAPPERS_DEEP: Final = 3
_BETWEEN: Final = re.compile(r"[\s,;\[\]]*")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[{}\[\]]', re.DOTALL)
_NAME_BROKEN: Final = re.compile(rf"""["'](?:{"|".join(NAME_KEYS)})["']\s*:\s*["']([\w.:/-]+)["']""")
_ARGUMENTS_BROKEN: Final = re.compile(rf"""["'](?:{"|".join(ARGUMENT_KEYS)})["']\s*:\s*""")


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)


class Member(msgspec.Struct, frozen=True):
    """What stands behind a key: its value, and where that is written."""

    value: Any
    start: int
    end: int


def read_json_calls(text: str) -> Sequence[Written]:
    """The calls that the text consists of, as one JSON value or several in a row; () where anything else stands in it.

    Strict: whole JSON, a name and arguments in every object, and no other keys than calls have.
    """
    found: list[Written] = []
    at = end_of(SPACE, text, 0)
    while at < len(text):
        end = value_end(text, at)
        if end is None or text[at] not in "{[":
            return ()
        calls = _strict(text, at, end)
        if not calls:
            return ()
        found += calls
        at = end_of(SPACE, text, end)
    return found


def _strict(text: str, at: int, end: int) -> list[Written]:
    found = []
    for members in _objects(text, at, end):
        calls = _calls_of(text, members, strict=True) if members is not None else []
        if not calls:
            return []
        found += calls
    return found


def json_calls_at(text: str, at: int, *, keyed: bool = False) -> tuple[Sequence[Written], int] | None:
    """The calls of the object that begins at `at`, and where it ends; None where it is none.

    Forgiving: other keys may stand beside, and of a broken object the name and the arguments are given as they can be made out.
    `keyed`: the tool's name is the key of its arguments, as Apertus writes it.
    """
    parsed = _members(text, at)
    if parsed is None:
        return _broken(text, at)
    members, end = parsed
    calls = _calls_of(text, members, strict=False)
    if not calls and keyed and len(members) == 1:
        calls = [Written(name, text[one.start : one.end]) for name, one in members.items()]
    if not calls and "name" in members and isinstance(members["name"].value, str):
        # Neither arguments nor a call without any: the arguments may stand beside the name.
        calls = [Written(members["name"].value, text[at:end])]
    return (calls, end) if calls else None


def value_end(text: str, at: int) -> int | None:
    """Where the JSON value ends that begins at `at`; None where it is cut, or is none."""
    try:
        return _DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return None


def balanced_end(text: str, at: int, end: int | None = None) -> int | None:
    """Where the brackets are closed that open at `at`, whatever is wrong between them."""
    depth = 0
    for token in _TOKEN.finditer(text, at, len(text) if end is None else end):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth <= 0:
            return token.end()
    return None


# ----------------------------------------------------------------------------------------------------------- whole JSON


def _objects(text: str, at: int, end: int) -> Iterator[Mapping[str, Member] | None]:
    """The objects of a list, or the one that stands there; None for what is no object."""
    at = end_of(_BETWEEN, text, at)
    while at < end:
        parsed = _members(text, at) if text[at] == "{" else None
        yield parsed and parsed[0]
        if parsed is None:
            return
        at = end_of(_BETWEEN, text, parsed[1])


def _members(text: str, at: int) -> tuple[dict[str, Member], int] | None:
    """The members of a whole object, and where it ends; None where it is broken or cut. Of a key that comes twice the last one
    counts, as everywhere in JSON."""
    members: dict[str, Member] = {}
    at = end_of(SPACE, text, at + 1)
    try:
        while text[at] != "}":
            key, at = _DECODER.raw_decode(text, at)
            at = end_of(SPACE, text, at)
            if not isinstance(key, str) or text[at] != ":":
                return None
            start = end_of(SPACE, text, at + 1)
            value, at = _DECODER.raw_decode(text, start)
            members[key] = Member(value, start, at)
            at = end_of(SPACE, text, at)
            if text[at] == ",":
                at = end_of(SPACE, text, at + 1)
                if text[at] == "}":
                    return None
            elif text[at] != "}":
                return None
    except (ValueError, RecursionError, IndexError):
        return None
    return members, at + 1


def _calls_of(text: str, members: Mapping[str, Member], *, strict: bool, deep: int = 0) -> list[Written]:
    for key in WRAPPER_KEYS:
        wrapped = members.get(key)
        if wrapped is None or not isinstance(wrapped.value, dict | list) or deep == _WRAPPERS_DEEP:
            continue
        if strict and members.keys() - SIDE_KEYS != {key}:
            return []
        found = []
        for inner in _objects(text, wrapped.start, wrapped.end):
            calls = _calls_of(text, inner, strict=strict, deep=deep + 1) if inner is not None else []
            if not calls and strict:
                return []
            found += calls
        return found
    return _call_of(text, members, strict=strict)


def _call_of(text: str, members: Mapping[str, Member], *, strict: bool) -> list[Written]:
    named = next((key for key in NAME_KEYS if key in members), None)
    given = next((key for key in ARGUMENT_KEYS if key in members), None)
    name = members[named].value if named else None
    if not isinstance(name, str) or not name.strip():
        return []
    if given is None:
        return [] if strict or members.keys() - SIDE_KEYS != {named} else [Written(name, "")]
    if strict and (members.keys() - SIDE_KEYS != {named, given} or not _is_object(members[given].value)):
        return []
    return [Written(name, _raw(text, members[given]))]


def _is_object(value: object) -> bool:
    if not isinstance(value, str):
        return isinstance(value, dict)
    start = end_of(SPACE, value, 0)
    end = value_end(value, start) if value.startswith("{", start) else None
    return end is not None and not value[end:].strip()


def _raw(text: str, arguments: Member) -> str:
    """A string of JSON, as OpenAI's API has it, is the JSON that it holds."""
    if isinstance(arguments.value, str):
        return arguments.value
    return "" if arguments.value is None else text[arguments.start : arguments.end]


# ---------------------------------------------------------------------------------------------------------- broken JSON


def _broken(text: str, at: int) -> tuple[Sequence[Written], int] | None:
    """Whole it is where the arguments are, or where the brackets are closed, also the outer ones: then it was not cut, and only
    badly written."""
    outer = balanced_end(text, at)
    end = len(text) if outer is None else outer
    arguments = _ARGUMENTS_BROKEN.search(text, at, end)
    before, after = (arguments.start(), arguments.end()) if arguments else (end, end)
    closed = balanced_end(text, after, end) if text[after : after + 1] in ("{", "[") else None
    name = _NAME_BROKEN.search(text, at, before) or (_NAME_BROKEN.search(text, closed, end) if closed else None)
    if name is None:
        return None
    raw = text[after : closed or end].rstrip()
    whole = closed is not None and (outer is not None or value_end(text, after) == closed)
    return [Written(name[1], raw, whole=whole)], end

"""Calls written as Python does: `name(city="Oslo", days=3)`, alone or in a list.

The arguments are none, one JSON object, one JSON string (which parameter it is, the caller has to know), or keywords with literal
values. Everything else is a program and no call.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from adapters.guards.call_syntax.json_calls import value_end
from adapters.guards.call_syntax.literals import NotLiteral, after_comma, literal_at
from adapters.guards.call_syntax.matching import SPACE, end_of
from adapters.guards.call_syntax.written import Written

_HEAD: Final = re.compile(r"(\w[\w.-]*)\s*\(", re.ASCII)
_KEYWORD: Final = re.compile(r"([^\W\d]\w*)\s*=(?!=)\s*")
_BETWEEN: Final = re.compile(r"[\s,;]*")


def read_python_call(text: str) -> Written | None:
    """The call that the text is, blanks around it aside; None where it is anything else, or cut."""
    text = text.strip()
    found = python_call_at(text, 0)
    return found[0] if found and found[1] == len(text) else None


def read_python_calls(text: str) -> Sequence[Written]:
    """The calls of a list, `[f(a=1), g()]`; () where anything else stands among them."""
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return ()
    text = text[1:-1].strip()
    calls, at = [], 0
    while at < len(text):
        found = python_call_at(text, at)
        if found is None:
            return ()
        calls.append(found[0])
        at = end_of(_BETWEEN, text, found[1])
    return calls


def python_call_at(text: str, at: int) -> tuple[Written, int] | None:
    """The whole call that begins at `at`, and where it ends."""
    head = _HEAD.match(text, at)
    return arguments_at(text, head.end(), head[1]) if head else None


def arguments_at(text: str, at: int, name: str) -> tuple[Written, int] | None:
    """The call of this name whose arguments begin at `at`, behind the parenthesis; and where it ends."""
    begin = end_of(SPACE, text, at)
    if text.startswith(("{", '"'), begin):
        return _alone(text, begin, name)
    fields: dict[str, Any] = {}
    at = begin
    try:
        while not text.startswith(")", at):
            keyword = _KEYWORD.match(text, at)
            if keyword is None or keyword[1] in fields:
                return None
            fields[keyword[1]], at = literal_at(text, keyword.end())
            at = after_comma(text, at, ")")
    except NotLiteral:
        return None
    return Written(name, text[begin:at].rstrip(), fields), at + 1


def _alone(text: str, at: int, name: str) -> tuple[Written, int] | None:
    """One argument without a name: an object, which is all arguments, or a string."""
    end = value_end(text, at)
    closing = end_of(SPACE, text, end) if end is not None else len(text)
    if not text.startswith(")", closing):
        return None
    raw = text[at:end]
    if raw.startswith("{"):
        return Written(name, raw), closing + 1
    value, _ = literal_at(raw, 0)
    return Written(name, raw, positional=value), closing + 1

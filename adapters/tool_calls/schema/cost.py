"""How much work a check may be, known before it is begun.

A validator looks at a value once for each branch that leads to it. Unions in unions, and a union in a schema that refers to itself,
multiply: `A = anyOf[{a: A}, {a: A}]` looks at a value thirty levels down a billion times. So the looks at one value are counted
beforehand for each depth of arguments, level by level out of those of the level before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from adapters.tool_calls.schema.shape import branches, referred

MAX_NESTING: Final = 100
"""Levels of arguments, whatever the schema."""
MAX_LOOKS: Final = 100_000
"""At one value."""
_MAX_VISITS: Final = 100_000
"""Of this count itself; what is deeper than it came counts as too deep."""

_IN_PLACE: Final = ("not", "if", "then", "else")
_INNER_MAPS: Final = ("properties", "patternProperties")
_INNER: Final = (
    *("additionalProperties", "unevaluatedProperties", "propertyNames"),
    *("items", "additionalItems", "unevaluatedItems", "contains"),
)


def looks(schema: Mapping[str, Any]) -> tuple[int, ...]:
    """How many times a check looks at one value 0, 1, 2, … levels down; what is deeper is too much."""
    places = list(objects(schema))
    counts: list[int] = []
    before: dict[int, int] = {}
    for _ in range(min(MAX_NESTING + 1, max(2, _MAX_VISITS // len(places)))):
        now: dict[int, int] = {}
        for place in places:
            _count(place, schema, now, before)
        if now[id(schema)] > MAX_LOOKS:
            break
        counts.append(now[id(schema)])
        if now == before:
            # No deeper arguments find more.
            return (*counts, *[counts[-1]] * (MAX_NESTING + 1 - len(counts)))
        before = now
    return tuple(counts)


def measured(value: Any) -> tuple[int, int]:
    """How many values there are in this one, and how many levels; not more levels than MAX_NESTING + 1 are counted."""
    values_nr, nesting, level = 0, 0, [value]
    while level and nesting <= MAX_NESTING:
        nesting += 1
        inner: list[Any] = []
        for each in level:
            inner += each.values() if isinstance(each, dict) else each
        values_nr += len(inner)
        level = [each for each in inner if isinstance(each, dict | list)]
    return values_nr, nesting


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    """All JSON objects in a JSON value, itself included."""
    waiting = [schema]
    while waiting:
        place = waiting.pop()
        if isinstance(place, dict):
            yield place
            waiting += place.values()
        elif isinstance(place, list):
            waiting += place


def _count(schema: Any, root: Any, now: dict[int, int], before: Mapping[int, int]) -> int:
    if not isinstance(schema, dict):
        return 1
    if id(schema) not in now:
        now[id(schema)] = 0  # a schema that stands in its own place adds nothing
        in_place = sum(_count(each, root, now, before) for each in _in_place(schema, root))
        further = max((before.get(id(each), 1) for each in _further(schema)), default=0)
        required, options = (
            len(schema[key]) if isinstance(schema.get(key), list) else 0 for key in ("required", "enum")
        )
        own = 1 + required + options // 100
        now[id(schema)] = min(own + in_place + further, MAX_LOOKS + 1)
    return now[id(schema)]


def _in_place(schema: Mapping[str, Any], root: Any) -> Iterator[Any]:
    yield from branches(schema)
    yield from (schema[key] for key in _IN_PLACE if key in schema)
    if isinstance(schema.get("dependentSchemas"), dict):
        yield from schema["dependentSchemas"].values()
    if "$ref" in schema:
        yield referred(schema["$ref"], root)


def _further(schema: Mapping[str, Any]) -> Iterator[Any]:
    for key in _INNER_MAPS:
        if isinstance(schema.get(key), dict):
            yield from schema[key].values()
    yield from (schema[key] for key in _INNER if key in schema)
    for key in ("items", "prefixItems"):
        if isinstance(schema.get(key), list):
            yield from schema[key]

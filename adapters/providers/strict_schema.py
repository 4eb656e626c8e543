"""Which JSON Schemas OpenAI enforces (https://platform.openai.com/docs/guides/structured-outputs#supported-schemas).

With `strict`, the model cannot leave the schema; but a schema that does not keep to the subset makes the whole request fail. So
only what is surely inside it is asked for strictly: closed objects whose properties are all required, and these keywords.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MAX_DEPTH: Final = 10
"""Levels of nesting that OpenAI takes."""

_PLAIN: Final = frozenset({"type", "description", "title", "enum", "const", "required", "additionalProperties"})
_TYPES: Final = frozenset({"string", "number", "integer", "boolean", "null", "array", "object"})


def is_strict(schema: Mapping[str, Any]) -> bool:
    """Whether this schema, of an object, can be enforced as it stands."""
    return schema.get("type") == "object" and _fits(schema, 0)


def _fits(schema: Any, depth: int) -> bool:
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return False
    if "$ref" in schema:
        # "$ref cannot have keywords {'description'}"; the root names its type beside it, so it never fits.
        return len(schema) == 1
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds] if kinds is not None else []
    if not (kinds or "anyOf" in schema or "enum" in schema or "const" in schema):
        return False
    if not all(kind in _TYPES for kind in kinds):
        return False
    if "object" in kinds and not _is_closed(schema):
        return False
    if "array" in kinds and "items" not in schema:
        return False
    return all(_keyword_fits(name, value, depth) for name, value in schema.items())


def _is_closed(schema: Mapping[str, Any]) -> bool:
    properties, required = schema.get("properties"), schema.get("required")
    return (
        schema.get("additionalProperties") is False
        and isinstance(properties, Mapping)
        and isinstance(required, list)
        and set(properties) == set(map(str, required))
    )


def _keyword_fits(name: str, value: Any, depth: int) -> bool:
    if name == "items":
        return _fits(value, depth + 1)
    if name == "anyOf":
        return isinstance(value, list) and depth > 0 and all(_fits(each, depth + 1) for each in value)
    if name in ("properties", "$defs"):
        return isinstance(value, Mapping) and all(_fits(each, depth + 1) for each in value.values())
    return name in _PLAIN

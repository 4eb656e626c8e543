"""JSON Schemas as Anthropic enforces them, itself and on Amazon Bedrock.

Objects must be closed, and there may be no bounds (platform.claude.com, page "Structured outputs"; Bedrock user guide, page "Get
validated JSON results from models").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_BOUNDS: Final = frozenset(
    (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
        *("maxItems", "uniqueItems", "minProperties", "maxProperties"),
    )
)
"""Keywords that the API refuses."""

_NAMED: Final = frozenset(("properties", "$defs", "definitions"))
"""Keywords whose value holds schemas under names."""

_DATA: Final = frozenset(("enum", "const", "default", "examples", "required"))
"""Keywords whose value holds no schema."""


def closed_schema(schema: Any) -> Any:
    """The schema as the API wants it: objects without further properties, and without bounds, which it does not know."""
    if isinstance(schema, list | tuple):
        return [closed_schema(entry) for entry in schema]
    if not isinstance(schema, Mapping):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DATA:
            out[key] = value
        elif key in _NAMED and isinstance(value, Mapping):
            out[key] = {name: closed_schema(inner) for name, inner in value.items()}
        elif key not in _BOUNDS and not (key == "minItems" and value not in (0, 1)):
            out[key] = closed_schema(value)
    if out.get("type") == "object" or "properties" in out:
        out["additionalProperties"] = False
    return out

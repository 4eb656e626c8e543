"""JSON Schemas as Anthropic enforces them."""

from __future__ import annotations

from adapters.providers.closed_schema import closed_schema

SCHEMA = {
    "type": "object",
    "properties": {
        "minimum": {"type": "integer", "minimum": 1, "enum": [1, 2]},
        "names": {"type": "array", "minItems": 2, "items": {"type": "object", "properties": {}}},
    },
    "required": ["minimum"],
}


def test_a_schema_is_closed_and_has_no_bounds() -> None:
    """Which the API demands; a property may have a keyword's name."""
    assert closed_schema(SCHEMA) == {
        "type": "object",
        "properties": {
            "minimum": {"type": "integer", "enum": [1, 2]},
            "names": {"type": "array", "items": {"type": "object", "properties": {}, "additionalProperties": False}},
        },
        "required": ["minimum"],
        "additionalProperties": False,
    }

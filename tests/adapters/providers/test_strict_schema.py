"""Which schemas are asked for strictly."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.providers.strict_schema import is_strict


def closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (closed(), True),
        (closed(a={"type": "string", "description": "x", "enum": ["b"]}), True),
        (closed(a={"type": ["string", "null"]}, b={"type": "array", "items": closed(c={"type": "integer"})}), True),
        (closed(a={"anyOf": [{"type": "string"}, {"type": "null"}]}), True),
        ({**closed(a={"$ref": "#/$defs/x"}), "$defs": {"x": closed()}}, True),
        ({**closed(a={"$ref": "#/$defs/x", "description": "x"}), "$defs": {"x": closed()}}, False),
        ({"type": "object", "properties": {}}, False),
        ({**closed(a={"type": "string"}), "required": []}, False),
        ({**closed(a={"type": "string"}), "additionalProperties": True}, False),
        (closed(a={"type": "object"}), False),
        (closed(a={"type": "array"}), False),
        (closed(a={"type": "string", "default": "b"}), False),
        (closed(a={"oneOf": [{"type": "string"}]}), False),
        (closed(a={}), False),
        (closed(a=True), False),
        ({"anyOf": [closed()]}, False),
        ({}, False),
    ],
)
def test_only_a_schema_that_is_surely_in_the_subset_is_strict(schema: dict[str, Any], *, expected: bool) -> None:
    """Closed objects, all properties required, known keywords; anything else would make the request fail."""
    assert is_strict(schema) is expected


def test_endless_nesting_is_not_strict() -> None:
    """Deeper than the API takes, and no recursion without end."""
    schema = closed()
    for _ in range(50):
        schema = closed(a=schema)
    assert not is_strict(schema)

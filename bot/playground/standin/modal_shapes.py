"""The shapes of a modal and of what it asks for, with their limits, and what must hold between its fields.

https://docs.discord.com/developers/components/reference; limits of radio and checkbox groups and of file uploads: Discord's
OpenAPI file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from bot.playground.standin.errors import ErrorTree, leaf
from bot.playground.standin.request_shapes import CUSTOM_ID, SELECTS, TEXT_DISPLAY, TYPE_AND_ID
from bot.playground.standin.shapes import Boolean, ByType, Integer, Items, OneOf, Rule, Select, Shape, Text

SELECT_TYPES = frozenset(SELECTS)


class Input(msgspec.Struct, frozen=True):
    """A text input: its fields, and a preset text that can be submitted as it is."""

    fields: Shape

    def check(self, value: Any) -> ErrorTree | None:
        if errors := self.fields.check(value):
            return errors
        low, high = length_bounds(value)
        if low > high:
            return {"min_length": leaf("NUMBER_TYPE_MAX", f"int value should be less than or equal to {high}.")}
        preset = value.get("value")
        error = Text(high, low).check(preset) if preset else None
        return {"value": error} if error else None


def length_bounds(text_input: Mapping[str, Any]) -> tuple[int, int]:
    """Code points that a given text must and may have."""
    low, high = text_input.get("min_length"), text_input.get("max_length")
    return low or 0, LONGEST_TEXT if high is None else high


LONGEST_TEXT = 4000
_INPUT: dict[str, Rule] = {
    **TYPE_AND_ID,
    "custom_id": CUSTOM_ID,
    "style": OneOf(frozenset({1, 2})),
    "label": Text(45, 1),
    "min_length": Integer(0, LONGEST_TEXT),
    "max_length": Integer(1, LONGEST_TEXT),
    "required": Boolean(),
    "value": Text(LONGEST_TEXT),
    "placeholder": Text(100),
}
_INPUT_REQUIRED = frozenset({"custom_id", "style"})
_TEXT_INPUT = Input(Shape(_INPUT, _INPUT_REQUIRED))
_LABELLED_INPUT = Input(Shape(_INPUT, _INPUT_REQUIRED | {"label"}))

_OPTION = Shape(
    {"label": Text(100, 1), "value": Text(100, 1), "description": Text(100), "default": Boolean()},
    frozenset({"label", "value"}),
)
_FIELD: dict[str, Rule] = {**TYPE_AND_ID, "custom_id": CUSTOM_ID, "required": Boolean()}
_HOW_MANY: dict[str, Rule] = {"min_values": Integer(0, 10), "max_values": Integer(1, 10)}
_OF_OPTIONS = frozenset({"custom_id", "options"})
_FILE_UPLOAD = Select(Shape({**_FIELD, **_HOW_MANY}, frozenset({"custom_id"})), 10)
_RADIO_GROUP = Select(Shape({**_FIELD, "options": Items(_OPTION, max=10, min=2)}, _OF_OPTIONS), 10)
_CHECKBOX_GROUP = Select(
    Shape({**_FIELD, **_HOW_MANY, "options": Items(_OPTION, max=10, min=1)}, _OF_OPTIONS), 10, takes_all=True
)
_CHECKBOX = Shape({**TYPE_AND_ID, "custom_id": CUSTOM_ID, "default": Boolean()}, frozenset({"custom_id"}))
_LABEL = Shape(
    {
        **TYPE_AND_ID,
        "label": Text(45, 1),
        "description": Text(100),
        "component": ByType(
            {
                4: _TEXT_INPUT,
                **SELECTS,
                19: _FILE_UPLOAD,
                21: _RADIO_GROUP,
                22: _CHECKBOX_GROUP,
                23: _CHECKBOX,
            }
        ),
    },
    frozenset({"label", "component"}),
)
_ROW = Shape(
    {**TYPE_AND_ID, "components": Items(ByType({4: _LABELLED_INPUT}), max=1, min=1)}, frozenset({"components"})
)


class Form(msgspec.Struct, frozen=True):
    """A modal: its fields, of which no two may have the same custom id, and none may be disabled."""

    fields: Shape

    def check(self, value: Any) -> ErrorTree | None:
        if errors := self.fields.check(value):
            return errors
        seen: set[str] = set()
        for field in form_fields(value):
            if field.get("disabled"):
                return {"components": leaf("MODAL_COMPONENT_DISABLED", "A component of a modal cannot be disabled")}
            if field["custom_id"] in seen:
                message = "Component custom id cannot be duplicated"
                return {"components": leaf("COMPONENT_CUSTOM_ID_DUPLICATED", message)}
            seen.add(field["custom_id"])
        return None


def form_fields(modal: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """What a person fills in, in its order."""
    for part in modal["components"]:
        if part["type"] == _ROW_TYPE:
            yield from part["components"]
        elif part["type"] == _LABEL_TYPE:
            yield part["component"]


_ROW_TYPE, _TEXT_TYPE, _LABEL_TYPE = 1, 10, 18
MODAL = Form(
    Shape(
        {
            "custom_id": CUSTOM_ID,
            "title": Text(45, 1),
            "components": Items(ByType({_ROW_TYPE: _ROW, _TEXT_TYPE: TEXT_DISPLAY, _LABEL_TYPE: _LABEL}), max=5, min=1),
        },
        frozenset({"custom_id", "title", "components"}),
    )
)

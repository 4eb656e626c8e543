"""A modal as the bot sent it → the form that the page draws, in reading order.

https://docs.discord.com/developers/components/reference: a row holds one text input with its label; the newer label holds
any field.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import msgspec

from bot.playground.page.component_views import OptionView, SelectView, TextView, option_view, select_view
from bot.playground.page.markdown import render
from bot.playground.page.mentions import NameOf
from bot.playground.standin.events import Json
from bot.playground.standin.modal_shapes import SELECT_TYPES, length_bounds
from bot.playground.standin.shapes import choice_bounds

_ROW, _TEXT_INPUT, _TEXT_DISPLAY, _FILES, _RADIO_GROUP, _CHECKBOX_GROUP, _CHECKBOX = 1, 4, 10, 19, 21, 22, 23
_PARAGRAPH = 2


class InputView(msgspec.Struct, frozen=True, tag="input", tag_field="kind"):
    custom_id: str
    is_paragraph: bool
    placeholder: str
    value: str
    required: bool
    min_length: int
    """Code points; of a text that is given at all."""
    max_length: int


class FilesView(msgspec.Struct, frozen=True, tag="files", tag_field="kind"):
    custom_id: str
    required: bool
    min_values: int
    max_values: int


class ChoicesView(msgspec.Struct, frozen=True, tag="choices", tag_field="kind"):
    """Radio buttons or checkboxes."""

    custom_id: str
    is_single: bool
    required: bool
    min_values: int
    max_values: int
    options: tuple[OptionView, ...]
    chosen: tuple[str, ...]


class CheckboxView(msgspec.Struct, frozen=True, tag="checkbox", tag_field="kind"):
    custom_id: str
    is_checked: bool
    required: bool = False


FieldView: TypeAlias = InputView | SelectView | FilesView | ChoicesView | CheckboxView


class LabelView(msgspec.Struct, frozen=True, tag="label", tag_field="kind"):
    label: str
    description: str
    field: FieldView


class ModalView(msgspec.Struct, frozen=True):
    id: str
    """Of the interaction that the modal answered; the filled form is sent under it."""
    title: str
    parts: tuple[LabelView | TextView, ...]


def modal_view(interaction_id: str, modal: Json, name_of: NameOf) -> ModalView:
    return ModalView(interaction_id, modal["title"], tuple(_parts(modal, name_of)))


def _parts(modal: Json, name_of: NameOf) -> Iterator[LabelView | TextView]:
    for part in modal["components"]:
        if part["type"] == _TEXT_DISPLAY:
            yield TextView(render(part["content"], name_of))
        elif part["type"] == _ROW:
            for field in part["components"]:
                yield LabelView(field.get("label") or "", "", _field(field))
        else:
            yield LabelView(part["label"], part.get("description") or "", _field(part["component"]))


def _field(field: Json) -> FieldView:
    custom_id, required = field["custom_id"], field.get("required") is not False
    if field["type"] == _TEXT_INPUT:
        low, high = length_bounds(field)
        placeholder, value = field.get("placeholder") or "", field.get("value") or ""
        return InputView(custom_id, field["style"] == _PARAGRAPH, placeholder, value, required, low, high)
    if field["type"] in SELECT_TYPES:
        return select_view(field)
    if field["type"] == _CHECKBOX:
        return CheckboxView(custom_id, bool(field.get("default")))
    low, high = choice_bounds(field, takes_all=field["type"] == _CHECKBOX_GROUP)
    if field["type"] == _FILES:
        return FilesView(custom_id, required, low, high)
    options = field["options"]
    chosen = tuple(option["value"] for option in options if option.get("default"))
    is_single = field["type"] == _RADIO_GROUP
    return ChoicesView(custom_id, is_single, required, low, high, tuple(map(option_view, options)), chosen)

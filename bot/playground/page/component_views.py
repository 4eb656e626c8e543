"""A message's components → what the page draws, in reading order.

Of the layout components only text and controls are drawn; a container or section is no more than what it holds.
https://docs.discord.com/developers/components/reference
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec

from bot.playground.page.markdown import render
from bot.playground.page.mentions import NameOf
from bot.playground.standin.events import Json

_ACTION_ROW, _BUTTON, _SECTION, _TEXT, _SEPARATOR, _CONTAINER = 1, 2, 9, 10, 14, 17
_SELECTS = frozenset({3, 5, 6, 7, 8})
_LINK_STYLE = 5


class ButtonView(msgspec.Struct, frozen=True, tag="button", tag_field="kind"):
    label: str
    emoji: str
    style: int
    """1 primary, 2 secondary, 3 success, 4 danger, 5 link."""
    disabled: bool
    custom_id: str | None = None
    url: str | None = None


class SelectView(msgspec.Struct, frozen=True, tag="select", tag_field="kind"):
    placeholder: str
    disabled: bool
    options: tuple[str, ...]


class RowView(msgspec.Struct, frozen=True, tag="row", tag_field="kind"):
    controls: tuple[ButtonView | SelectView, ...]


class TextView(msgspec.Struct, frozen=True, tag="text", tag_field="kind"):
    html: str


class SeparatorView(msgspec.Struct, frozen=True, tag="separator", tag_field="kind"):
    pass


ComponentView: TypeAlias = RowView | TextView | SeparatorView

_NOT_DRAWN = TextView("<p>[component]</p>")


def component_views(components: Iterable[Json], name_of: NameOf) -> Iterator[ComponentView]:
    """Components of no known type are "[component]", so that nobody takes the message for empty."""
    for component in components:
        kind, inside = component["type"], component.get("components", ())
        if kind == _ACTION_ROW:
            yield RowView(tuple(_controls(inside)))
        elif kind == _BUTTON:
            yield RowView(tuple(_controls((component,))))
        elif kind == _TEXT:
            yield TextView(render(component["content"], name_of))
        elif kind == _SEPARATOR:
            yield SeparatorView()
        elif kind == _CONTAINER:
            yield from component_views(inside, name_of)
        elif kind == _SECTION:
            yield from component_views((*inside, component["accessory"]), name_of)
        else:
            yield _NOT_DRAWN


def web_address(url: Any) -> str | None:
    return url if isinstance(url, str) and url.lower().startswith(("https://", "http://")) else None


def emoji_text(emoji: Mapping[str, Any]) -> str:
    name = emoji.get("name") or ""
    return f":{name}:" if emoji.get("id") else name


def _controls(components: Iterable[Json]) -> Iterator[ButtonView | SelectView]:
    for component in components:
        if component["type"] == _BUTTON:
            is_link = component["style"] == _LINK_STYLE
            yield ButtonView(
                label=component.get("label") or "",
                emoji=emoji_text(component.get("emoji") or {}),
                style=component["style"],
                disabled=bool(component.get("disabled")),
                custom_id=None if is_link else component.get("custom_id"),
                url=web_address(component.get("url")) if is_link else None,
            )
        elif component["type"] in _SELECTS:
            yield SelectView(
                placeholder=component.get("placeholder") or "Make a selection",
                disabled=bool(component.get("disabled")),
                options=tuple(option["label"] for option in component.get("options", ())),
            )

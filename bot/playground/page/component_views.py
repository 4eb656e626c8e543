"""A message's components → what the page draws, in reading order.

https://docs.discord.com/developers/components/reference
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

import msgspec

from bot.playground.page.file_views import FileView
from bot.playground.page.markdown import render
from bot.playground.page.mentions import NameOf
from bot.playground.standin.events import Json
from bot.playground.standin.shapes import choice_bounds

_ACTION_ROW, _BUTTON, _THUMBNAIL = 1, 2, 11
_SELECTS: Mapping[int, tuple[str, ...]] = {3: (), 5: ("user",), 6: ("role",), 7: ("user", "role"), 8: ("channel",)}
"""What they offer beside their own options."""
_LINK_STYLE = 5
_LARGE = 2


class ButtonView(msgspec.Struct, frozen=True, tag="button", tag_field="kind"):
    label: str
    emoji: str
    style: int
    """1 primary, 2 secondary, 3 success, 4 danger, 5 link."""
    disabled: bool
    custom_id: str | None = None
    url: str | None = None


class OptionView(msgspec.Struct, frozen=True):
    value: str
    label: str
    description: str = ""
    emoji: str = ""


class SelectView(msgspec.Struct, frozen=True, tag="select", tag_field="kind", kw_only=True):
    custom_id: str
    placeholder: str
    disabled: bool
    required: bool
    """Of a field in a modal: whether something must be chosen."""
    min_values: int
    max_values: int
    options: tuple[OptionView, ...]
    of: tuple[str, ...]
    """What else it offers, all of the kind that there are: `user`, `role`, `channel`."""
    channel_types: tuple[int, ...]
    """Only these channels; empty: all."""
    chosen: tuple[str, ...]
    """Values and ids that are preset."""


class RowView(msgspec.Struct, frozen=True, tag="row", tag_field="kind"):
    controls: tuple[ButtonView | SelectView, ...]


class TextView(msgspec.Struct, frozen=True, tag="text", tag_field="kind"):
    html: str


class SeparatorView(msgspec.Struct, frozen=True, tag="separator", tag_field="kind"):
    has_line: bool = True
    is_large: bool = False


class MediaView(msgspec.Struct, frozen=True, tag="media", tag_field="kind"):
    """A picture or file of the message, or the address of one elsewhere, which the page links and does not load."""

    file: FileView | None
    link: str | None
    description: str
    is_spoiler: bool


class GalleryView(msgspec.Struct, frozen=True, tag="gallery", tag_field="kind"):
    items: tuple[MediaView, ...]


class SectionView(msgspec.Struct, frozen=True, tag="section", tag_field="kind"):
    parts: tuple[ComponentView, ...]
    accessory: ComponentView


class ContainerView(msgspec.Struct, frozen=True, tag="container", tag_field="kind"):
    color: str | None
    """`#rrggbb`."""
    is_spoiler: bool
    parts: tuple[ComponentView, ...]


ComponentView: TypeAlias = RowView | TextView | SeparatorView | MediaView | GalleryView | SectionView | ContainerView

_NOT_DRAWN = TextView("<p>[component]</p>")


class ComponentReader:
    """`files` are those of the message, by the address that Discord gives them."""

    def __init__(self, name_of: NameOf, files: Mapping[str, FileView]) -> None:
        self._name_of = name_of
        self._files = files
        self._by_type: Mapping[int, Callable[[Json], ComponentView]] = {
            _ACTION_ROW: lambda row: RowView(_controls(row["components"])),
            _BUTTON: lambda button: RowView(_controls((button,))),
            9: lambda section: SectionView(self.views(section["components"]), self._view(section["accessory"])),
            10: lambda text: TextView(render(text["content"], self._name_of)),
            _THUMBNAIL: lambda thumbnail: self._media(thumbnail, thumbnail["media"]),
            12: lambda gallery: GalleryView(tuple(self._media(item, item["media"]) for item in gallery["items"])),
            13: lambda file: self._media(file, file["file"]),
            14: lambda separator: SeparatorView(separator.get("divider", True), separator.get("spacing") == _LARGE),
            17: lambda container: ContainerView(
                hex_color(container.get("accent_color")),
                bool(container.get("spoiler")),
                self.views(container["components"]),
            ),
        }

    def views(self, components: Iterable[Json]) -> tuple[ComponentView, ...]:
        """Components of no known type are "[component]", so that nobody takes the message for empty."""
        return tuple(map(self._view, components))

    def _view(self, component: Json) -> ComponentView:
        view = self._by_type.get(component["type"])
        return _NOT_DRAWN if view is None else view(component)

    def _media(self, component: Json, media: Json) -> MediaView:
        file = self._files.get(media["url"])
        return MediaView(
            file,
            None if file else web_address(media["url"]),
            component.get("description") or "",
            bool(component.get("spoiler")),
        )


def hex_color(color: int | None) -> str | None:
    return None if color is None else f"#{color & 0xFFFFFF:06x}"


def web_address(url: Any) -> str | None:
    return url if isinstance(url, str) and url.lower().startswith(("https://", "http://")) else None


def emoji_text(emoji: Mapping[str, Any]) -> str:
    name = emoji.get("name") or ""
    return f":{name}:" if emoji.get("id") else name


def _controls(components: Iterable[Json]) -> tuple[ButtonView | SelectView, ...]:
    known = (component for component in components if component["type"] in (_BUTTON, *_SELECTS))
    return tuple(_button(control) if control["type"] == _BUTTON else select_view(control) for control in known)


def _button(button: Json) -> ButtonView:
    is_link = button["style"] == _LINK_STYLE
    return ButtonView(
        label=button.get("label") or "",
        emoji=emoji_text(button.get("emoji") or {}),
        style=button["style"],
        disabled=bool(button.get("disabled")),
        custom_id=None if is_link else button.get("custom_id"),
        url=web_address(button.get("url")) if is_link else None,
    )


def select_view(select: Json) -> SelectView:
    """Of a message or a modal."""
    low, high = choice_bounds(select)
    options = select.get("options") or ()
    preset = [option["value"] for option in options if option.get("default")]
    return SelectView(
        custom_id=select["custom_id"],
        placeholder=select.get("placeholder") or "Make a selection",
        disabled=bool(select.get("disabled")),
        required=select.get("required") is not False,
        min_values=low,
        max_values=high,
        options=tuple(map(option_view, options)),
        of=_SELECTS[select["type"]],
        channel_types=tuple(select.get("channel_types") or ()),
        chosen=(*preset, *(str(value["id"]) for value in select.get("default_values") or ())),
    )


def option_view(option: Json) -> OptionView:
    description, emoji = option.get("description") or "", emoji_text(option.get("emoji") or {})
    return OptionView(option["value"], option["label"], description, emoji)

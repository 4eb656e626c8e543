"""Files that components and embeds show: `attachment://name` becomes the address of the file, as Discord gives it back.

https://docs.discord.com/developers/components/reference#unfurled-media-item,
/reference#editing-message-attachments-using-attachments-within-embeds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from bot.playground.standin.errors import invalid_form
from bot.playground.standin.events import Json

_SCHEME = "attachment://"
_MEDIA = ("media", "file")
"""Fields of components that hold an unfurled media item."""


def check_references(body: Json, names: Collection[str]) -> None:
    """Raises 50035 where the body of a message refers to a file that is not among `names`."""
    for part in ("components", "embeds"):
        for path, url in _urls(body.get(part) or [], part):
            if url.startswith(_SCHEME) and url.removeprefix(_SCHEME) not in names:
                code = "UNFURLED_MEDIA_ITEM_REFERENCED_ATTACHMENT_NOT_FOUND"
                raise invalid_form(path, code, "The referenced attachment was not found")


def with_media(components: Iterable[Json], files: Mapping[str, Json], new_id: Callable[[], str]) -> list[Json]:
    """The components with what they show; `files` are attachment objects by their name."""

    def unfurled(component: Any) -> Any:
        if isinstance(component, list):
            return [unfurled(child) for child in component]
        if not isinstance(component, dict):
            return component
        shown = {key: unfurled(value) for key, value in component.items()}
        for key in _MEDIA:
            if key in shown:
                file = files.get(shown[key]["url"].removeprefix(_SCHEME))
                shown[key] = _media_item(shown[key]["url"], file, new_id())
                about = {"spoiler": False} if key == "file" else {"spoiler": False, "description": None}
                about |= {"name": file["filename"], "size": file["size"]} if file and key == "file" else {}
                shown = about | {name: value for name, value in shown.items() if value is not None}
        return shown

    return [unfurled(component) for component in components]


def with_addresses(embeds: Iterable[Json], files: Mapping[str, Json]) -> list[Json]:
    """The embeds with the addresses of the files that they show."""

    def addressed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: addressed(inner) for key, inner in value.items()}
        if isinstance(value, str) and value.startswith(_SCHEME):
            file = files.get(value.removeprefix(_SCHEME))
            return file["url"] if file else value
        return value

    return [{**embed, **{part: addressed(embed[part]) for part in _EMBED_PARTS if part in embed}} for embed in embeds]


_EMBED_PARTS = ("image", "thumbnail", "author", "footer")


def _media_item(url: str, file: Json | None, item_id: str) -> Json:
    item: Json = {"id": item_id, "url": url, "proxy_url": url, "width": None, "height": None, "content_type": None}
    if file is None:
        return item
    address = {"url": file["url"], "proxy_url": file["proxy_url"], "content_type": file.get("content_type")}
    return item | address | {"attachment_id": file["id"]}


def _urls(value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _urls(item, f"{path}.{index}")
    elif isinstance(value, dict):
        for key, item in value.items():
            if key in ("url", "icon_url") and isinstance(item, str):
                yield f"{path}.{key}", item
            else:
                yield from _urls(item, f"{path}.{key}")

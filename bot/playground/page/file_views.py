"""A message's files → what the page draws: pictures, the first lines of texts, and downloads for all."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import quote

import msgspec

from bot.playground.page.highlighting import highlighted_html, language_of
from bot.playground.standin.events import Json

StartOf: TypeAlias = Callable[[str], bytes]
"""A file's first bytes, at least START_BYTES of a longer one, by its id; nothing where there is no such file."""

START_BYTES = 4096
_PREVIEW_LINES = 8

# What a browser draws without running anything; SVG could hold scripts.
_IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
_SPOILER_PREFIX = "SPOILER_"


class PreviewView(msgspec.Struct, frozen=True):
    html: str
    is_whole: bool
    """Nothing of the file is left out."""


class FileView(msgspec.Struct, frozen=True):
    name: str
    url: str
    """On the page's own origin."""
    size: str
    is_image: bool
    description: str
    is_spoiler: bool = False
    preview: PreviewView | None = None
    """Of a text."""


def file_view(message_id: str, file: Json, start_of: StartOf) -> FileView:
    """`file` is Discord's attachment object."""
    name, media_type = file["filename"], file.get("content_type") or ""
    is_image = is_drawable(media_type)
    return FileView(
        name=name,
        url=f"/attachments/{message_id}/{file['id']}/{quote(name, safe='', errors='replace')}",
        size=human_size(file.get("size") or 0),
        is_image=is_image,
        description=file.get("description") or "",
        is_spoiler=name.startswith(_SPOILER_PREFIX),
        preview=None if is_image else _preview(name, media_type, start_of(file["id"])[:START_BYTES]),
    )


def is_drawable(media_type: str) -> bool:
    return media_type.partition(";")[0].strip().lower() in _IMAGE_TYPES


def human_size(size: int) -> str:
    """1023 B, 1.0 KB, 1.5 MB: units of 1024, as Discord shows them."""
    if size < 1024:
        return f"{size} B"
    value, unit = size / 1024, "KB"
    if value >= 1024:
        value, unit = value / 1024, "MB"
    return f"{value:.1f} {unit}"


# An answer is edited, and so drawn, many times after its files have come.
@lru_cache(maxsize=256)
def _preview(name: str, media_type: str, start: bytes) -> PreviewView | None:
    language = language_of(name)
    if not start or b"\0" in start or not (language or media_type.startswith("text/")):
        return None
    try:
        text = getincrementaldecoder("utf-8")().decode(start)  # the last character may be cut off
    except UnicodeDecodeError:
        return None
    lines = text.splitlines(keepends=True)
    shown = "".join(lines[:_PREVIEW_LINES])
    is_whole = len(lines) <= _PREVIEW_LINES and len(start) < START_BYTES
    return PreviewView(highlighted_html(shown.rstrip("\n"), language), is_whole)

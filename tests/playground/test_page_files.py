"""Files → what the page draws of them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.playground.page.file_views import START_BYTES, FileView, PreviewView, file_view, human_size, is_drawable


def shown(filename: str, data: bytes = b"", **fields: Any) -> FileView:
    file = {"id": "1", "filename": filename, "size": len(data), "url": "https://cdn/x", **fields}
    return file_view("5", file, lambda file_id: data[:START_BYTES] if file_id == "1" else b"")


def test_files_are_pictures_or_downloads_on_the_pages_own_origin() -> None:
    """The name is part of the address, so it is quoted; SVG is no picture, as it can hold scripts."""
    png = shown("a b/..png", content_type="image/png", size=2048, description="a table")
    assert png == FileView("a b/..png", "/attachments/5/1/a%20b%2F..png", "2.0 KB", True, "a table")
    svg = shown("x.svg", content_type="image/svg+xml", size=5)
    assert svg == FileView("x.svg", "/attachments/5/1/x.svg", "5 B", False, "")


@pytest.mark.parametrize(
    ("filename", "media_type", "data", "html"),
    [
        ("a.py", "text/x-python", b"pass", '<span class="tok-k">pass</span>'),
        ("a.rs", "", b"fn", '<span class="tok-k">fn</span>'),
        ("notes", "text/plain", b"<b>\n", "&lt;b&gt;"),
        ("table.csv", "text/csv", "字,b\n".encode(), "字,b"),
    ],
)
def test_a_text_has_its_first_lines(filename: str, media_type: str, data: bytes, html: str) -> None:
    """Coloured as its name says, and escaped."""
    assert shown(filename, data, content_type=media_type).preview == PreviewView(html, is_whole=True)


@pytest.mark.parametrize(
    ("filename", "data"),
    [("a.bin", b"text"), ("a.py", b"a\0b"), ("a.py", b"\xff\xfe"), ("a.py", b"")],
    ids=["no text by name", "a zero byte", "no UTF-8", "empty"],
)
def test_what_is_no_text_has_none(filename: str, data: bytes) -> None:
    """It is only a download."""
    assert shown(filename, data).preview is None


def test_a_long_text_is_cut_after_eight_lines_or_so_many_bytes() -> None:
    """A character in two is no fault of the file."""
    lines = shown("a.txt", b"x\n" * 9).preview
    assert lines == PreviewView("\n".join("x" * 8), is_whole=False)
    long = shown("a.txt", ("x" + "字" * 5000).encode()).preview
    assert long is not None
    assert (long.html, long.is_whole) == ("x" + "字" * ((START_BYTES - 1) // 3), False)


def test_a_file_can_be_a_spoiler() -> None:
    """By its name, as Discord has it."""
    assert shown("SPOILER_a.txt").is_spoiler


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KB"), (1536, "1.5 KB"), (1 << 20, "1.0 MB"), (10 << 20, "10.0 MB")],
)
def test_sizes_are_for_people(size: int, text: str) -> None:
    """Units of 1024."""
    assert human_size(size) == text


@pytest.mark.parametrize(
    ("media_type", "drawable"),
    [("image/png", True), ("IMAGE/JPEG; x=y", True), ("image/svg+xml", False), ("text/html", False), ("", False)],
)
def test_only_harmless_pictures_are_drawn(media_type: str, drawable: bool) -> None:
    """Everything else is offered as a download."""
    assert is_drawable(media_type) is drawable

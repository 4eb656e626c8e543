"""Halves of UTF-16 surrogate pairs in a stream of text pieces.

A server that cuts JavaScript strings may cut an emoji in two and send `"\\ud83d"` in one delta and `"\\ude00"` in the next.
Each is legal JSON and no legal text; joined they are the emoji. A half whose other half never comes becomes U+FFFD.
"""

from __future__ import annotations

from typing import Any


class SurrogateJoiner:
    """Text pieces of any cut -> text without surrogates."""

    __slots__ = ("_half",)

    def __init__(self) -> None:
        self._half = ""

    def feed(self, text: str) -> str:
        if text.isascii() and not (text and self._half):
            return text
        text = self._half + text
        self._half = ""
        if "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return whole_text(text)

    def close(self) -> str:
        return "\ufffd" if self._half else ""


def whole_text(text: str) -> str:
    """The text where halves that stand side by side have found each other, and one that stands alone is U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def without_halves(value: Any) -> Any:
    """The same JSON value where halves of pairs are joined, or U+FFFD where the other half is missing.

    None where it is nested deeper than Python can follow, which no provider's value is.
    """
    try:
        return _whole(value)
    except RecursionError:
        return None


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, list):
        return [_whole(entry) for entry in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(entry) for key, entry in value.items()}
    return value

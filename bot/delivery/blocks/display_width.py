"""How many columns a text takes where every letter is equally wide, as in a code block: Chinese, Japanese, Korean and emoji two."""

from __future__ import annotations

from wcwidth import wcswidth


def display_width(text: str) -> int:
    """Columns of a text of one line. Combining marks take none, and an emoji sequence takes as much as one emoji. Where a
    control character makes the width unknowable, each character counts one."""
    if text.isascii():
        return len(text)
    width = wcswidth(text)
    return width if width >= 0 else len(text)

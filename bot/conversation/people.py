"""Names for the model: stable, told apart by id, and unable to pose as something else.

A display name is text of a stranger. In front of every message stands `name (id): `, so a name must not be able to
end that label, begin another line, or look like an instruction block.
"""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 40
"""Code points; Discord's own limit is 32."""

_LABEL_MARKS = str.maketrans(dict.fromkeys('():[]{}<>"`|\\', " "))


def safe_name(name: str) -> str:
    """The name in one line, without control or format characters and without marks that labels are made of."""
    visible = "".join(
        " " if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") and char != "\u200d" else char for char in name
    )
    return " ".join(visible.translate(_LABEL_MARKS).split())[:LONGEST_NAME].strip() or "someone"


def label(name: str, author_id: int) -> str:
    """`Ada (1234)`: the same for the same person as long as the name stays."""
    return f"{safe_name(name)} ({author_id})"

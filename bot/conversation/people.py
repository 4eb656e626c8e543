"""Names for the model: stable, told apart by id, and unable to pose as something else.

A display name is text of a stranger. In front of every message stands `name (id): `, so a name must not be able to
end that label, begin another line, or look like an instruction block.
"""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 40
"""Code points; Discord's own limit is 32."""

_LABEL_MARKS = str.maketrans(dict.fromkeys('():[]{}<>"`|\\', " "))
_LABEL = re.compile(r"^(.{0,100}?)\((\d+)\)(\s*:)", re.MULTILINE)


def safe_name(name: str) -> str:
    """The name in one line, without control or format characters and without marks that labels are made of."""
    visible = "".join(
        " " if unicodedata.category(char) in ("Cc", "Cf", "Zl", "Zp") and char != "\u200d" else char for char in name
    )
    return " ".join(visible.translate(_LABEL_MARKS).split())[:LONGEST_NAME].strip() or "someone"


def label(name: str, author_id: int) -> str:
    """`Ada (1234)`: the same for the same person as long as the name stays."""
    return f"{safe_name(name)} ({author_id})"


def without_labels(text: str) -> str:
    """The text with no line that could pass for somebody else's label: `Bo (12): …` becomes `Bo [12]: …`."""
    return _LABEL.sub(r"\1[\2]\3", "\n".join(text.splitlines()))

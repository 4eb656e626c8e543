"""How far a pattern goes from a place in the text; what all readers of written calls ask."""

from __future__ import annotations

import re
from typing import Final

SPACE: Final = re.compile(r"\s*")
BLANK: Final = re.compile(r"\s{0,64}")
"""White space that may lead to nothing, and is then read once more."""


def end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Behind what the pattern matches at `at`; `at` where it does not match."""
    found = pattern.match(text, at)
    return found.end() if found else at

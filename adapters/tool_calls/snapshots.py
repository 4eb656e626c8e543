"""Arguments that come as snapshots: each piece says again all that came so far, and more.

    {"ci        {"city": "Os        {"city": "Oslo"}            the text, cut anywhere
    {}          {"city": "Os"}      {"city": "Oslo"}            an object each time

Servers send the one that pass on the buffer instead of what is new in it, the other that parse it before they pass it on. Nobody
says so beforehand; it shows in the pieces, and counts only where their sum is no JSON object.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile, pairwise
from typing import Any

from adapters.tool_calls.verdict import parsed


def last_snapshot(pieces: Sequence[str]) -> str | None:
    """The last piece, if each one repeats the one before it and goes on; None where they are fragments."""
    pieces = list(dropwhile(_says_nothing, pieces))
    if len(pieces) < 2 or not pieces[0].lstrip().startswith("{"):
        return None
    if all(later.startswith(earlier) for earlier, later in pairwise(pieces)):
        return pieces[-1]
    if not all(piece.rstrip().endswith("}") for piece in pieces):
        return None
    objects = [parsed(piece) for piece in pieces]
    return pieces[-1] if all(goes_on(earlier, later) for earlier, later in pairwise(objects)) else None


def goes_on(earlier: Any, later: Any) -> bool:
    """Whether the later value may be what became of the earlier one, while it was still arriving."""
    if isinstance(earlier, dict) and isinstance(later, dict):
        return all(key in later and goes_on(value, later[key]) for key, value in earlier.items())
    if isinstance(earlier, list) and isinstance(later, list):
        return len(earlier) <= len(later) and all(map(goes_on, earlier, later))
    if isinstance(earlier, str) and isinstance(later, str):
        return later.startswith(earlier)
    return bool(earlier == later)


def _says_nothing(piece: str) -> bool:
    return piece.strip() in ("", "{}", "null")

"""Records that a playground may keep for weeks: only what is recent stays."""

from __future__ import annotations

from typing import TypeVar

KEPT = 10_000
"""How many stay when a record is shortened, which is done at twice as many."""

T = TypeVar("T")


def keep_recent(record: list[T], item: T, kept: int = KEPT) -> None:
    """Appends the item, and forgets the oldest ones once there are too many."""
    if len(record) >= 2 * kept:
        del record[:-kept]
    record.append(item)

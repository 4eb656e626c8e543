"""Names behind Discord's ids, in both directions: `<@1>` shown as @Ada, and a typed "@Ada" sent as `<@1>`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TypeAlias


class Mention(StrEnum):
    USER = "user"
    ROLE = "role"
    CHANNEL = "channel"


NameOf: TypeAlias = Callable[[Mention, str], str | None]
"""The name behind an id, without its sigil; None where nobody knows it."""


def mentions_from_names(text: str, ids: Mapping[str, str]) -> str:
    """Replace "@Name" with `<@id>` for the names in `ids` (name → id), as Discord's client does before it sends.

    Case does not matter, the longest name wins, and a name that merely begins a longer word is left alone.
    """
    if not ids:
        return text
    by_folded = {name.casefold(): user_id for name, user_id in ids.items()}
    alternatives = "|".join(re.escape(name) for name in sorted(ids, key=len, reverse=True))
    typed = re.compile(rf"(?<![\w<])@({alternatives})(?!\w)", re.IGNORECASE)
    return typed.sub(lambda match: f"<@{by_folded[match[1].casefold()]}>", text)

"""What a channel should show, as values."""

from __future__ import annotations

import re
from typing import TypeAlias

import msgspec

_INVISIBLE = re.compile(r"[\s\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2800\ufeff]*")
"""White space, and characters that take no room or are empty; Discord refuses a message of nothing else (50006)."""


def is_blank(text: str) -> bool:
    return _INVISIBLE.fullmatch(text) is not None


class EmbedPlan(msgspec.Struct, frozen=True):
    """A coloured box under a message. Limits: title 256, description 4096, footer 2048 code points."""

    title: str
    description: str
    colour: int
    footer: str = ""


class MessagePlan(msgspec.Struct, frozen=True):
    """One Discord message. `content` is valid Markdown on its own and at most 2,000 code points."""

    content: str
    settled: bool = False
    """No later text changes it."""
    text_length: int | None = None
    """Code points of `content` that are the model's, when something of ours follows; None: all of it."""
    embed: EmbedPlan | None = None


class Create(msgspec.Struct, frozen=True):
    """Post the message for `slot` (its place in the answer, from 0)."""

    slot: int
    plan: MessagePlan
    generation: int = 0
    """Grows when a slot's earlier message had to be given up. The same slot and generation is the same message, however
    often it is sent."""


class Edit(msgspec.Struct, frozen=True):
    slot: int
    message_id: int
    plan: MessagePlan


class Delete(msgspec.Struct, frozen=True):
    message_id: int


Operation: TypeAlias = Create | Edit | Delete

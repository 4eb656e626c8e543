"""What a channel should show, as values."""

from __future__ import annotations

from typing import TypeAlias

import msgspec


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


class Edit(msgspec.Struct, frozen=True):
    slot: int
    message_id: int
    plan: MessagePlan


class Delete(msgspec.Struct, frozen=True):
    message_id: int


Operation: TypeAlias = Create | Edit | Delete

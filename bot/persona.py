"""A persona: who the model plays, and how."""

from __future__ import annotations

import msgspec

LONGEST_NAME = 80
"""Code points; what Discord takes as a webhook's name."""
LONGEST_PROMPT = 20_000


class Persona(msgspec.Struct, frozen=True, omit_defaults=True):
    """Texts may hold macros (bot.conversation.macros): `{{char}}`, `{{user}}`, and the like."""

    name: str
    prompt: str = ""
    """Who it is; stands in the system prompt, in place of what Parley says of itself."""
    greeting: str = ""
    """Its first words in a new thread or conversation."""
    examples: str = ""
    """Example dialogue."""
    note: str = ""
    """Stands beside the newest message (post_history_instructions of a character card)."""
    trigger_words: tuple[str, ...] = ()
    """Besides its name."""
    avatar_url: str | None = None
    """A public address of its picture."""
    model: str | None = None
    temperature: float | None = None
    top_p: float | None = None
    max_output_tokens: int | None = None
    card: str = ""
    """JSON of the character card that it came from, so that its export loses nothing that Parley does not use."""

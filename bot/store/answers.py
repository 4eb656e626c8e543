"""What the journal keeps of an answer, as values.

An answer has one or more versions: what the model wrote each time. One of them is shown. Its messages in the channel are what
became of its text there, with tables drawn, code in files and a footer; the text itself is what the model said.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from adapters.wire.surrogates import whole_text

LONGEST_TEXT = 400_000
"""Code points that are kept of an answer's text, and of its thoughts: some two hundred messages."""
GAP = "\n\n[…]\n\n"
"""Stands for what was left out in the middle."""


class AnswerPart(msgspec.Struct, frozen=True):
    """A message of an answer, and how many code points at its start are the model's."""

    message_id: int
    text_length: int


class ShownAnswer(msgspec.Struct, frozen=True):
    """An answer as it stands in the channel."""

    turn_id: str
    question_id: int
    channel_id: int
    """Where it stands: in the question's channel, or in a thread that was opened for it."""
    text: str
    """Of the shown version, as the model wrote it; empty where it was not kept."""
    parts: tuple[AnswerPart, ...]
    """At least one, in order."""
    persona: str = ""
    """As whom the model spoke; empty: as Parley."""
    asker_id: int | None = None
    asked: str | None = None
    """The question's text where no message holds it."""


class VersionEnd(msgspec.Struct, frozen=True):
    """How a version ended, and what it is from now on. Text and thoughts are the whole ones, also after it went on."""

    status: str
    """bot.turn.machine.Status"""
    text: str = ""
    thoughts: str = ""
    model: str = ""
    provider: str = ""
    facts: str = ""
    """JSON, small."""
    undelivered: bool = False
    persona: str = ""


class StoredVersion(msgspec.Struct, frozen=True):
    version_nr: int
    started_at: datetime
    ended_at: datetime | None
    """None: it never ended; it still runs, or its process died."""
    status: str | None
    text: str
    thoughts: str
    persona: str
    model: str
    provider: str
    facts: str
    undelivered: bool


class StoredAnswer(msgspec.Struct, frozen=True):
    question_id: int
    channel_id: int
    guild_id: int | None
    asker_id: int | None
    version_count: int
    """Those that have ended: numbers 1 to this one can be shown."""
    shown: StoredVersion
    parts: tuple[AnswerPart, ...]
    asked: str | None = None
    """The question's text where no message holds it."""

    @property
    def message_ids(self) -> tuple[int, ...]:
        return tuple(part.message_id for part in self.parts)

    @property
    def shown_version_nr(self) -> int:
        return self.shown.version_nr


def storable(text: str) -> str:
    """The text as any database takes it: no halves of surrogate pairs, no NUL, and at most LONGEST_TEXT long.

    Of what is longer the middle goes: its beginning says what it is about, and its end is where it goes on.
    """
    text = whole_text(text).replace("\0", "\ufffd")
    if len(text) <= LONGEST_TEXT:
        return text
    kept = (LONGEST_TEXT - len(GAP)) // 2
    return text[:kept] + GAP + text[-kept:]

"""The tables. A change here needs a migration (tests/store holds the two against each other)."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import BigInteger, DateTime, ForeignKey, String, Text, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class UtcDateTime(TypeDecorator[datetime]):
    """Aware times in UTC; SQLite keeps no zone, so it is put back on reading."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.replace(tzinfo=UTC) if value is not None and value.tzinfo is None else value


class Base(DeclarativeBase):
    pass


class Turn(Base):
    """One question and its answer. `question_id` being unique is what makes an answer happen once.

    An answer is written in runs: the first, then one for each version of it and each time a version goes on. At most one runs at a
    time, and this row is the lock: who takes it sets `started_at` and empties `ended_at`.
    """

    __tablename__ = "turns"

    turn_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    question_id: Mapped[int] = mapped_column(BigInteger, unique=True)
    channel_id: Mapped[int] = mapped_column(BigInteger, index=True)
    guild_id: Mapped[int | None] = mapped_column(BigInteger)
    asker_id: Mapped[int | None] = mapped_column(BigInteger)
    shown_version_nr: Mapped[int] = mapped_column(server_default="1")
    """The version that stands in the channel."""
    started_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    """Of the last run, as are the next two."""
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    status: Mapped[str | None] = mapped_column(String(16))
    """How it ended (bot.turn.machine.Status); NULL while it runs, or when the process died under it."""


class AnswerVersion(Base):
    """What the model wrote in answer to a turn's question: the first time, and each time it was asked to do so anew.

    A turn whose answer was withdrawn has no versions.
    """

    __tablename__ = "answer_versions"

    turn_id: Mapped[str] = mapped_column(ForeignKey("turns.turn_id", ondelete="CASCADE"), primary_key=True)
    version_nr: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    """From 1."""
    started_at: Mapped[datetime] = mapped_column(UtcDateTime)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    """When it ended last, should it have gone on; NULL until it ends for the first time."""
    status: Mapped[str | None] = mapped_column(String(16))
    text: Mapped[str] = mapped_column(Text)
    """The model's Markdown as it wrote it."""
    thoughts: Mapped[str] = mapped_column(Text)
    model: Mapped[str] = mapped_column(Text)
    provider: Mapped[str] = mapped_column(Text)
    facts: Mapped[str] = mapped_column(Text)
    """JSON of what the footer tells. What is in it is up to who writes and reads it."""
    undelivered: Mapped[bool]
    """The channel does not show all of it."""


class TurnMessage(Base):
    """A message of ours in the channel: the part `part_seq` of a turn's answer."""

    __tablename__ = "turn_messages"

    message_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    turn_id: Mapped[str] = mapped_column(ForeignKey("turns.turn_id", ondelete="CASCADE"), index=True)
    part_seq: Mapped[int]
    text_length: Mapped[int]
    """Code points at the message's start that are the model's text; what follows (the footer) is ours."""


class ServerPreferences(Base):
    """What a server chose. What is not here is as it is by default."""

    __tablename__ = "server_preferences"

    guild_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    delivery: Mapped[str] = mapped_column(Text)
    """JSON object: fields of bot.preferences.DeliveryPreferences that differ from the defaults."""


class Note(Base):
    """What the bot must remember about itself, such as which commands Discord knows."""

    __tablename__ = "notes"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    text: Mapped[str] = mapped_column(Text)

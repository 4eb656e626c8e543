"""The tables. A change here needs a migration (tests/store holds the two against each other)."""

from __future__ import annotations

from datetime import UTC, datetime

from sqlalchemy import BigInteger, DateTime, ForeignKey, String, TypeDecorator
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
    """One question and its answer. `question_id` being unique is what makes an answer happen once."""

    __tablename__ = "turns"

    turn_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    question_id: Mapped[int] = mapped_column(BigInteger, unique=True)
    channel_id: Mapped[int] = mapped_column(BigInteger, index=True)
    guild_id: Mapped[int | None] = mapped_column(BigInteger)
    started_at: Mapped[datetime] = mapped_column(UtcDateTime, index=True)
    ended_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    status: Mapped[str | None] = mapped_column(String(16))
    """How it ended (bot.turn.machine.Status); NULL while it runs, or when the process died under it."""


class TurnMessage(Base):
    """A message of ours in the channel: the part `part_seq` of a turn's answer."""

    __tablename__ = "turn_messages"

    message_id: Mapped[int] = mapped_column(BigInteger, primary_key=True)
    turn_id: Mapped[str] = mapped_column(ForeignKey("turns.turn_id", ondelete="CASCADE"), index=True)
    part_seq: Mapped[int]
    text_length: Mapped[int]
    """Code points at the message's start that are the model's text; what follows (the footer) is ours."""

"""The tables. A change here needs a migration (tests/store holds the two against each other)."""

from __future__ import annotations

from datetime import UTC, date, datetime

from sqlalchemy import BigInteger, DateTime, ForeignKey, Index, LargeBinary, String, Text, TypeDecorator, false
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
    """One question and its answer. That no message belongs to two (TurnQuestion) is what makes an answer happen once.

    An answer is written in runs: the first, then one for each version of it and each time a version goes on. At most one runs at a
    time, and this row is the lock: who takes it sets `started_at` and empties `ended_at`.
    """

    __tablename__ = "turns"

    turn_id: Mapped[str] = mapped_column(String(16), primary_key=True)
    question_id: Mapped[int] = mapped_column(BigInteger, unique=True)
    channel_id: Mapped[int] = mapped_column(BigInteger, index=True)
    guild_id: Mapped[int | None] = mapped_column(BigInteger)
    asker_id: Mapped[int | None] = mapped_column(BigInteger, index=True)
    asked: Mapped[str | None] = mapped_column(Text)
    """The question's text where no message holds it (`/ask`); else NULL: Discord has it."""
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
    persona: Mapped[str] = mapped_column(Text, server_default="")
    """As whom the model spoke; empty: as Parley."""
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


class TurnQuestion(Base):
    """A message of a question. What a person writes in a burst is one question, which has the id of its last message."""

    __tablename__ = "turn_questions"

    message_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    turn_id: Mapped[str] = mapped_column(ForeignKey("turns.turn_id", ondelete="CASCADE"), index=True)


class Preference(Base):
    """What was chosen on one topic, for all, a server, a channel or a person. What is not here is as it is by default."""

    __tablename__ = "preferences"

    scope: Mapped[str] = mapped_column(String(8), primary_key=True)
    """bot.preferences.Scope"""
    scope_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """0 for the global one."""
    topic: Mapped[str] = mapped_column(String(32), primary_key=True)
    chosen: Mapped[str] = mapped_column(Text)
    """JSON object: the fields of the topic's struct in bot.preferences that were chosen."""


class SettingChange(Base):
    """One setting was changed: who did what and when. Those of one deed have one `deed_id`."""

    __tablename__ = "setting_changes"

    change_id: Mapped[int] = mapped_column(primary_key=True)
    deed_id: Mapped[str] = mapped_column(String(16), index=True)
    at: Mapped[datetime] = mapped_column(UtcDateTime)
    changed_by: Mapped[int] = mapped_column(BigInteger, index=True)
    """User id; 0: nobody who is known (any more)."""
    guild_id: Mapped[int] = mapped_column(BigInteger)
    """Where it shows in the history; 0: nowhere, as it is a person's or the operator's."""
    scope: Mapped[str] = mapped_column(String(8))
    scope_id: Mapped[int] = mapped_column(BigInteger)
    topic: Mapped[str] = mapped_column(String(32))
    """Of bot.preferences."""
    name: Mapped[str] = mapped_column(String(100))
    old: Mapped[str | None] = mapped_column(Text)
    """JSON; NULL: nothing was chosen, or it was not there."""
    new: Mapped[str | None] = mapped_column(Text)
    undone: Mapped[bool] = mapped_column(server_default=false())

    __table_args__ = (Index("ix_setting_changes_place", "guild_id", "change_id"),)


class ProviderKey(Base):
    """A key of a server or person for a provider. No export has it."""

    __tablename__ = "provider_keys"

    key_id: Mapped[int] = mapped_column(primary_key=True)
    scope: Mapped[str] = mapped_column(String(8))
    """Server or person."""
    scope_id: Mapped[int] = mapped_column(BigInteger)
    provider: Mapped[str] = mapped_column(String(32))
    """A name of adapters.registry."""
    base_url: Mapped[str] = mapped_column(Text)
    """Empty: the provider's own."""
    encrypted: Mapped[str] = mapped_column(Text)
    """The key, with whose and for what it is (bot.store.keys)."""
    last_four: Mapped[str] = mapped_column(String(4))
    added_by: Mapped[int] = mapped_column(BigInteger, index=True)
    """User id; 0: nobody who is known any more."""
    added_at: Mapped[datetime] = mapped_column(UtcDateTime)
    tested_at: Mapped[datetime | None] = mapped_column(UtcDateTime)
    verdict: Mapped[str] = mapped_column(String(16), server_default="")
    """Of the last test; empty before the first."""

    __table_args__ = (Index("ix_provider_keys_owner", "scope", "scope_id"),)


class UsageDay(Base):
    """What was used on one day (UTC) in one channel by one person with one model and key (bot.store.usage)."""

    __tablename__ = "usage_days"

    day: Mapped[date] = mapped_column(primary_key=True)
    guild_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    channel_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    provider: Mapped[str] = mapped_column(String(32), primary_key=True)
    model: Mapped[str] = mapped_column(String(200), primary_key=True)
    payer: Mapped[str] = mapped_column(String(8), primary_key=True)
    key_last_four: Mapped[str] = mapped_column(String(4), primary_key=True)
    purpose: Mapped[str] = mapped_column(String(16), primary_key=True)
    calls: Mapped[int] = mapped_column(BigInteger, server_default="0")
    input_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    output_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    reasoning_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    cached_tokens: Mapped[int] = mapped_column(BigInteger, server_default="0")
    cost_nano: Mapped[int] = mapped_column(BigInteger, server_default="0")
    unpriced_calls: Mapped[int] = mapped_column(BigInteger, server_default="0")
    estimated_calls: Mapped[int] = mapped_column(BigInteger, server_default="0")

    __table_args__ = (
        Index("ix_usage_days_guild_id", "guild_id", "day"),
        Index("ix_usage_days_user_id", "user_id", "day"),
    )


class Conversation(Base):
    """What is kept of the conversation in a channel or thread besides its messages, which Discord has."""

    __tablename__ = "conversations"

    channel_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    guild_id: Mapped[int | None] = mapped_column(BigInteger)
    starts_after: Mapped[int | None] = mapped_column(BigInteger)
    """Message id: what is not after it is no longer read. It moves in large steps, so that requests keep their beginning."""
    summary: Mapped[str] = mapped_column(Text)
    """Of what is no longer read; the model's words."""
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)
    """When somebody began it anew, or it was summarized: a summary that was begun before comes too late."""


class PersonaRow(Base):
    """A persona of a server."""

    __tablename__ = "personas"

    guild_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    key: Mapped[str] = mapped_column(String(100), primary_key=True)
    """Its name, case-folded: how it is looked up."""
    persona: Mapped[str] = mapped_column(Text)
    """JSON of bot.persona.Persona."""
    avatar: Mapped[bytes | None] = mapped_column(LargeBinary)
    """PNG, of at most 256 KiB."""
    created_by: Mapped[int] = mapped_column(BigInteger)
    updated_at: Mapped[datetime] = mapped_column(UtcDateTime)


class MemoryNote(Base):
    """One thing to be remembered about a person, or about a server. A person's notes belong to the server where they were made."""

    __tablename__ = "memory_notes"

    note_id: Mapped[int] = mapped_column(primary_key=True)
    guild_id: Mapped[int] = mapped_column(BigInteger)
    """0: direct messages."""
    user_id: Mapped[int | None] = mapped_column(BigInteger)
    """Whom it is about; NULL: the server."""
    text: Mapped[str] = mapped_column(Text)
    created_by: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(UtcDateTime)

    __table_args__ = (
        Index("ix_memory_notes_place", "guild_id", "user_id"),
        Index("ix_memory_notes_user_id", "user_id"),
    )


class Note(Base):
    """What the bot must remember about itself, such as which commands Discord knows."""

    __tablename__ = "notes"

    name: Mapped[str] = mapped_column(String(64), primary_key=True)
    text: Mapped[str] = mapped_column(Text)

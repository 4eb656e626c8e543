"""Forgetting a person, or a server, in all tables at once.

What stays is the bare claim of each question: which message was taken up, so that nothing is answered twice. It names nobody, and
the direct-message channel, which would, is taken out of it. Who adds a table says here what becomes of it (tests/store).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
from sqlalchemy import ColumnElement, case, delete, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from bot.preferences import Scope
from bot.store.database import Database
from bot.store.memories import NOBODY, SWITCHED_ON, alone_with_notes
from bot.store.models import (
    AnswerVersion,
    Conversation,
    MemoryNote,
    PersonaRow,
    Preference,
    ProviderKey,
    SettingChange,
    Turn,
    TurnMessage,
)
from bot.store.turns import lock_turns
from bot.store.usage import forget_person


class Forgotten(msgspec.Struct, frozen=True):
    """How much of each was deleted."""

    notes: int = 0
    questions: int = 0
    """With all versions of their answers."""
    summaries: int = 0


class Forgetting:
    def __init__(self, database: Database) -> None:
        self._session = database.session
        self._outage = database.outage

    async def person(self, user_id: int, direct_channel_id: int | None = None) -> Forgotten:
        """All that is kept of them, everywhere. What others had noted about a server, or made for it, no longer says by whom.

        `direct_channel_id`: where they talk with the bot; the journal may no longer know. That a server chose not to answer somebody
        (bot.preferences.AdmissionPreferences) is the server's to undo.
        """
        asked = Turn.asker_id == user_id
        direct = select(Turn.channel_id).where(asked, Turn.guild_id.is_(None))
        async with self._forgetting() as session:
            await alone_with_notes(session)
            notes = await _delete_notes(session, MemoryNote.user_id == user_id)
            summaries = await _delete_conversations(
                session, or_(Conversation.channel_id.in_(direct), Conversation.channel_id == direct_channel_id)
            )
            questions = await _delete_answers(session, asked)
            anywhere = case((Turn.guild_id.is_(None), 0), else_=Turn.channel_id)
            await session.execute(update(Turn).where(asked).values(asker_id=None, asked=None, channel_id=anywhere))
            await session.execute(update(MemoryNote).where(MemoryNote.created_by == user_id).values(created_by=NOBODY))
            await session.execute(update(PersonaRow).where(PersonaRow.created_by == user_id).values(created_by=NOBODY))
            await session.execute(
                delete(Preference).where(Preference.scope == Scope.PERSON, Preference.scope_id == user_id)
            )
            await session.execute(
                delete(ProviderKey).where(ProviderKey.scope == Scope.PERSON, ProviderKey.scope_id == user_id)
            )
            await session.execute(update(ProviderKey).where(ProviderKey.added_by == user_id).values(added_by=NOBODY))
            await forget_person(session, user_id)
            theirs = SettingChange.scope == Scope.PERSON, SettingChange.scope_id == user_id
            await session.execute(delete(SettingChange).where(*theirs))
            await session.execute(
                update(SettingChange).where(SettingChange.changed_by == user_id).values(changed_by=NOBODY)
            )
            return Forgotten(notes, questions, summaries)

    async def server(self, guild_id: int) -> Forgotten:
        """All that was said there and is kept: notes of the server and of its people, summaries, questions and answers.

        What was chosen for it, its personas and keys too, stays.
        """
        there = Turn.guild_id == guild_id
        async with self._forgetting() as session:
            await alone_with_notes(session)
            notes = await _delete_notes(session, MemoryNote.guild_id == guild_id)
            summaries = await _delete_conversations(session, Conversation.guild_id == guild_id)
            questions = await _delete_answers(session, there)
            await session.execute(update(Turn).where(there).values(asked=None))
            return Forgotten(notes, questions, summaries)

    async def channel(self, channel_id: int) -> Forgotten:
        """A channel or thread is gone, and with it what was said there."""
        there = Turn.channel_id == channel_id
        async with self._forgetting() as session:
            summaries = await _delete_conversations(session, Conversation.channel_id == channel_id)
            questions = await _delete_answers(session, there)
            await session.execute(update(Turn).where(there).values(asked=None))
            return Forgotten(0, questions, summaries)

    @asynccontextmanager
    async def _forgetting(self) -> AsyncIterator[AsyncSession]:
        async with self._session.begin() as session:
            yield session
        self._outage.forgotten_nr += 1


async def _delete_notes(session: AsyncSession, which: ColumnElement[bool]) -> int:
    gone = await session.scalars(delete(MemoryNote).where(which).returning(MemoryNote.text))
    return sum(text != SWITCHED_ON for text in gone)


async def _delete_conversations(session: AsyncSession, which: ColumnElement[bool]) -> int:
    gone = await session.scalars(delete(Conversation).where(which).returning(Conversation.summary))
    return sum(bool(summary) for summary in gone)


async def _delete_answers(session: AsyncSession, which: ColumnElement[bool]) -> int:
    """To how many questions. An answer that is being written is not recorded when it ends (TurnJournal.finish)."""
    await lock_turns(session, which)
    turn_ids = select(Turn.turn_id).where(which)
    gone = await session.scalars(
        delete(AnswerVersion).where(AnswerVersion.turn_id.in_(turn_ids)).returning(AnswerVersion.turn_id)
    )
    await session.execute(delete(TurnMessage).where(TurnMessage.turn_id.in_(turn_ids)))
    return len(set(gone))

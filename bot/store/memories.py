"""Notes to be remembered about people and servers, each in the place where it was made.

Of a person nothing is kept or used where they did not switch memory on. That yes is a row too: the note without text. So the rows of
a person in a place are all that there is of them there, and one statement forgets it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import msgspec
from sqlalchemy import ColumnElement, delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from bot.store.answers import storable
from bot.store.database import Database
from bot.store.engine import alone
from bot.store.last_known import LastKnown
from bot.store.models import MemoryNote
from bot.store.unavailable import DatabaseUnavailable

MOST_OF_PERSON = 25
"""Notes of a person in one place."""
MOST_OF_SERVER = 50
LONGEST_NOTE = 500
"""Code points."""
DIRECT = 0
"""The guild id of what was made in direct messages."""

SWITCHED_ON = ""
"""The text of the row that says so."""
MOST_KNOWN = 2000
"""Subjects whose notes stay in memory, for the time in which the database is away."""
NOBODY = 0
"""Who made what was made by somebody who is forgotten."""


class NotKept(Exception):
    """Why a note was not kept: one of the following."""


class MemoryOff(NotKept):
    """The person did not switch memory on there."""


class MemoryFull(NotKept):
    """So many notes are kept there already (`args[0]`) that there is no room for another."""


class AlreadyKept(NotKept):
    """A note there says just that."""


class NoNote(NotKept):
    """There is no text to keep, more than LONGEST_NOTE of it, or no note of this id to edit."""


class Subject(msgspec.Struct, frozen=True):
    """Whom notes are about, and where they were made."""

    guild_id: int
    """DIRECT: in direct messages."""
    user_id: int | None = None
    """None: the server."""

    @property
    def most(self) -> int:
        return MOST_OF_SERVER if self.user_id is None else MOST_OF_PERSON

    @property
    def rows(self) -> tuple[ColumnElement[bool], ...]:
        return MemoryNote.guild_id == self.guild_id, MemoryNote.user_id.is_not_distinct_from(self.user_id)


class KeptNote(msgspec.Struct, frozen=True):
    note_id: int
    user_id: int | None
    """Whom it is about; None: the server."""
    text: str
    """One line."""


class Memories:
    def __init__(self, database: Database) -> None:
        self._session = database.session
        self._known: LastKnown[tuple[int, frozenset[int] | None], Sequence[KeptNote]] = LastKnown(
            database.outage, MOST_KNOWN
        )

    async def about(self, guild_id: int, user_ids: Iterable[int]) -> Sequence[KeptNote]:
        """What the model may know there of these people: of each who switched memory on, in the order in which it was made.
        While the database is away: what is known of it."""
        ids = frozenset(user_ids)
        which = MemoryNote.guild_id == guild_id, MemoryNote.user_id.in_(ids)
        return await self._last_known((guild_id, ids), *which)

    async def server(self, guild_id: int) -> Sequence[KeptNote]:
        """What the model may know of the server; as `about`."""
        return await self._last_known((guild_id, None), *Subject(guild_id).rows)

    async def of(self, subject: Subject) -> Sequence[KeptNote]:
        """The oldest first."""
        return await self._notes(*subject.rows)

    async def is_on(self, subject: Subject) -> bool:
        """Whether this person switched memory on there. Of a server that is not asked."""
        async with self._session() as session:
            return await _said_yes(session, subject)

    async def switch_on(self, subject: Subject) -> None:
        """The person's own word; nobody else may say it for them."""
        async with self._changing() as session:
            await alone_with_notes(session)
            if not await _said_yes(session, subject):
                session.add(_row(subject, SWITCHED_ON, subject.user_id or NOBODY))

    async def switch_off(self, subject: Subject) -> int:
        """Nothing is kept any more: how many notes that deleted. Of a server: all of its own."""
        async with self._changing() as session:
            await alone_with_notes(session)
            gone = await session.scalars(delete(MemoryNote).where(*subject.rows).returning(MemoryNote.text))
            return sum(text != SWITCHED_ON for text in gone)

    async def add(self, subject: Subject, text: str, by: int) -> KeptNote:
        """Keep a note that the user `by` wants kept. White space becomes single spaces. Raises NotKept."""
        text = _line(text)
        async with self._changing() as session:
            known = await _writable(session, subject, text)
            if len(known) >= subject.most:
                raise MemoryFull(subject.most)
            row = _row(subject, text, by)
            session.add(row)
            await session.flush()
            return _kept(row)

    async def edit(self, subject: Subject, note_id: int, text: str) -> None:
        """Say it otherwise. Raises NotKept."""
        text = _line(text)
        async with self._changing() as session:
            known = await _writable(session, subject, text, except_id=note_id)
            row = known.get(note_id)
            if row is None:
                raise NoNote
            row.text = text

    async def delete(self, subject: Subject, note_id: int) -> bool:
        """False where it was gone before, or is not about this subject."""
        this = (*subject.rows, MemoryNote.note_id == note_id, MemoryNote.text != SWITCHED_ON)
        async with self._changing() as session:
            await alone_with_notes(session)
            gone = await session.scalars(delete(MemoryNote).where(*this).returning(MemoryNote.note_id))
            return gone.first() is not None

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[AsyncSession]:
        async with self._session.begin() as session:
            yield session
        self._known.changed()

    async def _last_known(
        self, key: tuple[int, frozenset[int] | None], *which: ColumnElement[bool]
    ) -> Sequence[KeptNote]:
        try:
            return await self._known.read(key, lambda: self._notes(*which))
        except DatabaseUnavailable:
            return ()

    async def _notes(self, *which: ColumnElement[bool]) -> Sequence[KeptNote]:
        async with self._session() as session:
            rows = list(await session.scalars(select(MemoryNote).where(*which).order_by(MemoryNote.note_id)))
        said_yes = {row.user_id for row in rows if row.text == SWITCHED_ON} | {None}
        return [_kept(row) for row in rows if row.text != SWITCHED_ON and row.user_id in said_yes]


async def alone_with_notes(session: AsyncSession) -> None:
    """Nobody else makes, changes or deletes one until the transaction has ended: a note never outlives the yes to it. One lock for
    all of them is enough, as people make them by hand."""
    await alone(session, "memory notes")


async def _said_yes(session: AsyncSession, subject: Subject) -> bool:
    """A server need not."""
    said_yes = select(MemoryNote.note_id).where(*subject.rows, MemoryNote.text == SWITCHED_ON).limit(1)
    return subject.user_id is None or await session.scalar(said_yes) is not None


async def _writable(
    session: AsyncSession, subject: Subject, text: str, except_id: int | None = None
) -> dict[int, MemoryNote]:
    """The subject's notes by their ids, where this one may be among them. Raises NotKept."""
    if not text or len(text) > LONGEST_NOTE:
        raise NoNote
    await alone_with_notes(session)
    if not await _said_yes(session, subject):
        raise MemoryOff
    rows = await session.scalars(select(MemoryNote).where(*subject.rows, MemoryNote.text != SWITCHED_ON))
    known = {row.note_id: row for row in rows}
    if text.casefold() in (row.text.casefold() for row in known.values() if row.note_id != except_id):
        raise AlreadyKept
    return known


def _row(subject: Subject, text: str, by: int) -> MemoryNote:
    return MemoryNote(
        guild_id=subject.guild_id, user_id=subject.user_id, text=text, created_by=by, created_at=datetime.now(UTC)
    )


def _kept(row: MemoryNote) -> KeptNote:
    return KeptNote(row.note_id, row.user_id, row.text)


def _line(text: str) -> str:
    return " ".join(storable(text).split())

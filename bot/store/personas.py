"""The personas of servers, found by name however it is written. A server's events reach one process only, so what was read stays
true in memory."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeAlias

import msgspec
import structlog
from sqlalchemy import ColumnElement, case, delete, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from bot.persona import LONGEST_NAME, Persona
from bot.store.database import Database
from bot.store.engine import POSTGRESQL, SQLITE, alone, legal
from bot.store.models import PersonaRow
from bot.store.unavailable import DatabaseUnavailable

log = structlog.get_logger()

MOST_PERSONAS = 50
"""Of a server."""
MOST_SERVERS = 500
"""Whose personas stay in memory; of more, those that came in longest ago are read again when needed."""

_Of: TypeAlias = dict[str, Persona]
"""By key, in the order of the keys. Without their cards, which may have a megabyte each."""


class KeptPersona(msgspec.Struct, frozen=True):
    persona: Persona
    """With its card."""
    avatar: bytes | None
    """PNG."""


class TooManyPersonas(Exception):
    """The server has MOST_PERSONAS."""


class NameTaken(Exception):
    """Another persona of the server has that name."""


class Personas:
    def __init__(self, database: Database) -> None:
        self._session = database.session
        self._read: dict[int, _Of] = {}
        self._changing = asyncio.Lock()

    async def get(self, guild_id: int, name: str) -> Persona | None:
        """The persona of that name, whatever its capitals, without its card. None where there is none, or none is known while the
        database is away: who would be answered by it is answered all the same."""
        try:
            return (await self._of(guild_id)).get(key_of(name))
        except DatabaseUnavailable:
            return None

    async def all(self, guild_id: int) -> list[Persona]:
        """By name, without their cards."""
        return list((await self._of(guild_id)).values())

    async def names(self, guild_id: int) -> list[str]:
        return [persona.name for persona in await self.all(guild_id)]

    async def whole(self, guild_id: int, name: str) -> KeptPersona | None:
        """With everything that is kept of it."""
        async with self._session() as session:
            row: PersonaRow | None = await session.get(PersonaRow, (guild_id, key_of(name)))
        persona = _persona(guild_id, row.key, row.persona) if row else None
        return KeptPersona(persona, row.avatar) if row and persona else None

    async def put(
        self, guild_id: int, persona: Persona, *, by: int, avatar: bytes | None = None, instead_of: str | None = None
    ) -> None:
        """Keep it, as a new one or in place of `instead_of`, which may have another name; of that one the picture and the card stay
        where none are given. `by`: id of who made it.

        Raises ValueError where the name is empty or too long, NameTaken where another one has it, TooManyPersonas.
        """
        key = key_of(persona.name)
        if not key or len(persona.name) > LONGEST_NAME:
            raise ValueError(f"a persona's name has from 1 to {LONGEST_NAME} characters")
        async with self._changing:
            async with self._session.begin() as session:
                await alone(session, "personas", guild_id)
                row = await _row(session, guild_id, instead_of)
                if (row is None or row.key != key) and await _row(session, guild_id, persona.name):
                    raise NameTaken(persona.name)
                if row is None:
                    await _want_room(session, guild_id)
                    row = PersonaRow(guild_id=guild_id, created_by=by)
                    session.add(row)
                elif not persona.card and (old := _persona(guild_id, row.key, row.persona)):
                    persona = msgspec.structs.replace(persona, card=old.card)
                row.key = key
                row.persona = msgspec.json.encode(persona).decode()
                row.avatar = avatar if avatar is not None else row.avatar
                row.updated_at = datetime.now(UTC)
            self._read.pop(guild_id, None)

    async def delete(self, guild_id: int, name: str) -> bool:
        """False: there was none of that name."""
        async with self._changing:
            async with self._session.begin() as session:
                await alone(session, "personas", guild_id)
                gone = await session.scalar(
                    delete(PersonaRow)
                    .where(PersonaRow.guild_id == guild_id, PersonaRow.key == key_of(name))
                    .returning(PersonaRow.key)
                )
            self._read.pop(guild_id, None)
        return gone is not None

    async def avatar_addresses(self) -> set[str]:
        """Of all servers' personas: which pictures are in use."""
        async with self._session() as session:
            address = _ADDRESS[session.get_bind().dialect.name]
            found = await session.scalars(select(address).distinct())
        addresses = {msgspec.json.decode(quoted, type=str | None) for quoted in found if quoted}
        return {address for address in addresses if address}

    async def _of(self, guild_id: int) -> _Of:
        if guild_id not in self._read:
            # Under the lock, so that what is read here is not older than a change that came in between.
            async with self._changing:
                async with self._session() as session:
                    rows = (
                        await session.execute(
                            select(PersonaRow.key, PersonaRow.persona)
                            .where(PersonaRow.guild_id == guild_id)
                            .order_by(PersonaRow.key)
                        )
                    ).all()
                found = ((key, _persona(guild_id, key, text)) for key, text in rows)
                of_server = {key: msgspec.structs.replace(persona, card="") for key, persona in found if persona}
                self._read[guild_id] = of_server
                if len(self._read) > MOST_SERVERS:
                    del self._read[next(iter(self._read))]
                return of_server
        return self._read[guild_id]


def key_of(name: str) -> str:
    """How a name is looked up: without regard to capitals, to how its letters are composed, and to white space around it."""
    return unicodedata.normalize("NFKC", " ".join(legal(name).split())).casefold()[:100]


# The database looks into the texts, off the loop: each may have a card of a megabyte. PostgreSQL's own JSON refuses some that is legal
# (`\\u0000`). The expression finds no other place: what Personas writes has no spaces, and in a string each quote is escaped.
_ADDRESS: Mapping[str, ColumnElement[str | None]] = {
    SQLITE: func.json_quote(
        func.json_extract(case((func.json_valid(PersonaRow.persona), PersonaRow.persona)), "$.avatar_url")
    ),
    POSTGRESQL: func.substring(PersonaRow.persona, r'"avatar_url":("(?:[^"\\]|\\.)*")'),
}


async def _row(session: AsyncSession, guild_id: int, name: str | None) -> PersonaRow | None:
    if name is None:
        return None
    row: PersonaRow | None = await session.get(PersonaRow, (guild_id, key_of(name)))
    return row


async def _want_room(session: AsyncSession, guild_id: int) -> None:
    nr = await session.scalar(select(func.count()).select_from(PersonaRow).where(PersonaRow.guild_id == guild_id))
    if (nr or 0) >= MOST_PERSONAS:
        raise TooManyPersonas


def _persona(guild_id: int, key: str, text: str) -> Persona | None:
    """None for one that another version of the code wrote and this one cannot read: it harms no other."""
    try:
        return msgspec.json.decode(text, type=Persona)
    except msgspec.MsgspecError:
        log.warning("persona_ignored", guild=guild_id, key=key)
        return None

"""What the bot must remember about itself from one start to the next: short texts by name."""

from __future__ import annotations

from sqlalchemy import delete

from bot.store.database import Database
from bot.store.engine import alone
from bot.store.models import Note


class Notes:
    def __init__(self, database: Database) -> None:
        self._session = database.session

    async def get(self, name: str) -> str | None:
        async with self._session() as session:
            note = await session.get(Note, name)
        return note.text if note else None

    async def put(self, name: str, text: str) -> None:
        async with self._session.begin() as session:
            await alone(session, "note", name)
            await session.execute(delete(Note).where(Note.name == name))
            session.add(Note(name=name, text=text))

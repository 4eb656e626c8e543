"""Opens the database, brings its tables up to date, hands out sessions, and finds it again when it was away (bot.store.outage)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

from sqlalchemy import event, select
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker

from bot.store.engine import BUSY_TIMEOUT, IN_MEMORY, SQLITE, alone, new_engine, reading, writing
from bot.store.models import Base, Note
from bot.store.outage import Outage
from bot.store.unavailable import DatabaseUnavailable
from bot.store.upgrade import sqlite_file, upgrade
from bot.store.watched_file import WatchedFile

__all__ = ["Database", "DatabaseUnavailable", "MemoryDatabase", "Sessions"]

LAST_WRITES = BUSY_TIMEOUT
"""Seconds that who still writes has when the database closes; as long as one may wait for another."""


class UnderWay:
    """What is being done; `with` it while something is. Connections are told apart: one that never came to be, or was broken off, is
    given back to the pool though nobody had it."""

    def __init__(self) -> None:
        self._count = 0
        self._connections: set[object] = set()
        self._none = asyncio.Event()
        self._none.set()

    def __enter__(self) -> None:
        self._count += 1
        self._changed()

    def __exit__(self, *_: object) -> None:
        self._count -= 1
        self._changed()

    def taken(self, connection: object) -> None:
        self._connections.add(connection)
        self._changed()

    def given_back(self, connection: object) -> None:
        self._connections.discard(connection)
        self._changed()

    def _changed(self) -> None:
        if self._count or self._connections:
            self._none.clear()
        else:
            self._none.set()

    async def over(self) -> None:
        await self._none.wait()


class Sessions:
    """`async with sessions() as session:` reads; `async with sessions.begin() as session:` writes, all of it or nothing.

    Both raise DatabaseUnavailable, also for what goes wrong within; at once, where that is known.
    """

    def __init__(self, engine: AsyncEngine, under_way: UnderWay, outage: Outage, file: WatchedFile) -> None:
        self._under_way = under_way
        self._outage = outage
        self._file = file
        self._reading = async_sessionmaker(reading(engine), expire_on_commit=False)
        self._writing = async_sessionmaker(writing(engine), expire_on_commit=False)
        # SQLite lets writers wait for each other, but in no order: under load the last one would wait for too long.
        self._line: AbstractAsyncContextManager[Any] = (
            asyncio.Lock() if engine.dialect.name == SQLITE else contextlib.nullcontext()
        )

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[AsyncSession]:
        with self._outage.watched(writes=False):
            self._file.look()
            async with self._reading() as session:
                yield session

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncSession]:
        """Who holds one never asks for another: that would wait for itself."""
        self._outage.refuse(writes=True)  # who tries whether it is back may stand in the line, and wait for a lock
        with self._under_way:
            async with self._line:
                with self._outage.watched(writes=True):
                    self._file.look()
                    async with self._writing.begin() as session:
                        yield session


class Database:
    """`async with Database(url) as database:` leaves the tables at the newest revision. Raises DatabaseUnavailable.

    On leaving, what is under way comes to its end first: a pressed button's work belongs to no turn that was waited for.
    """

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self.engine = new_engine(self._url)
        self.outage = Outage(self._url, self._attempt)
        self._under_way = UnderWay()
        self._file = WatchedFile(sqlite_file(self._url))
        self._opened: list[Database] = []
        self.session = Sessions(self.engine, self._under_way, self.outage, self._file)
        event.listen(self.engine.sync_engine, "checkout", lambda _, record, __: self._under_way.taken(record))
        event.listen(self.engine.sync_engine, "checkin", lambda _, record: self._under_way.given_back(record))

    async def __aenter__(self) -> Self:
        await upgrade(self._url)
        self._file.opened()
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WRITES):
                await self._under_way.over()
                await self.outage.close()
        for opened in self._opened:
            await opened.__aexit__(None, None, None)
        await self.engine.dispose()

    async def aside(self) -> Database:
        """Another one, in memory, which is closed with this one."""
        opened = await MemoryDatabase().__aenter__()
        self._opened.append(opened)
        return opened

    async def _attempt(self) -> None:
        """Whether it can be used."""
        try:
            self._file.look()
        except OSError:
            # Nothing of ours holds on to the old file, or comes near another one that is put there.
            await self._under_way.over()
            await self.engine.dispose()
            if self._file.is_another:
                self._file.set_wal_aside()
                await upgrade(self._url)
                self._file.opened()
        async with self.session() as session:
            await session.scalar(select(Note.name).limit(1))
        async with self.session.begin() as session:
            await alone(session, "note", _LAST_OUTAGE)
            await session.merge(Note(name=_LAST_OUTAGE, text=datetime.now(UTC).isoformat()))


_LAST_OUTAGE = "last outage"
"""The note of when it ended."""


class MemoryDatabase(Database):
    """Empty when it is opened, and gone when it is closed. It is one connection, so whoever reads waits for who writes."""

    def __init__(self) -> None:
        super().__init__(IN_MEMORY)
        self.session = _OneAtATime(self.engine, self._under_way, self.outage, self._file)

    async def __aenter__(self) -> Self:
        async with self.engine.begin() as connection:
            await connection.run_sync(Base.metadata.create_all)
        return self


class _OneAtATime(Sessions):
    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[AsyncSession]:
        async with self.begin() as session:
            yield session

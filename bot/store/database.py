"""Opens the database, brings its tables up to date, hands out sessions."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from types import TracebackType
from typing import Any, Self

from sqlalchemy import event
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, async_sessionmaker

from bot.store.engine import BUSY_TIMEOUT, SQLITE, new_engine, reading, writing
from bot.store.unavailable import DatabaseUnavailable
from bot.store.upgrade import upgrade

__all__ = ["Database", "DatabaseUnavailable", "Sessions"]

LAST_WRITES = BUSY_TIMEOUT
"""Seconds that who still writes has when the database closes; as long as one may wait for another."""


class UnderWay:
    """How much is being done; `with` it while something is."""

    def __init__(self) -> None:
        self._count = 0
        self._none = asyncio.Event()
        self._none.set()

    def __enter__(self) -> None:
        self._count += 1
        self._none.clear()

    def __exit__(self, *_: object) -> None:
        self._count -= 1
        if self._count == 0:
            self._none.set()

    async def over(self) -> None:
        await self._none.wait()


class Sessions:
    """`async with sessions() as session:` reads; `async with sessions.begin() as session:` writes, all of it or nothing."""

    def __init__(self, engine: AsyncEngine, under_way: UnderWay) -> None:
        self._under_way = under_way
        self._reading = async_sessionmaker(reading(engine), expire_on_commit=False)
        self._writing = async_sessionmaker(writing(engine), expire_on_commit=False)
        # SQLite lets writers wait for each other, but in no order: under load the last one would wait for too long.
        self._line: AbstractAsyncContextManager[Any] = (
            asyncio.Lock() if engine.dialect.name == SQLITE else contextlib.nullcontext()
        )

    def __call__(self) -> AsyncSession:
        return self._reading()

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncSession]:
        """Who holds one never asks for another: that would wait for itself."""
        with self._under_way:
            async with self._line, self._writing.begin() as session:
                yield session


class Database:
    """`async with Database(url) as database:` leaves the tables at the newest revision. Raises DatabaseUnavailable.

    On leaving, what is under way comes to its end first: a pressed button's work belongs to no turn that was waited for.
    """

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self.engine = new_engine(self._url)
        self._under_way = UnderWay()
        self.session = Sessions(self.engine, self._under_way)
        event.listen(self.engine.sync_engine, "checkout", lambda *_: self._under_way.__enter__())
        event.listen(self.engine.sync_engine, "checkin", self._under_way.__exit__)

    async def __aenter__(self) -> Self:
        await upgrade(self._url)
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WRITES):
                await self._under_way.over()
        await self.engine.dispose()

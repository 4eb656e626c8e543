"""The engine: opens the database, brings its tables up to date, hands out sessions."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from sqlalchemy import Connection, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine

MIGRATIONS = Path(__file__).parent / "migrations"

PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds between tries to open a busy SQLite file: the switch of a new one to WAL wants it alone, and does not wait for
that as other statements do (busy_timeout)."""

LAST_WRITES = 5.0
"""Seconds that who still writes has when the database closes; as long as one may wait for another (busy_timeout)."""


class DatabaseUnavailable(Exception):
    """The database cannot be opened; the text says why."""


class Database:
    """`async with Database(url) as database:` leaves the tables at the newest revision. Raises DatabaseUnavailable.

    On leaving, what is under way comes to its end first: a pressed button's work belongs to no turn that was waited for.
    """

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self.engine = create_async_engine(self._url)
        self.session = async_sessionmaker(self.engine, class_=AsyncSession, expire_on_commit=False)
        self._connections_in_use = 0
        self._idle = asyncio.Event()
        self._idle.set()
        event.listen(self.engine.sync_engine, "checkout", self._taken)
        event.listen(self.engine.sync_engine, "checkin", self._given_back)
        if self._url.get_backend_name() == "sqlite":
            event.listen(self.engine.sync_engine, "connect", _prepare_sqlite)

    async def __aenter__(self) -> Self:
        try:
            if self._url.get_backend_name() == "sqlite" and self._url.database not in (None, "", ":memory:"):
                Path(str(self._url.database)).parent.mkdir(parents=True, exist_ok=True)
            await self._upgrade()
        except (SQLAlchemyError, CommandError, OSError) as error:
            await self.engine.dispose()
            raise DatabaseUnavailable(str(error).partition("\n")[0]) from error
        return self

    async def _upgrade(self) -> None:
        for pause in (*PAUSES, None):
            try:
                async with self.engine.begin() as connection:
                    await connection.run_sync(upgrade)
                return
            except OperationalError as error:
                busy = getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
                if pause is None or not busy:
                    raise
                await asyncio.sleep(pause)

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WRITES):
                await self._idle.wait()
        await self.engine.dispose()

    def _taken(self, *_: object) -> None:
        self._connections_in_use += 1
        self._idle.clear()

    def _given_back(self, *_: object) -> None:
        self._connections_in_use -= 1
        if self._connections_in_use == 0:
            self._idle.set()


def upgrade(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        # Two processes that start together on a new file: the second waits, and finds the tables made.
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    cursor = connection.cursor()
    # WAL: readers never wait for the writer. NORMAL: in WAL mode no transaction can be torn, only the last ones lost
    # with the machine's power (https://sqlite.org/wal.html).
    for pragma in ("busy_timeout=5000", "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()

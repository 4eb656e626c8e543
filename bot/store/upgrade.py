"""Brings the tables to the newest revision, in one transaction: wholly or not at all.

Of processes that start together one does it and the others wait, each at the same lock: SQLite's own for writers, an advisory one
on PostgreSQL. A SQLite file is copied first, under that lock, so that the copy is just what the upgrade began with. PostgreSQL has
its own tools for that, and whoever runs a server uses them.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

import msgspec
import structlog
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect
from sqlalchemy.engine import URL
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.store import backup
from bot.store.engine import SQLITE, alone, new_engine, writing
from bot.store.unavailable import DatabaseUnavailable, told_as_unavailable

log = structlog.get_logger()

MIGRATIONS = Path(__file__).parent / "migrations"

PAUSES = (0.05, 0.1, 0.2, 0.4, 0.8, 1.6)
"""Seconds between tries to open a busy SQLite file: the switch of a new one to WAL wants it alone, and does not wait for
that as other statements do (busy_timeout)."""


class Upgrade(msgspec.Struct, frozen=True):
    before: str | None
    """The revision at which the tables were; None: there were none."""
    after: str
    copy: Path | None = None
    """Of the SQLite file as it was before."""


async def upgrade(url: URL) -> Upgrade:
    """Tables at the newest revision; where there is no SQLite file yet, it is made. Raises DatabaseUnavailable."""
    async with changing_tables(url) as connection:
        return await _upgrade(connection, sqlite_file(url))


@asynccontextmanager
async def changing_tables(url: URL) -> AsyncIterator[AsyncConnection]:
    """One transaction, in which nobody else changes tables. Raises DatabaseUnavailable."""
    engine = new_engine(url, patient=True)
    with told_as_unavailable(url):
        try:
            if (file := sqlite_file(url)) is not None:
                file.parent.mkdir(parents=True, exist_ok=True)
                await _switch_to_wal(engine)
            async with writing(engine).begin() as connection:
                await alone(connection, "parley", "tables")
                yield connection
        finally:
            await engine.dispose()


async def _switch_to_wal(engine: AsyncEngine) -> None:
    for pause in (*PAUSES, None):
        try:
            async with engine.connect():
                return
        except OperationalError as error:
            busy = getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY
            if pause is None or not busy:
                raise
            await asyncio.sleep(pause)


async def _upgrade(connection: AsyncConnection, file: Path | None) -> Upgrade:
    before = await connection.run_sync(revision_of)
    if before == newest():
        return Upgrade(before, before)
    made = None
    if file is not None and await connection.run_sync(_has_tables):
        try:
            made = await asyncio.to_thread(backup.before_upgrade, file, newest())
        except (OSError, sqlite3.Error) as error:
            raise DatabaseUnavailable(
                f"its tables must be brought from revision {before} to {newest()}, and no copy of it could be made"
                f" before that, so nothing was changed: {error}"
            ) from error
        log.info("database_copied", file=str(made), revision=before)
    await connection.run_sync(migrate, newest())
    log.info("database_upgraded", before=before, after=newest())
    return Upgrade(before, newest(), made)


def newest() -> str:
    """The revision to which this version of the code belongs."""
    head = _scripts().get_current_head()
    assert head is not None
    return head


def revision_of(connection: Connection) -> str | None:
    """At which revision the tables are; None where there are none. Raises DatabaseUnavailable for one that is not ours."""
    revision = MigrationContext.configure(connection).get_current_revision()
    if revision is not None and not is_known(revision):
        raise DatabaseUnavailable(
            f"a newer version of Parley has used it (revision {revision}; this one knows those up to {newest()});"
            " run that version, or go back to a copy of the database from before"
        )
    return revision


def is_known(revision: str) -> bool:
    return any(script.revision == revision for script in _scripts().walk_revisions())


def migrate(connection: Connection, revision: str) -> None:
    """Bring the tables to this revision, upward or downward, in the connection's transaction.

    Alembic has what it works on in globals of its own, so in a process there is one of these at a time.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    current = revision_of(connection)
    passed = {script.revision for script in _scripts().iterate_revisions(current, "base")} if current else set()
    (command.downgrade if revision in passed else command.upgrade)(config, revision)


def sqlite_file(url: URL) -> Path | None:
    """None for a database on a server."""
    return Path(str(url.database)) if url.get_backend_name() == SQLITE else None


def _has_tables(connection: Connection) -> bool:
    return bool(inspect(connection).get_table_names())


@cache
def _scripts() -> ScriptDirectory:
    return ScriptDirectory(str(MIGRATIONS))

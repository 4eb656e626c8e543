"""Engines: how Parley speaks with SQLite and with PostgreSQL, so that the rest of the store need not know with which.

Who connects says whether they read or write. Reading transactions see the database as it was at one moment and wait for nobody.
Writing ones take SQLite's write lock with their first statement: one that reads first and writes then would be refused with
"database is locked" where another wrote meanwhile (https://sqlite.org/lang_transaction.html). On PostgreSQL they see what others have
committed, statement by statement; who must be alone with something says so there (`alone`).

Any text can be stored: what no database takes, a NUL or half a surrogate pair, becomes U+FFFD on its way in.
"""

from __future__ import annotations

import hashlib
from typing import Any

from sqlalchemy import Connection, event, func, select
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.pool import StaticPool

from adapters.wire.surrogates import whole_text

SQLITE, POSTGRESQL = "sqlite", "postgresql"
IN_MEMORY = "sqlite+aiosqlite://"
"""The address of a database that is there as long as its engine."""

CONNECTIONS = 10
"""Of one process. On SQLite, each is a thread; a PostgreSQL server has a hundred by default, for all that use it."""
CONNECT_TIMEOUT = 5.0
COMMAND_TIMEOUT = 10.0
"""Seconds. Longer than any statement of the bot's takes: a server that is silent for so long is gone."""
BUSY_TIMEOUT = 5.0
"""Seconds that a writer waits for another process's on SQLite."""

_BEGIN = "parley_sqlite_begin"


def new_engine(url: URL, *, patient: bool = False) -> AsyncEngine:
    """Connects with the first use. `patient`: statements may take as long as they like, as migrations do."""
    sqlite = url.get_backend_name() == SQLITE
    options: dict[str, Any] = {"pool_size": CONNECTIONS, "max_overflow": 0, "pool_timeout": CONNECT_TIMEOUT}
    if url == make_url(IN_MEMORY):
        options = {"poolclass": StaticPool}
    if not sqlite:
        # A server may have been started anew since a connection was used last.
        options["pool_pre_ping"] = True
        options["connect_args"] = {
            "timeout": CONNECT_TIMEOUT,
            "command_timeout": None if patient else COMMAND_TIMEOUT,
            "server_settings": {"application_name": "parley"},
        }
    engine = create_async_engine(url, **options)
    event.listen(engine.sync_engine, "before_cursor_execute", _with_legal_texts, retval=True)
    if sqlite:
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
        event.listen(engine.sync_engine, "begin", _begin_sqlite)
    return engine


def reading(engine: AsyncEngine) -> AsyncEngine:
    """The same, for transactions that only read."""
    if engine.dialect.name == SQLITE:
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def writing(engine: AsyncEngine) -> AsyncEngine:
    """The same, for transactions that write."""
    return engine.execution_options(**{_BEGIN: "BEGIN IMMEDIATE"})


async def alone(transaction: AsyncSession | AsyncConnection, *subject: object) -> None:
    """Who writes and wants to be alone with the same subject waits until this transaction has ended, in any process.

    For what no row's lock can guard: a row that is not there yet, a number of rows. On SQLite each writer is alone.
    """
    bind = transaction.get_bind() if isinstance(transaction, AsyncSession) else transaction.sync_connection
    if bind is not None and bind.dialect.name == POSTGRESQL:
        digest = hashlib.blake2b(repr(subject).encode(), digest_size=8).digest()
        await transaction.execute(select(func.pg_advisory_xact_lock(int.from_bytes(digest, signed=True))))


def legal(text: str) -> str:
    """The text as any database takes it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        text = whole_text(text)
    return text.replace("\0", "\ufffd")


def _with_legal_texts(
    _connection: Connection, _cursor: Any, statement: str, parameters: Any, _context: Any, _many: bool
) -> tuple[str, Any]:
    return statement, _legal(parameters)


def _legal(value: Any) -> Any:
    if isinstance(value, str):
        return legal(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_legal, value))
    if isinstance(value, dict):
        return {name: _legal(entry) for name, entry in value.items()}
    return value


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver begins no transactions of its own: _begin_sqlite does.
    connection.isolation_level = None
    cursor = connection.cursor()
    # WAL: readers never wait for the writer. NORMAL: in WAL mode no transaction can be torn, only the last ones lost
    # with the machine's power (https://sqlite.org/wal.html).
    busy = f"busy_timeout={BUSY_TIMEOUT * 1000:.0f}"
    for pragma in (busy, "journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get(_BEGIN, "BEGIN"))

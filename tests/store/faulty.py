"""Real faults of real databases, each from the moment at which it begins until it is mended."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from sqlalchemy import event

from bot.store import Database, engine, outage
from tests.databases import PostgresServer, postgres_server, sqlite_url

Fault: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]


def be_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for another program, or for the next try, as long as in life."""
    monkeypatch.setattr(outage, "PAUSES", (0.01,))
    monkeypatch.setattr(engine, "BUSY_TIMEOUT", 0.05)


@asynccontextmanager
async def locked(file: Path) -> AsyncIterator[None]:
    """By another program."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        await asyncio.to_thread(other.execute, "BEGIN EXCLUSIVE")  # once who writes just now has written
        yield


@asynccontextmanager
async def full(database: Database) -> AsyncIterator[None]:
    """As of a disk without room: what is there can be read, and nothing can grow."""
    async with set_for_all(database, "max_page_count=1", "max_page_count=1000000"):
        yield


@asynccontextmanager
async def only_readable(database: Database) -> AsyncIterator[None]:
    async with set_for_all(database, "query_only=1", "query_only=0"):
        yield


@asynccontextmanager
async def gone(file: Path) -> AsyncIterator[None]:
    move_away(file)
    yield
    move_back(file)


def move_away(file: Path) -> None:
    file.rename(file.with_name("elsewhere.db"))


def move_back(file: Path) -> None:
    """Where it was moved away."""
    if not file.exists():
        file.with_name("elsewhere.db").rename(file)


@asynccontextmanager
async def set_for_all(database: Database, pragma: str, undone: str) -> AsyncIterator[None]:
    """For each connection, from its next use on."""
    now = [pragma]

    def choose(connection: Any, *_: object) -> None:
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA {now[0]}")
        cursor.close()

    event.listen(database.engine.sync_engine, "checkout", choose)
    yield
    now[0] = undone


OF_SQLITE: Mapping[str, Callable[[Database, Path], AbstractAsyncContextManager[None]]] = {
    "locked": lambda _, file: locked(file),
    "full": lambda database, _: full(database),
    "read-only": lambda database, _: only_readable(database),
    "gone": lambda _, file: gone(file),
}
STOPPED = "server stopped"
READABLE = frozenset({"locked", "full", "read-only"})
"""Those in which reading goes on."""


@asynccontextmanager
async def database_with(fault: str, folder: Path) -> AsyncIterator[tuple[Database, Fault]]:
    """An open database, and what this befalls. Skips where it cannot be had."""
    if fault == STOPPED:
        with postgres_server() as server:
            async with Database(await server.database()) as database:
                yield database, lambda: stopped(server)
        return
    async with Database(sqlite_url(folder)) as database:
        yield database, lambda: OF_SQLITE[fault](database, folder / "parley.db")


@asynccontextmanager
async def stopped(server: PostgresServer) -> AsyncIterator[None]:
    server.stop()
    yield
    server.start()

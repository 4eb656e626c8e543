"""The database opens at the newest revision, whatever was in it before."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from bot.store import AnswerPart, Database, ShownAnswer, TurnJournal
from bot.store.database import MIGRATIONS
from bot.store.models import Base


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/new/parley.db") as opened:
        yield opened


async def test_the_migrations_lead_to_the_models(database: Database) -> None:
    async with database.engine.connect() as connection:
        differences = await connection.run_sync(
            lambda sync: compare_metadata(MigrationContext.configure(sync), Base.metadata)
        )
    assert differences == []


async def test_sqlite_runs_in_wal_mode_and_enforces_foreign_keys(database: Database) -> None:
    async with database.engine.connect() as connection:
        assert (await connection.execute(text("PRAGMA journal_mode"))).scalar() == "wal"
        assert (await connection.execute(text("PRAGMA foreign_keys"))).scalar() == 1


async def test_opening_a_database_again_keeps_what_is_in_it(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path}/parley.db"
    async with Database(url) as first:
        assert await TurnJournal(first).claim("t", 1, 2, 3)
    async with Database(url) as second:
        assert not await TurnJournal(second).claim("u", 1, 2, 3)


async def test_what_is_being_written_when_the_database_closes_is_written(tmp_path: Path) -> None:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        writing = asyncio.create_task(TurnJournal(database).claim("t", 1, 2, 3))
        await asyncio.sleep(0)
        assert not writing.done()
    assert writing.done()
    assert await writing


async def test_a_new_file_that_several_open_at_once_gets_its_tables_once(tmp_path: Path) -> None:
    databases = [Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") for _ in range(4)]
    await asyncio.gather(*(database.__aenter__() for database in databases))
    for database in databases:
        await database.__aexit__(None, None, None)


def migrated(connection: Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["connection"] = connection
    (command.downgrade if revision == "0001" else command.upgrade)(config, revision)


async def test_answers_from_before_there_were_versions_are_kept_as_version_1_without_text(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path}/parley.db"
    async with Database(url) as database, database.engine.begin() as connection:
        await connection.run_sync(migrated, "0001")
    now = str(datetime.now(UTC).replace(tzinfo=None))
    with sqlite3.connect(tmp_path / "parley.db") as old:
        turns = [("t", 100, 1, 2, now, now, "completed"), ("died", 300, 1, 2, now, None, None)]
        old.executemany("INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?, ?)", turns)
        old.execute("INSERT INTO turn_messages VALUES (201, 't', 0, 1990)")
    async with Database(url) as database:
        journal = TurnJournal(database)
        assert not await journal.claim("u", 100, 1, 2)
        assert await journal.answers_with([201]) == [ShownAnswer("t", 100, 1, "", (AnswerPart(201, 1990),))]
        answer = await journal.answer("t")
        assert answer is not None
        assert (answer.asker_id, answer.version_count, answer.shown.status) == (None, 1, "completed")
        assert await journal.begin_version("t") == 2


async def test_the_migrations_lead_back_too_and_keep_turns_and_messages(tmp_path: Path) -> None:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        with sqlite3.connect(tmp_path / "parley.db") as rows:
            turn = ("t", 100, 1, 2, 3, str(datetime.now(UTC).replace(tzinfo=None)))
            columns = "turn_id, question_id, channel_id, guild_id, asker_id, started_at"
            rows.execute(f"INSERT INTO turns ({columns}) VALUES (?, ?, ?, ?, ?, ?)", turn)  # noqa: S608
            rows.execute("INSERT INTO turn_messages VALUES (201, 't', 0, 4)")
        async with database.engine.begin() as connection:
            await connection.run_sync(migrated, "0001")
            count = "SELECT count(*) FROM turns JOIN turn_messages USING (turn_id)"
            assert (await connection.execute(text(count))).scalar() == 1
            await connection.run_sync(migrated, "head")

"""The turn journal on a real SQLite file."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from bot.store import AnswerPart, Database, TurnJournal
from bot.store.models import Base
from bot.store.turns import KEEP


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


async def test_a_new_file_that_several_open_at_once_gets_its_tables_once(tmp_path: Path) -> None:
    databases = [Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") for _ in range(4)]
    await asyncio.gather(*(database.__aenter__() for database in databases))
    for database in databases:
        await database.__aexit__(None, None, None)


async def test_of_many_who_claim_one_message_at_once_exactly_one_gets_it(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path}/parley.db"
    async with Database(url) as one, Database(url) as other:
        journals = [TurnJournal(database) for database in (one, other) for _ in range(8)]
        results = await asyncio.gather(*(journal.claim(f"t{n}", 7, 1, None) for n, journal in enumerate(journals)))
    assert sum(results) == 1


async def test_any_part_leads_to_the_whole_answer_and_its_question(database: Database) -> None:
    journal = TurnJournal(database)
    assert await journal.claim("t", 100, 1, 2)
    await journal.finish("t", "completed", [(201, 1990), (202, 40)])
    whole = [AnswerPart(201, 100, 0, 1990), AnswerPart(202, 100, 1, 40)]
    assert await journal.answers_with([202]) == [whole]
    assert await journal.answers_with([201, 202, 999]) == [whole]
    assert await journal.answers_with([]) == []


async def test_what_is_old_is_forgotten_with_its_messages(database: Database) -> None:
    journal = TurnJournal(database)
    assert await journal.claim("t", 100, 1, 2)
    await journal.finish("t", "completed", [(201, 5)])
    assert await journal.forget_old() == 0
    assert await journal.forget_old(datetime.now(UTC) + KEEP + timedelta(seconds=1)) == 1
    assert await journal.answers_with([201]) == []

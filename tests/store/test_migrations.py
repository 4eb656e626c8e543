"""Whatever revision a database is at, opening it brings all that is in it to the newest; on SQLite, a copy from before is kept."""

import asyncio
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import make_url
from structlog.testing import capture_logs

from bot.store import Database, DatabaseUnavailable, backup
from bot.store.engine import new_engine, writing
from bot.store.models import Base
from bot.store.upgrade import MIGRATIONS, migrate, newest
from tests.databases import sqlite_url
from tests.store.rows import Tables, fill, read

REVISIONS = sorted(script.revision for script in ScriptDirectory(str(MIGRATIONS)).walk_revisions())
MOVED = {"server_preferences": "preferences"}
"""Tables that are no more, and those that have their rows since."""


async def filled_at(revision: str, url: str) -> Tables:
    """A database from then, with rows in each table."""
    engine = new_engine(make_url(url))
    async with writing(engine).begin() as connection:
        await connection.run_sync(migrate, revision)
        rows = await connection.run_sync(fill)
    await engine.dispose()
    return rows


async def read_all(database: Database) -> Tables:
    async with database.engine.connect() as connection:
        return await connection.run_sync(read)


async def test_the_migrations_lead_to_the_models(empty_url: str) -> None:
    async with Database(empty_url) as database, database.engine.connect() as connection:
        differences = await connection.run_sync(
            lambda sync, /: compare_metadata(MigrationContext.configure(sync), Base.metadata)
        )
    assert differences == []


@pytest.mark.parametrize("revision", REVISIONS[:-1])
async def test_all_that_was_stored_at_an_earlier_revision_is_there_at_the_newest(empty_url: str, revision: str) -> None:
    before = await filled_at(revision, empty_url)
    async with Database(empty_url) as database:
        after = await read_all(database)
    assert all(before.values()), "each table is filled"
    assert set(before) - set(after) <= set(MOVED)
    for table, rows in before.items():
        if table in MOVED:
            assert len(after[MOVED[table]]) >= len(rows)
        else:
            assert [{name: now[name] for name in then} for then, now in zip(rows, after[table], strict=True)] == rows


@pytest.mark.parametrize("revision", REVISIONS[:-1])
async def test_the_migrations_lead_back_too(empty_url: str, revision: str) -> None:
    before = await filled_at(newest(), empty_url)
    engine = new_engine(make_url(empty_url))
    async with writing(engine).begin() as connection:
        await connection.run_sync(migrate, revision)
        then = await connection.run_sync(read)
    await engine.dispose()
    async with Database(empty_url) as database:
        after = await read_all(database)
    for table in set(then) & set(before):
        assert len(then[table]) == len(after[table]) == len(before[table])


# -------------------------------------------------------------------------------------------- the copy from before


def kept_copies(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.glob("parley.db.*") if not file.name.endswith(("-wal", "-shm")))


async def test_before_an_upgrade_the_file_is_copied_and_the_log_says_where(tmp_path: Path) -> None:
    before = await filled_at("0001", sqlite_url(tmp_path))
    with capture_logs() as logs:
        async with Database(sqlite_url(tmp_path)):
            pass
    copy = tmp_path / f"parley.db.before-{newest()}"
    assert [entry["file"] for entry in logs if entry["event"] == "database_copied"] == [str(copy)]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    shutil.move(copy, tmp_path / "old.db")
    with closing(sqlite3.connect(tmp_path / "old.db")) as old:
        assert old.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert old.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)
        assert old.execute("SELECT count(*) FROM turns").fetchone() == (len(before["turns"]),)


async def test_no_copy_is_made_of_a_new_file_or_of_one_that_needs_no_upgrade(tmp_path: Path) -> None:
    for _ in range(2):
        async with Database(sqlite_url(tmp_path)):
            pass
    assert kept_copies(tmp_path) == []


async def test_of_several_that_start_together_one_upgrades(tmp_path: Path) -> None:
    await filled_at("0002", sqlite_url(tmp_path))
    databases = [Database(sqlite_url(tmp_path)) for _ in range(4)]
    with capture_logs() as logs:
        await asyncio.gather(*(database.__aenter__() for database in databases))
    for database in databases:
        await database.__aexit__(None, None, None)
    assert sorted(entry["event"] for entry in logs) == ["database_copied", "database_upgraded"]


async def test_the_oldest_copies_go(tmp_path: Path) -> None:
    await filled_at("0001", sqlite_url(tmp_path))
    for number, revision in enumerate(["0002", "0003", "0004", "0005", "0006"]):
        made = backup.before_upgrade(tmp_path / "parley.db", revision)
        os.utime(made, (number, number))
    assert kept_copies(tmp_path) == [f"parley.db.before-{revision}" for revision in ("0004", "0005", "0006")]


async def test_where_no_copy_can_be_made_nothing_is_changed(tmp_path: Path) -> None:
    before = await filled_at("0001", sqlite_url(tmp_path))
    (tmp_path / f"parley.db.before-{newest()}.part").mkdir()  # stands in its way, as a full disk would
    with pytest.raises(
        DatabaseUnavailable, match=f"from revision 0001 to {newest()}, and no copy .* nothing was changed"
    ):
        await Database(sqlite_url(tmp_path)).__aenter__()
    with closing(sqlite3.connect(tmp_path / "parley.db")) as rows:
        assert rows.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)
        assert rows.execute("SELECT count(*) FROM turns").fetchone() == (len(before["turns"]),)

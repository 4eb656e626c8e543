"""The database opens at the newest revision or says in one line why not; readers and writers do not get in each other's way."""

import asyncio
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import func, select, text, update
from sqlalchemy.engine import make_url
from structlog.testing import capture_logs

from bot.store import AnswerPart, Database, DatabaseUnavailable, Forgetting, Notes, ShownAnswer, TurnJournal, VersionEnd
from bot.store.engine import CONNECTIONS, SQLITE, alone, legal, new_engine, writing
from bot.store.models import Note, Turn
from bot.store.turns import RUN_LIMIT
from bot.store.upgrade import migrate, newest
from tests.databases import LOCKED_OUT, PostgresServer, sqlite_url

SECRET = "hunter2"


# ------------------------------------------------------------------------------------------------------------- opening


async def test_sqlite_runs_in_wal_mode_and_enforces_foreign_keys(tmp_path: Path) -> None:
    url = f"sqlite+aiosqlite:///{tmp_path}/new/parley.db"
    async with Database(url) as database, database.engine.connect() as connection:
        assert (await connection.execute(text("PRAGMA journal_mode"))).scalar() == "wal"
        assert (await connection.execute(text("PRAGMA foreign_keys"))).scalar() == 1


async def test_opening_a_database_again_keeps_what_is_in_it(database_url: str) -> None:
    async with Database(database_url) as first:
        assert await TurnJournal(first).claim("t", 1, 2, 3)
    async with Database(database_url) as second:
        assert not await TurnJournal(second).claim("u", 1, 2, 3)


async def test_what_is_being_written_when_the_database_closes_is_written(database_url: str) -> None:
    async with Database(database_url) as database:
        writing = asyncio.create_task(TurnJournal(database).claim("t", 1, 2, 3))
        await asyncio.sleep(0)
        assert not writing.done()
    assert writing.done()
    assert await writing


async def test_a_new_database_that_several_open_at_once_gets_its_tables_once(empty_url: str) -> None:
    databases = [Database(empty_url) for _ in range(4)]
    with capture_logs() as logs:
        await asyncio.gather(*(database.__aenter__() for database in databases))
    for database in databases:
        await database.__aexit__(None, None, None)
    assert [entry["event"] for entry in logs] == ["database_upgraded"]


async def test_answers_from_before_there_were_versions_are_kept_as_version_1_without_text(empty_url: str) -> None:
    engine = new_engine(make_url(empty_url))
    now = datetime.now(UTC)
    async with writing(engine).begin() as connection:
        await connection.run_sync(migrate, "0001")
        time = now if connection.dialect.name != SQLITE else str(now.replace(tzinfo=None))
        turns = "INSERT INTO turns VALUES (:id, :question, 1, 2, :time, :ended, :status)"
        rows = [
            {"id": "t", "question": 100, "time": time, "ended": time, "status": "completed"},
            {"id": "died", "question": 300, "time": time, "ended": None, "status": None},
        ]
        await connection.execute(text(turns), rows)
        await connection.execute(text("INSERT INTO turn_messages VALUES (201, 't', 0, 1990)"))
    await engine.dispose()
    async with Database(empty_url) as database:
        journal = TurnJournal(database)
        assert not await journal.claim("u", 100, 1, 2)
        assert await journal.answers_with([201]) == [ShownAnswer("t", 100, 1, "", (AnswerPart(201, 1990),))]
        answer = await journal.answer("t")
        assert answer is not None
        assert (answer.asker_id, answer.version_count, answer.shown.status) == (None, 1, "completed")
        assert answer.shown.started_at == now
        assert await journal.begin_version("t") == 2


# -------------------------------------------------------------------------------------------------- what cannot be opened


async def refusal(url: str) -> str:
    with pytest.raises(DatabaseUnavailable) as refused:
        await Database(url).__aenter__()
    (line,) = str(refused.value).splitlines()
    assert SECRET not in line
    return line


async def test_a_database_of_a_newer_version_is_told_from_other_faults(database_url: str) -> None:
    async with Database(database_url) as database, database.session.begin() as session:
        await session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    assert await refusal(database_url) == (
        f"a newer version of Parley has used it (revision 9999; this one knows those up to {newest()});"
        " run that version, or go back to a copy of the database from before"
    )


async def test_a_server_that_does_not_let_us_in_is_told_in_one_line_without_the_password(
    postgres: PostgresServer,
) -> None:
    socket = make_url(postgres.url("x")).query["host"]
    url = await postgres.database()
    async with Database(url) as database, database.session.begin() as session:
        await session.execute(text(f"CREATE ROLE {LOCKED_OUT} LOGIN PASSWORD 'another'"))
        await session.execute(text("CREATE ROLE guest LOGIN"))
    known = make_url(url).database
    password = f"postgresql+asyncpg://{LOCKED_OUT}:{SECRET}@/{known}?host={socket}"
    assert await refusal(password) == f"the server at {socket} does not take the password of user '{LOCKED_OUT}'"
    assert await refusal(postgres.url("nowhere")) == (
        f"the server at {socket} has no database 'nowhere'; make it first: createdb nowhere"
    )
    assert await refusal(postgres.url(str(known), "stranger")) == (
        f"the server at {socket} does not let user 'stranger' in"
    )
    empty = make_url(await postgres.database(with_tables=False)).database
    assert await refusal(postgres.url(str(empty), "guest")) == (
        f"user 'guest' may not make tables in database '{empty}'; make it the database's owner"
    )


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("@127.0.0.1:1/x", "the server at 127.0.0.1:1 cannot be reached: Connection refused"),
        ("@/x?host=/nowhere", "the server at /nowhere cannot be reached: No such file or directory"),
    ],
)
async def test_a_server_that_is_not_there_is_told_in_one_line(where: str, line: str) -> None:
    assert await refusal(f"postgresql+asyncpg://parley:{SECRET}{where}") == line


async def test_a_file_that_is_no_database_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "parley.db").write_text("Dear diary, " * 100)
    assert "file is not a database" in await refusal(sqlite_url(tmp_path))


# ----------------------------------------------------------------------------------------------- readers and writers


async def test_who_reads_first_and_writes_then_loses_nothing_that_another_writes_meanwhile(
    database: Database, database_url: str
) -> None:
    """On SQLite, a writer that was a reader before is refused at once ("database is locked"), however long it would wait."""

    async def count_up(home: Database) -> None:
        async with home.session.begin() as session:
            await alone(session, "counter")
            counted = int(await session.scalar(select(Note.text).where(Note.name == "counter")) or 0)
            await session.execute(update(Note).where(Note.name == "counter").values(text=str(counted + 1)))

    await Notes(database).put("counter", "0")
    async with Database(database_url) as other:
        await asyncio.gather(*(count_up(home) for home in (database, other) * 30))
    assert await Notes(database).get("counter") == "60"


async def test_many_turns_at_once_all_come_to_their_end(database: Database, database_url: str) -> None:
    async def turn(home: Database, number: int) -> None:
        journal, turn_id, question_id = TurnJournal(home), f"t{number}", 1000 * number
        assert await journal.claim(turn_id, question_id, 1, 2, 3, further_ids=(question_id - 1,))
        await journal.finish(turn_id, 1, VersionEnd("completed", "One."), [(question_id + 1, 4)])
        assert await journal.begin_version(turn_id) == 2
        await journal.finish(turn_id, 2, VersionEnd("completed", "Two."), [(question_id + 1, 4)])
        answer = await journal.answer(turn_id)
        assert answer is not None
        assert answer.shown.text == "Two."

    many = CONNECTIONS * 10
    async with Database(database_url) as other:
        await asyncio.gather(*(turn((database, other)[number % 2], number) for number in range(1, many + 1)))
    async with database.session() as session:
        assert await session.scalar(select(func.count()).select_from(Turn)) == many


async def test_who_acts_on_the_same_answers_at_once_waits_for_each_other_and_never_in_a_circle(
    database: Database, database_url: str
) -> None:
    later = datetime.now(UTC) + 2 * RUN_LIMIT
    async with Database(database_url) as other:
        mine, theirs = TurnJournal(database), TurnJournal(other)
        for round_ in range(5):
            numbers = range(100 * round_, 100 * round_ + 40, 10)
            for number in numbers:
                await mine.claim(f"t{number}", number, 1, 2, 3)
            acts = [
                act
                for number in numbers
                for turn_id in (f"t{number}",)
                for act in (
                    mine.finish(turn_id, 1, VersionEnd("completed", "One."), [(number + 1, 4)]),
                    theirs.begin_version(turn_id, later),
                    mine.finish(turn_id, 1, VersionEnd("completed", "Two."), [(number + 1, 4)]),
                    theirs.message_deleted(number + 1),
                    theirs.withdraw(turn_id),
                )
            ]
            await asyncio.gather(*acts, Forgetting(other).person(3), Forgetting(database).server(2))


async def test_a_reader_sees_one_moment_and_waits_for_no_writer(database: Database) -> None:
    notes = Notes(database)
    await notes.put("one", "before")
    async with database.session() as reading:
        assert await reading.scalar(select(Note.text).where(Note.name == "one")) == "before"
        await notes.put("one", "after")
        await notes.put("two", "after")
        assert await reading.scalar(select(func.count()).select_from(Note)) == 1
        assert await reading.scalar(select(Note.text).where(Note.name == "one")) == "before"
    assert await notes.get("one") == "after"


async def test_a_server_that_was_started_anew_is_found_again(postgres: PostgresServer) -> None:
    url = await postgres.database()
    all_others = "pid <> pg_backend_pid() AND datname = current_database()"
    async with Database(url) as database, Database(url) as other:
        await Notes(database).put("one", "text")
        async with other.session.begin() as session:
            await session.execute(text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {all_others}"))  # noqa: S608
        assert await Notes(database).get("one") == "text"
        await Notes(database).put("one", "again")


async def test_who_waits_for_another_program_for_too_long_is_told(tmp_path: Path) -> None:
    async with Database(sqlite_url(tmp_path)) as database:
        async with database.session.begin() as session:
            await session.execute(text("PRAGMA busy_timeout=1"))
        with closing(sqlite3.connect(tmp_path / "parley.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(DatabaseUnavailable, match="locked"):
                await Notes(database).put("one", "text")
            assert await Notes(database).get("one") is None, "reading goes on"
        await database.outage.over()
        await Notes(database).put("one", "text")
        assert await Notes(database).get("one") == "text"


# --------------------------------------------------------------------------------------------------------------- texts


@given(st.text(st.characters(exclude_categories=())))
@example("\ud83d\ude00 \ud83d \0")
def test_a_legal_text_stays_as_it_is_and_another_one_becomes_legal(written: str) -> None:
    kept = legal(written)
    assert "\0" not in kept
    assert kept.encode().decode() == kept
    if not any(char == "\0" or "\ud800" <= char <= "\udfff" for char in written):
        assert kept == written


@pytest.mark.parametrize(("name", "kept"), [("a\0b", "a\ufffdb"), ("\ud83d\ude00", "😀"), ("\udfff", "\ufffd")])
async def test_no_text_makes_a_statement_fail_whichever_way_it_comes(database: Database, name: str, kept: str) -> None:
    notes = Notes(database)
    await notes.put(name, name)
    assert await notes.get(name) == await notes.get(kept) == kept
    async with database.session.begin() as session:
        session.add_all([Note(name=f"{name}{number}", text=name) for number in range(2)])
        await session.execute(update(Note).where(Note.name == name).values(text=f"changed {name}"))
    assert await notes.get(kept) == f"changed {kept}"
    assert await notes.get(f"{kept}1") == kept

"""`python -m bot db`: what it prints, what it leaves behind, and how it ends. It needs DATABASE_URL and no token."""

import asyncio
import logging
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
import structlog
from sqlalchemy.engine import make_url

from bot.__main__ import main
from bot.preferences import Scope
from bot.store import Database, Deed, Notes, ProviderKeys, secret_box
from bot.store.upgrade import newest
from tests.databases import PostgresServer

CaptureFixture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No `.env` of the developer's, no token."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DISCORD_TOKEN", raising=False)
    monkeypatch.setenv("DATABASE_URL", "sqlite+aiosqlite:///parley.db")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))


def put_note(url: str = "sqlite+aiosqlite:///parley.db") -> None:
    async def put() -> None:
        async with Database(url) as database:
            await Notes(database).put("n", "text")

    asyncio.run(put())


def noted(file: str | Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(file)) as rows:
        return rows.execute("SELECT name, text FROM notes").fetchall()


def printed(capsys: CaptureFixture, *arguments: str, status: int = 0) -> str:
    """Its one line."""
    assert main(["db", *arguments]) == status
    out, err = capsys.readouterr()
    assert (out if status else err) == ""
    (line,) = (err if status else out).splitlines()
    return str(line)


def test_an_upgrade_tells_from_where_to_where(capsys: CaptureFixture) -> None:
    assert printed(capsys, "upgrade") == f"The tables went from nothing to revision {newest()}."
    assert printed(capsys, "upgrade") == f"The tables are at revision {newest()} already."
    with closing(sqlite3.connect("parley.db")) as rows, rows:
        rows.execute("UPDATE alembic_version SET version_num = '9999'")
    line = printed(capsys, "upgrade", status=1)
    assert line.startswith("DATABASE_URL is 'sqlite+aiosqlite:///parley.db': a newer version of Parley has used it")


def test_a_backup_is_whole_while_the_bot_writes_and_for_its_owner_alone(capsys: CaptureFixture, tmp_path: Path) -> None:
    put_note()
    with closing(sqlite3.connect("parley.db")) as bot, bot:
        bot.execute("INSERT INTO notes VALUES ('not', 'committed')")
        assert printed(capsys, "backup", "copy.db") == "The database is copied to copy.db."
    assert noted("copy.db") == [("n", "text")]
    assert stat.S_IMODE(Path("copy.db").stat().st_mode) == 0o600
    assert printed(capsys, "backup", "copy.db", status=2) == "db backup: copy.db exists already"
    assert "parley.db.backup-2" in printed(capsys, "backup")
    assert printed(capsys, "backup", "no/such/folder.db", status=1) == (
        "db backup: no/such/folder.db: No such file or directory"
    )


def test_of_postgresql_a_backup_is_another_programs_work(
    capsys: CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql+asyncpg://me:hunter2@db:77/parley?ssl=require")
    assert printed(capsys, "backup", "a b.dump", status=2) == (
        "db backup: PostgreSQL has its own tool for that:"
        " pg_dump --format=custom '--file=a b.dump' 'postgresql://me@db:77/parley?sslmode=require'"
    )


def test_an_export_moves_to_postgresql_and_back(
    capsys: CaptureFixture, monkeypatch: pytest.MonkeyPatch, postgres: PostgresServer
) -> None:
    put_note()
    assert printed(capsys, "export", "one.jsonl") == "1 rows are exported to one.jsonl. Keys are not among them."
    assert stat.S_IMODE(Path("one.jsonl").stat().st_mode) == 0o600
    monkeypatch.setenv("DATABASE_URL", asyncio.run(postgres.database(with_tables=False)))
    assert printed(capsys, "import", "one.jsonl") == "1 rows are imported."
    assert printed(capsys, "import", "one.jsonl", status=1) == (
        "db import: one.jsonl: the database is not empty: its table notes has rows; an import needs a new one"
    )
    printed(capsys, "export", "two.jsonl")
    assert Path("one.jsonl").read_text().splitlines()[1:] == Path("two.jsonl").read_text().splitlines()[1:]
    monkeypatch.setenv("DATABASE_URL", "sqlite+aiosqlite:///back.db")
    printed(capsys, "import", "two.jsonl")
    assert noted("back.db") == [("n", "text")]


def test_an_export_can_go_to_another_program(capsys: CaptureFixture) -> None:
    put_note()
    assert main(["db", "export", "-"]) == 0
    out, err = capsys.readouterr()
    assert (out.splitlines()[1:], err) == (['{"table":"notes","row":{"name":"n","text":"text"}}', '{"rows":1}'], "")


def test_nothing_is_replaced_and_nothing_half_is_left(capsys: CaptureFixture, tmp_path: Path) -> None:
    assert printed(capsys, "export", "one.jsonl", status=1) == (
        "DATABASE_URL is 'sqlite+aiosqlite:///parley.db': there is no such file"
    )
    assert list(tmp_path.iterdir()) == []
    Path("one.jsonl").write_text("mine")
    assert printed(capsys, "export", "one.jsonl", status=2) == "db export: one.jsonl exists already"
    assert printed(capsys, "import", "none.jsonl", status=1) == "db import: none.jsonl: No such file or directory"


@pytest.mark.parametrize("arguments", [[], ["rekeyed"], ["export"], ["upgrade", "now"]])
def test_wrong_usage_ends_with_2(capsys: CaptureFixture, arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["db", *arguments])
    assert ended.value.code == 2
    assert "python -m bot db" in capsys.readouterr().err.splitlines()[-1]


def test_a_wrong_address_is_one_line_and_the_token_is_not_asked_for(
    capsys: CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "mysql://me:hunter2@db/parley")
    assert printed(capsys, "upgrade", status=2) == (
        "DATABASE_URL is 'mysql://***@db/parley': must begin with sqlite+aiosqlite:// or postgresql+asyncpg://"
    )


def test_no_password_is_printed(capsys: CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql+asyncpg://me:hunter2@127.0.0.1:1/parley")
    for command in (["upgrade"], ["export", "one.jsonl"], ["import", "/dev/null"]):
        main(["db", *command])
        out, err = capsys.readouterr()
        assert "hunter2" not in out + err
        assert "Traceback" not in err


def put_key(*secrets: str) -> None:
    async def put() -> None:
        url = "sqlite+aiosqlite:///parley.db"
        async with Database(url) as database:
            keys = ProviderKeys(database, secret_box(make_url(url), secrets))
            await keys.add(Scope.SERVER, 1, "groq", "", f"gsk_{secrets}_and_more", Deed(1))

    asyncio.run(put())


def opened(*secrets: str) -> list[bool]:
    async def look() -> list[bool]:
        url = "sqlite+aiosqlite:///parley.db"
        async with Database(url) as database:
            keys = ProviderKeys(database, secret_box(make_url(url), secrets))
            return [key.opens for key in await keys.of(Scope.SERVER, 1)]

    return asyncio.run(look())


OLD, NEW = "an old secret 0123456789", "a new secret 9876543210"


def test_rekey_seals_with_the_first_secret(capsys: CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    put_key(OLD)
    monkeypatch.setenv("PARLEY_SECRET", f"{NEW},{OLD}")
    assert printed(capsys, "rekey") == "1 key is sealed with the first secret."
    assert (opened(NEW), opened(OLD)) == ([True], [False])


def test_a_secret_takes_the_place_of_the_file(capsys: CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    put_key()
    monkeypatch.setenv("PARLEY_SECRET", NEW)
    assert printed(capsys, "rekey") == "1 key is sealed with the first secret."
    Path("parley.secret").unlink()
    assert opened(NEW) == [True]


def test_rekey_says_which_keys_no_secret_opens(capsys: CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    put_key(OLD)
    put_key(NEW)
    monkeypatch.setenv("PARLEY_SECRET", NEW)
    assert main(["db", "rekey"]) == 1
    out, err = capsys.readouterr()
    assert out == "1 key is sealed with the first secret.\n"
    assert err.startswith("db rekey: 1 of 2 keys cannot be opened and stay as they are. PARLEY_SECRET needs")
    assert opened(NEW, OLD) == [True, True], "nothing is lost"


def test_rekey_makes_no_database(capsys: CaptureFixture) -> None:
    assert printed(capsys, "rekey", status=1).endswith("there is no such file")
    assert not Path("parley.db").exists()


def test_a_weak_secret_is_refused_and_not_told(capsys: CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLEY_SECRET", "hunter2")
    assert main(["db", "upgrade"]) == 2
    err = capsys.readouterr().err
    assert "PARLEY_SECRET is not usable: each secret needs at least 16 characters" in err
    assert "hunter2" not in err

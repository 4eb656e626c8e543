"""Databases for tests: SQLite files, and databases on a real PostgreSQL server that the tests start themselves.

The server is made anew for each test process, in a folder of its own, with nothing but a socket there to reach it by. Where
PostgreSQL is not installed its tests are skipped; with PARLEY_POSTGRES=required, as in CI, they fail.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import text
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from bot.store import Database
from bot.store.engine import POSTGRESQL, SQLITE

KINDS = (SQLITE, POSTGRESQL)
OWNER = "parley"
LOCKED_OUT = "nobody"
"""A user whom the server asks for a password."""
_TEMPLATE = "template"
# Durability is for data that outlives a power cut. What is logged is that the server is ready, and not each refused statement.
_OPTIONS = {
    "listen_addresses": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "200",
    "log_min_messages": "log",
    "log_checkpoints": "off",
}
_LETS_IN = f"local all {LOCKED_OUT} scram-sha-256\nlocal all all trust\n"


class PostgresServer:
    """A running one. Its databases are copies of one with all tables, or empty."""

    def __init__(self, folder: Path, command: Sequence[str | Path]) -> None:
        self._folder = folder
        self._command = command
        self._numbers = count()
        self._has_template = False
        self.start()

    def start(self) -> None:
        """Also anew, after `stop`."""
        self._running = subprocess.Popen(self._command, stderr=subprocess.PIPE, text=True, cwd=self._folder)
        _wait_until_ready(self._running)

    def stop(self) -> None:
        """Whoever is connected loses the connection."""
        with self._running as running:
            running.send_signal(signal.SIGINT)

    def url(self, name: str, user: str = OWNER) -> str:
        return f"postgresql+asyncpg://{user}@/{name}?host={self._folder}"

    async def database(self, *, with_tables: bool = True) -> str:
        """The address of a new one."""
        if with_tables and not self._has_template:
            await self._do(f"CREATE DATABASE {_TEMPLATE}")
            async with Database(self.url(_TEMPLATE)):
                self._has_template = True
        name = f"parley{next(self._numbers)}"
        await self._do(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE if with_tables else 'template0'}")
        return self.url(name)

    async def drop(self, url: str) -> None:
        await self._do(f"DROP DATABASE {make_url(url).database} WITH (FORCE)")

    async def _do(self, statement: str) -> None:
        engine = create_async_engine(self.url("postgres"), isolation_level="AUTOCOMMIT")
        async with engine.connect() as connection:
            await connection.execute(text(statement))
        await engine.dispose()


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Skips where none can be started."""
    programs = _programs()
    as_user = _as_server_user()
    with tempfile.TemporaryDirectory(prefix="parley-postgres-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres", "postgres")
        # Sorts unlike SQLite, as most servers do: what leans on an order must say on which.
        sorting = ("--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en-US", "--locale=C.UTF-8")
        made: list[str | Path] = [
            programs / "initdb",
            "--no-sync",
            "--auth=trust",
            f"--username={OWNER}",
            *sorting,
            folder / "data",
        ]
        subprocess.run([*as_user, *made], check=True, stdout=subprocess.DEVNULL, cwd=folder)
        (folder / "data" / "pg_hba.conf").write_text(_LETS_IN)
        options = [option for item in _OPTIONS.items() for option in ("-c", "=".join(item))]
        serve: list[str | Path] = [programs / "postgres", "-D", folder / "data", "-k", folder, *options]
        server = PostgresServer(folder, [*as_user, *serve])
        try:
            yield server
        finally:
            server.stop()


def _programs() -> Path:
    """The folder of initdb and postgres: in PATH, or the newest that Debian has."""
    in_path = shutil.which("initdb")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    if in_path is None and not found:
        _not_there("no PostgreSQL is installed")
    return Path(in_path).parent if in_path else found[-1].parent


def _as_server_user() -> Sequence[str]:
    """PostgreSQL refuses to run as root, and is to end with the tests, however those end."""
    dies_with_us = ["setpriv", "--pdeathsig=INT"] if shutil.which("setpriv") else []
    if os.geteuid() != 0:
        return dies_with_us
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        _not_there("there is no user postgres, and as root PostgreSQL does not run")
    if not dies_with_us:
        _not_there("there is no setpriv, and as root PostgreSQL does not run")
    return [*dies_with_us, "--reuid=postgres", "--regid=postgres", "--init-groups"]


def _wait_until_ready(running: subprocess.Popen[str]) -> None:
    assert running.stderr is not None
    said = []
    for line in running.stderr:
        said.append(line)
        if "ready to accept connections" in line:
            return
    raise RuntimeError(f"PostgreSQL did not start: {''.join(said)}")


def _not_there(why: str) -> None:
    if os.environ.get("PARLEY_POSTGRES") == "required":
        pytest.fail(f"{why}; PARLEY_POSTGRES says that it must be there")
    pytest.skip(why)


# ------------------------------------------------------------------------------------------------------------ fixtures


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


@pytest.fixture(params=KINDS)
def database_kind(request: pytest.FixtureRequest) -> str:
    """A test that asks for this, or for one of the following, runs on each kind of database."""
    return str(request.param)


@pytest.fixture
async def database_url(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The address of a new database with all tables; on SQLite, of a file that is not there yet. As DATABASE_URL has it."""
    async for url in _new_url(database_kind, tmp_path, request, with_tables=True):
        yield url


@pytest.fixture
async def empty_url(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[str]:
    """The same, without any table."""
    async for url in _new_url(database_kind, tmp_path, request, with_tables=False):
        yield url


async def _new_url(kind: str, folder: Path, request: pytest.FixtureRequest, *, with_tables: bool) -> AsyncIterator[str]:
    if kind == SQLITE:
        yield sqlite_url(folder)
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    url = await server.database(with_tables=with_tables)
    yield url
    await server.drop(url)


def sqlite_url(folder: Path) -> str:
    return f"sqlite+aiosqlite:///{folder}/parley.db"

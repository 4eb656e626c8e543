"""`python -m bot db`: the database by hand. It reads DATABASE_URL as the bot does, and needs no bot."""

from __future__ import annotations

import argparse
import asyncio
import os
import shlex
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from sqlalchemy.engine import URL, make_url

from bot.observability import configure_logging
from bot.settings import LogFormat, LogLevel, load_database_settings, without_password
from bot.store import Database, DatabaseUnavailable, NoSecret, ProviderKeys, backup, secret_box
from bot.store.dump import NotExported, NotImported, export_to, import_from
from bot.store.upgrade import sqlite_file, upgrade

STANDARD_STREAM = "-"


Secrets: TypeAlias = Sequence[str]
"""Of PARLEY_SECRET."""


class WrongUsage(Exception):
    """The text says, in one line, what would be right."""


class NotAllRekeyed(Exception):
    """The text says, in one line, how many not and why."""


def main(argv: list[str]) -> int:
    """Arguments behind the word `db`. Exit status 0; 2 for wrong usage or settings; 1 where it did not work. Raises SettingsError."""
    options = _arguments().parse_args(argv)
    settings = load_database_settings()
    address, secrets = settings.database_url, settings.sealing_secrets()
    url = make_url(address)
    configure_logging(LogFormat.CONSOLE, LogLevel.WARNING, [*secrets, *([url.password] if url.password else [])])

    try:
        COMMANDS[options.command](url, options, secrets)
        return 0
    except WrongUsage as wrong:
        sys.stderr.write(f"db {options.command}: {wrong}\n")
        return 2
    except (NoSecret, NotAllRekeyed) as failed:
        problem = f"db {options.command}: {failed}"
    except DatabaseUnavailable as unavailable:
        problem = f"DATABASE_URL is {without_password(address)!r}: {unavailable}"
    except (NotExported, NotImported, OSError, sqlite3.Error) as failed:
        told = failed.strerror if isinstance(failed, OSError) else failed
        problem = f"db {options.command}: {options.file or 'a copy'}: {told}"
    sys.stderr.write(f"{problem}\n")
    return 1


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bot db", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        made = commands.add_parser(name, help=command.__doc__, description=command.__doc__)
        if name in FILES:
            made.add_argument("file", **FILES[name])
    return parser


def _upgrade(url: URL, _options: argparse.Namespace, _secrets: Secrets) -> None:
    """bring the tables to the newest revision"""
    done = asyncio.run(upgrade(url))
    if done.copy:
        _say(f"The database as it was is kept as {done.copy}.")
    if done.before == done.after:
        _say(f"The tables are at revision {done.after} already.")
    else:
        _say(
            f"The tables went from {f'revision {done.before}' if done.before else 'nothing'} to revision {done.after}."
        )


def _backup(url: URL, options: argparse.Namespace, _secrets: Secrets) -> None:
    """copy a SQLite database, also while the bot runs"""
    source = sqlite_file(url)
    if source is None:
        raise WrongUsage(f"PostgreSQL has its own tool for that: {_pg_dump(url, options.file or 'parley.dump')}")
    _want_there(source)
    now = f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    target = Path(options.file or source.with_name(f"{source.name}.backup-{now}"))
    _want_new(target)
    backup.copy(source, target)
    _say(f"The database is copied to {target}.")


def _export(url: URL, options: argparse.Namespace, _secrets: Secrets) -> None:
    """write all rows as lines of JSON, without keys"""
    if options.file == STANDARD_STREAM:
        asyncio.run(export_to(url, sys.stdout.buffer.write))
        sys.stdout.buffer.flush()
        return
    target = Path(options.file)
    _want_new(target)
    with ExitStack() as undo:
        with os.fdopen(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            undo.callback(target.unlink)
            rows = asyncio.run(export_to(url, file.write))
        undo.pop_all()
    _say(f"{rows} rows are exported to {target}. Keys are not among them.")


def _import(url: URL, options: argparse.Namespace, _secrets: Secrets) -> None:
    """fill an empty database with what was exported"""
    if options.file == STANDARD_STREAM:
        rows = asyncio.run(import_from(url, sys.stdin.buffer))
    else:
        with Path(options.file).open("rb") as file:
            rows = asyncio.run(import_from(url, file))
    _say(f"{rows} rows are imported.")


def _rekey(url: URL, _options: argparse.Namespace, secrets: Secrets) -> None:
    """seal all keys with the first secret of PARLEY_SECRET"""
    if file := sqlite_file(url):
        _want_there(file)
    done, stuck = asyncio.run(_sealed_anew(url, secrets))
    _say(f"{done} {'key is' if done == 1 else 'keys are'} sealed with the first secret.")
    if stuck:
        raise NotAllRekeyed(
            f"{stuck} of {done + stuck} keys cannot be opened and stay as they are. PARLEY_SECRET needs the secret that"
            " they were sealed with too; else their owners delete them and enter them again."
        )


async def _sealed_anew(url: URL, secrets: Secrets) -> tuple[int, int]:
    async with Database(url.render_as_string(hide_password=False)) as database:
        return await ProviderKeys(database, secret_box(url, secrets)).rekey()


COMMANDS: dict[str, Callable[[URL, argparse.Namespace, Secrets], None]] = {
    "upgrade": _upgrade,
    "backup": _backup,
    "export": _export,
    "import": _import,
    "rekey": _rekey,
}
FILES: dict[str, dict[str, Any]] = {
    "backup": {"nargs": "?", "metavar": "FILE", "help": "by default beside the database, with the time in its name"},
    "export": {"metavar": "FILE | -"},
    "import": {"metavar": "FILE | -"},
}


def _want_new(target: Path) -> None:
    if target.exists():
        raise WrongUsage(f"{target} exists already")


def _want_there(file: Path) -> None:
    if not file.exists():
        raise DatabaseUnavailable("there is no such file")


def _pg_dump(url: URL, file: str) -> str:
    """As one types it; the password is asked for, or comes from ~/.pgpass or PGPASSWORD."""
    query = {"sslmode" if name == "ssl" else name: value for name, value in url.query.items() if name in _LIBPQ}
    address = URL.create("postgresql", url.username, None, url.host, url.port, url.database, query)
    return shlex.join(["pg_dump", "--format=custom", f"--file={file}", address.render_as_string()])


_LIBPQ = frozenset({"host", "port", "ssl"})


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")

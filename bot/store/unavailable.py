"""Why a database cannot be used, in one line for who runs the bot. No line holds a password."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from alembic.util import CommandError
from sqlalchemy.engine import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from bot.store.engine import POSTGRESQL

# https://www.postgresql.org/docs/current/errcodes-appendix.html
_BY_CODE = {
    "28P01": "the server at {server} does not take the password of user {user!r}",
    "28000": "the server at {server} does not let user {user!r} in",
    "3D000": "the server at {server} has no database {name!r}; make it first: createdb {name}",
    "42501": "user {user!r} may not make tables in database {name!r}; make it the database's owner",
    "53300": "the server at {server} has no connection left for another client",
    "57P03": "the server at {server} is starting or stopping; try again in a moment",
}


class DatabaseUnavailable(Exception):
    """The database cannot be opened, or not be used now; the text says why."""


@contextmanager
def told_as_unavailable(url: URL) -> Iterator[None]:
    """What a database says when it cannot be used becomes DatabaseUnavailable; other exceptions stay what they are."""
    try:
        yield
    except Exception as error:
        # Drivers raise errors of their own where they cannot connect.
        if not isinstance(error, (SQLAlchemyError, CommandError, OSError, sqlite3.Error)) and not hasattr(
            error, "sqlstate"
        ):
            raise
        raise DatabaseUnavailable(why_not(error, url)) from error


def why_not(error: BaseException, url: URL) -> str:
    """The error that came of opening the database at this address, in one line."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
    if url.get_backend_name() != POSTGRESQL:
        return _first_line(error)
    words = {"server": server(url), "user": url.username or "", "name": url.database or ""}
    code = getattr(cause, "sqlstate", None)
    if code in _BY_CODE:
        return _BY_CODE[code].format(**words)
    if isinstance(cause, OSError):
        told = cause.strerror or _first_line(cause) or "it does not answer"
        if isinstance(cause, ConnectionError) and cause.errno:
            told = os.strerror(cause.errno)  # asyncio's own words repeat the address
        return f"the server at {words['server']} cannot be reached: {told}"
    return _first_line(error)


def server(url: URL) -> str:
    """Where it is: host and port, or the folder of its socket."""
    host = url.query.get("host") or url.host or "localhost"
    return f"{host}:{url.port or 5432}" if isinstance(host, str) and not host.startswith("/") else str(host)


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0]

"""Which errors say that the database cannot be used now, and what who runs the bot can do about it.

The code decides, and words never: SQLite's primary result code (https://sqlite.org/rescode.html), PostgreSQL's SQLSTATE
(https://www.postgresql.org/docs/current/errcodes-appendix.html). All else is a fault of ours, and no outage.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

_LOCKED = "another program has it locked: end that program, or what it does with the database"
_DISK = "look at its disk, and at what the operating system's log says of it"
_DAMAGED = "the file is damaged: stop the bot and put a copy of it in its place (docs/architecture.md, The database)"
_RIGHTS = "let the user that the bot runs as read and write the file, and its folder"
_ROOM = "make room on its disk"
_SERVER = "look at whether the server runs, and at its log"

_BY_RESULT: Mapping[int, str] = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_PROTOCOL: _LOCKED,
    sqlite3.SQLITE_FULL: _ROOM,
    sqlite3.SQLITE_READONLY: _RIGHTS,
    sqlite3.SQLITE_PERM: _RIGHTS,
    sqlite3.SQLITE_CANTOPEN: _RIGHTS,
    sqlite3.SQLITE_IOERR: _DISK,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
}
_BY_STATE: Mapping[str, str] = {
    "08": _SERVER,  # connections
    "25006": "the server only lets read: it is a standby, or was switched to that",
    "28": "look at the user and password in DATABASE_URL, and at the server's pg_hba.conf",
    "3D": "make the database anew, or put it back from a backup",
    "53100": _ROOM,
    "53": "give the server more of what it is short of: connections, memory",
    "57": _SERVER,  # shut down, crashed, starting
    "58": _DISK,
    "XX001": "the server's data are damaged: put them back from a backup",
}
"""By the beginning of the SQLSTATE; the first that fits."""


class FileGone(OSError):
    """The file of the database is not there any more, or is another one than was opened."""


def cure_of(error: BaseException) -> str | None:
    """What the operator can do where the database cannot be used; None: that is not what the error says."""
    if isinstance(error, FileGone):
        return "put the file back, or stop the bot: when it starts, it makes a new one"
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    if (code := getattr(cause, "sqlite_errorcode", None)) is not None:
        return _BY_RESULT.get(code & 0xFF)
    if (state := getattr(cause, "sqlstate", None)) is not None:
        return next((cure for start, cure in _BY_STATE.items() if state.startswith(start)), None)
    if isinstance(error, DBAPIError):
        return _SERVER if error.connection_invalidated else None
    # Drivers raise what the socket says as it is, and where nothing comes within their time.
    return _SERVER if isinstance(error, (OSError, TimeoutError, NoConnectionFree)) else None

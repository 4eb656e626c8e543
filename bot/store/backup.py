"""Copies of a SQLite file, each whole and of one moment, also while the bot writes into it (https://sqlite.org/backup.html)."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

KEPT = 3
"""Copies from before upgrades; the oldest of more goes."""


def copy(source: Path, target: Path) -> None:
    """A file that is there is replaced, once the new one is whole. Only its owner may read it. Raises OSError, sqlite3.Error."""
    part = target.with_name(f"{target.name}.part")
    part.unlink(missing_ok=True)
    os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with contextlib.closing(sqlite3.connect(source)) as old, contextlib.closing(sqlite3.connect(part)) as new:
            old.backup(new)
            # It came in WAL mode, in which a database is more than one file.
            new.execute("PRAGMA journal_mode=DELETE")
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def before_upgrade(source: Path, revision: str) -> Path:
    """A copy of what is to be brought to this revision: `parley.db.before-0004`. Raises as `copy`."""
    target = source.with_name(f"{source.name}.before-{revision}")
    copy(source, target)
    copies = [file for file in source.parent.glob(f"{source.name}.before-*") if file.suffix != ".part"]
    for file in sorted(copies, key=lambda file: file.stat().st_mtime_ns)[:-KEPT]:
        file.unlink(missing_ok=True)
    return target

"""Whether the file of a SQLite database is still the one that was opened.

SQLite goes on with a file that was deleted or replaced as if nothing was, and all that it writes is lost when it closes. To ask costs
microseconds, as such files are on a disk of the machine.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from bot.store.faults import FileGone


class WatchedFile:
    def __init__(self, path: Path | None) -> None:
        """None: there is no file to look at."""
        self._path = path
        self._wal = path.with_name(f"{path.name}-wal") if path is not None else None
        self._opened: tuple[int, int] | None = None
        self._opened_wal: tuple[int, int] | None = None

    def opened(self) -> None:
        """The one that is there now is ours."""
        self._opened, self._opened_wal = _identity(self._path), None

    def look(self) -> None:
        """Raises FileGone."""
        if self._opened is None:
            return
        if _identity(self._path) != self._opened:
            raise FileGone(f"the file {self._path} is gone, or another one is in its place")
        if self._opened_wal is None:
            self._opened_wal = _identity(self._wal)

    @property
    def is_another(self) -> bool:
        return _identity(self._path) not in (None, self._opened)

    def set_wal_aside(self) -> None:
        """To be done when nobody has the old file open, and before anybody opens the new one: what the old one's log says would
        be written into that (https://sqlite.org/howtocorrupt.html#unlink)."""
        if self._wal is not None and self._opened_wal is not None and _identity(self._wal) == self._opened_wal:
            self._wal.replace(self._wal.with_name(f"{self._wal.name}.replaced"))


def _identity(path: Path | None) -> tuple[int, int] | None:
    """None: there is no such file."""
    if path is None:
        return None
    with contextlib.suppress(OSError):
        found = path.stat()
        return found.st_dev, found.st_ino
    return None

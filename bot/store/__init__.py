"""What outlives the process: SQLAlchemy 2 (async) on SQLite in WAL mode, with Alembic's migrations."""

from bot.store.answers import AnswerPart, ShownAnswer, StoredAnswer, StoredVersion, VersionEnd
from bot.store.database import Database, DatabaseUnavailable
from bot.store.notes import Notes
from bot.store.preferences import Preferences, Scope
from bot.store.turns import TurnJournal

__all__ = [
    "AnswerPart",
    "Database",
    "DatabaseUnavailable",
    "Notes",
    "Preferences",
    "Scope",
    "ShownAnswer",
    "StoredAnswer",
    "StoredVersion",
    "TurnJournal",
    "VersionEnd",
]

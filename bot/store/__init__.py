"""What outlives the process: SQLAlchemy 2 (async) on SQLite in WAL mode, with Alembic's migrations."""

from bot.store.database import Database, DatabaseUnavailable
from bot.store.turns import AnswerPart, TurnJournal

__all__ = ["AnswerPart", "Database", "DatabaseUnavailable", "TurnJournal"]

"""What outlives the process: SQLAlchemy 2 (async) on SQLite in WAL mode, with Alembic's migrations."""

from bot.preferences import Scope
from bot.store.answers import AnswerPart, ShownAnswer, StoredAnswer, StoredVersion, VersionEnd
from bot.store.conversations import Conversations, ConversationState
from bot.store.database import Database, DatabaseUnavailable
from bot.store.forgetting import Forgetting, Forgotten
from bot.store.keys import KeptKey, KeyedEndpoint, ProviderKeys
from bot.store.memories import KeptNote, Memories, Subject
from bot.store.notes import Notes
from bot.store.personas import KeptPersona, NameTaken, Personas, TooManyPersonas
from bot.store.preferences import Deed, NotUndone, Preferences
from bot.store.secret_box import NoSecret, SecretBox, secret_box
from bot.store.steady_journal import SteadyJournal
from bot.store.turns import TurnJournal

__all__ = [
    "AnswerPart",
    "ConversationState",
    "Conversations",
    "Database",
    "DatabaseUnavailable",
    "Deed",
    "Forgetting",
    "Forgotten",
    "KeptKey",
    "KeptNote",
    "KeptPersona",
    "KeyedEndpoint",
    "Memories",
    "NameTaken",
    "NoSecret",
    "NotUndone",
    "Notes",
    "Personas",
    "Preferences",
    "ProviderKeys",
    "Scope",
    "SecretBox",
    "ShownAnswer",
    "SteadyJournal",
    "StoredAnswer",
    "StoredVersion",
    "Subject",
    "TooManyPersonas",
    "TurnJournal",
    "VersionEnd",
    "secret_box",
]

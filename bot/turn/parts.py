"""What all turns share."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec

from adapters.contract import Endpoint, GenerationRequest, Usage
from adapters.deadlines import DEFAULT_DEADLINES, Deadlines
from adapters.transport import Transport
from bot.attachments.reading import AttachmentReader
from bot.conversation.tokens import TokenCounter
from bot.delivery.error_embeds import ErrorFold
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.refused_sends import RefusedSends
from bot.localization import Translator
from bot.preferences import Location
from bot.store import Preferences, TurnJournal
from bot.turn.budgets import Budgets
from bot.turn.models import ModelChoice, Models
from bot.turn.scenes import Scenes


class Purpose(StrEnum):
    """What a model is asked for."""

    ANSWER = "answer"
    TITLE = "title"
    SUMMARY = "summary"
    NOTE = "note"


class Spending(Protocol):
    """Writes down what calls of models cost, and whom."""

    async def record(
        self,
        location: Location,
        choice: ModelChoice,
        endpoint: Endpoint,
        purpose: Purpose,
        usage: Usage | None,
        request: GenerationRequest,
        text: str,
    ) -> None:
        """One call, however it ended. `usage`: None where the provider did not say, as of an answer that was stopped. `text`: all
        that the model wrote, thoughts included. Never raises."""
        ...

    async def forget(self, user_id: int) -> None:
        """What they used and was not written yet, and use with what is under way, is nobody's."""
        ...

    async def flush(self) -> bool:
        """All that was recorded is written, or could not be."""
        ...


class TurnParts(msgspec.Struct, frozen=True):
    transport: Transport
    journal: TurnJournal
    preferences: Preferences
    scenes: Scenes
    reader: AttachmentReader
    counter: TokenCounter
    translator: Translator
    pacing: Pacer
    refused_sends: RefusedSends
    errors: ErrorFold
    models: Models
    budgets: Budgets
    spending: Spending
    deadlines: Deadlines = DEFAULT_DEADLINES

"""What all turns share."""

from __future__ import annotations

import msgspec

from adapters.deadlines import DEFAULT_DEADLINES, Deadlines
from adapters.transport import Transport
from bot.conversation.build import ContextLimits
from bot.delivery.error_embeds import ErrorFold
from bot.delivery.pacing.pacer import Pacer
from bot.localization import Translator
from bot.store import Preferences, TurnJournal
from bot.turn.attempts import ModelChoice


class TurnParts(msgspec.Struct, frozen=True):
    transport: Transport
    journal: TurnJournal
    preferences: Preferences
    translator: Translator
    pacing: Pacer
    errors: ErrorFold
    model: ModelChoice | None
    limits: ContextLimits
    deadlines: Deadlines = DEFAULT_DEADLINES

"""What all turns share."""

from __future__ import annotations

import msgspec

from adapters.deadlines import DEFAULT_DEADLINES, Deadlines
from adapters.transport import Transport
from bot.conversation.attached import Reader
from bot.conversation.tokens import TokenCounter
from bot.delivery.error_embeds import ErrorFold
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.refused_sends import RefusedSends
from bot.localization import Translator
from bot.store import Preferences, TurnJournal
from bot.turn.attempts import ModelChoice
from bot.turn.scenes import Scenes


class TurnParts(msgspec.Struct, frozen=True):
    transport: Transport
    journal: TurnJournal
    preferences: Preferences
    scenes: Scenes
    reader: Reader
    counter: TokenCounter
    translator: Translator
    pacing: Pacer
    refused_sends: RefusedSends
    errors: ErrorFold
    model: ModelChoice | None
    deadlines: Deadlines = DEFAULT_DEADLINES

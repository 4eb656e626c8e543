"""An answer's messages go: each is deleted by whom it was written."""

from __future__ import annotations

import structlog

from bot.delivery.outcome import Fate
from bot.delivery.pacing.buckets import Route
from bot.delivery.plan import Delete
from bot.localization import Words
from bot.preferences import DEFAULTS
from bot.store import StoredAnswer
from bot.turn.ending import decoded
from bot.turn.parts import TurnParts
from bot.turn.request import Channel

log = structlog.get_logger()


async def remove_messages(parts: TurnParts, channel: Channel, answer: StoredAnswer, words: Words) -> bool:
    """False where Discord let one of them stay."""
    spoken_as = decoded(answer.shown.facts).spoken_as
    voice = await channel.voice(spoken_as, None) if spoken_as else None
    sender = channel.sender(DEFAULTS, words, voice)
    lane = parts.pacing.lane(channel.pacing_place(voice))
    are_gone = True
    try:
        for message_id in answer.message_ids:
            await lane.clear(Route.DELETE, final=True)
            outcome = await sender.send(Delete(message_id), "")
            if outcome.fate not in (Fate.DONE, Fate.GONE):
                log.warning("answer_not_deleted", message=message_id, fate=outcome.fate, error=outcome.detail)
                are_gone = False
    finally:
        lane.close()
    return are_gone

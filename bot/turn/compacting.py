"""Folds the older part of a conversation into its summary, so that later requests are short and nothing of weight is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import StrEnum

import structlog

from bot.conversation.compaction import compaction_request, summary_of
from bot.conversation.history import PastMessage
from bot.turn.models import NoModel
from bot.turn.parts import Purpose, TurnParts
from bot.turn.request import TurnRequest
from bot.turn.side_call import side_call

log = structlog.get_logger()

KEPT_SHARE = 0.3
"""Of the messages, the newest ones, which stay as they are."""
MOST_READ = 300
"""Messages that are looked at."""
LEAST = 6
"""Messages below which a summary would be no shorter."""


class Compacted(StrEnum):
    DONE = "done"
    TOO_SHORT = "too_short"
    FAILED = "failed"
    BUSY = "busy"


class Compacting:
    def __init__(self, parts: TurnParts) -> None:
        self._parts = parts
        self._running: set[int] = set()
        """Channel ids."""

    async def compact(self, request: TurnRequest, dropped: Sequence[PastMessage] = ()) -> Compacted:
        """`request`: any question of the conversation. What was just dropped of it is folded; where that is nothing, what was said
        before the question, but for the newest."""
        if request.channel_id in self._running:
            return Compacted.BUSY
        self._running.add(request.channel_id)
        try:
            done = await self._compact(request, dropped)
        finally:
            self._running.discard(request.channel_id)
        log.info("compacted", result=done)
        return done

    async def _compact(self, request: TurnRequest, dropped: Sequence[PastMessage]) -> Compacted:
        parts = self._parts
        choice = await parts.models.at(request.payer_location)
        if isinstance(choice, NoModel):
            return Compacted.FAILED
        begun = await parts.scenes.summary_begins(request)
        scene = await parts.scenes.set(request, choice, None)
        folded = dropped
        if dropped and not dropped[-1].place[0] <= (scene.starts_after or 0) < request.question_id:
            return Compacted.TOO_SHORT  # begun anew or forgotten, since it was dropped
        if not folded:
            said = await request.channel.history().recent(MOST_READ, scene.starts_after)
            folded = older([message for message in said if message.place[0] < request.question_id])
        if not folded:
            return Compacted.TOO_SHORT
        wanted = await asyncio.to_thread(compaction_request, scene.summary, folded, scene, parts.counter)
        summary = summary_of(await side_call(parts, request.payer_location, choice, wanted, Purpose.SUMMARY) or "")
        if summary and await parts.scenes.summarized(request, summary, folded[-1].place[0], begun):
            return Compacted.DONE
        return Compacted.FAILED


def older(said: Sequence[PastMessage]) -> Sequence[PastMessage]:
    """The part that is folded, oldest first: whole exchanges, so what stays begins with a person's words. () where there is too
    little."""
    if len(said) < LEAST:
        return ()
    at = len(said) - max(1, int(len(said) * KEPT_SHARE))
    while at > 0 and said[at].is_me:
        at -= 1
    return said[:at]

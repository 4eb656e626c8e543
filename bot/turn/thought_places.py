"""Thoughts that a server wants to read elsewhere: in a thread at the answer, or in its log channel."""

from __future__ import annotations

import structlog

from bot.delivery.delivered import Delivery
from bot.delivery.outcome import Fate, Sender
from bot.delivery.pacing.buckets import Route
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.plan import Create
from bot.delivery.thought_log import elsewhere
from bot.preferences import ThoughtLog
from bot.turn.ending import Look
from bot.turn.request import TurnRequest

log = structlog.get_logger()


async def put_thoughts(thoughts: str, delivered: Delivery, request: TurnRequest, look: Look, pacing: Pacer) -> None:
    """Once the answer stands. What goes wrong is for the log: the thoughts are behind the answer's button as well."""
    if look.preferences.thoughts not in (ThoughtLog.THREAD, ThoughtLog.CHANNEL) or not delivered.shown:
        return
    plans = elsewhere(thoughts, look.words, request.link)
    if not plans:
        return
    channel_id, sender = await _place(delivered, request, look)
    if channel_id is None or sender is None:
        log.warning("thoughts_not_put", place=look.preferences.thoughts, why="no such place for us")
        return
    lane = pacing.lane(channel_id)
    try:
        for slot, plan in enumerate(plans):
            await lane.clear(Route.CREATE, final=True)
            outcome = await sender.send(Create(slot, plan), f"{request.seed}.thoughts")
            if outcome.fate is not Fate.DONE:
                log.warning(
                    "thoughts_not_put", place=look.preferences.thoughts, why=outcome.fate, detail=outcome.detail
                )
                return
    finally:
        lane.close()


async def _place(delivered: Delivery, request: TurnRequest, look: Look) -> tuple[int | None, Sender | None]:
    if look.preferences.thoughts is ThoughtLog.THREAD:
        first_message_id, _ = delivered.shown[0]
        return first_message_id, await request.channel.thread_at(first_message_id, look.words("thoughts-thread"))
    channel_id = look.preferences.thought_channel_id
    return channel_id, None if channel_id is None else request.channel.elsewhere(channel_id)

"""What becomes of a question that its author edits.

While it waits, the new text counts. Until a word of its answer can be read, the answer is begun anew. After that, and for OFFER_FOR
after it ended, the answer says that the question was edited, and offers to answer again; nothing is written anew unasked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import discord
import msgspec
import structlog

from bot.delivery.told_lately import ToldLately
from bot.gateway.admission.visits import location_of
from bot.gateway.inbox.inbox import Inbox
from bot.gateway.languages import locale_of_place
from bot.store import Preferences, StoredAnswer, TurnJournal
from bot.turn.ending import EDITED, decoded
from bot.turn.queue import TurnQueue
from bot.turn.request import Channel, Task, TurnRequest
from bot.turn.runner import TurnRunner

log = structlog.get_logger()

OFFER_FOR = timedelta(seconds=30)
"""After an answer's end. Later, who edits corrects a slip and wants nothing."""
OLDEST_QUESTION = timedelta(hours=1)
"""No answer to an older one can have ended just now."""
NEWS = timedelta(seconds=60)
"""An edit that was made longer ago, of a message that we do not remember, is an old one that is told again."""
MOST_OFFERED = 1000


def is_edit(before: discord.Message | None, after: discord.Message, now: datetime) -> bool:
    """Whether its author changed it. Discord tells of link previews, pins and threads in the same way."""
    if after.edited_at is None:
        return False
    return now - after.edited_at < NEWS if before is None else before.edited_at != after.edited_at


class Edits:
    def __init__(
        self,
        inbox: Inbox[discord.Message],
        queue: TurnQueue,
        runner: TurnRunner,
        journal: TurnJournal,
        preferences: Preferences,
        channel_of: Callable[[discord.Message, discord.Thread | None], Channel],
    ) -> None:
        """`channel_of`: the channel of this question as a turn sees it, where it is answered in that thread or in its own channel."""
        self._inbox = inbox
        self._queue = queue
        self._runner = runner
        self._journal = journal
        self._preferences = preferences
        self._channel_of = channel_of
        self._offered = ToldLately(OFFER_FOR.total_seconds(), MOST_OFFERED)

    async def edited(self, event: discord.RawMessageUpdateEvent, now: datetime | None = None) -> None:
        """discord.py's on_raw_message_edit. `now`: with a time zone."""
        message, now = event.message, now or datetime.now(UTC)
        # Bots edit all the time: so do we, to stream.
        if message.author.bot or message.webhook_id is not None or not is_edit(event.cached_message, message, now):
            return
        # What waits holds the message as it came, which discord.py changes only while it remembers it.
        if self._inbox.edited(message):
            return

        def channel_at(channel_id: int) -> Channel:
            # A thread that was opened for the question hangs at it.
            return self._channel_of(message, None if channel_id == message.channel.id else message.thread)

        if self._queue.amend(message.id, channel_at) or self._runner.question_edited(message.id, channel_at):
            return
        if now - message.created_at < OLDEST_QUESTION:
            await self._offer(message, channel_at, now)

    async def _offer(self, message: discord.Message, channel_at: Callable[[int], Channel], now: datetime) -> None:
        """To answer anew, under an answer that has just ended."""
        await self._runner.idle_with(message.id)  # an answer's end stands in the channel before it is recorded
        answers = await self._journal.answers_with([message.id])
        if not answers:
            return
        turn_id = answers[-1].turn_id
        answer = await self._journal.answer(turn_id)
        if answer is None or self._queue.holds(turn_id) or not _has_just_ended(answer, now):
            return
        if self._offered.is_again((turn_id, answer.shown_version_nr), _monotonic()):
            return
        guild, place = message.guild, message.channel
        in_own_channel = answer.channel_id == place.id
        asked_at = msgspec.structs.replace(location_of(place, guild.id if guild else None), person_id=message.author.id)
        request = TurnRequest(
            turn_id=turn_id,
            question_id=answer.question_id,
            channel_id=answer.channel_id,
            guild_id=answer.guild_id,
            asker_id=answer.asker_id or message.author.id,
            locale=await locale_of_place(self._preferences, asked_at, guild),
            arrived=_monotonic(),
            channel=channel_at(answer.channel_id),
            task=Task.SHOW,
            version_nr=answer.shown_version_nr,
            notice=EDITED,
            parent_id=getattr(place, "parent_id", None) if in_own_channel else place.id,
        )
        offered = self._queue.submit(request)
        log.info("question_edited", turn=turn_id, offered=offered)


def _has_just_ended(answer: StoredAnswer, now: datetime) -> bool:
    """And does not say so already."""
    ended_at = answer.shown.ended_at
    return (
        ended_at is not None
        and now - ended_at <= OFFER_FOR
        and EDITED not in decoded(answer.shown.facts).footer.notices
    )


def _monotonic() -> float:
    return asyncio.get_running_loop().time()

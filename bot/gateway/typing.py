"""The typing indicator of a turn: shown from the question until the answer's first message, and never a moment after.

Discord shows it for ten seconds from each post, or until the next message of the same author. A post that arrives after
that message would promise more, so end() waits for the one that is under way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import discord
import structlog

from bot.delivery.pacing.buckets import Route
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.refusals import NOT_THROUGH

log = structlog.get_logger()

EVERY = 8.0
"""Seconds; the indicator lasts ten (https://docs.discord.com/developers/resources/channel#trigger-typing-indicator)."""
LAST_ANSWER = 2.0
"""Seconds for which end() waits for the answer to a post that is under way."""


class Typing:
    """One turn's indicator (bot.turn.request.Typing). What goes wrong with it is a line in the log."""

    def __init__(self, current: Callable[[], discord.Client], channel_id: int, pacer: Pacer) -> None:
        """`current` gives the client that is connected now."""
        self._current = current
        self._channel_id = channel_id
        self._lane = pacer.lane(channel_id)
        self._task: asyncio.Task[None] | None = None
        self._posting = False
        self._ended = False

    def start(self) -> None:
        """Does nothing after end()."""
        if self._task is None and not self._ended:
            self._task = asyncio.create_task(self._run(), name=f"typing {self._channel_id}")

    async def end(self) -> None:
        """Post no more. When this returns, none is under way that could land later, or LAST_ANSWER has passed.

        May be called again, and at the same time.
        """
        self._ended = True
        if (task := self._task) is not None:
            if self._posting:
                await asyncio.wait({task}, timeout=LAST_ANSWER)
            task.cancel()
            await asyncio.wait({task})
        self._lane.close()

    async def _run(self) -> None:
        while True:
            await self._lane.clear(Route.TYPING, final=False)
            self._posting = True
            try:
                goes_on = await self._post()
            finally:
                self._posting = False
            if not goes_on or self._ended:
                return
            await asyncio.sleep(EVERY)

    async def _post(self) -> bool:
        """False where a further post would fare no better."""
        client = self._current()
        if client.is_closed() or client.http.token is None:
            return True  # it is being replaced
        try:
            await client.http.send_typing(self._channel_id)
        except (discord.HTTPException, discord.RateLimited) as error:
            log.debug("typing_not_shown", error=str(error))
            return isinstance(error, discord.DiscordServerError)
        except NOT_THROUGH as error:
            log.debug("typing_not_shown", error=repr(error))
        return True

"""Telling a person what cannot be told in the channel: by direct message, once, or else in the log."""

from __future__ import annotations

from collections.abc import Callable

import discord
import structlog

from bot.delivery.payloads import NOBODY
from bot.delivery.refusals import FAILURES
from bot.delivery.told_lately import ToldLately

log = structlog.get_logger()

QUIET = 3600.0
"""Seconds after which the same person is told about the same channel again. A channel that takes no messages is a fact of
its set-up: hearing of it with every question helps nobody."""
MOST = 4096
"""Pairs remembered."""


class PrivateNotices:
    def __init__(self, current: Callable[[], discord.Client]) -> None:
        """`current` gives the client that is connected now."""
        self._current = current
        self._told = ToldLately(QUIET, MOST)

    async def tell(self, person_id: int, channel_id: int, text: str, now: float) -> None:
        """`now` in seconds of any monotonic clock."""
        if self._told.is_again((person_id, channel_id), now):
            return
        try:
            direct = await self._current().create_dm(discord.Object(person_id))
            await direct.send(text, allowed_mentions=NOBODY)
            log.info("told_privately", person=person_id, channel=channel_id)
        except FAILURES as error:
            # 50007: takes no direct messages. Nobody is left to tell but the operator.
            log.warning("not_told", person=person_id, channel=channel_id, error=str(error), text=text)

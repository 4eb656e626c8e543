"""The clock under fair_share: answers wait here until their next call may go out.

One Pacer a bot, shared by all clients and channels; rate_headers tells it what Discord's answers say. Each answer has a
Lane. There is one timer, for the next moment at which somebody may write; nobody polls, and no task is needed.
"""

from __future__ import annotations

import asyncio

from bot.delivery.pacing.buckets import Budget, Route
from bot.delivery.pacing.fair_share import Demand, FairShare, Writer


class Lane:
    """One answer's way into its channel."""

    def __init__(self, pacer: Pacer, channel_id: int) -> None:
        self._pacer = pacer
        self._writer = Writer(channel_id)
        self._waiting: set[asyncio.Future[None]] = set()

    async def clear(self, route: Route, *, final: bool) -> None:
        """Returns when a call on this route may go out now, and counts it as sent. May be cancelled.

        `final`: text that must arrive; it goes before all previews, and may take what they leave.
        """
        demand, granted = self._pacer.ask(self._writer, route, final=final)
        if granted.done():
            return
        self._waiting.add(granted)
        try:
            await granted
        except asyncio.CancelledError:
            self._pacer.withdraw(demand)
            raise
        finally:
            self._waiting.discard(granted)

    def held(self, route: Route) -> float:
        """Seconds for which a rate limit alone keeps even a final call back."""
        return self._pacer.held(self._writer.channel_id, route)

    def close(self) -> None:
        """The answer writes no more; a clear() that still waits is cancelled."""
        for granted in self._waiting:
            granted.cancel()


class Pacer:
    def __init__(self) -> None:
        self._share = FairShare()
        self._waiting: dict[Demand, asyncio.Future[None]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def lane(self, channel_id: int) -> Lane:
        return Lane(self, channel_id)

    @property
    def waiting(self) -> int:
        """Calls that may not go out yet."""
        return len(self._waiting)

    def ask(self, writer: Writer, route: Route, *, final: bool) -> tuple[Demand, asyncio.Future[None]]:
        """For lanes: the future is done when the call may go out."""
        loop = asyncio.get_running_loop()
        demand = self._share.ask(writer, route, loop.time(), final=final)
        granted = self._waiting[demand] = loop.create_future()
        self._grant()
        return demand, granted

    def withdraw(self, demand: Demand) -> None:
        """For lanes: the call is not made."""
        self._waiting.pop(demand, None)
        self._share.withdraw(demand, _now())
        self._grant()

    def held(self, channel_id: int, route: Route) -> float:
        return self._share.held(channel_id, route, _now())

    # What bot.gateway.rate_headers sees, of our own calls and of all others of this bot.

    def went_out(self, channel_id: int, route: Route) -> None:
        """A call is on its way."""
        self._share.went_out(channel_id, route, _now())
        self._grant()

    def other_went_out(self) -> None:
        """A call is on its way that no lane could have asked for; it counts for the bot's global limit."""
        self._share.other_went_out(_now())

    def answered(self, channel_id: int, route: Route, budget: Budget | None) -> None:
        """The answer to a call, by its headers. None: they say nothing, or no answer came."""
        self._share.answered(channel_id, route, budget, _now())
        self._grant()

    def limited(self, channel_id: int, route: Route, retry_after: float, *, shared: bool = False) -> None:
        """A 429. discord.py waits it out inside its call; nothing else goes out on the route meanwhile."""
        self._share.limited(channel_id, route, retry_after, _now(), shared=shared)
        self._grant()

    def globally_limited(self, retry_after: float) -> None:
        self._share.globally_limited(retry_after, _now())
        self._grant()

    def _grant(self) -> None:
        """Let go who may, and come back when the next one may."""
        now = _now()
        for demand in self._share.grant(now):
            granted = self._waiting.pop(demand)
            if not granted.done():
                granted.set_result(None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if (next_at := self._share.next_at(now)) is not None:
            self._timer = asyncio.get_running_loop().call_at(next_at, self._grant)


def _now() -> float:
    return asyncio.get_running_loop().time()

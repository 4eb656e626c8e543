"""Who may write next: the demands of all running answers against the windows of all channels and the bot's own limit.

Theory. A *place* is one route in one channel: a Bucket and the demands that wait for it. Within a place those that must
arrive come first, then first texts, then previews; among equals the answer that was served longest ago. A place whose
best demand is due competes with all other due places for the bot's global budget, by the same order with "channel" in
place of "answer"; previews never take the last part of it. Two heaps (due later, due now) make a grant cost O(log n).

Time comes in as an argument, in seconds of any monotonic clock.
"""

from __future__ import annotations

import heapq
from collections import deque
from enum import IntEnum
from itertools import count

from bot.delivery.pacing.buckets import NEVER, SMALLEST_GAP, Bucket, Budget, Route, pace

GLOBAL_LIMIT = 50
"""Calls of the bot in a second (https://docs.discord.com/developers/topics/rate-limits#global-rate-limit)."""
GLOBAL_RESERVE = 5
"""Of these, for what must arrive and for calls that are nobody's preview."""
GLOBAL_WINDOW = 1.05
"""Seconds. A little more than Discord's, for calls do not all take equally long to get there."""
CALM = GLOBAL_LIMIT // 5
CALM_GAP = 1 / (GLOBAL_LIMIT - GLOBAL_RESERVE)
"""Seconds between previews once so many calls went out in a second: two heaps a second apart are one when the network hiccups."""
PLACES_KEPT = 1024
"""From so many on, those in which nothing happens are forgotten."""
MOST_VOID = 1024
"""Void entries that the heaps may hold, beside a few for each place."""


class Rank(IntEnum):
    FINAL = 0
    """The state in which the answer is left."""
    FIRST = 1
    """The first sign of an answer, for which somebody waits."""
    PREVIEW = 2


class Writer:
    """One answer, as a receiver of its fair share."""

    __slots__ = ("channel_id", "first_served", "last_served")

    def __init__(self, channel_id: int) -> None:
        self.channel_id = channel_id
        self.first_served: float | None = None
        self.last_served = NEVER


class Demand:
    """One call that wants to go out."""

    __slots__ = ("granted", "order", "place", "rank", "writer")

    def __init__(self, writer: Writer, place: Place, rank: Rank, order: int) -> None:
        self.writer = writer
        self.place = place
        self.rank = rank
        self.order = order
        self.granted = False

    @property
    def precedence(self) -> tuple[int, float, int]:
        return self.rank, self.writer.last_served, self.order


class Place:
    """One route in one channel, or several that share a window, as those of a webhook do."""

    __slots__ = ("bucket", "last_served", "last_writer", "version", "waiting", "window")

    def __init__(self) -> None:
        self.bucket = Bucket()
        self.window = ""
        """Discord's name for it, once an answer told it."""
        self.waiting: list[Demand] = []
        self.last_served = NEVER
        self.last_writer: Writer | None = None
        self.version = 0
        """Grows with every change; an entry of a heap with an older one is void."""

    def best(self) -> Demand:
        return min(self.waiting, key=lambda demand: demand.precedence)

    def due(self, demand: Demand, now: float) -> float:
        """When this demand may go out."""
        if demand.rank is not Rank.PREVIEW:
            return self.bucket.final_at(now)
        writer = demand.writer
        # What a young answer takes faster is taken from itself, never from others.
        shares = self.last_writer is not writer and self.last_writer is not None
        gaps = 1.0 if shares or writer.first_served is None else pace(writer.last_served - writer.first_served)
        return max(self.bucket.preview_at(now, gaps), writer.last_served + SMALLEST_GAP)


class GlobalBudget:
    """What the bot as a whole sent in the last second."""

    def __init__(self) -> None:
        self._sent: deque[float] = deque()
        self._closed_until = NEVER

    def at(self, rank: Rank, now: float) -> float:
        """When a call of this rank may go out."""
        sent = self._sent
        while sent and sent[0] + GLOBAL_WINDOW <= now:
            sent.popleft()
        most = GLOBAL_LIMIT if rank is Rank.FINAL else GLOBAL_LIMIT - GLOBAL_RESERVE
        at = now if len(sent) < most else sent[len(sent) - most] + GLOBAL_WINDOW
        if rank is not Rank.FINAL and len(sent) >= CALM:
            at = max(at, sent[-1] + CALM_GAP)
        return max(at, self._closed_until)

    def sent(self, now: float) -> None:
        self._sent.append(now)
        if len(self._sent) > 2 * GLOBAL_LIMIT:  # somebody else does not keep to it
            self._sent.popleft()

    def close(self, until: float) -> None:
        self._closed_until = max(self._closed_until, until)


class FairShare:
    def __init__(self) -> None:
        self._places: dict[tuple[int, Route], Place] = {}
        self._places_kept = PLACES_KEPT
        self._global = GlobalBudget()
        self._later: list[tuple[float, int, Place, int]] = []
        self._due: list[tuple[int, float, int, Place, int]] = []
        self._order = count()

    def ask(self, writer: Writer, route: Route, now: float, *, final: bool) -> Demand:
        """Queue a call; grant() gives it back when it may go out."""
        first = writer.first_served is None and route is not Route.TYPING
        preview = Rank.FIRST if first else Rank.PREVIEW
        place = self._place(writer.channel_id, route, now)
        demand = Demand(writer, place, Rank.FINAL if final else preview, next(self._order))
        place.waiting.append(demand)
        self._consider(place, now)
        return demand

    def withdraw(self, demand: Demand, now: float) -> None:
        """The call will not be made; one that was granted already was not sent."""
        if demand.granted:
            demand.place.bucket.withdraw()
        else:
            demand.place.waiting.remove(demand)
        self._consider(demand.place, now)

    def grant(self, now: float) -> list[Demand]:
        """The calls that go out now, in this order. They count as sent."""
        granted = []
        while (place := self._next_due(now)) is not None:
            demand = place.best()
            if self._global.at(demand.rank, now) > now:
                break
            place.waiting.remove(demand)
            place.bucket.promise(now)
            writer = demand.writer
            if _counts_globally(writer.channel_id):
                self._global.sent(now)
            writer.first_served = now if writer.first_served is None else writer.first_served
            writer.last_served = place.last_served = now
            place.last_writer = writer
            demand.granted = True
            granted.append(demand)
            self._consider(place, now)
        return granted

    def next_at(self, now: float) -> float | None:
        """When grant() is worth calling again, if nothing is told meanwhile; None: nobody waits. Call it after grant()."""
        times = []
        if (place := self._next_due(now)) is not None:
            times.append(self._global.at(place.best().rank, now))
        if self._later:
            times.append(self._later[0][0])
        return min(times, default=None)

    def held(self, channel_id: int, route: Route, now: float) -> float:
        """Seconds for which rate limits alone keep back even a call that must arrive."""
        place = self._places.get((channel_id, route))
        at = self._global.at(Rank.FINAL, now)
        return max(0.0, max(at, place.bucket.final_at(now) if place else now) - now)

    def went_out(self, channel_id: int, route: Route, now: float) -> None:
        """A call is on its way. One that was granted is counted already."""
        place = self._place(channel_id, route, now)
        if not place.bucket.went_out(now):
            if _counts_globally(channel_id):
                self._global.sent(now)
            self._consider(place, now)

    def other_went_out(self, now: float) -> None:
        """A call is on its way that only the bot's global limit counts."""
        self._global.sent(now)

    def answered(self, channel_id: int, route: Route, budget: Budget | None, now: float) -> None:
        """`budget`: what the answer's headers say; None: nothing, or there was no answer."""
        place = self._place(channel_id, route, now)
        if budget is None:
            place.bucket.ended()
        else:
            place = self._in_window(channel_id, route, budget.window)
            place.bucket.answered(budget, now)
        self._consider(place, now)

    def _in_window(self, channel_id: int, route: Route, window: str) -> Place:
        """The route's place, which is that of another route of the channel from now on if an answer to that named the same window."""
        place = self._places[channel_id, route]
        place.window = window
        for other in (self._places.get((channel_id, route)) for route in Route):
            if other is None or other is place or not window or other.window != window:
                continue
            other.bucket.take_in(place.bucket)
            for demand in place.waiting:
                demand.place = other
            other.waiting += place.waiting
            other.last_served = max(other.last_served, place.last_served)
            place.waiting = []
            place.version += 1
            self._places[channel_id, route] = other
            return other
        return place

    def limited(self, channel_id: int, route: Route, retry_after: float, now: float, *, shared: bool) -> None:
        place = self._place(channel_id, route, now)
        place.bucket.limited(retry_after, now, shared=shared)
        self._consider(place, now)

    def globally_limited(self, retry_after: float, now: float) -> None:
        self._global.close(now + retry_after)

    @property
    def places(self) -> int:
        """How many are remembered."""
        return len(self._places)

    def _place(self, channel_id: int, route: Route, now: float) -> Place:
        key = channel_id, route
        place = self._places.get(key)
        if place is None:
            if len(self._places) >= self._places_kept:
                self._places = {
                    key: place for key, place in self._places.items() if place.waiting or not place.bucket.idle(now)
                }
                self._places_kept = max(PLACES_KEPT, 2 * len(self._places))
            place = self._places[key] = Place()
        return place

    def _consider(self, place: Place, now: float) -> None:
        """Enter the place into the heap where its best demand belongs."""
        place.version += 1
        if len(self._later) + len(self._due) > MOST_VOID + 4 * len(self._places):
            self._drop_void()
        if not place.waiting:
            return
        best = place.best()
        due = place.due(best, now)
        if due > now:
            heapq.heappush(self._later, (due, next(self._order), place, place.version))
        else:
            served = self._last_served(best.writer.channel_id)
            heapq.heappush(self._due, (best.rank, served, next(self._order), place, place.version))

    def _last_served(self, channel_id: int) -> float:
        """On any route: else an answer would take two turns in a row, an edit and then its next message."""
        places = (self._places.get((channel_id, route)) for route in Route)
        return max((place.last_served for place in places if place is not None), default=NEVER)

    def _drop_void(self) -> None:
        self._later = [entry for entry in self._later if not _void(entry)]
        self._due = [entry for entry in self._due if not _void(entry)]
        heapq.heapify(self._later)
        heapq.heapify(self._due)

    def _next_due(self, now: float) -> Place | None:
        """The place whose best demand comes first of those that may go out now, as far as its own channel goes."""
        while self._later and (self._later[0][0] <= now or _void(self._later[0])):
            entry = heapq.heappop(self._later)
            if not _void(entry):
                self._consider(entry[2], now)
        while self._due and _void(self._due[0]):
            heapq.heappop(self._due)
        return self._due[0][3] if self._due else None


def _counts_globally(channel_id: int) -> bool:
    """Calls by a token of their own do not (webhook_calls.pacing_place)."""
    return channel_id >= 0


def _void(entry: tuple[object, ...]) -> bool:
    *_, place, version = entry
    assert isinstance(place, Place)
    return place.version != version

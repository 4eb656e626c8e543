"""How much of models may still be used: the limits that a server and the operator set, and what is used of each.

A limit counts what its payers pay for, on a day or in a month (UTC), of those that have the same server, channel or person. Sums come
from the ledger once, grow with what this process uses, and are read anew after a while, as other processes use something too. Who is
admitted is expected to use as much as is usual there, until that is known: so of several questions at once not all find the last of a
limit free. A limit can be passed by as much as the answers under way use more than that.

Where nothing is limited, nothing is read; and where the ledger cannot be read, nobody is held: the log says so.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec
import structlog

from bot.preferences import LimitPreferences, Location, OperatorLimits
from bot.store import DatabaseUnavailable, Preferences
from bot.store.usage import Ledger, Totals, UsageRow
from bot.turn.models import Models, Payer
from bot.turn.queue import Caps
from bot.turn.request import TurnRequest

log = structlog.get_logger()

FRESH_SECONDS = 30.0
"""How long a sum is taken as it is."""
EXPECTED_SECONDS = 600.0
"""After which an answer that was admitted is no longer waited for."""
USUAL_TOKENS = 2000
"""Of an answer, where none was counted there yet."""
MOST_REMEMBERED = 10_000
_NANO = 1_000_000_000


class Window(StrEnum):
    DAY = "day"
    MONTH = "month"

    def begins(self, today: date) -> date:
        return today if self is Window.DAY else today.replace(day=1)

    def ends(self, today: date) -> datetime:
        """When the next one begins."""
        later = timedelta(1) if self is Window.DAY else timedelta(32)
        return datetime.combine(self.begins(self.begins(today) + later), time(), UTC)


class Subject(StrEnum):
    """Whose use is limited: the end of keys in locales/ (`refusal-budget-…`, `notice-budget-…`)."""

    PERSON = "person"
    CHANNEL = "channel"
    SERVER = "server"
    EVERYBODY = "everybody"


class Limit(msgspec.Struct, frozen=True):
    setting: str
    """Of `topic`: tokens, or dollars. 0: none."""
    topic: type[Any]
    subject: Subject
    window: Window
    of: tuple[str, ...]
    """What uses have in common that it is about: guild_id, channel_id, user_id."""
    is_money: bool = False

    @property
    def payers(self) -> tuple[str, ...]:
        """Who pays with a key of their own is held by nobody's limits."""
        return (Payer.OPERATOR,) if self.topic is OperatorLimits else (Payer.OPERATOR, Payer.SERVER)

    def used(self, totals: Totals) -> int:
        """In the ledger's whole units, as `most` is."""
        return totals.cost_nano if self.is_money else totals.tokens

    def most(self, chosen: Any) -> int:
        """0: no limit."""
        most: float = getattr(chosen, self.setting)
        return round(most * _NANO) if self.is_money else round(most)


_DAY, _MONTH = Window.DAY, Window.MONTH
LIMITS = (
    Limit("person_daily_tokens", LimitPreferences, Subject.PERSON, _DAY, ("guild_id", "user_id")),
    Limit("person_monthly_cost", LimitPreferences, Subject.PERSON, _MONTH, ("guild_id", "user_id"), is_money=True),
    Limit("channel_daily_tokens", LimitPreferences, Subject.CHANNEL, _DAY, ("guild_id", "channel_id")),
    Limit("server_daily_tokens", LimitPreferences, Subject.SERVER, _DAY, ("guild_id",)),
    Limit("server_monthly_tokens", LimitPreferences, Subject.SERVER, _MONTH, ("guild_id",)),
    Limit("server_monthly_cost", LimitPreferences, Subject.SERVER, _MONTH, ("guild_id",), is_money=True),
    Limit("free_person_daily_tokens", OperatorLimits, Subject.PERSON, _DAY, ("user_id",)),
    Limit("free_person_monthly_cost", OperatorLimits, Subject.PERSON, _MONTH, ("user_id",), is_money=True),
    Limit("free_server_daily_tokens", OperatorLimits, Subject.SERVER, _DAY, ("guild_id",)),
    Limit("free_server_monthly_cost", OperatorLimits, Subject.SERVER, _MONTH, ("guild_id",), is_money=True),
    Limit("free_monthly_cost", OperatorLimits, Subject.EVERYBODY, _MONTH, (), is_money=True),
)
"""The channel's is about one channel or thread; the server's of the operator only about servers."""


class InForce(msgspec.Struct, frozen=True):
    """A limit that is set, and how much of it is used: tokens, or billionths of a dollar."""

    limit: Limit
    most: int
    used: int
    ends: datetime
    expected: int = 0
    """Of answers under way."""

    @property
    def is_reached(self) -> bool:
        return self.used + self.expected >= self.most


_Ids: TypeAlias = Mapping[str, int]
_Key: TypeAlias = tuple[str, date, tuple[int, ...]]


class _Sum(msgspec.Struct):
    totals: Totals = Totals()
    until: float = 0.0
    """On the loop's clock; then it is old."""
    expected: deque[float] = msgspec.field(default_factory=deque)
    """When those under way were admitted."""
    reading: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)

    def under_way(self, now: float) -> int:
        while self.expected and self.expected[0] <= now - EXPECTED_SECONDS:
            self.expected.popleft()
        return len(self.expected)


_Held: TypeAlias = tuple[Limit, int, datetime, _Sum]


class Look:
    """What holds somebody who asks. Nothing is awaited any more: who asks at once is counted at once."""

    def __init__(self, held: Sequence[_Held]) -> None:
        self._held = held

    def reached(self) -> InForce | None:
        """The limit that does not let them, of several the one that ends last. None: they may, and their answer is expected."""
        reached = [each for each in (_in_force(*held) for held in self._held) if each.is_reached]
        if reached:
            return max(reached, key=lambda each: each.ends)
        for *_, found in self._held:
            found.expected.append(_now())
        return None


class Budgets:
    def __init__(
        self,
        preferences: Preferences,
        ledger: Ledger,
        models: Models,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        self._preferences = preferences
        self._ledger = ledger
        self._models = models
        self._today = today
        self._sums: dict[_Key, _Sum] = {}
        """Who was looked at longest ago first."""
        self._noticed: dict[_Key, None] = {}

    async def look(self, location: Location) -> Look:
        """What holds who asks there."""
        try:
            if not await self._limits_for(location, Payer.OPERATOR):
                return Look(())  # whoever pays
            payer = await self._models.payer(location)
            limits = await self._limits_for(location, payer) if payer is not None else ()
            return Look(await self._with_sums(limits, location))
        except DatabaseUnavailable as error:
            log.warning("limits_not_known", consequence="nobody is held by them", error=str(error))
            return Look(())

    async def in_force(self, location: Location, payer: Payer) -> Sequence[InForce]:
        """What holds there who asks, where this one pays."""
        return [_in_force(*each) for each in await self._with_sums(await self._limits_for(location, payer), location)]

    async def near(self, location: Location, payer: Payer) -> Sequence[InForce]:
        """Those of which people should hear that they come near. Each is told once in its window."""
        try:
            limits = await self.in_force(location, payer)
            percent = (await self._preferences.of(LimitPreferences, location)).notice_percent
        except DatabaseUnavailable:
            return ()
        ids, today = _ids(location), self._today()
        near = {_key(each.limit, ids, today): each for each in limits if each.used * 100 >= each.most * percent}
        new = [each for key, each in near.items() if key not in self._noticed]
        self._noticed |= dict.fromkeys(near)
        while len(self._noticed) > MOST_REMEMBERED:
            del self._noticed[next(iter(self._noticed))]
        return new

    async def caps(self, request: TurnRequest) -> Caps:
        """How many turns may run at the same time where this one waits."""
        try:
            chosen = await self._preferences.of(LimitPreferences, request.location)
        except DatabaseUnavailable:
            return Caps()
        return Caps(chosen.answers_at_once, chosen.answers_at_once_of_one)

    def spent(self, row: UsageRow) -> None:
        """A call was written down."""
        ids = {"guild_id": row.guild_id, "channel_id": row.channel_id, "user_id": row.user_id}
        for limit, found in self._kept(ids, row.day):
            if row.payer in limit.payers:
                found.totals += row.totals

    def answered(self, location: Location) -> None:
        """One of those who were admitted there has their answer, or none: it is no longer expected."""
        for _, found in self._kept(_ids(location), self._today()):
            if found.expected:
                found.expected.popleft()

    def _kept(self, ids: _Ids, day: date) -> Iterator[tuple[Limit, _Sum]]:
        for limit in LIMITS:
            found = self._sums.get(_key(limit, ids, day))
            if found is not None:
                yield limit, found

    async def _limits_for(self, location: Location, payer: Payer) -> Sequence[tuple[Limit, int]]:
        """With what each allows."""
        chosen: dict[type[Any], Any] = {OperatorLimits: await self._preferences.of(OperatorLimits, location)}
        if location.guild_id is not None:
            chosen[LimitPreferences] = await self._preferences.of(LimitPreferences, location)
        return [
            (limit, most)
            for limit in LIMITS
            if limit.topic in chosen
            and payer in limit.payers
            and not (limit.subject is Subject.SERVER and location.guild_id is None)
            and (most := limit.most(chosen[limit.topic]))
        ]

    async def _with_sums(self, limits: Sequence[tuple[Limit, int]], location: Location) -> Sequence[_Held]:
        ids, today = _ids(location), self._today()
        held: list[_Held] = []
        for limit, most in limits:
            key = _key(limit, ids, today)
            found = self._sums.pop(key) if key in self._sums else _Sum()
            self._sums[key] = found
            async with found.reading:
                if found.until <= _now():
                    where = {name: ids[name] for name in limit.of}
                    first = limit.window.begins(today)
                    found.totals = await self._ledger.total(first, today, payer=limit.payers, **where)
                    found.until = _now() + FRESH_SECONDS
            held.append((limit, most, limit.window.ends(today), found))
        while len(self._sums) > MOST_REMEMBERED:
            del self._sums[next(iter(self._sums))]
        return held


def _in_force(limit: Limit, most: int, ends: datetime, found: _Sum) -> InForce:
    used, calls = limit.used(found.totals), found.totals.calls
    usual = used // calls if calls else (0 if limit.is_money else USUAL_TOKENS)
    return InForce(limit, most, used, ends, found.under_way(_now()) * usual)


def _ids(location: Location) -> _Ids:
    return {
        "guild_id": location.guild_id or 0,
        "channel_id": location.channel_id,
        "user_id": location.person_id or 0,
    }


def _key(limit: Limit, ids: _Ids, day: date) -> _Key:
    return limit.setting, limit.window.begins(day), tuple(ids[name] for name in limit.of)


def _now() -> float:
    return asyncio.get_running_loop().time()

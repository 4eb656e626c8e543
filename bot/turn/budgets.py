"""How much of models may still be used: the limits that a server and the operator set, and what is used of each.

A limit counts what its payers pay for, on a day or in a month (UTC), of those that have the same server, channel or person. Sums come
from the ledger once, grow with what this process uses, and are read anew after a while, as other processes use something too. Who is
admitted is expected to use as much as is usual there, until that is known: so of several questions at once not all find the last of a
limit free. A limit can be passed by as much as the answers under way use more than that, and by what other processes used since the
sum was read.

Where nothing is limited, nothing is read. While the ledger cannot be read, the sums that are known hold; who is of none is let in, and
the log says so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, TypeAlias

import msgspec
import structlog

from bot.preferences import LimitPreferences, Location, OperatorLimits
from bot.store import DatabaseUnavailable, Preferences
from bot.store.usage import Ledger, Totals, UsageRow
from bot.turn.models import Models, NoModel, Payer
from bot.turn.queue import Caps
from bot.turn.request import Task, TurnRequest

log = structlog.get_logger()

FRESH_SECONDS = 30.0
"""How long a sum is taken as it is."""
EXPECTED_SECONDS = 3600.0
"""After which an answer that was admitted is no longer waited for, should nobody have said what became of it."""
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
"""The channel's has its threads with it; the server's of the operator is only about servers."""


class InForce(msgspec.Struct, frozen=True):
    """A limit that is set, and how much of it is used: tokens, or billionths of a dollar."""

    limit: Limit
    most: int
    used: int
    ends: datetime
    expected: int = 0
    """Of answers under way."""

    @property
    def is_used_up(self) -> bool:
        """Else, where it is reached, it may not be any more when the answers under way are there."""
        return self.used >= self.most

    @property
    def is_reached(self) -> bool:
        return self.used + self.expected >= self.most


_Ids: TypeAlias = Mapping[str, int]
_Key: TypeAlias = tuple[str, date, tuple[int, ...]]


class _Sum(msgspec.Struct):
    totals: Totals | None = None
    """None: it was never read."""
    until: float = 0.0
    """On the loop's clock; then it is old."""
    reading: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)


_Held: TypeAlias = tuple[Limit, int, datetime, Totals]


class _Expected(msgspec.Struct, frozen=True):
    """An answer to somebody who was admitted."""

    at: float
    """On the loop's clock."""
    payer: Payer
    guild_id: int
    channel_id: int
    user_id: int

    def counts_for(self, limit: Limit, ids: _Ids) -> bool:
        return self.payer in limit.payers and all(getattr(self, name) == ids[name] for name in limit.of)


class Look:
    """What holds somebody who asks. Nothing is awaited any more: who asks at once is counted at once."""

    def __init__(
        self, held: Sequence[_Held] = (), who: _Expected | None = None, expected: list[_Expected] | None = None
    ) -> None:
        self._held = held
        self._who = who
        self._expected = expected if expected is not None else []

    def reached(self) -> InForce | None:
        """The limit that does not let them, of several one that is used up, and the one that ends last. None: they may, and their answer is expected."""
        if not self._held or self._who is None:
            return None
        ids = msgspec.structs.asdict(self._who)
        alive = _now() - EXPECTED_SECONDS
        self._expected[:] = [each for each in self._expected if each.at > alive]
        found = [
            _in_force(*held, under_way=sum(each.counts_for(held[0], ids) for each in self._expected))
            for held in self._held
        ]
        if reached := [each for each in found if each.is_reached]:
            return max(reached, key=lambda each: (each.is_used_up, each.ends))
        self._expected.append(self._who)
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
        self._expected: list[_Expected] = []
        """Of all who are held by some limit, in the order in which they were admitted."""
        self._over: dict[str, None] = {}
        """Runs."""
        self._noticed: dict[tuple[_Key, int], None] = {}
        """With what each allowed: one that was raised comes near anew."""
        self._is_blind = False

    async def look(self, location: Location) -> Look:
        """What holds who asks there."""
        try:
            if not await self._limits_for(location, Payer.OPERATOR):
                return Look()  # whoever pays
            choice = await self._models.look(location)
            if isinstance(choice, NoModel):
                return Look()
            held = await self._with_sums(await self._limits_for(location, choice.payer), location)
        except DatabaseUnavailable as error:
            if not self._is_blind:
                log.warning("limits_not_known", consequence="nobody is held by them", error=str(error))
            self._is_blind = True
            return Look()
        self._is_blind = False
        return Look(held, _Expected(_now(), choice.payer, **_ids(location)), self._expected)

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
        near = {self._notice(each, location): each for each in limits if each.used * 100 >= each.most * percent}
        new = [each for key, each in near.items() if key not in self._noticed]
        self._noticed |= dict.fromkeys(near)
        _forget_oldest(self._noticed)
        return new

    def not_told(self, near: Sequence[InForce], location: Location) -> None:
        """What `near` gave there is to be told with another answer: of this one nothing is to be seen."""
        for each in near:
            self._noticed.pop(self._notice(each, location), None)

    def _notice(self, of: InForce, location: Location) -> tuple[_Key, int]:
        last_day = (of.ends - timedelta(1)).date()  # of its window, whatever day it is by now
        return _key(of.limit, _ids(location), last_day), of.most

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
        for limit in LIMITS:
            found = self._sums.get(_key(limit, ids, row.day))
            if found is not None and found.totals is not None and row.payer in limit.payers:
                found.totals += row.totals

    def answered(self, request: TurnRequest) -> None:
        """It has its answer, or gets none, and is no longer expected. Only the first time counts."""
        if request.run_id in self._over or request.task is Task.SHOW:
            return
        self._over[request.run_id] = None
        _forget_oldest(self._over)
        self.asks_no_more(request.payer_location)

    def asks_no_more(self, location: Location) -> None:
        """Who was admitted there has what they asked for, and it was no turn, or it comes to nothing."""
        ids = _ids(location)
        for each in self._expected:
            if (each.channel_id, each.user_id) == (ids["channel_id"], ids["user_id"]):
                self._expected.remove(each)
                return

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
            held.append((limit, most, limit.window.ends(today), await self._read(found, limit, ids, today)))
        _forget_oldest(self._sums)
        return held

    async def _read(self, found: _Sum, limit: Limit, ids: _Ids, today: date) -> Totals:
        """Raises DatabaseUnavailable where it was never read."""
        async with found.reading:
            if found.totals is None or found.until <= _now():
                where = {name: ids[name] for name in limit.of}
                try:
                    totals = await self._ledger.total(limit.window.begins(today), today, payer=limit.payers, **where)
                    if limit.subject is Subject.PERSON and found.totals is not None:
                        totals = totals.at_least(found.totals)  # who has themselves forgotten begins no limit anew
                    found.totals = totals
                    found.until = _now() + FRESH_SECONDS
                except DatabaseUnavailable:
                    if found.totals is None:
                        raise
        return found.totals


def _in_force(limit: Limit, most: int, ends: datetime, totals: Totals, under_way: int = 0) -> InForce:
    used, calls = limit.used(totals), totals.calls
    usual = used // calls if calls else (0 if limit.is_money else USUAL_TOKENS)
    return InForce(limit, most, used, ends, under_way * usual)


def _ids(location: Location) -> _Ids:
    return {
        "guild_id": location.guild_id or 0,
        "channel_id": location.home_id,
        "user_id": location.person_id or 0,
    }


def _key(limit: Limit, ids: _Ids, day: date) -> _Key:
    return limit.setting, limit.window.begins(day), tuple(ids[name] for name in limit.of)


def _forget_oldest(remembered: dict[Any, Any]) -> None:
    while len(remembered) > MOST_REMEMBERED:
        del remembered[next(iter(remembered))]


def _now() -> float:
    return asyncio.get_running_loop().time()

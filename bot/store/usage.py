"""What calls of models used and cost, and whom: a row for each day, place, person, model, key and purpose, grown by each call.

A row grows in the one statement that says by how much, so nothing is lost between calls that end at once, in any process. Sums are made
by the database.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date
from enum import StrEnum
from typing import Any, TypeAlias, cast

import msgspec
from sqlalchemy import Column, ColumnElement, Select, Table, delete, func, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncSession

from bot.store.database import Database
from bot.store.engine import POSTGRESQL
from bot.store.models import UsageDay

KEPT_DAYS = 400
"""Over a year, so that a month can be seen beside the same month of the year before."""
ROWS_AT_ONCE = 500

_TABLE = cast(Table, UsageDay.__table__)
_KEY = tuple(column.name for column in _TABLE.primary_key.columns)
_COUNTS = tuple(column.name for column in _TABLE.columns if not column.primary_key)


class Totals(msgspec.Struct, frozen=True):
    calls: int = 0
    input_tokens: int = 0
    """All, cached ones included."""
    output_tokens: int = 0
    """All, reasoning included."""
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    """Of the input, read from the provider's cache."""
    cost_nano: int = 0
    """Whole billionths of a US dollar."""
    unpriced_calls: int = 0
    """Of models whose price nobody knows: they cost nothing here."""
    estimated_calls: int = 0
    """Whose tokens were counted by us, as the provider did not say (an answer that was stopped, for one)."""

    @property
    def tokens(self) -> int:
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Totals) -> Totals:
        return Totals(*(getattr(self, name) + getattr(other, name) for name in _COUNTS))

    def at_least(self, other: Totals) -> Totals:
        """Of each the greater one."""
        return Totals(*(max(getattr(self, name), getattr(other, name)) for name in _COUNTS))


class UsageRow(msgspec.Struct, frozen=True):
    """What one row has, or is to grow by."""

    day: date
    """In UTC, as all days here."""
    guild_id: int
    """0: direct messages."""
    channel_id: int
    """Of what was said in a thread, the channel that it belongs to."""
    user_id: int
    """0: somebody who was forgotten."""
    provider: str
    model: str
    payer: str
    """bot.turn.models.Payer: whose key it was."""
    key_last_four: str
    """Empty: none, or the operator's."""
    purpose: str
    """bot.turn.parts.Purpose."""
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cached_tokens: int = 0
    cost_nano: int = 0
    unpriced_calls: int = 0
    estimated_calls: int = 0

    @property
    def key(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in _KEY)

    @property
    def totals(self) -> Totals:
        return Totals(*(getattr(self, name) for name in _COUNTS))


class Dimension(StrEnum):
    """By what sums are told apart."""

    DAY = "day"
    DAY_AND_MODEL = "day_and_model"
    MODEL = "model"
    USER = "user"
    CHANNEL = "channel"
    GUILD = "guild"
    KEY = "key"


_COLUMNS: Mapping[Dimension, Sequence[str]] = {
    Dimension.DAY: ("day",),
    Dimension.DAY_AND_MODEL: ("day", "provider", "model"),
    Dimension.MODEL: ("provider", "model"),
    Dimension.USER: ("user_id",),
    Dimension.CHANNEL: ("channel_id",),
    Dimension.GUILD: ("guild_id",),
    Dimension.KEY: ("provider", "payer", "key_last_four"),
}

Parts: TypeAlias = Sequence[tuple[tuple[Any, ...], Totals]]
"""What there is of each, by the values that tell them apart."""


class Ledger:
    """Days are inclusive; `where` names columns of UsageRow's key and what they shall be, of a tuple one. Raises as the store does."""

    def __init__(self, database: Database) -> None:
        self._session = database.session

    async def add(self, rows: Sequence[UsageRow]) -> None:
        """All of them, or after an error none."""
        if rows:
            async with self._session.begin() as session:
                await _grow(session, merged(rows))

    async def total(self, first: date, last: date, **where: Any) -> Totals:
        async with self._session() as session:
            (row,) = await session.execute(select(*_sums()).where(*_within(first, last, where)))
        return Totals(*map(int, row))

    async def by(self, dimension: Dimension, first: date, last: date, **where: Any) -> Parts:
        """What cost most first, then what has most tokens; days in their order."""
        columns = [_TABLE.c[name] for name in _COLUMNS[dimension]]
        wanted: Select[Any] = select(*columns, *_sums()).where(*_within(first, last, where)).group_by(*columns)
        async with self._session() as session:
            rows = list(await session.execute(wanted))
        width = len(columns)
        return in_order(dimension, {tuple(row[:width]): Totals(*map(int, row[width:])) for row in rows})

    async def rows(self, first: date, last: date, **where: Any) -> AsyncIterator[Sequence[UsageRow]]:
        """Pages of them, in the order of their keys. A page is read when it is asked for."""
        key = tuple_(*(_TABLE.c[name] for name in _KEY))
        wanted = select(_TABLE).where(*_within(first, last, where)).order_by(*key).limit(ROWS_AT_ONCE)
        page = wanted
        while True:
            async with self._session() as session:
                found = [UsageRow(**row) for row in (await session.execute(page)).mappings()]
            if found:
                yield found
            if len(found) < ROWS_AT_ONCE:
                return
            page = wanted.where(key > tuple_(*found[-1].key))

    async def forget_before(self, day: date) -> int:
        """How many rows went."""
        async with self._session.begin() as session:
            gone = await session.execute(delete(UsageDay).where(UsageDay.day < day))
        return int(cast(Any, gone).rowcount)


def in_order(dimension: Dimension, sums: Mapping[tuple[Any, ...], Totals]) -> Parts:
    """As `Ledger.by` gives them."""
    by_day = dimension in (Dimension.DAY, Dimension.DAY_AND_MODEL)
    return sorted(
        sums.items(), key=lambda part: (part[0][:1] if by_day else (), -part[1].cost_nano, -part[1].tokens, part[0])
    )


def parts_of(row: UsageRow, dimension: Dimension) -> tuple[Any, ...]:
    """To which of the parts of `Ledger.by` it belongs."""
    return tuple(getattr(row, name) for name in _COLUMNS[dimension])


def merged(rows: Sequence[UsageRow]) -> Sequence[UsageRow]:
    """One for each key, with the sum of those that have it."""
    sums: dict[tuple[Any, ...], UsageRow] = {}
    for row in rows:
        there = sums.get(row.key)
        sums[row.key] = row if there is None else grown(there, row.totals)
    return list(sums.values())


def grown(row: UsageRow, by: Totals) -> UsageRow:
    return msgspec.structs.replace(row, **msgspec.structs.asdict(row.totals + by))


async def forget_person(session: AsyncSession, user_id: int) -> None:
    """Their rows become nobody's, and rows that thereby are of one place and model become one: sums stay as they are."""
    gone = await session.execute(delete(UsageDay).where(UsageDay.user_id == user_id).returning(*_TABLE.columns))
    nobodys = merged([without_person(UsageRow(**row)) for row in gone.mappings()])
    if nobodys:
        await _grow(session, nobodys)


def without_person(row: UsageRow) -> UsageRow:
    """The same of nobody."""
    return msgspec.structs.replace(
        row,
        user_id=0,
        channel_id=row.channel_id if row.guild_id else 0,  # a direct channel is its person's
        key_last_four="" if row.payer == "person" else row.key_last_four,
    )


async def _grow(session: AsyncSession, rows: Sequence[UsageRow]) -> None:
    # In one order everywhere, so that two who add the same rows never wait for each other in turn.
    values = [msgspec.structs.asdict(row) for row in sorted(rows, key=lambda row: row.key)]
    insert = postgresql.insert if session.get_bind().dialect.name == POSTGRESQL else sqlite.insert
    new = insert(_TABLE)
    grows = new.on_conflict_do_update(
        index_elements=list(_KEY), set_={name: _TABLE.c[name] + new.excluded[name] for name in _COUNTS}
    )
    await session.execute(grows, values)


def _sums() -> Sequence[ColumnElement[Any]]:
    return [func.coalesce(func.sum(_TABLE.c[name]), 0) for name in _COUNTS]


def _within(first: date, last: date, where: Mapping[str, Any]) -> Sequence[ColumnElement[bool]]:
    return [_TABLE.c.day.between(first, last), *(_is(_TABLE.c[name], value) for name, value in where.items())]


def _is(column: Column[Any], value: Any) -> ColumnElement[bool]:
    return column.in_(value) if isinstance(value, tuple) else column == value

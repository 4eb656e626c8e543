"""The ledger that nobody waits for, and that goes on while the database is away.

What is kept is in memory at once, one row for each key, and written by one task. What cannot be written yet stays and is tried again,
so an outage loses nothing while the process lives, but for what is beyond the bound. A total has what waits here too: never is a row
in the database and in memory at the same time for one who sums up.

Where the connection breaks while the database says that all is written, that is written again: rather too much than too little.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from datetime import date
from types import TracebackType
from typing import Any, Self

import structlog

from bot.store.database import Database
from bot.store.unavailable import DatabaseUnavailable
from bot.store.usage import Dimension, Ledger, Parts, Totals, UsageRow, grown, in_order, parts_of, without_person

log = structlog.get_logger()

AGAIN_SECONDS = 15.0
"""After which it is tried again to write what could not be written."""
MOST_WAITING = 10_000
"""Rows. Of what comes beyond, only what lets one of them grow is kept."""
FORGETTING_SECONDS = 1800.0
"""After which no answer is under way any more that was when somebody was forgotten; more than bot.turn.answering.TURN_DEADLINE."""


class SteadyLedger(Ledger):
    """Use as `async with SteadyLedger(...)`: on leaving, what waits is written if it can be."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._outage = database.outage
        self._waiting: dict[tuple[Any, ...], UsageRow] = {}
        self._writing = asyncio.Lock()
        """Whoever has it sees each row either in the database or in memory."""
        self._comes, self._closing = asyncio.Event(), asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self._forgotten: dict[int, float] = {}
        """Who was forgotten lately, and until when on the loop's clock."""
        self._is_behind = False
        self._lost = 0

    async def __aenter__(self) -> Self:
        self._writer = asyncio.create_task(self._write_all(), name="ledger")
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        # Not cancelled: of a row that may or may not be written by then, nobody knows whether to write it again.
        self._closing.set()
        self._comes.set()
        if self._writer is not None:
            await self._writer
        if not await self.flush():
            await self._outage.close()  # it may be back, and nobody has tried since
        if not await self.flush() or self._lost:
            log.error("usage_lost", rows=len(self._waiting) + self._lost)

    def keep(self, row: UsageRow) -> None:
        is_forgotten = self._forgotten.get(row.user_id, 0.0) > asyncio.get_running_loop().time()
        self._put(without_person(row) if is_forgotten else row)
        self._comes.set()

    async def forget(self, user_id: int) -> None:
        """What they used, and use with what is under way, is nobody's. To be called before the ledger forgets them."""
        now = asyncio.get_running_loop().time()
        self._forgotten = {id_: until for id_, until in self._forgotten.items() if until > now}
        self._forgotten[user_id] = now + FORGETTING_SECONDS
        async with self._writing:
            rows, self._waiting = self._waiting, {}
            for row in rows.values():
                self._put(without_person(row) if row.user_id == user_id else row)

    async def total(self, first: date, last: date, **where: Any) -> Totals:
        """Nothing is awaited after it was summed up: what is kept from then on is not in it, and all before is."""
        async with self._writing:
            total = await super().total(first, last, **where)
            for row in self._waiting_of(first, last, where):
                total += row.totals
        return total

    async def by(self, dimension: Dimension, first: date, last: date, **where: Any) -> Parts:
        async with self._writing:
            parts = await super().by(dimension, first, last, **where)
            waiting = self._waiting_of(first, last, where)
        if not waiting:
            return parts
        sums = dict(parts)
        for row in waiting:
            part = parts_of(row, dimension)
            sums[part] = sums.get(part, Totals()) + row.totals
        return in_order(dimension, sums)

    def _waiting_of(self, first: date, last: date, where: Mapping[str, Any]) -> list[UsageRow]:
        return [row for row in self._waiting.values() if first <= row.day <= last and _is_one(row, where)]

    async def flush(self) -> bool:
        """Write all that waits. False where the database is away; then it still waits."""
        async with self._writing:
            rows, self._waiting = list(self._waiting.values()), {}
            left = await self._written(rows)
            for row in left:
                self._put(row)
        if left and not self._is_behind:
            log.warning("usage_not_written", consequence="kept in memory, and tried again")
        elif self._is_behind and not left:
            log.info("usage_written", rows=len(rows))
        self._is_behind = bool(left)
        return not left

    async def _written(self, rows: list[UsageRow]) -> list[UsageRow]:
        """Those that are not."""
        try:
            await self.add(rows)
        except DatabaseUnavailable:
            return rows
        except Exception:
            if len(rows) > 1:  # one that no database takes must not hold up the others
                return [left for row in rows for left in await self._written([row])]
            log.exception("usage_lost", rows=1)
        return []

    def _put(self, row: UsageRow) -> None:
        there = self._waiting.get(row.key)
        if there is not None:
            self._waiting[row.key] = grown(there, row.totals)
        elif len(self._waiting) < MOST_WAITING:
            self._waiting[row.key] = row
        else:
            if not self._lost:
                log.error("usage_lost", why="too much waits for the database")
            self._lost += 1

    async def _write_all(self) -> None:
        while not self._closing.is_set():
            await self._comes.wait()
            self._comes.clear()
            if not await self.flush():
                with suppress(TimeoutError):
                    async with asyncio.timeout(AGAIN_SECONDS):
                        await self._closing.wait()
                self._comes.set()


def _is_one(row: UsageRow, where: Mapping[str, Any]) -> bool:
    """As the ledger narrows."""
    for name, wanted in where.items():
        value = getattr(row, name)
        if value not in wanted if isinstance(wanted, tuple) else value != wanted:
            return False
    return True

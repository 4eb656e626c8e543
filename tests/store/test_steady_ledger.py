"""The ledger that nobody waits for: nothing is lost, nothing is there twice, and a total has what is not written yet."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from bot.store import Database, DatabaseUnavailable, outage, steady_ledger
from bot.store.steady_ledger import AGAIN_SECONDS, FORGETTING_SECONDS, SteadyLedger
from bot.store.usage import Dimension, Ledger, Totals, UsageRow, merged
from tests.databases import sqlite_url
from tests.store.faulty import gone
from tests.virtual_time import run

DAY = date(2026, 11, 30)
ONE = UsageRow(DAY, 1, 10, 100, "groq", "m", "server", "a1b2", "answer", calls=1, input_tokens=1)
POISON = msgspec.structs.replace(ONE, model="poison")


def row(**other: Any) -> UsageRow:
    return msgspec.structs.replace(ONE, **other)


class _NoOutage:
    async def close(self) -> None: ...


class _Nothing:
    session = None
    outage = _NoOutage()


class Shelf(SteadyLedger):
    """Its database is a list, and can be away."""

    def __init__(self) -> None:
        super().__init__(cast(Database, _Nothing()))
        self.away = False
        self.written: list[UsageRow] = []
        self.tries = 0

    async def add(self, rows: Sequence[UsageRow]) -> None:
        if not rows:
            return
        self.tries += 1
        await asyncio.sleep(0)
        if self.away:
            raise DatabaseUnavailable("it is away")
        if any(each.model == "poison" for each in rows):
            raise ValueError("no database takes that")
        self.written += rows


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 1.0, AGAIN_SECONDS]), st.booleans(), st.sampled_from([100, 101])), max_size=20
    )
)
def test_an_outage_loses_nothing_and_doubles_nothing(calls: list[tuple[float, bool, int]]) -> None:
    async def main() -> Shelf:
        async with Shelf() as ledger:
            for pause, ledger.away, user_id in calls:
                await asyncio.sleep(pause)
                ledger.keep(row(user_id=user_id))
            ledger.away = False
        return ledger

    expected = merged([row(user_id=user_id) for _, _, user_id in calls])
    assert sorted(merged(run(main()).written), key=lambda each: each.key) == sorted(expected, key=lambda each: each.key)


def test_what_cannot_be_written_is_tried_again_after_a_while_in_one_piece_and_logged_once() -> None:
    async def main() -> None:
        async with Shelf() as ledger:
            ledger.away = True
            for _ in range(5):
                ledger.keep(ONE)
                await asyncio.sleep(1)
            assert ledger.tries == 1
            await asyncio.sleep(2 * AGAIN_SECONDS)
            assert (ledger.tries, ledger.written) == (3, [])
            ledger.away = False
            await asyncio.sleep(AGAIN_SECONDS)
            assert [each.calls for each in ledger.written] == [5]

    with capture_logs() as logs:
        run(main())
    assert [entry["event"] for entry in logs] == ["usage_not_written", "usage_written"]


def test_what_somebody_used_who_was_forgotten_meanwhile_is_nobodys() -> None:
    async def main() -> list[UsageRow]:
        async with Shelf() as ledger:
            ledger.away = True
            ledger.keep(ONE)
            await asyncio.sleep(1)
            await ledger.forget(100)
            ledger.keep(ONE)
            ledger.away = False
            await asyncio.sleep(FORGETTING_SECONDS + 1)
            ledger.keep(ONE)
        return ledger.written

    assert [(row.user_id, row.calls) for row in run(main())] == [(0, 2), (100, 1)]


def test_who_leaves_does_not_wait_for_the_next_try() -> None:
    async def main() -> list[UsageRow]:
        async with Shelf() as ledger:
            ledger.away = True
            ledger.keep(ONE)
            await asyncio.sleep(1)
            began, ledger.away = asyncio.get_running_loop().time(), False
        assert asyncio.get_running_loop().time() == began
        return ledger.written

    assert run(main()) == [ONE]


def test_one_row_that_no_database_takes_does_not_hold_up_the_others() -> None:
    async def main() -> list[UsageRow]:
        async with Shelf() as ledger:
            for each in (ONE, POISON, row(user_id=101)):
                ledger.keep(each)
        return ledger.written

    with capture_logs() as logs:
        assert run(main()) == [ONE, row(user_id=101)]
    assert [entry["event"] for entry in logs] == ["usage_lost"]


def test_what_waits_is_bounded_and_a_loss_is_logged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steady_ledger, "MOST_WAITING", 2)

    async def main() -> None:
        async with Shelf() as ledger:
            ledger.away = True
            for user_id in (1, 2, 3, 4, 1):
                ledger.keep(row(user_id=user_id))

    with capture_logs() as logs:
        run(main())
    assert [(entry["event"], entry.get("rows")) for entry in logs] == [
        ("usage_lost", None),
        ("usage_not_written", None),
        ("usage_lost", 4),
    ]


async def test_a_total_is_what_was_kept_whether_it_is_written_or_not(database: Database) -> None:
    """Many keep and many sum up at the same time: nobody ever sees a call twice, or misses one."""
    kept = 0

    def rows() -> Iterator[UsageRow]:
        nonlocal kept
        for nr in range(60):
            kept += 1
            yield row(user_id=nr % 4, channel_id=nr % 3)

    async def keep(ledger: SteadyLedger) -> None:
        for each in rows():
            ledger.keep(each)
            await asyncio.sleep(0.001 if each.user_id else 0)

    async def look(ledger: SteadyLedger) -> None:
        for _ in range(30):
            total = await ledger.total(DAY, DAY)
            assert total == Totals(calls=kept, input_tokens=kept)

    async with SteadyLedger(database) as ledger:
        await asyncio.gather(keep(ledger), keep(ledger), look(ledger), look(ledger))
    assert await Ledger(database).total(DAY, DAY) == Totals(calls=120, input_tokens=120)


async def test_a_total_of_what_waits_is_narrowed_as_that_of_what_is_written(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_rows: Sequence[UsageRow]) -> None:
        raise DatabaseUnavailable("it is away")

    ledger = SteadyLedger(database)
    monkeypatch.setattr(ledger, "add", away)
    rows = [
        row(user_id=user_id, payer=payer, day=DAY.replace(day=day))
        for user_id in (1, 2)
        for payer in ("server", "person", "operator")
        for day in (1, 30)
    ]
    for each in rows:
        ledger.keep(each)
    narrowed: Sequence[dict[str, Any]] = (
        {},
        {"user_id": 1},
        {"payer": "person"},
        {"payer": ("server", "operator"), "user_id": 2},
    )
    waiting = [await ledger.total(DAY, DAY, **where) for where in narrowed]
    assert [total.calls for total in waiting] == [6, 3, 2, 2]
    parts = [await ledger.by(dimension, DAY, DAY, user_id=1) for dimension in Dimension]
    await Ledger(database).add(rows)
    assert [await Ledger(database).total(DAY, DAY, **where) for where in narrowed] == waiting
    assert [await Ledger(database).by(dimension, DAY, DAY, user_id=1) for dimension in Dimension] == parts
    assert (await ledger.by(Dimension.USER, DAY, DAY, user_id=1))[0][1].calls == 6, "what is written and what waits"


async def test_what_waits_is_written_when_the_bot_ends_just_as_the_database_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outage, "PAUSES", (60.0,))
    async with Database(sqlite_url(tmp_path)) as database:
        async with SteadyLedger(database) as ledger, gone(tmp_path / "parley.db"):
            ledger.keep(ONE)
            assert not await ledger.flush()
        assert (await Ledger(database).total(DAY, DAY)).calls == 1

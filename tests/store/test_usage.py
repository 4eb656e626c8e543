"""The ledger: what is added is what is summed, by whatever it is told apart, and however many add at once."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.store import Database, usage
from bot.store.usage import Dimension, Ledger, Totals, UsageRow, merged

DAY = date(2026, 11, 30)
ALWAYS = DAY - timedelta(500), DAY + timedelta(500)


def row(day: int = 0, **other: Any) -> UsageRow:
    usual: dict[str, Any] = {
        "guild_id": 1,
        "channel_id": 10,
        "user_id": 100,
        "provider": "groq",
        "model": "m",
        "payer": "server",
        "key_last_four": "a1b2",
        "purpose": "answer",
        "calls": 1,
    }
    return UsageRow(DAY + timedelta(day), **(usual | other))


async def all_rows(ledger: Ledger, **where: Any) -> Sequence[UsageRow]:
    return [row async for page in ledger.rows(*ALWAYS, **where) for row in page]


async def test_a_row_grows(database: Database) -> None:
    ledger = Ledger(database)
    for _ in range(3):
        await ledger.add([row(input_tokens=1000, output_tokens=7, cost_nano=2**40)])
    assert await all_rows(ledger) == [row(calls=3, input_tokens=3000, output_tokens=21, cost_nano=3 * 2**40)]
    assert await ledger.total(DAY, DAY) == Totals(calls=3, input_tokens=3000, output_tokens=21, cost_nano=3 * 2**40)


async def test_nothing_is_nothing(database: Database) -> None:
    ledger = Ledger(database)
    await ledger.add([])
    assert await ledger.total(*ALWAYS) == Totals()
    assert await ledger.by(Dimension.DAY, *ALWAYS) == []
    assert await all_rows(ledger) == []


async def test_many_at_once_lose_nothing(database: Database, database_url: str) -> None:
    """Of two processes, as it were, and in whatever order each has its rows."""
    async with Database(database_url) as other:
        ledgers = [Ledger(database), Ledger(other)]
        rows = [row(channel_id=channel, user_id=user) for channel in (10, 11) for user in (1, 2, 3)]
        await asyncio.gather(*(ledgers[nr % 2].add(rows[:: -1 if nr % 3 else 1]) for nr in range(24)))
    assert {(each.channel_id, each.user_id): each.calls for each in await all_rows(ledgers[0])} == {
        (channel, user): 24 for channel in (10, 11) for user in (1, 2, 3)
    }


async def test_days_are_inclusive_and_where_narrows(database: Database) -> None:
    ledger = Ledger(database)
    await ledger.add(
        [row(day, user_id=user, payer=payer) for day in (0, 1, 2) for user, payer in ((1, "server"), (2, "person"))]
    )
    assert (await ledger.total(DAY, DAY + timedelta(1))).calls == 4
    assert (await ledger.total(*ALWAYS, user_id=1)).calls == 3
    assert (await ledger.total(*ALWAYS, user_id=1, payer="person")).calls == 0
    assert len(await all_rows(ledger, payer="person")) == 3


async def test_what_cost_most_comes_first_then_what_has_most_tokens(database: Database) -> None:
    ledger = Ledger(database)
    await ledger.add(
        [
            row(model="free", input_tokens=900),
            row(model="freer", input_tokens=1000),
            row(model="dear", cost_nano=5),
            row(1, model="dear", cost_nano=5),
        ]
    )
    assert [key for key, _ in await ledger.by(Dimension.MODEL, *ALWAYS)] == [
        ("groq", "dear"),
        ("groq", "freer"),
        ("groq", "free"),
    ]
    assert [key for key, _ in await ledger.by(Dimension.DAY_AND_MODEL, *ALWAYS)][-1] == (
        DAY + timedelta(1),
        "groq",
        "dear",
    )


async def test_rows_come_in_pages_each_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usage, "ROWS_AT_ONCE", 3)
    ledger = Ledger(database)
    rows = [row(day, user_id=user) for day in range(3) for user in range(4)]
    await ledger.add(rows)
    pages = [page async for page in ledger.rows(*ALWAYS)]
    assert [len(page) for page in pages] == [3, 3, 3, 3]
    assert [each for page in pages for each in page] == rows


async def test_old_rows_go(database: Database) -> None:
    ledger = Ledger(database)
    await ledger.add([row(-2), row(-1), row(0)])
    assert await ledger.forget_before(DAY - timedelta(1)) == 1
    assert len(await all_rows(ledger)) == 2


COUNTS = st.fixed_dictionaries({name: st.integers(0, 10**12) for name in Totals.__struct_fields__})
ROWS = st.lists(
    st.builds(
        lambda keys, counts: row(keys[0], guild_id=keys[1], user_id=keys[2], model=keys[3], **counts),
        st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 1), st.sampled_from(["a", "b"])),
        COUNTS,
    ),
    max_size=12,
)


@given(ROWS)
def test_merging_keeps_every_sum(rows: list[UsageRow]) -> None:
    joined = merged(rows)
    assert len({each.key for each in joined}) == len(joined)
    for name in ("day", "guild_id", "user_id", "model"):
        for count in Totals.__struct_fields__:
            sums: list[Counter[Any]] = [Counter(), Counter()]
            for nr, given_rows in enumerate((rows, joined)):
                for each in given_rows:
                    sums[nr][getattr(each, name)] += getattr(each, count)
            assert sums[0] == sums[1]


async def test_every_dimension_has_the_same_sum(database: Database) -> None:
    ledger = Ledger(database)
    numbers = range(1, 40)
    rows = [
        row(
            nr % 3,
            guild_id=nr % 2,
            channel_id=nr % 5,
            user_id=nr % 7,
            model=f"m{nr % 4}",
            payer=("server", "person", "operator")[nr % 3],
            **{name: nr * 1000 + at for at, name in enumerate(Totals.__struct_fields__)},
        )
        for nr in numbers
    ]
    await asyncio.gather(*(ledger.add([each]) for each in rows))
    whole = Totals()
    for each in rows:
        whole += each.totals
    assert await ledger.total(*ALWAYS) == whole
    for dimension in Dimension:
        parts = await ledger.by(dimension, *ALWAYS)
        summed = Totals()
        for _, totals in parts:
            summed += totals
        assert summed == whole, dimension
        assert len({key for key, _ in parts}) == len(parts)
    assert sum(msgspec.structs.astuple(whole)) > 0

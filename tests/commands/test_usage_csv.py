"""Usage as a CSV file: what programs read of it, what they must not take for a formula, and how large it gets."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Sequence
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.usage_csv import HEADER, CsvFile, Names, written
from bot.store.usage import UsageRow
from tests.commands.used import TODAY, used

LARGE = 1_000_000


async def written_of(rows: Sequence[UsageRow], name: str = "", most_bytes: int = LARGE, reader_id: int = 1) -> CsvFile:
    async def pages() -> AsyncIterator[Sequence[UsageRow]]:
        for row in rows:
            yield [row]

    return await written(pages(), Names(lambda _: name, lambda _: name, lambda _: name), reader_id, most_bytes)


def records(file: CsvFile) -> list[dict[str, Any]]:
    """As a program reads it."""
    return list(csv.DictReader(io.StringIO(file.data.decode("utf-8-sig"), newline="")))


async def test_a_row_is_a_line_under_a_header() -> None:
    file = await written_of([used(cost_nano=1_234_500_000, unpriced_calls=1)], name="Ada, “B”")
    assert file.data.decode() == (
        "\ufeffday,guild_id,guild,channel_id,channel,user_id,user,provider,model,payer,key_last_four,purpose,"
        "calls,input_tokens,output_tokens,reasoning_tokens,cached_tokens,unpriced_calls,estimated_calls,cost_usd\r\n"
        '2026-11-30,1,"Ada, “B”",10,"Ada, “B”",100,"Ada, “B”",openai,gpt-5-mini,operator,a1b2,answer,'
        "1,1000,200,50,400,1,0,1.234500000\r\n"
    )


@pytest.mark.parametrize(
    ("payer", "shown"), [("operator", ["a1b2"] * 2), ("server", ["a1b2"] * 2), ("person", ["", "a1b2"])]
)
async def test_of_a_key_of_ones_own_nobody_else_hears_anything(payer: str, shown: list[str]) -> None:
    file = await written_of([used(user_id=100, payer=payer), used(user_id=101, payer=payer)], reader_id=101)
    assert [record["key_last_four"] for record in records(file)] == shown


async def test_where_nothing_was_used_there_is_no_row() -> None:
    file = await written_of([])
    assert (file.rows, file.cut_at, records(file)) == (0, None, [])


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("＝1", "'＝1"),
        ("a;=1", "a;'=1"),
        ("a-b=c@d+e", "a-b=c@d+e"),
        ("Zoë", "Zoë"),
        ("", ""),
    ],
)
async def test_what_a_stranger_wrote_is_no_formula(name: str, cell: str) -> None:
    (record,) = records(await written_of([used(model=name, key_last_four=name)], name=name))
    assert {record[column] for column in ("guild", "channel", "user", "model", "key_last_four")} == {cell}


@given(st.text())
async def test_whatever_a_name_is_the_other_cells_stay_where_they_are(name: str) -> None:
    (record,) = records(await written_of([used(model=name)], name=name))
    assert set(record) == set(HEADER)
    assert (record["day"], record["payer"], record["cost_usd"]) == ("2026-11-30", "operator", "0.010000000")
    assert not record["user"].startswith(("=", "+", "-", "@", "\t", "\r", "＝"))


@given(st.integers(0, 5000))
async def test_it_is_never_larger_than_may_be_and_tells_where_it_was_cut(most_bytes: int) -> None:
    rows = [used(date(2026, 11, day), calls=day) for day in range(30, 0, -1)]
    file = await written_of(rows, most_bytes=most_bytes)
    assert len(file.data) <= max(most_bytes, len((await written_of([])).data))
    assert [record["calls"] for record in records(file)] == [str(row.calls) for row in rows[: file.rows]]
    assert file.cut_at == (rows[file.rows].day if file.rows < len(rows) else None)


async def test_half_a_surrogate_pair_does_not_stop_it() -> None:
    (record,) = records(await written_of([used(TODAY)], name="a\ud800"))
    assert record["user"] == "a?"

"""What is read from a real ledger for the panel of `/usage` and its picture."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot.commands.usage_panel import Period, alt_text, span_of
from bot.commands.usage_plot import draw
from bot.commands.usage_report import newest_first, plot, top_models
from bot.localization import Translator
from bot.store import Database, DatabaseUnavailable
from bot.store.steady_ledger import SteadyLedger
from bot.store.usage import Ledger
from tests.commands.used import TODAY, used

SPAN = span_of(Period.SEVEN, TODAY)
WORDS = Translator("en-US").say("en-US")


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        yield Ledger(database)


async def test_a_picture_has_the_models_with_most_tokens_and_all_others_in_one(ledger: Ledger) -> None:
    await ledger.add([used(model=f"m{nr}", input_tokens=1000 * nr, cost_nano=-nr % 3) for nr in range(1, 9)])
    await ledger.add([used(TODAY - timedelta(days=6), model="m1", input_tokens=5)])
    shown = await plot(ledger, SPAN, {}, WORDS)
    assert [(series.name, series.square_nr, series.tokens[-1]) for series in shown.series] == [
        ("m8", 0, 8200),
        ("m7", 1, 7200),
        ("m6", 2, 6200),
        ("m5", 3, 5200),
        ("m4", 4, 4200),
        ("m3", 5, 3200),
        ("others", 6, 1200 + 2200),
    ]
    assert shown.series[-1].tokens == [205, 0, 0, 0, 0, 0, 3400]
    assert shown.days == SPAN.days
    lines = await top_models(ledger, SPAN, {})
    assert [line.what for line in lines] == ["🟦 `m8`", "🟧 `m7`", "🟩 `m6`", "🟪 `m5`", "🟨 `m4`", "🟥 `m3`"]


async def test_a_model_of_several_providers_is_told_apart(ledger: Ledger) -> None:
    await ledger.add(
        [used(provider="openai"), used(provider="azure", input_tokens=5), used(model="o4", input_tokens=1)]
    )
    names = [series.name for series in (await plot(ledger, SPAN, {}, WORDS)).series]
    assert names == ["gpt-5-mini (openai)", "gpt-5-mini (azure)", "o4"]


async def test_a_models_name_does_nothing_in_a_line(ledger: Ledger) -> None:
    await ledger.add([used(model="`@everyone` **x**\n# y")])
    (line,) = await top_models(ledger, SPAN, {})
    assert line.what == "🟦 `'@everyone' **x** # y`"


async def test_only_what_is_meant_is_in_it(ledger: Ledger) -> None:
    await ledger.add([used(), used(user_id=7), used(channel_id=8), used(guild_id=9), used(TODAY - timedelta(days=7))])
    for where, tokens in (({}, 4800), ({"user_id": 100}, 3600), ({"user_id": 100, "guild_id": 1}, 2400)):
        (series,) = (await plot(ledger, SPAN, where, WORDS)).series  # type: ignore[arg-type]
        assert sum(series.tokens) == tokens


async def test_a_file_begins_with_the_newest_day(ledger: Ledger) -> None:
    days = SPAN.days
    await ledger.add([used(day, user_id=nr) for day in days for nr in range(300)])
    rows = [row async for page in newest_first(ledger, SPAN, {}) for row in page]
    assert [row.day for row in rows] == [day for day in reversed(days) for _ in range(300)]


async def test_what_waits_to_be_written_is_in_the_picture_as_in_the_sum(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long as the disk is full, there may be nothing else."""

    async def full(_rows: object) -> None:
        raise DatabaseUnavailable("no room")

    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        ledger = SteadyLedger(database)
        monkeypatch.setattr(ledger, "add", full)
        ledger.keep(used(TODAY, input_tokens=5))
        assert (await ledger.total(TODAY, TODAY)).calls
        shown = await plot(ledger, SPAN, {}, WORDS)
        assert draw(shown, "en-US")
        assert alt_text(shown, WORDS)

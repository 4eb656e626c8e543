"""What a call of a model used and cost."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters import registry
from adapters.catalogue import Catalogue, Row
from adapters.contract import Endpoint, GenerationRequest, ModelInfo, Role, Usage, text_message
from bot.conversation.tokens import TokenCounter
from bot.preferences import Location, ModelPreferences
from bot.store import Database, Forgetting
from bot.store.steady_ledger import SteadyLedger
from bot.store.usage import UsageRow
from bot.turn.budgets import Budgets
from bot.turn.models import Account, ModelChoice, Payer
from bot.turn.parts import Purpose
from bot.turn.spending import Spending, cost

NOW = datetime(2026, 11, 30, 23, 59, tzinfo=UTC)
ALWAYS = date(2020, 1, 1), date(2030, 1, 1)
HERE = Location(10, 1, None, 100)
COUNTED = Usage(1000, 200, 50, 400)
PRICED = ModelInfo("m", input_price=2.0, output_price=10.0)
REQUEST = GenerationRequest("m", (text_message(Role.USER, "one two three four five"),), system="Be brief.")


class Shelf:
    """A SteadyLedger that only keeps."""

    def __init__(self) -> None:
        self.rows: list[UsageRow] = []

    def keep(self, row: UsageRow) -> None:
        self.rows.append(row)


class Watching:
    """Budgets that only look."""

    def __init__(self) -> None:
        self.rows: list[UsageRow] = []

    def spent(self, row: UsageRow) -> None:
        self.rows.append(row)


def choice(payer: Payer = Payer.OPERATOR, model: str = "m", key: str = "sk-0123456789abcdef") -> ModelChoice:
    adapter, endpoint = registry.adapter("groq"), Endpoint(api_key=key)
    return ModelChoice(adapter, model, (endpoint,), Account(payer, 0, "groq"), ModelPreferences())


def spending(ledger: Any, watching: Watching | None = None, info: ModelInfo = PRICED) -> Spending:
    catalogue = Catalogue([Row(("groq",), "m", info)])
    return Spending(ledger, cast(Budgets, watching or Watching()), catalogue, TokenCounter(), lambda: NOW)


async def record(to: Spending, usage: Usage | None = COUNTED, by: ModelChoice | None = None, text: str = "") -> None:
    by = by or choice()
    await to.record(HERE, by, by.endpoint, Purpose.ANSWER, usage, REQUEST, text)


async def test_a_call_is_written_with_all_that_there_is_to_say(tmp_path: Path) -> None:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        watching = Watching()
        async with SteadyLedger(database) as ledger:
            await record(spending(ledger, watching), by=choice(Payer.SERVER))
        rows = [row async for page in ledger.rows(*ALWAYS) for row in page]
        assert (
            rows
            == watching.rows
            == [
                UsageRow(
                    NOW.date(), 1, 10, 100, "groq", "m", "server", "cdef", "answer", 1, 1000, 200, 50, 400, 4_000_000
                )
            ]
        )


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (Usage(1000, 200), {"input_tokens": 1000, "output_tokens": 200, "estimated_calls": 0}),
        (Usage(1000, None), {"input_tokens": 1000, "output_tokens": 3, "estimated_calls": 1}),
    ],
)
async def test_what_the_provider_did_not_count_is_counted_here(usage: Usage, expected: dict[str, int]) -> None:
    shelf = Shelf()
    await record(spending(shelf), usage, text="one two three")
    (row,) = shelf.rows
    counted = {name: getattr(row, name) for name in expected}
    assert counted | {"output_tokens": expected["output_tokens"]} == expected
    assert row.output_tokens >= expected["output_tokens"]


async def test_without_any_count_both_are_counted() -> None:
    shelf = Shelf()
    await record(spending(shelf), None, text="one two three")
    assert shelf.rows[0].input_tokens > shelf.rows[0].output_tokens > 0
    assert shelf.rows[0].estimated_calls == 1


async def test_a_model_without_a_price_is_counted_as_such() -> None:
    shelf = Shelf()
    await record(spending(shelf, info=ModelInfo("m")))
    assert (shelf.rows[0].cost_nano, shelf.rows[0].unpriced_calls) == (0, 1)


async def test_the_operators_keys_are_not_told_apart_and_names_are_bounded() -> None:
    shelf = Shelf()
    await record(spending(shelf), by=choice(model="x" * 500))
    assert (shelf.rows[0].key_last_four, shelf.rows[0].model) == ("", "x" * 200)


@given(st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0, 1000), st.floats(0, 1000))
def test_a_cost_is_dollars_for_a_million_tokens(read: int, written: int, price: float, higher: float) -> None:
    info = ModelInfo("m", input_price=price, output_price=higher)
    dollars = read / 1e6 * price + written / 1e6 * higher
    assert cost(info, read, written) == pytest.approx(dollars * 1e9, rel=1e-9, abs=1)
    assert cost(msgspec.structs.replace(info, input_price=None), 7, 0) == 0


async def test_what_no_database_holds_is_not_believed(tmp_path: Path) -> None:
    """A server of somebody's own says what it likes, and is paid for by nobody else."""
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        async with SteadyLedger(database) as ledger:
            to = spending(ledger, info=ModelInfo("m", input_price=1e300, output_price=-2.0))
            for _ in range(3):
                await record(to, Usage(2**62, 10**30, 2**63, 2**64), by=choice(Payer.PERSON))
        assert 0 < (await ledger.total(*ALWAYS)).tokens < 10**9
        assert 0 < (await ledger.total(*ALWAYS)).cost_nano < 10**15
        assert (await Forgetting(database).person(100)).questions == 0

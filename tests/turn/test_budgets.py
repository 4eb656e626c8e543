"""Limits: what counts for which, when they hold and end, when people hear that one comes near."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from adapters import registry
from adapters.contract import Endpoint
from bot.preferences import ChosenModel, LimitPreferences, Location, ModelPreferences, OperatorLimits, Scope
from bot.store import Database, DatabaseUnavailable, Deed, Preferences, ProviderKeys, SecretBox
from bot.store.usage import Ledger, Totals, UsageRow
from bot.turn.budgets import LIMITS, Budgets, Window
from bot.turn.models import Models, OperatorModel, Payer

SERVER, CHANNEL, ADA, BO = 1, 10, 100, 101
TODAY = date(2026, 11, 30)
HERE, DIRECT = Location(CHANNEL, SERVER, None, ADA), Location(30, None, None, ADA)
OPERATOR = OperatorModel(registry.adapter("custom"), "m", (Endpoint("http://127.0.0.1:1/v1"),))


class World:
    def __init__(self, database: Database) -> None:
        self.today = TODAY
        self.preferences, self.ledger = Preferences(database), Ledger(database)
        self.keys = ProviderKeys(database, SecretBox(["a secret for the tests"]))
        models = Models(self.preferences, self.keys, OPERATOR)
        self.budgets = Budgets(self.preferences, self.ledger, models, lambda: self.today)

    async def limit(self, topic: type[Any] = LimitPreferences, **limits: Any) -> None:
        everywhere = topic is OperatorLimits
        await self.preferences.change(
            topic, Scope.GLOBAL if everywhere else Scope.SERVER, 0 if everywhere else SERVER, **limits
        )

    async def use(self, tokens: int = 0, dollars: float = 0.0, **where: Any) -> UsageRow:
        """By Ada, here, with the operator's key; the ledger has it."""
        usual: dict[str, Any] = {"guild_id": SERVER, "channel_id": CHANNEL, "user_id": ADA, "payer": "operator"}
        row = UsageRow(
            day=self.today,
            provider="custom",
            model="m",
            key_last_four="",
            purpose="answer",
            calls=1,
            output_tokens=tokens,
            cost_nano=round(dollars * 1e9),
            **(usual | where),
        )
        await self.ledger.add([row])
        self.budgets.spent(row)
        return row

    async def reached(self, location: Location = HERE) -> str:
        found = (await self.budgets.look(location)).reached()
        return found.limit.setting if found else ""


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        yield World(database)


@pytest.mark.parametrize(
    ("limit", "counts", "does_not"),
    [
        ("person_daily_tokens", {}, {"user_id": BO}),
        ("person_daily_tokens", {"channel_id": 11}, {"guild_id": 2}),
        ("person_daily_tokens", {"payer": "server"}, {"payer": "person"}),
        ("channel_daily_tokens", {"user_id": BO}, {"channel_id": 11}),
        ("server_daily_tokens", {"user_id": BO, "channel_id": 11}, {"guild_id": 2}),
        ("server_monthly_tokens", {"payer": "server"}, {"payer": "person"}),
    ],
)
async def test_a_limit_of_a_server_counts_what_it_is_about(
    world: World, limit: str, counts: dict[str, Any], does_not: dict[str, Any]
) -> None:
    await world.limit(LimitPreferences, **{limit: 1000})
    await world.use(1000, **does_not)
    assert await world.reached() == ""
    world.budgets.answered(HERE)
    await world.use(1000, **counts)
    assert await world.reached() == limit


@pytest.mark.parametrize(
    ("limit", "counts", "does_not"),
    [
        ("free_person_daily_tokens", {"guild_id": 2}, {"user_id": BO}),
        ("free_person_daily_tokens", {"guild_id": 0}, {"payer": "server"}),
        ("free_server_daily_tokens", {"user_id": BO}, {"guild_id": 2}),
    ],
)
async def test_a_limit_of_the_operator_counts_what_the_operator_pays_for(
    world: World, limit: str, counts: dict[str, Any], does_not: dict[str, Any]
) -> None:
    await world.limit(OperatorLimits, **{limit: 1000})
    await world.use(1000, **does_not)
    assert await world.reached() == ""
    world.budgets.answered(HERE)
    await world.use(1000, **counts)
    assert await world.reached() == limit


async def test_money_is_counted_to_the_last_cent(world: World) -> None:
    await world.limit(server_monthly_cost=0.3)
    for _ in range(2):
        await world.use(dollars=0.1)
    assert await world.reached() == ""
    world.budgets.answered(HERE)
    await world.use(dollars=0.1)
    assert await world.reached() == "server_monthly_cost"


async def test_direct_messages_are_held_by_the_operator_only(world: World) -> None:
    await world.limit(server_daily_tokens=10)
    await world.limit(OperatorLimits, free_server_daily_tokens=10, free_person_daily_tokens=500)
    await world.use(100, guild_id=0, channel_id=30)
    assert await world.reached(DIRECT) == ""
    await world.use(400, guild_id=0, channel_id=30)
    assert await world.reached(DIRECT) == "free_person_daily_tokens"


async def test_who_pays_with_a_key_of_their_own_is_held_by_nothing(world: World) -> None:
    await world.limit(server_daily_tokens=10)
    await world.limit(OperatorLimits, free_monthly_cost=0.01)
    await world.use(100, dollars=1)
    assert await world.reached() != ""
    await world.keys.add(Scope.PERSON, ADA, "groq", "", "gsk_0123456789", Deed(ADA))
    await world.preferences.change(ModelPreferences, Scope.PERSON, ADA, model=ChosenModel("groq", "llama"))
    assert await world.reached() == ""


async def test_the_next_day_or_month_begins_anew(world: World) -> None:
    world.today = date(2026, 11, 29)
    await world.limit(person_daily_tokens=10, server_monthly_tokens=100)
    await world.use(50)
    assert await world.reached() == "person_daily_tokens"
    await world.use(50)
    assert await world.reached() == "server_monthly_tokens", "it holds for longer"
    world.today = date(2026, 12, 1)
    assert await world.reached() == ""


@pytest.mark.parametrize(
    ("window", "today", "ends"),
    [
        (Window.DAY, date(2026, 12, 31), datetime(2027, 1, 1, tzinfo=UTC)),
        (Window.MONTH, date(2026, 12, 31), datetime(2027, 1, 1, tzinfo=UTC)),
        (Window.MONTH, date(2028, 2, 1), datetime(2028, 3, 1, tzinfo=UTC)),
    ],
)
def test_windows_end_at_midnight_utc(window: Window, today: date, ends: datetime) -> None:
    assert window.ends(today) == ends


async def test_answers_under_way_are_expected_until_they_are_there(world: World) -> None:
    """Where nothing was counted yet, an answer is taken for 2,000 tokens."""
    await world.limit(server_daily_tokens=4000)
    assert [await world.reached() for _ in range(3)] == ["", "", "server_daily_tokens"]
    world.budgets.answered(HERE)
    assert await world.reached() == ""


async def test_people_hear_once_that_a_limit_comes_near(world: World) -> None:
    await world.limit(server_daily_tokens=1000, person_monthly_cost=1.0, notice_percent=50)
    await world.use(499)
    assert await world.budgets.near(HERE, Payer.OPERATOR) == []
    await world.use(1, dollars=0.6)
    near = await world.budgets.near(HERE, Payer.OPERATOR)
    assert [(each.limit.setting, each.used, each.most) for each in near] == [
        ("person_monthly_cost", 600_000_000, 1_000_000_000),
        ("server_daily_tokens", 500, 1000),
    ]
    assert await world.budgets.near(HERE, Payer.OPERATOR) == []
    world.today = date(2026, 12, 1)
    await world.use(900)
    assert [each.limit.setting for each in await world.budgets.near(HERE, Payer.OPERATOR)] == ["server_daily_tokens"]


class Unread:
    """A Ledger that nobody may ask."""

    async def total(self, *_: object, **__: object) -> Totals:
        raise AssertionError("it was asked")


async def test_without_limits_nothing_is_read(world: World) -> None:
    budgets = Budgets(world.preferences, cast(Ledger, Unread()), Models(world.preferences, world.keys, OPERATOR))
    assert (await budgets.look(HERE)).reached() is None
    assert await budgets.near(HERE, Payer.OPERATOR) == []


class Away:
    """A Ledger whose database is gone."""

    async def total(self, *_: object, **__: object) -> Totals:
        raise DatabaseUnavailable("it is away")


async def test_where_the_ledger_cannot_be_read_nobody_is_held(world: World) -> None:
    await world.limit(server_daily_tokens=1)
    budgets = Budgets(world.preferences, cast(Ledger, Away()), Models(world.preferences, world.keys, OPERATOR))
    assert (await budgets.look(HERE)).reached() is None
    assert await budgets.near(HERE, Payer.OPERATOR) == ()


def test_every_limit_is_a_setting_of_its_topic() -> None:
    for limit in LIMITS:
        assert limit.most(limit.topic()) == 0, "none by default"
    others = {"notice_percent", "answers_at_once", "answers_at_once_of_one"}
    fields = {*LimitPreferences.__struct_fields__, *OperatorLimits.__struct_fields__}
    assert {limit.setting for limit in LIMITS} == fields - others

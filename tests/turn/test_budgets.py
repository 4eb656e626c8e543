"""Limits: what counts for which, when they hold and end, when people hear that one comes near."""

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from adapters import registry
from adapters.contract import Endpoint
from bot.preferences import ChosenModel, LimitPreferences, Location, ModelPreferences, OperatorLimits, Scope
from bot.store import Database, DatabaseUnavailable, Deed, Forgetting, Preferences, ProviderKeys, SecretBox
from bot.store.steady_ledger import SteadyLedger
from bot.store.usage import Ledger, Totals, UsageRow
from bot.turn import budgets as budgets_module
from bot.turn.budgets import LIMITS, Budgets, Window
from bot.turn.models import Models, OperatorModel, Payer
from bot.turn.request import Channel, Task, TurnRequest, new_turn_id

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

    def answered(self, at: Location = HERE, run_id: str | None = None, task: Task = Task.ANSWER) -> None:
        request = TurnRequest(
            turn_id="t",
            question_id=1,
            channel_id=at.channel_id,
            guild_id=at.guild_id,
            parent_id=at.parent_id,
            asker_id=at.person_id or 0,
            locale=None,
            arrived=0.0,
            channel=cast(Channel, None),
            task=task,
            run_id=run_id or new_turn_id(),
        )
        self.budgets.answered(request)

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
    world.answered()
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
    world.answered()
    await world.use(1000, **counts)
    assert await world.reached() == limit


async def test_money_is_counted_to_the_last_cent(world: World) -> None:
    await world.limit(server_monthly_cost=0.3)
    for _ in range(2):
        await world.use(dollars=0.1)
    assert await world.reached() == ""
    world.answered()
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
    world.answered()
    assert await world.reached() == ""


@pytest.mark.parametrize(
    "answered",
    [HERE, Location(500, SERVER, CHANNEL, ADA)],
    ids=["there", "in a thread that was opened for it"],
)
async def test_each_answer_ends_the_waiting_for_one(world: World, answered: Location) -> None:
    await world.limit(server_daily_tokens=5000, channel_daily_tokens=5000)
    assert [await world.reached() for _ in range(4)] == ["", "", "", "channel_daily_tokens"]
    for _ in range(2):
        world.answered(answered)
    assert [await world.reached() for _ in range(3)] == ["", "", "channel_daily_tokens"]


async def test_a_run_ends_the_waiting_for_one_however_often_it_ends_and_what_is_only_shown_for_none(
    world: World,
) -> None:
    await world.limit(server_daily_tokens=4000)
    assert [await world.reached() for _ in range(3)] == ["", "", "server_daily_tokens"]
    for _ in range(2):
        world.answered(run_id="one")
        world.answered(task=Task.SHOW)
    assert [await world.reached() for _ in range(2)] == ["", "server_daily_tokens"]


async def test_an_answer_elsewhere_or_to_another_leaves_others_expected(world: World) -> None:
    await world.limit(server_daily_tokens=1)
    assert await world.reached() == ""
    for other in (Location(11, SERVER, None, ADA), Location(CHANNEL, SERVER, None, BO)):
        world.answered(other)
        assert await world.reached() == "server_daily_tokens"
    world.answered()
    assert await world.reached() == ""


async def test_what_was_admitted_and_never_came_to_an_answer_is_not_expected_for_ever(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.limit(server_daily_tokens=1)
    assert [await world.reached() for _ in range(2)] == ["", "server_daily_tokens"]
    monkeypatch.setattr(budgets_module, "EXPECTED_SECONDS", 0.0)
    assert await world.reached() == ""


async def test_of_questions_at_once_only_so_many_are_admitted_before_anything_was_read(world: World) -> None:
    await world.limit(server_daily_tokens=4000)
    looks = await asyncio.gather(*(world.budgets.look(HERE) for _ in range(5)))
    assert [look.reached() is None for look in looks] == [True, True, False, False, False]


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
    budgets = Budgets(world.preferences, cast(SteadyLedger, Unread()), Models(world.preferences, world.keys, OPERATOR))
    assert (await budgets.look(HERE)).reached() is None
    assert await budgets.near(HERE, Payer.OPERATOR) == []


class Away:
    """A Ledger whose database may be gone."""

    def __init__(self) -> None:
        self.is_gone = True

    async def total(self, *_: object, **__: object) -> Totals:
        if self.is_gone:
            raise DatabaseUnavailable("it is away")
        return Totals(calls=1, output_tokens=1000)


async def test_where_the_ledger_cannot_be_read_nobody_is_held_and_the_log_says_so_once(world: World) -> None:
    await world.limit(server_daily_tokens=1)
    models = Models(world.preferences, world.keys, OPERATOR)
    budgets = Budgets(world.preferences, cast(SteadyLedger, Away()), models)
    with capture_logs() as logs:
        for _ in range(3):
            assert (await budgets.look(HERE)).reached() is None
        assert await budgets.near(HERE, Payer.OPERATOR) == ()
    assert [entry["event"] for entry in logs] == ["limits_not_known"]


async def test_what_was_known_before_the_database_went_away_holds(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets_module, "FRESH_SECONDS", 0.0)
    await world.limit(server_daily_tokens=1000)
    ledger = Away()
    budgets = Budgets(world.preferences, cast(SteadyLedger, ledger), Models(world.preferences, world.keys, OPERATOR))
    ledger.is_gone = False
    assert (await budgets.look(HERE)).reached() is not None
    ledger.is_gone = True
    assert (await budgets.look(HERE)).reached() is not None


def test_every_limit_is_a_setting_of_its_topic() -> None:
    for limit in LIMITS:
        assert limit.most(limit.topic()) == 0, "none by default"
    others = {"notice_percent", "answers_at_once", "answers_at_once_of_one"}
    fields = {*LimitPreferences.__struct_fields__, *OperatorLimits.__struct_fields__}
    assert {limit.setting for limit in LIMITS} == fields - others


async def test_who_has_themselves_forgotten_begins_no_limit_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budgets_module, "FRESH_SECONDS", 0.0)
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        world = World(database)
        await world.limit(OperatorLimits, free_person_daily_tokens=1000)
        assert await world.reached() == ""
        world.answered()
        await world.use(1000)
        await Forgetting(database).person(ADA)
        assert await world.reached() == "free_person_daily_tokens"
        assert await world.reached(DIRECT) == "free_person_daily_tokens"


async def test_a_limit_that_was_raised_comes_near_anew_and_what_was_not_told_is_told_later(world: World) -> None:
    await world.limit(server_daily_tokens=1000)
    await world.use(900)
    near = await world.budgets.near(HERE, Payer.OPERATOR)
    assert [each.most for each in near] == [1000]
    world.budgets.not_told(near, HERE)
    assert await world.budgets.near(HERE, Payer.OPERATOR) == near
    await world.limit(server_daily_tokens=10_000)
    assert await world.budgets.near(HERE, Payer.OPERATOR) == []
    await world.use(8000)
    assert [each.most for each in await world.budgets.near(HERE, Payer.OPERATOR)] == [10_000]

"""The gate: whom it lets in, whom not and why, what it counts, and who hears of a refusal."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from adapters import registry
from adapters.contract import Endpoint
from bot.delivery.refused_sends import RefusedSends
from bot.gateway.admission.gate import Gate, OperatorRules, Refusal, Refused
from bot.gateway.admission.visits import Entrance, Place, Visit
from bot.localization import Translator
from bot.preferences import AdmissionPreferences, ConversationPreferences, LimitPreferences, Location, OperatorLimits
from bot.store import Database, Preferences, ProviderKeys, Scope, SecretBox, TurnJournal
from bot.store.usage import Ledger, UsageRow
from bot.turn.budgets import Budgets
from bot.turn.models import Models, OperatorModel

SERVER, CHANNEL, THREAD, OTHER = 1, 10, 11, 20
ADA, BO, ROBOT = 100, 101, 102
MEMBERS, EVERYONE = 201, SERVER

HERE = Location(CHANNEL, SERVER)
IN_THREAD = Location(THREAD, SERVER, CHANNEL)
DIRECT = Location(30)
NO_RULES = OperatorRules()


class Doors(msgspec.Struct, frozen=True):
    gate: Gate
    preferences: Preferences
    journal: TurnJournal
    refused_sends: RefusedSends
    ledger: Ledger

    async def choose(self, **admission: Any) -> None:
        await self.preferences.change(AdmissionPreferences, Scope.SERVER, SERVER, **admission)

    async def reasons(self, visits: Sequence[Visit], now: float = 0.0) -> list[Refusal | None]:
        refused = [await self.gate.refusal(visit, now) for visit in visits]
        return [found.reason if found else None for found in refused]


@asynccontextmanager
async def doors(folder: Path, rules: OperatorRules = NO_RULES) -> AsyncIterator[Doors]:
    async with Database(f"sqlite+aiosqlite:///{folder}/parley.db") as database:
        preferences, journal, sends = Preferences(database), TurnJournal(database), RefusedSends()
        operator = OperatorModel(registry.adapter("custom"), "m", (Endpoint("http://127.0.0.1:1/v1"),))
        models, ledger = Models(preferences, ProviderKeys(database, SecretBox()), operator), Ledger(database)
        gate = Gate(preferences, journal, Budgets(preferences, ledger, models), rules, sends)
        yield Doors(gate, preferences, journal, sends, ledger)


def visit(location: Location = HERE, user_id: int = ADA, **others: Any) -> Visit:
    facts: dict[str, Any] = {"entrance": Entrance.MESSAGE, "asks": True, **others}
    return Visit(location=location, user_id=user_id, **facts)


# -------------------------------------------------------------------------------------------------------- who, and where


@pytest.mark.parametrize(
    ("rules", "location", "user_id", "reason"),
    [
        (OperatorRules(), HERE, ADA, None),
        (OperatorRules(), DIRECT, ADA, None),
        (OperatorRules(server_ids=frozenset({SERVER})), HERE, ADA, None),
        (OperatorRules(server_ids=frozenset({2})), HERE, ADA, Refusal.SERVER_CLOSED),
        (OperatorRules(server_ids=frozenset({2})), DIRECT, ADA, None),
        (OperatorRules(blocked_user_ids=frozenset({ADA})), HERE, ADA, Refusal.BLOCKED),
        (OperatorRules(blocked_user_ids=frozenset({ADA})), DIRECT, ADA, Refusal.BLOCKED),
        (OperatorRules(blocked_user_ids=frozenset({ADA})), HERE, BO, None),
        (OperatorRules(direct_messages_from=frozenset()), DIRECT, ADA, Refusal.NO_DIRECT_MESSAGES),
        (OperatorRules(direct_messages_from=frozenset()), HERE, ADA, None),
        (OperatorRules(direct_messages_from=frozenset({BO})), DIRECT, ADA, Refusal.NO_DIRECT_MESSAGES),
        (OperatorRules(direct_messages_from=frozenset({BO})), DIRECT, BO, None),
    ],
)
@pytest.mark.parametrize("entrance", Entrance)
async def test_what_the_operator_lays_down_holds_at_every_entrance_and_for_everybody(
    tmp_path: Path,
    rules: OperatorRules,
    location: Location,
    user_id: int,
    reason: Refusal | None,
    entrance: Entrance,
) -> None:
    async with doors(tmp_path, rules) as here:
        for manages, asks in ((False, False), (True, False), (True, True)):
            come = visit(location, user_id, entrance=entrance, manages_server=manages, asks=asks)
            assert await here.reasons([come]) == [reason]


@pytest.mark.parametrize(
    ("chosen", "come", "reason"),
    [
        ({"blocked_user_ids": [ADA]}, visit(), Refusal.BLOCKED),
        ({"blocked_user_ids": [ADA]}, visit(manages_server=True), Refusal.BLOCKED),
        ({"blocked_user_ids": [ADA]}, visit(user_id=BO), None),
        ({"blocked_user_ids": [ADA]}, visit(DIRECT), None),
        ({"channel_ids": [CHANNEL]}, visit(), None),
        ({"channel_ids": [CHANNEL]}, visit(IN_THREAD), None),
        ({"channel_ids": [THREAD]}, visit(IN_THREAD), None),
        ({"channel_ids": [THREAD]}, visit(), Refusal.CHANNEL_CLOSED),
        ({"channel_ids": [OTHER]}, visit(), Refusal.CHANNEL_CLOSED),
        ({"channel_ids": [OTHER]}, visit(IN_THREAD), Refusal.CHANNEL_CLOSED),
        ({"channel_ids": [OTHER]}, visit(manages_server=True), None),
        ({"channel_ids": [OTHER]}, visit(DIRECT), None),
        ({"closed_channel_ids": [CHANNEL]}, visit(), Refusal.CHANNEL_CLOSED),
        ({"closed_channel_ids": [CHANNEL]}, visit(IN_THREAD), Refusal.CHANNEL_CLOSED),
        ({"closed_channel_ids": [THREAD]}, visit(), None),
        ({"closed_channel_ids": [CHANNEL], "channel_ids": [CHANNEL]}, visit(), Refusal.CHANNEL_CLOSED),
        ({"closed_channel_ids": [CHANNEL]}, visit(manages_server=True), None),
        ({"role_ids": [MEMBERS]}, visit(), Refusal.ROLE_MISSING),
        ({"role_ids": [MEMBERS]}, visit(role_ids=frozenset({EVERYONE})), Refusal.ROLE_MISSING),
        ({"role_ids": [MEMBERS]}, visit(role_ids=frozenset({EVERYONE, MEMBERS})), None),
        ({"role_ids": [MEMBERS]}, visit(manages_server=True), None),
        ({"role_ids": [MEMBERS]}, visit(DIRECT), None),
    ],
)
@pytest.mark.parametrize("entrance", Entrance)
async def test_what_a_server_chose_holds_at_every_entrance_there(
    tmp_path: Path, chosen: dict[str, Any], come: Visit, reason: Refusal | None, entrance: Entrance
) -> None:
    async with doors(tmp_path) as here:
        await here.choose(**chosen)
        for asks in (False, True):
            come = msgspec.structs.replace(come, entrance=entrance, asks=asks)
            assert await here.reasons([come]) == [reason]


# ------------------------------------------------------------------------------------------------------- what we may do


@pytest.mark.parametrize(
    ("place", "of_message", "of_command"),
    [
        (Place(), None, None),
        (Place(may_write=False), Refusal.CANNOT_SEND, Refusal.CANNOT_SEND),
        (Place(is_timed_out=True), Refusal.TIMED_OUT, Refusal.TIMED_OUT),
        # Where somebody brought the app along, a command is answered by Discord's leave and not by our permissions.
        (Place(is_known=False), Refusal.PLACE_UNKNOWN, None),
    ],
)
async def test_no_answer_is_begun_that_discord_would_not_take(
    tmp_path: Path, place: Place, of_message: Refusal | None, of_command: Refusal | None
) -> None:
    async with doors(tmp_path) as here:
        message, command = visit(place=place), visit(place=place, entrance=Entrance.COMMAND)
        assert await here.reasons([message, command]) == [of_message, of_command]
        free = [msgspec.structs.replace(come, asks=False) for come in (message, command)]
        assert await here.reasons(free) == [None, None]


async def test_a_channel_that_refused_a_message_is_skipped_until_it_takes_one(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        here.refused_sends.refused(CHANNEL, now=0.0)
        visits = [
            visit(),
            visit(entrance=Entrance.COMMAND),
            visit(manages_server=True),
            visit(IN_THREAD),
            visit(DIRECT),
        ]
        refused = Refusal.SENDS_REFUSED
        assert await here.reasons(visits, now=1.0) == [refused, refused, refused, None, None]
        unknown = visit(place=Place(is_known=False), entrance=Entrance.COMMAND)
        assert await here.reasons([unknown, visit(asks=False)], now=1.0) == [None, None]
        here.refused_sends.sent(CHANNEL)
        assert await here.reasons([visit()], now=1.0) == [None]


# ------------------------------------------------------------------------------------------------------ what is counted


async def test_between_two_questions_of_one_person_there_is_a_pause(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        await here.choose(cooldown_seconds=30)
        assert await here.gate.refusal(visit(), 0.0) is None
        assert await here.gate.refusal(visit(entrance=Entrance.COMMAND), 10.0) == Refused(Refusal.COOLDOWN, 20.0, True)
        assert await here.reasons([visit(user_id=BO), visit(DIRECT), visit(Location(90, 9))], 10.0) == [None] * 3
        assert await here.reasons([visit(IN_THREAD)], 29.0) == [Refusal.COOLDOWN]
        assert await here.reasons([visit()], 30.0) == [None]


async def test_what_asks_for_nothing_is_free_and_costs_nothing(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        await here.choose(cooldown_seconds=30, questions_per_hour=1)
        assert await here.reasons([visit(asks=False)] * 3 + [visit()] + [visit(asks=False)]) == [None] * 5


async def test_who_was_refused_has_not_asked(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        await here.choose(cooldown_seconds=30)
        assert await here.reasons([visit(place=Place(may_write=False)), visit(), visit()]) == [
            Refusal.CANNOT_SEND,
            None,
            Refusal.COOLDOWN,
        ]
        assert await here.reasons([visit()], 30.0) == [None]


@pytest.mark.parametrize(
    ("quota", "reason", "seconds"),
    [("questions_per_hour", Refusal.HOURLY_QUOTA, 3600.0), ("questions_per_day", Refusal.DAILY_QUOTA, 86_400.0)],
)
async def test_a_person_has_so_many_questions_in_a_time(
    tmp_path: Path, quota: str, reason: Refusal, seconds: float
) -> None:
    async with doors(tmp_path) as here:
        await here.choose(**{quota: 2})
        assert [await here.gate.refusal(visit(), now) for now in (0.0, 100.0)] == [None, None]
        assert await here.gate.refusal(visit(), 200.0) == Refused(reason, seconds - 200.0, is_told=True)
        assert await here.reasons([visit(user_id=BO), visit(DIRECT)], 200.0) == [None, None]
        assert await here.reasons([visit(), visit()], seconds) == [None, reason]


async def test_questions_from_before_a_restart_count(tmp_path: Path) -> None:
    async with doors(tmp_path) as before:
        await before.choose(questions_per_hour=2)
        for question in (1, 2):
            assert await before.journal.claim(f"t{question}", question, CHANNEL, SERVER, ADA)
    async with doors(tmp_path) as here:
        assert await here.gate.refusal(visit(), 0.0) == Refused(Refusal.HOURLY_QUOTA, None, is_told=True)
        assert await here.reasons([visit(user_id=BO)]) == [None]


async def test_a_question_that_was_admitted_and_then_recorded_counts_once(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        await here.choose(questions_per_hour=2)
        assert await here.reasons([visit()]) == [None]
        assert await here.journal.claim("t1", 1, CHANNEL, SERVER, ADA)
        assert await here.reasons([visit(), visit()]) == [None, Refusal.HOURLY_QUOTA]


@pytest.mark.parametrize(("limit", "admitted"), [({"questions_per_hour": 2}, 2), ({"cooldown_seconds": 30}, 1)])
async def test_questions_that_come_at_once_do_not_share_the_last_one_that_is_free(
    tmp_path: Path, limit: dict[str, int], admitted: int
) -> None:
    async with doors(tmp_path) as here:
        await here.choose(**limit)
        visits = [visit(Location(channel, SERVER)) for channel in range(10)]
        await here.reasons([msgspec.structs.replace(come, asks=False) for come in visits])  # what was chosen is read
        found = await asyncio.gather(*(here.gate.refusal(come, 0.0) for come in visits))
        assert sum(refused is None for refused in found) == admitted


async def test_who_manages_the_server_is_held_by_no_count(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        await here.choose(questions_per_hour=1, questions_per_day=1, cooldown_seconds=30)
        assert await here.reasons([visit(manages_server=True)] * 3) == [None] * 3


async def test_direct_messages_have_no_limits_of_a_server(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        await here.choose(blocked_user_ids=[ADA], questions_per_hour=1)
        assert await here.reasons([visit(DIRECT)] * 3) == [None] * 3


# ---------------------------------------------------------------------------------------------------------------- bots


async def allow_bots(here: Doors, turns: int) -> None:
    await here.preferences.change(ConversationPreferences, Scope.SERVER, SERVER, bots="mentions", bot_turns=turns)


async def test_bots_are_not_answered_unless_the_server_wants_it(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        robot = visit(user_id=ROBOT, is_bot=True)
        assert await here.gate.refusal(robot, 0.0) == Refused(Refusal.BOTS, None, is_told=False)
        await allow_bots(here, 1)
        assert await here.reasons([robot]) == [None]


async def test_bots_are_answered_so_often_in_a_row_and_again_when_a_person_spoke(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        await allow_bots(here, 2)
        robot, another = visit(user_id=ROBOT, is_bot=True), visit(user_id=ROBOT + 1, is_bot=True)
        elsewhere = visit(Location(OTHER, SERVER), ROBOT, is_bot=True)
        assert await here.reasons([robot, another, robot]) == [None, None, Refusal.BOTS]
        assert await here.reasons([elsewhere]) == [None]
        assert await here.reasons([visit(entrance=Entrance.COMMAND), robot, robot, robot]) == [
            None,
            None,
            None,
            Refusal.BOTS,
        ]
        here.gate.person_spoke(CHANNEL)  # to somebody else
        assert await here.reasons([robot]) == [None]


# --------------------------------------------------------------------------------------------------------- who hears it


@pytest.mark.parametrize(
    ("facts", "heard"),
    [
        ({}, [True, False, False]),
        ({"is_addressed": False}, [False, False, False]),
        ({"is_bot": True}, [False, False, False]),
        ({"entrance": Entrance.COMMAND}, [True, True, True]),
        ({"entrance": Entrance.BUTTON}, [True, True, True]),
        ({"entrance": Entrance.MODAL}, [True, True, True]),
        ({"entrance": Entrance.AUTOCOMPLETE}, [False, False, False]),
    ],
)
async def test_who_expects_an_answer_hears_why_there_is_none_but_not_again_and_again(
    tmp_path: Path, facts: dict[str, Any], heard: list[bool]
) -> None:
    async with doors(tmp_path, OperatorRules(blocked_user_ids=frozenset({ADA, BO}))) as here:
        refused = [await here.gate.refusal(visit(**facts), now) for now in (0.0, 1.0, 599.0)]
        assert [found and found.is_told for found in refused] == heard
        later = [await here.gate.refusal(come, 600.0) for come in (visit(**facts), visit(user_id=BO, **facts))]
        assert [found and found.is_told for found in later] == [heard[0]] * 2


async def test_another_reason_or_another_server_is_told_too(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        await here.choose(blocked_user_ids=[BO], closed_channel_ids=[OTHER], cooldown_seconds=60)
        abroad = Location(70, guild_id=2)
        await here.preferences.change(AdmissionPreferences, Scope.SERVER, 2, role_ids=[MEMBERS])
        comes = [
            visit(),
            visit(),
            visit(),
            visit(Location(OTHER, SERVER)),
            visit(abroad),
            visit(abroad),
            visit(user_id=BO),
        ]
        refused = [await here.gate.refusal(come, 1.0) for come in comes]
        assert [(found.reason, found.is_told) for found in refused if found] == [
            (Refusal.COOLDOWN, True),
            (Refusal.COOLDOWN, False),
            (Refusal.CHANNEL_CLOSED, True),
            (Refusal.ROLE_MISSING, True),
            (Refusal.ROLE_MISSING, False),
            (Refusal.BLOCKED, True),
        ]


@pytest.mark.parametrize("rules", [OperatorRules(), OperatorRules(blocked_user_ids=frozenset({ADA}))])
async def test_whatever_they_did_who_asks_for_what_is_kept_of_them_is_let_in(
    tmp_path: Path, rules: OperatorRules
) -> None:
    async with doors(tmp_path, rules) as here:
        await here.choose(blocked_user_ids=[ADA], closed_channel_ids=[CHANNEL], role_ids=[MEMBERS])
        doors_of_own = [Entrance.COMMAND, Entrance.BUTTON]
        assert await here.reasons([visit(entrance=e, asks=False, own_data=True) for e in doors_of_own]) == [None] * 2


@pytest.mark.parametrize("place", [Place(may_write=False), Place(is_timed_out=True), Place(is_known=False)])
@pytest.mark.parametrize("reason", [Refusal.BLOCKED, None])
async def test_where_we_may_not_write_a_message_gets_no_words(
    tmp_path: Path, place: Place, reason: Refusal | None
) -> None:
    async with doors(tmp_path) as here:
        await here.choose(blocked_user_ids=[ADA] if reason else [])
        refused = await here.gate.refusal(visit(place=place), 0.0)
        assert refused is not None
        assert not refused.is_told


async def test_the_log_has_the_reason_once_an_hour_for_a_channel(tmp_path: Path) -> None:
    async with doors(tmp_path) as here:
        closed = Place(may_write=False)
        with capture_logs() as logs:
            for now in (0.0, 1.0, 3599.0, 3600.0):
                await here.gate.refusal(visit(place=closed), now)
            await here.gate.refusal(visit(IN_THREAD, place=closed), 3600.0)
        assert [(entry["event"], entry["why"], entry["channel"]) for entry in logs] == [
            ("refused", "cannot_send", CHANNEL),
            ("refused", "cannot_send", CHANNEL),
            ("refused", "cannot_send", THREAD),
        ]


@pytest.mark.parametrize("locale", ["en-US", "de"])
@pytest.mark.parametrize("reason", Refusal)
def test_every_reason_has_words(reason: Refusal, locale: str) -> None:
    words = Translator().say(locale)
    alone, with_time = Refused(reason).text(words), Refused(reason, retry_after=90.0).text(words)
    assert alone.endswith(".")
    assert re.fullmatch(re.escape(alone) + r" [^<]+ <t:\d+:R>", with_time)


# --------------------------------------------------------------------------------------------------------------- budgets


def used(tokens: int, channel_id: int = CHANNEL, user_id: int = ADA, guild_id: int = SERVER) -> UsageRow:
    today = datetime.now(UTC).date()
    return UsageRow(today, guild_id, channel_id, user_id, "custom", "m", "operator", "", "answer", 1, tokens)


@pytest.mark.parametrize(
    ("topic", "limit", "why"),
    [
        (LimitPreferences, {"person_daily_tokens": 100}, Refusal.BUDGET_PERSON),
        (LimitPreferences, {"channel_daily_tokens": 100}, Refusal.BUDGET_CHANNEL),
        (LimitPreferences, {"server_monthly_tokens": 100}, Refusal.BUDGET_SERVER),
        (OperatorLimits, {"free_person_daily_tokens": 100}, Refusal.BUDGET_OPERATOR),
        (OperatorLimits, {"free_server_daily_tokens": 100}, Refusal.BUDGET_OPERATOR),
    ],
)
async def test_what_is_used_up_holds_whoever_asks_with_when_it_ends(
    tmp_path: Path, topic: type[Any], limit: dict[str, Any], why: Refusal
) -> None:
    async with doors(tmp_path) as at:
        scope = Scope.SERVER if topic is LimitPreferences else Scope.GLOBAL
        await at.preferences.change(topic, scope, SERVER if scope is Scope.SERVER else 0, **limit)
        await at.ledger.add([used(100)])
        refused = await at.gate.refusal(visit(manages_server=True), 0.0)
        assert refused is not None
        assert refused.reason is why
        assert refused.retry_after is not None
        assert 0 < refused.retry_after <= 31 * 86_400
        assert await at.reasons([visit(asks=False)]) == [None], "looking is for free"
        other = visit(Location(OTHER, 2), BO)
        assert await at.reasons([other]) == [None]


async def test_of_questions_at_once_not_all_find_the_last_of_a_limit_free(tmp_path: Path) -> None:
    """1,000 are left, and an answer usually takes 400."""
    async with doors(tmp_path) as at:
        await at.preferences.change(LimitPreferences, Scope.SERVER, SERVER, server_daily_tokens=5000)
        await at.ledger.add([used(400, user_id=BO) for _ in range(10)])
        refused = await asyncio.gather(*(at.gate.refusal(visit(user_id=number), 0.0) for number in range(9)))
        reasons = [found.reason if found else None for found in refused]
        assert (reasons.count(None), reasons.count(Refusal.BUDGET_SERVER)) == (3, 6)


async def test_where_only_answers_under_way_fill_a_month_nobody_is_told_to_wait_for_its_end(tmp_path: Path) -> None:
    async with doors(tmp_path) as at:
        await at.preferences.change(LimitPreferences, Scope.SERVER, SERVER, server_monthly_tokens=2000)
        assert await at.gate.refusal(visit(), 0.0) is None
        refused = await at.gate.refusal(visit(user_id=BO), 0.0)
        assert refused is not None
        assert (refused.reason, refused.retry_after) == (Refusal.BUDGET_SERVER, None)

"""What was chosen: kept over restarts, the nearest choice counts, and none can stop an answer."""

import asyncio
from typing import Any

import msgspec
import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from bot.preferences import (
    DEFAULTS,
    Answering,
    ConversationPreferences,
    DeliveryPreferences,
    Location,
    Style,
    Tables,
    ThoughtLog,
)
from bot.store import Database, Deed, NotUndone, Preferences, Scope
from bot.store.models import Preference
from bot.store.preferences import MOST_CHANGES

SERVER = Location(70, guild_id=7)


async def stored(database: Database) -> dict[tuple[str, int, str], Any]:
    async with database.session() as session:
        rows = await session.scalars(select(Preference))
        return {(row.scope, row.scope_id, row.topic): msgspec.json.decode(row.chosen) for row in rows}


async def store(database: Database, delivery: str) -> None:
    async with database.session.begin() as session:
        session.add(Preference(scope="server", scope_id=7, topic="delivery", chosen=delivery))


async def change_delivery(preferences: Preferences, **changes: Any) -> None:
    await preferences.change(DeliveryPreferences, Scope.SERVER, 7, **changes)


async def test_who_chose_nothing_has_the_defaults(database: Database) -> None:
    preferences = Preferences(database)
    assert await preferences.delivery(SERVER) == await preferences.delivery(Location(1)) == DEFAULTS
    assert await preferences.chosen(DeliveryPreferences, Scope.SERVER, 7) == {}


async def test_what_was_chosen_outlives_the_process_and_concerns_one_server(database: Database) -> None:
    await change_delivery(Preferences(database), style=Style.EMBED, longest_code=0, thought_channel_id=1 << 62)
    later = Preferences(database)
    assert await later.delivery(SERVER) == DeliveryPreferences(
        style=Style.EMBED, longest_code=0, thought_channel_id=1 << 62
    )
    assert await later.delivery(Location(70, guild_id=8)) == DEFAULTS


async def test_only_what_was_chosen_is_stored(database: Database) -> None:
    """So that a default that becomes a better one reaches all who never chose."""
    preferences = Preferences(database)
    await change_delivery(preferences, tables=Tables.PICTURE, maths=True)
    assert await stored(database) == {("server", 7, "delivery"): {"tables": "picture", "maths": True}}
    await change_delivery(preferences, tables=None, maths=None)
    assert await stored(database) == {}
    assert await preferences.delivery(SERVER) == DEFAULTS


async def test_the_nearest_choice_counts(database: Database) -> None:
    preferences = Preferences(database)
    choose = preferences.change
    await choose(ConversationPreferences, Scope.SERVER, 7, answering=Answering.NEVER, persona="Ann", messages=5)
    await choose(ConversationPreferences, Scope.CHANNEL, 70, answering=Answering.ALWAYS, persona="")
    await choose(ConversationPreferences, Scope.CHANNEL, 71, messages=9)
    told = {
        location: await preferences.conversation(location)
        for location in (SERVER, Location(71, 7, parent_id=70), Location(72, 7), Location(70))
    }
    assert [(chosen.answering.value, chosen.persona, chosen.messages) for chosen in told.values()] == [
        ("always", "", 5),  # an empty choice is one, too
        ("always", "", 9),  # a thread has what its channel has, but for what was chosen for it
        ("never", "Ann", 5),
        ("always", "", ConversationPreferences().messages),
    ]


async def test_a_change_is_seen_at_once_and_leaves_the_rest_alone(database: Database) -> None:
    preferences = Preferences(database)
    assert await preferences.delivery(SERVER) == DEFAULTS
    await change_delivery(preferences, buttons=False)
    await change_delivery(preferences, thoughts="spoiler")
    await preferences.change(ConversationPreferences, Scope.SERVER, 7, persona="Ann")
    assert await preferences.delivery(SERVER) == DeliveryPreferences(buttons=False, thoughts=ThoughtLog.SPOILER)


async def test_a_change_of_what_was_not_read_yet_hides_nothing_of_other_topics(database: Database) -> None:
    await change_delivery(Preferences(database), buttons=False)
    later = Preferences(database)
    await later.change(ConversationPreferences, Scope.SERVER, 7, persona="Ann")
    assert await later.delivery(SERVER) == DeliveryPreferences(buttons=False)


async def test_what_is_forgotten_is_as_by_default(database: Database) -> None:
    preferences = Preferences(database)
    await change_delivery(preferences, buttons=False)
    await preferences.change(ConversationPreferences, Scope.SERVER, 7, persona="Ann")
    await preferences.change(ConversationPreferences, Scope.CHANNEL, 7, persona="Bo")
    await preferences.forget(Scope.SERVER, 7)
    assert await preferences.delivery(SERVER) == DEFAULTS
    assert list(await stored(database)) == [("channel", 7, "conversation")]


async def test_what_is_read_while_it_is_forgotten_does_not_come_back(database: Database) -> None:
    for turns in range(40):
        await change_delivery(Preferences(database), buttons=False)
        preferences = Preferences(database)
        reading = asyncio.create_task(preferences.delivery(SERVER))
        for _ in range(turns):
            await asyncio.sleep(0)  # let it come as far
        await preferences.forget(Scope.SERVER, 7)
        await reading
        assert await preferences.delivery(SERVER) == DEFAULTS


async def test_changes_that_come_at_once_do_not_undo_each_other(database: Database, database_url: str) -> None:
    await change_delivery(Preferences(database), style="embed")
    changes: list[dict[str, Any]] = [{"maths": False}, {"buttons": False}, {"footer": "off"}, {"tables": "bullets"}]
    async with Database(database_url) as other:
        homes = [Preferences(database), Preferences(other)]
        await asyncio.gather(*(change_delivery(homes[n % 2], **change) for n, change in enumerate(changes)))
    wanted = {"style": "embed", **changes[0], **changes[1], **changes[2], **changes[3]}
    assert (await stored(database))["server", 7, "delivery"] == wanted


@pytest.mark.parametrize(
    ("change", "refused"),
    [
        ({"style": "baroque"}, msgspec.ValidationError),
        ({"longest_code": "long"}, msgspec.ValidationError),
        ({"maths": 1}, msgspec.ValidationError),
        ({"colour": "red"}, TypeError),
    ],
)
async def test_a_change_that_does_not_fit_is_refused_and_changes_nothing(
    database: Database, change: dict[str, Any], refused: type[Exception]
) -> None:
    preferences = Preferences(database)
    with pytest.raises(refused):
        await change_delivery(preferences, buttons=False, **change)
    assert await preferences.delivery(SERVER) == await Preferences(database).delivery(SERVER) == DEFAULTS


@pytest.mark.parametrize(
    ("delivery", "wanted"),
    [
        ('{"style":"embed","colour":"red"}', DeliveryPreferences(style=Style.EMBED)),
        ('{"style":"baroque","maths":false}', DeliveryPreferences(maths=False)),
        ('{"longest_code":true,"thought_channel_id":"9","buttons":null}', DEFAULTS),
        ('{"style":', DEFAULTS),
        ("[]", DEFAULTS),
        ("", DEFAULTS),
    ],
)
async def test_a_stored_value_that_does_not_fit_is_as_by_default_and_told_once(
    database: Database, delivery: str, wanted: DeliveryPreferences
) -> None:
    await store(database, delivery)
    preferences = Preferences(database)
    with capture_logs() as logs:
        assert await preferences.delivery(SERVER) == await preferences.delivery(SERVER) == wanted
    assert [entry["event"] for entry in logs] == ["preferences_ignored"]
    await change_delivery(preferences, live_mark=False)
    assert await preferences.delivery(SERVER) == msgspec.structs.replace(wanted, live_mark=False)


async def test_the_last_deed_can_be_taken_back_and_then_the_one_before(database: Database) -> None:
    preferences = Preferences(database)
    for deed, changes in ((1, {"tables": "bullets"}), (2, {"tables": "picture", "maths": False}), (3, {"maths": True})):
        await preferences.change(DeliveryPreferences, Scope.SERVER, 7, Deed(deed, 7), **changes)
    states = [{"tables": Tables.PICTURE, "maths": False}, {"tables": Tables.BULLETS}, {}]
    for state in states:
        await preferences.undo(Deed(9, 7), Scope.SERVER, 7)
        assert await preferences.chosen(DeliveryPreferences, Scope.SERVER, 7) == state
        assert await Preferences(database).chosen(DeliveryPreferences, Scope.SERVER, 7) == state
    with pytest.raises(NotUndone, match="nothing"):
        await preferences.undo(Deed(9, 7), Scope.SERVER, 7)


async def test_the_history_tells_who_changed_what_and_keeps_a_bounded_number(database: Database) -> None:
    preferences = Preferences(database)
    await preferences.change(DeliveryPreferences, Scope.SERVER, 7, Deed(5, 7), longest_code=1, maths=True)
    await preferences.change(DeliveryPreferences, Scope.SERVER, 7, Deed(6, 7), longest_code=2, maths=True)
    told = [(row.changed_by, row.name, row.old, row.new) for row in await preferences.history(Scope.SERVER, 7, 10)]
    assert told == [(6, "longest_code", "1", "2"), (5, "maths", None, "true"), (5, "longest_code", None, "1")]
    assert await preferences.history(Scope.CHANNEL, 7, 10) == []
    for number in range(MOST_CHANGES + 5):
        await preferences.change(DeliveryPreferences, Scope.SERVER, 7, longest_code=number + 10)
    assert len(await preferences.history(Scope.SERVER, 7, 1000)) == MOST_CHANGES


async def test_the_operator_and_people_choose_too_and_the_nearest_counts(database: Database) -> None:
    preferences = Preferences(database)
    here = Location(70, guild_id=7, person_id=5)
    for scope, scope_id, tables in (
        (Scope.GLOBAL, 0, "bullets"),
        (Scope.SERVER, 7, "picture"),
        (Scope.CHANNEL, 70, "code"),
        (Scope.PERSON, 5, "as_written"),
    ):
        await preferences.change(DeliveryPreferences, scope, scope_id, tables=tables)
        assert (await preferences.delivery(here)).tables == tables
    assert (await preferences.delivery(Location(71, guild_id=8))).tables == "bullets"
    assert (await preferences.delivery(Location(70, guild_id=7, person_id=6))).tables == "code"


async def test_what_cannot_be_chosen_at_a_scope_is_refused_and_does_not_count(database: Database) -> None:
    preferences = Preferences(database)
    for topic, scope, changes in (
        (DeliveryPreferences, Scope.PERSON, {"mention_users": True}),
        (ConversationPreferences, Scope.CHANNEL, {"server_prompt": "x"}),
        (DeliveryPreferences, Scope.SERVER, {"longest_code": 100_001}),
        (ConversationPreferences, Scope.SERVER, {"trigger_words": [""]}),
    ):
        with pytest.raises(msgspec.ValidationError):
            await preferences.change(topic, scope, 7, **changes)
    async with database.session.begin() as session:
        session.add(Preference(scope="person", scope_id=5, topic="delivery", chosen='{"mention_users": true}'))
    assert not (await preferences.delivery(Location(70, person_id=5))).mention_users


async def test_several_places_change_as_one_deed_or_not_at_all(database: Database) -> None:
    preferences = Preferences(database)
    await preferences.change_all(
        [
            (DeliveryPreferences, Scope.SERVER, 7, {"maths": False}),
            (ConversationPreferences, Scope.CHANNEL, 70, {"note": "x"}),
        ],
        Deed(1, 7),
    )
    rows = [*await preferences.history(Scope.SERVER, 7, 9), *await preferences.history(Scope.CHANNEL, 70, 9)]
    assert [row.name for row in rows] == ["maths", "note"]
    assert len({row.deed_id for row in rows}) == 1
    with pytest.raises(msgspec.ValidationError):
        await preferences.change_all(
            [
                (DeliveryPreferences, Scope.SERVER, 7, {"maths": True}),
                (ConversationPreferences, Scope.CHANNEL, 70, {"note": "x" * 1001}),
            ]
        )
    assert not (await preferences.delivery(SERVER)).maths

"""What was chosen: kept over restarts, the nearest choice counts, and none can stop an answer."""

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import msgspec
import pytest
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
from bot.store import Database, Preferences, Scope

SERVER = Location(70, guild_id=7)


def stored(folder: Path) -> dict[tuple[str, int, str], Any]:
    with sqlite3.connect(folder / "parley.db") as rows:
        found = rows.execute("SELECT scope, scope_id, topic, chosen FROM preferences")
        return {(scope, scope_id, topic): msgspec.json.decode(chosen) for scope, scope_id, topic, chosen in found}


def store(folder: Path, delivery: str) -> None:
    with sqlite3.connect(folder / "parley.db") as rows:
        rows.execute("INSERT INTO preferences VALUES ('server', 7, 'delivery', ?)", (delivery,))


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


async def test_only_what_was_chosen_is_stored(database: Database, tmp_path: Path) -> None:
    """So that a default that becomes a better one reaches all who never chose."""
    preferences = Preferences(database)
    await change_delivery(preferences, tables=Tables.PICTURE, maths=True)
    assert stored(tmp_path) == {("server", 7, "delivery"): {"tables": "picture", "maths": True}}
    await change_delivery(preferences, tables=None, maths=None)
    assert stored(tmp_path) == {}
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


async def test_what_is_forgotten_is_as_by_default(database: Database, tmp_path: Path) -> None:
    preferences = Preferences(database)
    await change_delivery(preferences, buttons=False)
    await preferences.change(ConversationPreferences, Scope.SERVER, 7, persona="Ann")
    await preferences.change(ConversationPreferences, Scope.CHANNEL, 7, persona="Bo")
    await preferences.forget(Scope.SERVER, 7)
    assert await preferences.delivery(SERVER) == DEFAULTS
    assert list(stored(tmp_path)) == [("channel", 7, "conversation")]


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


async def test_changes_that_come_at_once_do_not_undo_each_other(database: Database, tmp_path: Path) -> None:
    await change_delivery(Preferences(database), style="embed")
    changes: list[dict[str, Any]] = [{"maths": False}, {"buttons": False}, {"footer": "off"}, {"tables": "bullets"}]
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as other:
        homes = [Preferences(database), Preferences(other)]
        await asyncio.gather(*(change_delivery(homes[n % 2], **change) for n, change in enumerate(changes)))
    wanted = {"style": "embed", **changes[0], **changes[1], **changes[2], **changes[3]}
    assert stored(tmp_path)["server", 7, "delivery"] == wanted


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
    database: Database, tmp_path: Path, delivery: str, wanted: DeliveryPreferences
) -> None:
    store(tmp_path, delivery)
    preferences = Preferences(database)
    with capture_logs() as logs:
        assert await preferences.delivery(SERVER) == await preferences.delivery(SERVER) == wanted
    assert [entry["event"] for entry in logs] == ["preferences_ignored"]
    await change_delivery(preferences, live_mark=False)
    assert await preferences.delivery(SERVER) == msgspec.structs.replace(wanted, live_mark=False)

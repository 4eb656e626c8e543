"""What servers chose: kept over restarts, and never able to stop an answer."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from structlog.testing import capture_logs

from bot.preferences import DEFAULTS, DeliveryPreferences, Style, Tables, ThoughtLog
from bot.store import Database, Preferences


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as opened:
        yield opened


def stored(folder: Path) -> dict[int, str]:
    with sqlite3.connect(folder / "parley.db") as rows:
        return dict(rows.execute("SELECT guild_id, delivery FROM server_preferences"))


def store(folder: Path, delivery: str) -> None:
    with sqlite3.connect(folder / "parley.db") as rows:
        rows.execute("INSERT INTO server_preferences VALUES (7, ?)", (delivery,))


async def test_a_server_that_chose_nothing_and_direct_messages_have_the_defaults(database: Database) -> None:
    preferences = Preferences(database)
    assert await preferences.delivery(7) == await preferences.delivery(None) == DEFAULTS


async def test_what_was_chosen_outlives_the_process_and_concerns_one_server(database: Database) -> None:
    changed = await Preferences(database).change_delivery(
        7, style=Style.EMBED, longest_code=0, thought_channel_id=1 << 62
    )
    assert changed == DeliveryPreferences(style=Style.EMBED, longest_code=0, thought_channel_id=1 << 62)
    later = Preferences(database)
    assert await later.delivery(7) == changed
    assert await later.delivery(8) == DEFAULTS


async def test_only_what_differs_from_the_defaults_is_stored(database: Database, tmp_path: Path) -> None:
    """So that a default that becomes a better one reaches all who never chose."""
    preferences = Preferences(database)
    await preferences.change_delivery(7, tables=Tables.PICTURE, maths=True)
    assert stored(tmp_path) == {7: '{"tables":"picture"}'}
    assert await preferences.change_delivery(7, tables=DEFAULTS.tables) == DEFAULTS
    assert stored(tmp_path) == {7: "{}"}


async def test_a_change_is_seen_at_once_and_leaves_the_rest_alone(database: Database) -> None:
    preferences = Preferences(database)
    assert await preferences.delivery(7) == DEFAULTS
    await preferences.change_delivery(7, buttons=False)
    await preferences.change_delivery(7, thoughts="spoiler")
    assert await preferences.delivery(7) == DeliveryPreferences(buttons=False, thoughts=ThoughtLog.SPOILER)


async def test_changes_that_come_at_once_do_not_undo_each_other(database: Database, tmp_path: Path) -> None:
    await Preferences(database).change_delivery(7, style="embed")
    changes: list[dict[str, Any]] = [{"maths": False}, {"buttons": False}, {"footer": "off"}, {"tables": "bullets"}]
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as other:
        homes = [Preferences(database), Preferences(other)]
        await asyncio.gather(*(homes[n % 2].change_delivery(7, **change) for n, change in enumerate(changes)))
    wanted = {"style": "embed", **changes[0], **changes[1], **changes[2], **changes[3]}
    assert msgspec.json.decode(stored(tmp_path)[7]) == wanted


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
        await preferences.change_delivery(7, buttons=False, **change)
    assert await preferences.delivery(7) == await Preferences(database).delivery(7) == DEFAULTS


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
        assert await preferences.delivery(7) == await preferences.delivery(7) == wanted
    assert [entry["event"] for entry in logs] == ["preferences_ignored"]
    assert await preferences.change_delivery(7, live_mark=False) == msgspec.structs.replace(wanted, live_mark=False)

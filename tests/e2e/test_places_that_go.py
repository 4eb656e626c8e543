"""A channel that is deleted, and a server that we leave, take along what is kept of what was said there."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from bot.playground.scripted_provider import spoken
from tests.e2e.house import House, open_house


def kept(folder: Path) -> list[str]:
    with sqlite3.connect(folder / "parley.db") as rows:
        return [text for (text,) in rows.execute("SELECT text FROM answer_versions ORDER BY text")]


async def answered_in_two_channels(house: House) -> None:
    random = house.standin.channel("random")
    house.scripts = {"first": spoken("In general."), "second": spoken("In random.")}
    await house.ask("first")
    await house.ask("second", in_channel=random)
    await house.answered()
    await house.answered(1, random)
    await house.app.idle()
    await house.choose(random, persona="Miso")


async def test_a_deleted_channel_takes_along_what_was_said_and_chosen_there(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await answered_in_two_channels(house)
        assert kept(tmp_path) == ["In general.", "In random."]
        random = house.standin.channel("random")
        house.standin.delete_channel(random)
        await house.ask("first")  # what came before it is done when this is answered
        await house.answered(2)
        await house.app.idle()
        assert kept(tmp_path) == ["In general."] * 2
        with sqlite3.connect(tmp_path / "parley.db") as rows:
            assert rows.execute("SELECT * FROM preferences WHERE scope_id = ?", (int(random.id),)).fetchall() == []


async def test_of_a_server_that_lets_us_go_nothing_that_was_said_is_kept(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await answered_in_two_channels(house)
        house.standin.remove_bot(house.standin.world.guilds[str(house.general.guild_id)])
        direct = house.standin.dm(house.ada)
        await house.standin.say(house.ada, direct, "first")  # what came before it is done when this is answered
        await house.answered(1, direct)
        await house.app.idle()
        assert kept(tmp_path) == ["In general."], "of the direct message"
        with sqlite3.connect(tmp_path / "parley.db") as rows:
            assert rows.execute("SELECT scope FROM preferences ORDER BY scope").fetchall() == [
                ("channel",),
                ("server",),
            ]

"""`/status`: whether the bot is well here, and for who runs it how it is altogether."""

from pathlib import Path

import msgspec

from bot.playground.standin import Channel, User
from tests.e2e.house import House, open_house
from tests.e2e.test_memory import shown, text_of


async def told(house: House, by: User, channel: Channel | None = None, title: str = "How I am") -> str:
    await house.standin.slash(by, channel or house.general, "status")
    return text_of(await shown(house, by, title, channel))


async def test_everybody_hears_whether_it_is_well_here(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        text = await told(house, house.bo)
        assert "A model of custom answers." in text
        assert "Answers being written: 0; waiting: 0." in text
        assert "I lack the permission “manage webhooks”: Personas speak under my name." in text
        assert text.count("I lack") == 1
        assert "Versions" not in text
        assert "127.0.0.1" not in text


async def test_who_runs_it_reads_how_it_is_altogether(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        application = house.app.client.application
        assert application is not None
        owner = house.standin.world.users[str(application.owner.id)]
        text = await told(house, owner, house.standin.dm(owner))
        assert "The database answers in" in text
        assert "The provider can be reached." in text
        assert "discord.py 2." in text


async def test_it_speaks_its_readers_language_in_a_direct_message(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.world.users[house.bo.id] = msgspec.structs.replace(house.bo, locale="de")
        text = await told(house, house.bo, house.standin.dm(house.bo), "Wie es mir geht")
        assert "Ein Modell von custom antwortet." in text

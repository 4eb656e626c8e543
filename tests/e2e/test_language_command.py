"""`/language`: what somebody chose goes before what Discord says, in commands, answers, errors and refusals."""

from pathlib import Path

import msgspec

from bot.playground.scripted_provider import Refuse, spoken
from bot.playground.standin import User
from bot.preferences import AdmissionPreferences
from bot.store import Scope
from tests.e2e.house import House, open_house, running_bot
from tests.e2e.test_personas import client_of, server_of, tell


def speaks(house: House, person: User, locale: str) -> None:
    """Their Discord does."""
    house.standin.world.users[person.id] = msgspec.structs.replace(person, locale=locale)


async def error_told(house: House, by: User) -> str:
    count = len(house.answers())
    # Another one each time: what is told again is told in one line.
    house.script = [Refuse((500, 401, 402, 403, 404, 413)[count], "")]
    await house.ask("Is it?", by=by)
    await house.standin.wait_for(lambda _: len(house.answers()) > count and house.answers()[-1]["embeds"])
    await house.app.idle()
    title: str = house.answers()[-1]["embeds"][0]["title"]
    return title


async def test_a_persons_choice_goes_before_their_discords_language_and_outlives_a_restart(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            assert await tell(house, "language", house.bo) == "I speak to you in **English (United States)** here."
            assert await tell(house, "language", house.bo, language="de") == "Mit dir spreche ich hier **Deutsch**."
        async with running_bot(house, tmp_path):
            assert await tell(house, "stop", house.bo) == "Hier läuft nichts, was sich anhalten ließe."
            assert await tell(house, "stop", house.ada) == "Nothing is running here that could be stopped."
            assert "English" in await tell(house, "language", house.bo, language="discord")


async def test_who_asks_is_answered_in_their_language_and_others_in_the_servers(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        assert await error_told(house, house.bo) == "Something went wrong"
        await tell(house, "language", house.bo, language="de")
        assert await error_told(house, house.bo) == "Das hat nicht geklappt"
        assert await error_told(house, house.ada) == "Something went wrong"
        await tell(house, "language", house.ada, language="de", where="server")
        assert await error_told(house, house.ada) == "Das hat nicht geklappt"
        await tell(house, "language", house.ada, language="en-US", where="here")
        assert await error_told(house, house.ada) == "Something went wrong"
        assert await error_told(house, house.bo) == "Das hat nicht geklappt", "their own choice is the nearest"


async def test_the_language_of_their_discord_goes_before_the_servers_choice_where_only_they_read(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house:
        await tell(house, "language", house.ada, language="de", where="server")
        assert await tell(house, "stop", house.bo) == "Nothing is running here that could be stopped."
        speaks(house, house.bo, "nl")  # there is none of it
        assert await tell(house, "stop", house.bo) == "Hier läuft nichts, was sich anhalten ließe."


async def test_refusals_are_told_in_the_language_of_who_is_refused(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await tell(house, "language", house.bo, language="de")
        change = client_of(house).preferences.change
        await change(AdmissionPreferences, Scope.SERVER, server_of(house), blocked_user_ids=[int(house.bo.id)])
        house.script = spoken("No.")
        await house.ask("Is it?", by=house.bo)
        await house.standin.wait_for(lambda _: any("Du bist hier" in text for text in house.texts()))


async def test_a_member_chooses_for_themselves_only(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        told = await tell(house, "language", house.bo, language="de", where="server")
        assert told == "Only people who may manage this server can change that."

"""`/help` names every command that its reader may use there, and no other, in their language."""

import re
from pathlib import Path

import discord
import msgspec
from discord import app_commands

from bot.commands.tree import all_commands
from bot.localization import Translator
from bot.playground.standin import Channel, User
from tests.e2e.house import House, open_house
from tests.e2e.test_memory import shown, text_of

COMMANDS = [each for each in all_commands(Translator()) if not isinstance(each, app_commands.ContextMenu)]
MANAGERS = {each.name for each in COMMANDS if each.default_permissions is not None}


async def told(house: House, by: User, channel: Channel | None = None, title: str = "Talking with Parley") -> str:
    await house.standin.slash(by, channel or house.general, "help")
    return text_of(await shown(house, by, title, channel))


def named(text: str) -> set[str]:
    return {linked or plain for linked, plain in re.findall(r"</([^:]+):\d+>|`/([^`]+)`", text)}


async def test_who_manages_the_server_reads_of_all_commands_and_others_only_of_theirs(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        assert named(await told(house, house.ada)) == {each.name for each in COMMANDS}
        assert named(await told(house, house.bo)) == {each.name for each in COMMANDS} - MANAGERS
        assert MANAGERS


async def test_in_a_direct_message_it_names_what_works_there(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        names = named(await told(house, house.bo, house.standin.dm(house.bo)))
        assert {"ask", "help", "privacy"} <= names
        assert not names & {each.name for each in COMMANDS if each.guild_only}


async def test_it_speaks_the_language_of_its_reader_and_links_commands(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.world.users[house.bo.id] = msgspec.structs.replace(house.bo, locale="de")
        text = await told(house, house.bo, title="Mit Parley sprechen")
        assert "Meine letzte Frage hier neu beantworten" in text
        assert re.search(r"</retry:\d+>", text), "Discord shows the name in the reader's language"


async def test_it_fits_an_embed_in_every_language(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for locale in Translator().locales:
            house.standin.world.users[house.ada.id] = msgspec.structs.replace(house.ada, locale=locale)
            title = Translator().text(locale, "help-title")
            assert len(await told(house, house.ada, title=title)) <= 6000


def test_what_administers_is_for_those_who_administer() -> None:
    may = (None, discord.Permissions(manage_guild=True), discord.Permissions(manage_channels=True))
    assert [each.name for each in COMMANDS if each.default_permissions not in may] == []

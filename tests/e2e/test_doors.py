"""The doors of interactions (bot.gateway.interactions), on commands that only this test has."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import discord
import pytest
from discord import app_commands

from bot.gateway.client import ParleyClient
from bot.gateway.interactions import GatedModal, admitted, for_admitted, whisper
from bot.playground.scripted_provider import spoken
from bot.playground.standin import User
from bot.preferences import AdmissionPreferences
from bot.store import Scope
from tests.e2e.house import House, open_house


class Form(GatedModal):
    word = discord.ui.TextInput[Any](label="Word", custom_id="word", required=False)

    async def on_submit(self, interaction: discord.Interaction[Any], /) -> None:
        if self.word.value == "broken":
            raise RuntimeError("broken")
        await whisper(interaction, f"submitted {self.word.value}")


@app_commands.command(description="x")
async def hidden(interaction: discord.Interaction[Any]) -> None:
    if await admitted(interaction):
        await whisper(interaction, "done")


@app_commands.command(description="x")
async def public(interaction: discord.Interaction[Any]) -> None:
    if await admitted(interaction, asks=True, thinking=True):
        await interaction.followup.send("done for all")


@app_commands.command(description="x")
async def form(interaction: discord.Interaction[Any]) -> None:
    if await admitted(interaction, opens_modal=True):
        await interaction.response.send_modal(Form("Form"))


@app_commands.command(description="x")
async def choose(interaction: discord.Interaction[Any], word: str) -> None:
    await admitted(interaction)


@choose.autocomplete("word")
@for_admitted
async def suggest(_interaction: discord.Interaction[Any], current: str) -> list[app_commands.Choice[str]]:
    return [app_commands.Choice(name=current + "!", value=current)]


@asynccontextmanager
async def house_with_doors(folder: Path) -> AsyncIterator[House]:
    async with open_house(folder) as house:
        tree = house.app.client._connection._command_tree
        assert tree is not None
        tree.add_command(hidden)
        tree.add_command(public)
        tree.add_command(form)
        tree.add_command(choose)
        await tree.sync()
        yield house


async def choose_for_server(house: House, **admission: Any) -> None:
    client = house.app.client
    assert isinstance(client, ParleyClient)
    await client.preferences.change(AdmissionPreferences, Scope.SERVER, client.guilds[0].id, **admission)


async def block(house: House, person: User) -> None:
    await choose_for_server(house, blocked_user_ids=[int(person.id)])


@pytest.mark.parametrize("name", ["hidden", "public", "form"])
async def test_who_is_refused_hears_why_and_nobody_else_does(tmp_path: Path, name: str) -> None:
    async with house_with_doors(tmp_path) as house:
        await block(house, house.bo)
        await house.standin.slash(house.bo, house.general, name)
        await house.whispered(house.bo, "You are blocked here")
        await house.standin.wait_for(lambda standin: standin.in_flight == 0)
        assert house.answers() == []


async def test_who_is_admitted_gets_what_the_command_gives(tmp_path: Path) -> None:
    async with house_with_doors(tmp_path) as house:
        await house.standin.slash(house.bo, house.general, "hidden")
        await house.whispered(house.bo, "done")
        await house.standin.slash(house.bo, house.general, "public")
        await house.standin.wait_for(lambda _: house.texts() == ["done for all"])


async def test_a_command_that_asks_is_counted_and_says_when_the_next_is_due(tmp_path: Path) -> None:
    async with house_with_doors(tmp_path) as house:
        await choose_for_server(house, questions_per_hour=1)
        for _ in range(2):
            await (await house.standin.slash(house.bo, house.general, "hidden")).answered()
        await house.standin.slash(house.bo, house.general, "public")
        await house.standin.wait_for(lambda _: house.texts() == ["done for all"])
        await house.standin.slash(house.bo, house.general, "public")
        await house.whispered(house.bo, "as much as you may in an hour")
        assert "You can ask again: <t:" in house.whispers(house.bo)[-1]


async def test_another_version_counts_as_a_question_and_a_look_at_an_old_one_does_not(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await choose_for_server(house, questions_per_hour=2)
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        house.script = spoken("Another one.")
        await house.press("regenerate", by=house.standin.user("Chi"))
        await house.whispered(house.standin.user("Chi"), "Only who asked")
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(lambda _: house.texts()[0].startswith("Another one.\n-# "))
        await house.app.idle()
        await house.press("previous", by=house.bo)
        await house.standin.wait_for(lambda _: house.texts()[0].startswith("Hello from the model."))
        await house.app.idle()
        await house.press("regenerate", by=house.bo)
        await house.whispered(house.bo, "as much as you may in an hour")
        assert len(house.provider.requests) == 2


async def test_a_modal_is_refused_when_it_is_submitted_too(tmp_path: Path) -> None:
    async with house_with_doors(tmp_path) as house:
        opened = await house.standin.slash(house.bo, house.general, "form")
        assert (await opened.answered()).modal is not None
        await house.standin.submit_modal(opened, {"word": "one"})
        await house.whispered(house.bo, "submitted one")
        again = await house.standin.slash(house.bo, house.general, "form")
        await again.answered()
        await block(house, house.bo)
        await house.standin.submit_modal(again, {"word": "two"})
        await house.whispered(house.bo, "You are blocked here")
        assert not any("two" in text for text in house.whispers(house.bo))


async def test_a_modal_that_breaks_says_so(tmp_path: Path) -> None:
    async with house_with_doors(tmp_path) as house:
        opened = await house.standin.slash(house.bo, house.general, "form")
        await opened.answered()
        await house.standin.submit_modal(opened, {"word": "broken"})
        await house.whispered(house.bo, "a fault of mine")


async def test_suggestions_are_for_who_is_admitted(tmp_path: Path) -> None:
    async with house_with_doors(tmp_path) as house:

        async def suggested() -> list[str]:
            typing = await house.standin.autocomplete(house.bo, house.general, "choose", {"word": "a"}, focused="word")
            return [choice["name"] for choice in (await typing.answered()).choices]

        assert await suggested() == ["a!"]
        await block(house, house.bo)
        assert await suggested() == []

"""The application where the bot is no member: a person has installed it, and only interactions reach it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
import pytest
from discord import app_commands

from bot.playground.standin import ApiError, Channel, Permission, Standin, StandinConfig
from tests.playground.standin_dialogue import UNLIMITED, Listener, MovedClock, dialogue
from tests.playground.test_standin_threads import code_of


class Again(discord.ui.View):
    @discord.ui.button(label="Again", custom_id="again")
    async def again(self, interaction: discord.Interaction, button: discord.ui.Button[Again]) -> None:
        await interaction.response.edit_message(content=f"again for {interaction.user.display_name}", view=None)


class Desk:
    """The bot's commands, and the interactions that came in."""

    def __init__(self, client: Listener) -> None:
        self.taken: list[discord.Interaction] = []

        @client.tree.command(description="Ask everywhere")
        @app_commands.allowed_installs(guilds=True, users=True)
        @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)
        async def ask(interaction: discord.Interaction, question: str) -> None:
            self.taken.append(interaction)
            await interaction.response.send_message(f"you asked: {question}", view=Again(timeout=None))

        @client.tree.command(description="For servers")
        @app_commands.guild_only()
        async def manage(interaction: discord.Interaction) -> None:
            await interaction.response.send_message("managed")

        @client.tree.context_menu(name="Ask about this")
        @app_commands.allowed_installs(guilds=True, users=True)
        @app_commands.allowed_contexts(guilds=True, dms=True, private_channels=True)
        async def about(interaction: discord.Interaction, message: discord.Message) -> None:
            self.taken.append(interaction)
            await interaction.response.send_message(f"> {message.content}", ephemeral=True)

    @property
    def last(self) -> discord.Interaction:
        return self.taken[-1]


@asynccontextmanager
async def open_desk(config: StandinConfig = UNLIMITED) -> AsyncIterator[tuple[Standin, Listener, Desk]]:
    async with dialogue(config) as (standin, client):
        desk = Desk(client)
        await client.tree.sync()
        yield standin, client, desk


def outside(standin: Standin, place: str) -> Channel:
    ada, bo, chi = (standin.user(name) for name in ("Ada", "Bo", "Chi"))
    match place:
        case "server":
            guild = standin.add_guild("Elsewhere", bo, with_bot=False)
            standin.world.join(ada, guild)
            return standin.add_channel("hall", guild=guild)
        case "dm":
            return standin.private(ada, bo)
    return standin.private(ada, bo, chi, name="trio")


@pytest.mark.parametrize(
    ("place", "context"),
    [("server", [0]), ("dm", [2]), ("group", [2])],
)
async def test_what_a_person_installed_works_where_the_bot_is_not(place: str, context: list[int]) -> None:
    async with open_desk() as (standin, client, desk):
        ada, channel = standin.user("Ada"), outside(standin, place)
        standin.install_for(ada)
        asked = await standin.slash(ada, channel, "ask", {"question": "why"})
        answer = await asked.answered()
        assert [m["content"] for m in standin.messages(channel)] == ["you asked: why"]
        interaction = desk.last
        assert interaction.user.display_name == "Ada"
        assert interaction.context.to_array() == context
        assert interaction.is_user_integration()
        assert not interaction.is_guild_integration()
        assert interaction.app_permissions.attach_files
        assert not interaction.app_permissions.read_message_history
        assert len(client.guilds) == 1, "that server is not the bot's"
        assert client.contents() == [], "its own answer is not told it either"
        assert await code_of(client.http.get_channel(channel.id)) == 50001
        assert answer.message_id is not None
        metadata = standin.message(answer.message_id)["interaction_metadata"]
        assert metadata["authorizing_integration_owners"] == {"1": ada.id}


async def test_group_and_dm_are_the_channels_of_their_interactions() -> None:
    async with open_desk() as (standin, _, desk):
        ada = standin.user("Ada")
        standin.install_for(ada)
        for place, kind in (("dm", discord.DMChannel), ("group", discord.GroupChannel)):
            await (await standin.slash(ada, outside(standin, place), "ask", {"question": "x"})).answered()
            assert isinstance(desk.last.channel, kind)


async def test_where_nothing_is_installed_there_is_no_command() -> None:
    async with open_desk() as (standin, _, _desk):
        ada, bo = standin.user("Ada"), standin.user("Bo")
        channel = outside(standin, "server")
        standin.install_for(ada)
        assert [command["name"] for command in standin.commands_in(channel, ada)] == ["ask"]
        assert standin.commands_in(channel, bo) == []
        with pytest.raises(LookupError, match="no slash command 'ask'"):
            await standin.slash(bo, channel, "ask", {"question": "x"})
        with pytest.raises(LookupError, match="there are: ask"):
            await standin.slash(ada, channel, "manage")
        assert [command["name"] for command in standin.commands_in(standin.dm(ada), ada)] == ["ask"]
        with pytest.raises(ApiError, match="50013"):
            await standin.slash(ada, standin.private(bo, standin.user("Chi")), "ask", {"question": "not in it"})


async def test_in_a_server_with_the_bot_both_installations_are_told() -> None:
    async with open_desk() as (standin, _, desk):
        ada, general = standin.user("Ada"), standin.channel("general")
        standin.install_for(ada)
        await (await standin.slash(ada, general, "ask", {"question": "x"})).answered()
        assert desk.last.is_user_integration()
        assert desk.last.is_guild_integration()
        await (await standin.slash(standin.user("Bo"), general, "ask", {"question": "x"})).answered()
        assert not desk.last.is_user_integration()
        await (
            await standin.slash(standin.user("Bo"), standin.dm(standin.user("Bo")), "ask", {"question": "x"})
        ).answered()
        assert desk.last.context.dm_channel


async def test_a_user_installed_application_follows_up_five_times_and_no_more() -> None:
    async with open_desk() as (standin, _, desk):
        ada, channel = standin.user("Ada"), outside(standin, "server")
        standin.install_for(ada)
        await (await standin.slash(ada, channel, "ask", {"question": "x"})).answered()
        for nr in range(5):
            await desk.last.followup.send(f"{nr}")
        assert await code_of(desk.last.followup.send("too much")) == 40094
        await desk.last.edit_original_response(content="edits are free")
        await (await standin.slash(ada, standin.channel("general"), "ask", {"question": "x"})).answered()
        for nr in range(6):
            await desk.last.followup.send(f"{nr}")


async def test_who_may_not_use_applications_from_outside_is_answered_for_them_alone() -> None:
    async with open_desk() as (standin, _, _desk):
        ada, channel = standin.user("Ada"), outside(standin, "server")
        standin.install_for(ada)
        standin.set_permissions(channel, ada, deny=Permission.USE_EXTERNAL_APPS)
        assert (await (await standin.slash(ada, channel, "ask", {"question": "x"})).answered()).ephemeral
        assert standin.messages(channel) == []
        assert len(standin.messages(channel, ada)) == 1


async def test_a_message_command_reads_its_message_where_the_bot_is_not() -> None:
    async with open_desk() as (standin, _, desk):
        ada, channel = standin.user("Ada"), outside(standin, "server")
        standin.install_for(ada)
        said = await standin.say(standin.user("Bo"), channel, "to be", attachments=[("a.txt", b"text")])
        answer = await (await standin.message_command(ada, said["id"], "Ask about this")).answered()
        assert answer.message_id is not None
        message = standin.message(answer.message_id)
        assert (message["content"], message["type"], answer.ephemeral) == ("> to be", 23, True)
        assert desk.last.guild is not None
        assert desk.last.guild.id == int(channel.guild_id or 0)


async def test_another_person_presses_a_button_of_such_an_answer() -> None:
    async with open_desk() as (standin, _, _desk):
        ada, bo, channel = standin.user("Ada"), standin.user("Bo"), outside(standin, "group")
        standin.install_for(ada)
        answer = await (await standin.slash(ada, channel, "ask", {"question": "x"})).answered()
        assert answer.message_id is not None
        pressed = await standin.press(bo, answer.message_id, "again")
        await pressed.answered()
        assert standin.message(answer.message_id)["content"] == "again for Bo"
        assert pressed.owners == {"1": ada.id}


async def test_its_token_dies_with_the_quarter_of_an_hour() -> None:
    time = MovedClock()
    async with open_desk(StandinConfig(buckets={}, clock=time.clock())) as (standin, _, desk):
        ada, channel = standin.user("Ada"), outside(standin, "dm")
        standin.install_for(ada)
        await (await standin.slash(ada, channel, "ask", {"question": "x"})).answered()
        time.seconds += 15 * 60 + 1
        assert await code_of(desk.last.edit_original_response(content="late")) == 50027

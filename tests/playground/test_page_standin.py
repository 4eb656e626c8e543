"""The page over the real stand-in: its people act there, and what Discord refuses is said to them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from io import BytesIO

import discord
import pytest
import pytest_asyncio

from bot.playground.page.file_views import START_BYTES
from bot.playground.page.port import ActionRefused, ChannelKind
from bot.playground.page.server import Page
from bot.playground.page.standin_port import StandinPort
from bot.playground.page.views import message_view
from bot.playground.standin.events import (
    CommandsRegistered,
    MessageCreated,
    MessageDeleted,
    ReactionAdded,
    TypingStarted,
)
from bot.playground.standin.permissions import Permission
from bot.playground.standin.server import Standin
from bot.playground.standin.world import Draft
from tests.playground.page_chat import button, row
from tests.playground.standin_dialogue import dialogue


@pytest_asyncio.fixture
async def standin() -> AsyncIterator[Standin]:
    async with Standin() as running:
        yield running


async def test_a_page_can_be_built_over_the_stand_in(standin: Standin) -> None:
    """As the playground does it."""
    page = Page(StandinPort(standin))
    await page.start(port=0)
    assert page.url.startswith("http://127.0.0.1:")
    await page.stop()


async def test_each_person_sees_the_channels_and_an_own_dm(standin: Standin) -> None:
    """A hidden channel is not listed, and nobody sees another's DM."""
    port = StandinPort(standin)
    ada, bo, _ = port.people()
    standin.set_permissions(standin.channel("help"), standin.user("Bo"), deny=Permission.VIEW_CHANNEL)
    assert [channel.name for channel in port.channels(bo.id) if channel.kind is ChannelKind.TEXT] == [
        "general",
        "random",
    ]
    (dm_of_ada,) = [channel for channel in port.channels(ada.id) if channel.kind is ChannelKind.DM]
    (dm_of_bo,) = [channel for channel in port.channels(bo.id) if channel.kind is ChannelKind.DM]
    assert dm_of_ada.id != dm_of_bo.id


async def test_what_people_do_happens_there(standin: Standin) -> None:
    """Every action of the page, in order, as the stand-in's own events."""
    port = StandinPort(standin)
    ada, general = standin.user("Ada"), standin.channel("general")
    with port.subscribe() as events:
        await port.typing(ada.id, general.id)
        assert await anext(events) == TypingStarted(general.id, ada.id)
        await port.say(ada.id, general.id, "hello", None)
        created = await anext(events)
        assert isinstance(created, MessageCreated)
        message_id = created.message["id"]
        await port.react(ada.id, message_id, "👍")
        assert await anext(events) == ReactionAdded(general.id, message_id, ada.id, "👍")
        await port.delete(ada.id, message_id)
        assert await anext(events) == MessageDeleted(general.id, message_id)
    assert port.message(message_id) is None


async def test_what_discord_refuses_is_said(standin: Standin) -> None:
    """Unknown messages, missing permissions, buttons that are not there or disabled."""
    port = StandinPort(standin)
    bo, general = standin.user("Bo"), standin.channel("general")
    draft = Draft(content="x", components=(row(button("off", "Off", disabled=True)),))
    message_id = standin.world.create_message(standin.bot_id, general.id, draft)["id"]
    with pytest.raises(ActionRefused, match="Unknown Message"):
        await port.react(bo.id, "1", "👍")
    with pytest.raises(ActionRefused, match="Missing Permissions"):
        await port.delete(bo.id, message_id)
    for custom_id in ("off", "nothing"):
        with pytest.raises(ActionRefused, match="cannot be used"):
            await port.press(bo.id, message_id, custom_id)
    assert not port.may_moderate(bo.id, general.id)
    assert port.may_moderate(standin.user("Ada").id, general.id)


async def test_an_attachment_is_read_back(standin: Standin) -> None:
    """By the ids of its message and itself."""
    port = StandinPort(standin)
    message = await standin.say(standin.user("Ada"), standin.channel("general"), "", attachments=[("a.png", b"png")])
    file = await port.attachment(message["id"], message["attachments"][0]["id"])
    assert (file.media_type, file.body) == ("image/png", b"png")
    with pytest.raises(ActionRefused):
        await port.attachment(message["id"], "1")


async def test_a_file_begins_with_its_first_bytes(standin: Standin) -> None:
    """What is not there begins with nothing."""
    port = StandinPort(standin)
    data = b"x" * 2 * START_BYTES
    message = await standin.say(standin.user("Ada"), standin.channel("general"), "", attachments=[("a.txt", data)])
    assert port.file_start(message["attachments"][0]["id"]) == data[:START_BYTES]
    assert port.file_start("1") == b""


async def test_the_bots_commands_are_used_from_the_page() -> None:
    """By the real client, with options of their types; what it registered is known at once."""
    async with dialogue() as (standin, client):

        @client.tree.command(description="Adds")
        async def add(
            interaction: discord.Interaction, member: discord.Member, place: discord.TextChannel, n: int
        ) -> None:
            await interaction.response.send_message(f"{member.display_name} in {place.name}: {n + 1}", ephemeral=True)

        port = StandinPort(standin)
        ada, general = standin.user("Ada"), standin.channel("general")
        with port.subscribe() as events:
            await client.tree.sync()
            assert await anext(events) == CommandsRegistered()
        (command,) = port.commands(general.id, ada.id)
        with pytest.raises(ActionRefused, match="no “Nobody” here"):
            await port.slash(ada.id, general.id, command, {"member": "@Nobody", "place": "#random", "n": 1})
        await port.slash(ada.id, general.id, command, {"member": "@Bo", "place": standin.channel("random").id, "n": 1})
        await standin.wait_for(lambda _: standin.messages(general, ada))
        assert [message["content"] for message in port.messages(general.id, ada.id, 10)] == ["Bo in random: 2"]
        assert port.messages(general.id, standin.user("Bo").id, 10) == []


async def test_a_deleted_channel_has_no_commands(standin: Standin) -> None:
    """Nor is it listed."""
    port, help_ = StandinPort(standin), standin.channel("help")
    standin.delete_channel(help_)
    assert port.commands(help_.id, standin.user("Ada").id) == []
    assert help_.id not in [channel.id for channel in port.channels(standin.user("Ada").id)]
    with pytest.raises(ActionRefused, match="Unknown Channel"):
        await port.say(standin.user("Ada").id, help_.id, "hello?", None)


async def test_archived_and_locked_threads_are_told_apart(standin: Standin) -> None:
    """From each other and from those in use."""
    port, ada = StandinPort(standin), standin.user("Ada")
    threads = [await standin.start_thread(ada, standin.channel("general"), name) for name in ("a", "b", "c")]
    standin.archive_thread(threads[1])
    standin.archive_thread(threads[2], lock=True)
    listed = {channel.name: (channel.archived, channel.locked) for channel in port.channels(ada.id)}
    assert [listed[name] for name in ("a", "b", "c")] == [(False, False), (True, False), (True, True)]


async def test_a_slow_listener_comes_to_an_end_and_not_to_an_error(standin: Standin) -> None:
    """The page then closes the tab's connection, and the browser asks for a new snapshot."""
    port = StandinPort(standin)
    ada, general = standin.user("Ada"), standin.channel("general")
    with port.subscribe() as events:
        for _ in range(5000):
            standin.world.start_typing(general.id, ada.id)
        assert len([event async for event in events]) < 5000


async def test_a_private_answer_shows_the_picture_that_came_with_it() -> None:
    """Sent after "thinking …", as a plot is; its person reads it, and nobody else sees the answer."""
    async with dialogue() as (standin, client):

        @client.tree.command(description="Usage")
        async def usage(interaction: discord.Interaction) -> None:
            await interaction.response.defer(ephemeral=True, thinking=True)
            embed = discord.Embed(title="Usage").set_image(url="attachment://plot.png")
            file = discord.File(BytesIO(b"plot"), "plot.png")
            await interaction.edit_original_response(embed=embed, attachments=[file])

        await client.tree.sync()
        port = StandinPort(standin)
        ada, bo, general = standin.user("Ada"), standin.user("Bo"), standin.channel("general")
        (command,) = port.commands(general.id, ada.id)
        await port.slash(ada.id, general.id, command, {})
        await standin.wait_for(lambda _: [m for m in port.messages(general.id, ada.id, 1) if m["embeds"]])
        (message,) = port.messages(general.id, ada.id, 10)
        shown = message_view(message, ada.id, port.name_of, may_moderate=True, start_of=port.file_start)
        image = shown.embeds[0].image
        assert image is not None
        assert (image.name, shown.attachments, shown.ephemeral) == ("plot.png", (), True)
        _, _, message_id, attachment_id, _ = image.url.split("/")
        assert (await port.attachment(message_id, attachment_id)).body == b"plot"
        assert port.messages(general.id, bo.id, 10) == []

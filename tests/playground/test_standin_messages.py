"""Messages, as the real discord.py client meets them on the stand-in."""

from __future__ import annotations

import asyncio
import io

import aiohttp
import discord
import pytest

from bot.playground.standin import Permission, StandinConfig
from bot.playground.standin.config import WorldConfig
from tests.playground.standin_dialogue import UNLIMITED, dialogue


async def test_a_client_logs_in_and_knows_the_guild_its_channels_and_itself() -> None:
    async with dialogue() as (standin, client):
        assert client.user is not None
        assert str(client.user.id) == standin.bot_id
        assert [guild.name for guild in client.guilds] == ["Playground"]
        assert [channel.name for channel in client.guilds[0].text_channels] == ["general", "random", "help"]
        assert [member.display_name for member in client.guilds[0].members] == ["Parley"], "no members intent"
        assert client.guilds[0].member_count == 4
        assert standin.identifies == 1


async def test_what_a_person_says_edits_and_deletes_reaches_the_client_in_order() -> None:
    async with dialogue() as (standin, client):
        ada, general = standin.user("Ada"), standin.channel("general")
        said = await standin.say(ada, general, "hello")
        await client.until_heard("message")  # the library edits its cached message, so that must be read before
        await standin.edit(ada, said["id"], "hello, all")
        await standin.delete(said["id"], by=ada)
        await client.until_heard("delete")
        assert client.heard[1:] == [("message", "hello"), ("edit", "hello, all"), ("delete", int(said["id"]))]
        assert standin.messages(general) == []


async def test_the_bots_message_is_created_edited_and_deleted_in_the_channel() -> None:
    async with dialogue() as (standin, client):
        message = await client.text_channel().send("one")
        assert [m["content"] for m in standin.messages(standin.channel("general"))] == ["one"]
        edited = await message.edit(content="two")
        assert edited.edited_at is not None
        assert standin.message(str(message.id))["content"] == "two"
        await message.delete()
        assert standin.messages(standin.channel("general")) == []
        assert [(call.method, call.status) for call in standin.calls[-3:]] == [
            ("POST", 200),
            ("PATCH", 200),
            ("DELETE", 204),
        ]


async def test_a_reply_carries_the_message_it_answers() -> None:
    async with dialogue() as (standin, client):
        question = await standin.say(standin.user("Ada"), standin.channel("general"), "why?")
        await client.until_heard("message")
        message = await client.text_channel().fetch_message(int(question["id"]))
        answer = await message.reply("because", mention_author=False)
        assert answer.reference is not None
        assert isinstance(answer.reference.resolved, discord.Message)
        assert answer.reference.resolved.content == "why?"
        assert standin.message(str(answer.id))["type"] == 19


async def test_history_pages_before_after_and_around() -> None:
    async with dialogue() as (standin, client):
        general = standin.channel("general")
        said = [await standin.say(standin.user("Bo"), general, f"m{n}") for n in range(6)]
        at = [discord.Object(int(message["id"])) for message in said]
        channel = client.text_channel()
        pages = {
            "newest": [m.content async for m in channel.history(limit=2)],
            "before": [m.content async for m in channel.history(limit=2, before=at[3])],
            "after": [m.content async for m in channel.history(limit=2, after=at[3])],
            "around": [m.content async for m in channel.history(limit=3, around=at[3])],
        }
        assert pages == {
            "newest": ["m5", "m4"],
            "before": ["m2", "m1"],
            "after": ["m4", "m5"],
            "around": ["m4", "m3", "m2"],
        }


async def test_reactions_go_both_ways() -> None:
    async with dialogue() as (standin, client):
        said = await standin.say(standin.user("Ada"), standin.channel("general"), "nice")
        message = client.text_channel().get_partial_message(int(said["id"]))
        await message.add_reaction("👍")
        await standin.react(standin.user("Bo"), said["id"], "👍")
        await client.until_heard("reaction", 2)
        assert client.user is not None
        await message.remove_reaction("👍", client.user)
        await client.until_heard("unreaction")
        (reaction,) = standin.message(said["id"])["reactions"]
        assert (reaction["emoji"]["name"], reaction["count"], reaction["me"]) == ("👍", 1, False)


async def test_typing_goes_both_ways() -> None:
    async with dialogue() as (standin, client):
        with standin.subscribe() as events:
            await client.text_channel().typing()
            event = await anext(events)
            assert type(event).__name__ == "TypingStarted"
        await standin.typing(standin.user("Ada"), standin.channel("general"))
        await client.until(lambda: ("typing", "Ada") in client.heard)


async def test_threads_start_from_a_message_and_alone_and_take_messages() -> None:
    async with dialogue() as (standin, client):
        said = await standin.say(standin.user("Ada"), standin.channel("general"), "long story")
        message = client.text_channel().get_partial_message(int(said["id"]))
        thread = await message.create_thread(name="story")
        await thread.send("once upon a time")
        alone = await client.text_channel().create_thread(name="alone", type=discord.ChannelType.public_thread)
        await client.until_heard("thread", 2)
        assert str(thread.id) == said["id"]
        assert [(m["type"], m["content"]) for m in standin.messages(said["id"])] == [(21, ""), (0, "once upon a time")]
        assert standin.channel("alone").id == str(alone.id)
        with pytest.raises(discord.HTTPException) as refused:
            await message.create_thread(name="again")
        assert refused.value.code == 160004


async def test_a_file_travels_to_the_channel_and_back() -> None:
    async with dialogue() as (standin, client):
        file = discord.File(io.BytesIO(b"long answer"), "answer.md", description="all of it")
        message = await client.text_channel().send("see", file=file)
        assert await message.attachments[0].read() == b"long answer"
        assert message.attachments[0].description == "all of it"
        assert standin.calls[-1].files[0].filename == "answer.md"
        await message.edit(attachments=[])
        assert standin.message(str(message.id))["attachments"] == []


async def test_a_persons_file_reaches_the_client() -> None:
    async with dialogue() as (standin, client):
        said = await standin.say(
            standin.user("Ada"), standin.channel("general"), "look", attachments=[("notes.txt", b"n")]
        )
        message = await client.text_channel().fetch_message(int(said["id"]))
        assert await message.attachments[0].read() == b"n"
        assert (message.attachments[0].content_type or "").startswith("text/plain")


async def test_a_dm_is_opened_once_and_used_by_both() -> None:
    async with dialogue() as (standin, client):
        ada = standin.user("Ada")
        await standin.say(ada, standin.dm(ada), "psst")
        await client.until(lambda: client.contents() == ["psst"])
        dm = await (await client.create_dm(discord.Object(int(ada.id)))).send("yes?")
        assert [m["content"] for m in standin.messages(standin.dm(ada))] == ["psst", "yes?"]
        assert str(dm.channel.id) == standin.dm(ada).id


async def test_the_same_nonce_gives_the_earlier_message() -> None:
    async with dialogue() as (standin, client):
        channel = client.text_channel()
        first = await channel.send("once", nonce="n-1")
        second = await channel.send("once", nonce="n-1")
        assert first.id == second.id
        assert len(standin.messages(standin.channel("general"))) == 1


async def test_content_may_have_2000_code_points_and_not_one_more() -> None:
    async with dialogue() as (standin, client):
        await client.text_channel().send("😀" * 2000)
        with pytest.raises(discord.HTTPException) as refused:
            await client.text_channel().send("x" * 2001)
        assert (refused.value.status, refused.value.code) == (400, 50035)
        assert "2000 or fewer" in refused.value.text
        assert len(standin.messages(standin.channel("general"))) == 1


async def test_content_is_trimmed_and_blank_content_is_empty() -> None:
    async with dialogue() as (_, client):
        message = await client.text_channel().send("\n text \n")
        assert message.content == "text"
        with pytest.raises(discord.HTTPException) as refused:
            await client.text_channel().send("\n \n")
        assert refused.value.code == 50006
        with pytest.raises(discord.HTTPException) as refused:
            await message.edit(content="")
        assert refused.value.code == 50006


async def test_editing_or_answering_a_deleted_message_is_refused() -> None:
    async with dialogue() as (standin, client):
        message = await client.text_channel().send("gone soon")
        await standin.delete(str(message.id), by=standin.user("Ada"))
        with pytest.raises(discord.NotFound) as unknown:
            await message.edit(content="too late")
        assert unknown.value.code == 10008
        with pytest.raises(discord.HTTPException) as refused:
            await message.reply("too late")
        assert refused.value.code == 50035
        reference = message.to_reference(fail_if_not_exists=False)
        assert (await client.text_channel().send("anyway", reference=reference)).reference is None


async def test_another_users_message_cannot_be_edited_nor_deleted_without_permission() -> None:
    async with dialogue() as (standin, client):
        said = await standin.say(standin.user("Ada"), standin.channel("general"), "mine")
        message = client.text_channel().get_partial_message(int(said["id"]))
        with pytest.raises(discord.Forbidden) as refused:
            await message.edit(content="yours")
        assert refused.value.code == 50005
        with pytest.raises(discord.Forbidden) as refused:
            await message.delete()
        assert refused.value.code == 50013


async def test_with_manage_messages_the_bot_deletes_what_others_wrote() -> None:
    config = StandinConfig(world=WorldConfig(bot_permissions=Permission.MANAGE_MESSAGES), buckets={})
    async with dialogue(config) as (standin, client):
        said = await standin.say(standin.user("Bo"), standin.channel("general"), "spam")
        await client.text_channel().get_partial_message(int(said["id"])).delete()
        assert standin.messages(standin.channel("general")) == []


@pytest.mark.parametrize(
    ("denied", "code"), [(Permission.SEND_MESSAGES, 50013), (Permission.VIEW_CHANNEL, 50001)], ids=["send", "view"]
)
async def test_a_channel_that_is_closed_to_the_bot_refuses_its_messages(denied: Permission, code: int) -> None:
    async with dialogue() as (standin, client):
        channel = client.text_channel()
        standin.set_permissions(standin.channel("general"), standin.bot_id, deny=denied)
        await client.until_heard("channel_update")
        with pytest.raises(discord.Forbidden) as refused:
            await channel.send("may I?")
        assert refused.value.code == code
        assert not channel.permissions_for(channel.guild.me).send_messages


async def test_nothing_is_heard_from_a_channel_that_the_bot_cannot_see() -> None:
    async with dialogue() as (standin, client):
        ada = standin.user("Ada")
        standin.set_permissions(standin.channel("general"), standin.bot_id, deny=Permission.VIEW_CHANNEL)
        await standin.say(ada, standin.channel("general"), "secret")
        await standin.say(ada, standin.channel("random"), "public")
        await client.until_heard("message")
        assert client.contents() == ["public"]


async def test_a_mention_pings_unless_the_bot_forbids_it() -> None:
    async with dialogue() as (standin, client):
        ada, channel = standin.user("Ada"), client.text_channel()
        quiet = await channel.send(f"{ada.mention} @everyone", allowed_mentions=discord.AllowedMentions.none())
        assert (list(standin.pings), quiet.mentions) == ([], [])
        loud = await channel.send(f"{ada.mention} @everyone")
        assert [ping.mentions.user_ids for ping in standin.pings] == [(ada.id,)]
        assert not standin.pings[0].mentions.everyone, "that needs MENTION_EVERYONE"
        await loud.edit(content=f"{ada.mention} {standin.user('Bo').mention}")
        assert len(standin.pings) == 1, "an edit pings nobody"


async def test_a_reply_pings_the_author_of_its_target_unless_told_otherwise() -> None:
    async with dialogue() as (standin, client):
        said = await standin.say(standin.user("Ada"), standin.channel("general"), "hm")
        message = client.text_channel().get_partial_message(int(said["id"]))
        await message.reply("quiet", mention_author=False)
        assert list(standin.pings) == []
        await message.reply("loud", mention_author=True)
        assert [ping.mentions.user_ids for ping in standin.pings] == [(standin.user("Ada").id,)]


async def test_components_v2_take_4000_characters_and_no_content() -> None:
    def view(*texts: str) -> discord.ui.LayoutView:
        layout = discord.ui.LayoutView(timeout=None)
        for text in texts:
            layout.add_item(discord.ui.TextDisplay(text))
        return layout

    async with dialogue() as (standin, client):
        message = await client.text_channel().send(view=view("# Answer"))
        await message.edit(view=view("y" * 2000, "y" * 2000))
        with pytest.raises(discord.HTTPException) as too_long:
            await message.edit(view=view("y" * 2000, "y" * 2001))
        assert too_long.value.code == 50035
        with pytest.raises(discord.HTTPException) as legacy:
            await message.edit(content="text")
        assert legacy.value.code == 50035
        assert standin.message(str(message.id))["flags"] == 1 << 15


async def test_an_embed_and_buttons_come_back_as_they_were_sent() -> None:
    async with dialogue() as (_, client):
        view = discord.ui.View(timeout=None)
        view.add_item(discord.ui.Button(label="Stop", custom_id="stop"))
        view.add_item(discord.ui.Button(label="Docs", url="https://example.org/"))
        embed = discord.Embed(title="Title", description="Text", colour=0xFF0000).add_field(name="a", value="b")
        message = await client.text_channel().send(embed=embed, view=view)
        fetched = await client.text_channel().fetch_message(message.id)
        assert fetched.embeds[0].to_dict() == {**embed.to_dict(), "type": "rich"}
        (row,) = fetched.components
        assert isinstance(row, discord.ActionRow)
        assert [getattr(child, "label", None) for child in row.children] == ["Stop", "Docs"]


async def test_a_lost_answer_is_repaired_by_the_librarys_nonce() -> None:
    async with dialogue() as (standin, client):
        standin.fail("POST", "/messages$", status=429, after_effect=True)
        await client.text_channel().send("once")
        assert [call.status for call in standin.calls[-2:]] == [429, 200]
        assert len(standin.messages(standin.channel("general"))) == 1


async def test_a_dropped_connection_carries_nothing_out() -> None:
    async with dialogue() as (standin, client):
        standin.fail("POST", "/messages$", drop=True)
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await client.text_channel().send("lost")
        assert standin.messages(standin.channel("general")) == []
        assert standin.calls[-1].status is None


async def test_a_call_that_is_held_is_in_flight_until_it_is_let_go() -> None:
    async with dialogue() as (standin, client):
        gate = asyncio.Event()
        standin.fail("POST", "/messages$", hold=gate)
        sending = asyncio.create_task(client.text_channel().send("slow"))
        await standin.wait_for(lambda s: s.in_flight == 1)
        assert standin.messages(standin.channel("general")) == []
        gate.set()
        await sending
        assert len(standin.messages(standin.channel("general"))) == 1


async def test_waiting_for_what_does_not_come_tells_the_last_calls() -> None:
    async with dialogue(UNLIMITED) as (standin, _):
        with pytest.raises(TimeoutError, match="GET /users/@me -> 200"):
            await standin.wait_for(lambda s: False, within=0.01)

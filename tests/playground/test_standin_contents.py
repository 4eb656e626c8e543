"""What messages hold beside text: forwards, polls, stickers, previews, files of any kind, and what Discord itself says."""

from __future__ import annotations

import aiohttp
import discord
import pytest

from bot.playground.standin import ChannelType, Intent, Poll, StandinConfig, Upload, WorldConfig
from bot.playground.standin.permissions import Permission
from bot.playground.standin.writing import File
from tests.playground.standin_dialogue import INTENTS, UNLIMITED, MovedClock, dialogue, raw_rest
from tests.playground.test_standin_threads import code_of

WITH_POLLS = discord.Intents(INTENTS.value)
WITH_POLLS.polls = True


async def status_of(url: str) -> int:
    async with aiohttp.ClientSession() as session, session.get(url) as response:
        return response.status


# ----------------------------------------------------------------------------------------------------- forwards, replies


async def test_a_forward_shows_what_was_said_elsewhere_and_has_no_text_of_its_own() -> None:
    async with dialogue() as (standin, client):
        ada, general, random = standin.user("Ada"), standin.channel("general"), standin.channel("random")
        said = await standin.say(ada, random, "to be or not", attachments=[("a.txt", b"text")])
        await client.next_message()
        await standin.say(standin.user("Bo"), general, forward=said["id"])
        forward = await client.next_message()
        assert (forward.content, forward.type, forward.flags.forwarded) == ("", discord.MessageType.default, True)
        assert forward.reference is not None
        assert forward.reference.type is discord.MessageReferenceType.forward
        assert str(forward.reference.message_id) == said["id"]
        (snapshot,) = forward.message_snapshots
        assert (snapshot.content, [file.filename for file in snapshot.attachments]) == ("to be or not", ["a.txt"])
        await standin.delete(said["id"], by=ada)
        assert await snapshot.attachments[0].read() == b"text", "the copy stays"


async def test_nobody_forwards_what_they_cannot_see() -> None:
    async with dialogue() as (standin, _):
        bo, random = standin.user("Bo"), standin.channel("random")
        said = await standin.say(standin.user("Ada"), random, "secret")
        standin.set_permissions(random, bo, deny=Permission.VIEW_CHANNEL)
        with pytest.raises(Exception, match="50013"):
            await standin.say(bo, standin.channel("general"), forward=said["id"])


async def test_a_reply_may_come_with_its_target_without_it_or_to_a_deleted_one() -> None:
    async with dialogue() as (standin, client):
        ada, general = standin.user("Ada"), standin.channel("general")
        said = await standin.say(ada, general, "why?")
        await client.next_message()
        await standin.say(ada, general, "with", reply_to=said["id"])
        await standin.say(ada, general, "without", reply_to=said["id"], is_reply_resolved=False)
        references = [(await client.next_message()).reference for _ in range(2)]
        assert [type(reference and reference.resolved) for reference in references] == [discord.Message, type(None)]
        await standin.delete(said["id"], by=ada)
        newest = [message async for message in client.text_channel().history(limit=2)]
        resolved = [message.reference and message.reference.resolved for message in reversed(newest)]
        assert isinstance(resolved[0], discord.DeletedReferencedMessage)
        assert resolved[1] is None


# -------------------------------------------------------------------------------------- polls, stickers, previews, reactions


async def test_a_poll_is_voted_on_and_ends() -> None:
    async with dialogue(intents=WITH_POLLS) as (standin, client):
        ada, bo = standin.user("Ada"), standin.user("Bo")
        said = await standin.say(ada, standin.channel("general"), poll=Poll("Tea or coffee?", ("Tea", "Coffee")))
        poll = (await client.next_message()).poll
        assert poll is not None
        assert (poll.question, [answer.text for answer in poll.answers]) == ("Tea or coffee?", ["Tea", "Coffee"])
        await standin.vote(ada, said["id"], 1)
        await standin.vote(bo, said["id"], 1)
        await standin.vote(bo, said["id"], 2)
        with pytest.raises(LookupError):
            await standin.vote(bo, said["id"], 3)
        await standin.end_poll(said["id"])
        fetched = await client.text_channel().fetch_message(int(said["id"]))
        assert fetched.poll is not None
        assert [answer.vote_count for answer in fetched.poll.answers] == [1, 1]
        assert fetched.poll.is_finalized()
        assert fetched.edited_at is None


async def test_without_the_content_intent_polls_and_forwards_are_hidden() -> None:
    intents = discord.Intents(guilds=True, messages=True)
    async with dialogue(intents=intents) as (standin, client):
        standin.deny_intents(Intent.MESSAGE_CONTENT)
        ada, general = standin.user("Ada"), standin.channel("general")
        said = await standin.say(ada, general, poll=Poll("Tea?", ("Yes", "No")))
        await standin.say(ada, general, forward=said["id"])
        heard = [await client.next_message() for _ in range(2)]
        assert [(message.content, message.poll, message.message_snapshots) for message in heard] == [("", None, [])] * 2


async def test_stickers_alone_are_a_message() -> None:
    async with dialogue() as (standin, client):
        await standin.say(standin.user("Ada"), standin.channel("general"), stickers=["Wave"])
        message = await client.next_message()
        assert (message.content, [sticker.name for sticker in message.stickers]) == ("", ["Wave"])


async def test_a_preview_comes_as_an_update_that_is_no_edit() -> None:
    async with dialogue() as (standin, client):
        said = await standin.say(standin.user("Ada"), standin.channel("general"), "https://a.example")
        await client.next_message()
        await standin.preview_links(said["id"], {"title": "A page", "url": "https://a.example"})
        await client.until_heard("edit")
        message = await client.text_channel().fetch_message(int(said["id"]))
        assert (message.edited_at, message.embeds[0].title, message.embeds[0].type) == (None, "A page", "link")
        await standin.edit(standin.user("Ada"), said["id"], "https://b.example")
        assert (await client.text_channel().fetch_message(int(said["id"]))).edited_at is not None


async def test_embeds_may_be_there_from_the_start() -> None:
    async with dialogue() as (standin, client):
        await standin.say(standin.add_bot("News"), standin.channel("general"), embeds=[{"title": "Today"}])
        assert (await client.next_message()).embeds[0].title == "Today"


async def test_who_reacted_can_be_listed_in_pages() -> None:
    async with dialogue() as (standin, client):
        said = await standin.say(standin.user("Ada"), standin.channel("general"), "nice")
        for name in ("Ada", "Bo", "Chi"):
            await standin.react(standin.user(name), said["id"], "👍")
        (reaction,) = (await client.text_channel().fetch_message(int(said["id"]))).reactions
        assert sorted([user.display_name async for user in reaction.users()]) == ["Ada", "Bo", "Chi"]
        async with raw_rest(standin) as session:
            url = f"{standin.api_url}/channels/{said['channel_id']}/messages/{said['id']}/reactions/👍"
            after = {"limit": "1", "after": standin.user("Ada").id}
            async with session.get(url, params=after) as response:
                assert [user["global_name"] for user in await response.json()] == ["Bo"]
            async with session.get(url, params={"limit": "0"}) as response:
                assert response.status == 400


# ----------------------------------------------------------------------------------------------------------------- files


async def test_a_file_has_whatever_type_its_sender_declares() -> None:
    async with dialogue() as (standin, client):
        files: list[File] = [
            Upload(filename="cat.png", data=b"MZ", content_type="image/png", width=4, height=3),
            Upload(filename="notes.txt", data=b"x", content_type=""),
            ("code.py", b"print()"),
        ]
        await standin.say(standin.user("Ada"), standin.channel("general"), attachments=files)
        first, second, third = (await client.next_message()).attachments
        assert (first.content_type, first.width, first.height) == ("image/png", 4, 3)
        assert (second.content_type, third.content_type) == (None, "text/x-python; charset=utf-8")
        async with aiohttp.ClientSession() as session, session.get(first.url) as response:
            assert (response.content_type, await response.read()) == ("image/png", b"MZ")


async def test_a_voice_message_has_its_length_and_wave_form() -> None:
    async with dialogue() as (standin, client):
        await standin.speak(standin.user("Ada"), standin.channel("general"), b"OggS", 2.5)
        message = await client.next_message()
        (voice,) = message.attachments
        assert message.flags.voice
        assert (voice.is_voice_message(), voice.duration, voice.content_type) == (True, 2.5, "audio/ogg")
        assert voice.waveform == bytes(32)


async def test_addresses_of_files_expire_and_reading_the_message_renews_them() -> None:
    async with dialogue() as (standin, client):
        ada, general = standin.user("Ada"), standin.channel("general")
        said = await standin.say(ada, general, attachments=[("a.txt", b"text")])
        forward = await standin.say(ada, general, forward=said["id"])
        stale = (await client.next_message()).attachments[0]
        stale_copy = (await client.next_message()).message_snapshots[0].attachments[0]
        standin.expire_files(said["id"])
        standin.expire_files(forward["id"])
        assert [await status_of(file.url) for file in (stale, stale_copy)] == [404, 404]
        with pytest.raises(discord.NotFound):
            await stale.read()
        fresh = (await client.text_channel().fetch_message(int(said["id"]))).attachments[0]
        fresh_copy = (await client.text_channel().fetch_message(int(forward["id"]))).message_snapshots[0].attachments[0]
        assert [await file.read() for file in (fresh, fresh_copy)] == [b"text", b"text"]
        assert await status_of(stale.url) == 404
        assert (fresh.id, fresh.url != stale.url) == (stale.id, True)


async def test_addresses_expire_after_a_day() -> None:
    time = MovedClock()
    async with dialogue(StandinConfig(buckets={}, clock=time.clock())) as (standin, _):
        said = await standin.say(standin.user("Ada"), standin.channel("general"), attachments=[("a.txt", b"text")])
        url = said["attachments"][0]["url"]
        assert await status_of(url) == 200
        time.seconds += 24 * 3600 + 1
        assert await status_of(url) == 404


# -------------------------------------------------------------------------------------------- what Discord itself says


async def test_a_join_is_a_message_of_discords_own() -> None:
    async with dialogue() as (standin, client):
        dora = standin.add_person("Dora")
        standin.system_message(dora, standin.channel("general"), 7)
        message = await client.next_message()
        assert (message.type, message.is_system(), message.author.display_name) == (
            discord.MessageType.new_member,
            True,
            "Dora",
        )


async def test_a_thread_from_a_message_begins_with_one_that_points_back() -> None:
    async with dialogue() as (standin, client):
        ada, general = standin.user("Ada"), standin.channel("general")
        said = await standin.say(ada, general, "long story")
        await client.next_message()
        thread = await standin.start_thread(standin.user("Bo"), general, "story", message_id=said["id"])
        starter = await client.next_message()
        assert (starter.type, starter.content) == (discord.MessageType.thread_starter_message, "")
        assert isinstance(starter.channel, discord.Thread)
        assert (str(starter.channel.id), str(starter.channel.owner_id)) == (said["id"], standin.user("Bo").id)
        assert starter.reference is not None
        assert isinstance(starter.reference.resolved, discord.Message)
        assert (starter.reference.resolved.content, starter.reference.channel_id) == ("long story", int(general.id))
        assert [m["content"] for m in standin.messages(thread)] == [""]


async def test_a_thread_without_a_message_is_announced_in_its_channel() -> None:
    async with dialogue() as (standin, client):
        thread = await client.text_channel().create_thread(name="alone", type=discord.ChannelType.public_thread)
        announced = await client.next_message()
        assert (announced.type, announced.content) == (discord.MessageType.thread_created, "alone")
        assert announced.reference is not None
        assert (announced.reference.channel_id, announced.reference.message_id) == (thread.id, None)
        standin.world.start_thread(
            standin.channel("general"), "hidden", standin.bot_id, type=ChannelType.PRIVATE_THREAD
        )
        assert len(standin.messages(standin.channel("general"))) == 1, "a private thread is not announced"


async def test_people_rename_their_own_threads_and_the_bot_hears_it() -> None:
    async with dialogue() as (standin, client):
        bo = standin.user("Bo")
        thread = await standin.start_thread(bo, standin.channel("general"), "aside")
        await standin.rename(bo, thread, "about tea")
        await client.until_heard("thread_update")
        found = client.text_channel().get_thread(int(thread.id))
        assert found is not None
        assert found.name == "about tea"
        with pytest.raises(Exception, match="50013"):
            await standin.rename(standin.user("Chi"), thread, "mine")


async def test_a_post_of_a_forum_is_a_thread_whose_first_message_has_its_id() -> None:
    async with dialogue(UNLIMITED) as (standin, client):
        forum = standin.add_forum("questions")
        await client.until_heard("channel")
        thread = await standin.post(standin.user("Ada"), forum, "Why?", "Because I ask.")
        message = await client.next_message()
        assert (str(message.id), message.content) == (thread.id, "Because I ask.")
        assert isinstance(message.channel, discord.Thread)
        assert isinstance(message.channel.parent, discord.ForumChannel)
        assert (await message.reply("Indeed.")).channel == message.channel
        assert (
            await code_of(
                client.http.send_message(
                    forum.id, params=discord.http.MultipartParameters({"content": "x"}, None, None)
                )
            )
            == 50008
        )


async def test_a_message_without_anything_is_none() -> None:
    config = StandinConfig(world=WorldConfig(people=("Eva",)), buckets={})
    async with dialogue(config) as (standin, _):
        with pytest.raises(Exception, match="50006"):
            await standin.say(standin.user("Eva"), standin.channel("general"))

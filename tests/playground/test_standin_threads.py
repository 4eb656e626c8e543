"""Threads that are archived, locked and brought back, between people on the stand-in and the real discord.py client."""

from __future__ import annotations

from collections.abc import Awaitable

import discord
import pytest

from bot.playground.standin import ApiError, Permission, Standin, StandinConfig, WorldConfig
from bot.playground.standin.permissions import MEMBER_DEFAULT
from tests.playground.standin_dialogue import Listener, dialogue

MODERATING = StandinConfig(world=WorldConfig(bot_permissions=MEMBER_DEFAULT | Permission.MANAGE_THREADS), buckets={})


async def code_of(call: Awaitable[object]) -> int:
    with pytest.raises(discord.HTTPException) as refused:
        await call
    return refused.value.code


async def adas_thread(standin: Standin, client: Listener) -> discord.Thread:
    """A thread that is not the bot's."""
    thread = await standin.start_thread(standin.user("Ada"), standin.channel("general"), "aside")
    await client.until_heard("thread")
    found = client.text_channel().get_thread(int(thread.id))
    assert found is not None
    return found


async def test_in_an_archived_thread_nothing_can_be_changed() -> None:
    async with dialogue() as (standin, client):
        thread = await adas_thread(standin, client)
        message = await thread.send("an answer")
        standin.archive_thread(str(thread.id))
        assert await code_of(message.edit(content="an edited answer")) == 50083
        assert await code_of(message.add_reaction("🎉")) == 50083
        assert await code_of(client.http.edit_channel(thread.id, name="renamed")) == 50013
        with pytest.raises(ApiError, match="50083"):
            await standin.react(standin.user("Ada"), str(message.id), "🎉")
        assert standin.message(str(message.id))["content"] == "an answer"


async def test_a_message_brings_an_archived_thread_back_before_it_appears() -> None:
    async with dialogue() as (standin, client):
        thread = await adas_thread(standin, client)
        standin.archive_thread(str(thread.id))
        await client.until(lambda: client.text_channel().get_thread(thread.id) is None)
        with standin.subscribe() as events:
            message = await thread.send("still there?")
            assert [type(await anext(events)).__name__ for _ in range(2)] == ["ChannelUpdated", "MessageCreated"]
        await client.until(lambda: client.text_channel().get_thread(thread.id) is not None)
        await message.edit(content="yes")


@pytest.mark.parametrize("is_archived", [True, False])
async def test_in_a_locked_thread_only_moderators_write(is_archived: bool) -> None:
    async with dialogue() as (standin, client):
        thread = await adas_thread(standin, client)
        if is_archived:
            standin.archive_thread(str(thread.id), lock=True)
        else:
            standin.lock_thread(str(thread.id))
        assert await code_of(thread.send("hello")) == 160005
        with pytest.raises(ApiError, match="160005"):
            await standin.say(standin.user("Bo"), str(thread.id), "hello")
        await standin.say(standin.user("Ada"), str(thread.id), "I own the server")
        assert [m["content"] for m in standin.messages(str(thread.id))] == ["I own the server"]
        standin.lock_thread(str(thread.id), False)
        await thread.send("hello")


async def test_a_bot_that_manages_threads_archives_locks_and_revives_them() -> None:
    async with dialogue(MODERATING) as (standin, client):
        thread = await adas_thread(standin, client)
        edited = await thread.edit(archived=True, locked=True, name="done")
        assert (edited.archived, edited.locked, edited.name) == (True, True, "done")
        assert await code_of(thread.edit(name="other")) == 50083
        edited = await thread.edit(archived=False)
        assert (edited.archived, edited.locked) == (False, True)
        await thread.send("I may")


async def test_without_managing_threads_a_bot_edits_its_own_and_revives_others() -> None:
    async with dialogue() as (standin, client):
        others = await adas_thread(standin, client)
        assert await code_of(others.edit(archived=True)) == 50013
        standin.archive_thread(str(others.id))
        assert not (await others.edit(archived=False)).archived
        own = await client.text_channel().create_thread(name="own", type=discord.ChannelType.public_thread)
        assert (await own.edit(name="renamed", archived=True)).archived
        assert await code_of(own.edit(locked=True)) == 50013


async def test_a_client_that_comes_later_does_not_know_archived_threads() -> None:
    async with dialogue() as (standin, client):
        thread = await adas_thread(standin, client)
        standin.archive_thread(str(thread.id))
        await client.until(lambda: client.text_channel().get_thread(thread.id) is None)
        await standin.invalidate_sessions()
        await client.until_heard("ready", 2)
        assert client.text_channel().threads == []
        assert isinstance(await client.fetch_channel(thread.id), discord.Thread)


async def test_threads_have_permissions_of_their_own() -> None:
    async with dialogue() as (standin, client):
        thread = await adas_thread(standin, client)
        general, bot = standin.channel("general"), standin.bot_id
        standin.set_permissions(general, bot, deny=Permission.SEND_MESSAGES)
        await thread.send("not forbidden here")
        standin.set_permissions(general, bot, deny=Permission.SEND_MESSAGES_IN_THREADS)
        assert await code_of(thread.send("forbidden here")) == 50013
        standin.set_permissions(general, bot, deny=Permission.CREATE_PUBLIC_THREADS)
        question = await standin.say(standin.user("Ada"), general, "long story")
        message = client.text_channel().get_partial_message(int(question["id"]))
        assert await code_of(message.create_thread(name="story")) == 50013
        await standin.start_thread(standin.user("Ada"), general, "story", message_id=question["id"])
        with pytest.raises(ApiError, match="160004"):
            await standin.start_thread(standin.user("Ada"), general, "again", message_id=question["id"])


async def test_a_deleted_thread_is_gone_for_the_client() -> None:
    async with dialogue() as (standin, client):
        thread = await adas_thread(standin, client)
        await thread.send("hello")
        standin.delete_channel(str(thread.id))
        await client.until(lambda: client.text_channel().get_thread(thread.id) is None)
        assert await code_of(thread.send("hello?")) == 10003

"""What is taken from the bot while it answers: the channel, its permissions, the question, a person's DMs, time."""

from __future__ import annotations

import aiohttp
import discord
import pytest

from bot.playground.standin import ApiError, Permission, Standin, StandinConfig
from tests.playground.standin_dialogue import MovedClock, dialogue, raw_rest
from tests.playground.test_standin_threads import code_of


async def test_in_a_deleted_channel_everything_is_unknown() -> None:
    async with dialogue() as (standin, client):
        channel = client.text_channel()
        file = discord.File(fp=__file__, filename="code.py")
        message = await channel.send("an answer", file=file)
        thread = await message.create_thread(name="aside")
        stored = standin.message(str(message.id))["attachments"][0]["id"]
        standin.delete_channel(standin.channel("general"))
        await client.until(lambda: discord.utils.get(client.get_all_channels(), name="general") is None)
        for call in (
            channel.send("more"),
            message.edit(content="more"),
            message.delete(),
            channel.typing(),
            thread.send("x"),
        ):
            assert await code_of(call) == 10003
        with pytest.raises(KeyError):
            standin.attachment(stored)
        with pytest.raises(ApiError, match="10003"):
            await standin.say(standin.user("Ada"), str(channel.id), "hello?")


async def test_an_interaction_dies_with_its_channel() -> None:
    async with dialogue() as (standin, client):
        view = discord.ui.View(timeout=None)
        view.add_item(discord.ui.Button(label="Stop", custom_id="stop"))
        message = await client.text_channel().send("working", view=view)
        pressed = await standin.press(standin.user("Ada"), str(message.id), "stop")
        standin.delete_channel(standin.channel("general"))
        async with raw_rest(standin) as session:
            url = f"{standin.api_url}/interactions/{pressed.id}/{pressed.token}/callback"
            async with session.post(url, json={"type": 4, "data": {"content": "x"}}) as response:
                assert (response.status, (await response.json())["code"]) == (404, 10003)


@pytest.mark.parametrize(("taken", "code"), [(Permission.SEND_MESSAGES, 50013), (Permission.VIEW_CHANNEL, 50001)])
async def test_permissions_can_be_taken_away_in_the_middle(taken: Permission, code: int) -> None:
    async with dialogue() as (standin, client):
        channel = client.text_channel()
        await channel.send("first")
        standin.set_permissions(standin.channel("general"), standin.bot_id, deny=taken)
        assert await code_of(channel.send("second")) == code
        await client.until_heard("channel_update")


async def test_an_own_message_can_be_edited_where_no_more_may_be_sent() -> None:
    async with dialogue() as (standin, client):
        message = await client.text_channel().send("first")
        standin.set_permissions(standin.channel("general"), standin.bot_id, deny=Permission.SEND_MESSAGES)
        await message.edit(content="last")


async def test_a_question_that_is_deleted_cannot_be_replied_to() -> None:
    async with dialogue() as (standin, client):
        ada = standin.user("Ada")
        question = await standin.say(ada, standin.channel("general"), "question")
        message = client.text_channel().get_partial_message(int(question["id"]))
        await standin.delete(question["id"], by=ada)
        assert await code_of(message.reply("answer")) == 50035
        reference = message.to_reference(fail_if_not_exists=False)
        assert (await client.text_channel().send("answer", reference=reference)).reference is None


async def test_a_person_who_takes_no_dms_gets_none() -> None:
    async with dialogue() as (standin, client):
        ada = standin.user("Ada")
        dm = await client.create_dm(discord.Object(int(ada.id)))
        message = await dm.send("hello")
        standin.close_dms(ada)
        assert await code_of(dm.send("hello?")) == 50007
        await message.edit(content="hello!")
        await standin.say(ada, standin.dm(ada), "I only write")
        standin.close_dms(ada, closed=False)
        await dm.send("thanks")


async def test_a_message_can_be_made_older_than_an_hour() -> None:
    time = MovedClock()
    async with Standin(StandinConfig(clock=time.clock())) as standin, raw_rest(standin) as session:
        url = f"{standin.api_url}/channels/{standin.channel('general').id}/messages"
        async with session.post(url, json={"content": "old"}) as response:
            message_id = (await response.json())["id"]
        standin.age_message(message_id, 3601)
        codes = [await _edit(session, f"{url}/{message_id}", str(n)) for n in range(4)]
        assert codes == [None, None, None, 30046]


async def _edit(session: aiohttp.ClientSession, url: str, content: str) -> int | None:
    async with session.patch(url, json={"content": content}) as response:
        code: int | None = (await response.json()).get("code")
        return code

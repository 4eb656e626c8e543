"""Webhooks and application emoji: the bot's own and other people's, as the real discord.py client uses them."""

from __future__ import annotations

import base64
from typing import Any

import aiohttp
import discord
import pytest

from bot.playground.standin import Permission, StandinConfig, WorldConfig
from bot.playground.standin.permissions import MEMBER_DEFAULT
from tests.playground.standin_dialogue import dialogue, raw_rest
from tests.playground.test_standin_threads import code_of

MANAGING = StandinConfig(world=WorldConfig(bot_permissions=MEMBER_DEFAULT | Permission.MANAGE_WEBHOOKS), buckets={})
LIMITED = StandinConfig(world=MANAGING.world)
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=")


def button(custom_id: str) -> discord.ui.View:
    view = discord.ui.View(timeout=None)
    view.add_item(discord.ui.Button(label="Stop", custom_id=custom_id))
    return view


async def test_a_webhook_writes_edits_and_deletes_under_another_name_and_picture() -> None:
    async with dialogue(MANAGING) as (standin, client):
        webhook = await client.text_channel().create_webhook(name="Personas")
        sent = await webhook.send("arr", username="Pirate", avatar_url="https://a.example/p.png", wait=True)
        heard = await client.next_message()
        assert (heard.author.display_name, heard.author.bot, heard.webhook_id) == ("Pirate", True, webhook.id)
        assert str(heard.application_id) == standin.bot_id
        assert heard.author.id == webhook.id
        assert heard.author.avatar is not None
        await sent.edit(content="arr!")
        assert (await webhook.fetch_message(sent.id)).content == "arr!"
        await webhook.delete_message(sent.id)
        assert standin.messages(standin.channel("general")) == []
        assert await code_of(webhook.edit_message(sent.id, content="gone")) == 10008


async def test_without_wait_nothing_comes_back_and_the_message_is_there() -> None:
    async with dialogue(MANAGING) as (standin, client):
        webhook = await client.text_channel().create_webhook(name="Personas")
        await webhook.send("quiet")
        assert standin.calls[-1].status == 204
        (message,) = standin.messages(standin.channel("general"))
        assert (message["author"]["username"], message["content"]) == ("Personas", "quiet")


async def test_a_webhook_pings_people_only_when_nothing_is_said_and_nobody_by_being_replied_to() -> None:
    async with dialogue(MANAGING) as (standin, client):
        ada, general = standin.user("Ada"), standin.channel("general")
        webhook = await client.text_channel().create_webhook(name="Personas")
        sent = await webhook.send(f"@everyone {ada.mention}", wait=True)
        message = standin.message(str(sent.id))
        assert (message["mention_everyone"], [user["id"] for user in message["mentions"]]) == (False, [ada.id])
        reply = await standin.say(ada, general, "what?", reply_to=str(sent.id))
        assert (reply["referenced_message"]["webhook_id"], reply["mentions"]) == (str(webhook.id), [])


async def test_in_a_thread_a_webhook_needs_the_threads_id() -> None:
    async with dialogue(MANAGING) as (standin, client):
        webhook = await client.text_channel().create_webhook(name="Personas")
        thread = await client.text_channel().create_thread(name="aside", type=discord.ChannelType.public_thread)
        sent = await webhook.send("here", thread=thread, wait=True)
        assert standin.message(str(sent.id))["channel_id"] == str(thread.id)
        await webhook.edit_message(sent.id, content="there", thread=thread)
        assert await code_of(webhook.edit_message(sent.id, content="lost")) == 10008
        assert await code_of(webhook.send("x", thread=discord.Object(5))) == 10003


async def test_buttons_of_the_bots_webhook_reach_the_bot() -> None:
    async with dialogue(MANAGING) as (standin, client):
        webhook = await client.text_channel().create_webhook(name="Personas")

        async def pressed(interaction: discord.Interaction) -> None:
            await interaction.response.edit_message(content="stopped", view=None)

        view = button("stop")
        view.children[0].callback = pressed  # type: ignore[method-assign]
        sent = await webhook.send("working", view=view, wait=True)
        await (await standin.press(standin.user("Ada"), str(sent.id), "stop")).answered()
        assert standin.message(str(sent.id))["content"] == "stopped"


async def test_a_foreign_webhook_has_no_buttons() -> None:
    async with dialogue(MANAGING) as (standin, client):
        general = standin.channel("general")
        made = standin.add_webhook(general, "News", by=standin.user("Ada"))
        await standin.execute_webhook(made, "breaking", username="Reuters", embeds=[{"title": "x"}])
        heard = await client.next_message()
        assert (heard.author.display_name, heard.webhook_id, heard.application_id) == ("Reuters", int(made.id), None)
        (webhook,) = await client.text_channel().webhooks()
        assert (webhook.name, webhook.user and webhook.user.display_name) == ("News", "Ada")
        url = f"{standin.api_url}/webhooks/{made.id}/{made.token}"
        rows: list[Any] = [{"type": 1, "components": [{"type": 2, "style": 2, "label": "x", "custom_id": "x"}]}]
        async with aiohttp.ClientSession() as session:
            async with session.post(url, json={"content": "a", "components": rows}) as response:
                assert response.status == 204
            assert standin.messages(general)[-1]["components"] == []
            params = {"with_components": "true"}
            async with session.post(url, json={"content": "a", "components": rows}, params=params) as response:
                assert response.status == 400


async def test_making_webhooks_needs_the_permission_and_has_an_end() -> None:
    async with dialogue() as (_, client):
        assert await code_of(client.text_channel().create_webhook(name="Personas")) == 50013
        assert await code_of(client.text_channel().webhooks()) == 50013
    async with dialogue(MANAGING) as (_, client):
        for _nr in range(15):
            await client.text_channel().create_webhook(name="Personas")
        assert await code_of(client.text_channel().create_webhook(name="Personas")) == 30007
        assert len(await client.text_channel().webhooks()) == 15


@pytest.mark.parametrize("name", ["Clyde", "my discord bot", "", "x" * 81])
async def test_names_that_look_like_discords_own_are_refused(name: str) -> None:
    async with dialogue(MANAGING) as (standin, client):
        webhook = await client.text_channel().create_webhook(name="Personas")
        url = f"{standin.api_url}/channels/{standin.channel('general').id}/webhooks"
        async with raw_rest(standin) as session:
            if len(name) in range(1, 81):  # others break the published schema too
                async with session.post(url, json={"name": name}) as response:
                    assert (response.status, (await response.json())["code"]) == (400, 50035)
                assert await code_of(webhook.send("x", username=name)) == 50035
                assert await code_of(webhook.edit(name=name)) == 50035


async def test_a_deleted_webhook_is_unknown_and_a_wrong_token_is_no_key() -> None:
    async with dialogue(MANAGING) as (standin, client):
        webhook = await client.text_channel().create_webhook(name="Personas")
        wrong = discord.Webhook.partial(webhook.id, "x" * 68, client=client)
        assert await code_of(wrong.send("x")) == 50027
        standin.remove_webhook(str(webhook.id))
        assert await code_of(webhook.send("x")) == 10015
        other = await client.text_channel().create_webhook(name="Personas")
        await other.delete()
        assert await code_of(client.fetch_webhook(other.id)) == 10015


async def test_a_webhook_can_be_read_and_renamed() -> None:
    async with dialogue(MANAGING) as (_, client):
        webhook = await client.text_channel().create_webhook(name="Personas", avatar=PNG)
        assert (await webhook.fetch()).avatar is not None
        assert (await webhook.edit(name="Voices", avatar=None)).name == "Voices"
        assert (await webhook.fetch(prefer_auth=False)).avatar is None


async def test_each_webhook_has_a_rate_bucket_of_its_own() -> None:
    async with dialogue(LIMITED) as (standin, client):
        webhook = await client.text_channel().create_webhook(name="Personas")
        url = f"{standin.api_url}/webhooks/{webhook.id}/{webhook.token}"
        async with aiohttp.ClientSession() as session:
            statuses = []
            for nr in range(6):
                async with session.post(url, json={"content": str(nr)}) as response:
                    statuses.append(response.status)
        assert statuses == [204] * 5 + [429]


async def test_application_emoji_are_made_listed_served_and_deleted() -> None:
    async with dialogue() as (standin, client):
        made = await client.create_application_emoji(name="pirate", image=PNG)
        assert [(emoji.name, emoji.animated) for emoji in await client.fetch_application_emojis()] == [
            ("pirate", False)
        ]
        address = f"{standin.api_url.removesuffix('/api/v10')}/emojis/{made.id}.png"
        async with aiohttp.ClientSession() as session, session.get(address) as response:
            assert (response.content_type, await response.read()) == ("image/png", PNG)
        assert await code_of(client.create_application_emoji(name="pirate", image=PNG)) == 50035
        assert (await client.fetch_application_emoji(made.id)).name == "pirate"
        await made.delete()
        assert await client.fetch_application_emojis() == []
        assert await code_of(client.fetch_application_emoji(made.id)) == 10014


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("no spaces", "data:image/png;base64," + base64.b64encode(PNG).decode()),
        ("plain", "not a picture"),
        ("text", "data:text/plain;base64,eA=="),
        ("large", "data:image/png;base64," + base64.b64encode(bytes(256 * 1024 + 1)).decode()),
    ],
)
async def test_an_emoji_needs_a_plain_name_and_a_small_picture(name: str, image: str) -> None:
    async with dialogue() as (standin, _), raw_rest(standin) as session:
        url = f"{standin.api_url}/applications/{standin.bot_id}/emojis"
        async with session.post(url, json={"name": name, "image": image}) as response:
            assert (response.status, (await response.json())["code"]) == (400, 50035)
        async with session.get(f"{standin.api_url}/applications/5/emojis") as response:
            assert (response.status, (await response.json())["code"]) == (404, 10002)

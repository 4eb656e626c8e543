"""discord.py's messages as plain values: real ones, which the client got from the stand-in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import discord
import pytest

from bot.conversation.history import Attachment, Embed, Forwarded, PastMessage, Poll, Quote, Reaction
from bot.conversation.transcript import told
from bot.gateway.reading.messages import Reader, is_said, own_words, sent_along
from bot.playground.standin import Standin
from bot.playground.standin.contents import Poll as NewPoll
from bot.playground.standin.contents import Upload
from bot.playground.standin.permissions import Permission
from tests.playground.standin_dialogue import Listener, dialogue


class Room:
    def __init__(self, standin: Standin, client: Listener) -> None:
        self.standin, self.client = standin, client
        self.ada, self.bo = standin.user("Ada"), standin.add_person("Bo")
        self.general = standin.channel("general")

    async def message(self, said: dict[str, Any]) -> discord.Message:
        """As the client fetches it."""
        channel = self.client.get_partial_messageable(int(said["channel_id"]), guild_id=int(self.standin.guild.id))
        return await channel.fetch_message(int(said["id"]))

    async def heard(self, said: dict[str, Any]) -> discord.Message:
        """As the gateway told of it."""

        def found() -> list[discord.Message]:
            return [message for message in self.client.cached_messages if message.id == int(said["id"])]

        await self.client.until(found)
        return found()[0]

    async def read(self, said: dict[str, Any]) -> PastMessage:
        message = await self.message(said)
        return Reader(self.client, message).of_somebody(message, sent_along(message))

    async def say(self, text: str = "", **more: Any) -> PastMessage:
        return await self.read(await self.standin.say(self.ada, self.general, text, **more))


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with dialogue() as (standin, client):
        yield Room(standin, client)


async def test_who_said_what(room: Room) -> None:
    said = await room.standin.say(room.ada, room.general, "  Hello.\n")
    assert await room.read(said) == PastMessage(int(said["id"]), int(room.ada.id), "Ada", "Hello.")


async def test_mentions_are_names_and_the_one_that_addresses_us_is_gone(room: Room) -> None:
    us, bo = room.standin.mention, room.bo.mention
    role = room.standin.add_role("mods")
    for text, words in {
        f"{us} hi": "hi",
        f"{us}, {us}: hi": "hi",
        f"hi {us}!": "hi @Parley!",
        f"{bo} {us} hi": f"@Bo ({room.bo.id}) @Parley hi",
        us: "",
        f"ask {bo} or <@77>": f"ask @Bo ({room.bo.id}) or @unknown (77)",
        f"<@&{role.id}> <#{room.general.id}> <#77>": "@mods #general #unknown-channel",
        f"`{bo}` <:wave:77>": f"`{bo}` :wave:",
    }.items():
        assert (await room.say(text)).text == words


async def test_the_name_of_a_channel_that_not_everybody_sees_is_not_told(room: Room) -> None:
    hidden = room.standin.add_channel("board-secrets")
    everyone = room.standin.guild.id
    room.standin.set_permissions(hidden, everyone, deny=Permission.VIEW_CHANNEL)
    await room.client.until_heard("channel_update")
    assert (await room.say(f"<#{hidden.id}>")).text == "#unknown-channel"


async def test_a_person_has_one_name_whether_a_message_was_heard_or_fetched(room: Room) -> None:
    """What is fetched does not have the names of the server, as the client caches no members."""
    room.standin.set_nick(room.ada, "Countess")
    said = await room.standin.say(room.ada, room.general, "Hello.")
    heard, fetched = await room.heard(said), await room.message(said)
    assert (heard.author.display_name, fetched.author.display_name) == ("Countess", "Ada")
    reader = Reader(room.client, heard)
    assert reader.of_somebody(fetched, sent_along(fetched)) == reader.of_somebody(heard, sent_along(heard))
    assert (await room.say(f"I am {room.ada.mention}")).text == f"I am @Countess ({room.ada.id})"
    assert told(await room.say("hi")) == f"Countess ({room.ada.id}): hi"


async def test_people_with_the_same_name_are_two(room: Room) -> None:
    other = room.standin.add_person("Ada", username="ada2")
    said = await room.standin.say(other, room.general, "hi")
    assert told(await room.read(said)) == f"Ada ({other.id}): hi"
    assert told(await room.say("hi")) == f"Ada ({room.ada.id}): hi"


async def test_bots_and_foreign_webhooks_are_bots(room: Room) -> None:
    bot = room.standin.add_bot("Robo")
    webhook = room.standin.add_webhook(room.general, "News", by=room.ada)
    by_bot = await room.read(await room.standin.say(bot, room.general, "beep"))
    by_webhook = await room.read(await room.standin.execute_webhook(webhook, "extra", username="Paper"))
    assert (by_bot.author_name, by_bot.is_bot, by_bot.is_me) == ("Robo", True, False)
    assert (by_webhook.author_name, by_webhook.is_bot, by_webhook.is_me) == ("Paper", True, False)
    assert not (await room.say("hi")).is_bot


async def test_a_webhook_of_ours_is_us(room: Room) -> None:
    room.standin.set_permissions(room.general, room.standin.bot_id, allow=Permission.MANAGE_WEBHOOKS)
    webhook = await room.client.text_channel().create_webhook(name="personas")
    ours = await webhook.send("hello from Ann", username="Ann", wait=True)
    foreign = room.standin.add_webhook(room.general, "News", by=room.ada)
    theirs = await room.standin.execute_webhook(foreign, "hello", username="Parley")
    reader = Reader(room.client, await room.message({"id": str(ours.id), "channel_id": room.general.id}))
    assert reader.is_ours(await room.message({"id": str(ours.id), "channel_id": room.general.id}))
    assert not reader.is_ours(await room.message(theirs))


async def test_files_with_what_is_said_of_them(room: Room) -> None:
    picture = Upload(filename="cat.png", data=b"12345", content_type="image/webp", description="a cat")
    read = await room.say(attachments=[picture])
    (file,) = read.attachments
    assert file == Attachment(
        file.attachment_id, read.message_id, int(room.general.id), "cat.png", 5, file.url, "image/webp", "a cat"
    )
    (voice,) = (await room.read(await room.standin.speak(room.ada, room.general, b"Ogg", 2.5))).attachments
    assert (voice.declared_type, voice.voice_seconds) == ("audio/ogg", 2.5)


async def test_embeds_are_their_words(room: Room) -> None:
    preview = {"title": "News", "description": "It <:rains:77>", "url": "https://a.b", "author": {"name": "Ann"}}
    more = {"footer": {"text": "today"}, "fields": [{"name": "Where", "value": "Oslo", "inline": False}]}
    picture = {"type": "image", "url": "https://a.b/cat.png"}
    read = await room.say("see https://a.b", embeds=[preview, {**more, "url": "https://c.d"}, picture])
    assert read.embeds == (
        Embed("News", "It :rains:", "Ann"),
        Embed(footer="today", url="https://c.d", fields=(("Where", "Oslo"),)),
    )


async def test_what_a_person_forwards(room: Room) -> None:
    upload = Upload(filename="cat.png", data=b"12345")
    original = await room.standin.say(
        room.bo, room.general, f"Look, {room.bo.mention}", attachments=[upload], embeds=[{"title": "Cats"}]
    )
    await room.heard(original)
    said = await room.standin.say(room.ada, room.general, forward=original["id"])
    read = await room.read(said)
    assert read.forwarded is not None
    assert (read.text, read.quote, read.attachments) == ("", None, ())
    assert read.forwarded == Forwarded(
        f"Look, @Bo ({room.bo.id})",  # whose name is known from elsewhere: the forward does not have it
        read.forwarded.attachments,
        (Embed("Cats"),),
    )
    (file,) = read.forwarded.attachments
    assert (file.name, file.message_id) == ("cat.png", int(said["id"]))


async def test_a_poll_with_its_votes(room: Room) -> None:
    said = await room.standin.say(room.ada, room.general, poll=NewPoll("Pizza?", ("Yes", "No")))
    assert (await room.read(said)).poll == Poll("Pizza?", ("Yes", "No"), (0, 0))
    await room.standin.vote(room.bo, said["id"], 2)
    await room.standin.end_poll(said["id"])
    assert (await room.read(said)).poll == Poll("Pizza?", ("Yes", "No"), (0, 1), is_over=True)


async def test_stickers_and_reactions(room: Room) -> None:
    said = await room.standin.say(room.ada, room.general, stickers=["Wave"])
    await room.standin.react(room.bo, said["id"], "👍")
    await room.standin.react(room.ada, said["id"], "👍")
    await room.standin.react(room.ada, said["id"], "wave:77")
    read = await room.read(said)
    assert read.stickers == ("Wave",)
    assert read.reactions == (Reaction("👍", 2), Reaction(":wave:", 1))


async def test_a_reply_says_to_what(room: Room) -> None:
    said = await room.standin.say(room.bo, room.general, f"{room.standin.mention} a\n\nb " + "x" * 300)
    read = await room.say("why?", reply_to=said["id"])
    assert read.quote == Quote(int(said["id"]), int(room.bo.id), "Bo", "a b " + "x" * 195 + "…")
    await room.standin.delete(said["id"], by=room.bo)
    gone = await room.read({"id": str(read.message_id), "channel_id": room.general.id})
    assert gone.quote == Quote(int(said["id"]))
    assert told(gone).startswith(f"Ada ({room.ada.id}): (in reply to a message that is gone)")


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ({"attachments": [Upload(filename="cat.png", data=b"1")]}, "[picture]"),
        ({"attachments": [Upload(filename="cat.mp4", data=b"1")]}, "[video]"),
        ({"attachments": [Upload(filename="cat.zip", data=b"1")]}, "[file]"),
        (
            {"attachments": [Upload(filename="cat.ogg", data=b"1", content_type="audio/ogg", seconds=1.0)]},
            "[voice message]",
        ),
        ({"stickers": ["Wave"]}, "[sticker] Wave"),
        ({"poll": NewPoll("Pizza?", ("Yes", "No"))}, "[poll] Pizza?"),
        ({"embeds": [{"title": "Cats"}]}, "[embed]"),
    ],
)
async def test_a_reply_to_what_has_no_text_says_what_it_is(room: Room, what: dict[str, Any], words: str) -> None:
    said = await room.standin.say(room.bo, room.general, **what)
    quote = (await room.say("why?", reply_to=said["id"])).quote
    assert quote is not None
    assert quote.text == words


async def test_a_reply_to_us_quotes_the_answer_without_what_is_not_the_models(room: Room) -> None:
    channel = room.client.text_channel()
    notice = discord.Embed(title="That did not work", description="The service is busy.")
    for ours, words in (
        (await channel.send("Four.\n-# `demo` · 2.1 s"), "Four."),
        (await channel.send(embed=discord.Embed(description="Four.")), "Four."),
        (await channel.send("-# The service is busy."), ""),
        (await channel.send(embed=notice), ""),
        (await channel.send("-# 💭 Thinking …\n||I think.||"), ""),
    ):
        quote = (await room.say("why?", reply_to=str(ours.id))).quote
        assert quote == Quote(ours.id, int(room.standin.bot_id), "Parley", words, is_me=True)


async def test_what_other_bots_write_in_components_is_text(room: Room) -> None:
    view = discord.ui.LayoutView()
    view.add_item(discord.ui.TextDisplay("Results:"))
    view.add_item(discord.ui.Container(discord.ui.TextDisplay("1. Ada"), accent_colour=1))
    message = await room.message(
        {"id": str((await room.client.text_channel().send(view=view)).id), "channel_id": room.general.id}
    )
    assert Reader(room.client, message).of_somebody(message, sent_along(message)).text == "Results:\n1. Ada"
    assert own_words(message) == "", "ours are thoughts, or an answer that the journal has"


async def test_what_discord_says_itself_is_nobodys_word(room: Room) -> None:
    joined = await room.message(room.standin.system_message(room.ada, room.general, 7))
    thread = await room.standin.start_thread(room.ada, room.general, "Cats")
    (created,) = [message async for message in room.client.text_channel().history(limit=1)]
    said = await room.message(await room.standin.say(room.ada, thread, "hi"))
    assert [is_said(message) for message in (joined, created, said)] == [False, False, True]


async def test_in_direct_messages_there_is_no_server_to_ask(room: Room) -> None:
    said = await room.standin.say(
        room.ada, room.standin.dm(room.ada), f"{room.standin.mention} <#77> <@&78> {room.bo.mention}"
    )
    message = await room.heard(said)
    read = Reader(room.client, message).of_somebody(message, sent_along(message))
    assert told(read) == f"Ada ({room.ada.id}): #unknown-channel @unknown-role @Bo ({room.bo.id})"

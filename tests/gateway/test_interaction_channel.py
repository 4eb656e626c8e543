"""The place of a command as a turn sees it, in all places where people can use one: discord.py's own client on the stand-in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import discord
import pytest

from bot.conversation.aside import Surroundings
from bot.conversation.history import PastMessage
from bot.delivery.interaction_sender import ResponseToken
from bot.delivery.outcome import Fate
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.plan import Button, Create, Edit, MessagePlan
from bot.gateway.channel import ChannelParts
from bot.gateway.interaction_channel import (
    InteractionChannel,
    asked_before,
    asked_message,
    deferred_token,
    press_token,
)
from bot.gateway.private_notices import PrivateNotices
from bot.gateway.webhooks import Webhooks
from bot.localization import Translator
from bot.playground.standin.contents import Upload
from bot.playground.standin.permissions import Permission
from bot.preferences import DEFAULTS
from bot.store import Database, TurnJournal
from tests.delivery.desk import GUEST, MEMBER, Desk, Where, open_desk

ENGLISH = Translator().say("en-US")
AGAIN = Button("again", label="Again")


class Counter(Desk):
    journal: TurnJournal

    def channel_of(
        self, interaction: discord.Interaction[Any], question: discord.Message, token: ResponseToken | None = None
    ) -> InteractionChannel:
        client, private = self.client, False
        token = token or deferred_token(interaction, private=private)
        parts = ChannelParts(
            lambda: client, self.journal, Pacer(), PrivateNotices(lambda: client), Webhooks(lambda: client)
        )
        return InteractionChannel(parts, interaction, question, token)

    async def asked(self, text: str = "What is it?", *, private: bool = False, **options: Any) -> InteractionChannel:
        interaction = await self.ask(private=private, **options)
        token = deferred_token(interaction, private=private)
        return self.channel_of(interaction, asked_message(interaction, text), token)


@asynccontextmanager
async def counter(tmp_path: Path, where: Where = Where.SERVER) -> AsyncIterator[Counter]:
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/test.db") as database, open_desk(where) as desk:
        opened = Counter(desk.standin, desk.client, desk.channel, desk.clock)
        opened.journal = TurnJournal(database)
        yield opened


async def write(channel: InteractionChannel, *texts: str, slot: int = 0) -> list[Fate]:
    sender = channel.sender(DEFAULTS, ENGLISH)
    plans = enumerate((MessagePlan(text, buttons=(AGAIN,)) for text in texts), start=slot)
    return [(await sender.send(Create(nr, plan), "turn")).fate for nr, plan in plans]


def heard(messages: Any) -> list[tuple[str, str]]:
    return [(message.author_name, message.text) for message in messages]


# ------------------------------------------------------------------------------------------------------- what is asked


@pytest.mark.parametrize("where", Where)
async def test_the_question_is_a_message_of_who_asked_with_its_place_in_time(tmp_path: Path, where: Where) -> None:
    async with counter(tmp_path, where) as desk:
        interaction = await desk.ask()
        question = await desk.channel_of(interaction, asked_message(interaction, " What is it? ")).history().question()
        expected = PastMessage(interaction.id, int(desk.ada.id), "Ada", "What is it?")
        assert question == expected
        later = await desk.standin.say(desk.ada, desk.channel, "x") if where in MEMBER else {"id": "9" * 19}
        assert interaction.id < int(later["id"])


async def test_a_file_is_the_questions(tmp_path: Path) -> None:
    async with counter(tmp_path, Where.ABROAD) as desk:
        interaction = await desk.ask(file=Upload(filename="a.txt", data=b"abc", content_type="text/plain"))
        files = [interaction.namespace.file]
        question = await desk.channel_of(interaction, asked_message(interaction, "x", files)).history().question()
        (attached,) = question.attachments
        assert (attached.name, attached.size, attached.declared_type) == ("a.txt", 3, "text/plain")


@pytest.mark.parametrize("where", [Where.SERVER, Where.THREAD, Where.DIRECT])
async def test_where_the_bot_is_the_channel_is_read_up_to_the_question(tmp_path: Path, where: Where) -> None:
    async with counter(tmp_path, where) as desk:
        await desk.standin.say(desk.ada, desk.channel, "Before.")
        channel = await desk.asked()
        await desk.standin.say(desk.ada, desk.channel, "After.")
        recent = await channel.history().recent(10)
        assert ("Ada", "Before.") in heard(recent)
        assert "After." not in [message.text for message in recent]


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        (Where.SERVER, Surroundings("Playground", "general")),
        (Where.THREAD, Surroundings("Playground", "general", thread="talk")),
        (Where.DIRECT, Surroundings()),
        (Where.ABROAD, Surroundings("unnamed", "elsewhere")),
        (Where.FRIENDS, Surroundings(among_others=True)),
        (Where.GROUP, Surroundings(among_others=True)),
    ],
)
async def test_it_is_known_where_it_was_asked(tmp_path: Path, where: Where, expected: Surroundings) -> None:
    async with counter(tmp_path, where) as desk:
        assert (await desk.asked()).surroundings == expected


@pytest.mark.parametrize("where", GUEST)
async def test_where_it_is_not_nothing_is_read_and_nothing_is_asked_for(tmp_path: Path, where: Where) -> None:
    async with counter(tmp_path, where) as desk:
        history = (await desk.asked()).history()
        calls = len(desk.standin.calls)
        assert list(await history.recent(10)) == []
        assert list(await history.reply_chain(10)) == []
        assert len(desk.standin.calls) == calls


@pytest.mark.parametrize("where", Where)
async def test_the_message_that_it_is_about_is_what_it_replies_to(tmp_path: Path, where: Where) -> None:
    async with counter(tmp_path, where) as desk:
        said = await desk.standin.say(
            desk.standin.user("Bo") if where is not Where.DIRECT else desk.ada, desk.channel, "Look!"
        )
        interaction = await desk.ask_about(said["id"])
        about = desk.client.target
        history = desk.channel_of(interaction, asked_message(interaction, "What is that?", about=about)).history()
        assert [message.text for message in await history.reply_chain(10)] == ["Look!"]
        quote = (await history.question()).quote
        assert quote is not None
        assert (quote.message_id, quote.text) == (int(said["id"]), "Look!")
        if where in GUEST:
            assert not desk.calls("GET", "/messages"), "there is nobody to ask"


# --------------------------------------------------------------------------------------------------------- what is told


@pytest.mark.parametrize("where", Where)
async def test_the_answer_stands_where_it_was_asked_for(tmp_path: Path, where: Where) -> None:
    async with counter(tmp_path, where) as desk:
        channel = await desk.asked()
        assert channel.may_embed
        assert await write(channel, "One", "Two") == [Fate.DONE] * 2
        assert desk.texts == ["One", "Two"]
        assert channel.pacing_place() < 0


@pytest.mark.parametrize("where", Where)
async def test_when_nothing_comes_of_it_nobody_is_left_thinking(tmp_path: Path, where: Where) -> None:
    async with counter(tmp_path, where) as desk:
        channel = await desk.asked()
        assert len(desk.ours) == 1
        await channel.settle()
        await channel.settle()
        assert desk.ours == []


async def test_an_answer_that_stands_stays_when_it_is_over(tmp_path: Path) -> None:
    async with counter(tmp_path) as desk:
        channel = await desk.asked()
        await write(channel, "One")
        await channel.settle()
        assert desk.texts == ["One"]


@pytest.mark.parametrize("where", Where)
@pytest.mark.parametrize("written", [False, True])
async def test_what_only_the_asker_should_hear_is_whispered(tmp_path: Path, where: Where, written: bool) -> None:
    async with counter(tmp_path, where) as desk:
        channel = await desk.asked()
        if written:
            await write(channel, "One")
        await channel.tell_asker("It broke.")
        assert desk.texts == (["One", "It broke."] if written else ["It broke."])
        if where is not Where.DIRECT:
            assert desk.seen_by_others == (["One"] if written else [])


async def test_when_the_token_is_over_it_is_told_by_direct_message(tmp_path: Path) -> None:
    async with counter(tmp_path, Where.ABROAD) as desk:
        channel = await desk.asked()
        desk.expire()
        await channel.tell_asker("It broke.")
        direct = desk.standin.messages(desk.standin.dm(desk.ada))
        assert [message["content"] for message in direct] == ["It broke."]


@pytest.mark.parametrize("where", MEMBER)
async def test_an_answer_that_takes_longer_than_the_token_goes_on_where_the_bot_may_write(
    tmp_path: Path, where: Where
) -> None:
    async with counter(tmp_path, where) as desk:
        channel = await desk.asked()
        await write(channel, "One")
        desk.expire()
        assert await write(channel, "Two", slot=1) == [Fate.DONE]
        assert desk.texts == ["One", "Two"]


async def test_and_ends_where_it_may_not(tmp_path: Path) -> None:
    async with counter(tmp_path) as desk:
        desk.standin.set_permissions(desk.channel, desk.standin.bot_id, deny=Permission.SEND_MESSAGES)
        await desk.client.until_heard("channel_update")
        channel = await desk.asked()
        assert await write(channel, "One") == [Fate.DONE], "a command is answered all the same"
        desk.expire()
        assert await write(channel, "Two", slot=1) == [Fate.EXPIRED]


@pytest.mark.parametrize(("where", "private"), [(Where.SERVER, True), *((guest, False) for guest in GUEST)])
async def test_thoughts_of_what_is_private_or_far_away_stand_nowhere_else(
    tmp_path: Path, where: Where, private: bool
) -> None:
    async with counter(tmp_path, where) as desk:
        channel = await desk.asked(private=private)
        random = desk.standin.channel("random")
        assert channel.elsewhere(int(random.id)) is None
        assert await channel.thread_at(int(desk.ours[0]["id"]), "Thoughts") is None


async def test_those_of_a_public_answer_may(tmp_path: Path) -> None:
    async with counter(tmp_path) as desk:
        channel = await desk.asked()
        await write(channel, "One")
        elsewhere = channel.elsewhere(int(desk.standin.channel("random").id))
        thread = await channel.thread_at(int(desk.ours[0]["id"]), "Thoughts")
        assert elsewhere is not None
        assert thread is not None
        for place in (elsewhere, thread):
            assert (await place.send(Create(0, MessagePlan("I think.")), "turn")).fate is Fate.DONE


# -------------------------------------------------------------------------------------------------------------- presses


@pytest.mark.parametrize("where", GUEST)
async def test_a_press_writes_over_the_message_with_the_button_where_nothing_else_can(
    tmp_path: Path, where: Where
) -> None:
    async with counter(tmp_path, where) as desk:
        asked = await desk.ask()
        await write(desk.channel_of(asked, asked_message(asked, "What is it?")), "Old")
        desk.expire()
        message_id = int(desk.ours[0]["id"])
        press = await desk.press(message_id, "again")
        question = asked_before(press, asked.id, int(desk.ada.id), "What is it?")
        channel = desk.channel_of(press, question, press_token(press))
        expected = PastMessage(asked.id, int(desk.ada.id), "Ada", "What is it?")
        assert await channel.history().question() == expected
        edit = Edit(0, message_id, MessagePlan("New"))
        assert (await channel.sender(DEFAULTS, ENGLISH).send(edit, "again")).fate is Fate.DONE
        assert await write(channel, "more", slot=1) == [Fate.DONE]
        assert desk.texts == ["New", "more"]


@pytest.mark.parametrize("private", [False, True])
async def test_a_press_where_the_bot_is_changes_all_of_the_answer(tmp_path: Path, private: bool) -> None:
    """Of a private one only what it may: the message with the button."""
    async with counter(tmp_path) as desk:
        channel = await desk.asked(private=private)
        await write(channel, "One", "Two")
        first, last = (int(message["id"]) for message in desk.ours)
        press = await desk.press(last, "again")
        channel = desk.channel_of(press, asked_before(press, 1, None, "What is it?"), press_token(press))
        assert channel.is_private is private
        sender = channel.sender(DEFAULTS, ENGLISH)
        fates = [
            (await sender.send(Edit(nr, one, MessagePlan("New")), "again")).fate for nr, one in enumerate((first, last))
        ]
        assert fates == [Fate.TOO_OLD if private else Fate.DONE, Fate.DONE]


async def test_a_question_about_a_message_is_about_it_again_after_a_press(tmp_path: Path) -> None:
    async with counter(tmp_path) as desk:
        said = await desk.standin.say(desk.standin.user("Bo"), desk.channel, "Look!")
        asked = await desk.ask_about(said["id"])
        await write(desk.channel_of(asked, asked_message(asked, "What is that?", about=desk.client.target)), "Old")
        press = await desk.press(int(desk.ours[0]["id"]), "again")
        question = asked_before(press, asked.id, int(desk.ada.id), "What is that?")
        chain = await desk.channel_of(press, question, press_token(press)).history().reply_chain(10)
        assert heard(chain) == [("Bo", "Look!")]

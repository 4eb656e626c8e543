"""In a thread, what it was opened at comes first."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest

from bot.playground.standin.records import Channel
from bot.store import VersionEnd
from tests.gateway.reading.history_room import Room, opened

WRITTEN = "Miso is a cat.\n\n| name | size |\n|---|---|\n| Miso | 4 kg |"


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with opened(tmp_path) as room:
        yield room


async def in_thread(room: Room, thread: Channel, text: str) -> discord.Message:
    said = await room.standin.say(room.ada, thread, text)
    await room.client.until(lambda: any(message.id == int(said["id"]) for message in room.client.cached_messages))
    return next(message for message in room.client.cached_messages if message.id == int(said["id"]))


async def test_in_a_thread_what_it_was_opened_at_comes_first(room: Room) -> None:
    await room.asked("Unrelated.")
    starter = await room.asked("Cats?")
    thread = await room.standin.start_thread(
        room.ada, room.standin.channel("general"), "Cats", message_id=str(starter.id)
    )
    await in_thread(room, thread, "I like them.")
    question = await in_thread(room, thread, "You?")
    assert await room.recent(question) == [(False, "Cats?"), (False, "I like them.")]
    assert await room.recent(question, most=1) == [(False, "Cats?"), (False, "I like them.")]
    history = room.history(question)
    assert [past.text for past in await history.recent(30, after=starter.id)] == ["I like them."]


async def test_in_a_thread_at_an_answer_its_question_comes_first(room: Room) -> None:
    asked = await room.asked("Who is Miso?")
    shown = await room.answered(asked, ("drawn", 5), ("drawn too", 9), text=WRITTEN)
    thread = await room.standin.start_thread(
        room.ada, room.standin.channel("general"), "Miso", message_id=str(shown[1].id)
    )
    question = await in_thread(room, thread, "More!")
    assert await room.recent(question) == [(False, "Who is Miso?"), (True, WRITTEN)]


async def test_in_a_thread_that_answers_its_starter_the_answer_is_there(room: Room) -> None:
    asked = await room.asked("Who is Miso?")
    thread = await room.standin.start_thread(
        room.ada, room.standin.channel("general"), "Miso", message_id=str(asked.id)
    )
    await room.client.until_heard("thread")
    shown = await room.client.get_partial_messageable(int(thread.id)).send("A cat.")
    assert await room.journal.claim("t1", asked.id, int(thread.id), None)
    await room.journal.finish("t1", 1, VersionEnd("completed", "A cat."), [(shown.id, 6)])
    question = await in_thread(room, thread, "More!")
    assert await room.recent(question) == [(False, "Who is Miso?"), (True, "A cat.")]
    said = await room.standin.say(room.ada, thread, "Why?", reply_to=str(shown.id))
    reply = await room.client.get_partial_messageable(int(thread.id)).fetch_message(int(said["id"]))
    assert await room.chain(reply) == [(False, "Who is Miso?"), (True, "A cat.")]


async def test_in_a_forum_the_post_itself_comes_first(room: Room) -> None:
    forum = room.standin.add_forum("help")
    post = await room.standin.post(room.ada, forum, "Cats", "My cat is ill.")
    await room.client.until_heard("thread")
    for number in range(3):
        await in_thread(room, post, str(number))
    question = await in_thread(room, post, "Well?")
    assert await room.recent(question, most=2) == [(False, "My cat is ill."), (False, "1"), (False, "2")]
    assert await room.recent(question) == [(False, text) for text in ("My cat is ill.", "0", "1", "2")]


async def test_a_thread_that_was_opened_at_nothing_is_read_without(room: Room) -> None:
    thread = await room.standin.start_thread(room.ada, room.standin.channel("general"), "Cats")
    await in_thread(room, thread, "First.")
    assert await room.recent(await in_thread(room, thread, "Second.")) == [(False, "First.")]


async def test_what_discord_says_of_pins_and_threads_is_not_in_the_conversation(room: Room) -> None:
    general = room.standin.channel("general")
    room.standin.system_message(room.ada, general, 7)
    await room.standin.start_thread(room.ada, general, "Cats")
    assert await room.recent(await room.asked("Hi?")) == []

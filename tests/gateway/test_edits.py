"""Edited messages as discord.py tells of them; what becomes of their questions is tests/e2e/test_bursts.py's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, cast

import discord
import pytest

from bot.gateway.edits import NEWS, Edits, is_edit
from bot.playground.standin import Standin
from tests.playground.standin_dialogue import Listener, dialogue


class Room:
    def __init__(self, standin: Standin, client: Listener) -> None:
        self.standin, self.client = standin, client
        self.events: asyncio.Queue[discord.RawMessageUpdateEvent] = asyncio.Queue()

        async def hear(event: discord.RawMessageUpdateEvent) -> None:
            self.events.put_nowait(event)

        client.on_raw_message_edit = hear  # type: ignore[method-assign,assignment]

    async def edited(self) -> discord.RawMessageUpdateEvent:
        async with asyncio.timeout(10):
            return await self.events.get()


@pytest.fixture
async def room() -> AsyncIterator[Room]:
    async with dialogue() as (standin, client):
        yield Room(standin, client)


async def test_an_edit_is_one_once_and_only_while_it_is_news(room: Room) -> None:
    said = await room.standin.say(room.standin.user("Ada"), room.standin.channel("general"), "cats?")
    await room.client.until_heard("message")
    await room.standin.edit(room.standin.user("Ada"), said["id"], "dogs?")
    event = await room.edited()
    before, after = event.cached_message, event.message
    assert before is not None
    assert after.edited_at is not None
    now = after.edited_at
    assert (before.content, after.content) == ("cats?", "dogs?")
    assert is_edit(before, after, now)
    assert not is_edit(after, after, now), "a link preview, a pin, a thread"
    assert not is_edit(None, before, now), "a message that never was edited"
    assert is_edit(None, after, now + NEWS - timedelta(seconds=1))
    assert not is_edit(None, after, now + NEWS)


async def test_what_bots_edit_is_nothing_of_ours(room: Room) -> None:
    """They edit all the time; nobody is even asked whether it was a question."""
    nobody = cast(Any, None)
    edits = Edits(nobody, nobody, nobody, nobody, nobody, nobody)
    mine = await room.client.text_channel().send("One")
    await mine.edit(content="One two")
    event = await room.edited()
    assert event.message.author.bot
    await edits.edited(event)

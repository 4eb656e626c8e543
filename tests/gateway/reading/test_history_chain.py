"""What a question replies to, and what that replies to, and so on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.conversation.transcript import told
from bot.gateway.reading.lookup import MOST_FETCHES
from tests.gateway.reading.history_room import Room, opened


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with opened(tmp_path) as room:
        yield room


async def test_a_chain_of_replies_is_followed_back_with_few_calls_and_each_quotes_the_one_before(room: Room) -> None:
    """Discord sends along what a message replies to, but not what that replies to: one call for two messages."""
    replies = [await room.asked("0")]
    for number in range(1, 6):
        replies.append(await room.asked(str(number), reply_to=replies[-1]))
    await room.restart()
    history, before = room.history(replies[-1]), len(room.standin.calls)
    chain = await history.reply_chain(30)
    assert [past.text for past in chain] == ["0", "1", "2", "3", "4"]
    assert [past.quote and past.quote.text for past in chain] == [None, "0", "1", "2", "3"]
    assert len(room.standin.calls) - before == 2
    await history.question()
    await history.reply_chain(30)
    assert len(room.standin.calls) - before == 2, "nothing is fetched twice in a turn"


async def test_what_was_read_already_is_not_fetched_for_the_chain(room: Room) -> None:
    replies = [await room.asked("0")]
    for number in range(1, 4):
        replies.append(await room.asked(str(number), reply_to=replies[-1]))
    await room.restart()
    history = room.history(replies[-1])
    recent, before = await history.recent(30), len(room.standin.calls)
    assert list(await history.reply_chain(30)) == list(recent)
    assert len(room.standin.calls) == before


async def test_a_chain_is_bounded_however_long_it_is(room: Room) -> None:
    message = await room.asked("0")
    for number in range(1, 2 * MOST_FETCHES + 8):
        message = await room.asked(str(number), reply_to=message)
    await room.restart()
    assert len(await room.history(message).reply_chain(3)) == 3
    history, before = room.history(message), len(room.standin.calls)
    assert len(await history.reply_chain(100)) == 2 * MOST_FETCHES + 1
    assert len(room.standin.calls) - before == MOST_FETCHES


async def test_a_message_that_was_deleted_ends_the_chain_without_a_call(room: Room) -> None:
    first = await room.asked("First.")
    second = await room.asked("Second.", reply_to=first)
    third = await room.asked("Third.", reply_to=second)
    await room.standin.delete(str(first.id), by=room.ada)
    await room.client.until_heard("delete")
    assert await room.chain(third) == [(False, "Second.")]
    await room.standin.delete(str(second.id), by=room.ada)
    await room.client.until_heard("delete", times=2)
    third, before = await room.client.text_channel().fetch_message(third.id), len(room.standin.calls)
    assert await room.chain(third) == []
    assert len(room.standin.calls) == before


async def test_a_reply_that_came_without_what_it_replies_to_is_looked_up(room: Room) -> None:
    first = await room.asked("First.")
    general = room.standin.channel("general")
    said = await room.standin.say(room.ada, general, "Why?", reply_to=str(first.id), is_reply_resolved=False)
    await room.restart()
    question = await room.client.text_channel().fetch_message(int(said["id"]))
    assert question.reference is not None
    assert question.reference.resolved is None
    past = await room.history(question).question()
    assert told(past) == f"Ada ({room.ada.id}): (in reply to Ada ({room.ada.id}): “First.”)\nWhy?"
    assert await room.chain(question) == [(False, "First.")]


async def test_what_cannot_be_read_just_now_is_not_said_to_be_gone(room: Room) -> None:
    first = await room.asked("First.")
    question = await room.asked("Why?", reply_to=first)
    question.reference.resolved = None  # type: ignore[union-attr]
    await room.restart()
    room.standin.fail("GET", f"/messages/{first.id}", status=503, times=10)
    past = await room.history(question).question()
    assert told(past) == f"Ada ({room.ada.id}): Why?"


async def test_what_discord_sent_along_once_counts_where_it_cannot_be_read_anew(room: Room) -> None:
    """As when Discord is down: it may be older than what the client has heard since, but is better than nothing."""
    general = room.standin.channel("general")
    first = await room.asked("First.")
    said = await room.standin.say(room.ada, general, "Why?", reply_to=str(first.id))
    await room.client.until(lambda: "Why?" in room.client.contents())
    heard = next(it for it in room.client.cached_messages if it.id == int(said["id"]))
    await room.restart()
    room.client._connection._messages.append(heard)  # type: ignore[union-attr]
    room.standin.fail("GET", f"/messages/{first.id}", status=503, times=10)
    question = await room.asked("And?", reply_to=heard)
    assert await room.chain(question) == [(False, "First."), (False, "Why?")]

"""Where a conversation begins, and its summary, outlive the process and can be forgotten."""

import pytest

from bot.store import Database, Forgetting
from bot.store.conversations import Conversations, ConversationState


async def test_a_channel_of_which_nothing_is_kept_is_at_its_beginning(database: Database) -> None:
    assert await Conversations(database).get(1) == ConversationState(None, "")


async def test_what_was_put_last_counts_and_what_was_not_put_stays(database: Database) -> None:
    conversations = Conversations(database)
    await conversations.put(1, 7, starts_after=100)
    await conversations.put(1, 7, summary="They met.")
    await conversations.put(1, 7, starts_after=200)
    await conversations.put(2, None, summary="Nothing.")
    again = Conversations(database)
    assert await again.get(1) == ConversationState(200, "They met.")
    assert await again.get(2) == ConversationState(None, "Nothing.")
    await conversations.put(1, 7, summary="")
    assert await again.get(1) == ConversationState(200, "")


async def test_half_an_emoji_in_a_summary_is_kept_as_a_sign_for_what_is_missing(database: Database) -> None:
    conversations = Conversations(database)
    await conversations.put(1, 7, summary="half \ud83d")
    assert await conversations.summarize(2, "half \ud83d", 1, await conversations.summary_begins(2, 7))
    assert [(await conversations.get(nr)).summary for nr in (1, 2)] == ["half \ufffd"] * 2


async def test_a_beginning_never_moves_back(database: Database) -> None:
    """As it would when a slow turn ends after a later one."""
    conversations = Conversations(database)
    await conversations.put(1, 7, starts_after=200)
    await conversations.put(1, 7, starts_after=100)
    assert (await conversations.get(1)).starts_after == 200


async def test_a_summary_takes_the_place_of_what_was_said_while_the_beginning_moves_on(database: Database) -> None:
    conversations = Conversations(database)
    begun = await conversations.summary_begins(1, 7)
    await conversations.put(1, 7, starts_after=200)
    assert await conversations.summarize(1, "They met.", 100, begun)
    assert await conversations.get(1) == ConversationState(200, "They met.")
    begun = await conversations.summary_begins(1, 7)
    assert await conversations.summarize(1, "They met twice.", 300, begun)
    assert await conversations.get(1) == ConversationState(300, "They met twice.")


@pytest.mark.parametrize("first", [True, False])
async def test_a_summary_of_what_was_forgotten_or_begun_anew_since_is_not_kept(database: Database, first: bool) -> None:
    conversations = Conversations(database)
    servers = {1: 8, 2: 8, 3: 7, 4: 7}
    for channel_id, guild_id in () if first else servers.items():
        await conversations.put(channel_id, guild_id, starts_after=50, summary="Before.")
    begun = [await conversations.summary_begins(*channel) for channel in servers.items()]
    await Forgetting(database).server(8)
    await conversations.put(2, 8, starts_after=90)
    await conversations.put(3, 7, starts_after=200, summary="")
    assert await conversations.summarize(4, "Quicker.", 100, begun[3])
    kept = [await conversations.summarize(nr, "A secret.", 100, at) for nr, at in zip((1, 2, 3, 4), begun, strict=True)]
    assert kept == [False] * 4
    assert [(await conversations.get(nr)).summary for nr in (1, 2, 3, 4)] == ["", "", "", "Quicker."]
    assert (await conversations.get(3)).starts_after == 200

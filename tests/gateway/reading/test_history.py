"""What a turn reads of its channel."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest

from bot.conversation.history import PastMessage, Reaction
from bot.conversation.transcript import told
from bot.delivery.error_embeds import fault_embed, notice_embed, undelivered
from bot.delivery.footer import embed_alone
from bot.delivery.layout.live_mark import LIVE_MARK
from bot.delivery.thought_log import SpoilerLog
from bot.localization import Translator
from bot.playground.standin.contents import Poll
from bot.playground.standin.permissions import Permission
from bot.playground.standin.world import Draft
from bot.store import VersionEnd
from tests.gateway.reading.history_room import Room, opened

ENGLISH = Translator().say("en-US")
THOUGHTS = SpoilerLog(ENGLISH)
THOUGHTS.feed("I think.\n" * 900)
WRITTEN = """\
Here it is:

| name | size |
|:-----|-----:|
| Miso | 4 kg |

```python
print("all of the long code")
```

\\(x^2\\) is *done*."""
"""As the model wrote it; what the channel shows is something else."""


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with opened(tmp_path) as room:
        yield room


async def test_an_answer_goes_back_to_the_model_as_it_wrote_it(room: Room) -> None:
    """Not as the channel shows it: with its table drawn, its code in a file, Unicode for LaTeX, and a footer."""
    asked = await room.asked("Who is Miso?")
    table, rest = "Here it is:\n```\nname   size\nMiso   4 kg\n```", "x² is *done*.\n-# `demo` · 2.1 s"
    shown = await room.answered(
        asked, (table, len(table)), (rest, 13), text=WRITTEN, file='print("all of the long code")'
    )
    assert shown[1].attachments[0].filename == "code.py"
    question = await room.asked("Thanks!", reply_to=shown[1])
    expected = [(False, "Who is Miso?"), (True, WRITTEN)]
    assert await room.recent(question) == await room.chain(question) == expected


async def test_the_channel_and_the_reply_chain_tell_of_the_same_answer(room: Room) -> None:
    asked = await room.asked("Who is Miso?")
    shown = await room.answered(asked, ("drawn", 5), ("drawn too", 9), text=WRITTEN)
    for part in shown:
        question = await room.asked("Thanks!", reply_to=part)
        history = room.history(question)
        assert await history.reply_chain(30) == (await history.recent(30))[:2]


async def test_an_answer_whose_text_was_not_kept_is_joined_from_its_messages_without_what_is_ours(room: Room) -> None:
    asked = await room.asked("Count.")
    shown = await room.answered(asked, ("One,", 4), ("two.\n-# `demo` · 2.1 s", 4), ("-# only a footer", 0))
    expected = [(False, "Count."), (True, "One,\ntwo.")]
    question = await room.asked("On.", reply_to=shown[1])
    assert await room.recent(question) == await room.chain(question) == expected


async def test_an_answer_without_a_word_of_the_model_is_none(room: Room) -> None:
    asked = await room.asked("Count.")
    (shown,) = await room.answered(asked, ("I could not reach the model.", 0))
    question = await room.asked("Again?", reply_to=shown)
    assert await room.recent(question) == await room.chain(question) == [(False, "Count.")]


@pytest.mark.parametrize("written", ["\u200b\n\u200b", "\u2800", "\ufeff \u2060"])
async def test_an_answer_in_which_there_is_nothing_to_see_is_none(room: Room, written: str) -> None:
    """CONV-03. The person was told that there was none."""
    asked = await room.asked("Count.")
    (shown,) = await room.answered(asked, ("-# The model sent nothing to show.", 0), text=written)
    question = await room.asked("Again?", reply_to=shown)
    assert await room.recent(question) == await room.chain(question) == [(False, "Count.")]


async def test_messages_of_ours_that_nobody_recorded_are_read_without_footer(room: Room) -> None:
    (shown,) = await room.posted("Hello.\n-# `demo` · 2.1 s")
    question = await room.asked("Hi?", reply_to=shown)
    assert await room.recent(question) == await room.chain(question) == [(True, "Hello.")]


@pytest.mark.parametrize(
    "ours",
    [
        embed_alone(fault_embed(ENGLISH, turn_id="ab12"), may_embed=False).content,
        embed_alone(notice_embed(ENGLISH, "notice-queue-full"), may_embed=False).content,
        undelivered("forbidden", "general", ENGLISH),
        *(plan.content for plan in THOUGHTS.messages(3.0, final=True)),
        f"-# 💭 Thinking …\n||I think.|| {LIVE_MARK}",
    ],
    ids=["a fault", "a full queue", "told privately", *("thoughts" for _ in range(3)), "thoughts of a crashed turn"],
)
async def test_notices_and_thoughts_of_ours_that_nobody_recorded_are_no_answers(room: Room, ours: str) -> None:
    """CONV-19. Nor do they end a chain."""
    asked = await room.asked("First?")
    shown = await asked.reply(ours)
    question = await room.asked("Hi?", reply_to=shown)
    assert await room.recent(question) == await room.chain(question) == [(False, "First?")]


async def test_notices_in_embeds_thoughts_in_components_and_what_answers_a_command_are_no_answers(room: Room) -> None:
    """CONV-19."""
    channel = room.client.text_channel()
    view = discord.ui.LayoutView()
    view.add_item(discord.ui.TextDisplay("-# Thoughts\nI think."))
    notices = [
        await channel.send(embed=discord.Embed(title="That did not work", description="Busy.")),
        await channel.send(view=view),
    ]
    for notice in notices:
        question = await room.asked("Hi?", reply_to=notice)
        assert await room.chain(question) == []
        past = await room.history(question).question()
        assert told(past) == f"Ada ({room.ada.id}): (in reply to you)\nHi?"
    assert {text for _, text in await room.recent(await room.asked("And?"))} == {"Hi?"}


async def test_an_answer_under_which_the_process_died_is_read_without_its_mark(room: Room) -> None:
    await room.posted(f"Hello, I am {LIVE_MARK}")
    assert await room.recent(await room.asked("Hi?")) == [(True, "Hello, I am")]


async def test_an_answer_that_is_partly_out_of_sight_is_whole(room: Room) -> None:
    asked = await room.asked("Who is Miso?")
    await room.answered(asked, ("one", 3), ("two", 3), ("three", 5), text=WRITTEN)
    assert await room.recent(await room.asked("Thanks!"), most=1) == [(True, WRITTEN)]


async def test_an_earlier_question_that_was_answered_while_this_one_waited_has_its_answer(room: Room) -> None:
    first, second = await room.asked("First?"), await room.asked("Second?")
    await room.answered(first, ("drawn", 5), text="One.")
    await room.asked("Meanwhile.")
    assert await room.recent(second) == [(False, "First?"), (True, "One.")]


async def test_an_old_question_is_read_with_what_was_before_it_however_much_came_since(room: Room) -> None:
    """To answer it anew, or to go on. What answered it so far is not there: to go on, the model gets it as a beginning."""
    await room.answered(await room.asked("First?"), ("drawn", 5), text="One.")
    old = await room.asked("Second?")
    await room.answered(old, ("drawn", 5), text="Two, th")
    for number in range(5):
        await room.asked(f"Later {number}.")
    assert await room.recent(old, most=3) == [(False, "First?"), (True, "One.")]


async def test_of_an_answer_with_versions_the_shown_one_counts(room: Room) -> None:
    asked = await room.asked("Count.")
    (shown,) = await room.answered(asked, ("One.", 4), text="One.")
    turn_id = await room.journal.turn_of(shown.id)
    assert turn_id is not None
    assert await room.journal.begin_version(turn_id) == 2
    await room.journal.finish(turn_id, 2, VersionEnd("completed", "Two."), [(shown.id, 4)])
    question = await room.asked("On.")
    assert await room.recent(question) == [(False, "Count."), (True, "Two.")]
    assert await room.journal.resume(turn_id) is not None
    await room.journal.finish(turn_id, 1, VersionEnd("completed", "One."), [(shown.id, 4)])
    assert await room.recent(question) == [(False, "Count."), (True, "One.")]


async def test_an_answer_that_was_deleted_is_not_read_though_the_journal_still_has_it(room: Room) -> None:
    asked = await room.asked("Count.")
    for message in await room.answered(asked, ("One,", 4), ("two.", 4), text="One, two."):
        await message.delete()
    await room.client.until_heard("delete", times=2)
    question = await room.asked("On.")
    before = len(room.standin.calls)
    assert await room.recent(question) == [(False, "Count.")]
    assert len(room.standin.calls) == before + 1, "what the channel does not list is not looked for once more"


async def test_an_answer_of_which_a_message_was_deleted_is_still_the_answer(room: Room) -> None:
    asked = await room.asked("Count.")
    first, _ = await room.answered(asked, ("One,", 4), ("two.", 4), text="One, two.")
    await first.delete()
    await room.client.until_heard("delete")
    assert await room.recent(await room.asked("On.")) == [(False, "Count."), (True, "One, two.")]


async def test_where_the_channel_cannot_be_read_the_question_stands_alone(room: Room) -> None:
    await room.answered(await room.asked("First?"), ("One.", 4), text="One.")
    question = await room.asked("Second?")
    room.standin.fail("GET", "/messages", status=503)
    assert await room.recent(question) == []
    assert await room.history(question).question() == PastMessage(question.id, int(room.ada.id), "Ada", "Second?")


async def test_a_question_is_told_as_it_will_be_told_when_it_is_past(room: Room) -> None:
    """To the letter, so that the next request begins as this one did. Of a message that was heard Discord tells more than of one
    that is fetched: the names that people have in the server."""
    general, bo, cy = room.standin.channel("general"), room.standin.add_person("Bo"), room.standin.add_person("Cy")
    for person, nick in ((room.ada, "Countess"), (bo, "Bobby"), (cy, "Cyrus")):
        room.standin.set_nick(person, nick)
    first = await room.standin.say(bo, general, f"{room.standin.mention} Hello, {cy.mention}.")
    await room.standin.say(room.ada, general, "Well?", reply_to=first["id"], attachments=[("a.txt", b"1")])
    await room.standin.say(room.ada, general, stickers=["Wave"])
    poll = await room.standin.say(room.ada, general, poll=Poll("Pizza?", ("Yes", "No")))
    await room.client.until(lambda: len(room.client.contents()) == 4)
    heard = [await room.history(message).question() for message in room.client.cached_messages]
    await room.standin.vote(bo, poll["id"], 1)
    await room.standin.react(bo, first["id"], "👍")
    past = await room.history(await room.asked("Now?")).recent(30)
    assert [told(message) for message in past] == [told(message) for message in heard]
    assert told(past[0]) == f"Bobby ({bo.id}): Hello, @Cyrus ({cy.id})."


async def test_a_question_that_is_edited_while_it_waits_is_read_as_it_is_then(room: Room) -> None:
    said = await room.standin.say(room.ada, room.standin.channel("general"), "Who is Mso?")
    await room.client.until_heard("message")
    (message,) = room.client.cached_messages
    history = room.history(message)
    await room.standin.edit(room.ada, said["id"], "Who is Miso?")
    await room.client.until_heard("edit")
    assert (await history.question()).text == "Who is Miso?"


# ------------------------------------------------------------------------------------------------- where it begins


async def test_nothing_up_to_where_the_conversation_begins_is_read(room: Room) -> None:
    """Of an answer its question's place counts."""
    await room.asked("Old.")
    first, second = await room.asked("First?"), await room.asked("Second?")
    await room.answered(first, ("One.", 4), text="One.")
    await room.answered(second, ("Two.", 4), text="Two.")
    history = room.history(await room.asked("Now?"))
    assert [past.text for past in await history.recent(30, after=first.id)] == ["Second?", "Two."]
    assert [past.text for past in await history.recent(30, after=first.id - 1)] == ["First?", "One.", "Second?", "Two."]


async def test_more_than_a_page_is_read(room: Room) -> None:
    for number in range(105):
        await room.standin.say(room.ada, room.standin.channel("general"), str(number))
    read = await room.recent(await room.asked("Now?"), most=103)
    assert [text for _, text in read] == [str(number) for number in range(2, 105)]


async def test_an_answer_of_many_messages_counts_as_one(room: Room) -> None:
    """However many pages they fill: what is read must not end a little later with each question."""
    for number in range(8):
        asked = await room.asked(f"{number}?")
        draft, general = Draft(content="part"), room.standin.channel("general")
        parts = [room.standin.world.create_message(room.standin.bot_id, general.id, draft) for _ in range(40)]
        assert await room.journal.claim(str(number), asked.id, asked.channel.id, None)
        end = VersionEnd("completed", f"{number}.")
        await room.journal.finish(str(number), 1, end, [(int(part["id"]), 4) for part in parts])
    question = await room.asked("Now?")
    expected = [text for number in range(2, 8) for text in (f"{number}?", f"{number}.")]
    before = len(room.standin.calls)
    assert [text for _, text in await room.recent(question, most=12)] == expected
    assert len(room.standin.calls) == before + 3, "pages of a hundred, and nothing by itself"


async def test_what_a_burst_asked_before_its_last_message_is_read_without_the_answer_to_it(room: Room) -> None:
    """When the question is answered anew, its present answer is no past of it."""
    begun = await room.asked("One more thing:")
    question = await room.asked("why?")
    assert await room.journal.claim("t1", question.id, question.channel.id, None, further_ids=[begun.id])
    (shown,) = await room.posted("Because.")
    await room.journal.finish("t1", 1, VersionEnd("completed", "Because."), [(shown.id, 8)])
    assert await room.recent(question) == [(False, "One more thing:")]
    assert await room.recent(await room.asked("Hm.")) == [
        (False, "One more thing:"),
        (False, "why?"),
        (True, "Because."),
    ]


async def test_files_of_a_question_that_failed_are_not_sent_again(room: Room) -> None:
    general = room.standin.channel("general")
    for text, status in (("bad", "error"), ("good", "completed")):
        said = await room.standin.say(room.ada, general, text, attachments=[(f"{text}.png", b"1")])
        assert await room.journal.claim(text, int(said["id"]), int(general.id), None)
        await room.journal.finish(text, 1, VersionEnd(status, "" if status == "error" else "Yes."), [])
    past = await room.history(await room.asked("And?")).recent(30)
    assert [(it.text, it.media_refused) for it in past] == [("bad", True), ("good", False)]


async def test_what_people_think_of_an_answer_is_counted_over_its_messages(room: Room) -> None:
    shown = await room.answered(await room.asked("Count."), ("One,", 4), ("two.", 4), text="One, two.")
    for part, emoji in ((shown[0], "👍"), (shown[1], "👍"), (shown[1], "🎉")):
        await room.standin.react(room.ada, str(part.id), emoji)
    (_, answer) = await room.history(await room.asked("On.")).recent(30)
    assert answer.reactions == (Reaction("👍", 2), Reaction("🎉", 1))


async def test_what_a_persona_of_ours_said_is_ours(room: Room) -> None:
    """By its webhook, whose name and id are others."""
    general = room.standin.channel("general")
    room.standin.set_permissions(general, room.standin.bot_id, allow=Permission.MANAGE_WEBHOOKS)
    webhook = await room.client.text_channel().create_webhook(name="personas")
    asked = await room.asked("Who are you?")
    shown = await webhook.send("I am Ann.\n-# `demo`", username="Ann", wait=True)
    assert await room.journal.claim("t1", asked.id, asked.channel.id, None)
    await room.journal.finish("t1", 1, VersionEnd("completed", "I am Ann.", persona="ann"), [(shown.id, 9)])
    await webhook.send("-# waiting", username="Ann")
    question = await room.asked("Oh.", reply_to=await room.client.text_channel().fetch_message(shown.id))
    for past in (await room.history(question).recent(30), await room.history(question).reply_chain(30)):
        assert [(it.text, it.is_me, it.persona, it.answers) for it in past] == [
            ("Who are you?", False, "", None),
            ("I am Ann.", True, "ann", asked.id),
        ]
    quote = (await room.history(question).question()).quote
    assert quote is not None
    assert (quote.text, quote.is_me) == ("I am Ann.", True)

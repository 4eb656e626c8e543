"""What a turn reads of its channel: discord.py's own client against the stand-in, and the journal in a file."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator
from pathlib import Path

import discord
import pytest

from adapters.contract import Role, text_message
from bot.conversation.build import DEFAULT_LIMITS, build_request
from bot.conversation.history import PastMessage
from bot.conversation.prompt import CONTINUE
from bot.delivery.error_embeds import fault_embed, notice_embed, undelivered
from bot.delivery.footer import embed_alone
from bot.delivery.layout.live_mark import LIVE_MARK
from bot.delivery.thought_log import SpoilerLog
from bot.gateway.history import DiscordHistory
from bot.localization import Translator
from bot.playground.standin import Standin
from bot.store import Database, TurnJournal, VersionEnd
from tests.playground.standin_dialogue import Listener, dialogue

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


class Room:
    """A channel with people in it, and our hands to act there."""

    def __init__(self, standin: Standin, client: Listener, journal: TurnJournal) -> None:
        self.standin, self.client, self.journal = standin, client, journal
        self.ada = standin.user("Ada")

    async def asked(self, text: str, *, reply_to: discord.Message | None = None) -> discord.Message:
        replied = str(reply_to.id) if reply_to else None
        said = await self.standin.say(self.ada, self.standin.channel("general"), text, reply_to=replied)
        return await self.client.text_channel().fetch_message(int(said["id"]))

    async def posted(self, *texts: str, file: str | None = None) -> list[discord.Message]:
        """Messages of ours; the last one with a file, where there is one."""
        channel = self.client.text_channel()
        attached = [discord.File(io.BytesIO(file.encode()), "code.py")] if file else []
        return [await channel.send(text, files=attached if text == texts[-1] else []) for text in texts]

    async def answered(
        self, question: discord.Message, *shown: tuple[str, int], text: str = "", file: str | None = None
    ) -> list[discord.Message]:
        """An answer that stands in these messages, of which so much is the model's; `text` is what the journal kept."""
        messages = await self.posted(*(content for content, _ in shown), file=file)
        turn_id = str(question.id)[-16:]
        assert await self.journal.claim(turn_id, question.id, question.channel.id, None)
        lengths = [(message.id, length) for message, (_, length) in zip(messages, shown, strict=True)]
        await self.journal.finish(turn_id, 1, VersionEnd("completed", text, thoughts="secret"), lengths)
        return messages

    def history(self, question: discord.Message) -> DiscordHistory:
        return DiscordHistory(lambda: self.client, question, self.journal)

    async def recent(self, question: discord.Message, most: int = 30) -> list[tuple[bool, str]]:
        return [(past.is_me, past.text) for past in await self.history(question).recent(most)]

    async def chain(self, question: discord.Message) -> list[tuple[bool, str]]:
        return [(past.is_me, past.text) for past in await self.history(question).reply_chain(30)]


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with dialogue() as (standin, client), Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        yield Room(standin, client, TurnJournal(database))


async def test_an_answer_goes_back_to_the_model_as_it_wrote_it(room: Room) -> None:
    """Not as the channel shows it: with its table drawn, its code in a file, Unicode for LaTeX, and a footer."""
    asked = await room.asked("Who is Miso?")
    table, rest = "Here it is:\n```\nname   size\nMiso   4 kg\n```", "x² is *done*.\n-# `demo` · 2.1 s"
    shown = await room.answered(
        asked, (table, len(table)), (rest, 13), text=WRITTEN, file='print("all of the long code")'
    )
    assert shown[1].attachments[0].filename == "code.py"
    question = await room.asked("Thanks!", reply_to=shown[1])
    request = await build_request(room.history(question), "m", "s", DEFAULT_LIMITS)
    ada = f"Ada ({room.ada.id})"
    assert request.messages == (
        text_message(Role.USER, f"{ada}: Who is Miso?"),
        text_message(Role.ASSISTANT, WRITTEN),
        text_message(Role.USER, f"{ada}: Thanks!"),
    )


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
    (shown,) = await room.posted(ours)
    question = await room.asked("Hi?", reply_to=shown)
    said = [(past.is_me, past.text) for past in await room.history(question).recent(30) if past.text.strip()]
    assert said == [past for past in await room.chain(question) if past[1].strip()] == []


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
    ada = f"Ada ({room.ada.id})"
    anew = (
        text_message(Role.USER, f"{ada}: First?"),
        text_message(Role.ASSISTANT, "One."),
        text_message(Role.USER, f"{ada}: Second?"),
    )
    history = room.history(old)
    assert (await build_request(history, "m", "s", DEFAULT_LIMITS)).messages == anew
    assert (await build_request(history, "m", "s", DEFAULT_LIMITS, "Two, th")).messages == (
        *anew,
        text_message(Role.ASSISTANT, "Two, th"),
        text_message(Role.USER, CONTINUE),
    )


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

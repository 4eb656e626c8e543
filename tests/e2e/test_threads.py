"""Questions that are answered in a thread of their own (the setting `threads`), over sockets."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Literal

import pytest

from bot.playground.scripted_provider import Say, Until, spoken
from bot.playground.standin import Channel, Permission
from bot.preferences import Answering, Bots
from tests.e2e.house import House, buttons, open_house, said

TITLE = "Why cats purr"


def threads(house: House) -> list[Channel]:
    return [channel for channel in house.standin.world.channels.values() if channel.is_thread]


def the_thread(house: House) -> Channel:
    (thread,) = threads(house)
    return thread


async def opened(house: House) -> Channel:
    await house.standin.wait_for(lambda _: threads(house))
    return the_thread(house)


async def prepare(house: House, title: str = TITLE, **choices: Any) -> None:
    """For the server: threads, and a model that has a title when it is asked for one."""
    house.scripts["The title:"] = spoken(title)
    await house.choose(threads=True, **choices)


async def ask_in_thread(house: House, text: str = "Why do cats purr?") -> Channel:
    """Bo's question, answered and all that follows from it done; its thread."""
    await house.ask(text, by=house.bo)
    thread = await opened(house)
    await house.answered(channel=thread)
    await house.app.idle()
    return the_thread(house)


class Held(asyncio.Event):
    """Tells when somebody waits for it."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = asyncio.Event()

    async def wait(self) -> Literal[True]:
        self.reached.set()
        return await super().wait()


async def test_a_question_gets_a_thread_that_is_named_by_it_first_and_then_by_the_model(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        goes_on = asyncio.Event()
        house.script = [Say("They"), Until(goes_on), *spoken(" like it.")]
        question = await house.ask("**Why** do cats purr?\nI wonder.", by=house.bo)
        thread = await opened(house)
        assert (thread.id, thread.name) == (question, "Why do cats purr?")
        goes_on.set()
        await house.answered(channel=thread)
        await house.app.idle()
        assert the_thread(house).name == TITLE
        assert house.texts(thread)[0].startswith("They like it.\n-# ")
        assert house.texts() == [], "nothing but the thread stands in the channel"


async def test_what_follows_in_the_thread_needs_no_mention_and_knows_how_it_began(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        thread = await ask_in_thread(house)
        house.script = spoken("Dogs do not.")
        await house.standin.say(house.ada, thread, "And dogs?")
        await house.answered(2, thread)
        await house.app.idle()
        assert [len(threads(house)), the_thread(house).name] == [1, TITLE]
        first, _title, second = house.provider.requests
        assert "Why do cats purr?" in str(said(first)[-1])
        told = [(message["role"], str(message["content"])) for message in said(second)]
        assert [role for role, _ in told] == ["user", "assistant", "user"]
        assert [words in text for words, (_, text) in zip(("cats purr?", "Hello", "And dogs?"), told, strict=True)] == [
            True
        ] * 3


async def test_each_question_in_the_channel_has_a_thread_of_its_own(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        await house.ask("One?", by=house.bo)
        await house.ask("Two?", by=house.ada)
        await house.standin.wait_for(lambda _: len(threads(house)) == 2)
        for thread in threads(house):
            await house.answered(channel=thread)
        assert house.texts() == []


@pytest.mark.parametrize("when", ["while it is answered", "while the title is made"])
async def test_a_thread_that_somebody_named_keeps_that_name(tmp_path: Path, when: str) -> None:
    async with open_house(tmp_path) as house:
        goes_on = Held()
        await prepare(house)
        held = [Say("Well"), Until(goes_on), *spoken(" then")]
        if when == "while it is answered":
            house.script = held
        else:
            house.scripts["The title:"] = held
        await house.ask("Why do cats purr?", by=house.bo)
        thread = await opened(house)
        await goes_on.reached.wait()
        await house.standin.rename(house.ada, thread, "Ours")
        goes_on.set()
        await house.answered(channel=thread)
        await house.app.idle()
        assert the_thread(house).name == "Ours"


@pytest.mark.parametrize("title", ["", "A title that is " + "much " * 30 + "too long", "**\n\n"])
async def test_where_the_model_has_no_title_the_first_name_stays(tmp_path: Path, title: str) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house, title)
        assert (await ask_in_thread(house)).name == "Why do cats purr?"


async def test_a_question_without_words_has_its_thread_named_by_who_asked(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house, "")
        assert "Bo" in str((await ask_in_thread(house, "")).name)


@pytest.mark.parametrize("missing", [Permission.CREATE_PUBLIC_THREADS, Permission.SEND_MESSAGES_IN_THREADS])
async def test_where_we_may_open_no_thread_the_answer_stands_in_the_channel(
    tmp_path: Path, missing: Permission
) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        house.standin.set_permissions(house.general, house.standin.bot_id, deny=missing)
        await house.ask("Why do cats purr?", by=house.bo)
        await house.answered()
        await house.app.idle()
        assert (threads(house), len(house.provider.requests)) == ([], 1)
        assert house.standin.invalid_requests == 0


async def test_nor_where_discord_opens_none(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        refusal = {"code": 50013, "message": "Missing Permissions"}
        house.standin.fail("POST", r"/messages/\d+/threads$", status=403, body=refusal)
        await house.ask("Why do cats purr?", by=house.bo)
        await house.answered()
        await house.app.idle()
        assert len(house.provider.requests) == 1


async def test_in_direct_messages_and_threads_there_is_no_thread_to_open(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        talk = await house.standin.start_thread(house.ada, house.general, "talk")
        await house.ask("One?", by=house.bo, in_channel=talk)
        await house.answered(channel=talk)
        direct = house.standin.dm(house.bo)
        await house.standin.say(house.bo, direct, "Two?")
        await house.answered(channel=direct)
        await house.app.idle()
        assert [thread.id for thread in threads(house)] == [talk.id]
        assert the_thread(house).name == "talk"


async def test_a_command_is_answered_where_it_was_typed(tmp_path: Path) -> None:
    """Its answer is Discord's to place."""
    async with open_house(tmp_path) as house:
        await prepare(house)
        await house.standin.slash(house.bo, house.general, "ask", {"question": "Why do cats purr?"})
        await house.answered()
        assert threads(house) == []


async def test_what_is_said_in_a_channel_that_is_set_to_always_has_threads_too(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house, answering=Answering.ALWAYS)
        await house.standin.say(house.bo, house.general, "Why do cats purr?")
        thread = await opened(house)
        await house.answered(channel=thread)
        await house.app.idle()
        assert [len(threads(house)), len(house.answers()), the_thread(house).name] == [1, 0, TITLE]


async def test_the_buttons_work_in_such_a_thread(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        thread = await ask_in_thread(house)
        house.script = spoken("Another answer.")
        await house.press("regenerate", by=house.bo, channel=thread)
        await house.standin.wait_for(lambda _: house.texts(thread)[0].startswith("Another answer.\n-# "))
        await house.app.idle()
        await house.press("previous", by=house.bo, channel=thread)
        await house.standin.wait_for(lambda _: house.texts(thread)[0].startswith("Hello from the model.\n-# "))
        await house.app.idle()
        assert the_thread(house).name == TITLE
        assert "Why do cats purr?" in str(said(house.provider.requests[-1])[-1])
        await house.press("delete", by=house.bo, channel=thread)
        await house.standin.wait_for(lambda _: house.texts(thread) == [])


async def test_an_answer_that_was_stopped_there_goes_on_there(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        house.script = [Say("They like"), Until(asyncio.Event())]
        await house.ask("Why do cats purr?", by=house.bo)
        thread = await opened(house)
        await house.standin.wait_for(lambda _: any("They like" in text for text in house.texts(thread)))
        await house.standin.say(house.bo, thread, "stop")
        await house.answered(channel=thread)
        await house.app.idle()
        assert any(":continue:" in made for made in buttons(house.answers(thread)[0]))
        house.script = spoken(" being near you.")
        await house.press("continue", by=house.bo, channel=thread)
        await house.standin.wait_for(lambda _: house.texts(thread)[0].startswith("They like being near you.\n-# "))
        await house.app.idle()
        assert house.texts() == []


async def test_a_question_that_is_deleted_takes_its_answer_in_the_thread_with_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        house.script = [Say("They like"), Until(asyncio.Event())]
        question = await house.ask("Why do cats purr?", by=house.bo)
        thread = await opened(house)
        await house.standin.wait_for(lambda _: any("They like" in text for text in house.texts(thread)))
        await house.standin.delete(question, by=house.bo)
        await house.app.idle()
        await house.standin.wait_for(
            lambda _: not any(":stop:" in b for m in house.answers(thread) for b in buttons(m))
        )


async def test_bots_get_no_more_answers_by_being_answered_in_threads(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house, bots=Bots.MENTIONS, bot_turns=2)
        robot = house.standin.add_bot("Robot")
        for _ in range(4):
            await house.ask("Beep?", by=robot)
        await house.standin.wait_for(lambda _: len(threads(house)) == 2)
        for thread in threads(house):
            await house.answered(channel=thread)
            for _ in range(3):
                await house.ask("Boop?", by=robot, in_channel=thread)
        await house.standin.say(house.ada, house.general, "Well.")
        await house.app.idle()
        questions = [str(said(request)[-1]) for request in house.provider.requests]
        assert sum("Boop?" in question for question in questions) <= 4


async def test_who_goes_on_before_the_first_word_is_answered_once_and_the_thread_is_named_all_the_same(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house:
        await prepare(house)
        first = Held()
        house.scripts["cats"] = [Until(first), *spoken("Too late.")]
        await house.ask("Why do cats purr?", by=house.bo)
        thread = await opened(house)
        await first.reached.wait()
        await house.standin.say(house.bo, thread, "And dogs bark?")
        await house.answered(channel=thread)
        await house.app.idle()
        assert [len(house.texts(thread)), the_thread(house).name] == [1, TITLE]

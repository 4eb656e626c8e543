"""`/ask` and *Ask about this*, wherever people can use them: over sockets, as they are typed and chosen."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.commands.ask import ask_commands
from bot.localization import Translator
from bot.playground.scripted_provider import Say, Until, spoken
from bot.playground.standin import Channel
from bot.playground.standin.contents import Upload
from bot.turn.queue import MOST_OF_ONE
from tests.delivery.desk import GUEST, Where, place
from tests.e2e.house import House, buttons, open_house

EVERYWHERE = [where for where in Where if where is not Where.THREAD]


async def settle_in(house: House, where: Where) -> Channel:
    """Ada, who asks in all of these, has brought the bot along where it is not."""
    channel = await place(house.standin, where)
    if where in GUEST:
        house.standin.install_for(house.ada)
    return channel


def seen(house: House, channel: Channel, by: str = "Ada") -> Sequence[str]:
    """What this person sees of us there."""
    messages = house.standin.messages(channel, house.standin.user(by))
    return [message["content"] for message in messages if message["author"]["id"] == house.standin.bot_id]


async def shown(house: House, channel: Channel, words: str, by: str = "Ada") -> None:
    await house.standin.wait_for(lambda _: any(words in text for text in seen(house, channel, by)))


async def over(house: House) -> None:
    await house.app.idle()
    await house.standin.wait_for(lambda _: house.standin.in_flight == 0)


def asked(house: House, nr: int = -1) -> str:
    """What the model was asked, all of it."""
    return str(house.provider.requests[nr]["messages"])


# ----------------------------------------------------------------------------------------------------------------- /ask


@pytest.mark.parametrize("where", EVERYWHERE)
async def test_a_question_is_answered_wherever_it_is_asked(tmp_path: Path, where: Where) -> None:
    async with open_house(tmp_path) as house:
        channel = await settle_in(house, where)
        await house.standin.slash(house.ada, channel, "ask", {"question": "What is **it**?"})
        await shown(house, channel, "Hello from the model.")
        await over(house)
        (answer,) = seen(house, channel)
        assert answer.startswith("> **Ada:** What is \\*\\*it\\*\\*?\nHello from the model.\n-# `demo`")
        assert "What is **it**?" in asked(house)


async def test_it_is_acknowledged_before_anything_else_however_long_the_model_takes(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        going_on = asyncio.Event()
        house.script = [Until(going_on), *spoken("At last.")]
        asked_at = len(house.standin.calls)
        interaction = await house.standin.slash(house.bo, house.general, "ask", {"question": "Well?"})
        await interaction.answered()
        assert [call.path.rpartition("/")[2] for call in house.standin.calls[asked_at:]][:1] == ["callback"]
        assert seen(house, house.general) == [""], "it is thinking"
        going_on.set()
        await shown(house, house.general, "At last.")
        assert len(seen(house, house.general)) == 1


@pytest.mark.parametrize("where", [Where.SERVER, Where.ABROAD])
async def test_a_private_answer_is_for_the_askers_eyes(tmp_path: Path, where: Where) -> None:
    async with open_house(tmp_path) as house:
        channel = await settle_in(house, where)
        await house.standin.slash(house.ada, channel, "ask", {"question": "A secret?", "private": True})
        await shown(house, channel, "Hello from the model.\n-# `demo`")
        await over(house)
        assert seen(house, channel)[0].startswith("Hello from"), "nobody needs to be told the question"
        assert seen(house, channel, "Bo") == []


async def test_the_conversation_before_it_and_its_file_are_read(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.standin.say(house.bo, house.general, "I have a cat.")
        file = Upload(filename="cat.txt", data=b"Her name is Miso.", content_type="text/plain")
        await house.standin.slash(house.bo, house.general, "ask", {"question": "What is she called?", "file": file})
        await house.answered()
        for words in ("I have a cat.", "What is she called?", "cat.txt"):
            assert words in asked(house)


async def test_the_next_question_knows_of_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("It is a cat.")
        await house.standin.slash(house.bo, house.general, "ask", {"question": "What is Miso?"})
        await house.answered()
        await over(house)
        await house.ask("And how old?", by=house.bo)
        await house.answered(2)
        assert "It is a cat." in asked(house)
        assert "**Bo:**" not in asked(house), "what we put above an answer is not the model's"


async def test_too_many_questions_are_whispered_of_and_no_promise_is_left(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Say("Once"), Until(asyncio.Event())]
        for nr in range(1 + MOST_OF_ONE):
            await (
                await house.standin.slash(house.bo, house.general, "ask", {"question": f"Question {nr}?"})
            ).answered()
            await shown(house, house.general, "Once")
        before = len(seen(house, house.general))
        await house.standin.slash(house.bo, house.general, "ask", {"question": "One more?"})
        await house.whispered(house.bo, "So many of your questions are waiting")
        assert len(seen(house, house.general)) == before
        await house.press("stop", by=house.bo, nr=0)


async def test_a_question_that_is_stopped_before_its_first_word_leaves_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Say("Once"), Until(asyncio.Event())]
        for question in ("First?", "Second?"):
            await (await house.standin.slash(house.bo, house.general, "ask", {"question": question})).answered()
        await shown(house, house.general, "Once")
        await house.standin.slash(house.bo, house.general, "stop")
        await over(house)
        await shown(house, house.general, "Stopped by Bo")
        assert len(seen(house, house.general)) == 1


# ------------------------------------------------------------------------------------------------------ Ask about this


@pytest.mark.parametrize("where", EVERYWHERE)
@pytest.mark.parametrize("question", ["Who wrote that?", ""])
async def test_a_message_is_asked_about(tmp_path: Path, where: Where, question: str) -> None:
    async with open_house(tmp_path) as house:
        channel = await settle_in(house, where)
        said = await house.standin.say(house.ada, channel, "Look at this cat.")
        for nr in range(3 if where is Where.SERVER else 0):
            await house.standin.say(house.bo, channel, f"Other talk {nr}.")
        chosen = await house.standin.message_command(house.ada, said["id"], "Ask about this")
        modal = (await chosen.answered()).modal
        assert modal is not None
        (label,) = modal["components"]
        await house.standin.submit_modal(chosen, {label["component"]["custom_id"]: question})
        await shown(house, channel, "> **Ada** about [this message](https://discord.com/channels/")
        await over(house)
        assert "Look at this cat." in asked(house)
        assert (question or "What does this message say?") in asked(house)


# -------------------------------------------------------------------------------------------------------------- buttons


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("where", EVERYWHERE)
async def test_it_is_answered_anew_where_it_stands(tmp_path: Path, where: Where, private: bool) -> None:
    async with open_house(tmp_path) as house:
        channel = await settle_in(house, where)
        await house.standin.slash(house.ada, channel, "ask", {"question": "What is it?", "private": private})
        await shown(house, channel, "Hello from the model.\n-# `demo`")
        await over(house)
        house.script = spoken("Second version.")
        message = house.standin.messages(channel, house.ada)[-1]
        (again,) = [made for made in buttons(message) if ":regenerate:" in made]
        await house.standin.press(house.ada, message["id"], again)
        await shown(house, channel, "Second version.\n-# `demo`")
        await over(house)
        assert len(seen(house, channel)) == 1
        assert "What is it?" in asked(house)


# ------------------------------------------------------------------------------------------------------------- commands


async def test_discord_is_told_that_they_are_for_everywhere(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        commands = {command["name"]: command for command in house.standin.commands}
        for name in ("ask", "Ask about this"):
            assert commands[name]["contexts"] == [0, 1, 2]
            assert sorted(commands[name]["integration_types"]) == [0, 1]


LIMITS = {
    "command-ask-description": 100,
    "ask-question": 100,
    "ask-file": 100,
    "ask-private": 100,
    "ask-about-title": 45,
    "ask-about-label": 45,
    "ask-about-default": 100,
}
"""Code points, by message key."""


@pytest.mark.parametrize("locale", Translator().locales)
async def test_names_and_descriptions_are_within_discords_limits(locale: str) -> None:
    translator = Translator()

    def told(key: str) -> str:
        return translator.text(locale, key)

    slash, menu = ask_commands(translator)
    assert (slash.name, menu.name) == ("ask", "Ask about this")
    assert re.fullmatch(r"[-_\w]{1,32}", told("command-ask"))
    assert told("command-ask") == told("command-ask").lower()
    assert 1 <= len(told("command-ask-about")) <= 32
    for key, most in LIMITS.items():
        assert 1 <= len(told(key)) <= most, key

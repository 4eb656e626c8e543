"""`/ask` and *Ask about this*, wherever people can use them: over sockets, as they are typed and chosen."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from adapters.catalogue import Row
from adapters.contract import ModelInfo
from bot.commands.ask import ask_commands
from bot.localization import Translator
from bot.persona import Persona
from bot.playground.scripted_provider import Refuse, Say, Script, Until, spoken
from bot.playground.standin import Channel, StandinConfig
from bot.playground.standin.contents import Upload
from bot.turn.queue import MOST_OF_ONE
from tests.attachments.files import image_file
from tests.delivery.desk import GUEST, Where, place
from tests.e2e.house import House, buttons, open_house
from tests.e2e.test_personas import keep
from tests.playground.standin_dialogue import UNLIMITED, MovedClock

EVERYWHERE = [where for where in Where if where is not Where.THREAD]


async def settle_in(house: House, where: Where) -> Channel:
    """Ada, who asks in all of these, has brought the bot along where it is not."""
    channel = await place(house.standin, where)
    if where in GUEST:
        house.standin.install_for(house.ada)
    return channel


def ours(house: House, channel: Channel, by: str = "Ada") -> Sequence[dict[str, Any]]:
    """What this person sees of us there."""
    messages = house.standin.messages(channel, house.standin.user(by))
    return [message for message in messages if message["author"]["id"] == house.standin.bot_id]


def seen(house: House, channel: Channel, by: str = "Ada") -> Sequence[str]:
    return [message["content"] for message in ours(house, channel, by)]


async def shown(house: House, channel: Channel, words: str, by: str = "Ada") -> None:
    await house.standin.wait_for(lambda _: any(words in text for text in seen(house, channel, by)))


async def over(house: House) -> None:
    await house.app.idle()
    await house.standin.wait_for(lambda _: house.standin.in_flight == 0)


async def ask(house: House, channel: Channel, question: str, *, private: bool = False) -> None:
    """As Ada; until it is acknowledged."""
    await (await house.standin.slash(house.ada, channel, "ask", {"question": question, "private": private})).answered()


async def press(house: House, channel: Channel, action: str) -> None:
    """One of the buttons under what Ada sees last of us; until it is acknowledged."""
    message = ours(house, channel)[-1]
    (made,) = [made for made in buttons(message) if f":{action}:" in made]
    await (await house.standin.press(house.ada, message["id"], made)).answered()


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
        if where is Where.DIRECT:
            await house.answered(1, channel)  # it is a question by itself
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


async def test_a_picture_is_asked_about(tmp_path: Path) -> None:
    async with open_house(tmp_path, models=(Row(("*",), "demo", ModelInfo("demo", vision=True)),)) as house:
        picture = Upload(filename="cat.png", data=image_file(), content_type="image/png")
        said = await house.standin.say(house.ada, house.general, attachments=[picture])
        chosen = await house.standin.message_command(house.bo, said["id"], "Ask about this")
        modal = (await chosen.answered()).modal
        assert modal is not None
        (label,) = modal["components"]
        await house.standin.submit_modal(chosen, {label["component"]["custom_id"]: "What is it?"})
        await house.answered()
        assert "data:image/png" in asked(house)
        assert "What is it?" in asked(house)


# -------------------------------------------------------------------------------------------------------------- waiting


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("where", EVERYWHERE)
async def test_a_question_that_waits_says_so_where_its_answer_will_stand(
    tmp_path: Path, where: Where, private: bool
) -> None:
    async with open_house(tmp_path) as house:
        channel, going_on = await settle_in(house, where), asyncio.Event()
        house.scripts = {"First?": [Say("Once"), Until(going_on), Say(".")], "Second?": spoken("Twice.")}
        await ask(house, channel, "First?", private=private)
        await shown(house, channel, "Once")
        await ask(house, channel, "Second?", private=private)
        await shown(house, channel, "-# ⏳")
        assert len(seen(house, channel)) == 2
        going_on.set()
        await shown(house, channel, "Twice.\n-# `demo`")
        await over(house)
        headings = ["", ""] if private else ["> **Ada:** First?\n", "> **Ada:** Second?\n"]
        assert [text.partition("\n-# ")[0] for text in seen(house, channel)] == [
            f"{headings[0]}Once.",
            f"{headings[1]}Twice.",
        ]
        assert [text for text in seen(house, channel, "Bo") if private] == []


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("where", EVERYWHERE)
async def test_a_question_that_waits_is_withdrawn_by_a_command_and_its_notice_goes(
    tmp_path: Path, where: Where, private: bool
) -> None:
    async with open_house(tmp_path) as house:
        channel = await settle_in(house, where)
        house.script = [Say("Once"), Until(asyncio.Event())]
        await ask(house, channel, "First?", private=private)
        await shown(house, channel, "Once")
        await ask(house, channel, "Second?", private=private)
        await shown(house, channel, "-# ⏳")
        await (await house.standin.slash(house.ada, channel, "stop")).answered()
        await shown(house, channel, "Stopped by Ada")
        await house.standin.wait_for(lambda _: "⏳" not in str(seen(house, channel)))
        await over(house)
        assert len(house.provider.requests) == 1


# -------------------------------------------------------------------------------------------------------------- endings


@pytest.mark.parametrize(
    ("script", "settings"),
    [
        ([Refuse(500, "down")], {}),
        ([], {}),
        ([], {"llm_provider": None, "llm_model": None, "llm_base_url": None}),
    ],
    ids=["error", "empty", "no model"],
)
@pytest.mark.parametrize("where", EVERYWHERE)
async def test_however_it_ends_it_is_not_thinking_any_more(
    tmp_path: Path, where: Where, script: Script, settings: dict[str, Any]
) -> None:
    async with open_house(tmp_path, **settings) as house:
        channel = await settle_in(house, where)
        house.script = script
        await ask(house, channel, "Well?")
        await house.standin.wait_for(lambda _: any(it["content"] or it["embeds"] for it in ours(house, channel)))
        await over(house)
        (message,) = ours(house, channel)
        assert not message["flags"] & LOADING


LOADING = 1 << 7
"""The flag of a message that says "… is thinking"."""


def late() -> tuple[MovedClock, StandinConfig]:
    clock = MovedClock()
    return clock, StandinConfig(clock=clock.clock(), buckets=UNLIMITED.buckets)


@pytest.mark.parametrize("where", [Where.SERVER, Where.DIRECT])
async def test_after_a_quarter_of_an_hour_the_bot_goes_on_as_a_member(tmp_path: Path, where: Where) -> None:
    clock, config = late()
    async with open_house(tmp_path, config=config) as house:
        channel, going_on = await settle_in(house, where), asyncio.Event()
        house.script = [Say("Once upon a time"), Until(going_on), *spoken(" there was a cat.")]
        await ask(house, channel, "A story?")
        await shown(house, channel, "Once upon")
        clock.seconds += 901.0
        going_on.set()
        await shown(house, channel, "Once upon a time there was a cat.\n-# `demo`")
        await over(house)
        house.script = spoken("Second version.")
        await press(house, channel, "regenerate")
        await shown(house, channel, "Second version.\n-# `demo`")
        await over(house)
        assert len(seen(house, channel)) == 1


@pytest.mark.parametrize(
    ("where", "private"),
    [(Where.SERVER, True), (Where.ABROAD, False), (Where.FRIENDS, False), (Where.GROUP, True)],
)
async def test_where_nothing_else_writes_the_person_is_told_and_finds_the_answer_behind_its_button(
    tmp_path: Path, where: Where, private: bool
) -> None:
    clock, config = late()
    async with open_house(tmp_path, config=config) as house:
        channel, going_on = await settle_in(house, where), asyncio.Event()
        house.script = [Say("Once upon a time"), Until(going_on), *spoken(" there was a cat.")]
        await ask(house, channel, "A story?", private=private)
        await shown(house, channel, "Once upon")
        clock.seconds += 901.0
        going_on.set()
        direct = house.standin.dm(house.ada)
        await shown(house, direct, "came too late")
        await over(house)
        await press(house, channel, "stop")
        await shown(house, channel, "Once upon a time there was a cat.\n-# `demo`")
        assert len(seen(house, channel)) == 1


async def test_an_answer_that_came_too_late_says_nothing_of_the_channel(tmp_path: Path) -> None:
    clock, config = late()
    async with open_house(tmp_path, config=config) as house:
        going_on = asyncio.Event()
        house.script = [Say("Once"), Until(going_on), Say(".")]
        await ask(house, house.general, "A story?", private=True)
        await shown(house, house.general, "Once")
        clock.seconds += 901.0
        going_on.set()
        await shown(house, house.standin.dm(house.ada), "came too late")
        await over(house)
        house.script = spoken("Here.")
        await house.ask("Are you there?", by=house.bo)
        await shown(house, house.general, "Here.", by="Bo")


# -------------------------------------------------------------------------------------------------------------- buttons


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("where", EVERYWHERE)
async def test_it_is_stopped_continued_and_deleted_where_it_stands(tmp_path: Path, where: Where, private: bool) -> None:
    async with open_house(tmp_path) as house:
        channel = await settle_in(house, where)
        house.script = [Say("Once upon a time"), Until(asyncio.Event())]
        await ask(house, channel, "A story?", private=private)
        await shown(house, channel, "Once upon")
        await press(house, channel, "stop")
        await shown(house, channel, "Stopped by Ada")
        await over(house)
        house.script = spoken(" there was a cat.")
        await press(house, channel, "continue")
        await shown(house, channel, "Once upon a time there was a cat.\n-# `demo`")
        await over(house)
        (answer,) = seen(house, channel)
        assert answer.count("> **Ada:** A story?\n") == (not private)
        await press(house, channel, "delete")
        await house.standin.wait_for(lambda _: seen(house, channel) == [])


async def test_a_persona_says_its_name_under_the_question_in_every_version(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await keep(house, Persona("Luna", "You are {{char}}."))
        await house.choose(persona="Luna")
        await ask(house, house.general, "Who?")
        await house.answered()
        await over(house)
        house.script = spoken("Second version.")
        await press(house, house.general, "regenerate")
        await shown(house, house.general, "> **Ada:** Who?\n**Luna**\nSecond version.\n-# `demo`")
        await over(house)
        await ask(house, house.general, "A secret?", private=True)
        await shown(house, house.general, "**Luna**\nSecond version.\n-# `demo`")
        assert "You are Luna." in asked(house)


@pytest.mark.parametrize("private", [False, True])
@pytest.mark.parametrize("where", EVERYWHERE)
async def test_it_is_answered_anew_where_it_stands(tmp_path: Path, where: Where, private: bool) -> None:
    async with open_house(tmp_path) as house:
        channel = await settle_in(house, where)
        await house.standin.slash(house.ada, channel, "ask", {"question": "What is it?", "private": private})
        await shown(house, channel, "Hello from the model.\n-# `demo`")
        await over(house)
        house.script = spoken("Second version.")
        await press(house, channel, "regenerate")
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

"""Who speaks: a persona's answers by webhook, under its name and picture, and what becomes of them where that cannot be."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.persona import Persona
from bot.playground.scripted_provider import Say, Think, Until, spoken
from bot.playground.standin import Channel, StandinConfig, WorldConfig
from bot.playground.standin.permissions import MEMBER_DEFAULT, Permission
from bot.preferences import Answering
from tests.e2e.house import House, buttons, is_end, open_house, running_bot, said
from tests.e2e.test_personas import keep, personas_of, server_of

PICTURE = "https://cdn.discordapp.com/emojis/1.png"
LUNA = Persona("Luna", "You are {{char}}.", avatar_url=PICTURE)
BO = Persona("Bot Bo", "You are {{char}}.")


@asynccontextmanager
async def stage(
    folder: Path, *personas: Persona, may: Permission = Permission.MANAGE_WEBHOOKS, **settings: Any
) -> AsyncIterator[House]:
    """A house with these personas, of which the first one speaks in the server."""
    config = StandinConfig(world=WorldConfig(bot_permissions=MEMBER_DEFAULT | may))
    async with open_house(folder, config=config, **settings) as house:
        await keep(house, *personas)
        if personas:
            await house.choose(persona=personas[0].name)
        yield house


def ours(house: House, channel: Channel | None = None) -> list[dict[str, Any]]:
    """What we wrote there, as whomever."""
    mine = {house.standin.bot_id, *house.standin.world.webhooks}
    messages = house.standin.messages(channel or house.general)
    return [message for message in messages if message["author"]["id"] in mine]


def told(house: House, channel: Channel | None = None) -> list[tuple[str, str]]:
    """(name, text without our lines) of that."""
    return [(it["author"]["username"], it["content"].partition("\n-# ")[0]) for it in ours(house, channel)]


async def over(house: House, count: int = 1, channel: Channel | None = None) -> None:
    """Until so many answers are."""

    def are_over(_: object) -> bool:
        return sum(map(is_end, ours(house, channel))) >= count and house.standin.in_flight == 0

    await house.standin.wait_for(are_over, within=30)
    await house.app.idle()


async def press(house: House, action: str, nr: int = -1, channel: Channel | None = None) -> None:
    message = ours(house, channel)[nr]
    (custom_id,) = [made for made in buttons(message) if f":{action}:" in made]
    await (await house.standin.press(house.ada, message["id"], custom_id)).answered()


async def becomes(house: House, *expected: tuple[str, str], channel: Channel | None = None) -> None:
    """Until this is what we wrote there, all of it, and nothing more is done."""
    with contextlib.suppress(TimeoutError):
        await house.standin.wait_for(lambda _: told(house, channel) == [*expected], within=15)
    await house.app.idle()
    assert told(house, channel) == [*expected]


# ------------------------------------------------------------------------------------------------------------ by webhook


async def test_it_speaks_under_its_name_and_picture(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        await house.ask("Who are you?")
        await over(house)
        (answer,) = ours(house)
        assert (answer["author"]["username"], answer["content"].partition("\n")[0]) == ("Luna", "Hello from the model.")
        (call,) = [call for call in house.calls("POST", "/webhooks/") if "wait" in str(call.query)]
        assert call.body["avatar_url"] == PICTURE
        assert [button.split(":")[2] for button in buttons(answer)] == ["regenerate", "delete"]


async def test_a_long_answer_is_edited_and_goes_on_in_further_messages(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        text = "\n\n".join(f"Paragraph {nr}: " + "word " * 60 for nr in range(16))
        house.script = spoken(text, pause=0.02, size=60)
        await house.ask("Tell me a story.")
        await over(house)
        assert {name for name, _ in told(house)} == {"Luna"}
        assert len(ours(house)) == 3
        assert "\n\n".join(text for _, text in told(house)).split() == text.split()
        assert [bool(buttons(message)) for message in ours(house)] == [False, False, True]
        assert house.calls("PATCH", "/webhooks/"), "it grew before the reader's eyes"
        assert [call for call in house.standin.calls if call.status == 429] == []


async def test_it_is_stopped_continued_written_anew_turned_back_and_deleted(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        house.script = [Say("Once upon"), Until(asyncio.Event())]
        await house.ask("A story!")
        await house.standin.wait_for(lambda _: "Once upon" in str(told(house)))
        await press(house, "stop")
        await over(house)
        assert told(house) == [("Luna", "Once upon")]
        house.script = spoken(" a time.")
        await press(house, "continue")
        await becomes(house, ("Luna", "Once upon a time."))
        house.script = spoken("Another one.")
        await press(house, "regenerate")
        await becomes(house, ("Luna", "Another one."))
        await press(house, "previous")
        await becomes(house, ("Luna", "Once upon a time."))
        await press(house, "delete")
        await becomes(house)


async def test_in_a_thread_it_speaks_there(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        thread = await house.standin.start_thread(house.ada, house.general, "Moon")
        await house.ask("Who are you?", in_channel=thread)
        await over(house, channel=thread)
        assert told(house, thread) == [("Luna", "Hello from the model.")]
        house.script = spoken("Anew.")
        await press(house, "regenerate", channel=thread)
        await becomes(house, ("Luna", "Anew."), channel=thread)
        await press(house, "delete", channel=thread)
        await becomes(house, channel=thread)
        assert ours(house) == []


async def test_in_a_post_of_a_forum_it_speaks_there(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        forum = house.standin.add_forum("ideas")
        post = await house.standin.post(house.ada, forum, "Moon", f"{house.standin.mention} who are you?")
        await over(house, channel=post)
        assert told(house, post) == [("Luna", "Hello from the model.")]


@pytest.mark.parametrize("thoughts", ["spoiler", "file", "thread", "button"])
async def test_its_thoughts_stand_where_they_are_wanted(tmp_path: Path, thoughts: str) -> None:
    async with stage(tmp_path, LUNA) as house:
        await house.set_delivery(thoughts=thoughts)
        house.script = [Think("Hm, hm."), *spoken("Well.")]
        await house.ask("Who are you?")
        await over(house)
        assert {it["author"]["username"] for it in ours(house) if not it["flags"] & 64} - {"Parley"} == {"Luna"}
        assert any("thoughts" in button for message in ours(house) for button in buttons(message))
        await house.ask("And now?")
        await over(house, 2)
        assert "Hm, hm." not in str(house.provider.requests[-1])


# --------------------------------------------------------------------------------------------------------- as Parley does


async def test_where_webhooks_are_not_wanted_its_name_stands_above_and_the_model_never_reads_it(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        await house.choose(webhooks=False)
        await house.ask("One?")
        await over(house)
        assert told(house) == [("Parley", "**Luna**\nHello from the model.")]
        await house.ask("Two?")
        await over(house, 2)
        assert said(house.provider.requests[-1])[1] == {"role": "assistant", "content": "Hello from the model."}
        house.script = [Say("Once upon"), Until(asyncio.Event())]
        await house.ask("Three?")
        await house.standin.wait_for(lambda _: "Once upon" in str(told(house)))
        await press(house, "stop")
        await over(house, 3)
        house.script = spoken(" a time.")
        await press(house, "continue")
        first = ("Parley", "**Luna**\nHello from the model.")
        await becomes(house, first, first, ("Parley", "**Luna**\nOnce upon a time."))
        assert said(house.provider.requests[-1])[-2] == {"role": "assistant", "content": "Once upon"}


@pytest.mark.parametrize("case", ["forbidden", "fifteen"])
async def test_where_there_can_be_no_webhook_its_name_stands_above(tmp_path: Path, case: str) -> None:
    async with stage(tmp_path, LUNA, may=Permission(0) if case == "forbidden" else Permission.MANAGE_WEBHOOKS) as house:
        for nr in range(15 if case == "fifteen" else 0):
            house.standin.add_webhook(house.general, f"theirs {nr}", by=house.ada)
        await house.ask("One?")
        await over(house)
        assert told(house) == [("Parley", "**Luna**\nHello from the model.")]


async def test_a_webhook_that_somebody_deletes_is_made_anew(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        await house.ask("One?")
        await over(house)
        (webhook_id,) = house.standin.world.webhooks
        house.standin.remove_webhook(webhook_id)
        await house.ask("Two?")
        await over(house, 1)
        assert told(house) == [("Luna", "Hello from the model.")], "the old one is a stranger's now"
        assert said(house.provider.requests[-1])[1] == {"role": "assistant", "content": "Hello from the model."}


@pytest.mark.parametrize("can_be_made_anew", [True, False])
async def test_a_webhook_that_goes_in_the_middle_of_an_answer_loses_no_word_of_it(
    tmp_path: Path, can_be_made_anew: bool
) -> None:
    async with stage(tmp_path, LUNA) as house:
        go_on = asyncio.Event()
        house.script = [Say("Once upon"), Until(go_on), Say(" a time.")]
        await house.ask("A story!")
        await house.standin.wait_for(lambda _: "Once upon" in str(told(house)))
        (webhook_id,) = house.standin.world.webhooks
        house.standin.remove_webhook(webhook_id)
        for nr in range(0 if can_be_made_anew else 15):
            house.standin.add_webhook(house.general, f"theirs {nr}", by=house.ada)
        go_on.set()
        await over(house)
        assert told(house)[-1] == ("Luna" if can_be_made_anew else "Parley", "Once upon a time.")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Clyde", "Cl-yde"),
        ("aclydef", "acl-ydef"),
        ("My Discord Pal", "My Di-scord Pal"),
        ("here", "he-re"),
        ("everyone", "ev-eryone"),
        ("n" * 80, None),
        ("Zoë 🦊", "Zoë 🦊"),
    ],
)
async def test_no_name_keeps_an_answer_from_coming(tmp_path: Path, name: str, shown: str | None) -> None:
    async with stage(tmp_path, Persona(name)) as house:
        await house.ask("Who are you?")
        await over(house)
        ((spoken_as, text),) = told(house)
        assert text == "Hello from the model."
        assert spoken_as == shown if shown else spoken_as.startswith("n" * 79)


# -------------------------------------------------------------------------------------------------- who, and when it changes


async def test_two_speak_in_two_channels_by_their_own_model_and_sampling(tmp_path: Path) -> None:
    tuned = Persona("Bot Bo", model="other", temperature=0.25, top_p=0.5, max_output_tokens=300)
    async with stage(tmp_path, LUNA, tuned, llm_models=("other",)) as house:
        random = house.standin.channel("random")
        await house.choose(random, persona=tuned.name)
        await house.ask("One?")
        await house.ask("Two?", in_channel=random)
        await over(house)
        await over(house, channel=random)
        assert (told(house)[0][0], told(house, random)[0][0]) == ("Luna", "Bot Bo")
        requests = {request["model"]: request for request in house.provider.requests}
        assert "You are Luna." in str(requests["demo"]["messages"][0])
        fields = ("temperature", "top_p", "max_tokens", "max_completion_tokens")
        assert [requests["other"].get(it) for it in fields if it in requests["other"]] == [0.25, 0.5, 300]
        assert not set(fields[:2]) & set(requests["demo"])


async def test_two_in_one_channel_know_whose_words_are_whose(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA, BO) as house:
        await house.ask("One?")
        await over(house)
        await house.choose(persona=BO.name)
        await house.ask("Two?")
        await over(house, 2)
        assert [name for name, _ in told(house)] == ["Luna", "Bot Bo"]
        (earlier,) = said(house.provider.requests[-1])
        assert re.search(r"\n\nLuna \(\d+\): Hello from the model\.\n\nAda", earlier["content"])


async def test_a_reply_to_what_it_said_and_its_name_and_its_words_are_for_us(tmp_path: Path) -> None:
    async with stage(tmp_path, Persona("Luna", trigger_words=("crater",))) as house:
        await house.ask("One?")
        await over(house)
        await house.standin.say(house.ada, house.general, "And?", reply_to=ours(house)[-1]["id"])
        await over(house, 2)
        await house.standin.say(house.ada, house.general, "Luna, are you there?")
        await over(house, 3)
        await house.standin.say(house.ada, house.general, "What a crater.")
        await over(house, 4)
        assert len(house.provider.requests) == 4


async def test_its_own_words_are_no_question_and_a_foreign_webhooks_are_none_either(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        await house.choose(answering=Answering.ALWAYS, trigger_words=("hello",))
        await house.ask("One?")
        await over(house)
        theirs = house.standin.add_webhook(house.general, "theirs", by=house.ada)
        await house.standin.execute_webhook(theirs, "hello, Luna", username="Luna")
        await house.app.idle()
        assert len(house.provider.requests) == 1


async def test_after_a_restart_what_it_said_is_still_its_own(tmp_path: Path) -> None:
    config = StandinConfig(world=WorldConfig(bot_permissions=MEMBER_DEFAULT | Permission.MANAGE_WEBHOOKS))
    async with open_house(tmp_path, config=config, connected=False) as house:
        async with running_bot(house, tmp_path):
            await keep(house, LUNA)
            await house.choose(persona="Luna")
            await house.ask("One?")
            await over(house)
        async with running_bot(house, tmp_path):
            await house.standin.say(house.ada, house.general, "And?", reply_to=ours(house)[-1]["id"])
            await over(house, 2)
            assert said(house.provider.requests[-1])[1] == {"role": "assistant", "content": "Hello from the model."}
            await press(house, "delete", nr=0)
            await becomes(house, ("Luna", "Hello from the model."))


async def test_a_long_answer_by_webhook_goes_at_one_press_and_within_its_rate_limit(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        house.script = spoken("\n\n".join(f"Paragraph {nr}: " + "word " * 60 for nr in range(45)))
        await house.ask("Tell me a story.")
        await over(house)
        assert len(ours(house)) == 8
        await press(house, "delete")
        await becomes(house)
        assert [call for call in house.standin.calls if call.status == 429] == []


async def test_written_anew_after_it_was_renamed_it_is_still_the_same(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        await house.ask("One?")
        await over(house)
        renamed = Persona("Selene", "You are {{char}}, the renamed one.")
        await personas_of(house).put(server_of(house), renamed, by=1, instead_of="Luna")
        await house.choose(persona="Selene")
        house.script = spoken("Anew.")
        await press(house, "regenerate")
        await becomes(house, ("Selene", "Anew."))
        assert "You are Selene, the renamed one." in str(house.provider.requests[-1]["messages"][0])
        await press(house, "previous")
        await becomes(house, ("Luna", "Hello from the model."))


@pytest.mark.parametrize("webhooks", [True, False])
async def test_written_anew_after_it_was_deleted_it_is_parley_who_answers_and_says_so(
    tmp_path: Path, webhooks: bool
) -> None:
    async with stage(tmp_path, LUNA) as house:
        await house.choose(webhooks=webhooks)
        await house.ask("One?")
        await over(house)
        await personas_of(house).delete(server_of(house), "Luna")
        house.script = spoken("Anew.")
        await press(house, "regenerate")
        await becomes(house, ("Parley", "Anew."))
        await press(house, "previous")
        await becomes(
            house, ("Luna", "Hello from the model.") if webhooks else ("Parley", "**Luna**\nHello from the model.")
        )
        await press(house, "delete")
        await becomes(house)


async def test_written_anew_after_another_was_chosen_it_is_who_it_was(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA, BO) as house:
        await house.ask("One?")
        await over(house)
        await house.choose(persona=BO.name)
        house.script = spoken("Anew.")
        await press(house, "regenerate")
        await becomes(house, ("Luna", "Anew."))


async def test_written_anew_after_webhooks_were_switched_off_nothing_stays_twice(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        await house.ask("One?")
        await over(house)
        await house.choose(webhooks=False)
        house.script = spoken("Anew.")
        await press(house, "regenerate")
        await becomes(house, ("Parley", "**Luna**\nAnew."))


@pytest.mark.parametrize("then", ["Luna", "Bot Bo", ""])
async def test_a_notice_becomes_the_answer_of_who_answers(tmp_path: Path, then: str) -> None:
    async with stage(tmp_path, LUNA, BO) as house:
        go_on = asyncio.Event()
        house.scripts["first"] = [Say("First."), Until(go_on)]
        house.scripts["second"] = spoken("Second.")
        await house.ask("first")
        await house.standin.wait_for(lambda _: "First." in str(told(house)))
        await house.ask("second", by=house.bo)
        await house.standin.wait_for(lambda _: "-# ⏳" in str(told(house)), within=30)
        assert told(house)[-1][0] == "Luna"
        await house.choose(persona=then)
        go_on.set()
        await over(house, 2)
        assert told(house) == [("Luna", "First."), (then or "Parley", "Second.")]


async def test_asked_by_a_command_it_answers_under_its_name_also_when_it_is_written_anew(tmp_path: Path) -> None:
    async with stage(tmp_path, LUNA) as house:
        await house.standin.slash(house.ada, house.general, "ask", {"question": "Who are you?"})
        await over(house)
        ((name, text),) = told(house)
        asked, *answer = text.splitlines()
        assert (name, answer) == ("Parley", ["**Luna**", "Hello from the model."])
        house.script = spoken("Anew.")
        await press(house, "regenerate")
        await becomes(house, ("Parley", f"{asked}\n**Luna**\nAnew."))
        await personas_of(house).delete(server_of(house), "Luna")
        await press(house, "regenerate")
        await becomes(house, ("Parley", f"{asked}\nAnew."))


# ------------------------------------------------------------------------------------------------------------- greetings

GREETS = Persona("Luna", greeting="Hello {{user}}, I am {{char}}. {{random::Welcome.}}", avatar_url=PICTURE)
GREETING = "Hello Ada, I am Luna. Welcome."


async def greet(house: House, name: str = "Luna", channel: Channel | None = None) -> str:
    """What the person is told who lets it greet."""
    place, count = channel or house.general, len(house.whispers(house.ada, channel))
    await house.standin.slash(house.ada, place, "persona use", {"name": name, "greet": True})
    await house.standin.wait_for(lambda _: any(house.whispers(house.ada, channel)[count:]))
    return house.whispers(house.ada, channel)[-1]


async def test_it_says_its_greeting_and_the_model_reads_it_as_its_own(tmp_path: Path) -> None:
    async with stage(tmp_path, GREETS) as house:
        assert await greet(house) == "**Luna** speaks here from now on."
        await becomes(house, ("Luna", GREETING))
        assert house.provider.requests == []
        (greeting,) = ours(house)
        assert greeting["content"] == GREETING, "no model and no time stand under it"
        assert [button.split(":")[2] for button in buttons(greeting)] == ["delete"]
        await house.standin.say(house.bo, house.general, "Hello, Luna!", reply_to=greeting["id"])
        await over(house)
        first, second, third = said(house.provider.requests[-1])
        assert (first["role"], second) == ("user", {"role": "assistant", "content": GREETING})
        assert f"(in reply to you: “{GREETING}”)\nHello, Luna!" in third["content"]


@pytest.mark.parametrize("in_thread", [True, False])
async def test_where_it_has_no_voice_of_its_own_it_greets_under_its_name_all_the_same(
    tmp_path: Path, in_thread: bool
) -> None:
    async with stage(tmp_path, GREETS) as house:
        place = await house.standin.start_thread(house.ada, house.general, "Moon") if in_thread else house.general
        await house.choose(webhooks=False)
        await greet(house, channel=place)
        await becomes(house, ("Parley", f"**Luna**\n{GREETING}"), channel=place)
        await house.ask("And you?", in_channel=place)
        await over(house, channel=place)
        assert said(house.provider.requests[-1])[1] == {"role": "assistant", "content": GREETING}


async def test_a_greeting_goes_when_it_is_deleted_and_is_read_no_more(tmp_path: Path) -> None:
    async with stage(tmp_path, GREETS) as house:
        await greet(house)
        await becomes(house, ("Luna", GREETING))
        await press(house, "delete")
        await becomes(house)
        await house.ask("One?")
        await over(house)
        assert [message["role"] for message in said(house.provider.requests[-1])] == ["user"]


async def test_a_greeting_waits_for_the_answer_that_is_being_written(tmp_path: Path) -> None:
    async with stage(tmp_path, GREETS) as house:
        go_on = asyncio.Event()
        house.script = [Say("First."), Until(go_on)]
        await house.ask("One?")
        await house.standin.wait_for(lambda _: "First." in str(told(house)))
        await greet(house)
        assert [text for _, text in told(house)] == ["First. ▍"]
        go_on.set()
        await becomes(house, ("Luna", "First."), ("Luna", GREETING))


async def test_a_long_greeting_is_whole(tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {nr}: " + "word " * 60 for nr in range(16))
    async with stage(tmp_path, Persona("Luna", greeting=text)) as house:
        await greet(house)
        await house.standin.wait_for(lambda _: len(ours(house)) == 3)
        await house.app.idle()
        assert "\n\n".join(text for _, text in told(house)).split() == text.split()
        await press(house, "delete", nr=-1)
        await becomes(house)


async def test_names_do_not_make_a_greeting_longer_than_one_may_be(tmp_path: Path) -> None:
    async with stage(tmp_path, Persona("Luna" * 20, greeting="<char> " * 1000)) as house:
        await greet(house, "Luna" * 20)
        await house.standin.wait_for(lambda _: bool(ours(house)) and bool(buttons(ours(house)[-1])))
        await house.app.idle()
        assert len(ours(house)) <= 5


async def test_who_has_no_greeting_and_where_we_may_not_write_it_is_said(tmp_path: Path) -> None:
    async with stage(tmp_path, GREETS, BO) as house:
        assert "It has no greeting" in await greet(house, "Bot Bo")
        house.standin.set_permissions(house.general, house.standin.bot_id, deny=Permission.SEND_MESSAGES)
        assert "I cannot write here now" in await greet(house)
        assert ours(house) == []


async def test_its_greeting_mentions_nobody(tmp_path: Path) -> None:
    async with stage(tmp_path, Persona("Luna", greeting="@everyone <@&1> hello")) as house:
        await greet(house)
        await house.standin.wait_for(lambda _: bool(ours(house)))
        assert not ours(house)[0]["mention_everyone"]  # the house looks at allowed_mentions of every call

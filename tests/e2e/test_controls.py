"""The buttons under answers, and words that do the same: over sockets, as people press and write them."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from bot.playground.scripted_provider import End, Refuse, Say, Think, Until, spoken
from tests.e2e.house import QUICK, House, buttons, open_house, running_bot


def actions(message: dict[str, object]) -> list[str]:
    return [made.split(":")[2] for made in buttons(message)]


async def begun(house: House, text: str = "Once upon a time") -> None:
    """A long answer to Bo is being written."""
    house.script = [Say(text), Until(asyncio.Event())]
    await house.ask("Tell me a story.", by=house.bo)
    await house.standin.wait_for(lambda _: text in "".join(house.texts()))


async def test_while_it_is_written_there_is_a_stop_button_and_who_asked_may_press_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await begun(house)
        assert actions(house.answers()[0]) == ["stop"]
        await house.press("stop", by=house.bo)
        await house.answered()
        (answer,) = house.answers()
        assert answer["content"].startswith("Once upon a time\n-# ⏹️ Stopped by Bo.\n-# `demo`")
        assert actions(answer) == ["regenerate", "continue", "delete"]


async def test_a_stranger_may_not_press_and_a_moderator_may(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await begun(house)
        await house.press("stop", by=house.standin.user("Chi"))
        await house.whispered(house.standin.user("Chi"), "Only who asked, or a moderator")
        assert actions(house.answers()[0]) == ["stop"], "it goes on"
        await house.press("stop", by=house.ada)
        await house.answered()
        assert "Stopped by Ada" in house.texts()[0]


@pytest.mark.parametrize("word", ["stop", "Stop!", "stopp"])
async def test_stop_as_a_whole_message_stops(tmp_path: Path, word: str) -> None:
    async with open_house(tmp_path) as house:
        await begun(house)
        await house.standin.say(house.bo, house.general, word, reply_to=house.answers()[0]["id"])
        await house.answered()
        assert "Stopped by Bo" in house.texts()[0]
        assert len(house.provider.requests) == 1, "it is no question"


async def test_stop_in_a_sentence_or_by_a_stranger_is_a_question_like_others(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await begun(house)
        house.script = spoken("As you like.")
        await house.standin.say(house.bo, house.general, "stop using emoji", reply_to=house.answers()[0]["id"])
        await house.standin.say(house.standin.user("Chi"), house.general, "stop", reply_to=house.answers()[0]["id"])
        assert "Stopped" not in house.texts()[0]
        await house.press("stop", by=house.bo)
        await house.answered(3)
        assert len(house.provider.requests) == 3


async def test_the_stop_command_stops_what_its_user_may_stop(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await begun(house)
        await house.standin.slash(house.standin.user("Chi"), house.general, "stop")
        await house.whispered(house.standin.user("Chi"), "Nothing is running here")
        await house.standin.slash(house.bo, house.general, "stop")
        await house.whispered(house.bo, "Stopped.")
        await house.answered()
        assert "Stopped by Bo" in house.texts()[0]


async def test_an_answer_is_written_anew_in_its_place_and_the_old_version_is_kept(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("First version.")
        await house.ask("What is it?", by=house.bo)
        await house.answered()
        (first,) = house.answers()
        house.script = spoken("Second version, which is another one.")
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(lambda _: "Second version" in house.texts()[0])
        await house.app.idle()
        (second,) = house.answers()
        assert second["id"] == first["id"]
        assert actions(second) == ["previous", "regenerate", "delete"]
        old, new = house.provider.requests
        assert old["messages"] == new["messages"], "the model does not see its own first try"
        await house.press("previous", by=house.bo)
        await house.standin.wait_for(lambda _: house.texts()[0].startswith("First version.\n-# `demo`"))
        await house.app.idle()
        assert actions(house.answers()[0]) == ["next", "regenerate", "delete"]
        await house.press("next", by=house.bo)
        await house.standin.wait_for(lambda _: house.texts()[0].startswith("Second version"))
        await house.app.idle()
        assert len(house.answers()) == 1
        assert len(house.provider.requests) == 2


async def test_a_long_answer_gives_way_to_a_short_one_and_comes_back(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        long = "\n\n".join(f"Paragraph {n} says something about the matter at hand." for n in range(90))
        house.script = spoken(long, size=400)
        await house.ask("Tell me a lot.", by=house.bo)
        await house.answered()
        shown = house.texts()
        assert len(shown) == 3
        house.script = spoken("In short: no.")
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(lambda _: "In short" in house.texts()[0])
        await house.app.idle()
        assert len(house.answers()) == 1
        await house.press("previous", by=house.bo)
        await house.standin.wait_for(lambda _: len(house.answers()) == 3)
        await house.app.idle()
        assert house.texts() == shown


async def test_the_buttons_work_after_a_restart(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        house.script = [Think("Let me see."), *spoken("Half of"), End("length")]
        async with running_bot(house, tmp_path):
            await house.ask("What is it?", by=house.bo)
            await house.answered()
        house.script = spoken(" it, and the other half.")
        async with running_bot(house, tmp_path):
            await house.press("thoughts", by=house.bo)
            await house.whispered(house.bo, "Let me see.")
            await house.press("continue", by=house.bo)
            await house.standin.wait_for(lambda _: "the other half." in house.texts()[0])
            await house.app.idle()
        (answer,) = house.answers()
        assert answer["content"].startswith("Half of it, and the other half.\n-# `demo`")
        assert "length limit" not in answer["content"]
        assert actions(answer) == ["regenerate", "thoughts", "delete"]
        last = house.provider.requests[-1]["messages"]
        assert [message["role"] for message in last] == ["system", "user", "assistant", "user"]
        assert last[2]["content"] == "Half of"


async def test_an_answer_that_failed_can_be_tried_again(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Refuse(500, "boom")]
        await house.ask("What is it?", by=house.bo)
        await house.answered()
        (failed,) = house.answers()
        assert failed["embeds"]
        assert actions(failed) == ["regenerate", "delete"]
        house.script = spoken("Now it works.")
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(lambda _: "Now it works." in house.texts()[0])
        await house.app.idle()
        (answer,) = house.answers()
        assert answer["embeds"] == []


async def test_the_same_failure_again_is_a_short_line(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Refuse(500, "boom")]
        for number in (1, 2):
            await house.ask("What is it?", by=house.bo)
            await house.answered(number)
        first, second = house.answers()
        assert first["embeds"]
        assert second["embeds"] == []
        assert second["content"].startswith("-# ⚠️ ")
        assert actions(second) == ["regenerate", "delete"]


async def test_deleting_an_answer_leaves_nothing_of_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("word " * 900, size=400)
        await house.ask("Talk.", by=house.bo)
        await house.answered()
        assert len(house.answers()) == 3
        await house.press("delete", by=house.bo)
        await house.standin.wait_for(lambda _: house.answers() == [])


async def test_of_an_answer_that_a_person_deletes_no_text_is_kept(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.ask("What is it?", by=house.bo)
        await house.answered()
        await house.app.idle()
        (answer,) = house.answers()
        await house.standin.delete(answer["id"], by=house.ada)
        await house.ask("And now?", by=house.bo)
        await house.answered()
        assert "Hello from the model." not in str(house.provider.requests[-1])
    file = sqlite3.connect(tmp_path / "parley.db")
    assert len(file.execute("SELECT 1 FROM answer_versions").fetchall()) == 1, "of the second answer"
    file.close()


async def test_thoughts_are_pages_that_only_the_presser_sees(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        thoughts = "\n\n".join(f"Thought {n}: this may or may not be so, @everyone." for n in range(80))
        house.script = [Think(thoughts), *spoken("Yes.")]
        await house.ask("Well?", by=house.bo)
        await house.answered()
        assert "Thought" not in "".join(house.texts())
        await house.press("thoughts", by=house.bo)
        await house.whispered(house.bo, "Page 1 of 3")
        assert house.whispers(house.standin.user("Chi")) == []
        page = next(m for m in house.standin.messages(house.general, house.bo) if "Page 1" in m["content"])
        (forth,) = [made for made in buttons(page) if ":page:" in made]
        await house.standin.press(house.bo, page["id"], forth)
        await house.whispered(house.bo, "Page 2 of 3")
        assert not any(ping.mentions.everyone for ping in house.standin.pings)


async def test_two_presses_write_one_new_version(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.ask("What is it?", by=house.bo)
        await house.answered()
        house.script = [Say("Another"), Until(gate := asyncio.Event()), Say(" one.")]
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(lambda _: "Another" in house.texts()[0])
        assert actions(house.answers()[0]) == ["stop"]
        gate.set()
        await house.app.idle()
        assert len(house.provider.requests) == 2


async def test_without_its_question_an_answer_is_not_written_anew_but_its_versions_are_there(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        question_id = await house.ask("What is it?", by=house.bo)
        await house.answered()
        house.script = spoken("Something else.")
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(lambda _: house.texts()[0].startswith("Something else.\n-# "))
        await house.app.idle()
        await house.standin.delete(question_id, by=house.bo)
        await house.press("regenerate", by=house.bo)
        await house.whispered(house.bo, "The question of this answer is gone")
        assert len(house.provider.requests) == 2
        await house.press("previous", by=house.bo)
        await house.standin.wait_for(lambda _: house.texts()[0].startswith("Hello from the model."))

"""`/retry` and `/continue`: what the buttons under an answer do, by command."""

from pathlib import Path

import pytest

from bot.playground.scripted_provider import End, Say, spoken
from tests.e2e.house import open_house


async def test_the_last_answer_to_who_asks_is_written_anew_in_its_place(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        for who, words in ((house.bo, "For Bo."), (house.ada, "For Ada.")):
            house.script = spoken(words)
            await house.ask("Tell me.", by=who)
            await house.answered(1 if who is house.bo else 2)
        house.script = spoken("Anew for Bo.")
        await house.standin.slash(house.bo, house.general, "retry")
        await house.whispered(house.bo, "I am answering anew")
        await house.standin.wait_for(lambda _: "Anew for Bo." in house.texts()[0])
        assert house.texts()[1].startswith("For Ada.")


async def test_another_answer_can_be_named_by_its_link_and_a_stranger_hears_why_not(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("For Bo.")
        await house.ask("Tell me.", by=house.bo)
        await house.answered()
        await house.app.idle()
        answer = house.answers()[0]["id"]
        link = f"https://discord.com/channels/1/{house.general.id}/{answer}"
        stranger = house.standin.user("Chi")
        await house.standin.slash(stranger, house.general, "retry", {"answer": link})
        await house.whispered(stranger, "Only who asked, or a moderator")
        house.script = spoken("By a moderator.")
        await house.standin.slash(house.ada, house.general, "retry", {"answer": answer})
        await house.whispered(house.ada, "I am answering anew")
        await house.standin.wait_for(lambda _: "By a moderator." in house.texts()[0])


async def test_an_answer_that_broke_off_goes_on_and_one_that_is_whole_does_not(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Say("Once upon"), End("length")]
        await house.ask("Tell me a story.", by=house.bo)
        await house.answered()
        house.script = spoken(" a time.")
        await house.standin.slash(house.bo, house.general, "continue")
        await house.whispered(house.bo, "I am going on")
        await house.standin.wait_for(lambda _: "Once upon a time." in house.texts()[0])
        await house.app.idle()
        await house.standin.slash(house.bo, house.general, "continue")
        await house.whispered(house.bo, "did not break off")


@pytest.mark.parametrize(
    ("answer", "told"),
    [(None, "There is no answer to you here"), ("hello", "neither the link"), ("123456789012345678", "do not know")],
)
async def test_who_names_nothing_that_is_known_hears_so(tmp_path: Path, answer: str | None, told: str) -> None:
    async with open_house(tmp_path) as house:
        options = {} if answer is None else {"answer": answer}
        await house.standin.slash(house.bo, house.general, "retry", options)
        await house.whispered(house.bo, told)


async def test_an_answer_to_a_command_is_sent_to_its_button(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("Yes.")
        await house.standin.slash(house.bo, house.general, "ask", {"question": "Is it?"})
        await house.answered()
        await house.app.idle()
        await house.standin.slash(house.bo, house.general, "retry")
        await house.whispered(house.bo, "use the button under it")

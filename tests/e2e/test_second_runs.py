"""An answer that is written on, or anew: what of it is shown a second time, and where."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bot.playground.scripted_provider import End, Refuse, Say, Think, spoken
from bot.playground.standin import Permission
from tests.e2e.house import QUICK, open_house
from tests.e2e.test_looks import shown_in
from tests.e2e.test_next_request import asked, pressed


async def test_thoughts_of_an_answer_that_goes_on_follow_those_of_its_beginning(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        await house.set_delivery(thoughts="thread")
        await asked(house, "Well?", Think("First this."), Say("It began"), End("length"))
        await pressed(house, "continue", Think("Then that."), Say(" and went on."))
        thread = house.standin.world.channels[house.answers()[0]["id"]]
        assert [shown_in(message).partition("\n")[2] for message in house.answers(thread)] == [
            "First this.",
            "Then that.",
        ]


async def test_thoughts_that_end_in_the_rest_of_an_answer_take_nothing_back_of_its_beginning(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        await asked(house, "Well?", Say("It began,"), End("length"))
        await pressed(house, "continue", Say("Where was I?"), Say("</think>"), Say("and went on."))
        assert house.texts()[0].startswith("It began,and went on.\n-# ")


LONG = "\n\n".join(f"Paragraph {nr} says something about the matter at hand." for nr in range(60))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"thoughts": "button"}, {"thoughts": "spoiler"}),
        ({"thoughts": "spoiler"}, {"thoughts": "button"}),
        ({"tables": "code"}, {"tables": "bullets"}),
        ({"style": "plain"}, {"style": "components"}),
        ({"style": "embed"}, {"style": "plain"}),
    ],
    ids=str,
)
async def test_an_answer_that_goes_on_in_another_look_is_whole(
    tmp_path: Path, before: dict[str, str], after: dict[str, str]
) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        await house.set_delivery(**before)
        said = f"| a | b |\n|---|---|\n| 1 | 2 |\n\n{LONG}"
        await asked(house, "Well?", Think("Let me see."), Say(said), End("length"))
        await house.set_delivery(**after)
        await pressed(house, "continue", Say(" And the rest."))
        shown = "\n\n".join(shown_in(message) for message in house.answers())
        assert re.findall(r"Paragraph \d+|And the rest|Let me see", shown) == [
            *(["Let me see"] if after == {"thoughts": "spoiler"} else []),
            *(f"Paragraph {nr}" for nr in range(60)),
            "And the rest",
        ]


async def test_thoughts_that_come_after_text_are_a_file_where_they_would_be_a_spoiler(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        await house.set_delivery(thoughts="spoiler")
        await asked(house, "Well?", Say("It began,"), Think("Late."), Say(" and"), End("length"))
        (file,) = house.answers()[0]["attachments"]
        assert house.standin.attachment(file["id"]) == b"Late."
        await pressed(house, "continue", Say(" went on."))
        assert [shown_in(message).partition("\n-# ")[0] for message in house.answers()] == [
            "-# 💭 Thought for one second\n||Late.||",
            "It began, and went on.",
        ]


async def test_who_asks_again_after_an_error_is_told_all_of_it_again(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        refuse = Refuse(404, "The model `x` does not exist", "model_not_found")
        await asked(house, "Well?", refuse)
        (first,) = house.answers()[0]["embeds"]
        await pressed(house, "regenerate", refuse)
        assert house.answers()[0]["embeds"] == [first]
        await asked(house, "Well?", refuse)
        assert house.texts()[1].startswith("-# ⚠️ Again: ")


async def test_a_log_channel_where_we_may_not_embed_takes_thoughts_all_the_same(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        log = house.standin.channel("random")
        house.standin.set_permissions(log, house.standin.bot_id, deny=Permission.EMBED_LINKS)
        await house.set_delivery(thoughts="channel", thought_channel_id=int(log.id))
        await asked(house, "Well?", Think("First this."), Say("So: yes."))
        (message,) = house.answers(log)
        assert message["content"] == "", "or a question there would take it for an answer"
        assert shown_in(message).endswith("First this.")


@pytest.mark.parametrize("style", ["plain", "embed", "components"])
async def test_what_was_asked_by_command_stands_once_above_every_version(tmp_path: Path, style: str) -> None:
    async with open_house(tmp_path) as house:
        await house.set_delivery(style=style, thoughts="spoiler")
        shows = "Where is Miso?"

        async def stands(text: str) -> None:
            await house.standin.wait_for(lambda _: text in str(house.answers()))
            await house.app.idle()
            assert [str(message).count(shows) for message in house.answers()].count(1) == 1, text
            assert str(house.answers()).count(shows) == 1, text

        house.script = [Think("Let me see."), *spoken("Half of it. " * 250, size=500), End("length")]
        await house.standin.slash(house.bo, house.general, "ask", {"question": shows})
        await stands("⏩")
        house.script = spoken("And the rest.")
        await house.press("continue", by=house.bo)
        await stands("And the rest.")
        house.script = [Think("Anew."), *spoken("In short: here.")]
        await house.press("regenerate", by=house.bo)
        await stands("In short: here.")
        await house.press("previous", by=house.bo)
        await stands("And the rest.")

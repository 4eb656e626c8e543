"""Reasoning that a server leaves in the text: no word of it is ever seen in the channel, not even in a preview."""

from pathlib import Path

import pytest

from bot.playground.demo import demo_script
from bot.playground.scripted_provider import End, Say, Script, Think, spoken
from tests.e2e.house import House, open_house


def ever_shown(house: House) -> str:
    """All that was ever sent to the channel, previews too."""
    writing = [*house.calls("POST", "/messages"), *house.calls("PATCH", "/messages")]
    return "\n".join(str(call.body) for call in writing)


async def test_what_leaked_is_taken_out_and_what_is_spoken_of_stays(tmp_path: Path) -> None:
    """Between marks, and glued to the answer; marks in code are an example."""
    async with open_house(tmp_path) as house:
        house.script = demo_script("leak", pace=0.002)
        await house.ask("leak")
        await house.answered()
        (answer,) = house.texts()
        assert answer.startswith("Some servers do not know")
        assert "such as `<think>`, or these:\n\n```xml\n<think>an example</think>\n```" in answer
        shown = ever_shown(house)
        assert not [word for word in ("They want", "short answer will do", "<think>They") if word in shown]


@pytest.mark.parametrize("size", [1, 3, 200])
async def test_a_mark_never_flashes_up(tmp_path: Path, size: int) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("Well. <think>secret</think>It is <b>four</b>.", pause=0.005, size=size)
        await house.ask("What is two and two?")
        await house.answered()
        assert house.texts()[0].startswith("Well. It is <b>four</b>.\n-# ")
        shown = ever_shown(house)
        assert "think" not in shown
        assert "secret" not in shown


SILENCES: list[tuple[Script, str]] = [
    ([Say("<think>secret")], "-# 💭 The model only thought"),
    ([Think("secret")], "-# 💭 The model only thought"),
    ([Say("<think>secret"), End("length")], "-# ✂️ The model spent its whole length limit on thinking"),
    ([Say("secret</think>")], "-# 💭 The model only thought"),
]


@pytest.mark.parametrize(("script", "notice"), SILENCES)
async def test_an_answer_of_thoughts_alone_says_so(tmp_path: Path, script: Script, notice: str) -> None:
    async with open_house(tmp_path) as house:
        house.script = script
        await house.ask("What is it?")
        await house.answered()
        (answer,) = house.texts()
        assert answer.startswith(notice)
        assert "secret" not in answer

"""A model whose template opens the thought: text, the closing mark, then the answer. The channel ends with the answer alone."""

import asyncio
from pathlib import Path

import pytest

from bot.playground.scripted_provider import BreakOff, Say, Script, Step, Until, spoken
from tests.e2e.house import House, open_house

SHORT = "They want to know what it is. I think that it is forty-two."
LONG = "\n\n".join(f"Thought {n}: this could be so, and on the other hand it could be otherwise." for n in range(60))
ANSWER = "It is forty-two."
LONG_ANSWER = "\n\n".join(f"Reason {n}: it is so, and nobody has ever shown it to be otherwise." for n in range(80))


async def think_aloud(house: House, thought: str, *then: Step) -> None:
    """Ask, wait until the thought stands in the channel, and let the model go on."""
    seen = asyncio.Event()
    house.script = [*spoken(thought, size=200), Until(seen), *then]
    await house.ask("What is it?")
    await house.standin.wait_for(lambda _: any(thought[-20:] in text for text in house.texts()), within=30)
    seen.set()
    await house.answered()


@pytest.mark.parametrize("thought", [SHORT, LONG])
@pytest.mark.parametrize("mark", [["</think>"], ["</th", "ink>\n\n"]])
async def test_the_answer_takes_the_place_of_the_thought(tmp_path: Path, thought: str, mark: list[str]) -> None:
    """In the same first message, which replies to the question; messages too many are deleted."""
    async with open_house(tmp_path) as house:
        await think_aloud(house, thought, *map(Say, mark), *spoken(ANSWER))
        (answer,) = house.answers()
        assert answer["content"].startswith(f"{ANSWER}\n-# `demo`")
        assert answer["message_reference"]["channel_id"] == str(house.general.id)
        assert len(house.calls("DELETE", "/messages")) == len(house.calls("POST", "/messages")) - 1


@pytest.mark.parametrize("thought", [SHORT, LONG])
async def test_a_long_answer_goes_over_what_stands_and_beyond(tmp_path: Path, thought: str) -> None:
    async with open_house(tmp_path) as house:
        await think_aloud(house, thought, Say("</think>"), *spoken(LONG_ANSWER, size=200))
        texts = house.texts()
        assert len(texts) >= 3
        shown = [line for text in texts for line in text.splitlines() if line and not line.startswith("-# ")]
        assert shown == [line for line in LONG_ANSWER.splitlines() if line]


ENDINGS: list[tuple[Script, str]] = [
    ([Say(ANSWER), BreakOff()], f"{ANSWER}\n-# `demo`"),
    ([Say(ANSWER), Say("</think>"), Say("No: forty-three.")], "No: forty-three.\n-# `demo`"),
    ([], "-# 💭 "),
    ([Say("\n\n")], "-# 💭 "),
    ([BreakOff()], ""),
]


@pytest.mark.parametrize(("then", "shown"), ENDINGS)
@pytest.mark.parametrize("thought", [SHORT, LONG])
async def test_whatever_follows_the_thought_does_not_stand(
    tmp_path: Path, thought: str, then: Script, shown: str
) -> None:
    """An error, another closing mark, nothing: one message says how it ended."""
    async with open_house(tmp_path) as house:
        await think_aloud(house, thought, Say("</think>"), *then)
        (answer,) = house.answers()
        assert answer["content"].startswith(shown)
        assert thought[:15] not in answer["content"]
        assert "think>" not in answer["content"]
        assert bool(answer["embeds"]) == (BreakOff() in then)


async def test_later_turns_read_the_answer_alone(tmp_path: Path) -> None:
    """The journal's lengths are those of what stands."""
    async with open_house(tmp_path) as house:
        await think_aloud(house, LONG, Say("</think>"), *spoken(ANSWER))
        house.script = spoken("Gladly.")
        await house.standin.say(house.bo, house.general, "More of that", reply_to=house.answers()[-1]["id"])
        await house.answered(2)
        said = [m["content"] for m in house.provider.requests[1]["messages"] if m["role"] == "assistant"]
        assert said == [ANSWER]

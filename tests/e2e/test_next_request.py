"""What the model reads of a conversation: what was said, in whatever look, and none of what is ours; each request goes on from
the one before, so that a provider finds its beginning in its cache."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

from bot.playground.scripted_provider import End, Refuse, Say, Think
from tests.e2e.house import QUICK, House, open_house, said

SAID = "Here:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## So *yes*. "
LOOKS = (
    ("plain", "spoiler"),
    ("embed", "spoiler"),
    ("components", "spoiler"),
    ("plain", "file"),
    ("embed", "thread"),
    ("components", "channel"),
)
"""Style, and where thoughts are shown."""


def last(house: House) -> list[Any]:
    return said(house.provider.requests[-1])


async def asked(house: House, text: str, *script: Any) -> list[Any]:
    house.script = list(script)
    count = len(house.provider.requests)
    await house.ask(text, by=house.bo)
    await house.standin.wait_for(lambda _: len(house.provider.requests) > count)
    await house.app.idle()
    return last(house)


async def pressed(house: House, action: str, *script: Any) -> list[Any]:
    house.script = list(script)
    count = len(house.provider.requests)
    await house.press(action, by=house.bo)
    await house.standin.wait_for(lambda _: len(house.provider.requests) > count)
    await house.app.idle()
    return last(house)


async def test_each_request_extends_the_one_before_and_has_nothing_of_ours(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        log = house.standin.channel("random")
        requests = []
        for style, thoughts in LOOKS:
            await house.set_delivery(style=style, thoughts=thoughts, thought_channel_id=int(log.id), footer="full")
            requests.append(await asked(house, f"Look: {style}, {thoughts}?", Think("SECRET"), Say(SAID)))
        broken = await asked(house, "And then?", Think("SECRET"), Say("It began"), End("length"))
        gone_on = await pressed(house, "continue", Think("SECRET"), Say(" and went on."))
        *earlier, question = broken
        assert gone_on[: len(earlier)] == earlier
        assert gone_on[len(earlier)]["content"].startswith(question["content"])
        requests.append(broken)
        anew = await asked(house, "Once more?", Say("First try."))
        assert anew[-2]["content"] == "It began and went on."
        assert await pressed(house, "regenerate", Think("SECRET"), Say("Second try.")) == anew
        requests.append(anew)
        requests.append(await asked(house, "Broken?", Refuse(503, "overloaded")))
        requests.append(await asked(house, "Last?", Say("Done.")))
        for shorter, longer in pairwise(requests):
            assert longer[: len(shorter) - 1] == shorter[:-1]
            assert longer[len(shorter) - 1]["content"].startswith(shorter[-1]["content"])
        answers = [message["content"] for message in requests[-1] if message["role"] == "assistant"]
        assert answers == [SAID.rstrip()] * len(LOOKS) + ["It began and went on.", "Second try."]
        everything = str(requests)
        assert not [ours for ours in ("SECRET", "-# ", "💭", "Turn ", "overloaded") if ours in everything]

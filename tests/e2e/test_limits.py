"""Limits as people meet them: the notice that one comes near, the refusal, answers that wait for others of their server."""

import asyncio
from datetime import date
from pathlib import Path
from typing import Any

from bot.playground.scripted_provider import Say, Until, spoken
from bot.playground.standin import Channel
from bot.preferences import LimitPreferences, OperatorLimits
from bot.store import Database, Scope
from bot.store.usage import Ledger
from bot.turn.queue import MOST_OF_ONE
from tests.e2e.house import WAITING, House, open_house
from tests.e2e.test_context import by_command
from tests.e2e.test_personas import server_of

EVER = date(2000, 1, 1), date(2100, 1, 1)


async def limit(house: House, **limits: Any) -> None:
    await house.preferences.change(LimitPreferences, Scope.SERVER, server_of(house), **limits)


def last(house: House, channel: Channel | None = None) -> str:
    return house.texts(channel)[-1]


async def test_who_used_up_a_limit_hears_it_coming_and_then_when_it_ends(tmp_path: Path) -> None:
    """An answer is 1,000 tokens read and some written."""
    async with open_house(tmp_path) as house:
        house.provider.prompt_tokens = 1000
        await limit(house, person_daily_tokens=2010)
        await house.ask("one")
        await house.answered(1)
        assert "📊" not in last(house)
        await house.ask("two")
        await house.answered(2)
        assert "📊" not in last(house), "half of it was used when it began"
        await limit(house, person_daily_tokens=2500)
        await house.ask("three")
        await house.answered(3)
        assert "-# 📊 You have used 80% of what one person may use. It begins anew <t:" in last(house)
        await house.ask("four")
        await house.answered(4)
        assert last(house).startswith("-# You have used as much of the model as one person may in this time.")
        assert "`/limits`" in last(house)
        assert "<t:" in last(house)
        assert len(house.provider.requests) == 3
        await house.ask("five", by=house.bo)
        await house.answered(5)
        assert last(house).startswith("Hello from the model.")


async def test_an_interaction_is_refused_in_its_persons_language(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.standin.set_locale(house.bo, "de")
        house.provider.prompt_tokens = 1000
        await limit(house, server_daily_tokens=500)
        await house.ask("one")
        await house.answered(1)
        await house.standin.slash(house.bo, house.general, "ask", {"question": "two"})
        await house.whispered(house.bo, "Auf diesem Server ist vom Modell so viel verbraucht")
        assert len(house.provider.requests) == 1


async def test_what_the_operator_gives_away_ends_in_direct_messages_too(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.provider.prompt_tokens = 1000
        await house.preferences.change(OperatorLimits, Scope.GLOBAL, 0, free_person_daily_tokens=1000)
        await house.ask("one")
        await house.answered(1)
        direct = house.standin.dm(house.ada)
        await house.standin.say(house.ada, direct, "two")
        await house.answered(1, direct)
        assert last(house, direct).startswith("-# What whoever runs this bot gives away in this time is used up.")
        assert "`/keys`" in last(house, direct)


async def test_a_stopped_answer_is_counted_too(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        never = asyncio.Event()
        house.script = [Say("some words of an answer"), Until(never)]
        await house.ask("one")
        await house.standin.wait_for(lambda _: any("some words" in text for text in house.texts()))
        await house.press("stop", by=house.ada)
        await house.answered(1)
    async with Database(f"sqlite+aiosqlite:///{tmp_path}/parley.db") as database:
        total = await Ledger(database).total(*EVER)
    assert (total.calls, total.estimated_calls) == (1, 1)
    assert total.output_tokens > 2


async def test_as_many_answers_at_once_as_may_be_and_the_others_wait(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        goes_on = asyncio.Event()
        house.scripts = {"one": [Say("first "), Until(goes_on), Say("answer")], "two": spoken("second answer")}
        await limit(house, answers_at_once=1)
        random = house.standin.channel("random")
        await house.ask("one")
        await house.standin.wait_for(lambda _: any("first" in text for text in house.texts()))
        await house.ask("two", by=house.bo, in_channel=random)
        await house.standin.wait_for(lambda _: any(WAITING in text for text in house.texts(random)))
        assert len(house.provider.requests) == 1
        goes_on.set()
        await house.answered(1)
        await house.answered(1, random)
        assert house.texts(random)[-1].startswith("second answer")


async def test_questions_that_found_no_place_to_wait_are_not_expected_after_the_next_answer(tmp_path: Path) -> None:
    """A little over 1,000 tokens an answer: after five of them, half of the limit is used."""
    async with open_house(tmp_path) as house:
        goes_on = asyncio.Event()
        house.scripts = {"hold": [Say("first "), Until(goes_on), Say("answer")]}
        house.provider.prompt_tokens = 1000
        await limit(house, person_daily_tokens=10_000)
        await house.ask("one")
        await house.answered(1)
        await house.ask("hold")
        await house.standin.wait_for(lambda _: any("first" in text for text in house.texts()))
        for number in range(MOST_OF_ONE + 5):
            await house.ask(f"more {number}")
        await house.standin.wait_for(lambda _: "So many of your questions" in str(house.answers()))
        goes_on.set()
        await house.app.idle()
        asked = len(house.provider.requests)
        await house.ask("last")
        await house.standin.wait_for(lambda _: len(house.provider.requests) == asked + 1)


async def test_what_is_no_turn_is_expected_only_while_it_is_done(tmp_path: Path) -> None:
    """There is too little to fold, so no model is asked for it."""
    async with open_house(tmp_path) as house:
        house.provider.prompt_tokens = 1000
        await limit(house, server_daily_tokens=2500)
        await house.ask("one")
        await house.answered(1)
        for _ in range(3):
            assert (await by_command(house, "compact")).startswith("There is too little")
        await house.ask("two", by=house.bo)
        await house.answered(2)
        assert last(house).startswith("Hello from the model.")


async def test_a_notice_of_an_answer_that_made_room_stands_under_the_next(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.provider.prompt_tokens = 1000
        await limit(house, person_daily_tokens=100_000, notice_percent=1)
        await house.ask("one")
        await house.answered(1)
        never = asyncio.Event()
        house.scripts = {"hold": [Until(never)], "after": spoken("another answer")}
        await house.ask("hold")
        await house.standin.wait_for(lambda _: len(house.provider.requests) == 2)
        await house.ask("after")
        await house.standin.wait_for(lambda _: "another answer" in str(house.texts()))
        await house.app.idle()
        assert "📊" in last(house)


async def test_a_channels_limit_has_its_threads_with_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.provider.prompt_tokens = 1000
        await house.choose(threads=True)
        await limit(house, channel_daily_tokens=1500)
        await house.ask("one", by=house.bo)
        await house.provider.asked.wait()
        await house.app.idle()  # the thread has its title too, which another call of the model made
        await house.ask("two", by=house.bo)
        await house.standin.wait_for(lambda _: any("In this channel as much" in text for text in house.texts()))

"""The typing indicator means "work in progress", and nothing else: it lasts as long, and never longer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import discord
import pytest

from bot.gateway.typing import EVERY, Typing
from tests.gateway.connected import Connected, connected
from tests.virtual_sockets import run

INDICATOR = 10.0
"""Seconds for which Discord shows one post."""


def typing_of(c: Connected) -> Typing:
    return Typing(lambda: c.client, c.channel_id, c.pacer)


async def say(c: Connected, text: str) -> None:
    await c.client.get_partial_messageable(c.channel_id).send(text)


@pytest.mark.parametrize("seconds", [0.5, 12.0, 25.0, 60.0])
def test_it_is_refreshed_while_the_work_lasts_and_not_after(seconds: float) -> None:
    async def main() -> list[float]:
        async with connected() as c:
            typing = typing_of(c)
            typing.start()
            await asyncio.sleep(seconds)
            await typing.end()
            await say(c, "the answer, an error, or nothing at all")
            await asyncio.sleep(15.0)
            return c.posts("/typing")

    posts = run(main())
    assert posts[0] == 0.0
    assert all(later - earlier < INDICATOR for earlier, later in zip(posts, [*posts[1:], seconds], strict=True))
    assert posts[-1] <= seconds


def test_the_end_waits_for_a_post_under_way_so_that_none_lands_after_the_answer() -> None:
    async def main() -> list[str]:
        async with connected() as c:
            c.standin.fail("POST", "/typing$", delay=1.0)
            typing = typing_of(c)
            typing.start()
            await asyncio.sleep(0.5)
            await typing.end()
            await say(c, "the answer")
            await asyncio.sleep(15.0)
            return [call.path.rsplit("/", 1)[1] for call in c.standin.calls if call.method == "POST"]

    assert run(main()) == ["typing", "messages"]


def test_the_end_does_not_wait_for_ever() -> None:
    async def main() -> float:
        async with connected() as c:
            c.standin.fail("POST", "/typing$", delay=60.0)
            typing = typing_of(c)
            typing.start()
            await asyncio.sleep(0.5)
            await typing.end()
            return asyncio.get_running_loop().time()

    assert run(main()) == pytest.approx(2.5, abs=0.1)


def refused(c: Connected) -> None:
    c.standin.fail("POST", "/typing$", status=403)


def banned(c: Connected) -> None:
    c.standin.fail("POST", "/typing$", status=429, body="banned", headers={"Retry-After": "60"})


def broken(c: Connected) -> None:
    c.standin.fail("POST", "/typing$", drop=True)


@pytest.mark.parametrize(
    ("fault", "calls"),
    [
        pytest.param(refused, 1, id="we may not write there: not tried again"),
        pytest.param(banned, 1, id="Discord is cross with us: not tried again"),
        pytest.param(broken, 3, id="the connection broke: the next one is another try"),
    ],
)
def test_what_goes_wrong_is_not_the_answers_problem(fault: Callable[[Connected], None], calls: int) -> None:
    async def main() -> int:
        async with connected() as c:
            fault(c)
            typing = typing_of(c)
            typing.start()
            await asyncio.sleep(2 * EVERY + 1)
            await typing.end()
            return len(c.posts("/typing"))

    assert run(main()) == calls


def test_a_client_that_is_being_replaced_is_waited_for() -> None:
    async def main() -> list[float]:
        async with connected() as c:
            clients = iter([discord.Client(intents=discord.Intents.none()), c.client, c.client])
            typing = Typing(lambda: next(clients), c.channel_id, c.pacer)
            typing.start()
            await asyncio.sleep(2 * EVERY + 1)
            await typing.end()
            return c.posts("/typing")

    assert run(main()) == [EVERY, 2 * EVERY]


def test_it_may_be_ended_more_than_once_and_before_it_began() -> None:
    async def main() -> list[float]:
        async with connected() as c:
            typing = typing_of(c)
            typing.start()
            await asyncio.sleep(1.0)
            await asyncio.gather(typing.end(), typing.end())
            await typing.end()
            never = typing_of(c)
            await never.end()
            never.start()
            await asyncio.sleep(EVERY)
            return c.posts("/typing")

    assert run(main()) == [0.0]

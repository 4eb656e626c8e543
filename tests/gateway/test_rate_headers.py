"""What the pacer learns from a real client's calls: its own, everybody else's, and those that went wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import aiohttp
import discord
import pytest
from discord.http import handle_message_parameters
from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.outcome import Fate
from bot.delivery.pacing.buckets import Route
from bot.delivery.pacing.fair_share import GLOBAL_LIMIT
from bot.delivery.payloads import NOBODY
from bot.delivery.plan import Create, MessagePlan
from bot.delivery.sender import DiscordSender, Place
from bot.delivery.webhook_calls import Credentials, call, pacing_place
from bot.gateway.rate_headers import LONGEST_LIMIT
from bot.playground.standin.permissions import Permission
from bot.playground.standin.rate_limits import MESSAGE_CREATE, MESSAGE_EDIT, TYPING, WEBHOOK, BucketRule
from tests.gateway.connected import Connected, connected
from tests.virtual_sockets import run

Call = Callable[[Connected], Awaitable[object]]


async def create(c: Connected) -> None:
    await c.client.get_partial_messageable(c.channel_id).send("x")


async def edit(c: Connected) -> None:
    message = await c.standin.say(c.standin.bot_id, c.standin.channel("general"), "x")
    await c.client.get_partial_messageable(c.channel_id).get_partial_message(int(message["id"])).edit(content="y")


async def typing(c: Connected) -> None:
    await c.client.http.send_typing(c.channel_id)


def held(c: Connected, channel_id: int | None = None) -> dict[Route, float]:
    lane = c.pacer.lane(channel_id or c.channel_id)
    return {route: seconds for route in Route if (seconds := round(lane.held(route), 1))}


@pytest.mark.parametrize(
    ("call", "route"),
    [(create, Route.CREATE), (edit, Route.EDIT), (typing, Route.TYPING)],
    ids=lambda one: getattr(one, "__name__", str(one)),
)
def test_a_window_that_anybody_used_up_is_known_by_route_and_channel(call: Call, route: Route) -> None:
    async def main() -> None:
        async with connected() as c:
            calls = [asyncio.create_task(_ignoring(call(c))) for _ in range(5)]
            await asyncio.sleep(0.5)
            assert held(c) == {route: 4.5}
            assert held(c, 4711) == {}
            await asyncio.wait(calls)

    run(main())


def test_the_numbers_are_discords_and_not_ours() -> None:
    async def main() -> None:
        async with connected(buckets={MESSAGE_CREATE.name: BucketRule(MESSAGE_CREATE.name, 1, 30.0)}) as c:
            calls = asyncio.create_task(create(c))
            await asyncio.sleep(1.0)
            assert held(c) == {Route.CREATE: 29.0}
            await calls

    run(main())


EVERY_ROUTE = dict.fromkeys(Route, 7.0)


@pytest.mark.parametrize(
    ("scope", "here", "elsewhere"),
    [
        ("user", {Route.CREATE: 7.0}, {}),
        ("shared", {Route.CREATE: 7.0}, {}),
        ("global", EVERY_ROUTE, EVERY_ROUTE),
    ],
)
def test_a_429_is_known_at_once_with_its_scope(
    scope: str, here: dict[Route, float], elsewhere: dict[Route, float]
) -> None:
    async def main() -> None:
        async with connected() as c:
            body = {"message": "slow down", "retry_after": 7.0, "global": scope == "global", "code": 0}
            headers = {"Retry-After": "7", "X-RateLimit-Scope": scope, "Via": "1.1 proxy"}
            c.standin.fail("POST", "/messages$", status=429, body=body, headers=headers)
            call = asyncio.create_task(create(c))
            await asyncio.sleep(0.01)
            assert held(c) == here
            assert held(c, 4711) == elsewhere
            await call
            assert held(c) == {}

    run(main())


@pytest.mark.parametrize("status", [500, 404, None])
def test_a_call_without_numbers_is_over_all_the_same(status: int | None) -> None:
    """None: the connection broke."""

    async def main() -> None:
        async with connected(buckets={}) as c:
            c.standin.fail("POST", "/messages$", status=status, drop=status is None, times=9)
            for _ in range(5):
                await _ignoring(create(c))
            await asyncio.sleep(MESSAGE_CREATE.seconds)
            assert held(c) == {}

    run(main())


@pytest.mark.parametrize("number", ["1e300", "inf", "nan", "-1e300", "soon", ""])
@pytest.mark.parametrize(("status", "scope"), [(404, None), (429, "user"), (429, "global")])
def test_numbers_that_make_no_sense_do_not_silence_the_channel_for_ever(
    number: str, status: int, scope: str | None
) -> None:
    async def main() -> None:
        async with connected(buckets={}) as c:
            window = {"X-RateLimit-Remaining": "0", "X-RateLimit-Limit": "5", "X-RateLimit-Reset-After": number}
            limit = {"Retry-After": number, "X-RateLimit-Scope": scope or ""}
            body = {"code": 0, "retry_after": 0.0}
            c.standin.fail("POST", "/messages$", status=status, headers=limit if scope else window, body=body)
            with suppress(discord.DiscordException, ValueError, KeyError):  # discord.py trips over some of them
                await create(c)
            await asyncio.sleep(LONGEST_LIMIT)
            assert held(c) == {}

    run(main())


def test_a_window_of_a_minute_does_not_make_a_call_that_took_effect_look_like_one_that_failed() -> None:
    async def main() -> None:
        async with connected(buckets={MESSAGE_CREATE.name: BucketRule(MESSAGE_CREATE.name, 1, 60.0)}) as c:
            sender = DiscordSender(lambda: c.client, Place(c.channel_id, None, 0), may_reply=False)
            assert (await sender.send(Create(0, MessagePlan("One.")), "turn")).fate is Fate.DONE
            assert held(c) == {Route.CREATE: 60.0}
            again = await sender.send(Create(1, MessagePlan("Two.")), "turn")
            assert again.fate is Fate.FAILED
            assert len(c.standin.messages(c.standin.channel("general"))) == 1

    run(main())


def test_every_call_counts_for_the_global_limit_except_those_by_a_token() -> None:
    async def main() -> None:
        async with connected() as c:
            await asyncio.sleep(2.0)
            for _ in range(GLOBAL_LIMIT):
                await _ignoring(c.client.http.request(discord.http.Route("GET", "/webhooks/1/token")))
            assert held(c) == {}
            for _ in range(GLOBAL_LIMIT):
                await _ignoring(c.client.http.request(discord.http.Route("GET", "/users/@me")))
            assert set(held(c)) == set(Route)

    run(main())


def test_a_call_that_a_lane_was_cleared_for_counts_once() -> None:
    async def main() -> None:
        async with connected() as c:
            lane = c.pacer.lane(c.channel_id)
            for _ in range(MESSAGE_EDIT.limit - 1):
                await lane.clear(Route.EDIT, final=True)
                await edit(c)
            assert held(c) == {}
            await lane.clear(Route.EDIT, final=True)
            assert held(c) == {Route.EDIT: TYPING.seconds}

    run(main())


async def _ignoring(call: Awaitable[object]) -> None:
    with suppress(discord.HTTPException, aiohttp.ClientError):
        await call


@pytest.mark.parametrize("place", ["token", "other token"])
def test_calls_by_a_webhooks_token_have_a_place_of_their_own_with_discords_numbers(place: str) -> None:
    async def main() -> None:
        async with connected() as c:
            c.standin.set_permissions(c.standin.channel("general"), c.standin.bot_id, allow=Permission.MANAGE_WEBHOOKS)
            made = await c.client.http.create_webhook(c.channel_id, name="Parley")
            credentials = Credentials(int(made["id"]), made["token"])
            for nr in range(WEBHOOK.limit):
                with handle_message_parameters(f"{nr}", allowed_mentions=NOBODY) as parameters:
                    await call(c.client, "POST", credentials, parameters=parameters)
            token = credentials.token if place == "token" else place
            expected = {Route.CREATE: WEBHOOK.seconds} if place == "token" else {}
            assert held(c, pacing_place(credentials.id, token)) == expected
            assert held(c) == {}, "the channel's own windows are others"

    run(main())


@pytest.mark.parametrize(
    ("method", "path", "route"),
    [
        ("POST", "", Route.CREATE),
        ("PATCH", "/messages/@original", Route.CREATE),
        ("PATCH", "/messages/17", Route.EDIT),
        ("DELETE", "/messages/17", Route.DELETE),
        ("GET", "/messages/17", None),
        ("DELETE", "/messages/@original", None),
        ("GET", "", None),
    ],
)
def test_each_call_by_a_token_is_counted_for_what_it_is_of_an_answer(
    method: str, path: str, route: Route | None
) -> None:
    """What fills the deferred response is an answer's first message."""

    async def main() -> None:
        async with connected() as c:
            body = {"message": "slow down", "retry_after": 7.0, "global": False, "code": 0}
            c.standin.fail(method, "/webhooks/", status=429, body=body, headers={"Retry-After": "7", "Via": ""})
            url = discord.http.Route(method, f"/webhooks/4711/to-ken_x{path}")
            with suppress(discord.HTTPException):
                await c.client.http.request(url)
            assert held(c, pacing_place(4711, "to-ken_x")) == ({} if route is None else {route: 7.0})

    run(main())


@given(st.integers(0, 2**63 - 1), st.text(min_size=1))
def test_the_place_of_a_token_is_no_channels(webhook_id: int, token: str) -> None:
    assert pacing_place(webhook_id, token) < 0

"""Lanes under a clock that jumps: who waits is woken when it may write, and never before."""

from __future__ import annotations

import asyncio

import pytest

from bot.delivery.pacing.buckets import SMALLEST_GAP, Budget, Route
from bot.delivery.pacing.pacer import Lane, Pacer
from tests.virtual_sockets import run


def now() -> float:
    return asyncio.get_running_loop().time()


def answer(pacer: Pacer, remaining: int, reset_after: float, route: Route = Route.EDIT) -> None:
    pacer.went_out(1, route)
    pacer.answered(1, route, Budget(remaining, reset_after))


async def cleared(lane: Lane, route: Route = Route.EDIT, *, final: bool = False) -> float:
    """When."""
    await lane.clear(route, final=final)
    return now()


def test_the_first_text_of_an_answer_does_not_wait_even_for_the_loop() -> None:
    async def main() -> None:
        with pytest.raises(StopIteration):
            Pacer().lane(1).clear(Route.CREATE, final=False).send(None)

    run(main())


def test_a_preview_waits_for_its_share_of_the_window_and_a_final_text_does_not() -> None:
    async def main() -> tuple[float, float]:
        pacer = Pacer()
        lane, other = pacer.lane(1), pacer.lane(1)
        await cleared(lane, Route.CREATE)
        await cleared(other, Route.CREATE)
        answer(pacer, 2, 3.0)
        preview = asyncio.create_task(cleared(lane))
        await asyncio.sleep(0.1)
        return await cleared(other, final=True), await preview

    final, preview = run(main())
    assert final == 0.1
    assert preview == pytest.approx(2.0), "the one call left is kept until the window is nearly over"


def test_a_preview_that_became_final_is_cancelled_and_asks_again() -> None:
    async def main() -> tuple[float, float]:
        pacer = Pacer()
        lane = pacer.lane(1)
        await cleared(lane, Route.CREATE)
        answer(pacer, 1, 5.0)
        preview = asyncio.create_task(cleared(lane))
        await asyncio.sleep(0.5)
        preview.cancel()
        return await cleared(lane, final=True), lane.held(Route.EDIT)

    assert run(main()) == (0.5, 4.5)


def test_a_call_that_is_cancelled_in_the_moment_it_was_let_go_is_given_back() -> None:
    async def main() -> float:
        pacer = Pacer()
        lane = pacer.lane(1)
        await cleared(lane, Route.CREATE)
        answer(pacer, 1, 1.0)
        preview = asyncio.create_task(cleared(lane))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_at(SMALLEST_GAP, preview.cancel)
        await asyncio.wait({preview})
        assert preview.cancelled()
        return lane.held(Route.EDIT)

    assert run(main()) == 0.0


def test_news_from_discord_wakes_who_waits() -> None:
    async def main() -> float:
        pacer = Pacer()
        lane = pacer.lane(1)
        answer(pacer, 0, 60.0)
        final = asyncio.create_task(cleared(lane, final=True))
        await asyncio.sleep(1.0)
        pacer.answered(1, Route.EDIT, Budget(4, 120.0))
        return await final

    assert run(main()) == 1.0


def test_a_429_holds_its_route_alone_and_a_global_one_holds_everything() -> None:
    async def main() -> list[float]:
        pacer = Pacer()
        lane, elsewhere = pacer.lane(1), pacer.lane(2)
        pacer.limited(1, Route.EDIT, 3.0)
        held = [lane.held(Route.EDIT), lane.held(Route.CREATE), elsewhere.held(Route.EDIT)]
        pacer.globally_limited(2.0)
        return [*held, lane.held(Route.EDIT), lane.held(Route.CREATE), elsewhere.held(Route.EDIT)]

    assert run(main()) == [3.0, 0.0, 0.0, 3.0, 2.0, 2.0]


def test_a_lane_that_is_closed_while_it_waits_is_cancelled_and_the_next_one_goes() -> None:
    async def main() -> tuple[bool, float]:
        pacer = Pacer()
        closed, going = pacer.lane(1), pacer.lane(1)
        answer(pacer, 0, 2.0)
        waiting = asyncio.create_task(cleared(closed, final=True))
        next_one = asyncio.create_task(cleared(going, final=True))
        await asyncio.sleep(1.0)
        closed.close()
        await asyncio.wait({waiting})
        return waiting.cancelled(), await next_one

    assert run(main()) == (True, 2.0)


def test_nothing_is_left_behind_when_nobody_waits() -> None:
    async def main() -> None:
        pacer = Pacer()
        lanes = [pacer.lane(channel_id) for channel_id in range(100)]
        async with asyncio.TaskGroup() as group:
            for lane in lanes:
                group.create_task(cleared(lane, Route.CREATE))
        for lane in lanes:
            lane.close()
        assert pacer.waiting == 0
        assert not [handle for handle in asyncio.get_running_loop()._scheduled if not handle.cancelled()]  # type: ignore[attr-defined]

    run(main())

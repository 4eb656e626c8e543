"""Notices of questions that wait, against a channel that keeps Discord's rules, on a clock that jumps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, cast

import pytest
from structlog.testing import capture_logs

from bot.delivery.outcome import Fate
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.plan import Create, Delete, Edit
from bot.localization import Translator
from bot.preferences import DEFAULTS, DeliveryPreferences, Location, Style
from bot.turn.ending import Look
from bot.turn.parts import TurnParts
from bot.turn.request import Task, TurnRequest
from bot.turn.waiting import LAST_CALL, NOTICE_AFTER, PAUSE, WaitingNotices
from tests.delivery.channel import LATENCY, Channel
from tests.virtual_time import run


class Defaults:
    async def delivery(self, _location: Location) -> DeliveryPreferences:
        return DEFAULTS


class Nobody:
    async def persona(self, *_: object) -> None:
        """Parley itself speaks."""


class Unlimited:
    """Budgets."""

    def answered(self, _request: object) -> None: ...


class Parts:
    """Of what all turns share, that which a notice needs."""

    def __init__(self, pacing: Pacer) -> None:
        self.pacing = pacing
        self.preferences = Defaults()
        self.scenes = Nobody()
        self.translator = Translator()
        self.budgets = Unlimited()


class Place:
    """A question's channel, as far as a notice needs it."""

    may_embed = True
    may_write = True

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.is_settled = False

    def sender(self, *_: object) -> Channel:
        return self._channel

    def pacing_place(self, *_: object) -> int:
        return 1

    async def settle(self) -> None:
        self.is_settled = True


class Line:
    """One question that waits, and what its notice does."""

    def __init__(self, notices: WaitingNotices, **request: Any) -> None:
        self.channel = Channel()
        self.notices = notices
        self.place = Place(self.channel)
        self.request = TurnRequest(
            turn_id="t",
            question_id=10,
            channel_id=1,
            guild_id=2,
            asker_id=7,
            locale="en-US",
            arrived=0.0,
            channel=cast(Any, self.place),
            **request,
        )

    def moves(self, ahead: int) -> None:
        self.notices.moved(self.request, ahead)

    async def comes(self, style: Style = Style.PLAIN) -> int | None:
        look = Look("t", Translator().say("en-US"), DeliveryPreferences(style=style), may_embed=True)
        return await self.notices.take(self.request, look)

    @property
    def texts(self) -> list[str]:
        return self.channel.texts

    @property
    def calls(self) -> list[tuple[float, type]]:
        return [(round(at - LATENCY / 2, 2), type(operation)) for at, operation in self.channel.log]


def waited(scenario: Callable[[Line], Awaitable[None]], **request: Any) -> Line:
    async def main() -> Line:
        parts = cast(TurnParts, Parts(Pacer()))
        async with WaitingNotices(parts) as notices:
            line = Line(notices, **request)
            await scenario(line)
        assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is left behind"
        return line

    return run(main())


def test_it_stands_after_a_moment_and_keeps_step() -> None:
    async def scenario(line: Line) -> None:
        line.moves(2)
        await asyncio.sleep(NOTICE_AFTER + 1.0)
        assert line.texts == ["-# ⏳ 2 before you"]
        line.moves(1)
        await asyncio.sleep(5.0)
        assert line.texts == ["-# ⏳ One before you"]

    line = waited(scenario)
    assert [kind for _, kind in line.calls] == [Create, Edit]
    assert line.calls[0][0] == NOTICE_AFTER


def test_a_short_wait_leaves_no_trace() -> None:
    async def scenario(line: Line) -> None:
        line.moves(1)
        await asyncio.sleep(NOTICE_AFTER / 2)
        assert await line.comes() is None
        await asyncio.sleep(10.0)

    assert waited(scenario).calls == []


def test_its_message_is_the_answers_when_its_turn_comes() -> None:
    async def scenario(line: Line) -> None:
        line.moves(1)
        await asyncio.sleep(NOTICE_AFTER + 1.0)
        assert await line.comes() == 1
        line.notices.forget(line.request)
        await asyncio.sleep(10.0)

    assert waited(scenario).texts == ["-# ⏳ One before you"]


def test_an_answer_of_another_look_gets_a_message_of_its_own() -> None:
    """What was chosen meanwhile: Discord does not make an embed or components of any message."""

    async def scenario(line: Line) -> None:
        line.moves(1)
        await asyncio.sleep(NOTICE_AFTER + 1.0)
        assert await line.comes(Style.COMPONENTS) is None
        await asyncio.sleep(1.0)

    assert waited(scenario).texts == []


def test_a_turn_that_comes_while_it_is_being_posted_waits_for_its_message() -> None:
    async def scenario(line: Line) -> None:
        line.moves(1)
        await asyncio.sleep(NOTICE_AFTER + LATENCY / 4)
        assert await line.comes() == 1

    waited(scenario)


def test_a_call_that_hangs_does_not_hold_up_the_answer_and_leaves_nothing() -> None:
    async def scenario(line: Line) -> None:
        send = line.channel.send

        async def slow(*arguments: Any) -> Any:
            await asyncio.sleep(LAST_CALL + 2.0)
            return await send(*arguments)

        line.channel.send = slow  # type: ignore[method-assign,assignment]  # Discord may take this long
        line.moves(1)
        await asyncio.sleep(NOTICE_AFTER + 0.1)
        began = asyncio.get_running_loop().time()
        assert await line.comes() is None
        assert asyncio.get_running_loop().time() - began == pytest.approx(LAST_CALL)
        await asyncio.sleep(30.0)

    assert waited(scenario).texts == []


def test_it_goes_with_its_question() -> None:
    async def scenario(line: Line) -> None:
        line.moves(1)
        await asyncio.sleep(NOTICE_AFTER + 1.0)
        line.notices.withdrawn(line.request)

    line = waited(scenario)
    assert (line.texts, [kind for _, kind in line.calls]) == ([], [Create, Delete])
    assert line.place.is_settled


def test_a_channel_that_breaks_when_a_question_goes_is_for_the_log() -> None:
    async def scenario(line: Line) -> None:
        async def settle() -> None:
            raise ZeroDivisionError

        line.place.settle = settle  # type: ignore[method-assign]
        line.notices.withdrawn(line.request)

    with capture_logs() as logs:
        waited(scenario)
    assert [entry["event"] for entry in logs] == ["not_settled"]


def test_a_turn_that_gives_no_answer_leaves_none() -> None:
    async def scenario(line: Line) -> None:
        line.moves(1)
        await asyncio.sleep(NOTICE_AFTER + 1.0)
        line.notices.forget(line.request)

    line = waited(scenario)
    assert (line.texts, line.place.is_settled) == ([], False)


def test_however_often_the_line_moves_there_are_few_calls_and_the_newest_number_wins() -> None:
    async def scenario(line: Line) -> None:
        for ahead in range(100, 1, -1):
            line.moves(ahead)
            await asyncio.sleep(0.1)
        await asyncio.sleep(5.0)

    line = waited(scenario)
    assert line.texts == ["-# ⏳ 2 before you"]
    assert line.channel.most_in_flight == 1
    assert len(line.calls) <= 10


@pytest.mark.parametrize("request_", [{"passive": True}, {"task": Task.AGAIN}, {"task": Task.SHOW}])
def test_who_did_not_ask_a_question_is_told_nothing(request_: dict[str, Any]) -> None:
    async def scenario(line: Line) -> None:
        line.moves(3)
        await asyncio.sleep(10.0)

    assert waited(scenario, **request_).calls == []


@pytest.mark.parametrize("fate", [Fate.FORBIDDEN, Fate.CHANNEL_GONE, Fate.BLOCKED, Fate.REFUSED])
def test_where_discord_refuses_it_nothing_else_suffers(fate: Fate) -> None:
    async def scenario(line: Line) -> None:
        line.channel.fail(fate, Create)
        line.moves(2)
        await asyncio.sleep(NOTICE_AFTER + 1.0)
        line.moves(1)
        await asyncio.sleep(10.0)
        assert await line.comes() is None

    assert len(waited(scenario).calls) == 1


def test_a_post_that_failed_is_repeated_as_it_was_and_then_brought_up_to_date() -> None:
    """Its message may stand all the same, and the same nonce gives it back as it is."""

    async def scenario(line: Line) -> None:
        line.channel.lost_answers = 1
        line.moves(2)
        await asyncio.sleep(NOTICE_AFTER + 1.0)
        line.moves(1)
        await asyncio.sleep(2 * PAUSE)
        assert await line.comes() == 1

    line = waited(scenario)
    assert line.texts == ["-# ⏳ One before you"]
    assert [kind for _, kind in line.calls] == [Create, Create, Edit]


def test_where_somebody_deletes_it_it_is_not_posted_again() -> None:
    async def scenario(line: Line) -> None:
        line.moves(2)
        await asyncio.sleep(NOTICE_AFTER + 1.0)
        line.channel.delete(1)
        line.notices.message_deleted(1)
        line.moves(1)
        await asyncio.sleep(10.0)
        assert await line.comes() is None

    assert waited(scenario).texts == []

"""Many answers in many channels: nobody starves, what must arrive goes first, and no limit of Discord's is ever met.

`Town` is Discord and its writers in simulated time: calls take a random time to get there, and windows are kept as the
stand-in keeps them.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.delivery.pacing.buckets import SMALLEST_GAP, Budget, Route
from bot.delivery.pacing.fair_share import GLOBAL_LIMIT, PLACES_KEPT, FairShare, Writer
from bot.playground.standin.clock import Clock
from bot.playground.standin.rate_limits import (
    MESSAGE_CREATE,
    MESSAGE_DELETE,
    MESSAGE_EDIT,
    WEBHOOK,
    BucketRule,
    RateLimiter,
)

ROUNDING = 1e-6
RULES = {Route.CREATE: MESSAGE_CREATE, Route.EDIT: MESSAGE_EDIT, Route.DELETE: MESSAGE_DELETE}


class Town:
    def __init__(self, delays: Sequence[float] = (0.05,), rules: Mapping[Route, BucketRule] = RULES) -> None:
        self.now = 0.0
        self._rules = rules
        self.share = FairShare()
        self.granted: list[tuple[float, Writer, float]] = []
        """When, who, and since when it had waited."""
        self.refused = 0
        self._limiter = RateLimiter(Clock(now=lambda: self.now, wall=lambda: self.now))
        self._delays = delays
        self._events: list[tuple[float, int, str, tuple[Writer, Route, Budget | None]]] = []
        self._order = count()
        self._routes: dict[Writer, Route] = {}
        self._asked: dict[Writer, float] = {}
        self._wants: dict[Writer, bool] = {}
        """Who writes as fast as it may, and whether its text must arrive."""

    def keep_writing(self, writer: Writer, route: Route = Route.EDIT, *, final: bool = False) -> None:
        self._wants[writer] = final
        self._routes[writer] = route
        self._ask(writer)

    def stop(self, writer: Writer) -> None:
        del self._wants[writer]

    def run(self, seconds: float) -> None:
        until = self.now + seconds
        while True:
            self._grant()
            times = [time for time in (self.share.next_at(self.now), self._next_event()) if time is not None]
            if not times or min(times) > until:
                self.now = until
                return
            self.now = max(self.now, min(times))
            while self._events and self._events[0][0] <= self.now:
                self._handle(*heapq.heappop(self._events)[2:])

    def times(self, writer: Writer) -> list[float]:
        return [round(at, 3) for at, who, _ in self.granted if who is writer]

    def _grant(self) -> None:
        for demand in self.share.grant(self.now):
            writer = demand.writer
            self.granted.append((self.now, writer, self._asked[writer]))
            route = self._routes[writer]
            self.share.went_out(writer.channel_id, route, self.now)
            delay = self._delays[len(self.granted) % len(self._delays)]
            self._later(delay, "arrives", writer, route, None)

    def _handle(self, what: str, call: tuple[Writer, Route, Budget | None]) -> None:
        writer, route, budget = call
        if what == "arrives":
            in_all, here = self._limiter.take_global(), self._limiter.take(self._rules[route], str(writer.channel_id))
            assert here is not None
            self.refused += not (in_all.allowed and here.allowed)
            told = Budget(here.remaining, here.reset_after + ROUNDING, here.rule.limit, here.rule.name)
            self._later(self._delays[0], "answered", writer, route, told)
            return
        self.share.answered(writer.channel_id, route, budget, self.now)
        if writer in self._wants:
            self._ask(writer)

    def _ask(self, writer: Writer) -> None:
        self._asked[writer] = self.now
        self.share.ask(writer, self._routes[writer], self.now, final=self._wants[writer])

    def _later(self, delay: float, what: str, writer: Writer, route: Route, budget: Budget | None) -> None:
        heapq.heappush(self._events, (self.now + delay, next(self._order), what, (writer, route, budget)))

    def _next_event(self) -> float | None:
        return self._events[0][0] if self._events else None


def test_first_texts_go_out_at_once() -> None:
    town, writers = Town(), [Writer(1), Writer(1), Writer(2)]
    for writer in writers:
        town.keep_writing(writer, Route.CREATE)
    town.run(0.0)
    assert {who for _, who, _ in town.granted} == set(writers)


def test_an_answer_alone_begins_quickly_and_then_uses_every_call_of_its_window() -> None:
    town, writer = Town(delays=(0.0,)), Writer(1)
    town.keep_writing(writer)
    town.run(12.0)
    assert town.times(writer) == [0.0, 0.7, 1.565, 2.636, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0]
    assert town.refused == 0


def test_no_message_changes_faster_than_it_can_be_read() -> None:
    share, writer = FairShare(), Writer(1)
    share.answered(1, Route.EDIT, Budget(49, 1.0, 50), 0.0)
    share.ask(writer, Route.CREATE, 0.0, final=False)
    assert len(share.grant(0.0)) == 1
    share.ask(writer, Route.EDIT, 0.1, final=False)
    assert (share.grant(0.1), share.next_at(0.1)) == ([], SMALLEST_GAP)


@pytest.mark.parametrize("answers", [2, 3, 4, 7])
def test_answers_of_one_channel_take_turns(answers: int) -> None:
    town, writers = Town(), [Writer(1) for _ in range(answers)]
    for writer in writers:
        town.keep_writing(writer)
    town.run(60.0)
    order = [who for _, who, _ in town.granted]
    assert order == (writers * len(order))[: len(order)]
    assert len(order) >= 55


@pytest.mark.parametrize("answers", [2, 3, 6])
def test_routes_of_which_discord_says_that_they_share_a_window_are_counted_together(answers: int) -> None:
    """As those of a webhook do. Of the first calls nothing is known yet, so each route makes one alone."""
    town, writers = Town(rules=dict.fromkeys(Route, WEBHOOK)), [Writer(-1) for _ in range(answers)]
    for writer, route in zip(writers, (Route.CREATE, Route.EDIT, Route.DELETE) * 2, strict=False):
        town.keep_writing(writer, route)
        town.run(0.2)
    town.run(60.0)
    assert town.refused == 0
    assert len(town.granted) >= 130, "of the 150 that the window allows"


def test_who_was_served_longest_ago_comes_before_who_asked_first() -> None:
    share, one, other = FairShare(), Writer(1), Writer(1)
    for now, writer in ((0.0, one), (2.0, other)):
        share.ask(writer, Route.CREATE, now, final=False)
        share.grant(now)
    share.answered(1, Route.EDIT, Budget(0, 3.0), 2.0)
    later, first = (share.ask(writer, Route.EDIT, 2.0, final=False) for writer in (other, one))
    assert share.grant(5.0) == [first]
    share.withdraw(later, 5.0)


def test_a_final_text_overtakes_previews_that_wait_longer() -> None:
    town, early = Town(), [Writer(1) for _ in range(4)]
    for writer in early:
        town.keep_writing(writer)
    town.run(2.5)
    late = Writer(1)
    town.keep_writing(late, final=True)
    town.run(0.0)
    assert town.granted[-1] == (2.5, late, 2.5)


def test_who_gives_up_while_waiting_holds_nobody_up() -> None:
    town, going, staying = Town(), Writer(1), Writer(1)
    town.run(1.0)
    town.keep_writing(staying)
    town.run(0.2)
    demand = town.share.ask(going, Route.EDIT, town.now, final=True)
    town.share.withdraw(demand, town.now)
    town.run(5.0)
    assert len(town.times(staying)) == 6
    assert town.times(going) == []


def test_a_call_that_was_granted_and_not_made_is_given_back() -> None:
    share, writer = FairShare(), Writer(1)
    for left in (4, 3, 2, 1):
        share.answered(1, Route.EDIT, Budget(left, 5.0), 0.0)
    demand = share.ask(writer, Route.EDIT, 0.0, final=True)
    assert share.grant(0.0) == [demand]
    assert share.held(1, Route.EDIT, 0.0) == 5.0
    share.withdraw(demand, 0.0)
    assert share.held(1, Route.EDIT, 0.0) == 0.0


def test_five_hundred_answers_share_the_bots_budget_and_finals_still_go_first() -> None:
    hiccups = [0.1] * 46 + [0.0] * 44
    town, writers = Town(hiccups), [Writer(channel_id) for channel_id in range(500)]
    for writer in writers:
        town.keep_writing(writer)
    town.run(60.0)
    counts = [len(town.times(writer)) for writer in writers]
    assert min(counts) >= 4
    assert max(counts) - min(counts) <= 1
    last = Writer(1000)
    town.keep_writing(last, final=True)
    town.run(0.1)
    assert town.times(last)[0] == 60.0
    assert town.refused == 0


def test_calls_of_others_count_for_the_bots_budget() -> None:
    share = FairShare()
    for _ in range(GLOBAL_LIMIT):
        share.other_went_out(0.0)
    share.ask(Writer(1), Route.CREATE, 0.5, final=True)
    assert share.grant(0.5) == []
    assert share.held(1, Route.CREATE, 0.5) > 0.5
    assert len(share.grant(share.next_at(0.5) or 0.0)) == 1


def test_a_global_limit_stops_everybody_for_as_long_as_discord_said() -> None:
    share = FairShare()
    share.globally_limited(7.0, 1.0)
    demands = [share.ask(Writer(channel_id), Route.EDIT, 2.0, final=True) for channel_id in (1, 2)]
    assert (share.grant(2.0), share.next_at(2.0), share.held(3, Route.EDIT, 2.0)) == ([], 8.0, 6.0)
    assert share.grant(8.0) == demands


def test_channels_in_which_nobody_writes_are_forgotten() -> None:
    town = Town(delays=(0.0,))
    for channel_id in range(3 * PLACES_KEPT):
        town.share.answered(channel_id, Route.EDIT, Budget(4, 5.0), town.now)
        town.now += 0.02
    assert town.share.places <= PLACES_KEPT


WRITERS = st.lists(
    st.tuples(st.integers(1, 3), st.sampled_from([Route.CREATE, Route.EDIT, Route.EDIT, Route.DELETE]), st.booleans()),
    min_size=1,
    max_size=8,
)
STEPS = st.lists(st.tuples(st.floats(0.0, 4.0), st.integers(0, 7)), max_size=25)
DELAYS = st.lists(st.floats(0.0, 0.4), min_size=1, max_size=7)


@settings(max_examples=150)
@given(writers=WRITERS, steps=STEPS, delays=DELAYS)
def test_whoever_comes_and_goes_no_limit_is_exceeded_and_nobody_starves(
    writers: list[tuple[int, Route, bool]], steps: list[tuple[float, int]], delays: list[float]
) -> None:
    """Each step waits and then lets one writer begin, or end."""
    town, everybody = Town(delays), [Writer(channel_id) for channel_id, _, _ in writers]
    writing: dict[Writer, float] = {}
    for pause, nr in steps:
        town.run(pause)
        writer, (_, route, final) = everybody[nr % len(writers)], writers[nr % len(writers)]
        if writer in writing:
            town.stop(writer)
            everybody[nr % len(writers)] = Writer(writer.channel_id)
            del writing[writer]
        else:
            town.keep_writing(writer, route, final=final)
            writing[writer] = town.now
    town.run(60.0)
    assert town.refused == 0
    finals_there = {writer.channel_id for writer, (_, _, final) in zip(everybody, writers, strict=True) if final}
    for writer in writing:
        if writer.channel_id not in finals_there:  # endless finals may keep previews out for ever
            assert len(town.times(writer)) >= 60 / (1.4 * len(writers) + 5)


@given(answers=st.integers(2, 8), delays=DELAYS)
def test_who_waits_is_not_passed_over_twice_by_the_same_answer(answers: int, delays: list[float]) -> None:
    town, writers = Town(delays), [Writer(1) for _ in range(answers)]
    for writer in writers:
        town.keep_writing(writer)
    town.run(40.0)
    for at, waiting, asked in town.granted:
        passed = [who for when, who, _ in town.granted if asked < when < at]
        assert len(passed) == len(set(passed)), f"{waiting} waited from {asked} to {at}"


def test_a_channel_takes_turns_whatever_the_call() -> None:
    """A next message is no turn of its own: an answer that was just served an edit waits like all others."""
    share, one, other = FairShare(), Writer(1), Writer(2)
    for writer, route, at in (
        (one, Route.CREATE, 0.0),
        (other, Route.CREATE, 0.1),
        (other, Route.EDIT, 3.0),
        (one, Route.EDIT, 5.0),
    ):
        share.ask(writer, route, at, final=False)
        assert [demand.writer for demand in share.grant(at)] == [writer]
    share.ask(one, Route.CREATE, 20.0, final=False)
    share.ask(other, Route.EDIT, 20.0, final=False)
    assert [demand.writer for demand in share.grant(20.0)] == [other, one]

"""Whatever a model writes, people delete and Discord answers: how an answer ends in its channel.

The real Answer, Flusher and Pacer write into a channel in memory; only Discord is made up.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import TypeAlias

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.delivery.answer import Answer
from bot.delivery.controls import live_buttons
from bot.delivery.delivered import Delivery, Lost
from bot.delivery.flusher import Flusher
from bot.delivery.footer import Footer
from bot.delivery.layout.live_mark import LIVE_MARK
from bot.delivery.outcome import Fate, Outcome
from bot.delivery.pacing.buckets import Budget, Route
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.plan import Create, Delete, Edit, MessagePlan, Operation, is_blank
from bot.delivery.reconcile import looks_alike
from bot.localization import Translator
from bot.preferences import DEFAULTS, DeliveryPreferences, Style, ThoughtLog
from bot.turn.ending import Facts, Look, ended
from tests.virtual_time import run

WORDS = Translator().say("en-US")
STOP = live_buttons("turn", WORDS)
LIMIT, PERIOD, ROUNDING = 5, 5.0, 0.01
ROUTES = {Create: Route.CREATE, Edit: Route.EDIT, Delete: Route.DELETE}
NEVER_MET = {Create: (Fate.TOO_OLD,), Delete: (Fate.TOO_OLD, Fate.REFUSED, Fate.BLOCKED)}
LONGEST_FINISH = 1800.0
"""Seconds. Far more than a well-behaved Discord needs, and less than for ever."""
OWN_WORDS_GO_OUT = (Lost.BLOCKED, Lost.REFUSED)


class Answered(msgspec.Struct, frozen=True):
    """What Discord makes of one call."""

    fate: Fate = Fate.DONE
    takes_effect: bool = False
    """Though it failed: the answer got lost."""
    retry_after: float = 0.0
    latency: float = 0.08


class Discord:
    """A Sender that holds messages, keeps nonces and windows, and tells the pacer what real headers would tell."""

    def __init__(self, pacer: Pacer, answers: Sequence[Answered] = (), channel_id: int = 1) -> None:
        self._pacer = pacer
        self._channel_id = channel_id
        self._answers: Iterator[Answered] = chain(answers, repeat(Answered()))
        self.messages: dict[int, MessagePlan] = {}
        self.deleted: set[int] = set()
        """By people."""
        self.flusher: Flusher | None = None
        self.calls: list[Operation] = []
        self.most_in_flight = self.over_limit = 0
        self.calls_after_the_end: list[Operation] = []
        self._in_flight = 0
        self._windows: dict[Route, tuple[float, int]] = {}
        self._nonces: dict[tuple[int, int], int] = {}
        self._ids = iter(range(1000, 10_000))

    def delete(self, place: int, news_after: float) -> None:
        """Somebody deletes a message, and the gateway tells."""
        standing = sorted(self.messages)
        if standing:
            message_id = standing[place % len(standing)]
            del self.messages[message_id]
            self.deleted.add(message_id)
            asyncio.get_running_loop().call_later(news_after, self._tell, message_id)

    async def send(self, operation: Operation, seed: str) -> Outcome:
        assert self.flusher is not None
        lost = self.flusher.delivery.lost
        if lost is not None and lost not in OWN_WORDS_GO_OUT:
            self.calls_after_the_end.append(operation)
        self.calls.append(operation)
        self._in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self._in_flight)
        route, answered = ROUTES[type(operation)], next(self._answers)
        self._pacer.went_out(self._channel_id, route)
        await asyncio.sleep(answered.latency)
        budget = self._count(route)
        outcome = self._outcome(operation, answered)
        await asyncio.sleep(answered.latency)
        if answered.retry_after:
            self._pacer.limited(self._channel_id, route, answered.retry_after)
        else:
            self._pacer.answered(self._channel_id, route, budget)
        self._in_flight -= 1
        return outcome

    def _count(self, route: Route) -> Budget:
        now = asyncio.get_running_loop().time()
        ends, left = self._windows.get(route, (0.0, 0))
        if now >= ends:
            ends, left = now + PERIOD, LIMIT
        self.over_limit += left == 0
        self._windows[route] = ends, max(0, left - 1)
        return Budget(max(0, left - 1), ends - now + ROUNDING, LIMIT)

    def _outcome(self, operation: Operation, answered: Answered) -> Outcome:
        message_id = None if isinstance(operation, Create) else operation.message_id
        if message_id is not None and message_id not in self.messages:
            return Outcome(Fate.GONE)
        if answered.fate is Fate.FAILED:
            if answered.takes_effect:
                self._do(operation)
            return Outcome(Fate.FAILED, retry_after=answered.retry_after)
        if answered.fate in NEVER_MET.get(type(operation), ()):
            return Outcome(Fate.DONE, self._do(operation))
        if answered.fate is Fate.GONE and message_id is not None:
            del self.messages[message_id]
        if answered.fate is not Fate.DONE:
            return Outcome(answered.fate)
        return Outcome(Fate.DONE, self._do(operation))

    def _do(self, operation: Operation) -> int | None:
        match operation:
            case Create(slot, plan, generation):
                if (slot, generation) not in self._nonces:
                    self._nonces[slot, generation] = message_id = next(self._ids)
                    self.messages[message_id] = plan
                return self._nonces[slot, generation]
            case Edit(_, message_id, plan):
                self.messages[message_id] = plan
            case Delete(message_id):
                del self.messages[message_id]
                self._tell(message_id)
        return None

    def _tell(self, message_id: int) -> None:
        assert self.flusher is not None
        self.flusher.message_deleted(message_id)


# ------------------------------------------------------------------------------------------------------------- scripts


class Text(msgspec.Struct, frozen=True):
    text: str


class Thoughts(msgspec.Struct, frozen=True):
    text: str


class TakeBack(msgspec.Struct, frozen=True):
    pass


class Pause(msgspec.Struct, frozen=True):
    seconds: float


class Deleted(msgspec.Struct, frozen=True):
    """By a person."""

    place: int
    news_after: float


Step: TypeAlias = Text | Thoughts | TakeBack | Pause | Deleted


class Before(msgspec.Struct, frozen=True):
    """What stands when the run begins."""

    text: str = ""
    thoughts: str = ""
    standing: int = 0
    surplus: int = 0


NOTHING = Before()


class End(msgspec.Struct, frozen=True):
    delivery: Delivery
    discord: Discord
    wanted: Sequence[MessagePlan]
    told: Sequence[Lost]
    seconds: float
    thoughts: str


def deliver(
    script: Sequence[Step],
    answers: Sequence[Answered],
    preferences: DeliveryPreferences = DEFAULTS,
    before: Before = NOTHING,
) -> End:
    return run(_deliver(script, answers, preferences, before))


async def _deliver(
    script: Sequence[Step], answers: Sequence[Answered], preferences: DeliveryPreferences, before: Before
) -> End:
    pacer, told, look = Pacer(), list[Lost](), Look("turn", WORDS, preferences, may_embed=True)
    discord, lane = Discord(pacer, answers), pacer.lane(1)

    def ending(plans: Sequence[MessagePlan], *, has_text: bool, blocked: bool) -> Sequence[MessagePlan]:
        facts = Facts(Footer("model", 3.0, ("notice-blocked",) if blocked else ()), "completed")
        return ended(plans, facts, look, has_text=has_text, has_thoughts=bool(answer.thoughts.strip()))

    answer = Answer(preferences, WORDS, ending, STOP)
    answer.resume(before.text, before.thoughts, 3.0 if before.thoughts else 0.0)
    lengths = [len(plan.content) if plan.text_length is None else plan.text_length for plan in answer.live()]
    old = [(nr + 1, length) for nr, length in enumerate([*lengths, *[0] * before.standing][: before.standing])]
    surplus = list(range(101, 101 + before.surplus))
    standing = answer.standing(old)
    discord.messages |= {shown.message_id: shown.plan for shown in standing}
    if standing:
        last_id, last = standing[-1].message_id, standing[-1].plan
        discord.messages[last_id] = msgspec.structs.replace(last, content=f"{last.content}\n-# old footer", embed=None)
    discord.messages |= {message_id: MessagePlan("old") for message_id in surplus}
    flusher = Flusher(discord, lane, answer, "turn", told.append, standing=standing, surplus=surplus)
    discord.flusher = flusher
    async with flusher:
        for step in script:
            match step:
                case Text(text):
                    answer.add_text(text)
                    flusher.wake()
                case Thoughts(text):
                    answer.add_thoughts(text)
                    flusher.wake()
                case TakeBack():
                    answer.take_back()
                    flusher.begin_anew()
                case Pause(seconds):
                    await asyncio.sleep(seconds)
                case Deleted(place, news_after):
                    discord.delete(place, news_after)
            if told:
                break
        began = asyncio.get_running_loop().time()
        delivery = await flusher.finish()
        seconds = asyncio.get_running_loop().time() - began
    lane.close()
    assert pacer.waiting == 0
    assert len(asyncio.all_tasks()) == 1
    return End(delivery, discord, answer.final(None), told, seconds, answer.thoughts)


def judge(end: End) -> None:
    delivery, discord = end.delivery, end.discord
    assert discord.most_in_flight <= 1
    assert discord.over_limit == 0
    assert discord.calls_after_the_end == []
    assert end.seconds < LONGEST_FINISH
    assert end.told == ([] if delivery.lost is None else end.told[:1])
    shown = [plan for _, plan in sorted(discord.messages.items())]
    if delivery.lost is None:
        assert delivery.missing == ()
        # What somebody deleted while nothing was left to do to it is not missed.
        wanted = {message_id: plan for (message_id, _), plan in zip(delivery.shown, end.wanted, strict=True)}
        assert sorted(discord.messages) == [message_id for message_id in wanted if message_id not in discord.deleted]
        assert all(looks_alike(plan, wanted[message_id]) for message_id, plan in discord.messages.items())
    if delivery.lost in OWN_WORDS_GO_OUT:
        assert not any(LIVE_MARK in plan.content for plan in shown)
        assert not any(button in STOP for plan in shown for button in plan.buttons)
        assert {message_id for message_id, _ in delivery.shown} <= set(discord.messages)


def test_when_the_rest_is_blocked_no_message_keeps_the_stop_button() -> None:
    script: list[Step] = [Text("x" * 1990), Pause(3.0), Text("y" * 900), Pause(5.0)]
    end = deliver(script, [Answered(), Answered(Fate.BLOCKED)])
    judge(end)
    first, second = (plan for _, plan in sorted(end.discord.messages.items()))
    assert (first.content, first.buttons) == ("x" * 1990, ())
    assert WORDS("notice-blocked") in second.content


def test_an_answer_that_goes_on_behind_a_file_leaves_no_footer_in_the_middle() -> None:
    before = Before("```py\n" + "x = 1\n" * 1200 + "```\n", standing=1)
    end = deliver([Text("More.")], [], before=before)
    judge(end)
    first, second = (plan for _, plan in sorted(end.discord.messages.items()))
    assert (first.content, len(first.files)) == ("", 1)
    assert second.content.startswith("More.")


def test_what_a_run_takes_back_is_only_its_own() -> None:
    """A model may go on with a closing mark of thoughts alone: what stood before was no thought."""
    before = Before("It began.", thoughts="Hm.", standing=1)
    end = deliver([Text(" So I said ..."), Pause(3.0), TakeBack(), Text(" It ended.")], [], before=before)
    judge(end)
    (only,) = end.discord.messages.values()
    assert only.content.startswith("It began. It ended.")
    assert end.thoughts == "Hm. So I said ..."


def test_when_a_text_that_is_shown_anew_is_blocked_nothing_empty_is_sent() -> None:
    script: list[Step] = [Text("x" * 5000)]
    end = deliver(script, [Answered(), Answered(Fate.BLOCKED)], before=Before(standing=3))
    judge(end)
    assert end.delivery.lost is Lost.BLOCKED
    assert not any(is_blank(call.plan.content) for call in end.discord.calls if isinstance(call, Edit | Create))
    first, second = (plan for _, plan in sorted(end.discord.messages.items()))
    assert (first.content, second.content[:3]) == ("x" * 2000, "-# ")


def test_answers_that_are_cancelled_at_any_moment_leave_nothing_behind_and_hold_nobody_up() -> None:
    async def write(pacer: Pacer, channel_id: int) -> tuple[Discord, int]:
        discord, lane = Discord(pacer, channel_id=channel_id), pacer.lane(channel_id)
        answer = Answer(DEFAULTS, WORDS, lambda plans, **_: plans, STOP)
        try:
            async with Flusher(discord, lane, answer, f"{channel_id}", lambda _: None) as flusher:
                discord.flusher = flusher
                for _ in range(100):
                    answer.add_text("word ")
                    flusher.wake()
                    await asyncio.sleep(0.1)
                await flusher.finish()
        finally:
            lane.close()
        return discord, len(answer.text)

    async def main() -> None:
        pacer = Pacer()
        tasks = [asyncio.create_task(write(pacer, nr // 2)) for nr in range(60)]
        for nr, task in enumerate(tasks[::2]):
            asyncio.get_running_loop().call_later(nr / 3, task.cancel)
        done = await asyncio.gather(*tasks, return_exceptions=True)
        for answered in done[1::2]:
            assert not isinstance(answered, BaseException)
            discord, length = answered
            assert [len(plan.content) for plan in discord.messages.values()] == [length - 1]
        assert sum(isinstance(answered, asyncio.CancelledError) for answered in done) == 30
        await asyncio.sleep(0)
        assert (pacer.waiting, len(asyncio.all_tasks())) == (0, 1)
        assert asyncio.get_running_loop().time() < 15.0

    run(main())


TEXTS = st.one_of(
    st.text("ab \n`*|-#", min_size=1, max_size=80),
    st.integers(1, 3000).map(lambda length: ("lorem ipsum " * 300)[:length]),
    st.integers(1950, 2000).map(lambda length: "x" * length),
    st.sampled_from(["```py\n" + "x = 1\n" * 1200 + "```\n", "| a | b |\n|---|---|\n| 1 | 2 |\n\n", "\n\n"]),
)
STEPS: st.SearchStrategy[Step] = st.one_of(
    TEXTS.map(Text),
    TEXTS.map(Text),
    TEXTS.map(Thoughts),
    st.just(TakeBack()),
    st.floats(0.0, 6.0).map(Pause),
    st.floats(0.0, 6.0).map(Pause),
)
DELETIONS = st.builds(Deleted, st.integers(0, 3), st.floats(0.0, 2.0))
LATENCIES = st.floats(0.0, 0.2)
FINE = st.builds(Answered, latency=LATENCIES)
PASSING = st.one_of(
    FINE,
    FINE,
    st.builds(Answered, st.just(Fate.FAILED), st.booleans(), latency=LATENCIES),
    st.builds(Answered, st.just(Fate.FAILED), st.booleans(), st.floats(0.1, 40.0), LATENCIES),
    st.builds(Answered, st.sampled_from([Fate.TOO_OLD]), latency=LATENCIES),
)
ANY = st.one_of(PASSING, PASSING, st.builds(Answered, st.sampled_from(Fate), latency=LATENCIES))
PREFERENCES = st.builds(
    DeliveryPreferences,
    style=st.sampled_from(Style),
    thoughts=st.sampled_from(ThoughtLog),
    buttons=st.booleans(),
    live_mark=st.booleans(),
)
BEFORE = st.one_of(
    st.just(NOTHING),
    st.builds(Before, standing=st.integers(0, 1), surplus=st.integers(0, 2)),
    st.builds(Before, TEXTS, st.one_of(st.just(""), TEXTS), st.integers(1, 3)),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(STEPS, max_size=12), st.lists(PASSING, max_size=10), PREFERENCES, BEFORE)
def test_whatever_passes_the_whole_answer_stands_once_and_nothing_else(
    script: list[Step], answers: list[Answered], preferences: DeliveryPreferences, before: Before
) -> None:
    end = deliver(script, answers, preferences, before)
    judge(end)
    assert end.delivery.lost in (None, Lost.UNDELIVERED)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(STEPS, STEPS, DELETIONS), max_size=12), st.lists(ANY, max_size=10), PREFERENCES, BEFORE)
def test_whatever_happens_it_ends_and_what_stands_is_right(
    script: list[Step], answers: list[Answered], preferences: DeliveryPreferences, before: Before
) -> None:
    judge(deliver(script, answers, preferences, before))

"""Every fate at every step of one turn: what the channel shows in the end, and what is said of it."""

import asyncio
from collections.abc import Callable, Mapping
from enum import StrEnum

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.delivery.delivered import Delivery, Lost
from bot.delivery.flusher import Flusher
from bot.delivery.outcome import Fate, Outcome
from bot.delivery.plan import Create, Delete, Edit, MessagePlan, Operation
from tests.delivery.channel import OWN_WORDS, Channel, Words, ignore
from tests.virtual_time import run

OLD = 900
WHOLE = ["One." + "x" * 1996, "Two, three.", "end"]
LIVE = [["One."], ["One." + "x" * 1996], ["One." + "x" * 1996, "Two"]]

STEPS: Mapping[str, Callable[[Operation], bool]] = {
    "surplus": lambda operation: operation == Delete(OLD),
    "first post": lambda operation: isinstance(operation, Create) and operation.slot == 0,
    "preview": lambda operation: isinstance(operation, Edit) and operation.slot == 0,
    "second post": lambda operation: isinstance(operation, Create) and operation.slot == 1,
    "final edit": lambda operation: isinstance(operation, Edit) and operation.plan.content == WHOLE[1],
    "final post": lambda operation: isinstance(operation, Create) and operation.plan.content == WHOLE[2],
}
POSTS, EDITS = ("first post", "second post", "final post"), ("preview", "final edit")


class End(StrEnum):
    WHOLE = "the whole answer stands"
    STANDS = "what stood, stands, and nothing more is tried"
    WORDS = "what stood, stands, and our own words below it"


EVERYWHERE = (*POSTS, *EDITS, "surplus")
RULES: list[tuple[Fate, tuple[str, ...], End, Lost | None]] = [
    (Fate.FAILED, EVERYWHERE, End.WHOLE, None),
    (Fate.TOO_OLD, EDITS, End.WHOLE, None),
    (Fate.REFUSED, EDITS, End.WHOLE, None),
    (Fate.REFUSED, POSTS, End.WORDS, Lost.REFUSED),
    (Fate.BLOCKED, (*POSTS, *EDITS), End.WORDS, Lost.BLOCKED),
    (Fate.GONE, (*POSTS, *EDITS), End.STANDS, Lost.DELETED),
    (Fate.GONE, ("surplus",), End.WHOLE, None),
    (Fate.FORBIDDEN, EVERYWHERE, End.STANDS, Lost.FORBIDDEN),
    (Fate.EXPIRED, EVERYWHERE, End.STANDS, Lost.EXPIRED),
    (Fate.LOCKED, EVERYWHERE, End.STANDS, Lost.LOCKED),
    (Fate.CHANNEL_GONE, EVERYWHERE, End.STANDS, Lost.CHANNEL_GONE),
]
CASES = [(fate, step, end, lost) for fate, steps, end, lost in RULES for step in steps]


async def turn(channel: Channel, on_lost: Callable[[Lost], None] = ignore) -> Delivery:
    words = Words()
    now: list[str] = []
    words.live = lambda: [MessagePlan(text, settled=len(text) == 2000) for text in now]  # type: ignore[method-assign]
    words.ending = lambda _: [MessagePlan(text, settled=True) for text in WHOLE]
    channel.messages[OLD] = MessagePlan("of an earlier version")
    async with Flusher(channel, channel, words, "turn", on_lost, surplus=[OLD]) as flusher:
        channel.gateway = flusher.message_deleted
        for texts in LIVE:
            now[:] = texts
            flusher.wake()
            await asyncio.sleep(5)
        return await flusher.finish()


def stood_when_it_failed(channel: Channel, step: str, fate: Fate, retry_after: float = 0.0) -> list[list[str]]:
    """Let the step fail once; gets what the channel showed then."""
    stood: list[list[str]] = []

    def at_step(operation: Operation) -> bool:
        if STEPS[step](operation) and not stood:
            stood.append([plan.content for message_id, plan in sorted(channel.messages.items()) if message_id != OLD])
            return True
        return False

    channel.fail(fate, at_step, retry_after=retry_after)
    return stood


@pytest.mark.parametrize(("fate", "step", "end", "why"), CASES, ids=lambda value: str(value))
def test_each_fate_at_each_step_has_its_end(fate: Fate, step: str, end: End, why: Lost | None) -> None:
    channel, lost = Channel(), list[Lost]()
    stood = stood_when_it_failed(channel, step, fate)
    delivery = run(turn(channel, lost.append))
    (then,) = stood
    shown = [plan.content for message_id, plan in sorted(channel.messages.items()) if message_id != OLD]
    assert shown == {End.WHOLE: WHOLE, End.STANDS: then, End.WORDS: [*then, OWN_WORDS]}[end]
    assert (delivery.lost, lost) == (why, [why] if why else [])
    assert [plan.content for plan in delivery.missing] == [text for text in WHOLE if text not in shown]
    assert [message_id for message_id, _ in delivery.shown] == [nr for nr in sorted(channel.messages) if nr != OLD]
    if end is End.STANDS:
        assert STEPS[step](channel.log[-1][1])


@pytest.mark.parametrize("step", STEPS)
def test_at_each_step_a_wait_that_discord_asks_for_is_kept(step: str) -> None:
    channel = Channel()
    stood_when_it_failed(channel, step, Fate.FAILED, retry_after=30.0)
    assert run(turn(channel)).lost is None
    assert channel.texts == WHOLE
    failed = next(nr for nr, (_, operation) in enumerate(channel.log) if STEPS[step](operation))
    assert channel.log[failed + 1][0] - channel.log[failed][0] >= 30.0


@pytest.mark.parametrize("step", EDITS)
def test_messages_that_took_no_edits_are_replaced_in_order_and_nothing_is_left_of_them(step: str) -> None:
    channel = Channel()
    stood_when_it_failed(channel, step, Fate.TOO_OLD)
    run(turn(channel))
    assert channel.texts == WHOLE
    assert sum(isinstance(operation, Delete) for _, operation in channel.log) == 2


@pytest.mark.parametrize("fate", [Fate.REFUSED, Fate.BLOCKED, Fate.TOO_OLD])
def test_a_message_that_cannot_be_deleted_does_not_hold_up_the_answer(fate: Fate) -> None:
    channel = Channel()
    stood_when_it_failed(channel, "surplus", fate)
    assert run(turn(channel)).lost is None
    assert channel.texts == [*WHOLE, "of an earlier version"]


@pytest.mark.parametrize("step", STEPS)
def test_a_call_that_never_comes_through_again_ends_as_undelivered(step: str) -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(Fate.FAILED, STEPS[step], times=1_000_000)
    assert run(turn(channel, lost.append)).lost is Lost.UNDELIVERED
    assert lost == [Lost.UNDELIVERED]


PASSING = [Fate.DONE, Fate.FAILED, Fate.REFUSED, Fate.TOO_OLD]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PASSING), max_size=12), st.integers(0, 2))
def test_whatever_passing_faults_meet_which_calls_the_whole_answer_stands_once_and_in_order(
    fates: list[Fate], lost_answers: int
) -> None:
    channel, left, failures = Channel(), iter(fates), 0

    def fault(operation: Operation) -> Outcome | None:
        nonlocal failures
        fate = next(left, Fate.DONE)
        if fate is Fate.FAILED and failures < 3:
            failures += 1
            return Outcome(fate)
        return Outcome(fate) if fate in (Fate.REFUSED, Fate.TOO_OLD) and isinstance(operation, Edit) else None

    channel.faults.append(fault)
    channel.lost_answers = lost_answers
    delivery = run(turn(channel))
    assert channel.texts == WHOLE
    assert (delivery.lost, delivery.missing) == (None, ())
    assert (channel.most_in_flight, channel.over_limit) == (1, 0)

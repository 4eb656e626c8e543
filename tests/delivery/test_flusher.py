"""The flusher against a channel that keeps Discord's rules, on a clock that jumps."""

import asyncio
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.delivery.flusher import FINAL_TRIES, Delivery, Flusher, Lost
from bot.delivery.pacing import Budget, Pacing, Route
from bot.delivery.plan import Create, Delete, Edit, MessagePlan, Operation
from bot.delivery.sender import Fate, Outcome
from tests.virtual_time import run

LIMIT, PERIOD, LATENCY = 5, 5.0, 0.08


class Channel:
    """A Sender that holds messages, counts calls in Discord's fixed windows, keeps nonces, and fails when told to."""

    def __init__(self) -> None:
        self.messages: dict[int, str] = {}
        self.log: list[tuple[float, Operation]] = []
        self.in_flight = self.most_in_flight = self.over_limit = 0
        self.faults: list[Callable[[Operation], Fate | None]] = []
        self.lost_answers = 0
        """So many posts take effect, and the answer gets lost."""
        self.pacing = Pacing()
        self.gateway: Callable[[int], None] = lambda _: None
        """Is told of deleted messages, before the call that deletes one is answered."""
        self._windows: dict[Route, tuple[float, int]] = {}
        self._ids = iter(range(1, 10_000))
        self._nonces: dict[tuple[int, int], int] = {}

    async def send(self, operation: Operation, turn_id: str) -> Outcome:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(LATENCY / 2)
        now = asyncio.get_running_loop().time()
        self._count(operation, now)
        outcome = self._do(operation)
        self.log.append((now, operation))
        await asyncio.sleep(LATENCY / 2)
        self.in_flight -= 1
        return outcome

    def delete(self, message_id: int) -> None:
        """By anybody."""
        if self.messages.pop(message_id, None) is not None:
            self.gateway(message_id)

    def _count(self, operation: Operation, now: float) -> None:
        route = {Create: Route.CREATE, Edit: Route.EDIT, Delete: Route.DELETE}[type(operation)]
        ends, left = self._windows.get(route, (0.0, 0))
        if now >= ends:
            ends, left = now + PERIOD, LIMIT
        self.over_limit += left == 0
        left = max(0, left - 1)
        self._windows[route] = (ends, left)
        self.pacing.answered(route, Budget(left, ends - now), now)

    def _do(self, operation: Operation) -> Outcome:
        for fault in self.faults:
            if (fate := fault(operation)) is not None:
                return Outcome(fate)
        match operation:
            case Create(slot, plan, generation):
                if (slot, generation) not in self._nonces:
                    self._nonces[slot, generation] = next(self._ids)
                    self.messages[self._nonces[slot, generation]] = plan.content
                # A nonce that is known gives its message back, however the text reads now, and even if it is gone.
                if self.lost_answers:
                    self.lost_answers -= 1
                    return Outcome(Fate.FAILED)
                return Outcome(Fate.DONE, self._nonces[slot, generation])
            case Edit(_, message_id, plan):
                if message_id not in self.messages:
                    return Outcome(Fate.GONE)
                self.messages[message_id] = plan.content
            case Delete(message_id):
                self.delete(message_id)
        return Outcome(Fate.DONE)

    def fail(self, fate: Fate, on: type[Operation], times: int) -> None:
        left = times

        def fault(operation: Operation) -> Fate | None:
            nonlocal left
            if not isinstance(operation, on) or left == 0:
                return None
            left -= 1
            return fate

        self.faults.append(fault)


def plain(plans: Sequence[MessagePlan], blocked: bool) -> Sequence[MessagePlan]:
    return [*plans, MessagePlan("(blocked)", text_length=0)] if blocked else plans


async def deliver(channel: Channel, deltas: Sequence[tuple[float, str]], lost: list[Lost] | None = None) -> Delivery:
    """Feed (seconds to wait before, text) and finish."""
    on_lost = lost.append if lost is not None else lambda _: None
    async with Flusher(channel, channel.pacing, "turn", on_lost) as flusher:
        channel.gateway = flusher.message_deleted
        for pause, text in deltas:
            await asyncio.sleep(pause)
            flusher.show(text)
        return await flusher.finish(plain)


def test_the_first_text_goes_out_at_once() -> None:
    channel = Channel()
    run(deliver(channel, [(0.0, "Hel"), (0.5, "lo")]))
    first_at, first = channel.log[0]
    assert first == Create(0, MessagePlan("Hel"))
    assert first_at == LATENCY / 2


def test_while_deltas_pour_in_few_edits_carry_the_newest_text_and_the_last_one_all_of_it() -> None:
    channel = Channel()
    words = [f"w{n} " for n in range(200)]
    run(deliver(channel, [(0.05, word) for word in words]))
    assert list(channel.messages.values()) == ["".join(words).strip()]
    edits = [operation for _, operation in channel.log if isinstance(operation, Edit)]
    assert 7 <= len(edits) <= 10  # ten seconds at one edit in 1.25
    lengths = [len(edit.plan.content) for edit in edits]
    assert lengths == sorted(lengths)
    assert (channel.most_in_flight, channel.over_limit) == (1, 0)


def test_the_final_text_does_not_wait_for_the_next_preview_slot() -> None:
    channel = Channel()
    run(deliver(channel, [(0.0, "a"), (2.0, "b"), (0.2, "c")]))
    (preview_at, _), (final_at, _) = channel.log[-2:]
    assert final_at - preview_at < 0.5


def test_a_failing_discord_is_tried_again_until_the_final_text_stands() -> None:
    channel = Channel()
    channel.fail(Fate.FAILED, Edit, times=FINAL_TRIES)
    result = run(deliver(channel, [(0.0, "a"), (0.5, "b")]))
    assert list(channel.messages.values()) == ["ab"]
    assert result == Delivery(((1, 2),), None)


def test_a_discord_that_stays_away_is_given_up_and_said_to_be() -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(Fate.FAILED, Create, times=1000)
    assert run(deliver(channel, [(0.0, "a")], lost)) == Delivery((), Lost.UNDELIVERED)
    assert lost == [Lost.UNDELIVERED]


@pytest.mark.parametrize(("fate", "why"), [(Fate.GONE, Lost.DELETED), (Fate.FORBIDDEN, Lost.FORBIDDEN)])
def test_a_channel_that_does_not_take_it_is_left_alone(fate: Fate, why: Lost) -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(fate, Edit, times=1000)
    result = run(deliver(channel, [(0.0, "a"), (3.0, "b"), (3.0, "c")], lost))
    assert (result.lost, lost) == (why, [why])
    assert sum(isinstance(operation, Edit) for _, operation in channel.log) == 1


def test_news_of_a_deleted_message_stops_the_edits_before_one_fails() -> None:
    async def scenario() -> tuple[Delivery, Channel]:
        channel = Channel()
        async with Flusher(channel, channel.pacing, "turn", lambda _: None) as flusher:
            flusher.show("a")
            await flusher.first_shown.wait()
            flusher.message_deleted(99)
            flusher.message_deleted(1)
            flusher.show("b")
            return await flusher.finish(plain), channel

    result, channel = run(scenario())
    assert result.lost is Lost.DELETED
    assert len(channel.log) == 1


def test_a_refused_edit_becomes_a_new_message_and_the_old_one_goes() -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(Fate.REFUSED, Edit, times=1)
    result = run(deliver(channel, [(0.0, "a"), (2.0, "b")], lost))
    assert channel.messages == {2: "ab"}
    assert result.shown == ((2, 2),)
    assert lost == [], "our own deletion is nobody's wish to stop"


def test_a_message_deleted_before_its_post_was_answered_stops_the_answer_too() -> None:
    async def scenario() -> list[Lost]:
        channel, lost = Channel(), list[Lost]()
        async with Flusher(channel, channel.pacing, "turn", lost.append) as flusher:
            channel.gateway = flusher.message_deleted
            flusher.show("a")
            await asyncio.sleep(LATENCY * 0.75)  # it stands, and the answer to our call is still on its way
            channel.delete(1)
            await asyncio.sleep(LATENCY)
            return lost

    assert run(scenario()) == [Lost.DELETED]


def test_an_edit_that_discord_blocks_leaves_what_stands_and_says_so() -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(Fate.BLOCKED, Edit, times=1)
    result = run(deliver(channel, [(0.0, "a"), (2.0, "b"), (3.0, "c")], lost))
    assert list(channel.messages.values()) == ["a", "(blocked)"]
    assert (result.lost, lost) == (Lost.BLOCKED, [Lost.BLOCKED])


def test_a_further_message_that_discord_blocks_leaves_the_first_and_says_so() -> None:
    channel, blocked = Channel(), list[Operation]()

    def second_part_once(operation: Operation) -> Fate | None:
        if isinstance(operation, Create) and operation.slot == 1 and not blocked:
            blocked.append(operation)
            return Fate.BLOCKED
        return None

    channel.faults.append(second_part_once)
    run(deliver(channel, [(0.0, "a" * 3000), (2.0, "b")]))
    assert list(channel.messages.values()) == ["a" * 2000, "(blocked)"]


def test_an_answer_that_is_blocked_as_a_whole_leaves_our_word_of_it() -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(Fate.BLOCKED, Create, times=1)
    result = run(deliver(channel, [(0.0, "a"), (2.0, "b")], lost))
    assert list(channel.messages.values()) == ["(blocked)"]
    assert (result.lost, lost) == (Lost.BLOCKED, [Lost.BLOCKED])


def test_when_even_our_own_words_are_blocked_it_is_given_up() -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(Fate.BLOCKED, Create, times=1000)
    assert run(deliver(channel, [(0.0, "a")], lost)) == Delivery((), Lost.UNDELIVERED)
    assert len(channel.log) == 2


def test_failures_before_the_text_was_over_do_not_count_against_its_final_state() -> None:
    channel = Channel()
    channel.fail(Fate.FAILED, Edit, times=8)
    result = run(deliver(channel, [(0.0, "a"), *[(30.0, "b")] * 4]))
    assert list(channel.messages.values()) == ["abbbb"]
    assert result.lost is None


def test_a_final_state_does_not_wait_out_the_pause_of_a_preview_that_failed() -> None:
    channel = Channel()
    channel.fail(Fate.FAILED, Edit, times=6)
    run(deliver(channel, [(0.0, "a"), (2.0, "b"), (90.0, "c")]))
    assert channel.log[-1][0] < 93.0
    assert list(channel.messages.values()) == ["abc"]


def test_a_fault_of_the_sender_ends_the_answer_at_once_and_is_raised_at_its_end() -> None:
    async def scenario() -> list[Lost]:
        channel, lost = Channel(), list[Lost]()
        channel.faults.append(lambda _: 1 / 0)  # type: ignore[arg-type, return-value]  # it raises instead
        async with Flusher(channel, channel.pacing, "turn", lost.append) as flusher:
            flusher.show("a")
            await flusher.first_shown.wait()
            await asyncio.sleep(0)
            with pytest.raises(ZeroDivisionError):
                await flusher.finish(plain)
        return lost

    assert run(scenario()) == [Lost.BROKEN]


def test_a_post_whose_answer_got_lost_is_repeated_as_it_was_and_then_brought_up_to_date() -> None:
    channel = Channel()
    channel.lost_answers = 3
    result = run(deliver(channel, [(0.0, "One"), (1.0, " two"), (20.0, " three")]))
    assert channel.messages == {1: "One two three"}
    assert result == Delivery(((1, 13),), None)


def test_an_answer_that_begins_with_half_a_link_stands_at_its_end() -> None:
    channel = Channel()
    run(deliver(channel, [(0.0, "["), (2.0, "a"), (2.0, "](http://b.c) is the link.")]))
    assert list(channel.messages.values()) == ["[a](http://b.c) is the link."]


def test_a_rate_limit_of_an_hour_does_not_hold_the_channel_for_an_hour() -> None:
    async def scenario() -> tuple[Delivery, float]:
        channel = Channel()
        async with Flusher(channel, channel.pacing, "turn", lambda _: None) as flusher:
            flusher.show("a")
            await flusher.first_shown.wait()
            channel.pacing.limited(Route.EDIT, 3600.0, asyncio.get_running_loop().time())
            flusher.show("b")
            return await flusher.finish(plain), asyncio.get_running_loop().time()

    delivery, ended = run(scenario())
    assert delivery.lost is Lost.UNDELIVERED
    assert ended < 60.0


def test_text_that_is_taken_back_makes_room_for_what_follows() -> None:
    """Its messages are edited into the answer, and what is too many of them goes at the end; nothing is left of it."""
    channel = Channel()

    async def answer() -> Delivery:
        async with Flusher(channel, channel.pacing, "turn", lambda _: None) as flusher:
            flusher.show("thinking aloud. " * 500)
            await asyncio.sleep(60)
            assert len(channel.messages) > 1
            flusher.take_back()
            await asyncio.sleep(60)
            assert len(channel.messages) > 1
            flusher.show("Four.")
            return await flusher.finish(plain)

    delivery = run(answer())
    assert list(channel.messages.values()) == ["Four."]
    assert delivery == Delivery(((next(iter(channel.messages)), 5),), None)


@pytest.mark.parametrize("text", [" \n", "\u200b", "\u2800\u2060 "])
def test_nothing_visible_is_not_posted(text: str) -> None:
    channel = Channel()
    assert run(deliver(channel, [(0.0, text)])) == Delivery((), None)
    assert channel.log == []


def test_what_ours_is_stands_behind_the_text_and_is_not_counted_as_the_models() -> None:
    async def scenario() -> tuple[Delivery, Channel]:
        channel = Channel()
        async with Flusher(channel, channel.pacing, "turn", lambda _: None) as flusher:
            flusher.show("Hello")
            ending = [MessagePlan("Hello\n-# footer", text_length=5)]
            return await flusher.finish(lambda _plans, _blocked: ending), channel

    result, channel = run(scenario())
    assert channel.messages == {1: "Hello\n-# footer"}
    assert result.shown == ((1, 5),)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.0, 3.0), st.text("abcdefgh ", min_size=1, max_size=900)), min_size=1, max_size=25),
    st.integers(0, 3),
    st.integers(0, 3),
)
def test_whatever_the_rhythm_nothing_is_lost_doubled_or_over_the_limit(
    deltas: list[tuple[float, str]], failures: int, lost_answers: int
) -> None:
    channel = Channel()
    channel.lost_answers = lost_answers
    channel.fail(Fate.FAILED, Edit, failures)
    channel.fail(Fate.FAILED, Create, failures)
    run(deliver(channel, deltas))
    text = "".join(text for _, text in deltas)
    assert "".join("".join(channel.messages.values()).split()) == "".join(text.split())
    assert all(len(content) <= 2000 for content in channel.messages.values())
    assert (channel.most_in_flight, channel.over_limit) == (min(1, len(channel.log)), 0)

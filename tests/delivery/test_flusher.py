"""The flusher against a channel that keeps Discord's rules, on a clock that jumps."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.delivery.delivered import Delivery, Lost
from bot.delivery.flusher import Flusher
from bot.delivery.outcome import Fate
from bot.delivery.patience import FINAL_TRIES
from bot.delivery.plan import Button, Create, Delete, Edit, FilePlan, MessagePlan, Operation
from bot.delivery.reconcile import Shown
from tests.delivery.channel import LATENCY, OWN_WORDS, Channel, Words, deliver, ignore
from tests.virtual_time import run

# ------------------------------------------------------------------------------------------------------------- rhythm


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
    assert channel.texts == ["".join(words)]
    edits = [(at, operation.plan.content) for at, operation in channel.log if isinstance(operation, Edit)]
    assert 7 <= len(edits) <= 10  # ten seconds at one edit in 1.25
    there = [(len(content.split()), int((at - LATENCY) / 0.05)) for at, content in edits[:-1]]
    assert all(sent >= written for sent, written in there), "the newest text, when it may go out"
    assert (channel.most_in_flight, channel.over_limit) == (1, 0)


def test_the_final_text_does_not_wait_for_the_next_preview_slot() -> None:
    channel = Channel()
    run(deliver(channel, [(0.0, "a"), (2.0, "b"), (0.2, "c")]))
    (preview_at, _), (final_at, _) = channel.log[-2:]
    assert final_at - preview_at < 0.5


def test_what_comes_before_the_first_message_is_over_when_it_is_posted_and_happens_once() -> None:
    async def scenario() -> list[int]:
        channel, words, posted_before = Channel(), Words(), list[int]()

        async def typing_ends() -> None:
            await asyncio.sleep(1.0)
            posted_before.append(len(channel.log))

        async with Flusher(channel, channel, words, "turn", ignore, before_first=typing_ends) as flusher:
            words.text = "a" * 4500
            flusher.wake()
            await flusher.finish()
        assert len(channel.messages) == 3
        return posted_before

    assert run(scenario()) == [0]


def test_the_first_message_carries_what_was_written_while_it_waited_for_what_comes_before() -> None:
    async def scenario() -> Sequence[Operation]:
        channel, words = Channel(), Words()
        async with Flusher(channel, channel, words, "turn", ignore, before_first=lambda: asyncio.sleep(1.0)) as flusher:
            words.text = "One"
            flusher.wake()
            await asyncio.sleep(0.5)
            words.text = "One two"
            await flusher.finish()
        return [operation for _, operation in channel.log]

    assert run(scenario()) == [Create(0, MessagePlan("One two"))]


# -------------------------------------------------------------------------------------------------------- what was lost


def test_a_failing_discord_is_tried_again_until_the_final_text_stands() -> None:
    channel = Channel()
    channel.fail(Fate.FAILED, Edit, times=FINAL_TRIES)
    result = run(deliver(channel, [(0.0, "a"), (0.5, "b")]))
    assert channel.texts == ["ab"]
    assert result == Delivery(((1, 2),), None)


def test_a_discord_that_stays_away_is_given_up_and_the_text_that_is_missing_is_named() -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(Fate.FAILED, Create, times=1000)
    assert run(deliver(channel, [(0.0, "a")], lost)) == Delivery((), Lost.UNDELIVERED, (MessagePlan("a"),))
    assert lost == [Lost.UNDELIVERED]


def test_news_of_a_deleted_message_stops_the_edits_before_one_fails() -> None:
    async def scenario() -> tuple[Delivery, Channel]:
        channel, words = Channel(), Words()
        async with Flusher(channel, channel, words, "turn", ignore) as flusher:
            words.text = "a"
            flusher.wake()
            await flusher.first_shown.wait()
            flusher.message_deleted(99)
            flusher.message_deleted(1)
            words.text = "ab"
            flusher.wake()
            return await flusher.finish(), channel

    result, channel = run(scenario())
    assert result == Delivery(((1, 1),), Lost.DELETED, (MessagePlan("ab"),))
    assert len(channel.log) == 1


def test_a_refused_edit_is_tried_once_more() -> None:
    channel = Channel()
    channel.fail(Fate.REFUSED, Edit, times=1)
    run(deliver(channel, [(0.0, "a"), (2.0, "b")]))
    assert {message_id: plan.content for message_id, plan in channel.messages.items()} == {1: "ab"}


@pytest.mark.parametrize(("fate", "tries"), [(Fate.REFUSED, 2), (Fate.TOO_OLD, 1)])
def test_a_message_that_takes_no_edits_gives_way_to_a_new_one(fate: Fate, tries: int) -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(fate, Edit, times=tries)
    result = run(deliver(channel, [(0.0, "a"), (2.0, "b")], lost))
    assert {message_id: plan.content for message_id, plan in channel.messages.items()} == {2: "ab"}
    assert result == Delivery(((2, 2),), None)
    assert sum(isinstance(operation, Edit) for _, operation in channel.log) == tries
    assert lost == [], "our own deletion is nobody's wish to stop"


def test_a_message_deleted_before_its_post_was_answered_stops_the_answer_too() -> None:
    async def scenario() -> list[Lost]:
        channel, words, lost = Channel(), Words(), list[Lost]()
        async with Flusher(channel, channel, words, "turn", lost.append) as flusher:
            channel.gateway = flusher.message_deleted
            words.text = "a"
            flusher.wake()
            await asyncio.sleep(LATENCY * 0.75)  # it stands, and the answer to our call is still on its way
            channel.delete(1)
            await asyncio.sleep(LATENCY)
            return lost

    assert run(scenario()) == [Lost.DELETED]


def test_an_answer_that_is_blocked_as_a_whole_leaves_our_word_of_it() -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(Fate.BLOCKED, Create, times=1)
    result = run(deliver(channel, [(0.0, "a"), (2.0, "b")], lost))
    assert channel.texts == [OWN_WORDS]
    assert (result.lost, result.missing, lost) == (Lost.BLOCKED, (MessagePlan("ab"),), [Lost.BLOCKED])


def test_when_even_our_own_words_are_blocked_it_is_given_up() -> None:
    channel, lost = Channel(), list[Lost]()
    channel.fail(Fate.BLOCKED, Create, times=1000)
    assert run(deliver(channel, [(0.0, "a")], lost)) == Delivery((), Lost.UNDELIVERED, (MessagePlan("a"),))
    assert len(channel.log) == 2


def test_failures_before_the_text_was_over_do_not_count_against_its_final_state() -> None:
    channel = Channel()
    channel.fail(Fate.FAILED, Edit, times=8)
    result = run(deliver(channel, [(0.0, "a"), *[(30.0, "b")] * 4]))
    assert channel.texts == ["abbbb"]
    assert result.lost is None


def test_a_final_state_does_not_wait_out_the_pause_of_a_preview_that_failed() -> None:
    channel = Channel()
    channel.fail(Fate.FAILED, Edit, times=6)
    run(deliver(channel, [(0.0, "a"), (2.0, "b"), (90.0, "c")]))
    assert channel.log[-1][0] < 93.0
    assert channel.texts == ["abc"]


@pytest.mark.parametrize("when", ["while it is written", "at the end"])
def test_nothing_is_sent_before_the_time_that_discord_named(when: str) -> None:
    channel = Channel()
    channel.fail(Fate.FAILED, Edit, retry_after=20.0)
    second = 3.0 if when == "while it is written" else 0.0
    run(deliver(channel, [(0.0, "a"), (1.0, "b"), (second, "c")]))
    (limited_at, _), (next_at, _) = [(at, operation) for at, operation in channel.log if isinstance(operation, Edit)]
    assert 20.0 <= next_at - limited_at < 21.0
    assert channel.texts == ["abc"]


@pytest.mark.parametrize("heard_by", ["the lane", "the call itself"])
def test_a_rate_limit_of_an_hour_does_not_hold_the_channel_for_an_hour(heard_by: str) -> None:
    async def scenario() -> tuple[Delivery, float]:
        channel, words = Channel(), Words()
        async with Flusher(channel, channel, words, "turn", ignore) as flusher:
            words.text = "a"
            flusher.wake()
            await flusher.first_shown.wait()
            if heard_by == "the lane":
                channel.limited_until = 3600.0
            else:
                channel.fail(Fate.FAILED, Edit, retry_after=3600.0)
            words.text = "ab"
            flusher.wake()
            await asyncio.sleep(10)
            return await flusher.finish(), asyncio.get_running_loop().time()

    delivery, ended = run(scenario())
    assert delivery == Delivery(((1, 1),), Lost.UNDELIVERED, (MessagePlan("ab"),))
    assert ended < 60.0


def test_a_lane_that_never_clears_holds_the_final_state_for_two_minutes() -> None:
    class Closed(Channel):
        async def clear(self, route: object, *, final: bool) -> None:
            await asyncio.Event().wait()

    assert run(deliver(Closed(), [(0.0, "a")])).lost is Lost.UNDELIVERED


@pytest.mark.parametrize("broken", ["sender", "live", "before_first"])
def test_a_fault_of_ours_ends_the_answer_at_once_and_is_raised_at_its_end(broken: str) -> None:
    async def scenario() -> list[Lost]:
        channel, words, lost = Channel(), Words(), list[Lost]()

        def fault(*_: object) -> object:
            return 1 / 0

        async def before_first() -> None:
            if broken == "before_first":
                fault()

        if broken == "sender":
            channel.faults.append(fault)  # type: ignore[arg-type]  # it raises instead
        if broken == "live":
            words.live = fault  # type: ignore[method-assign, assignment]
            words.final = lambda _: []  # type: ignore[method-assign, assignment]
        async with Flusher(channel, channel, words, "turn", lost.append, before_first=before_first) as flusher:
            words.text = "a"
            flusher.wake()
            await flusher.first_shown.wait()
            await asyncio.sleep(0)
            with pytest.raises(ZeroDivisionError):
                await flusher.finish()
        return lost

    assert run(scenario()) == [Lost.BROKEN]


def test_a_view_that_breaks_at_the_end_is_a_fault_of_ours_too() -> None:
    async def scenario() -> list[Lost]:
        channel, words, lost = Channel(), Words(), list[Lost]()
        words.ending = lambda plans: [plans[1]]
        async with Flusher(channel, channel, words, "turn", lost.append) as flusher:
            with pytest.raises(IndexError):
                await flusher.finish()
        return lost

    assert run(scenario()) == [Lost.BROKEN]


def test_a_post_whose_answer_got_lost_is_repeated_as_it_was_and_then_brought_up_to_date() -> None:
    channel = Channel()
    channel.lost_answers = 3
    result = run(deliver(channel, [(0.0, "One"), (1.0, " two"), (20.0, " three")]))
    assert {message_id: plan.content for message_id, plan in channel.messages.items()} == {1: "One two three"}
    assert result == Delivery(((1, 13),), None)


# ------------------------------------------------------------------------------------------------- what is to be shown


def test_text_that_is_taken_back_makes_room_for_what_follows() -> None:
    """Its messages are edited into the answer, and what is too many of them goes at the end; nothing is left of it."""
    channel, words = Channel(), Words()

    async def answer() -> Delivery:
        async with Flusher(channel, channel, words, "turn", ignore) as flusher:
            words.text = "thinking aloud. " * 500
            flusher.wake()
            await asyncio.sleep(60)
            assert len(channel.messages) > 1
            words.text = ""
            flusher.begin_anew()
            await asyncio.sleep(60)
            assert len(channel.messages) > 1
            words.text = "Four."
            flusher.wake()
            return await flusher.finish()

    delivery = run(answer())
    assert channel.texts == ["Four."]
    assert delivery == Delivery(((1, 5),), None)


def test_an_answer_of_nothing_posts_nothing() -> None:
    channel = Channel()
    assert run(deliver(channel, [(0.0, " \n")])) == Delivery((), None)
    assert channel.log == []


def test_what_ours_is_stands_behind_the_text_and_is_not_counted_as_the_models() -> None:
    async def scenario() -> tuple[Delivery, Channel]:
        channel, words = Channel(), Words()
        words.text = "a" * 2000
        words.ending = lambda plans: [MessagePlan("a" * 1990 + "\n-# foot", text_length=1990, settled=True)]
        async with Flusher(channel, channel, words, "turn", ignore) as flusher:
            await asyncio.sleep(5)
            return await flusher.finish(), channel

    result, channel = run(scenario())
    assert channel.texts == ["a" * 1990 + "\n-# foot"], "also where that message was settled"
    assert result.shown == ((1, 1990),)


def test_a_button_that_goes_at_the_end_is_an_edit_and_files_that_stay_are_not_sent_again() -> None:
    stop, file = Button("stop", emoji="⏹️"), FilePlan("a.py", b"1")
    live, final = MessagePlan("a", files=(file,), buttons=(stop,)), MessagePlan("a", files=(file,))
    channel, words = Channel(), Words()
    words.live = lambda: [live]  # type: ignore[method-assign]
    words.ending = lambda _: [final]

    async def scenario() -> None:
        async with Flusher(channel, channel, words, "turn", ignore) as flusher:
            await flusher.first_shown.wait()
            await flusher.finish()

    run(scenario())
    assert [operation for _, operation in channel.log] == [Create(0, live), Edit(0, 1, final, files_changed=False)]


async def _write_anew(channel: Channel, text: str, ids: list[int], surplus: list[int]) -> Delivery:
    for message_id in (*ids, *surplus):
        channel.messages[message_id] = MessagePlan(f"old {message_id}")
    words = Words()
    words.text = text
    standing = [Shown(message_id, channel.messages[message_id]) for message_id in ids]
    async with Flusher(channel, channel, words, "turn", ignore, standing=standing, surplus=surplus) as flusher:
        channel.gateway = flusher.message_deleted
        await asyncio.sleep(20)
        return await flusher.finish()


def test_an_answer_that_is_written_anew_takes_the_place_of_the_old_one_and_its_rest_goes_at_once() -> None:
    channel = Channel()
    delivery = run(_write_anew(channel, "new", ids=[901], surplus=[902, 903]))
    assert channel.texts == ["new"]
    assert delivery == Delivery(((901, 3),), None)
    assert [operation for _, operation in channel.log] == [Delete(902), Delete(903), Edit(0, 901, MessagePlan("new"))]


def test_an_answer_that_goes_on_posts_below_what_stands() -> None:
    channel = Channel()
    delivery = run(_write_anew(channel, "a" * 2000 + "b", ids=[], surplus=[]))
    assert channel.texts == ["a" * 2000, "b"]
    assert delivery.shown == ((1, 2000), (2, 1))


def test_a_surplus_message_that_somebody_deletes_first_is_no_wish_to_stop() -> None:
    channel = Channel()

    def gone(operation: Operation) -> None:
        if operation == Delete(902):
            channel.messages.pop(903, None)
            channel.gateway(903)

    channel.faults.append(gone)
    assert run(_write_anew(channel, "new", ids=[901], surplus=[902, 903])).lost is None
    assert Delete(903) not in [operation for _, operation in channel.log]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.0, 3.0), st.text("abcdefgh ", min_size=1, max_size=900)), min_size=1, max_size=25),
    st.integers(0, 3),
    st.integers(0, 2),
)
def test_whatever_the_rhythm_nothing_is_lost_doubled_or_over_the_limit(
    deltas: list[tuple[float, str]], failures: int, lost_answers: int
) -> None:
    channel = Channel()
    channel.lost_answers = lost_answers
    channel.fail(Fate.FAILED, Edit, failures)
    channel.fail(Fate.FAILED, Create, failures)
    delivery = run(deliver(channel, deltas))
    text = "".join(text for _, text in deltas)
    assert "".join("".join(channel.texts).split()) == "".join(text.split())
    assert delivery.missing == ()
    assert (channel.most_in_flight, channel.over_limit) == (min(1, len(channel.log)), 0)

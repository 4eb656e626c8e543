"""The turn queue: fair within a channel, side by side between channels, bounded, and drained at the end."""

import asyncio
from itertools import count, pairwise
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.turn.queue import MOST_OF_ONE, MOST_WAITING, Caps, Refusal, TurnQueue, fair_order
from bot.turn.request import Channel, Task, TurnRequest
from tests.virtual_time import run


def request(
    channel_id: int, name: str, asker_id: int = 7, question_id: int = 0, guild_id: int | None = None, **more: Any
) -> TurnRequest:
    return TurnRequest(
        turn_id=name,
        question_id=question_id,
        channel_id=channel_id,
        guild_id=guild_id,
        asker_id=asker_id,
        locale=None,
        arrived=0.0,
        channel=cast(Channel, None),  # the queue does not look at it
        **more,
    )


class Stage:
    """Turns that run until they are let go."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self._gates: dict[str, asyncio.Event] = {}
        self._changed = asyncio.Condition()

    def gate(self, name: str) -> asyncio.Event:
        return self._gates.setdefault(name, asyncio.Event())

    async def run(self, given: TurnRequest) -> None:
        await self._note(f"+{given.turn_id}")
        await self.gate(given.turn_id).wait()
        await self._note(f"-{given.turn_id}")

    async def _note(self, entry: str) -> None:
        async with self._changed:
            self.log.append(entry)
            self._changed.notify_all()

    async def until(self, *entries: str) -> None:
        async with asyncio.timeout(10), self._changed:
            await self._changed.wait_for(lambda: set(entries) <= set(self.log))


async def test_a_channel_has_one_turn_at_a_time_in_order_of_arrival() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        for name in "abc":
            assert queue.submit(request(1, name))
        await stage.until("+a")
        for name in "abc":
            stage.gate(name).set()
        await stage.until("-c")
    assert stage.log == ["+a", "-a", "+b", "-b", "+c", "-c"]


async def test_channels_do_not_wait_for_each_other() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        queue.submit(request(1, "a"))
        queue.submit(request(2, "b"))
        await stage.until("+a", "+b")
        stage.gate("b").set()
        await stage.until("-b")
        assert "-a" not in stage.log
        stage.gate("a").set()


async def test_a_full_channel_turns_away_and_others_do_not() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        queue.submit(request(1, "first"))
        await stage.until("+first")
        taken = [queue.submit(request(1, f"w{n}", asker_id=n)) for n in range(MOST_WAITING + 1)]
        assert taken == [True] * MOST_WAITING + [False]
        assert queue.refusal(99, channel_id=1) is Refusal.CHANNEL_FULL
        assert queue.submit(request(2, "other"))
        for name in ("first", "other", *(f"w{n}" for n in range(MOST_WAITING))):
            stage.gate(name).set()


async def test_a_closed_queue_takes_nothing_and_is_drained_when_the_last_turn_ends() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        queue.submit(request(1, "a"))
        await stage.until("+a")
        queue.close()
        assert not queue.submit(request(1, "b"))
        assert queue.refusal(7, channel_id=2) is Refusal.CLOSED
        drained: asyncio.Task[Any] = asyncio.create_task(queue.drained())
        stage.gate("a").set()
        await drained
    assert stage.log == ["+a", "-a"]


async def test_somebodys_waiting_questions_are_withdrawn_and_nobody_elses() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        for name, asker_id in (("running", 7), ("mine", 7), ("theirs", 8), ("mine too", 7)):
            queue.submit(request(1, name, asker_id))
        queue.submit(request(2, "elsewhere", 7))
        await stage.until("+running", "+elsewhere")
        assert queue.holds("mine")
        assert queue.withdraw_of(7, channel_id=1) == 2
        assert queue.withdraw_of(7, channel_id=3) == 0
        assert not queue.holds("mine")
        for name in ("running", "theirs", "elsewhere"):
            stage.gate(name).set()
    assert sorted(stage.log) == ["+elsewhere", "+running", "+theirs", "-elsewhere", "-running", "-theirs"]


async def test_one_person_cannot_fill_the_line() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        queue.submit(request(1, "first"))
        await stage.until("+first")
        taken = [queue.submit(request(1, f"w{n}")) for n in range(MOST_OF_ONE + 1)]
        assert taken == [True] * MOST_OF_ONE + [False]
        assert queue.refusal(7, channel_id=1) is Refusal.PERSON_FULL
        assert queue.refusal(8, channel_id=1) is None
        assert queue.refusal(7, channel_id=2) is None
        for name in ("first", *(f"w{n}" for n in range(MOST_OF_ONE))):
            stage.gate(name).set()


# ------------------------------------------------------------------------------------------------------- who is next


@pytest.mark.parametrize(
    ("waiting", "served", "first", "order"),
    [
        ("a1 a2 a3", {}, None, "a1 a2 a3"),
        ("a1 a2 b1", {}, None, "a1 b1 a2"),
        ("a1 a2 b1", {"a": 1}, None, "b1 a1 a2"),
        ("a1 b1 c1", {"a": 2, "b": 1}, None, "c1 b1 a1"),
        ("a1 a2 b1 b2", {"a": 1, "b": 2}, None, "a1 b1 a2 b2"),
        ("b1 c1 a1", {"a": 9}, "a", "a1 b1 c1"),
        ("b1 a1 a2", {"a": 9, "b": 10}, "a", "a1 b1 a2"),
        ("b1 c1", {}, "a", "b1 c1"),
    ],
)
def test_next_is_who_was_served_longest_ago(
    waiting: str, served: dict[str, int], first: str | None, order: str
) -> None:
    """`a1` is the first question of a. Somebody's own questions stay in order."""
    requests = [request(1, name, asker_id=ord(name[0])) for name in waiting.split()]
    numbers = {ord(name): number for name, number in served.items()}
    found = fair_order(requests, numbers, ord(first) if first else None)
    assert " ".join(given_request.turn_id for given_request in found) == order


async def test_work_on_an_answer_that_stands_waits_in_the_same_line() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        queue.submit(request(1, "running"))
        await stage.until("+running")
        queue.submit(request(1, "mine", asker_id=7))
        queue.submit(request(1, "again", asker_id=8, task=Task.AGAIN))
        for name in ("running", "again", "mine"):
            stage.gate(name).set()
    assert stage.log == ["+running", "-running", "+again", "-again", "+mine", "-mine"]


async def test_what_took_over_and_is_withdrawn_leaves_no_right_of_way() -> None:
    stage, onlooker = Stage(), Onlooker()
    async with TurnQueue(stage.run, onlooker) as queue:
        queue.submit(request(1, "a1", asker_id=1))
        await stage.until("+a1")
        queue.submit(request(1, "b1", asker_id=2))
        queue.submit(request(1, "a2", asker_id=1, question_id=9), takes_over=True)
        queue.withdraw(9)
        queue.submit(later := request(1, "a3", asker_id=1))
        assert onlooker.told[later.run_id] == 2
        for name in ("a1", "b1", "a3"):
            stage.gate(name).set()
    assert stage.log == ["+a1", "-a1", "+b1", "-b1", "+a3", "-a3"]


async def test_what_takes_over_comes_next_and_counts_how_often_in_a_row() -> None:
    stage = Stage()
    async with TurnQueue(stage.run) as queue:
        queue.submit(request(1, "a1", asker_id=1))
        await stage.until("+a1")
        queue.submit(request(1, "b1", asker_id=2))
        queue.submit(request(1, "a2", asker_id=1), takes_over=True)
        assert queue.in_a_row(1) == 0
        stage.gate("a1").set()
        await stage.until("+a2")
        assert queue.in_a_row(1) == 1
        queue.submit(request(1, "a3", asker_id=1), takes_over=True)
        stage.gate("a2").set()
        await stage.until("+a3")
        assert queue.in_a_row(1) == 2
        stage.gate("a3").set()
        await stage.until("+b1")
        assert (queue.in_a_row(1), queue.in_a_row(5)) == (0, 0)
        stage.gate("b1").set()
    assert [entry for entry in stage.log if entry.startswith("+")] == ["+a1", "+a2", "+a3", "+b1"]


async def test_an_edited_question_that_waits_is_read_as_it_is_now() -> None:
    seen: list[TurnRequest] = []
    edited, nowhere = cast(Channel, object()), dict[int, Channel]()

    async def note(given_request: TurnRequest) -> None:
        seen.append(given_request)

    async with TurnQueue(note) as queue:
        queue.submit(request(1, "a", question_id=10))
        queue.submit(request(1, "b", question_id=20, further_ids=(19,)))
        queue.submit(request(1, "c", question_id=30, task=Task.SHOW))
        assert queue.amend(20, {1: edited}.__getitem__)
        assert queue.amend(19, nowhere.__getitem__), "those before it are read from the channel"
        assert not queue.amend(30, nowhere.__getitem__)
        assert not queue.amend(99, nowhere.__getitem__)
    assert [(given_request.turn_id, given_request.channel is edited) for given_request in seen] == [
        ("a", False),
        ("b", True),
        ("c", False),
    ]


# -------------------------------------------------------------------------------------------------------------- laws


class Onlooker:
    """Hears of positions, and looks whether they are true."""

    def __init__(self) -> None:
        self.told: dict[str, int] = {}
        self.gone: list[str] = []

    def moved(self, request: TurnRequest, ahead: int) -> None:
        assert self.told.get(request.run_id) != ahead, "only what changed is told"
        self.told[request.run_id] = ahead

    def withdrawn(self, request: TurnRequest) -> None:
        self.gone.append(request.run_id)


ARRIVALS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.5, 1.0, 7.0]),  # seconds after the one before
        st.integers(1, 4),  # by whom
        st.integers(1, 2),  # where
        st.sampled_from([0.0, 0.5, 3.0]),  # how long its turn takes
        st.sampled_from(["", "", "", "takes over", "withdrawn"]),
    ),
    max_size=40,
)


@given(ARRIVALS)
def test_at_most_one_turn_runs_in_a_channel_none_is_lost_and_positions_are_true(
    arrivals: list[tuple[float, int, int, float, str]],
) -> None:
    async def main() -> None:
        onlooker, runs, taken = Onlooker(), list[str](), list[str]()
        busy, ran = {1: 0, 2: 0}, {1: list[str](), 2: list[str]()}
        seconds: dict[str, float] = {}

        async def turn(given_request: TurnRequest) -> None:
            busy[given_request.channel_id] += 1
            assert busy[given_request.channel_id] == 1
            runs.append(given_request.run_id)
            ran[given_request.channel_id].append(given_request.run_id)
            await asyncio.sleep(seconds[given_request.turn_id])
            busy[given_request.channel_id] -= 1

        async with TurnQueue(turn, onlooker) as queue:
            for number, (pause, by, where, lasts, what) in enumerate(arrivals):
                await asyncio.sleep(pause)
                given_request = request(where, f"t{number}", by, question_id=number)
                seconds[given_request.turn_id] = lasts
                refusal = queue.refusal(by, where)
                assert queue.submit(given_request, takes_over=what == "takes over") is (refusal is None)
                taken += [given_request.run_id] if refusal is None else []
                if what == "withdrawn":
                    queue.withdraw(number)
            # From now on nobody comes: so many turns begin before each as it was told.
            gone = {*runs, *onlooker.gone}
            told = {run_id: ahead for run_id, ahead in onlooker.told.items() if run_id not in gone}
            began = {where: len(ran[where]) - busy[where] for where in ran}
            await queue.drained()
        assert sorted(runs + onlooker.gone) == sorted(taken)
        for where, run_ids in ran.items():
            for place, run_id in enumerate(run_ids):
                assert told.get(run_id) in (None, place - began[where])

    run(main())


@given(st.integers(2, 5), st.lists(st.sampled_from([0.1, 1.0, 5.0]), min_size=5, max_size=5), st.integers(20, 40))
def test_who_asks_again_and_again_waits_for_at_most_one_turn_of_each_other(
    people: int, lasts: list[float], turns: int
) -> None:
    """All ask anew as soon as they were answered, and one of them keeps as many questions waiting as may be."""
    order: list[int] = []

    async def main() -> None:
        numbers = count()

        async def turn(given_request: TurnRequest) -> None:
            order.append(given_request.asker_id)
            await asyncio.sleep(lasts[given_request.asker_id])
            if len(order) < turns:
                ask(given_request.asker_id)

        def ask(by: int) -> None:
            assert queue.submit(request(1, str(next(numbers)), by))

        async with TurnQueue(turn) as queue:
            for _ in range(MOST_OF_ONE):
                ask(0)
            for person in range(1, people):
                ask(person)
            await queue.drained()

    run(main())
    for person in range(people):
        own = [place for place, by in enumerate(order[:turns]) if by == person]
        for earlier, later in pairwise(own):
            assert len(set(order[earlier:later])) == later - earlier


# -------------------------------------------------------------------------------------------------- caps of a server


def capped(in_all: int = 0, of_one: int = 0) -> Any:
    async def caps(_request: TurnRequest) -> Caps:
        return Caps(in_all, of_one)

    return caps


async def test_channels_of_a_server_wait_for_each_other_in_the_order_in_which_they_came() -> None:
    stage, onlooker = Stage(), Onlooker()
    async with TurnQueue(stage.run, onlooker, capped(in_all=1)) as queue:
        asked = [request(channel, name, channel, guild_id=1) for channel, name in ((1, "a"), (2, "b"), (3, "c"))]
        for each in asked:
            assert queue.submit(each)
        assert queue.submit(request(4, "d", guild_id=2)), "another server"
        assert queue.submit(request(5, "e"))
        await stage.until("+a", "+d", "+e")
        assert onlooker.told == {asked[1].run_id: 1, asked[2].run_id: 1}
        assert queue.load() == (3, 2)
        for name in "deabc":
            stage.gate(name).set()
            await stage.until(f"-{name}")
    assert [entry for entry in stage.log if entry[1] in "abc"] == ["+a", "-a", "+b", "-b", "+c", "-c"]


async def test_who_has_as_many_as_may_be_holds_up_nobody_else() -> None:
    stage = Stage()
    async with TurnQueue(stage.run, caps=capped(of_one=1)) as queue:
        queue.submit(request(1, "a", 1, guild_id=1))
        queue.submit(request(2, "b", 1, guild_id=1))
        await stage.until("+a")
        queue.submit(request(2, "c", 2, guild_id=1))
        await stage.until("+c")
        stage.gate("c").set()
        await stage.until("-c")
        assert "+b" not in stage.log
        stage.gate("a").set()
        stage.gate("b").set()
    assert stage.log == ["+a", "+c", "-c", "-a", "+b", "-b"]


async def test_a_cap_that_was_taken_away_holds_nobody_from_the_next_turn_on() -> None:
    stage, chosen = Stage(), [Caps(in_all=1)]

    async def caps(_request: TurnRequest) -> Caps:
        return chosen[-1]

    async with TurnQueue(stage.run, caps=caps) as queue:
        for channel, name in enumerate("abc"):
            queue.submit(request(channel, name, guild_id=1))
        await stage.until("+a")
        chosen.append(Caps())
        queue.submit(request(9, "d", guild_id=1))
        await stage.until("+b", "+c", "+d")
        for name in "abcd":
            stage.gate(name).set()
    assert sorted(stage.log[:4]) == ["+a", "+b", "+c", "+d"]


async def test_a_held_question_can_be_withdrawn() -> None:
    stage, onlooker = Stage(), Onlooker()
    async with TurnQueue(stage.run, onlooker, capped(in_all=1)) as queue:
        queue.submit(request(1, "a", guild_id=1))
        queue.submit(request(2, "b", guild_id=1, question_id=5))
        await stage.until("+a")
        queue.withdraw(5)
        queue.submit(request(2, "c", guild_id=1))
        stage.gate("a").set()
        stage.gate("c").set()
    assert stage.log == ["+a", "-a", "+c", "-c"]
    assert len(onlooker.gone) == 1


async def test_a_channel_whose_last_held_question_was_withdrawn_is_held_no_longer() -> None:
    stage = Stage()
    async with TurnQueue(stage.run, caps=capped(in_all=1)) as queue:
        queue.submit(request(1, "a", guild_id=1))
        queue.submit(request(2, "b", guild_id=1, question_id=5))
        await stage.until("+a")
        queue.withdraw(5)
        stage.gate("a").set()
        async with asyncio.timeout(5):
            await queue.drained()
    assert stage.log == ["+a", "-a"]


async def test_when_no_more_are_taken_nobody_is_held_any_longer() -> None:
    """What waits when the bot ends is only told so, and there is little time."""
    stage = Stage()
    async with TurnQueue(stage.run, caps=capped(in_all=1)) as queue:
        for channel, name in enumerate("abc"):
            queue.submit(request(channel, name, guild_id=1))
        await stage.until("+a")
        queue.close()
        await stage.until("+b", "+c")
        for name in "abc":
            stage.gate(name).set()


async def test_no_turn_is_lost_where_the_caps_cannot_be_had() -> None:
    async def broken(_request: TurnRequest) -> Caps:
        raise RuntimeError("of ours")

    stage = Stage()
    stage.gate("a").set()
    async with TurnQueue(stage.run, caps=broken) as queue:
        queue.submit(request(1, "a", guild_id=1))
    assert stage.log == ["+a", "-a"]


@given(
    st.integers(0, 3),
    st.integers(0, 2),
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.5, 2.0]),
            st.integers(1, 3),  # by whom
            st.integers(1, 4),  # where; channels 3 and 4 are of another server
            st.sampled_from([0.0, 0.5, 3.0]),
            st.booleans(),  # withdrawn at once
        ),
        max_size=30,
    ),
)
def test_caps_hold_all_that_wait_come_to_their_turn_and_nothing_stands_idle(
    in_all: int, of_one: int, arrivals: list[tuple[float, int, int, float, bool]]
) -> None:
    async def main() -> None:
        running, ran, taken, seconds = list[TurnRequest](), list[str](), list[TurnRequest](), dict[str, float]()
        onlooker = Onlooker()

        def is_held_for_a_reason(waits: TurnRequest) -> bool:
            there = [other for other in running if other.guild_id == waits.guild_id]
            theirs = [other for other in there if other.asker_id == waits.asker_id]
            return bool(
                any(other.channel_id == waits.channel_id for other in running)
                or (in_all and len(there) == in_all)
                or (of_one and len(theirs) == of_one)
            )

        async def turn(given_request: TurnRequest) -> None:
            running.append(given_request)
            ran.append(given_request.run_id)
            theirs = [other for other in running if other.guild_id == given_request.guild_id]
            assert not in_all or len(theirs) <= in_all
            assert not of_one or sum(other.asker_id == given_request.asker_id for other in theirs) <= of_one
            await asyncio.sleep(seconds[given_request.turn_id])
            running.remove(given_request)

        async with TurnQueue(turn, onlooker, capped(in_all, of_one)) as queue:
            for number, (pause, by, where, lasts, gone) in enumerate(arrivals):
                await asyncio.sleep(pause)
                guild_id = 1 + (where > 2)
                given_request = request(where, f"t{number}", by, question_id=number, guild_id=guild_id)
                seconds[given_request.turn_id] = lasts
                if queue.submit(given_request):
                    taken.append(given_request)
                if gone:
                    queue.withdraw(number)
                await asyncio.sleep(0.01)  # what may begin has begun
                over = {*ran, *onlooker.gone}
                assert all(is_held_for_a_reason(waits) for waits in taken if waits.run_id not in over)
            await queue.drained()
        assert sorted(ran + onlooker.gone) == sorted(each.run_id for each in taken)

    run(main())

"""Messages in, questions out, on a clock that jumps."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.gateway.inbox.bursts import MOST_MESSAGES, MOST_WINDOWS
from bot.gateway.inbox.inbox import MOST_ARRIVED, Inbox
from tests.virtual_time import run


class Place(msgspec.Struct, frozen=True):
    id: int


class Message(msgspec.Struct, frozen=True):
    id: int
    author: Place
    channel: Place
    text: str

    def is_system(self) -> bool:
        return self.text == "(pinned)"


WAIT = 1.0


class Desk:
    """Judges by the text: what begins with "@" is for us. Writes down what was asked."""

    def __init__(self, judging: float = 0.0, asking: float = 0.0, wait: float = WAIT) -> None:
        self.asked: list[list[str]] = []
        self.questions: list[list[Message]] = []
        self.times: list[float] = []
        self.inbox = Inbox(self.judge, self.ask, self.stops)
        self._judging = judging
        self._asking = asking
        self._wait = wait
        self._last_id = 0

    def say(self, text: str, by: int = 7, channel: int = 1, message_id: int | None = None) -> Message:
        self._last_id += 1
        message = Message(message_id or self._last_id, Place(by), Place(channel), text)
        self.inbox.put(message)
        return message

    async def judge(self, message: Message) -> float | None:
        await asyncio.sleep(self._judging)
        if message.text == "@break":
            raise ZeroDivisionError
        return self._wait if message.text.startswith("@") else None

    async def ask(self, messages: Sequence[Message]) -> None:
        await asyncio.sleep(self._asking)
        if not messages:
            return
        self.asked.append([message.text for message in messages])
        self.questions.append(list(messages))
        self.times.append(round(asyncio.get_running_loop().time(), 3))

    def stops(self, message: Message) -> bool:
        if message.text == "break":
            raise ZeroDivisionError
        return message.text == "stop"


def asked(scenario: Callable[[Desk], Awaitable[None]], **options: float) -> Desk:
    async def main() -> Desk:
        desk = Desk(**options)
        async with desk.inbox:
            await scenario(desk)
        assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is left behind"
        return desk

    return run(main())


def test_messages_in_a_row_are_one_question() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@bot")
        await asyncio.sleep(0.6)
        desk.say("what is")
        await asyncio.sleep(0.6)
        desk.say("this?")
        await desk.inbox.drained()
        desk.say("not for us")
        await desk.inbox.drained()

    desk = asked(scenario)
    assert desk.asked == [["@bot", "what is", "this?"]]
    assert desk.times == [2.2]


def test_what_was_written_before_the_message_for_us_is_no_part_of_the_question() -> None:
    async def scenario(desk: Desk) -> None:
        for text in ("hello all", "@bot hi", "there"):
            desk.say(text)

    assert asked(scenario).asked == [["@bot hi", "there"]]


def test_what_discord_says_of_itself_is_no_part_of_it() -> None:
    async def scenario(desk: Desk) -> None:
        for text in ("@one", "(pinned)", "two"):
            desk.say(text)

    assert asked(scenario).asked == [["@one", "two"]]


def test_others_meanwhile_go_their_own_way() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@a1", by=7)
        desk.say("@b1", by=8)
        desk.say("chat", by=9)
        await asyncio.sleep(0.5)
        desk.say("a2", by=7)
        desk.say("@c1", by=7, channel=2)

    assert sorted(asked(scenario).asked) == [["@a1", "a2"], ["@b1"], ["@c1"]]


def test_questions_come_in_the_order_in_which_their_bursts_close() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@a1", by=7)
        await asyncio.sleep(0.1)
        desk.say("@b1", by=8)
        await asyncio.sleep(0.1)
        desk.say("a2", by=7)
        await desk.inbox.drained()

    assert asked(scenario).asked == [["@b1"], ["@a1", "a2"]]


def test_without_a_wait_each_message_is_a_question_at_once() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@one")
        desk.say("@two")
        await desk.inbox.drained()

    desk = asked(scenario, wait=0.0)
    assert (desk.asked, desk.times) == ([["@one"], ["@two"]], [0.0, 0.0])


def test_a_slow_judge_changes_nothing_about_what_is_one_question() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@one")
        await asyncio.sleep(0.9)
        desk.say("of one")
        await asyncio.sleep(1.1)
        desk.say("@two")
        await desk.inbox.drained()

    assert asked(scenario, judging=5.0, asking=3.0).asked == [["@one", "of one"], ["@two"]]


def test_a_message_that_comes_twice_counts_once() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@one", message_id=5)
        desk.say("@one", message_id=5)
        await desk.inbox.drained()
        desk.say("@one", message_id=5)

    assert asked(scenario).asked == [["@one"]]


def test_a_stop_word_within_it_cancels_it() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@one")
        desk.say("and")
        desk.say("stop")
        desk.say("no question", by=8)
        await asyncio.sleep(0)
        desk.say("@two", by=8)

    assert asked(scenario).asked == [["@two"]]


@pytest.mark.parametrize(
    ("deleted", "left"),
    [([1], []), ([2], [["@one", "three"]]), ([1, 2, 3], []), ([2, 3], [["@one"]]), ([9], [["@one", "two", "three"]])],
)
def test_deleted_messages_leave_it(deleted: list[int], left: list[list[str]]) -> None:
    async def scenario(desk: Desk) -> None:
        for text in ("@one", "two", "three"):
            desk.say(text)
        await asyncio.sleep(0.5)
        for message_id in deleted:
            desk.inbox.deleted(1, message_id)

    assert asked(scenario).asked == left


def test_where_the_first_one_for_us_is_deleted_a_later_one_counts() -> None:
    async def scenario(desk: Desk) -> None:
        for text in ("@one", "two", "@three", "four"):
            desk.say(text)
        await asyncio.sleep(0.5)
        desk.inbox.deleted(1, 1)

    assert asked(scenario).asked == [["@three", "four"]]


def test_a_message_that_is_deleted_while_it_is_judged_is_no_question() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@one")
        await asyncio.sleep(0.5)
        desk.inbox.deleted(1, 1)

    assert asked(scenario, judging=1.0).asked == []


@pytest.mark.parametrize(("judging", "after"), [(0.0, 0.0), (0.0, 0.5), (1.0, 0.5)], ids=["new", "waiting", "judged"])
def test_the_edited_text_counts(judging: float, after: float) -> None:
    async def scenario(desk: Desk) -> None:
        old = desk.say("@one")
        await asyncio.sleep(after)
        assert desk.inbox.edited(msgspec.structs.replace(old, text="@two"))
        await desk.inbox.drained()
        assert not desk.inbox.edited(old)

    assert asked(scenario, judging=judging).asked == [["@two"]]


def test_what_breaks_with_one_message_harms_no_other() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@break", by=8)
        desk.say("@one")

    assert asked(scenario).asked == [["@one"]]


def test_the_end_asks_at_once_what_is_open_and_takes_no_more() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@one")
        await asyncio.sleep(0.5)
        desk.say("@two", by=8)
        await desk.inbox.close()
        assert not desk.inbox.put(Message(99, Place(7), Place(1), "@late"))

    desk = asked(scenario)
    assert (desk.asked, desk.times) == ([["@one"], ["@two"]], [0.5, 0.5])


def test_after_an_error_outside_nothing_more_is_asked() -> None:
    async def main() -> list[list[str]]:
        desk = Desk()
        with suppress(ZeroDivisionError):
            async with desk.inbox:
                desk.say("@one")
                await asyncio.sleep(0.5)
                raise ZeroDivisionError
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return desk.asked

    assert run(main()) == []


def test_a_raid_is_bounded() -> None:
    async def scenario(desk: Desk) -> None:
        for number in range(MOST_ARRIVED + 5):
            desk.say("@raid", by=number)
        await desk.inbox.drained()

    assert len(asked(scenario, wait=0.0).asked) == MOST_ARRIVED


# ---------------------------------------------------------------------------------------------------------------- laws

Event = tuple[float, int, int, bool]
EVENTS = st.lists(
    st.tuples(
        st.sampled_from([0.0, 0.3, 0.99, 1.0, 1.01, 4.0]),  # seconds after the one before
        st.integers(1, 3),  # by whom
        st.integers(1, 2),  # where
        st.booleans(),  # for us?
    ),
    max_size=40,
)
SLOW = st.sampled_from([0.0, 0.2, 2.0])


async def said(desk: Desk, events: list[Event]) -> AsyncIterator[Message]:
    for pause, by, channel, is_for_us in events:
        await asyncio.sleep(pause)
        yield desk.say("@" if is_for_us else "", by, channel)


@given(EVENTS, SLOW, SLOW)
def test_every_message_for_us_is_in_exactly_one_question_and_none_is_in_two(
    events: list[Event], judging: float, asking: float
) -> None:
    for_us: set[int] = set()

    async def scenario(desk: Desk) -> None:
        async for message in said(desk, events):
            for_us.update({message.id} if message.text == "@" else ())

    desk = asked(scenario, judging=judging, asking=asking)
    in_questions = [message.id for question in desk.questions for message in question]
    assert len(in_questions) == len(set(in_questions))
    assert for_us <= set(in_questions)
    for question in desk.questions:
        assert question[0].text == "@"
        assert len({(message.author, message.channel) for message in question}) == 1
        assert [message.id for message in question] == sorted(message.id for message in question)
        assert len(question) <= MOST_MESSAGES


@given(EVENTS, SLOW, SLOW)
def test_the_same_messages_are_the_same_questions_however_slow_the_desk_is(
    events: list[Event], judging: float, asking: float
) -> None:
    async def scenario(desk: Desk) -> None:
        async for _ in said(desk, events):
            pass
        await desk.inbox.drained()

    def in_channel(channel: int, **options: float) -> list[list[int]]:
        questions = asked(scenario, **options).questions
        return [[message.id for message in question] for question in questions if question[0].channel.id == channel]

    for channel in (1, 2):
        assert in_channel(channel, judging=judging, asking=asking) == in_channel(channel)


@given(st.lists(st.sampled_from([0.0, 0.3, 0.99]), min_size=1, max_size=30))
def test_who_goes_on_writing_is_asked_for_after_the_last_window(pauses: list[float]) -> None:
    async def scenario(desk: Desk) -> None:
        for pause in pauses:
            desk.say("@")
            await asyncio.sleep(pause)
        await desk.inbox.drained()

    assert asked(scenario).times[0] <= MOST_WINDOWS * WAIT


@pytest.mark.parametrize(
    ("deleted", "asked_then"),
    [
        pytest.param("@one", [], id="the one that was for us: the others are not, by themselves"),
        pytest.param("two", [["@one", "three"]], id="one of the others"),
        pytest.param("three", [["@one", "two"]], id="the last one"),
    ],
)
def test_what_is_deleted_while_the_question_is_being_asked_is_no_part_of_it(
    deleted: str, asked_then: list[list[str]]
) -> None:
    async def scenario(desk: Desk) -> None:
        said = {text: desk.say(text) for text in ("@one", "two", "three")}
        await asyncio.sleep(WAIT + 0.5)
        desk.inbox.deleted(1, said[deleted].id)
        await desk.inbox.drained()

    assert asked(scenario, asking=1.0).asked == asked_then


def test_what_is_edited_while_the_question_is_being_asked_counts_as_it_is_now() -> None:
    async def scenario(desk: Desk) -> None:
        said = desk.say("@cats?")
        await asyncio.sleep(WAIT + 0.5)
        assert desk.inbox.edited(msgspec.structs.replace(said, text="@dogs?"))
        await desk.inbox.drained()
        assert not desk.inbox.edited(msgspec.structs.replace(said, text="@mice?")), "it is asked"

    assert asked(scenario, asking=1.0).asked == [["@dogs?"]]


def test_who_stops_while_the_question_is_being_asked_stops_it() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@one")
        await asyncio.sleep(WAIT + 0.5)
        assert not desk.inbox.cancel(8, 1), "somebody else"
        assert desk.inbox.cancel(7, 1)
        await desk.inbox.drained()

    assert asked(scenario, asking=1.0).asked == []


def test_a_message_in_a_burst_that_breaks_harms_no_other() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@one")
        desk.say("break")
        desk.say("@two", by=8)
        await desk.inbox.drained()

    assert asked(scenario).asked == [["@one"], ["@two"]]


def test_what_hangs_can_be_abandoned() -> None:
    async def scenario(desk: Desk) -> None:
        desk.say("@one")
        desk.say("@two", channel=2)
        await asyncio.sleep(WAIT + 0.5)
        desk.inbox.abandon()
        assert not desk.inbox.put(desk.say("@three"))
        async with asyncio.timeout(1):
            await desk.inbox.drained()

    assert asked(scenario, asking=3600.0).asked == []

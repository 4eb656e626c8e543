"""The turn machine: its table has no holes, and a turn ends once, in the way its inputs say."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    Closing,
    DoneChunk,
    Endpoint,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    ProviderError,
    TextChunk,
    TextPart,
    ThoughtLogEntry,
    ThoughtPart,
    Usage,
)
from bot.turn import machine as m


def empty(finish: FinishReason) -> ErrorChunk:
    return ErrorChunk(ProviderError(ErrorReason.EMPTY_REPLY, "nothing"), finish=finish)


CALL = FunctionCall("c1", "get_weather", {"city": "Oslo"})
THOUGHT = TextChunk(thoughts=(ThoughtLogEntry("hm"),))
INPUTS: list[m.Input] = [
    TextChunk(content="Hi"),
    TextChunk(content=" "),
    THOUGHT,
    FunctionCallChunk(CALL),
    ErrorChunk(ProviderError(ErrorReason.SERVER, "boom")),
    ErrorChunk(ProviderError(ErrorReason.IDLE, "silence")),
    DoneChunk(FinishReason.STOP),
    DoneChunk(FinishReason.LENGTH),
    m.Prepared(),
    m.STOPPED,
    m.DEADLINE,
    m.SUPERSEDED,
    m.ToolResult("c1"),
    m.Delivered(),
]


def test_every_state_answers_every_input() -> None:
    assert set(m.TABLE) == set(m.State)
    for state, rules in m.TABLE.items():
        assert set(rules) == set(get_args(m.Input)), state


def fed(*inputs: m.Input) -> tuple[m.TurnMachine, list[m.Effect]]:
    machine = m.TurnMachine()
    return machine, [effect for given_input in inputs for effect in machine.handle(given_input)]


def test_a_plain_answer_is_shown_and_completed() -> None:
    machine, effects = fed(
        m.Prepared(),
        TextChunk("Hel"),
        TextChunk("lo"),
        DoneChunk(FinishReason.STOP, Closing("stop", Usage(1, 2), "a")),
        m.Delivered(),
    )
    assert effects == [m.StartAttempt(), m.ShowText("Hel"), m.ShowText("lo"), m.Finish(m.Status.COMPLETED)]
    assert (machine.state, machine.status, machine.notice) == (m.State.ENDED, m.Status.COMPLETED, None)
    assert (machine.serving_provider, machine.usage) == ("a", Usage(1, 2))


def test_text_that_was_a_thought_is_taken_back() -> None:
    """The answer begins with what follows; the record knows which is which."""
    machine, effects = fed(
        m.Prepared(),
        TextChunk("So, two and two"),
        TextChunk("", (ThoughtLogEntry("", takes_back=True),)),
        TextChunk("Four."),
        DoneChunk(FinishReason.STOP),
    )
    assert effects[1:] == [
        m.ShowText("So, two and two"),
        m.TakeBack(),
        m.ShowText("Four."),
        m.Finish(m.Status.COMPLETED),
    ]
    assert machine.record.message(Endpoint().origin("p", "m")).parts == (
        ThoughtPart("So, two and two"),
        TextPart("Four."),
    )


def test_thoughts_are_shown_apart_from_the_text_in_the_order_in_which_they_came() -> None:
    _, effects = fed(
        m.Prepared(),
        TextChunk("Two", (ThoughtLogEntry("Let me "), ThoughtLogEntry("see."))),
        TextChunk("", (ThoughtLogEntry("", takes_back=True), ThoughtLogEntry("So two."))),
    )
    assert effects[1:] == [
        m.ShowThoughts("Let me "),
        m.ShowThoughts("see."),
        m.ShowText("Two"),
        m.TakeBack(),
        m.ShowThoughts("So two."),
    ]


def test_who_stopped_it_is_known() -> None:
    machine, _ = fed(m.Prepared(), m.Stop(m.Status.STOPPED, "notice-stopped", by="Ada"))
    assert (machine.status, machine.stopped_by) == (m.Status.STOPPED, "Ada")


@pytest.mark.parametrize(
    ("inputs", "status", "notice"),
    [
        ([empty(FinishReason.STOP)], m.Status.EMPTY, "notice-empty"),
        ([THOUGHT, empty(FinishReason.STOP)], m.Status.EMPTY, "notice-only-thoughts"),
        ([THOUGHT, empty(FinishReason.LENGTH)], m.Status.EMPTY, "notice-thoughts-too-long"),
        ([empty(FinishReason.LENGTH)], m.Status.EMPTY, "notice-length"),
        ([TextChunk(content="a"), DoneChunk(FinishReason.LENGTH)], m.Status.COMPLETED, "notice-length"),
        ([TextChunk(content="a"), DoneChunk(FinishReason.INCOMPLETE)], m.Status.COMPLETED, "notice-incomplete"),
        ([TextChunk(content="a"), DoneChunk(FinishReason.CONTENT_FILTER)], m.Status.COMPLETED, "notice-filtered"),
        ([TextChunk(content="a"), INPUTS[4]], m.Status.ERROR, None),
        ([INPUTS[4]], m.Status.ERROR, None),
        ([TextChunk(content="a"), INPUTS[5]], m.Status.TIMEOUT, None),
        ([TextChunk(content="a"), m.STOPPED], m.Status.STOPPED, "notice-stopped"),
        ([TextChunk(content="a"), m.SUPERSEDED], m.Status.SUPERSEDED, "notice-superseded"),
        ([m.WITHDRAWN], m.Status.STOPPED, None),
        ([m.DEADLINE], m.Status.TIMEOUT, "notice-timeout"),
        ([m.RESTARTING], m.Status.STOPPED, "notice-restarting"),
    ],
)
def test_what_the_inputs_say_is_how_the_turn_ends(inputs: list[m.Input], status: m.Status, notice: str | None) -> None:
    machine, effects = fed(m.Prepared(), *inputs)
    assert effects[-1] == m.Finish(status)
    assert (machine.state, machine.status, machine.notice) == (m.State.FINISHING, status, notice)


def test_calls_run_when_the_round_is_done_and_lead_to_the_next_one() -> None:
    other = FunctionCall("c2", "list_rooms", {})
    machine, effects = fed(
        m.Prepared(),
        TextChunk(content="One moment."),
        FunctionCallChunk(CALL),
        FunctionCallChunk(other),
        DoneChunk(FinishReason.TOOL_CALLS),
    )
    assert effects[-2:] == [m.RunCall(CALL), m.RunCall(other)]
    assert machine.state is m.State.TOOLING
    assert machine.handle(m.ToolResult("c2")) == ()
    assert machine.handle(m.ToolResult("c1")) == (m.PrepareAgain(),)
    assert machine.handle(m.Prepared()) == (m.StartAttempt(),)


@given(st.lists(st.sampled_from(INPUTS), max_size=30))
def test_whatever_comes_a_turn_finishes_at_most_once_and_shows_nothing_after(inputs: list[m.Input]) -> None:
    machine, effects = fed(*inputs)
    finishes = [at for at, effect in enumerate(effects) if isinstance(effect, m.Finish)]
    assert len(finishes) <= 1
    assert not finishes or finishes[0] == len(effects) - 1
    assert (machine.status is not None) == bool(finishes)


@given(st.lists(st.sampled_from(INPUTS), max_size=30))
def test_every_character_that_came_while_listening_is_shown(inputs: list[m.Input]) -> None:
    machine = m.TurnMachine()
    for given_input in inputs:
        listening = machine.state in (m.State.WAITING, m.State.STREAMING)
        effects = machine.handle(given_input)
        if listening and isinstance(given_input, TextChunk) and given_input.content:
            assert effects == (m.ShowText(given_input.content),)

"""What a turn does with calls that must not run: each is answered, and after a few rounds no more is tried."""

from __future__ import annotations

import pytest

from adapters.contract import MalformedCall, TextPart, ToolResult
from adapters.tool_calls.corrections import CUT_OFF, Corrections


def malformed(
    problem: str = "city: required, and missing (a string)", raw: str = "{}", call_id: str = "a"
) -> MalformedCall:
    return MalformedCall(call_id, "get_weather", raw, problem)


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (
            "city: required, and missing (a string)",
            "The call was not run: city: required, and missing (a string). Send it again, corrected.",
        ),
        (
            'there is no tool "x". Did you mean "y"?',
            'The call was not run: there is no tool "x". Did you mean "y"? Send it again, corrected.',
        ),
        (
            f"{CUT_OFF} before the arguments",
            "The call was not run: the answer was cut off before the arguments. Send it again with shorter arguments, or in "
            "several smaller calls.",
        ),
    ],
)
def test_the_model_reads_what_was_wrong_and_what_to_do(problem: str, text: str) -> None:
    result = Corrections().answer(malformed(problem, call_id="call_7"))
    assert result == ToolResult("call_7", "get_weather", (TextPart(text),), is_error=True)


def run(corrections: Corrections, *rounds: list[MalformedCall]) -> list[bool]:
    """Whether it was exhausted after each round."""
    after = []
    for calls in rounds:
        corrections.begin_round()
        for call in calls:
            corrections.answer(call)
        after.append(corrections.exhausted)
    return after


def test_three_rounds_are_corrected_and_the_fourth_ends_it() -> None:
    assert run(Corrections(), *([malformed(raw=str(nr))] for nr in range(4))) == [False, False, False, True]


def test_a_round_counts_once_however_many_calls_fail_in_it() -> None:
    assert run(Corrections(), [malformed(raw=str(nr)) for nr in range(9)]) == [False]


def test_rounds_without_a_fault_do_not_count() -> None:
    assert run(Corrections(rounds=1), [malformed(raw="1")], [], [], [malformed(raw="2")]) == [False, False, False, True]


def test_the_same_fault_in_two_rounds_ends_it() -> None:
    assert run(Corrections(), [malformed()], [malformed(call_id="b")]) == [False, True]


def test_the_same_fault_twice_in_one_round_is_one_mistake() -> None:
    """The model has not been told yet."""
    assert run(Corrections(), [malformed(call_id="a"), malformed(call_id="b")]) == [False]


@pytest.mark.parametrize("other", [malformed(raw='{"City": 1}'), malformed(problem="city: 5 is not a string")])
def test_another_mistake_is_not_the_same(other: MalformedCall) -> None:
    assert run(Corrections(), [malformed()], [other]) == [False, False]


def test_a_call_that_comes_after_the_end_is_answered_too() -> None:
    """Every call has a result, or the provider refuses the conversation."""
    corrections = Corrections(rounds=0)
    corrections.begin_round()
    assert [corrections.answer(malformed(call_id=each)).call_id for each in "abc"] == ["a", "b", "c"]
    assert corrections.exhausted

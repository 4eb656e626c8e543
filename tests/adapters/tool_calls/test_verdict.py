"""Whether a call may run: only what is provably whole, and fits the tool that it names."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import FunctionCall, MalformedCall, ToolSpec
from adapters.tool_calls.corrections import CUT_OFF
from adapters.tool_calls.verdict import Verdicts


def tool(name: str, *required: str, **properties: Any) -> ToolSpec:
    return ToolSpec(name, "", {"type": "object", "properties": properties, "required": list(required)})


STRING, NUMBER = {"type": "string"}, {"type": "integer"}
WEATHER = tool("get_weather", "city", city=STRING, days=NUMBER, unit={"enum": ["celsius", "fahrenheit"]})
ROOMS = tool("list_rooms")
OFFERED = Verdicts((WEATHER, ROOMS))
UNKNOWN = Verdicts()
"""Nobody knows which tools there are."""


def judged(raw: str, name: str = "get_weather", *, by: Verdicts = OFFERED, ended: bool = True) -> Any:
    """The arguments of a call that may run, or the problem of one that must not."""
    call = by.judge("c", name, raw, {"signature": "s"}, ended=ended)
    assert (call.id, call.opaque) == ("c", {"signature": "s"})
    if isinstance(call, MalformedCall):
        assert call.raw_arguments == raw
        return call.problem
    return call.args


def notes_of(raw: str, name: str = "get_weather") -> tuple[str, ...]:
    call = OFFERED.judge("c", name, raw, ended=True)
    assert isinstance(call, FunctionCall)
    return call.notes


OSLO = {"city": "Oslo"}


@pytest.mark.parametrize("by", [OFFERED, UNKNOWN])
@pytest.mark.parametrize(
    "raw",
    [
        pytest.param('{"city": "Oslo"}', id="strict"),
        pytest.param('"{\\"city\\": \\"Oslo\\"}"', id="encoded twice"),
        pytest.param('{"city": "Oslo",}', id="a comma too much"),
        pytest.param("{'city': 'Oslo'}", id="single quotes"),
        pytest.param("{“city”: “Oslo”}", id="smart quotes"),
        pytest.param('```json\n{"city": "Oslo"}\n```', id="in a code fence"),
    ],
)
def test_what_can_be_read_in_one_way_only_runs(raw: str, by: Verdicts) -> None:
    assert judged(raw, by=by) == OSLO


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param('{"city": "Oslo"}xx', id="text behind it"),
        pytest.param('{"city": "Oslo"}}', id="a bracket too much"),
        pytest.param('{"city": "Oslo"', id="a bracket too few"),
        pytest.param('functions.get_weather:0 {"city": "Oslo"}', id="text before it"),
        pytest.param('{"town": "Oslo"}{"city": "Oslo"}', id="two objects, of which one fits"),
    ],
)
def test_some_repairs_want_a_schema_to_vouch_for_them(raw: str) -> None:
    assert judged(raw) == OSLO
    assert isinstance(judged(raw, by=UNKNOWN), str)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param('{"city": "Os', id="a string that is not closed"),
        pytest.param(
            '{"city": "Oslo", "unit": "celsius', id="a string that is not closed, though it is one of the options"
        ),
        pytest.param('{"city": "Oslo", "days": 1', id="a number that may go on"),
        pytest.param('{"city": Oslo"}', id="garbage"),
        pytest.param('{"city": "Oslo"}{"city": "Lima"}', id="two objects that fit"),
        pytest.param("[1, 2]", id="a list"),
        pytest.param('"Oslo"', id="a string"),
        pytest.param('{"city": 5e999}', id="a number that none can hold"),
    ],
)
@pytest.mark.parametrize("by", [OFFERED, UNKNOWN])
def test_what_leaves_a_doubt_does_not_run(raw: str, by: Verdicts) -> None:
    assert isinstance(judged(raw, by=by), str)


@pytest.mark.parametrize("raw", ['{"city": "Oslo"', '{"city": "Oslo', '{"city"', "{", '{"city": "Oslo", "days": 1'])
def test_nothing_is_closed_for_a_call_that_was_cut_off(raw: str) -> None:
    assert "cut off" in judged(raw, ended=False)
    assert "cut off" in judged(raw, by=UNKNOWN, ended=False)


def test_an_object_that_a_cut_answer_closed_is_a_cut_one_where_something_is_missing() -> None:
    """Some servers close it themselves."""
    assert judged('{"days": 1}', ended=False).startswith(CUT_OFF)
    assert not judged('{"days": 1}').startswith(CUT_OFF)


def test_a_call_that_was_whole_before_the_cut_runs() -> None:
    assert judged('{"city": "Oslo"}', ended=False) == OSLO


def test_no_arguments_are_none_where_the_tool_needs_none() -> None:
    for raw in ("", "  \n", "null", "{}"):
        assert judged(raw, "list_rooms") == {}
        assert judged(raw, "anything", by=UNKNOWN) == {}
        assert "city" in judged(raw)
    assert "cut off" in judged("", "list_rooms", ended=False)


def test_the_problem_names_what_is_wrong_and_what_would_be_right() -> None:
    problem = judged('{"days": "soon"}')
    assert all(word in problem for word in ("city", "days", "integer", "soon"))
    assert "Lima" not in problem


def test_a_value_of_another_type_counts_where_nothing_is_lost_by_it_and_is_told() -> None:
    assert judged('{"city": "Oslo", "days": "3"}') == {"city": "Oslo", "days": 3}
    assert any("days" in note for note in notes_of('{"city": "Oslo", "days": "3"}'))
    assert isinstance(judged('{"city": "Oslo", "days": "3.5"}'), str)


def test_what_was_mended_is_told() -> None:
    assert notes_of('{"city": "Oslo"}') == ()
    assert len(notes_of('{"city": "Oslo",}')) == 1


def test_a_name_is_led_back_to_the_tool_and_told() -> None:
    call = OFFERED.judge("c", "functions.get_weather", '{"city": "Oslo"}', ended=True)
    assert isinstance(call, FunctionCall)
    assert (call.name, call.args) == ("get_weather", OSLO)
    assert "functions.get_weather" in call.notes[0]


def test_a_tool_that_is_not_offered_does_not_run() -> None:
    """The problem names those that are; without any on offer there is nothing to hold the name against."""
    problem = judged('{"q": "tides"}', "web_search")
    assert all(name in problem for name in ("web_search", "get_weather", "list_rooms"))
    assert judged('{"q": "tides"}', "web_search", by=UNKNOWN) == {"q": "tides"}
    assert isinstance(judged("{}", "", by=UNKNOWN), str)


def test_arguments_that_came_field_by_field_take_the_types_of_the_schema() -> None:
    call = OFFERED.judge_fields("c", "get_weather", {"city": "7", "days": "3"})
    assert isinstance(call, FunctionCall)
    assert call.args == {"city": "7", "days": 3}
    bad = OFFERED.judge_fields("c", "get_weather", {"days": "3"})
    assert isinstance(bad, MalformedCall)
    assert json.loads(bad.raw_arguments) == {"days": "3"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), b"x", {1: 2}, {"\ud800": 1}])
def test_fields_that_no_json_can_hold_do_not_run(value: Any) -> None:
    assert isinstance(OFFERED.judge_fields("c", "get_weather", {"city": value}), MalformedCall)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_what_parses_is_never_changed(args: dict[str, Any]) -> None:
    assert judged(json.dumps(args), by=UNKNOWN) == args


@given(st.dictionaries(st.text(), JSON, max_size=4), st.data())
def test_a_call_that_was_cut_off_anywhere_never_runs(args: dict[str, Any], data: st.DataObject) -> None:
    raw = json.dumps(args)
    cut = raw[: data.draw(st.integers(0, len(raw) - 1))]
    assert isinstance(judged(cut, by=UNKNOWN, ended=False), str)


@given(st.text())
def test_any_text_gets_a_verdict(raw: str) -> None:
    for by in (OFFERED, UNKNOWN):
        for ended in (True, False):
            by.judge("c", "get_weather", raw, ended=ended)

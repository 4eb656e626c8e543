"""Which offered tool a call means, for names as models and servers have sent them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.tool_calls.names import MAX_CHARS, resolve_name, unknown_tool
from tests.shared import SHARED

TOOLS = ("read", "write", "exec")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("read", "read"),
        (" read ", "read"),
        ('"read"', "read"),
        ("`read`", "read"),
        ("read()", "read"),
        ("re\u200bad", "read"),
        ("read<|channel|>commentary", "read"),
        ("read<｜tool▁sep｜>", "read"),
        ("[TOOL_CALLS]read", "read"),
        ("functions.read", "read"),
        ("functions_read", "read"),
        ("functions::read", "read"),
        ("function read", "read"),
        ("tools/exec", "exec"),
        ("default_api.read", "read"),
        ("default_api:read", "read"),
        (".functions.read:0", "read"),
        ("read:0", "read"),
        ("read2", "read"),
        ("read_12", "read"),
        ("functions.read:0", "read"),
        ("functionsread3", "read"),
        ("a.b.read", "read"),
        ("server/read", "read"),
        ("READ", "read"),
        ("Functions.Read", "read"),
    ],
)
def test_a_habit_or_a_leak_around_the_name_is_seen_through(name: str, meant: str) -> None:
    assert resolve_name(name, "call_1", TOOLS) == meant


@pytest.mark.parametrize(
    ("name", "offered", "meant"),
    [
        ("get-weather", "get_weather", "get_weather"),
        ("get_weather", "get-weather", "get-weather"),
        ("getWeather", "get_weather", "get_weather"),
        ("get_weather", "getWeather", "getWeather"),
        ("GetWeather", "get_weather", "get_weather"),
        ("functions.getWeather:3", "get_weather", "get_weather"),
        ("graph.search", "graph.search search", "graph.search"),
        ("functions.graph.search", "graph.search search", "graph.search"),
        ("x.graph.search", "graph.search search", "graph.search"),
        ("exec2", "exec exec2", "exec2"),
        ("functions", "functions", "functions"),
    ],
)
def test_the_closest_reading_wins(name: str, offered: str, meant: str) -> None:
    assert resolve_name(name, "", offered.split()) == meant


@pytest.mark.parametrize(
    ("name", "offered"),
    [
        ("READ", "Read rEAD"),
        ("read/write", "read write exec"),
        ("read.write.exec", "read write exec"),
        ("read write", "read write exec"),
        ("functions.exec2", "exec exec2"),
        ("get-weather", "get_weather GET_WEATHER"),
    ],
)
def test_a_name_that_could_be_two_tools_is_none(name: str, offered: str) -> None:
    assert resolve_name(name, "", offered.split()) is None


@pytest.mark.parametrize(
    "name", ["foo", "BASH", "mcp__x__read", "reader", "bread", "functions.", "toolread", "read" * MAX_CHARS]
)
def test_another_word_is_no_tool(name: str) -> None:
    """No aliases of other systems either."""
    assert resolve_name(name, "", TOOLS) is None


@pytest.mark.parametrize(
    ("call_id", "meant"),
    [
        ("functions.read:0", "read"),
        ("functionswrite4", "write"),
        ("tool_read_2", "read"),
        ("read", "read"),
        ("call_0", None),
        ("", None),
        ("x" * 10_000, None),
    ],
)
@pytest.mark.parametrize("name", ["", "  ", "\u200b"])
def test_a_blank_name_is_read_out_of_the_id(name: str, call_id: str, meant: str | None) -> None:
    assert resolve_name(name, call_id, TOOLS) == meant


def test_a_made_up_id_does_not_mean_a_tool_called_call() -> None:
    assert resolve_name("", "call_0", ["call"]) is None


@pytest.mark.parametrize(("name", "meant"), [("someOtherTool", None), ("read", "read")])
def test_an_id_never_overrides_a_name(name: str, meant: str | None) -> None:
    assert resolve_name(name, "functionswrite4", TOOLS) == meant


@given(st.text(max_size=40), st.text(max_size=20), st.lists(st.text(min_size=1, max_size=10), max_size=4, unique=True))
def test_whatever_comes_the_answer_is_an_offered_tool_or_none(name: str, call_id: str, offered: list[str]) -> None:
    meant = resolve_name(name, call_id, offered)
    assert meant is None or meant in offered
    assert name not in offered or meant == name


@pytest.mark.parametrize(
    ("name", "offered", "problem"),
    [
        (
            "web_search",
            ["list_rooms", "get_weather"],
            'there is no tool "web_search". Available: get_weather, list_rooms',
        ),
        (
            "get_wether",
            ["get_weather"],
            'there is no tool "get_wether". Did you mean "get_weather"? Available: get_weather',
        ),
        ("x", [], 'there is no tool "x"; no tools are available'),
    ],
)
def test_the_model_is_told_which_tools_there_are(name: str, offered: list[str], problem: str) -> None:
    assert unknown_tool(name, offered) == problem


def test_of_many_tools_some_are_told() -> None:
    problem = unknown_tool("x" * 100_000, [f"tool_{nr:03}_{'y' * 1000}" for nr in range(1000)])
    assert len(problem) < 4000
    assert problem.endswith("and 960 more")


def test_names_of_the_collected_cases_resolve() -> None:
    path = SHARED / "cases" / "cases.jsonl"
    if not path.exists():
        pytest.skip(f"no cases at {path}; PARLEY_SHARED names another folder")
    cases = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    rows = [case for case in cases if case["input"].get("kind") == "tool_names"]
    assert rows
    for case in rows:
        found = [resolve_name(name, "", case["input"]["offered"]) for name in case["input"]["received"]]
        assert found == case["expected"]["resolved"]

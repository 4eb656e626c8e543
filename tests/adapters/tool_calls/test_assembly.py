"""Tool calls out of streamed fragments, in every way that servers number and name them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import FunctionCall, MalformedCall
from adapters.tool_calls.assembly import ToolCallAssembly
from adapters.tool_calls.verdict import Call, Verdicts
from tests.adapters.cuts import cut_at, places


def made_ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"made-{next(numbers)}"


def fragment(index: int | None = None, call_id: str = "", name: str = "", arguments: object = None) -> dict[str, Any]:
    return {"index": index, "call_id": call_id, "name": name, "arguments": arguments}


def assemble(*fragments: dict[str, Any], ended: bool = True) -> list[Call]:
    assembly = ToolCallAssembly(Verdicts(make_id=made_ids()))
    for each in fragments:
        assembly.add(**each)
    return [without_notes(call) for call in assembly.finish(ended=ended)]


def without_notes(call: Call) -> Call:
    return msgspec.structs.replace(call, notes=()) if isinstance(call, FunctionCall) else call


A = FunctionCall("a", "get", {"x": 1})
B = FunctionCall("b", "put", {"y": 2})

f = fragment


@pytest.mark.parametrize(
    ("fragments", "expected"),
    [
        pytest.param([f(0, "a", "get", ""), f(0, "", "", '{"x"'), f(0, "", "", ": 1}")], [A], id="as documented"),
        pytest.param(
            [f(0, "a", "get", '{"x"'), f(1, "b", "put", '{"y":'), f(1, "", "", "2}"), f(0, "", "", ":1}")],
            [A, B],
            id="two calls interleaved",
        ),
        pytest.param([f(3, "a", "get", '{"x":1}')], [A], id="index does not begin at 0"),
        pytest.param([f(None, "a", "get", '{"x"'), f(None, "", "", ":1}")], [A], id="no index"),
        pytest.param(
            [f(None, "a", "get", '{"x":1}'), f(None, "b", "put", '{"y":2}')], [A, B], id="no index, one fragment a call"
        ),
        pytest.param(
            [f(None, "a", "get", '{"x"'), f(None, "b", "put", '{"y"'), f(None, "a", "", ":1}"), f(None, "b", "", ":2}")],
            [A, B],
            id="no index, matched by id",
        ),
        pytest.param([f(0, "a", "get", '{"x":1}'), f(0, "b", "put", '{"y":2}')], [A, B], id="all index 0, other ids"),
        pytest.param(
            [f(0, "a", "get", '{"x"'), f(0, "", "", ":1}"), f(0, "b", "put", '{"y"'), f(0, "", "", ":2}")],
            [A, B],
            id="all index 0, fragments",
        ),
        pytest.param(
            [f(0, "a", "get", '{"x"'), f(0, "a", "get", ":1"), f(0, "a", "get", "}")], [A], id="id and name repeated"
        ),
        pytest.param([f(0, "a", "get", '{"x"'), f(0, "", "get", ":1}")], [A], id="name repeated"),
        pytest.param([f(0, "a", "get", '{"x"'), f(0, "other", "", ":1}")], [A], id="another id with every fragment"),
        pytest.param(
            [f(0, "a", "get", '{"x"'), f(0, "other", "get", ":1}")], [A], id="another id and the name with every fragment"
        ),
        pytest.param([f(0, "a", "g", ""), f(0, "", "et", ""), f(0, "", "", '{"x":1}')], [A], id="name in two pieces"),
        pytest.param([f(0, "a", "g", ""), f(0, "", "get", '{"x":1}')], [A], id="name grows"),
        pytest.param([f(0, "", "get", ""), f(0, "a", "", '{"x":1}')], [A], id="id comes late"),
        pytest.param([f(0, "a", "get", {"x": 1})], [A], id="arguments as an object"),
        pytest.param([f(0, "a", "get", '{"x":1}'), f(0, "a", "", '{"x":1}')], [A], id="the whole arguments again"),
        pytest.param([f(0, "a", "get", '{"x"'), f(0, "a", "", ":1}"), f(0, "a", "get", '{"x":1}')], [A], id="fragments, then the whole"),
        pytest.param(
            [f(None, "", "get", '{"x":1}'), f(None, "", "put", '{"y":2}')],
            [FunctionCall("made-1", "get", {"x": 1}), FunctionCall("made-2", "put", {"y": 2})],
            id="neither index nor id",
        ),
        pytest.param(
            [f(0, "", "get", '{"x":1}'), f(0, "", "get", '{"x":1}')],
            [FunctionCall("made-1", "get", {"x": 1}), FunctionCall("made-2", "get", {"x": 1})],
            id="all index 0, no ids, the same call twice",
        ),
        pytest.param(
            [f(0, "a", "get", '{"x":1}'), f(1, "a", "put", '{"y":2}')],
            [A, FunctionCall("made-1", "put", {"y": 2})],
            id="the same id twice",
        ),
        pytest.param([f(0, "a", "", ""), f(0, "", "", '{"x"'), f(0, "", "get", ":1}")], [A], id="name comes late"),
        pytest.param([f(None, "a", "", '{"x":1}'), f(None, "a", "get")], [A], id="name comes last, no index"),
        pytest.param([f(0, "a", "get", {}), f(0, "", "", '{"x"'), f(0, "", "", ":1}")], [A], id="an empty object first"),
        pytest.param([f(0, "a", "get", '{"x":1}'), f(0, "", "", "{}")], [A], id="an empty object last"),
        pytest.param([f(0), f(None), f(0, "a", "get", '{"x":1}'), f(1), f(0)], [A], id="fragments that say nothing"),
        pytest.param([f(0, "a", "get", '{"t":"\ud83d'), f(0, "", "", '\ude00"}')], [FunctionCall("a", "get", {"t": "😀"})], id="emoji cut in two"),
    ],
)  # fmt: skip
def test_fragments_find_their_call(fragments: list[dict[str, Any]], expected: list[Call]) -> None:
    """One row a way of numbering and naming; calls come in the order of their first fragment."""
    assert assemble(*fragments) == expected


@pytest.mark.parametrize("nothing", [None, "", "  ", "null", {}, "{}"])
def test_a_call_without_arguments_has_none(nothing: object) -> None:
    """Nothing sent, or nothing said: a tool without parameters."""
    assert assemble(f(0, "a", "list", nothing)) == [FunctionCall("a", "list", {})]


def test_in_a_cut_stream_missing_arguments_are_not_taken_for_none() -> None:
    """They may just not have arrived; a call whose object is closed is whole all the same."""
    calls = assemble(f(0, "a", "get", '{"x":1}'), f(1, "b", "list"), ended=False)
    assert calls == [A, MalformedCall("b", "list", "", "the answer was cut off before the arguments")]


@pytest.mark.parametrize(
    "raw",
    [
        '{"x": 1',
        '{"x": 1}}',
        '{"x": 1} and more',
        '{"x": NaN}',
        "[1]",
        '"text"',
        "1",
        "[" * 100_000,
        '{"x": 01}',
        '{}{"x":',
        '{"x":1}{"x":2}',
    ],
)
def test_arguments_that_are_no_json_object_make_a_malformed_call(raw: str) -> None:
    """Nothing becomes {}: the raw text goes back to the model with the problem. What is repaired is test_verdict's."""
    (call,) = assemble(f(0, "a", "get", raw))
    assert isinstance(call, MalformedCall)
    assert (call.id, call.name, call.raw_arguments) == ("a", "get", raw)
    assert call.problem


def test_arguments_too_deep_to_be_written_make_a_malformed_call() -> None:
    """As an object of thousands of levels; never an empty one, and no exception."""
    deep: dict[str, Any] = {}
    for _ in range(100_000):
        deep = {"a": deep}
    (call,) = assemble(f(0, "a", "get", deep))
    assert isinstance(call, MalformedCall)


def test_a_broken_call_leaves_its_siblings_whole() -> None:
    """Good siblings run."""
    calls = assemble(f(0, "a", "get", '{"x":1}'), f(1, "c", "get", '{"x"'), f(2, "b", "put", '{"y":2}'))
    assert [type(call) for call in calls] == [FunctionCall, MalformedCall, FunctionCall]


def test_a_call_without_a_name_is_malformed() -> None:
    """There is nothing to run."""
    (call,) = assemble(f(0, "a", "", '{"x":1}'))
    assert isinstance(call, MalformedCall)


def test_large_numbers_keep_every_digit() -> None:
    """Snowflakes and larger integers are not rounded to floats, and 1.0 stays a float."""
    (call,) = assemble(f(0, "a", "get", '{"id": 123456789012345678901, "f": 1.0}'))
    assert isinstance(call, FunctionCall)
    assert call.args == {"id": 123456789012345678901, "f": 1.0}
    assert isinstance(call.args["f"], float)


_ARGUMENTS = st.dictionaries(
    st.text(max_size=5), st.none() | st.integers() | st.text(max_size=8) | st.lists(st.integers())
)


@given(st.lists(_ARGUMENTS, min_size=1, max_size=4), places, st.booleans())
def test_any_cut_of_the_arguments_gives_the_same_calls(
    objects: list[dict[str, Any]], where: list[int], indexed: bool
) -> None:
    """Split-proof, with and without indexes."""
    assembly = ToolCallAssembly(Verdicts(make_id=made_ids()))
    for number, value in enumerate(objects):
        index = number if indexed else None
        assembly.add(index=index, call_id=f"id-{number}", name="tool")
        for piece in cut_at(msgspec.json.encode(value).decode(), where):
            assembly.add(index=index, arguments=piece)
    assert assembly.finish(ended=True) == [FunctionCall(f"id-{n}", "tool", value) for n, value in enumerate(objects)]


@given(st.lists(st.tuples(st.sampled_from([0, 1, None]), st.sampled_from(["", "a", "b"]), st.sampled_from(["", "f", "g"]), st.sampled_from(["", '{"x":', "1}", "{}"])), max_size=8))  # fmt: skip
def test_the_short_way_means_the_same_as_the_long_one(fragments: list[tuple[int | None, str, str, str]]) -> None:
    """A fragment without id and name goes on with the call at its index, or is nobody's."""
    short, long = (ToolCallAssembly(Verdicts(make_id=made_ids())) for _ in range(2))
    for index, call_id, name, piece in fragments:
        long.add(index=index, call_id=call_id, name=name, arguments=piece)
        if index is None or call_id or name or not short.extend(index, piece):
            short.add(index=index, call_id=call_id, name=name, arguments=piece)
    assert short.fragments_nr == long.fragments_nr
    assert short.finish(ended=True) == long.finish(ended=True)

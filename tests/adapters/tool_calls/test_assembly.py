"""Tool calls out of streamed fragments, in every way that servers number and name them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import FunctionCall, MalformedCall, ToolSpec
from adapters.tool_calls.assembly import MAX_CALLS, MAX_SHOWN, ToolCallAssembly
from adapters.tool_calls.verdict import Call, Verdicts
from tests.adapters.cuts import cut_at, places


def made_ids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"made-{next(numbers)}"


def fragment(index: int | None = None, call_id: str = "", name: str = "", arguments: object = None) -> dict[str, Any]:
    return {"index": index, "call_id": call_id, "name": name, "arguments": arguments}


def assemble(*fragments: dict[str, Any], ended: bool = True, tools: Sequence[ToolSpec] = ()) -> list[Call]:
    assembly = ToolCallAssembly(Verdicts(tools, make_id=made_ids()))
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
            [f(0, "a", "get", '{"x":1}'), f(0, "a", "get", "\n"), f(0, "b", "put", '{"y":2}')],
            [A, B],
            id="a blank behind the object",
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
        pytest.param(
            [f(0, "a", "get", '{"x":1}'), f(0, "a", "put", '{"y":2}')],
            [A, FunctionCall("made-1", "put", {"y": 2})],
            id="the same id and index, another name",
        ),
        pytest.param(
            [f(None, "a", "get", '{"x":1}'), f(None, "a", "get", '{"x":2}')],
            [A, FunctionCall("made-1", "get", {"x": 2})],
            id="the same id and name, other arguments",
        ),
        pytest.param(
            [f(0, "a", "get", ""), f(0, "b", "put", ""), f(0, "a", "", '{"x"'), f(0, "b", "", '{"y":2}'), f(0, "a", "", ":1}")],
            [A, B],
            id="all index 0, interleaved, told apart by id",
        ),
        pytest.param([f(0, "a", "get", '{"x"'), f(1, "", "", ":1}")], [A], id="index counts fragments"),
        pytest.param([f(0, "a", "get", '{"x"'), f(1, "a", "get", ":1}")], [A], id="index counts fragments, all repeated"),
        pytest.param([f(1, "a", "get", ""), f(0, "", "", '{"x":1}')], [A], id="another index for the arguments"),
        pytest.param([f(None, "a", "get", '{"x"'), f(0, "", "", ":1}")], [A], id="index left out at first"),
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


ROOMS = ToolSpec("list_rooms", "", {"type": "object"})
WEATHER = ToolSpec("get_weather", "", {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]})
IT, ROOMS_OF_A = FunctionCall("a", "get_weather", {"x": 1}), FunctionCall("a", "list_rooms", {})


@pytest.mark.parametrize(
    ("fragments", "expected"),
    [
        pytest.param([f(None, "a", "get_"), f(None, "", "weather"), f(None, "", "", '{"x":1}')], [IT], id="name in two pieces, no index"),
        pytest.param([f(0, "a", "get_"), f(0, "b", "wea"), f(0, "c", "ther", '{"x":1}')], [IT], id="name in three pieces, other ids"),
        pytest.param(
            [f(None, "a", "list_rooms"), f(None, "", "get_weather", '{"x":1}')],
            [ROOMS_OF_A, FunctionCall("made-1", "get_weather", {"x": 1})],
            id="no index, one call without arguments",
        ),
        pytest.param(
            [f(0, "a", "list_rooms"), f(0, "", "get_weather", '{"x":1}')],
            [ROOMS_OF_A, FunctionCall("made-1", "get_weather", {"x": 1})],
            id="all index 0, no ids, one call without arguments",
        ),
        pytest.param(
            [f(0, "a", "list_rooms"), f(0, "b", "list_rooms")],
            [ROOMS_OF_A, FunctionCall("b", "list_rooms", {})],
            id="all index 0, two calls without arguments",
        ),
        pytest.param(
            [f(0, "z", "get_weather"), f(0, "a", "get_weather", '{"x"'), f(0, "y", "get_weather", ":1}")],
            [IT],
            id="another id and the name with every fragment, the first without arguments",
        ),
    ],
)  # fmt: skip
def test_the_offered_tools_tell_what_belongs_together(fragments: list[dict[str, Any]], expected: list[Call]) -> None:
    """Half a name is none of theirs, and a call without arguments is whole only where the tool needs none."""
    assert assemble(*fragments, tools=(ROOMS, WEATHER)) == expected


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param(['{"x', '{"x": 1', '{"x": 1, "y": "ab"}'], id="text"),
        pytest.param(['{"x": 1, "y": "a', '{"x": 1, "y": "ab"}', '{"x": 1, "y": "ab"}'], id="text, the last one twice"),
        pytest.param(["{}", '{"x": 1, "y": ""}', '{"x": 1, "y": "a"}', '{"x": 1, "y": "ab"}'], id="objects as text"),
        pytest.param([{}, {"x": 1}, {"x": 1, "y": "a"}, {"x": 1, "y": "ab"}], id="objects"),
        pytest.param(["null", '{"x"', '{"x": 1, "y": "ab"}'], id="after nothing"),
        pytest.param([*('{"x": 1, "y": "ab"}'[:end] for end in range(1, 20))], id="character by character"),
    ],
)
@pytest.mark.parametrize("repeats", [False, True])
def test_of_snapshots_the_last_one_counts(pieces: list[object], repeats: bool) -> None:
    """Servers that send all arguments so far with every fragment; with id and name each time, or only once."""
    more = [f(0, "a" if repeats else "", "get" if repeats else "", piece) for piece in pieces[1:]]
    assert assemble(f(0, "a", "get", pieces[0]), *more) == [FunctionCall("a", "get", {"x": 1, "y": "ab"})]


@pytest.mark.parametrize("pieces", [['{"x": 1}', '{"x": 2}'], ['{"x": 1}', '{"y": 1}'], ['{"x": 1}', "{", '"x": 2}']])
def test_objects_of_which_none_goes_on_with_the_other_are_no_snapshots(pieces: list[str]) -> None:
    (call,) = assemble(f(0, "a", "get", pieces[0]), *(f(0, "", "", piece) for piece in pieces[1:]))
    assert isinstance(call, MalformedCall)
    assert call.raw_arguments == "".join(pieces)


def test_a_cut_snapshot_is_a_cut_call() -> None:
    (call,) = assemble(f(0, "a", "get", '{"x'), f(0, "", "", '{"x": "o'), ended=False)
    assert isinstance(call, MalformedCall)
    assert call.raw_arguments == '{"x": "o'


def settled(*calls: tuple[str, str]) -> tuple[ToolCallAssembly, list[list[str]]]:
    """What settling gives for calls of these ids and arguments, one after another."""
    assembly = ToolCallAssembly()
    given = []
    for index, (call_id, raw) in enumerate(calls):
        assembly.add(index=index, call_id=call_id, name="get", arguments=raw)
        given.append([call.id for call in assembly.settle(index)])
    return assembly, given


def test_a_whole_call_is_given_when_it_settles() -> None:
    assembly, given = settled(("a", '{"x":1}'), ("b", "{}"))
    assert given == [["a"], ["b"]]
    assert not [*assembly.settle(0), *assembly.settle(7), *assembly.finish(ended=True)]


@pytest.mark.parametrize("raw", ["", '{"x": 1', '{"x": 1, "y'])
def test_what_may_be_cut_waits_until_another_call_settles(raw: str) -> None:
    """Only the last call of an answer may be, and its provider says all the same that it is over."""
    assembly, given = settled(("a", raw), ("b", "{}"))
    assert given == [[], ["a", "b"]]
    assert assembly.finish(ended=False) == []
    for ended in (True, False):
        assembly, given = settled(("b", "{}"), ("a", raw))
        assert given == [["b"], []]
        (call,) = assembly.finish(ended=ended)
        assert ended or isinstance(call, MalformedCall)


def test_a_fragment_that_comes_when_its_call_is_over_is_not_lost() -> None:
    """It is a call without a name, and so malformed."""
    assembly, given = settled(("a", '{"x":1}'))
    assert not assembly.extend(0, " and")
    for piece in (" and", "", " more"):
        assembly.add(index=0, arguments=piece)
    (call,) = assembly.finish(ended=True)
    assert isinstance(call, MalformedCall)
    assert (given, call.raw_arguments) == ([["a"]], " and more")


def test_of_very_many_calls_the_first_are_judged() -> None:
    """The others do not run, and each says why."""
    calls = assemble(*(f(nr, f"id-{nr}", "get", "{}") for nr in range(MAX_CALLS + 2)))
    assert [type(call) for call in calls[MAX_CALLS - 1 :]] == [FunctionCall, MalformedCall, MalformedCall]
    assert "too many" in getattr(calls[-1], "problem", "")


def test_a_few_calls_under_way_can_be_looked_at() -> None:
    """Until they settle."""
    assembly = ToolCallAssembly()
    for nr in range(MAX_SHOWN + 2):
        assembly.add(index=nr, name="get", arguments='{"x": 1, "y": "a')
    assert [call.fields for call in assembly.live()] == [{"x": 1}] * MAX_SHOWN
    assembly.extend(0, '"}')
    assembly.settle(0)
    assembly.finish(ended=True)
    assert assembly.live() == []


@pytest.mark.parametrize("nothing", [None, "", "  ", "null", {}, "{}", [], "[]", '""'])
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
        "true",
        "[[]]",
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


@pytest.mark.parametrize(
    ("value", "raw"), [(["x"], '["x"]'), (True, "true"), (5, "5"), ({"x": float("nan")}, '{"x":NaN}')]
)
def test_arguments_that_are_another_value_make_a_malformed_call(value: object, raw: str) -> None:
    """They are not nothing, which a tool without parameters would run with."""
    (call,) = assemble(f(0, "a", "list_rooms", value), tools=(ROOMS,))
    assert isinstance(call, MalformedCall)
    assert call.raw_arguments == raw


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

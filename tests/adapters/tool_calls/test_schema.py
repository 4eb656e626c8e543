"""A call's arguments against the schema of its tool: what is right stays, what loses nothing is read, the rest is told."""

from __future__ import annotations

import copy
import socket
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import ToolSpec
from adapters.tool_calls.schema import (
    Checked,
    check_arguments,
    describe,
    only_required_string,
    unknown_fields,
)

STRING: Final = {"type": "string"}
INTEGER: Final = {"type": "integer"}
NUMBER: Final = {"type": "number"}
BOOLEAN: Final = {"type": "boolean"}
STRINGS: Final = {"type": "array", "items": STRING}
INTEGERS: Final = {"type": "array", "items": INTEGER}
PAIR: Final = {"type": "object", "properties": {"k": INTEGER}, "required": ["k"]}
NULL: Final = {"type": "null"}


def tool(schema: dict[str, Any]) -> ToolSpec:
    return ToolSpec("get", "", schema)


def closed(*required: str, **properties: Any) -> ToolSpec:
    return tool({"type": "object", "properties": properties, "required": list(required), "additionalProperties": False})


def read(schema: Any, value: Any) -> Any:
    """What a value becomes in a field of this schema; an exception if there is a problem."""
    checked = check_arguments(closed(x=schema), {"x": value})
    assert checked.problem is None, checked.problem
    return checked.args.get("x", "left out")


def problem(spec: ToolSpec, args: dict[str, Any]) -> str:
    """What the model is told, without the shape that ends it."""
    checked = check_arguments(spec, args)
    assert checked.problem is not None
    assert checked.args == args
    words, _, shape = checked.problem.rpartition(". The arguments are: ")
    assert shape == describe(spec)
    return words


# ------------------------------------------------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("schema", "value", "meant"),
    [
        (INTEGER, "5", 5),
        (INTEGER, " -5 ", -5),
        (INTEGER, "5.0", 5),
        (INTEGER, "1e3", 1000),
        (INTEGER, "123456789012345678901", 123456789012345678901),
        (NUMBER, "5", 5),
        (NUMBER, "0.25", 0.25),
        (BOOLEAN, "true", True),
        (BOOLEAN, "False", False),
        (STRING, 5, "5"),
        (STRING, 0.5, "0.5"),
        (STRING, None, "left out"),
        (STRINGS, "x", ["x"]),
        (STRINGS, '["x"]', ["x"]),
        (STRINGS, [1, 2], ["1", "2"]),
        (INTEGERS, "[1, 2]", [1, 2]),
        (INTEGERS, "5", [5]),
        (INTEGERS, '["1"]', [1]),
        (PAIR, '{"k": 1}', {"k": 1}),
        (PAIR, '{"k": "1"}', {"k": 1}),
        ({"type": "array", "items": PAIR}, {"k": 1}, [{"k": 1}]),
        (NULL, "null", None),
        (NULL, "", None),
        ({"anyOf": [INTEGER, NULL]}, "3", 3),
        ({"type": ["integer", "null"]}, "3", 3),
        ({"anyOf": [PAIR, NULL]}, '{"k": "1"}', {"k": 1}),
        ({"anyOf": [STRINGS, INTEGER]}, "5", 5),
        ({"oneOf": [INTEGER, BOOLEAN]}, "true", True),
        ({"enum": ["Celsius", "Kelvin"]}, " CELSIUS ", "Celsius"),
        ({"enum": [1, 2]}, "2", 2),
        ({"enum": ["1", "2"]}, 2, "2"),
        ({"const": "fixed"}, "Fixed", "fixed"),
    ],
)
def test_a_value_of_another_type_is_read_where_nothing_is_lost(schema: Any, value: Any, meant: Any) -> None:
    found = read(schema, value)
    assert (found, type(found)) == (meant, type(meant))


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (INTEGER, ""),
        (INTEGER, "042"),
        (INTEGER, "3.5"),
        (INTEGER, 3.7),
        (INTEGER, "1e999"),
        (NUMBER, "1e-400"),
        (INTEGER, "0x10"),
        (INTEGER, "٣"),
        (INTEGER, True),
        (NUMBER, "NaN"),
        (NUMBER, "abc"),
        (BOOLEAN, 1),
        (BOOLEAN, "yes"),
        (STRING, True),
        (STRING, {}),
        (STRINGS, "[x"),
        (STRINGS, {"a": 1}),
        (PAIR, "k: 1"),
        ({"anyOf": [INTEGER, NULL]}, "null"),
        ({"anyOf": [INTEGER, NULL]}, ""),
        ({"enum": ["a", "A"]}, " a "),
        ({"enum": ["fast", "slow"]}, "fas"),
        ({"type": "integer", "minimum": 3}, "2"),
    ],
)
def test_what_would_lose_something_or_guess_is_refused(schema: Any, value: Any) -> None:
    checked = check_arguments(closed(x=schema), {"x": value})
    assert checked.problem is not None
    assert checked.args == {"x": value}
    assert checked.notes == ()


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"anyOf": [NUMBER, STRING]}, "1"),
        ({"anyOf": [STRING, INTEGER]}, 1),
        ({"anyOf": [STRING, STRINGS]}, '["x"]'),
        ({"type": ["string", "null"]}, None),
        ({}, "5"),
        (STRING, "5"),
        (NUMBER, 5.0),
        ({"enum": ["a", "A"]}, "A"),
        ({"type": "string", "format": "date"}, "tomorrow"),
    ],
)
def test_what_fits_is_never_changed(schema: Any, value: Any) -> None:
    assert check_arguments(closed(x=schema), {"x": value}) == Checked({"x": value})


@pytest.mark.parametrize("schema", [INTEGER, {"anyOf": [INTEGER, NULL]}, {"$ref": "#/$defs/N"}])
def test_a_whole_float_is_an_integer_where_one_is_wanted(schema: Any) -> None:
    """To the schema it is one already; range() and indexing think otherwise."""
    spec = tool({"properties": {"x": schema}, "$defs": {"N": INTEGER}})
    checked = check_arguments(spec, {"x": 5.0, "y": 5.0})
    assert checked == Checked({"x": 5, "y": 5.0}, ("x: 5.0 read as 5",))
    assert isinstance(checked.args["x"], int)
    assert isinstance(checked.args["y"], float)


@pytest.mark.parametrize("name", ["maxResults", "max-results", "MAX_RESULTS", "Max Results"])
def test_a_field_spelt_another_way_is_the_one_declared(name: str) -> None:
    checked = check_arguments(closed("max_results", max_results=INTEGER), {name: "3"})
    assert checked.args == {"max_results": 3}
    assert checked.notes == (f"{name}: read as max_results", 'max_results: "3" read as 3')


@pytest.mark.parametrize("key", ["arguments", "parameters", "input"])
def test_a_call_written_as_its_own_arguments_is_unwrapped(key: str) -> None:
    """Where it does not fit as it is, and there is nothing else in it."""
    spec = tool({"properties": {"n": INTEGER}, "required": ["n"]})
    assert check_arguments(spec, {key: {"n": "1"}}).args == {"n": 1}
    assert check_arguments(spec, {"name": "get", key: {"n": 1}}).args == {"n": 1}
    assert check_arguments(spec, {key: {"n": 1}, "n": 2}).args == {key: {"n": 1}, "n": 2}
    others: list[dict[str, Any]] = [
        {"name": "put", key: {"n": 1}},
        {key: {"n": 1, "m": 2}},
        {key: {}},
        {key: {key: {"n": 1}}},
    ]
    assert all(check_arguments(spec, args).problem is not None for args in others)


def test_a_required_field_is_found_under_another_spelling_of_its_name() -> None:
    """Also where the schema would let the other one pass, as most do."""
    spec = tool({"properties": {"max_n": INTEGER, "o": PAIR}, "required": ["max_n", "o"]})
    assert check_arguments(spec, {"maxN": "1", "O": {"K": 2}}).args == {"max_n": 1, "o": {"k": 2}}
    assert check_arguments(spec, {"maxN": 1, "MaxN": 1, "o": {"k": 2}}).problem is not None


@pytest.mark.parametrize(
    ("spec", "args"),
    [
        (closed(max_n=INTEGER), {"maxN": 1, "max_n": 2}),
        (closed(max_n=INTEGER), {"maxN": 1, "MAX_N": 2}),
        (closed(max_n=INTEGER, maxN=INTEGER), {"MAX-N": 1}),
        (closed(max_n=INTEGER), {"max": 1}),
    ],
    ids=["taken", "claimed twice", "two could be meant", "another word"],
)
def test_a_field_that_could_be_another_one_is_not_renamed(spec: ToolSpec, args: dict[str, Any]) -> None:
    assert check_arguments(spec, args).problem is not None


def test_a_field_that_an_open_schema_allows_keeps_its_name() -> None:
    assert check_arguments(tool({"properties": {"max_n": INTEGER}}), {"maxN": "1"}) == Checked({"maxN": "1"})


def test_a_required_null_is_not_left_out() -> None:
    assert problem(closed("x", x=STRING), {"x": None}) == "x: null is not a string"


def test_null_in_a_list_or_a_map_is_not_left_out() -> None:
    assert problem(closed(x=STRINGS), {"x": [None]}) == "x[0]: null is not a string"
    assert problem(closed(x={"additionalProperties": STRING}), {"x": {"a": None}}) == "x.a: null is not a string"


def test_every_reading_is_noted() -> None:
    rows = {"type": "array", "items": {"type": "object", "properties": {"n": INTEGER, "on": BOOLEAN}}}
    checked = check_arguments(
        closed(rows=rows, unit=STRING), {"rows": [{"n": "5"}, {"n": 1, "on": "true"}], "unit": None}
    )
    assert checked.args == {"rows": [{"n": 5}, {"n": 1, "on": True}]}
    assert sorted(checked.notes) == [
        'rows[0].n: "5" read as 5',
        'rows[1].on: "true" read as true',
        "unit: null left out",
    ]


def test_of_a_union_the_branch_that_can_be_made_right_is_taken() -> None:
    kinds = [
        {"type": "object", "properties": {"kind": {"const": kind}, "n": INTEGER}, "required": ["kind", "n"]}
        for kind in "ab"
    ]
    spec = tool(
        {
            "properties": {"x": {"oneOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}},
            "$defs": dict(zip("ab", kinds, strict=True)),
        }
    )
    assert check_arguments(spec, {"x": {"kind": "b", "n": "4"}}).args == {"x": {"kind": "b", "n": 4}}
    assert problem(spec, {"x": {"kind": "b"}}) == "x.n: required, and missing (an integer)"


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=4), st.sampled_from(["5", "true", "null", "[1]", "{}"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from("xyXY"), inner, max_size=3)),
    max_leaves=8,
)  # fmt: skip
SCHEMAS = st.recursive(
    st.sampled_from([{}, STRING, INTEGER, NUMBER, BOOLEAN, NULL, {"enum": ["a", 1]}, {"type": "string", "minLength": 2}]),
    lambda inner: st.one_of(
        st.builds(lambda each: {"type": "array", "items": each}, inner),
        st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
        st.builds(lambda a, b: {"type": "object", "properties": {"x": a, "y": b}, "required": ["x"], "additionalProperties": False}, inner, inner),
    ),
    max_leaves=5,
)  # fmt: skip


@given(SCHEMAS, VALUES)
def test_whatever_comes_the_result_fits_or_is_as_it_came(schema: Any, value: Any) -> None:
    """And a second check finds nothing more to do."""
    spec, args = closed(x=schema), {"x": value}
    before = copy.deepcopy(args)
    checked = check_arguments(spec, args)
    assert repr(args) == repr(before)
    if checked.problem is None:
        assert check_arguments(spec, checked.args) == Checked(checked.args)
    else:
        assert checked.args == args


# -------------------------------------------------------------------------------------------------- what the model is told


@pytest.mark.parametrize(
    ("spec", "args", "words"),
    [
        (closed("city", city=STRING), {}, "city: required, and missing (a string)"),
        (closed("m", m={"enum": ["a", "b"]}), {}, 'm: required, and missing ("a" | "b")'),
        (closed("m", m={"anyOf": [INTEGER, NULL]}), {}, "m: required, and missing (an integer or null)"),
        (closed(mode={"enum": ["slow", "medium"]}), {"mode": "fast"}, 'mode: "fast" is none of "slow", "medium"'),
        (closed(mode={"const": "slow"}), {"mode": "fast"}, 'mode: "fast" is not "slow"'),
        (
            closed(city=STRING, unit=STRING),
            {"colour": 1},
            "colour: there is no such field; the fields are city, unit",
        ),
        (closed(), {"colour": 1}, "colour: there is no such field; there are none"),
        (closed(n=INTEGER), {"n": "five"}, 'n: "five" is not an integer'),
        (closed(n={"type": ["integer", "null"]}), {"n": "five"}, 'n: "five" is not an integer or null'),
        (closed(n={"anyOf": [INTEGER, NULL]}), {"n": "five"}, 'n: "five" is not an integer or null'),
        (closed(n={"type": "integer", "minimum": 3}), {"n": 2}, "n: 2 is less than the minimum of 3"),
        (closed(s={"type": "string", "maxLength": 3}), {"s": "long"}, 's: "long" is longer than 3 characters'),
        (closed(s={"type": "string", "pattern": "^a"}), {"s": "b"}, 's: "b" does not match "^a"'),
        (closed(o=PAIR), {"o": {}}, "o.k: required, and missing (an integer)"),
        (closed(o={"anyOf": [PAIR, NULL]}), {"o": {}}, "o.k: required, and missing (an integer)"),
        (
            closed(rows={"type": "array", "items": {"type": "object", "properties": {"name": STRING}}}),
            {"rows": [{}, {"name": {}}]},
            "rows[1].name: {} is not a string",
        ),
        (
            closed("a", a=STRING, b=INTEGER),
            {"b": "x"},
            'b: "x" is not an integer. a: required, and missing (a string)',
        ),
        (tool({"minProperties": 1}), {}, "arguments: {} has less than 1 property"),
    ],
)
def test_each_fault_is_one_sentence_with_its_path(spec: ToolSpec, args: dict[str, Any], words: str) -> None:
    assert problem(spec, args) == words


def test_five_faults_are_told_and_the_others_counted() -> None:
    words = problem(closed(x=INTEGERS), {"x": ["a"] * 20})
    assert words.endswith('x[4]: "a" is not an integer. and 15 more')


def test_the_shape_ends_the_problem() -> None:
    spec = closed("city", city=STRING, unit={"enum": ["c", "f"]})
    shape = '{"city": string, "unit"?: "c" | "f"}'
    assert describe(spec) == shape
    assert check_arguments(spec, {}).problem == f"city: required, and missing (a string). The arguments are: {shape}"


@pytest.mark.parametrize(
    ("schema", "shape"),
    [
        ({}, "object"),
        ({"type": "object", "properties": {}}, "{}"),
        ({"properties": {"a": {}}}, '{"a"?: any}'),
        ({"properties": {"a": {"anyOf": [INTEGER, NULL]}}}, '{"a"?: integer | null}'),
        ({"properties": {"a": {"type": ["string", "null"]}}}, '{"a"?: string | null}'),
        ({"properties": {"a": STRINGS, "b": {"type": "array"}}}, '{"a"?: string[], "b"?: array}'),
        ({"properties": {"a": {"type": "array", "items": {"enum": ["x", "y"]}}}}, '{"a"?: ("x" | "y")[]}'),
        ({"$ref": "#/$defs/A", "$defs": {"A": PAIR}}, '{"k": integer}'),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}}, "object"),
        ({"properties": {"a": {"$ref": "#"}}}, '{"a"?: {"a"?: {"a"?: object}}}'),
    ],
)
def test_a_shape_is_one_line(schema: dict[str, Any], shape: str) -> None:
    assert describe(tool(schema)) == shape


def test_what_the_model_is_told_is_bounded() -> None:
    spec = closed(**{f"field_{nr}_{'y' * 100}": {"enum": ["z" * 1000] * 100} for nr in range(100)})
    args = {f"{'k' * 1000}{nr}": "v" * 100_000 for nr in range(100)}
    assert len(check_arguments(spec, args).problem or "") < 3000


# ------------------------------------------------------------------------------------------------- schemas as they come


@pytest.mark.parametrize(
    "schema",
    [
        # pydantic
        {"$defs": {"P": PAIR}, "properties": {"o": {"anyOf": [{"$ref": "#/$defs/P"}, NULL], "default": None}}, "title": "T", "type": "object"},
        # zod
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"o": PAIR}, "additionalProperties": False},
        {"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "properties": {"o": {"$ref": "#/definitions/P"}}, "definitions": {"P": PAIR}},
        # OpenAI, strict
        {"type": "object", "properties": {"o": {**PAIR, "additionalProperties": False}}, "required": ["o"], "additionalProperties": False},
        # no type
        {"properties": {"o": {"properties": {"k": INTEGER}}}},
        # Google
        {"type": "OBJECT", "properties": {"o": {"type": "OBJECT", "properties": {"k": {"type": "INTEGER"}}}}},
        # by reference as a whole
        {"$ref": "#/$defs/All", "$defs": {"All": {"type": "object", "properties": {"o": PAIR}}}},
        {"allOf": [{"type": "object"}, {"properties": {"o": PAIR}}]},
    ],
)  # fmt: skip
def test_schemas_of_many_makers_are_held_to(schema: dict[str, Any]) -> None:
    assert check_arguments(tool(schema), {"o": {"k": 1}}) == Checked({"o": {"k": 1}})
    assert check_arguments(tool(schema), {"o": {"k": "1"}}) == Checked({"o": {"k": 1}}, ('o.k: "1" read as 1',))


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"type": "object", "properties": {}}])
def test_a_schema_that_says_nothing_allows_everything(schema: dict[str, Any]) -> None:
    assert check_arguments(tool(schema), {"a": [1, {"b": None}]}) == Checked({"a": [1, {"b": None}]})


@pytest.mark.parametrize(
    ("broken", "left_out"),
    [
        ({"a": {"$ref": "#/nowhere"}}, "$ref #/nowhere"),
        ({"a": {"type": "strin"}}, "properties.a.type"),
        ({"a": {"required": True}}, "properties.a.required"),
        ({"a": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}}, "properties.a.exclusiveMinimum"),
        ({"a": {"pattern": "(?=x)x"}}, "properties.a.pattern"),
        ({"a": {"pattern": "(x{1000}){1000}"}}, "properties.a.pattern"),
        ({"a": "string"}, "properties.a"),
        ({"a": {"anyOf": 5}}, "properties.a.anyOf"),
    ],
)
def test_a_broken_keyword_is_left_out_and_the_rest_holds(broken: dict[str, Any], left_out: str) -> None:
    checked = check_arguments(closed(b=INTEGER, **broken), {"a": 1, "b": "2"})
    assert checked == Checked(
        {"a": 1, "b": 2}, (f"the tool's schema is checked without {left_out}", 'b: "2" read as 2')
    )


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {f"p{nr}": {"type": "broken"} for nr in range(50)}},
        {"properties": {"x": {"const": object()}}},
        {"description": "x" * 2_000_000},
        {"properties": {"x": {"$ref": "#/$defs/A0"}}, "$defs": {f"A{nr}": {"anyOf": [{"$ref": f"#/$defs/A{nr + 1}"}] * 2} for nr in range(40)} | {"A40": INTEGER}},
    ],
    ids=["broken all over", "no JSON", "too long", "2^40 branches"],
)  # fmt: skip
def test_an_unusable_schema_costs_no_call(schema: dict[str, Any]) -> None:
    checked = check_arguments(tool(schema), {"x": "1"})
    assert (checked.args, checked.problem) == ({"x": "1"}, None)
    assert [note.startswith("the tool's schema is unusable") for note in checked.notes] == [True]


def test_no_reference_is_ever_fetched(tmp_path: Path) -> None:
    """A listening server hears nothing, and a schema that lies on the disk is not read."""
    (tmp_path / "s.json").write_text('{"type": "integer"}')
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        port = server.getsockname()[1]
        http = f"http://127.0.0.1:{port}/s.json"
        file = (tmp_path / "s.json").as_uri()
        for schema in (
            {"properties": {"x": {"$ref": http}}},
            {"properties": {"x": {"$ref": file}}},
            {"properties": {"x": {"$dynamicRef": http}}},
            {"$schema": http, "properties": {"x": STRING}},
            {"$schema": file, "properties": {"x": STRING}},
            {"$id": tmp_path.as_uri() + "/", "properties": {"x": {"$ref": "s.json"}}},
            {"$id": f"http://127.0.0.1:{port}/", "properties": {"x": {"$ref": "s.json"}}},
        ):
            checked = check_arguments(tool(schema), {"x": "text"})
            assert (checked.args, checked.problem) == ({"x": "text"}, None)
            assert len(checked.notes) == 1
        with pytest.raises(BlockingIOError):
            server.accept()


# ----------------------------------------------------------------------------------------------------------- bounds


def nested(depth: int) -> Any:
    value: Any = "x"
    for _ in range(depth):
        value = {"a": value}
    return value


RECURSIVE: Final = tool(
    {"anyOf": [{"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}] * 2 + [INTEGER]}
)


@pytest.mark.parametrize(
    ("spec", "args"),
    [
        (tool({}), nested(1000)),
        (RECURSIVE, nested(1000)),
        (RECURSIVE, nested(30)),
        (RECURSIVE, nested(8)),
        (closed(x=INTEGER), {"x": "9" * 1_000_000}),
        (closed(x=INTEGERS), {"x": "[" * 1_000_000}),
        (closed(x=INTEGERS), {"x": "[" + '"1",' * 200_000 + '"1"]'}),
        (closed(x=INTEGERS), {"x": ["1"] * 100_000}),
        (closed(x=INTEGER), {f"k{nr}": 1 for nr in range(100_000)}),
        (closed(x={"type": "string", "pattern": "^(a+)+$"}), {"x": "a" * 1_000_000 + "!"}),
        (closed(x={"type": "array", "items": {"enum": [f"v{nr}" for nr in range(5000)]}}), {"x": ["w"] * 5000}),
        (closed(x=INTEGER), {"x": "\ud83d"}),
        (closed(x=INTEGER), {"\ud83d": 1}),
    ],
    ids=range(13),
)
def test_hostile_arguments_are_a_problem_and_no_exception(spec: ToolSpec, args: dict[str, Any]) -> None:
    checked = check_arguments(spec, args)
    assert checked.problem is not None
    assert len(checked.problem) < 1000
    assert checked.problem.encode()


def test_large_arguments_that_fit_pass() -> None:
    args = {"x": list(range(100_000)), "y": "y" * 1_000_000}
    assert check_arguments(closed(x=INTEGERS, y=STRING), args) == Checked(args)


# --------------------------------------------------------------------------------------------- questions to the schema


@pytest.mark.parametrize(
    ("schema", "unknown"),
    [
        ({"properties": {"a": {}}}, ["b", "x-c"]),
        ({"properties": {"a": {}}, "additionalProperties": False}, ["b", "x-c"]),
        ({"properties": {"a": {}}, "additionalProperties": True}, []),
        ({"properties": {"a": {}}, "additionalProperties": STRING}, []),
        ({"properties": {"a": {}}, "patternProperties": {"^x-": {}}}, ["b"]),
        ({"properties": {}}, ["a", "b", "x-c"]),
        ({"type": "object"}, []),
        ({}, []),
        ({"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"b": {}}}}}, ["a", "x-c"]),
        ({"properties": {"a": {}}, "anyOf": [{"properties": {"b": {}}}, {"required": ["a"]}]}, ["x-c"]),
    ],
)
def test_fields_that_no_property_declares_are_unknown(schema: dict[str, Any], unknown: list[str]) -> None:
    assert unknown_fields(tool(schema), {"a": 1, "b": 2, "x-c": 3}) == unknown


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        (closed("s", s=STRING, n=INTEGER), "s"),
        (closed("s", s={"anyOf": [STRING, NULL]}), "s"),
        (closed("s", s={"type": ["string", "null"]}), "s"),
        (closed("s", s={"enum": ["a", "b"]}), "s"),
        (closed("s", s={}), "s"),
        (tool({"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"s": STRING}, "required": ["s"]}}}), "s"),
        (closed("n", s=STRING, n=INTEGER), None),
        (closed("s", "n", s=STRING, n=INTEGER), None),
        (closed(s=STRING), None),
        (tool({}), None),
    ],
)
def test_the_one_required_string_is_named(spec: ToolSpec, name: str | None) -> None:
    assert only_required_string(spec) == name

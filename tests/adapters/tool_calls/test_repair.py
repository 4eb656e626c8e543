"""Broken argument text, and every object that it can be read as."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.tool_calls.lenient_json import Repair
from adapters.tool_calls.repair import Reading, readings

A = {"a": 1}
R = Repair


@pytest.mark.parametrize(
    ("raw", "value", "repairs"),
    [
        pytest.param('{"a": "x\n\ty\x00"}', {"a": "x\n\ty\x00"}, [R.CONTROL_CHARACTERS], id="raw line break and others"),
        pytest.param('{"a": 1, "b": [1,],}', {"a": 1, "b": [1]}, [R.TRAILING_COMMA], id="trailing commas"),
        pytest.param("{'a': 'x', 'b': ['y']}", {"a": "x", "b": ["y"]}, [R.QUOTES], id="single quotes"),
        pytest.param("{`a`: `x`}", {"a": "x"}, [R.QUOTES], id="back-ticks"),
        pytest.param("""{'a': "it's"}""", {"a": "it's"}, [R.QUOTES], id="Python's two kinds of quotes"),
        pytest.param("""{'a': 'say "x"'}""", {"a": 'say "x"'}, [R.QUOTES], id="the other quotes are text"),
        pytest.param("{“a”: ”x“}", {"a": "x"}, [R.SMART_QUOTES], id="typographic quotes, either way"),
        pytest.param("{‘a’: ‘x’}", {"a": "x"}, [R.SMART_QUOTES], id="typographic single quotes"),
        pytest.param('{“a”: "say “x”"}', {"a": "say “x”"}, [R.SMART_QUOTES], id="typographic quotes as text"),
        pytest.param('{"a": True, "b": [False, None]}', {"a": True, "b": [False, None]}, [R.PYTHON_LITERALS], id="Python"),
        pytest.param("{a: 1, b_2: 2, größe: 3}", {"a": 1, "b_2": 2, "größe": 3}, [R.BARE_KEYS], id="bare keys"),
        pytest.param(r'{"a": "C:\Users\x"}', {"a": r"C:\Users\x"}, [R.ESCAPES], id="a path"),
        pytest.param(r'{"a": "\d+\.\w"}', {"a": r"\d+\.\w"}, [R.ESCAPES], id="a regular expression"),
        pytest.param(r'{"a": "\u12"}', {"a": r"\u12"}, [R.ESCAPES], id="half an escape"),
        pytest.param(r'{"a": "it\'s"}', {"a": "it's"}, [R.ESCAPES], id="an escaped apostrophe"),
        pytest.param(r'{"a": "\ud83d!"}', {"a": "\ufffd!"}, [R.ESCAPES], id="half a surrogate pair"),
        pytest.param(r'{"a": "\ud83d\ude00",}', {"a": "😀"}, [R.TRAILING_COMMA], id="a whole pair"),
        pytest.param('{"a": 1, // one\n /* two */ "b": 2}', {"a": 1, "b": 2}, [R.COMMENTS], id="comments"),
        pytest.param('\ufeff{"a": 1}', A, [R.SPACES], id="byte order mark"),
        pytest.param('{"a":\xa01}', A, [R.SPACES], id="no-break space"),
        pytest.param(r'"{\"a\": 1}"', A, [R.DOUBLE_ENCODING], id="encoded twice"),
        pytest.param(r'"{\"a\": \"x\\ny\"}"', {"a": "x\ny"}, [R.DOUBLE_ENCODING], id="encoded twice, with an escape"),
        pytest.param(r'"{\"a\": 1,}"', A, [R.DOUBLE_ENCODING, R.TRAILING_COMMA], id="encoded twice, and broken inside"),
        pytest.param(r'{\"a\": \"x\"}', {"a": "x"}, [R.DOUBLE_ENCODING], id="encoded twice, quotes around it lost"),
        pytest.param("{&quot;a&quot;: &quot;x &amp;amp; y&quot;}", {"a": "x &amp; y"}, [R.ENTITIES], id="escaped for HTML"),
        pytest.param(r"{&#34;a&#34;: &#34;\&#34;x\&#34; &copy;&#34;}", {"a": '"x" &copy;'}, [R.ENTITIES], id="escaped for HTML by numbers"),
        pytest.param('{"a": "&quot;x&quot; &amp; y",}', {"a": "&quot;x&quot; &amp; y"}, [R.TRAILING_COMMA], id="entities that are text"),
        pytest.param('```json\n{"a": 1}\n```', A, [R.FENCE], id="in a fence"),
        pytest.param('```\n{"a": 1}```\n', A, [R.FENCE], id="in a fence without a language"),
        pytest.param('{"a":1}{"a":1}', A, [R.REPEATED], id="sent twice"),
        pytest.param('{}{"a":1}', A, [R.REPEATED], id="an empty object first"),
        pytest.param('{"a":1}\n{}', A, [R.REPEATED], id="an empty object last"),
        pytest.param('{"a": 1, "a": 2,}', {"a": 2}, [R.TRAILING_COMMA], id="the last of equal keys, as json does"),
        pytest.param('{"a": 1234567890123456789012,}', {"a": 1234567890123456789012}, [R.TRAILING_COMMA], id="many digits"),
        pytest.param('{"a": %s,}' % ("9" * 400), {"a": int("9" * 400)}, [R.TRAILING_COMMA], id="more than a float holds"),
        pytest.param('{"a": "}{ [1,] \\"", }', {"a": '}{ [1,] "'}, [R.TRAILING_COMMA], id="brackets in a string"),
    ],
)  # fmt: skip
def test_what_leaves_one_reading_needs_no_schema(raw: str, value: dict[str, Any], repairs: list[Repair]) -> None:
    (reading,) = readings(raw)
    assert reading == Reading(value, tuple(repairs))
    assert not reading.needs_schema
    assert not reading.may_be_cut


@pytest.mark.parametrize(
    ("raw", "value", "repairs"),
    [
        pytest.param('{"a":1}wxyz', A, [R.TRAILING_TEXT], id="junk after it"),
        pytest.param('{"a":1}</tool_call>', A, [R.TRAILING_TEXT], id="a mark after it"),
        pytest.param('{"a":1},', A, [R.TRAILING_TEXT], id="a comma after it"),
        pytest.param('{"a":1}"', A, [R.TRAILING_TEXT], id="a quote after it"),
        pytest.param('{"a":1}}]', A, [R.SURPLUS_BRACKETS], id="brackets after it"),
        pytest.param('}{"a":1}', A, [R.SURPLUS_BRACKETS], id="a bracket before it"),
        pytest.param('read {"a":1}', A, [R.LEADING_TEXT], id="the tool's name before it"),
        pytest.param('functions.read:0{"a":1}', A, [R.LEADING_TEXT], id="a full name before it"),
        pytest.param('调用 {"a":1}', A, [R.LEADING_TEXT], id="a sentence before it"),
        pytest.param('functions.read( {"a":1})', A, [R.LEADING_TEXT, R.TRAILING_TEXT], id="as a call"),
        pytest.param('"{"a":1}"', A, [R.LEADING_TEXT, R.TRAILING_TEXT], id="as a string without escapes"),
        pytest.param('[{"a":1}]', A, [R.LEADING_TEXT, R.SURPLUS_BRACKETS], id="in a list"),
        pytest.param(r'"{\"a\": 1}', A, [R.DOUBLE_ENCODING, R.LEADING_TEXT], id="encoded twice, last quote lost"),
        pytest.param('{"a":1 "b":2}', {"a": 1, "b": 2}, [R.MISSING_COMMA], id="no comma after a number"),
        pytest.param('{"a":"x"\n"b":"y"}', {"a": "x", "b": "y"}, [R.MISSING_COMMA], id="no comma after a string"),
        pytest.param('{"a":[{} {}]}', {"a": [{}, {}]}, [R.MISSING_COMMA], id="no comma in a list"),
        pytest.param('{"a":[{"b":1]}', {"a": [{"b": 1}]}, [R.MISSING_BRACKETS], id="an inner bracket forgotten"),
        pytest.param('{"a":"say "x" now"}', {"a": 'say "x" now'}, [R.INNER_QUOTES], id="bare quotes"),
        pytest.param('{"a":""x", he said"}', {"a": '"x", he said'}, [R.INNER_QUOTES], id="bare quotes and a comma"),
        pytest.param('{"a":"["x", "y"]","b":"z"}', {"a": '["x", "y"]', "b": "z"}, [R.INNER_QUOTES], id="a list as text"),
        pytest.param("{'a':'it's fine'}", {"a": "it's fine"}, [R.QUOTES, R.INNER_QUOTES], id="an apostrophe"),
        pytest.param("{'a':['it's','x']}", {"a": ["it's", "x"]}, [R.QUOTES, R.INNER_QUOTES], id="one in a list"),
        pytest.param("{'a':'it''s'}", {"a": "it''s"}, [R.QUOTES, R.INNER_QUOTES], id="two, and both are kept"),
    ],
)  # fmt: skip
def test_what_could_mean_something_else_needs_the_schema(
    raw: str, value: dict[str, Any], repairs: list[Repair]
) -> None:
    (reading,) = readings(raw)
    assert reading == Reading(value, tuple(repairs))
    assert reading.needs_schema
    assert not reading.may_be_cut


@pytest.mark.parametrize(
    ("raw", "value", "in_value"),
    [
        pytest.param("{", {}, False, id="nothing but the bracket"),
        pytest.param('{"a":true', {"a": True}, False, id="after a word"),
        pytest.param('{"a":"x"', {"a": "x"}, False, id="after a string"),
        pytest.param('{"a":{"b":[1]', {"a": {"b": [1]}}, False, id="after a bracket"),
        pytest.param('{"a":1 ', A, False, id="after a number and a blank"),
        pytest.param('{"a":1', A, True, id="in a number"),
        pytest.param('{"a":"he', {"a": "he"}, True, id="in a string"),
        pytest.param('{"a":[1,{"b":"he', {"a": [1, {"b": "he"}]}, True, id="deeper"),
        pytest.param(r'{"a":"C:\Users\"}', {"a": r'C:\Users"}'}, True, id="in a string whose quote is escaped"),
        pytest.param('```json\n{"a":1\n```', A, False, id="in a fence"),
        pytest.param(r'"{\"a\":\"he', {"a": "he"}, True, id="encoded twice"),
    ],
)
def test_what_ends_too_early_may_be_cut(raw: str, value: dict[str, Any], in_value: bool) -> None:
    (reading,) = readings(raw)
    assert (reading.value, reading.in_value) == (value, in_value)
    assert reading.may_be_cut
    assert reading.needs_schema


@pytest.mark.parametrize(
    ("raw", "values"),
    [
        ('{"a":1}{"b":2}', [{"a": 1}, {"b": 2}]),
        ('{"a":1}, {"b":2}', [{"a": 1}, {"b": 2}]),
        ('[{"a":1},{"b":2}]', [{"a": 1}, {"b": 2}]),
        ('{"a":1}{}{"b":2}{"a":1}', [{"a": 1}, {"b": 2}]),
        ('{"a":1}{"a":true}{"a":1.0}', [{"a": 1}, {"a": True}, {"a": 1.0}]),
    ],
)
def test_of_several_objects_each_is_a_reading(raw: str, values: list[dict[str, Any]]) -> None:
    """In their order, equal ones once; 1, 1.0 and true are not equal."""
    found = readings(raw)
    assert repr([reading.value for reading in found]) == repr(values)
    assert all(Repair.ONE_OF_SEVERAL in reading.repairs and reading.needs_schema for reading in found)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param("", id="nothing"),
        pytest.param("null", id="null"),
        pytest.param('"abc"', id="a string"),
        pytest.param("[1,2]", id="a list"),
        pytest.param("[1,2]x", id="a list and junk"),
        pytest.param('[1,{"a":1}]', id="a list of more than objects"),
        pytest.param('{"city": Oslo}', id="a bare word"),
        pytest.param('{"city": Oslo"}', id="half a quoted word"),
        pytest.param('{"a" 1}', id="no colon"),
        pytest.param('{"a":}', id="no value"),
        pytest.param('{"a":1,,"b":2}', id="two commas"),
        pytest.param('{"a":NaN}', id="not a number"),
        pytest.param('{"a":-Infinity}', id="infinity"),
        pytest.param('{"a":1e999}', id="more than a number holds"),
        pytest.param('{"a":%s,}' % ("9" * 5000), id="more digits than Python reads"),
        pytest.param('{"a":007}', id="leading zeros"),
        pytest.param('{"a":1,000}', id="thousands"),
        pytest.param('{"a":1,"b', id="cut in a key"),
        pytest.param('{"a":1,"b":', id="cut before a value"),
        pytest.param('{"a":1,', id="cut before a member"),
        pytest.param('{"a":tr', id="cut in a word"),
        pytest.param('{"a":1e', id="cut in an exponent"),
        pytest.param('{"a":"x\\', id="cut in an escape"),
        pytest.param('{"a":"x\\u00', id="cut in a long escape"),
        pytest.param('{}{"a":', id="cut after an empty object"),
        pytest.param('{"a":1}{"b":2', id="the second of two cut"),
        pytest.param('{"a":1},"b":2}', id="a bracket too early"),
        pytest.param('{"a":{"b":1}},"c":2}', id="an inner bracket too much"),
        pytest.param('{"a":{"b":1}} c: 2}', id="an inner bracket too much, and no comma"),
        pytest.param('{"a":1]}', id="a list's end without its beginning"),
        pytest.param('{"a":"x, "b":"y"}', id="a string's end missing"),
        pytest.param('{"a":"x","b" "c":1}', id="a member without a value"),
        pytest.param('{"a":"x", and "y"}', id="text after a string"),
        pytest.param('{"a":"f("}")","b":1}', id="a bare quote before a bracket"),
        pytest.param('{"a":"{"b":"c"}"}', id="an object as text without escapes"),
        pytest.param('{"a":["x "y", "z"]}', id="bare quotes in a list"),
        pytest.param('{"a":"x" + "y"}', id="a sum of strings"),
        pytest.param('{"a":"""x"""}', id="Python's long string"),
        pytest.param('{"a":"x" // y"}', id="a comment that may be text"),
        pytest.param('{"a":1,}' * 9, id="too many objects"),
        pytest.param('{"a":' * 201 + "1" + "}" * 201, id="too deep"),
        pytest.param("{'a':" * 100_000, id="far too deep"),
    ],
)
def test_what_is_neither_json_nor_a_known_habit_has_no_reading(raw: str) -> None:
    """Above all what would make a value up, leave a part of one out, or take a member that was begun for none."""
    assert readings(raw) == ()


marks = "'\"`“”‘’{}[],:\\/\n\t aé1😀"
strings = st.text(st.one_of(st.sampled_from(marks), st.characters(codec="utf-8")), max_size=8)


def objects(text: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    plain = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), text)
    values = st.recursive(
        plain, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3), max_leaves=6
    )
    return st.dictionaries(text, values, max_size=4)


forms: list[dict[str, Any]] = [{}, {"ensure_ascii": False}, {"indent": 1}, {"separators": (",", ":")}]
"""Ways to write the same value."""


def values_of(raw: str) -> list[str]:
    """In a form that tells 1 from true and 0.0 from -0.0."""
    return [repr(reading.value) for reading in readings(raw)]


@given(st.text(st.one_of(st.sampled_from(marks), st.characters(exclude_categories=())), max_size=40))
def test_any_text_is_read_without_an_error_into_what_can_be_sent(raw: str) -> None:
    for text in (raw, "{" + raw, '{"a":"' + raw + '"}', "{'a':" + raw + "}"):
        for reading in readings(text):
            json.dumps(reading.value, ensure_ascii=False, allow_nan=False).encode()


@given(objects(strings), st.sampled_from(forms))
def test_what_strict_json_reads_is_read_the_same(value: dict[str, Any], form: dict[str, Any]) -> None:
    (reading,) = readings(json.dumps(value, **form))
    assert (repr(reading.value), reading.repairs) == (repr(value), ())


@given(objects(strings), st.sampled_from(forms), st.lists(st.integers(min_value=0), min_size=1, max_size=5))
@example(
    {"a": [1.5e3, {"b": '"}, ]'}, [], True], "c\\": "\\", "😀": {"d": -1, "e": {}}, "f": None},
    {"indent": 1},
    [*range(200)],
)
def test_an_object_cut_anywhere_is_never_taken_for_a_whole_one(
    value: dict[str, Any], form: dict[str, Any], ends: list[int]
) -> None:
    text = json.dumps(value, **form)
    for end in ends:
        assert all(reading.may_be_cut for reading in readings(text[: end % len(text)]))


@given(objects(strings), st.sampled_from(forms), st.text("abcxyz", min_size=1, max_size=3))
def test_junk_and_encoding_leave_the_value(value: dict[str, Any], form: dict[str, Any], junk: str) -> None:
    text = json.dumps(value, **form)
    for broken in (text + junk, f"{junk} {text}", f"```json\n{text}\n```", json.dumps(text), json.dumps(text)[1:-1]):
        assert values_of(broken) == [repr(value)]


@given(objects(strings).filter(bool), st.sampled_from(forms))
def test_a_trailing_comma_leaves_the_value(value: dict[str, Any], form: dict[str, Any]) -> None:
    assert values_of(json.dumps(value, **form)[:-1] + ",}") == [repr(value)]


@given(objects(st.text("ab {}[],:\n\\é", max_size=8)), st.sampled_from(forms))
def test_other_quotes_leave_the_value(value: dict[str, Any], form: dict[str, Any]) -> None:
    text = json.dumps(value, **form)
    for quote in ("'", "`", "“"):
        assert values_of(text.replace('"', quote)) == [repr(value)]


@given(objects(st.text("ab {}[],:\n\t\"'é", max_size=8)), st.sampled_from(forms))
def test_raw_line_breaks_leave_the_value(value: dict[str, Any], form: dict[str, Any]) -> None:
    text = json.dumps(value, **form)
    assert values_of(text.replace("\\n", "\n").replace("\\t", "\t")) == [repr(value)]


@given(objects(strings), st.integers(min_value=1, max_value=8))
def test_last_brackets_that_are_missing_leave_the_value(value: dict[str, Any], count: int) -> None:
    text = json.dumps(value)
    brackets = len(text) - len(text.rstrip("]}"))
    (reading,) = readings(text[: -min(count, brackets)])
    assert repr(reading.value) == repr(value)
    assert reading.may_be_cut

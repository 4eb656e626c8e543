"""What can be read of arguments while they arrive, and that it is never something else than what they turn out to be."""

from __future__ import annotations

import json
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import GrowingField, LiveCall
from adapters.tool_calls.live_arguments import DEEPEST, START, LiveArguments, WatchedArguments
from adapters.wire.surrogates import without_halves
from tests.adapters.cuts import cut_at, places


def read(*pieces: str) -> LiveArguments:
    live = LiveArguments()
    for piece in pieces:
        live.feed(piece)
    return live


State: TypeAlias = tuple[dict[str, Any] | None, GrowingField | None]
"""The complete fields, and the one that grows."""


def state(live: LiveArguments) -> State:
    return None if live.fields is None else dict(live.fields), live.growing


def both_ways(text: str) -> State:
    """The state after the text in one piece, and character by character, with a look after each."""
    live = LiveArguments()
    for character in text:
        live.feed(character)
        state(live)
    assert state(live) == state(read(text))
    return state(live)


NOTHING: State = (None, None)


def complete(**fields: Any) -> State:
    """No field that is a string is open."""
    return fields, None


def growing(name: str, text: str, **fields: Any) -> State:
    """A field that is a string has come so far."""
    return fields, GrowingField(name, text, len(text))


STATES: list[tuple[str, State]] = [
    # ---- before there is something
    ("", NOTHING),
    (" \n", NOTHING),
    ("{", complete()),
    ('{"a', complete()),
    ('{"a":', complete()),
    # ---- numbers and literals only when they are over
    ('{"a":1', complete()),
    ('{"a":1 ', complete(a=1)),
    ('{"a":12.', complete()),
    ('{"a":-', complete()),
    ('{"a":-1.5e3}', complete(a=-1500.0)),
    ('{"a":tru', complete()),
    ('{"a":true', complete()),
    ('{"a":true,"b":null,"c":false}', complete(a=True, b=None, c=False)),
    ('{"a":1,"b', complete(a=1)),
    ('{"a":12345678901234567890123}', complete(a=12345678901234567890123)),
    # ---- strings as they grow
    ('{"a":"', growing("a", "")),
    ('{"a":"he', growing("a", "he")),
    ('{"a":"end  ', growing("a", "end  ")),
    ('{"a":1,"b":"he', growing("b", "he", a=1)),
    ('{"a":"he\\', growing("a", "he")),
    ('{"a":"he\\n', growing("a", "he\n")),
    ('{"a":"he\\u00', growing("a", "he")),
    ('{"a":"he\\u00e9', growing("a", "heé")),
    ('{"a":"say \\"hi\\"', growing("a", 'say "hi"')),
    ('{"a":"\\\\"}', complete(a="\\")),
    ('{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t"}', complete(a='"\\/\b\f\n\r\t')),
    ('{"a":""}', complete(a="")),
    ('{"a\\"b":1}', complete(**{'a"b': 1})),
    # ---- halves of surrogate pairs wait for the other half
    ('{"a":"x\\ud83d', growing("a", "x")),
    ('{"a":"x\ud83d', growing("a", "x")),
    ('{"a":"x\\ud83d\\ude', growing("a", "x")),
    ('{"a":"x\\ud83d\\ude00', growing("a", "x😀")),
    ('{"a":"x\ud83d\ude00', growing("a", "x😀")),
    ('{"a":"x\ud83d\\ude00"}', complete(a="x😀")),
    ('{"a":"\\ud83dx\\ude00"}', complete(a="\ufffdx\ufffd")),
    ('{"a":"x\\ud83d"}', complete(a="x\ufffd")),
    ('{"a\ud83d":"\ude00"}', complete(**{"a\ufffd": "\ufffd"})),
    # ---- nested values: a field is complete with everything in it
    ('{"a":[1,', complete()),
    ('{"a":[1,2]', complete(a=[1, 2])),
    ('{"a":{"b":', complete()),
    ('{"a":{"b":{}},"c":[[],{}]}', complete(a={"b": {}}, c=[[], {}])),
    ('{"a":[{"b":"he', complete()),
    ('{"a":["he', complete()),
    ('{"a":["he","y\\"', complete()),
    ('{"a":["x","\\ny"]', complete(a=["x", "\ny"])),
    # ---- the last of two equal keys counts, from its first character on
    ('{"a":1,"a":2}', complete(a=2)),
    ('{"a":1,"a":"he', growing("a", "he")),
    ('{"a":1,"a":[', complete()),
    ('{"o":{"a":1,"a":"x"}}', complete(o={"a": "x"})),
    # ---- around the object
    ('{"a":1} trailing {"b":2}', complete(a=1)),
    ('{"a":1}{"a":1}', complete(a=1)),
    ('```json\n{"a":1}\n```', complete(a=1)),
    ('Here you are: {"a":1}', complete(a=1)),
    ("{}", complete()),
    ('{}{"a":1}', complete(a=1)),
    ('{}\n{}{"a":"he', growing("a", "he")),
    # ---- what is no object
    ("12", NOTHING),
    ("null", NOTHING),
    ('[1,{"a":1}]', NOTHING),
    ('"{\\"a\\":1}"', NOTHING),
    # ---- not quite JSON
    ('{"a":"x\ny', growing("a", "x\ny")),
    ('{"a":"x\ny"}', complete(a="x\ny")),
    ('{"a":"C:\\dir"}', complete(a="C:\\dir")),
    ('{"a":"it\\\'s"}', complete(a="it\\'s")),
    ('{"a":"\\u12"}', complete(a="\\u12")),
    ('{"a":"\\ux\\u00e"}', complete(a="\\ux\\u00e")),
    ('{"a":1,}', complete(a=1)),
    ('{"a" 1}', complete(a=1)),
    ('{"a":1 "b":2}', complete(a=1, b=2)),
    ('{"a":"x""b":"y"}', complete(a="x", b="y")),
    ('{"a":,"b":2}', complete(b=2)),
    ('{"a":NaN}', complete()),
    ('{"a":NaN "b":2}', complete(b=2)),
    ('{"a":1e999}', complete()),
    ('{"n":007,"m":+1,"o":.5,"p":1.}', complete()),
    ("{a:1}", complete()),
    ("{'a':1}", complete()),
    ('{"a":1]}', complete(a=1)),
    ('{"a":[1}', complete()),
    ('{"a":1,{"b":2},"c":3}', complete(a=1, c=3)),
    ('{"__proto__":1}', complete(__proto__=1)),
]


@pytest.mark.parametrize(("text", "expected"), STATES)
def test_what_came_so_far_can_be_read(text: str, expected: State) -> None:
    assert both_ways(text) == expected


def test_of_a_long_string_only_the_beginning_is_told() -> None:
    """And how long it is by now."""
    live = read('{"a":"' + "xy" * START)
    assert live.growing == GrowingField("a", ("xy" * START)[:START], 2 * START)
    live.feed("z" * 10_000)
    assert live.growing == GrowingField("a", ("xy" * START)[:START], 2 * START + 10_000)


def test_a_beginning_that_was_told_is_not_that_of_the_next_string() -> None:
    """Each field has its own."""
    live = read('{"a":"first')
    assert live.growing == GrowingField("a", "first", 5)
    live.feed('","b":"sec')
    assert live.growing == GrowingField("b", "sec", 3)


def test_fields_are_a_view_that_goes_on_growing() -> None:
    """So asking costs nothing, however many there are; nobody can write into them."""
    live = read("{}")
    fields = live.fields
    live.feed('{"a":1,"b":2}')
    assert fields == {"a": 1, "b": 2}
    with pytest.raises(TypeError):
        fields["a"] = 3  # type: ignore[index]


def test_pieces_are_read_when_somebody_looks() -> None:
    """Each once; a call without a name is not shown."""
    pieces: list[str] = []
    watched = WatchedArguments(pieces)
    assert watched.call("get") is None
    pieces += ['{"a":', '1,"b":"x']
    assert watched.call("") is None
    assert watched.call("get") == LiveCall("get", {"a": 1}, GrowingField("b", "x", 1))
    assert not watched.read().closed
    pieces.append('y"}')
    assert watched.call("get") == LiveCall("get", {"a": 1, "b": "xy"}, None)
    assert watched.read().closed


def test_what_is_nested_too_deeply_is_not_read_any_further() -> None:
    """The field never completes, so nobody takes what was read of it for all of it."""
    opening, closing = '{"a":1,"b":' + "[" * (DEEPEST - 1), "]" * (DEEPEST - 1) + ',"c":2}'
    assert both_ways(opening + closing) == complete(**json.loads(opening + closing))
    assert both_ways(opening + "[]" + closing) == complete(a=1)


# ------------------------------------------------------------------------------------------------------------- laws

TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=12) | st.sampled_from(
    ["", "\\", '"', "\ud83d", "\ude00", "😀", "C:\\new", "x" * 40, "\n\t\x00", "[{,:}]"]
)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXT, VALUES, max_size=5)


@st.composite
def written(draw: st.DrawFn) -> str:
    """An object as JSON text, in one of the ways of writing it."""
    separators = draw(st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]))
    return json.dumps(
        draw(OBJECTS),
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, None, 1])),
        separators=separators,
    )


@given(written(), places)
def test_at_the_end_it_is_what_the_strict_parser_reads(text: str, where: list[int]) -> None:
    """For every cut, halves of surrogate pairs aside."""
    whole = without_halves(json.loads(text))
    live = read(*cut_at(text, where))
    assert live.fields == whole
    assert live.growing is None


@given(written(), places)
def test_nothing_that_was_reported_is_ever_taken_back(text: str, where: list[int]) -> None:
    """A field that is complete is as it will be, and what grows is the beginning of what it becomes."""
    whole = without_halves(json.loads(text))
    live = LiveArguments()
    for piece in cut_at(text, where):
        live.feed(piece)
        for name, value in (live.fields or {}).items():
            # Two keys may differ in their halves only.
            assert value == whole[name] or "\ufffd" in name
        if (field := live.growing) and "\ufffd" not in field.name:
            final = whole[field.name]
            assert final.startswith(field.start)
            assert len(field.start) == min(field.length, START)
            assert field.length <= len(final)


SCRAPS = st.sampled_from(
    [
        *'{}[]":,\\ \n0-1.eu',
        '"a"',
        '{"a":',
        "\\u",
        "\\ud83d",
        "\\ude00",
        "\ud83d",
        "\ude00",
        "true",
        "nul",
        "```json",
        "é",
    ]
)


@given(st.lists(SCRAPS, max_size=40).map("".join) | TEXT, places)
def test_any_text_can_be_read_and_the_cut_changes_nothing(text: str, where: list[int]) -> None:
    """Even what is no JSON at all."""
    assert state(read(*cut_at(text, where))) == both_ways(text)

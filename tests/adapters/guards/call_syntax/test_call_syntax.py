"""Reading calls that a model wrote as text."""

from __future__ import annotations

from json import dumps

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.guards.call_syntax.block import read_block
from adapters.guards.call_syntax.json_calls import read_json_calls
from adapters.guards.call_syntax.python_calls import read_python_call, read_python_calls
from adapters.guards.call_syntax.written import Written
from tests.adapters.guards.call_syntax.call_examples import BLOCKS


@pytest.mark.parametrize(("block", "calls"), BLOCKS.values(), ids=BLOCKS)
def test_a_block_gives_its_calls_in_order(block: str, calls: list[Written]) -> None:
    assert read_block(block) == calls


@pytest.mark.parametrize(("block", "calls"), BLOCKS.values(), ids=BLOCKS)
def test_a_cut_block_gives_nothing_for_whole_that_is_not(block: str, calls: list[Written]) -> None:
    for end in range(len(block)):
        whole = [call for call in read_block(block[:end]) if call.whole]
        assert whole == calls[: len(whole)]


@pytest.mark.parametrize(
    ("cut", "name", "raw"),
    [
        ('<tool_call>\n{"name": "f", "arguments": {"title": "x", "body": "abc', "f", '{"title": "x", "body": "abc'),
        ('<tool_call>{"arguments": {"name": "x"}, "name": "f", "id', "f", '{"name": "x"}'),
        ('<tool_call>{"name": "f", "arguments": {"a": "say "hi}" and', "f", '{"a": "say "hi}'),
        ('<tool_call>{"name": "f", "argu', "f", ""),
        ("<tool_call>list_ro", "list_ro", ""),
        ("<tool_call>list_rooms</tool_", "list_rooms", ""),
        ('[TOOL_CALLS]f{"a": "x', "f", '{"a": "x'),
        ('<|tool_call_start|>[f(a="x', "f", 'a="x'),
        ('<|tool_call>call:f{a:<|"|>x', "f", '{a:<|"|>x'),
        ("<function=f>\n<parameter=a>\nx", "f", "<parameter=a>\nx"),
        ("<function=f>\n<parameter=a>\nx\n</parameter>", "f", "<parameter=a>\nx\n</parameter>"),
        ("<function=f>", "f", ""),
    ],
)
def test_of_a_cut_call_the_name_and_what_came_of_the_arguments_are_given(cut: str, name: str, raw: str) -> None:
    (call,) = read_block(cut)
    assert (call.name, call.raw) == (name, raw)
    assert call.whole is (raw == '{"name": "x"}')


@pytest.mark.parametrize(
    ("payload", "raw"),
    [
        ("{'name': 'f', 'arguments': {'a': 'b'}}", "{'a': 'b'}"),
        ('{"name": "f", "arguments": {"a": "line\nbreak"}}', '{"a": "line\nbreak"}'),
        ('{"name": "f", "arguments": {"a": 1,},}', '{"a": 1,}'),
        ('{"name": "f", "arguments": {"a": 1}', '{"a": 1}'),
        ('{"name": "f", "arguments": {a: "}"}}', '{a: "}"}'),
    ],
)
def test_badly_written_json_is_given_as_it_is_and_was_not_cut(payload: str, raw: str) -> None:
    assert read_block(f"<tool_call>{payload}</tool_call>") == [Written("f", raw)]


@pytest.mark.parametrize(
    ("payload", "raw"),
    [
        ('{"name": "f", "arguments": {"a": 1}}', '{"a": 1}'),
        ('{"tool": "f", "args": {"a": 1}, "thought": "I must"}', '{"a": 1}'),
        ('{"tool_name": "f", "params": { "a":1 }}', '{ "a":1 }'),
        ('{"function": "f", "parameters": {}}', "{}"),
        ('{"action": "f", "action_input": {"a": 1}}', '{"a": 1}'),
        ('{"recipient_name": "f", "parameters": {}}', "{}"),
        ('{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}', '{"a": 1}'),
        ('{"name": "f", "arguments": "{\\"a\\": \\"\\u00e9\\"}"}', '{"a": "é"}'),
        ('{"name": "f", "arguments": null}', ""),
        ('{"name": "f"}', ""),
        ('{"type": "function", "function": {"name": "f", "arguments": "{}"}}', "{}"),
        ('{"function_call": {"name": "f", "arguments": {"a": 1}}}', '{"a": 1}'),
        ('{"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": {}}}]}', "{}"),
        ('{"name": "f", "arguments": [1]}', "[1]"),
        # No arguments, and yet there are some: the verdict shall see them.
        ('{"name": "f", "city": "Oslo"}', '{"name": "f", "city": "Oslo"}'),
    ],
)
def test_json_names_a_call_and_its_arguments_in_many_ways(payload: str, raw: str) -> None:
    assert read_block(f"<tool_call>{payload}</tool_call>") == [Written("f", raw)]


@pytest.mark.parametrize(
    "block",
    [
        "",
        "{}",
        "<tool_call>",
        "<tool_call></tool_call>",
        "<tool_call>...</tool_call>",
        "<tool_call>what a model writes</tool_call>",
        '<tool_call>{"city": "Oslo"}</tool_call>',
        '<tool_call>{"f": {"a": 1}}</tool_call>',
        "<tool_call>[1, 2]</tool_call>",
        '<tool_call>{"name": "get_wea',
        'prose <tool_call>{"name": "f", "arguments": {}}</tool_call>',
    ],
)
def test_a_block_in_which_no_name_can_be_read_is_no_call(block: str) -> None:
    assert list(read_block(block)) == []


def test_a_parameter_that_comes_twice_is_not_chosen_from() -> None:
    twice = "<parameter=a>1</parameter><parameter=a>2</parameter>"
    assert read_block(f"<function=f>{twice}</function>") == [Written("f", twice)]


def test_words_between_a_parameter_and_the_end_are_not_passed_over_in_silence() -> None:
    (call,) = read_block("<function=f><parameter=a>1</parameter> and more</function>")
    assert not call.whole


# ---------------------------------------------------------------------------------------------------------- bare JSON

STRICT = [
    ('{"name": "f", "arguments": {"a": 1}}', [Written("f", '{"a": 1}')]),
    (' {"name": "f", "parameters": {}}\n', [Written("f", "{}")]),
    ('{"id": "1", "type": "function", "name": "f", "arguments": "{\\"a\\": 1}"}', [Written("f", '{"a": 1}')]),
    ('{"type": "function", "function": {"name": "f", "arguments": {}}}', [Written("f", "{}")]),
    (
        '[{"name": "f", "arguments": {}}, {"tool": "g", "args": {"a": []}}]',
        [Written("f", "{}"), Written("g", '{"a": []}')],
    ),
    ('{"name": "f", "arguments": {}}\n{"name": "g", "arguments": {}}', [Written("f", "{}"), Written("g", "{}")]),
]


@pytest.mark.parametrize(("text", "calls"), STRICT)
def test_json_that_has_a_calls_shape_is_calls(text: str, calls: list[Written]) -> None:
    assert read_json_calls(text) == calls


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '"f"',
        '{"name": "Bob"}',
        '{"name": "Bob", "age": 3}',
        '{"name": "f", "arguments": {}, "note": "x"}',
        '{"name": "f", "arguments": [1]}',
        '{"name": "f", "arguments": "Oslo"}',
        '{"name": "", "arguments": {}}',
        '{"name": 1, "arguments": {}}',
        '{"f": {"a": 1}}',
        '{"name": "f", "arguments": {"a": NaN}}',
        '{"name": "f", "arguments": {"a": 1}',
        '{"name": "f", "arguments": {"a": 1,}}',
        '{"name": "f", "arguments": {}} and so on',
        '[{"name": "f", "arguments": {}}, 1]',
        '[{"name": "f", "arguments": {}}, {"name": "Bob"}]',
        '{"function": {"name": "f", "arguments": {}}, "note": "x"}',
        "[" * 100_000,
        '{"tool_calls": ' * 1000,
    ],
)
def test_json_of_any_other_shape_is_no_call(text: str) -> None:
    assert list(read_json_calls(text)) == []


# ------------------------------------------------------------------------------------------------------------- Python


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("f()", Written("f", "", {})),
        (" f ( ) ", Written("f", "", {})),
        ("functions.get-weather()", Written("functions.get-weather", "", {})),
        ('f({"a": "(b", "c": [1]})', Written("f", '{"a": "(b", "c": [1]}')),
        ('f("media_1")', Written("f", '"media_1"', positional="media_1")),
        ('f("a\\"b)c")', Written("f", '"a\\"b)c"', positional='a"b)c')),
        ('f("日本(語)")', Written("f", '"日本(語)"', positional="日本(語)")),
        ('f("\\ud83d\\ude00")', Written("f", '"\\ud83d\\ude00"', positional="😀")),
        ('f(k="v", n=-3.5, flag=True)', Written("f", 'k="v", n=-3.5, flag=True', {"k": "v", "n": -3.5, "flag": True})),
        ("f(a='it\\'s', b=null, c=None,)", Written("f", "a='it\\'s', b=null, c=None,", {"a": "it's", "b": None, "c": None})),
        ("f(\n  a = [1, 'x'],\n  b = {'c': {}}\n)", Written("f", "a = [1, 'x'],\n  b = {'c': {}}", {"a": [1, "x"], "b": {"c": {}}})),
        ('f(a="""x "y" z""")', Written("f", 'a="""x "y" z"""', {"a": 'x "y" z'})),
        ("f(a='C:\\dir\\n')", Written("f", "a='C:\\dir\\n'", {"a": "C:\\dir\n"})),
        ("f(straße='\\u00fc\\x41')", Written("f", "straße='\\u00fc\\x41'", {"straße": "üA"})),
    ],
)  # fmt: skip
def test_a_python_call_gives_its_arguments(text: str, call: Written) -> None:
    assert read_python_call(text) == call


@pytest.mark.parametrize(
    "text",
    [
        "",
        "f",
        "f(",
        "f(x",
        "(a=1)",
        "f(m)",
        "f('m')",
        "f(null)",
        "f(5)",
        'f(["m"])',
        'f("a", "b")',
        'f("a", b=1)',
        'f(a=1, "b")',
        'f({"a": 1}, b=2)',
        'f({a: "m"})',
        "f({'a': 1})",
        "f(**x)",
        "f(a=b)",
        "f(a==1)",
        "f(a=1 + 2)",
        'f("a" + x)',
        "f(a=g())",
        "f(a=(1, 2))",
        'f(a=f"x")',
        "f(a=1, a=2)",
        "f(a=1e999)",
        "f(a=007)",
        f"f(a={'9' * 10_000})",
        f"f(a={'[' * 10_000})",
        'f(a="x)',
        "f(a=1); g()",
        "f(it makes art)",
        "obj.f(a=1).b",
    ],
)
def test_an_expression_a_bare_word_or_a_mixture_is_no_call(text: str) -> None:
    assert read_python_call(text) is None


def test_a_list_of_python_calls_is_calls() -> None:
    calls = [Written("f", "a=1", {"a": 1}), Written("g", "", {})]
    assert read_python_calls("[f(a=1), g()]") == calls
    assert list(read_python_calls("[f(a=1), 2]")) == []
    assert list(read_python_calls("[]")) == []


# ---------------------------------------------------------------------------------------------------------------- laws

SCRAPS = st.sampled_from(
    [
        *("{", "}", "[", "]", "(", ")", '"', "'", "\\", ",", ":", "=", " ", "\n", "f", "1", "a=", "null", "```json\n"),
        *('"name": "f"', '"arguments": ', '{"a": 1}', '"function": {', "<tool_call>", "</tool_call>", "<function=f>"),
        *("<parameter=a>", "</parameter>", "</function>", '<invoke name="f">', "<arg_key>a</arg_key>", "<arg_value>"),
        *(
            "<a>",
            "</a>",
            "call:f{",
            '<|"|>',
            "<｜tool▁call▁begin｜>",
            "<｜tool▁sep｜>",
            "[TOOL_CALLS]",
            "]<]minimax[>[",
        ),
        *("<|open|>call tool='f'<|sep|>", "<|open|>argument key='a'<|sep|>", "<name>f</name>", "\ud83d", "é"),
    ]
)


@given(
    st.sampled_from(["", "<tool_call>", "<function=f>", "<|tool_call>", "[TOOL_CALLS]f", "<|tools_prefix|>"]),
    st.lists(SCRAPS, max_size=20).map("".join),
)
def test_reading_never_raises_and_makes_nothing_up(mark: str, scraps: str) -> None:
    text = mark + scraps
    for call in [*read_block(text), *read_json_calls(text), *read_python_calls(text)]:
        assert call.name
        assert call.name in text
    read_python_call(text)


@given(st.dictionaries(st.text(min_size=1), st.text()))
def test_arguments_come_out_as_they_were_written(arguments: dict[str, str]) -> None:
    raw = dumps(arguments)
    assert read_block(f'<tool_call>{{"name": "f", "arguments": {raw}}}</tool_call>') == [Written("f", raw)]
    assert read_block(f"<function=f>{raw}</function>") == [Written("f", raw)]
    assert read_json_calls(f'{{"name": "f", "arguments": {raw}}}') == [Written("f", raw)]
    assert read_python_call(f"f({raw})") == Written("f", raw)

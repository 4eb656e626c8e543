"""The guard that finds calls which the model wrote as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import FunctionCall, MalformedCall, ToolSpec
from adapters.guards.call_judge import DOUBTS
from adapters.guards.call_readers import BLOCK_LIMIT, DOUBT_LIMIT, TEXT_LIMIT
from adapters.guards.guard import GuardOutput, WrittenCall
from adapters.guards.row import GuardRow
from adapters.guards.text_calls import TextCalls
from adapters.guards.think_tags import ThinkTags
from adapters.tool_calls.verdict import Verdicts
from tests.adapters.cuts import places
from tests.adapters.guards import laws
from tests.adapters.guards.call_examples import BLOCKS
from tests.shared import SHARED


def tool(name: str, *required: str, **types: str) -> ToolSpec:
    properties = {field: {"type": kind} for field, kind in types.items()}
    return ToolSpec(name, "", {"type": "object", "properties": properties, "required": list(required)})


TOOLS = (
    tool("read_file", "id", id="string", page="integer"),
    tool("read_file_list", "id", id="string"),
    tool("draw", "prompt", "mode", prompt="string", mode="string"),
    tool("list_rooms"),
    tool("set_count", "n", n="integer"),
    tool("find", q="string"),
)


def text_calls(tools: Sequence[ToolSpec] = TOOLS) -> TextCalls:
    return TextCalls(Verdicts(tools, lambda: "call_1"))


def read(*pieces: str, ended: bool = True, tools: Sequence[ToolSpec] = TOOLS) -> list[GuardOutput]:
    guard = text_calls(tools)
    out = [given for piece in pieces for given in guard.feed(piece)]
    return laws.joined([*out, *guard.settle(ended=ended)])


def plain(given: GuardOutput) -> object:
    """Text as it is; a call as its name and arguments; a malformed one as its name alone."""
    if not isinstance(given, WrittenCall):
        return given
    return (given.call.name, dict(given.call.args)) if isinstance(given.call, FunctionCall) else (given.call.name,)


def outcome(whole: str, *, ended: bool = True) -> list[object]:
    """What comes out, and the same however the text is cut."""
    given = read(whole, ended=ended)
    assert read(*whole, ended=ended) == given
    return [plain(each) for each in given]


M = ("read_file", {"id": "m"})
ROOMS: tuple[str, dict[str, Any]] = ("list_rooms", {})

# ------------------------------------------------------------------------------------------------------------ in words

WORDS: list[tuple[str, list[object]]] = [
    # ---- where it stands
    ('read_file("m")', [M]),
    ('`read_file("m")`', [M]),
    ('``read_file("m")``', [M]),
    ('```read_file("m")```', [M]),
    ('**read_file("m")**', [M]),
    ('**`read_file("m")`**', [M]),
    ('```\nread_file("m")\n```', [M]),
    ('```python\nread_file("m")\n\nlist_rooms();\n```\nDone.', [M, ROOMS, "\nDone."]),
    ('~~~\n  read_file("m")\n~~~', [M]),
    ('```\nread_file("m")', [M]),
    ('Sure. I look.\nread_file("m")\n\nDone.', ["Sure. I look.\n", M, "\n\nDone."]),
    ('1. Look:\n   ```\n   read_file("m")\n   ```\n2. b', ["1. Look:\n   ", M, "\n2. b"]),
    ('- [ ] read_file("m")', ["- [ ] ", M]),
    ('🔧 read_file("m")', ["🔧 ", M]),
    ('Tool:read_file("m")', ["Tool:", M]),
    ('read_file("m") list_rooms()', [M, " ", ROOMS]),
    ('read_file("m"), list_rooms()', [M, ", ", ROOMS]),
    ('read_file("m") and list_rooms()', [M, " and ", ROOMS]),
    ('read_file("m")\n`list_rooms()`', [M, "\n", ROOMS]),
    # ---- how it is written
    ('functions.read_file("m")', [M]),
    ('default_api.read_file(id="m")', [M]),
    ('tools.read_file("m")', [M]),
    ('read_file  ("m")', [M]),
    ('read_file\n("m")', [M]),
    ('read_file( "m" )', [M]),
    ('read_file({"id": "m"})', [M]),
    ("read_file(id='m', page=2)", [("read_file", {"id": "m", "page": 2})]),
    ('read_file(id="""it\'s\n "m" (""")', [("read_file", {"id": 'it\'s\n "m" ('})]),
    ('read_file("a\\"b)c")', [("read_file", {"id": 'a"b)c'})]),
    ('read_file("日本(語)")', [("read_file", {"id": "日本(語)"})]),
    ('read_file_list("m")', [("read_file_list", {"id": "m"})]),
    ('draw({"prompt": "a cat :)", "mode": "x"})', [("draw", {"prompt": "a cat :)", "mode": "x"})]),
    ("list_rooms()", [ROOMS]),
    ("list_rooms ( )", [ROOMS]),
    ("list_rooms({})", [ROOMS]),
    ("find()", [("find", {})]),
    # ---- what follows
    ('read_file("m") and (more)', [M, " and (more)"]),
    ('read_file("m");', [M, ";"]),
    ('read_file("m").', [M, "."]),
    ('read_file("m") Here is your cat!', [M, " Here is your cat!"]),
    ('read_file("m") und dann', [M, " und dann"]),
    ('read_file("m") 然后', [M, " 然后"]),
    # ---- a sentence that orders it
    ('call read_file("m")', ["call ", M]),
    ('Now I use `read_file("m")`.', ["Now I use ", M, "."]),
    ('*calls* read_file("m")', ["*calls* ", M]),
    ('Ich rufe read_file("m")', ["Ich rufe ", M]),
    ('调用read_file("m")', ["调用", M]),
    ('I look, so you can plan. read_file("m")', ["I look, so you can plan. ", M]),
]


@pytest.mark.parametrize(("whole", "given"), WORDS)
def test_a_call_in_words_is_one(whole: str, given: list[object]) -> None:
    assert outcome(whole) == given


@pytest.mark.parametrize(
    "whole",
    [
        # ---- not this tool
        *('my_read_file("m")', 'read_files("m")', 'READ_FILE("m")', 'pre-read_file("m")', 'unknown({"x": 1})'),
        # ---- not these arguments
        *("read_file()", "read_file( )", "read_file('m')", "read_file(m)", 'read_file(["m"])', "read_file(null)"),
        *('read_file("a", "b")', 'read_file({id: "m"})', 'read_file({"wrong": "m"})', 'read_file(id="m", other=1)'),
        *('draw("x")', 'draw({"prompt": "x"})', "set_count(5)", 'set_count("5")', 'set_count(n="many")', 'find("x")'),
        *(
            'read_file("m" + x)',
            'read_file("m"',
            '`read_file("m"',
            'read_file("a\nb")',
            "read_file == 1",
            "list_rooms(]",
        ),
        # ---- a sentence about it
        "You could use draw (it makes art) yourself.",
        'The read_file("x") function takes an id',
        'The function is read_file("m")',
        'I say read_file("m") and wait',
        'read_file("x") takes an id',
        'read_file("x"), which takes an id',
        'read_file("x") (takes an id)',
        'read_file("x")を使います',
        '`read_file("x")` takes an id',
        '- **read_file("m")** - reads',
        'read_file("m"): reads',
        'Should I run read_file("m")?',
        # ---- an example
        *('For example, read_file("m")', 'Write it like this:\n\n```python\nread_file("m")\n```'),
        *('Here is an example. `read_file("m")`', 'You can call read_file("m")', 'e.g. read_file("m")'),
        *('Zum Beispiel: `read_file("m")`', 'Par exemple : read_file("m")', 'Por ejemplo: read_file("m")'),
        *('Você pode usar read_file("m")', 'Ad esempio: read_file("m")', 'Например: read_file("m")'),
        *('例えば read_file("m")', '例如：read_file("m")', '예를 들어 read_file("m")'),
        # ---- a part of something else
        *('obj.read_file("m")', 'a->read_file("m")', 'A::read_file("m")', 'src/read_file("m")', '@read_file("m")'),
        *('$read_file("m")', '#read_file("m")', '\\read_file("m")', '"read_file("m")"', "“read_file('m')”"),
        *(
            'print(read_file("m"))',
            '(read_file("m"))',
            'x = read_file("m")',
            'a + read_file("m")',
            '||read_file("m")||',
        ),
        *('await read_file("m")', 'return read_file("m")', 'def read_file("m")', 'x.functions.read_file("m")'),
        *(
            'read_file("m").strip()',
            'read_file("m")[0]',
            'read_file("m")()',
            'read_file("m") + x',
            'read_file("m") * 2',
        ),
        *('# read_file("m")', '> read_file("m")', '| read_file("m") | reads |', 'read_file("m") # reads'),
        # ---- code
        '```python\nfor f in files:\n    read_file("m")\n```',
        '```python\nread_file("m")\nx = 1\n```',
        '```python\nread_file("m")```',
        '> ```\n> read_file("m")\n> ```',
        '`x = read_file("m")`',
        '`read_file("m"); y`',
        '`read_file("m")',
        '**read_file("m") now**',
        '`read_file("m")``',
    ],
)
def test_what_only_looks_like_a_call_in_words_is_text(whole: str) -> None:
    assert outcome(whole) == [whole]


def test_without_tools_there_is_no_call_in_words() -> None:
    assert read('read_file("m")', tools=()) == ['read_file("m")']


# --------------------------------------------------------------------------------------------------------------- marks

ARGUMENTS = '{"id": "m"}'
CALL = f'{{"name": "read_file", "arguments": {ARGUMENTS}}}'
BLOCK = f"<tool_call>\n{CALL}\n</tool_call>"
BROKEN = '<tool_call>{"name": "read_file", "arguments": {"id": "m}}</tool_call>'


@pytest.mark.parametrize(("block", "calls"), BLOCKS.values(), ids=BLOCKS)
def test_a_block_of_every_family_is_taken_out_of_the_text(block: str, calls: Sequence[object]) -> None:
    given = read(f"Hm. {block}", tools=())
    assert given[0] == "Hm. "
    assert [type(each.call) for each in given[1:] if isinstance(each, WrittenCall)] == [FunctionCall] * len(calls)
    assert read(*f"Hm. {block}", tools=()) == given


@pytest.mark.parametrize(
    ("whole", "given"),
    [
        (f"I'll check. {BLOCK} Wait.", ["I'll check. ", M, " Wait."]),
        (f"{BLOCK}\n{BLOCK}", [M, "\n", M]),
        (f"{BLOCK}{BLOCK}", [M, M]),
        (f"<b>{BLOCK}", ["<b>", M]),
        (f"Let me find an example for you. {BLOCK}", ["Let me find an example for you. ", M]),
        # ---- marks that trail behind it
        (f"{BLOCK}\n</tool_calls><|im_end|>\nSo", [M, "\nSo"]),
        (f"{BLOCK} <|im_", [M, " <|im_"]),
        (f"<|im_end|> {BLOCK}", ["<|im_end|> ", M]),
        # ---- a closing mark in a string, and one in a string that never ends
        (
            '<tool_call>{"name": "read_file", "arguments": {"id": "</tool_call>"}}</tool_call>.',
            [("read_file", {"id": "</tool_call>"}), "."],
        ),
        (f"{BROKEN}\nSo that was it.", [("read_file",), "\nSo that was it."]),
        (f'{BROKEN}\n{BLOCK}\nThat "was" it.', [("read_file",), "\n", M, '\nThat "was" it.']),
        # ---- a fence that is all there is
        (f"```xml\n{BLOCK}\n```\n", [M, "\n"]),
        (f"```\n{BLOCK}\n{BLOCK}\n```", [M, M]),
        # ---- wrong calls
        ('<tool_call>{"name": "unknown", "arguments": {}}</tool_call>', [("unknown",)]),
        ('<tool_call>{"name": "read_file", "arguments": {"x": 1}}</tool_call>', [("read_file",)]),
        # ---- without an end
        (f"<tool_call>{CALL}", [M]),
        ('One moment. <tool_call>{"name": "read_file", "arguments": {"id": "ab', ["One moment. ", ("read_file",)]),
        ('<tool_call>{"name": "read_file", "arguments": {"id": "m"}}</tool_', [M]),
        ("<function=read_file>", [("read_file",)]),
    ],
)
def test_a_block_between_marks_is_a_call(whole: str, given: list[object]) -> None:
    assert outcome(whole) == given


@pytest.mark.parametrize(
    "whole",
    [
        "Use the <tool_call> tag, and </tool_call> after it.",
        "Models write <tool_call>, <invoke> or [TOOL_CALLS].",
        f"The model writes it like this:\n```xml\n{BLOCK}\n```\nInline it is `<tool_call>`.",
        f"```xml\n{BLOCK}\n```\nSo it is written.",
        f"Hm.\n```xml\n{BLOCK}\n```",
        f"`{BLOCK}`",
        f"> {BLOCK}",
        f"For example: {BLOCK}",
        f"You can write {BLOCK}",
        "<tool_call>no call</tool_call>",
        "<tool_call>",
        "<tool_call>\n{",
        "<tool",
    ],
)
def test_marks_that_are_spoken_of_are_text(whole: str) -> None:
    assert outcome(whole) == [whole]


def test_a_cut_block_is_never_run_and_never_shown() -> None:
    """Wherever it is cut, from the first sign of its payload on."""
    for end in range(BLOCK.index('"') + 1, BLOCK.index("}}") + 1):
        (given,) = read(BLOCK[:end], ended=False)
        assert isinstance(given, WrittenCall)
        assert isinstance(given.call, MalformedCall)


def test_the_calls_of_a_block_have_its_text_once() -> None:
    block = f"<tool_calls>[{CALL}, {CALL}]</tool_calls>"
    assert [each.text for each in read(block) if isinstance(each, WrittenCall)] == [block, ""]


# ---------------------------------------------------------------------------------------------------------------- JSON


@pytest.mark.parametrize(
    ("whole", "given"),
    [
        (CALL, [M]),
        (f"  {CALL}\n", ["  ", M, "\n"]),
        (f"Let me look:\n{CALL}", ["Let me look:\n", M]),
        (f"{CALL}\n\n{CALL}", [M, "\n\n", M]),
        (f"[{CALL}, {CALL}]", [M, M]),
        (f'{{"id": "c", "type": "function", "function": {CALL}}}', [M]),
        (f'{{"tool_calls": [{{"function": {{"name": "read_file", "arguments": {json.dumps(ARGUMENTS)}}}}}]}}', [M]),
        (f'{{"parameters": {ARGUMENTS}, "name": "read_file"}}', [M]),
        (f"```json\n{CALL}\n```", [M]),
        (f"I look.\n```\n{CALL}\n{CALL}\n```\n", ["I look.\n", M, M, "\n"]),
    ],
)
def test_json_of_a_calls_shape_at_the_end_is_a_call(whole: str, given: list[object]) -> None:
    assert outcome(whole) == given


@pytest.mark.parametrize(
    "whole",
    [
        f"{CALL}\nThat is how.",
        f"```json\n{CALL}\n```\nThat is how.",
        f"An example:\n{CALL}",
        f"So: {CALL}",
        f"> {CALL}",
        CALL[:-1],
        CALL.replace("read_file", "unknown"),
        CALL.replace('"id"', '"wrong"'),
        f'{{"name": "read_file", "arguments": {ARGUMENTS}, "comment": 1}}',
        f"[{CALL}, 1]",
        '{"name": "read_file"}',
        "{}",
        "[]",
        "[a](https://b.c)",
    ],
)
def test_other_json_is_text(whole: str) -> None:
    assert outcome(whole) == [whole]


# ------------------------------------------------------------------------------------------------ what waits, and how long


def held(*pieces: str) -> list[tuple[str, str]]:
    """Each piece, and what came out at it."""
    guard = text_calls()
    return [(piece, "".join(laws.words(guard.feed(piece)))) for piece in pieces]


def test_text_waits_only_while_it_may_begin_a_call() -> None:
    assert held("say r", "eally", " `r", "ed` ", "**", "bold** ", "read_file", " me", " <", "3 <tool", "box>") == [
        ("say r", "say "),
        ("eally", "really"),
        (" `r", " "),
        ("ed` ", "`red` "),
        ("**", ""),
        ("bold** ", "**bold** "),
        ("read_file", ""),
        (" me", "read_file me"),
        (" <", " "),
        ("3 <tool", "<3 "),
        ("box>", "<toolbox>"),
    ]


def test_code_and_json_that_can_be_no_call_stream() -> None:
    assert held("```py\n", "import", " x\n```\n", '{"na', 'me": "J', 'ohn"}\n', '{"id": 1, "tit') == [
        ("```py\n", ""),
        ("import", "```py\nimport"),
        (" x\n```\n", " x\n```\n"),
        ('{"na', ""),
        ('me": "J', '{"name": "J'),
        ('ohn"}\n', 'ohn"}\n'),
        ('{"id": 1, "tit', '{"id": 1, "tit'),
    ]


def test_what_is_spoken_of_between_marks_streams() -> None:
    assert held("Use <tool_call>", " tags", " for it.") == [
        ("Use <tool_call>", "Use "),
        (" tags", ""),
        (" for it.", "<tool_call> tags for it."),
    ]


def test_no_part_of_a_call_flashes_up() -> None:
    for call in ('read_file("m")', '**`read_file("m")`**', f"{BLOCK}", '```python\nread_file("m")\n```', CALL):
        guard = text_calls()
        assert [given for piece in call for given in guard.feed(piece) if isinstance(given, str)] == []


@pytest.mark.parametrize(
    ("begun", "limit"),
    [
        ('read_file("', TEXT_LIMIT),
        ('{"name": "read_file", "arguments": "', TEXT_LIMIT),
        ('```\nread_file("', TEXT_LIMIT),
        ('<tool_call>{"name": "', BLOCK_LIMIT),
    ],
)
def test_what_never_ends_is_text_at_a_limit(begun: str, limit: int) -> None:
    guard = text_calls()
    whole = begun + "x" * (limit + 10)
    pieces = [whole[at : at + 1000] for at in range(0, len(whole), 1000)]
    assert "".join(laws.words([given for piece in pieces for given in guard.feed(piece)])) == whole


def test_broken_quotation_marks_hold_the_answer_up_for_a_while_only() -> None:
    guard = text_calls()
    guard.feed(BROKEN)
    guard.feed("x" * DOUBT_LIMIT)
    assert [plain(given) for given in guard.feed("y")] == [("read_file",), "x" * DOUBT_LIMIT + "y"]


def test_quotation_marks_that_were_broken_often_are_trusted_no_more() -> None:
    guard = text_calls()
    for _ in range(DOUBTS):
        guard.feed(BROKEN)
        guard.settle(ended=True)
    assert [plain(given) for given in guard.feed(f"{BROKEN} So")] == [("read_file",), " So"]


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "<",
            "`",
            "[",
            "{",
            "(",
            '"',
            "\\",
            "*",
            "\n",
            "r",
            "read_file",
            "read_file(",
            'read_file("m") ',
            "<tool_call>",
        ),
        *('<tool_call>{"', "\n{", '\n{"id": "', "[TOOL_CALLS]", "```\n", "</tool_call>", '`read_file("', 'find(q="""'),
    ],
)
def test_long_runs_of_what_may_begin_a_call_end(piece: str) -> None:
    """Each character is looked at a bounded number of times, so a long run of it costs what it is long."""
    laws.check_cut(text_calls, piece * (20_000 // len(piece)), ())


# ------------------------------------------------------------------------------------------------------------- the ends


def test_a_cut_answer_runs_nothing_that_may_go_on() -> None:
    assert outcome('read_file("m")', ended=False) == [M]
    for whole in ('read_file("m"', '```\nread_file("m")', CALL[:-1]):
        assert outcome(whole, ended=False) == [whole]


def test_text_goes_on_after_a_part_of_it_has_settled() -> None:
    """What was before still leads to what comes."""
    guard = text_calls()
    out = [*guard.feed("For example "), *guard.settle(ended=True), *guard.feed('read_file("m")')]
    assert laws.joined([*out, *guard.settle(ended=True)]) == ['For example read_file("m")']


def test_text_that_was_reasoning_leads_to_nothing() -> None:
    """What was held of it comes back, and what follows begins a new text."""
    guard = text_calls()
    assert guard.feed("For example `x` and\n```\nread_") == ["For example `x` and\n```\nread_"]
    assert guard.take_back() == ""
    assert guard.feed(f"So\n{CALL}") == ["So\n"]
    assert guard.take_back() == CALL
    assert [plain(each) for each in [*guard.feed('read_file("m")'), *guard.settle(ended=True)]] == [M]


def test_a_call_in_a_thought_is_not_run() -> None:
    row = GuardRow([ThinkTags(), text_calls()])
    out = [*row.feed(f"<think>I could {BLOCK}</think>No need."), *row.settle(ended=True)]
    assert not [each for each in out if isinstance(each, WrittenCall)]
    assert laws.outcome(out)[0] == "No need."


# ---------------------------------------------------------------------------------------------------------------- laws

FRAGMENTS = st.lists(
    st.sampled_from(
        [
            *(
                'read_file("m")',
                "read_file",
                "(",
                ")",
                '"m"',
                '"',
                "'",
                '"""',
                "list_rooms()",
                "set_count(n=5)",
                "functions.",
            ),
            *(
                "`",
                "``",
                "```",
                "```\n",
                "```python\n",
                "~~~\n",
                "**",
                "*",
                "\n",
                "\n\n",
                " ",
                "> ",
                "- ",
                "\\",
                ";",
                ",",
                ".",
            ),
            *(
                CALL,
                BLOCK,
                BROKEN,
                "<tool_call>",
                "</tool_call>",
                "<tool",
                "{",
                "}",
                "[",
                "]",
                '{"name": "read_file"',
                ", ",
            ),
            *(
                '"arguments": {"id": "m"}}',
                '{"id": "c", ',
                "[TOOL_CALLS]",
                "<function=read_file>",
                "<parameter=id>m</parameter>",
            ),
            *(
                "</function>",
                "<|im_end|>",
                "<|python_tag|>",
                "e.g. ",
                "call ",
                "The ",
                "and ",
                "now. ",
                "a",
                "B",
                "使用",
                "。",
            ),
        ]
    ),
    max_size=20,
)
TEXTS = FRAGMENTS.map("".join)


@given(TEXTS, places)
def test_the_result_does_not_depend_on_the_cut(whole: str, cuts: Sequence[int]) -> None:
    laws.check_cut(text_calls, whole, cuts)


@given(TEXTS, places)
def test_nothing_is_lost(whole: str, cuts: Sequence[int]) -> None:
    laws.check_nothing_lost(text_calls, whole, cuts)


@given(st.text(st.sampled_from("ab <>/\n*#.,:[]{}`~\"'()"), max_size=60), places)
def test_text_without_a_call_is_not_changed(whole: str, cuts: Sequence[int]) -> None:
    laws.check_untouched(text_calls, whole, cuts)


@given(TEXTS, places)
def test_what_passes_unread_comes_out_as_if_it_had_been_read(whole: str, cuts: Sequence[int]) -> None:
    laws.check_unread(text_calls, whole, cuts)


@given(TEXTS, TEXTS)
def test_after_taking_back_all_begins_anew(whole: str, then: str) -> None:
    laws.check_anew(text_calls, whole, then)


@given(TEXTS)
def test_a_settled_guard_holds_nothing(whole: str) -> None:
    laws.check_settled(text_calls, whole)


# ------------------------------------------------------------------------------------------------------------- vectors


def _vectors() -> list[Any]:
    path = SHARED / "tools" / "fixtures" / "vectors.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [vector for vector in map(json.loads, lines) if vector["id"].startswith("VC-")]


def test_the_vectors_of_calls_in_text() -> None:
    """They lie beside the checkout (tests/shared.py)."""
    vectors = _vectors()
    if not vectors:
        pytest.skip(f"no vectors under {SHARED}; PARLEY_SHARED names another folder")
    for vector in vectors:
        offered = [each["function"] for each in vector["config"]["tool_list"]]
        tools = [ToolSpec(each["name"], "", each["parameters"]) for each in offered]
        given = read(*vector["input"]["deltas"], tools=tools)
        text = "".join(each for each in given if isinstance(each, str))
        calls = [plain(each) for each in given if isinstance(each, WrittenCall)]
        right = [
            (one["text"].strip(), [(call["name"], call["arguments"]) for call in one["tool_calls"]])
            for one in (vector["expected"], *vector["alternatives"])
        ]
        assert (text.strip(), calls) in right, vector["id"]

"""The guard that finds calls which the model wrote as text: what is a call, and what only looks like one."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from adapters.contract import FunctionCall, MalformedCall
from adapters.guards.guard import WrittenCall
from tests.adapters.guards.call_syntax.call_examples import BLOCKS
from tests.adapters.guards.text_calls.calls_in_text import ARGUMENTS, BLOCK, BROKEN, CALL, ROOMS, M, outcome, read

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
    ('```python\nread_file("m")```', [M]),
    ('```tool_code\nprint(read_file(id="m"))\nprint(default_api.list_rooms())\n```', [M, ROOMS]),
    ('I look.\n```tool_call\nread_file("m")\n```', ["I look.\n", M]),
    ('*opens the file* read_file("m")', ["*opens the file* ", M]),
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
    ('default_api.read_file("m")', [M]),
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
        'First `read_file("m")`, then `list_rooms()`.',
        'I did not call `read_file("m")`.',
        'If you want, I can use `read_file("m")`.',
        'Ohne Grund rufe ich nicht auf: nie benutze read_file("m")',
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
        *("list_rooms() {", "list_rooms()!=1", "list_rooms()_", "[list_rooms]", "see [list_rooms()]"),
        *('# read_file("m")', '> read_file("m")', '| read_file("m") | reads |', 'read_file("m") # reads'),
        # ---- code
        '```python\nfor f in files:\n    read_file("m")\n```',
        '```python\nread_file("m")\nx = 1\n```',
        '```python\nprint(read_file("m"))\n```',
        '```tool_code\nx = read_file("m")\n```',
        "```tool_code\nprint(1)\n```",
        'Gemma writes it like this:\n```tool_code\nprint(read_file("m"))\n```',
        'Here\'s the code:\n```python\nread_file("m")\n```',
        'So sieht ein Aufruf aus:\n```python\nread_file("m")\n```',
        'Here’s how you’d write it:\n`read_file("m")`',
        'The call would be: `read_file("m")`',
        'Der Aufruf lautet: `read_file("m")`',
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
        (f"<tool_call>{CALL}\nI wait.", [M, "\nI wait."]),
        (f"<tool_call>{CALL}\n<tool_call>{CALL}</tool_call>", [M, M]),
        ('One moment. <tool_call>{"name": "read_file", "arguments": {"id": "ab', ["One moment. ", ("read_file",)]),
        ('<tool_call>{"name": "read_file", "arguments": {"id": "m"}}</tool_', [M]),
        ("<function=read_file>", [("read_file",)]),
        # ---- a name alone
        ("<tool_call>list_rooms</tool_call>", [ROOMS]),
        ("<tool_call>read_file</tool_call>", [("read_file",)]),
        # ---- line ends of another system
        ("<function=read_file>\r\n<parameter=id>\r\nm\r\n</parameter>\r\n</function>", [M]),
        # ---- printed
        ('<tool_code>\nprint(read_file(id="m"))\n</tool_code>', [M]),
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
        f'"{BLOCK}"',
        f"“{BLOCK}” is what it wrote.",
        f"'<tool_calls>{BLOCK}</tool_calls>'",
        "The <tool_call>name</tool_call> form",
        "DeepSeek writes <｜tool▁calls▁begin｜> and <｜tool▁calls▁end｜>.",
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
    """Wherever it is cut, from its opening mark on."""
    for end in range(len("<tool_call>"), BLOCK.index("}}") + 1):
        (given,) = read(BLOCK[:end], ended=False)
        assert isinstance(given, WrittenCall)
        assert isinstance(given.call, MalformedCall)


def test_a_name_that_a_mark_is_cut_behind_tells_a_call_from_a_word() -> None:
    assert outcome("<tool_call>read_f", ended=False) == [("",)]
    for whole in ("[TOOL_CALLS] is what", "The mark <tool_call> and", "[TOOL_CALLS"):
        assert outcome(whole, ended=False) == [whole]


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
        (f"```json\n{CALL}```", [M]),
        (f"```json\n{CALL}\n```\n\n```json\n{CALL}\n```", [M, M]),
        (f"{CALL}; {CALL};", [M, M]),
        # ---- in Python's spelling
        ('[read_file(id="m"), list_rooms()]', [M, ROOMS]),
        ("Sure.\n[list_rooms()]\n", ["Sure.\n", ROOMS, "\n"]),
        ('[\n  read_file("m"),\n  list_rooms()\n]', [M, ROOMS]),
        ("[read_file(id='a] (')]", [("read_file", {"id": "a] ("})]),
        ("```python\n[list_rooms()]\n```", [ROOMS]),
    ],
)
def test_bare_values_at_the_end_are_calls(whole: str, given: list[object]) -> None:
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
        f"```json\n{CALL}\n```\n```json\n{{}}\n```",
        f"{CALL}; So",
        '[read_file(id="m")] reads it',
        "[list_rooms()](https://b.c)",
        "An example:\n[list_rooms()]",
        "[list_rooms(), 5]",
        "[list_rooms(), unknown()]",
        "[[list_rooms()]]",
        "[list_rooms()",
        "See [list_rooms()]",
    ],
)
def test_other_json_is_text(whole: str) -> None:
    assert outcome(whole) == [whole]

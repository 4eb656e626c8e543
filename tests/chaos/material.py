"""What random answers and arguments are made of: what guards look for, and what breaks text machines."""

from __future__ import annotations

import json
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from adapters.contract import ToolSpec
from adapters.guards.reasoning_tags import MARKS, NAMES

STRING: Final = {"type": "string"}
TOOLS: Final = (
    ToolSpec("read_file", "", {"type": "object", "properties": {"path": STRING}, "required": ["path"]}),
    ToolSpec(
        "draw",
        "",
        {
            "type": "object",
            "properties": {"prompt": STRING, "size": {"type": "integer"}, "tags": {"type": "array", "items": STRING}},
            "required": ["prompt"],
        },
    ),
    ToolSpec("now", "", {"type": "object", "properties": {}}),
    ToolSpec("web.search", "", {"type": "object", "properties": {"query": STRING, "filters": {"type": "object"}}}),
)
_WORDS: Final = ("Hello", "the end", "so", "wait", "naïve", "да", "Да", "こんにちは", "你好", "ok", "I", "v1", "apple")
_ODD: Final = ("👋", "👩‍👧", "\ud83d", "\ude00", "e\u0301", "\u200b", "1", "20", "3.14", "a", "x_y", "1.", "-", "*")
_BLANKS: Final = (" ", " ", " ", "  ", "\n", "\n", "\n\n", "\t", "\r\n")
_STOPS: Final = (".", ". ", "!", "?", "…", "。", ",", ";")

PROSE: Final = (*_WORDS, *_ODD, *_BLANKS, *_STOPS, "d'accord", "**", "_", "~", ":", "'", '"', "“", "”")
HARMLESS: Final = (*_WORDS, *_ODD, *_BLANKS, *_STOPS, "a > b", "&", "é", "|", "#", "$5")
"""Of this nothing is made that a guard looks for."""
CODE: Final = ("`", "``", "```", "```json\n", "```tool_code\n", "~~~", "\n```\n", "> ", "    ", "- ")
CALLS: Final = (
    *(tool.name for tool in TOOLS),
    *('read_file("a")', "read_file(path='b')", "now()", "functions.now", "draw(", "print("),
    *(")", "(", "[", "]", "{", "}"),
    *('{"name": "read_file", "arguments": {"path": "a"}}', '{"name":"now","arguments":{}}', '{"path": "c"}', '"name":'),
    *("<tool_call>", "</tool_call>", "<function=read_file>", "</function>", "<parameter=path>", "</parameter>"),
    *('<invoke name="draw">', '<parameter name="prompt">', "</invoke>", "<function_calls>", "</function_calls>"),
    *("[TOOL_CALLS]", "[ARGS]", "[/TOOL_CALLS]", "<|python_tag|>", "<|tool_call_begin|>"),
    *("<|tool_call_argument_begin|>", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>"),
    *("<｜tool▁call▁end｜>", "<｜tool▁calls▁end｜>", "<|call|>", "Action: now\nAction Input: {}"),
    *("<|channel|>commentary to=functions.now <|constrain|>json<|message|>", "<arg_key>path</arg_key>"),
    *("<arg_value>x</arg_value>", "\\", '\\"', "<", "</", "<|", ">", "call", "for example"),
)
THOUGHTS: Final = (
    *MARKS,
    *(f"<{slash}{name}>" for name in NAMES for slash in ("", "/")),
    *("<mm:think>", "</mm:think>", "< think >", "<think/>", '<think a="b">', "<THINK>", "</Think\n>", "<thi", "nk>"),
)


def answer(chance: Random) -> str:
    """A text of all that guards look for, one kind of it more often than the others."""
    kinds = (PROSE, CODE, CALLS, THOUGHTS)
    favourite = chance.choice(kinds)
    pieces = (chance.choice(chance.choice((*kinds, favourite, favourite))) for _ in range(chance.randrange(30)))
    return "".join(piece[: chance.randrange(len(piece))] if chance.random() < 0.05 else piece for piece in pieces)


def plain(chance: Random) -> str:
    return "".join(chance.choice(HARMLESS) for _ in range(chance.randrange(30)))


def value(chance: Random, depth: int = 3) -> Any:
    """A JSON value; strings hold what breaks readers of JSON."""
    match chance.randrange(8 if depth else 6):
        case 0:
            return chance.choice((None, True, False))
        case 1:
            return chance.choice((0, -1, 7, 1.5, 1e30, 2**53 + 1))
        case 6:
            return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
        case 7:
            return {_string(chance): value(chance, depth - 1) for _ in range(chance.randrange(4))}
        case _:
            return _string(chance)


def _string(chance: Random) -> str:
    pieces = (
        "a",
        "Oslo",
        " ",
        '"',
        "\\",
        "\n",
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "'",
        "`",
        "é",
        "日",
        "👋",
        "\u2028",
        "</x>",
    )
    return "".join(chance.choice(pieces) for _ in range(chance.randrange(6)))


def arguments(chance: Random) -> str:
    """The text of an object that fits a tool, or of any other."""
    fitting: Sequence[Any] = ({"path": _string(chance)}, {"prompt": _string(chance), "size": chance.randrange(99)}, {})
    fields = chance.choice((*fitting, {_string(chance): value(chance) for _ in range(chance.randrange(5))}))
    return json.dumps(fields, ensure_ascii=chance.random() < 0.5, indent=chance.choice((None, None, 1)))


def mutated(chance: Random) -> str:
    """Arguments with a few characters more, fewer or others."""
    text = arguments(chance)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(text) + 1)
        piece = chance.choice(
            (*"{}[]\",:'\\`<> \n1tn.-", "\ud800", "```json\n", "true", '\\"', "\\u12", "é", "//", "NaN", "")
        )
        text = text[:at] + piece + text[at + chance.randrange(3) :]
    return text

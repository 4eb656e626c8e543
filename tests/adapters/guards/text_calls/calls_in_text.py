"""What the tests of calls in text share: tools, calls of them, and how to read what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adapters.contract import FunctionCall, ToolSpec
from adapters.guards.guard import GuardOutput, WrittenCall
from adapters.guards.text_calls.machine import TextCalls
from adapters.tool_calls.verdict import Verdicts
from tests.adapters.guards import laws


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
ARGUMENTS = '{"id": "m"}'
CALL = f'{{"name": "read_file", "arguments": {ARGUMENTS}}}'
BLOCK = f"<tool_call>\n{CALL}\n</tool_call>"
BROKEN = '<tool_call>{"name": "read_file", "arguments": {"id": "m}}</tool_call>'

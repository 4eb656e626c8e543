"""From a call's written text to the verdict on it.

A block between marks is meant as a call, so one that is wrong is a MalformedCall, of which the model is told. Words and bare JSON may
be meant as anything, so here only what fits an offered tool in every respect is a call, and all else is the text that it seems to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from adapters.contract import FunctionCall, MalformedCall, ToolSpec
from adapters.guards.call_syntax.block import read_block
from adapters.guards.call_syntax.json_calls import read_json_calls
from adapters.guards.call_syntax.python_calls import read_python_call, read_python_calls
from adapters.guards.call_syntax.written import Written
from adapters.guards.text_calls.names import Names, names_of
from adapters.tool_calls.schema import only_required_string, unknown_fields
from adapters.tool_calls.verdict import Call, Verdicts, parsed
from adapters.wire.surrogates import whole_text

DOUBTS: Final = 8
"""Blocks of one answer whose quotation marks may turn out broken; afterwards a closing mark closes wherever it stands. So the cost
of trusting them stays bounded."""


class Judge:
    """Of one answer's calls in text."""

    def __init__(self, verdicts: Verdicts) -> None:
        self.names: Names = names_of(tuple(verdicts.tools))
        self.doubts_left = DOUBTS
        self._verdicts = verdicts

    def words(self, name: str, arguments: str) -> Sequence[Call]:
        """Of `name(…)`, whose arguments come with their brackets; () where it is no call."""
        written = read_python_call(name + whole_text(arguments))
        call = self._fitting(written) if written is not None else None
        return () if call is None else (call,)

    def json(self, text: str) -> Sequence[Call]:
        """Of JSON that stands for itself; () where it is not, in whole, calls."""
        return self._all_fitting(read_json_calls(whole_text(text)))

    def python_list(self, text: str) -> Sequence[Call]:
        """Of `[name(…), …]` that stands for itself; () where it is not, in whole, calls."""
        return self._all_fitting(read_python_calls(whole_text(text)))

    def block(self, text: str, *, closed: bool) -> Sequence[Call]:
        """Of a block from its opening mark on; () where no call can be made out. `closed`: its closing mark was there."""
        written = read_block(whole_text(text))
        calls = [self._of_block(each, closed=closed) for each in written]
        # A name alone may be any word of an answer that explains the marks.
        offered = {tool.name for tool in self._verdicts.tools.values()}
        return [
            call
            for call, each in zip(calls, written, strict=True)
            if each.raw or isinstance(call, FunctionCall) or call.name in offered
        ]

    def cut(self, text: str) -> Sequence[Call]:
        """Of a block that was cut off before it said which tool it calls."""
        return (
            MalformedCall(
                self._verdicts.make_id(), "", whole_text(text), "the answer was cut off before the call named its tool"
            ),
        )

    def _of_block(self, written: Written, *, closed: bool) -> Call:
        call_id, ended = self._verdicts.make_id(), closed or written.whole
        fields = written.fields
        if written.positional is not None and (tool := self._verdicts.tools.get(written.name)):
            only = only_required_string(tool)
            fields = {only: written.positional} if only else None
        if fields is None or not ended:
            return self._verdicts.judge(call_id, written.name, written.raw, ended=ended)
        return self._verdicts.judge_fields(call_id, written.name, fields)

    def _all_fitting(self, written: Sequence[Written]) -> Sequence[Call]:
        fitting = [call for each in written if (call := self._fitting(each)) is not None]
        return fitting if len(fitting) == len(written) else ()

    def _fitting(self, written: Written) -> FunctionCall | None:
        tool = self._verdicts.tools.get(written.name)
        fields = _fields(tool, written) if tool is not None else None
        if tool is None or fields is None or unknown_fields(tool, fields):
            return None
        call = self._verdicts.judge_fields(self._verdicts.make_id(), written.name, fields)
        return call if isinstance(call, FunctionCall) else None


def _fields(tool: ToolSpec, written: Written) -> dict[str, object] | None:
    if written.positional is not None:
        only = only_required_string(tool)
        return {only: written.positional} if only else None
    if written.fields is not None:
        return dict(written.fields)
    value = parsed(written.raw or "{}")
    return value if isinstance(value, dict) else None

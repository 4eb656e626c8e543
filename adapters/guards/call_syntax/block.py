"""Reads a block of calls that a model wrote as text, whatever family's form it has.

A block is a row of calls between marks, and the marks of one family turn up around the words of another. So nothing depends on the
family: wrappers, closing marks, brackets of lists and fences only stand between calls and are passed over, and what is left
are calls of three kinds, JSON with a name in it, a name before its arguments, and a name within the opening mark. The arguments
are JSON, tagged parameters, Python's keywords or Gemma's object. Read once from left to right; what is no call ends the reading.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from adapters.guards.call_syntax.json_calls import balanced_end, json_calls_at, value_end
from adapters.guards.call_syntax.literals import NotLiteral, literal_at
from adapters.guards.call_syntax.marks import M3, NAME, SUFFIX, Opening, may_become_stray, opening_at, stray_at
from adapters.guards.call_syntax.matching import end_of
from adapters.guards.call_syntax.parameters import Parameter, parameter_at
from adapters.guards.call_syntax.python_calls import arguments_at
from adapters.guards.call_syntax.written import Written

MOST: Final = 1000
"""Marks and calls that are read of one block, and parameters of one call."""

_KEYED: Final = "<|tools_prefix|>"
"""Apertus: the key is the tool's name."""

_GEMMA: Final = "call:"
"""Gemma 4 and FunctionGemma, whose objects are no JSON."""

_ARGUMENTS_TAG: Final = r"(?:arguments|parameters|args|input|params)>"
_BETWEEN: Final = re.compile(
    rf"(?:[\s,;)]|```\w*|</{_ARGUMENTS_TAG}|function<[|｜]tool[▁_ ]sep[|｜]>|print\((?={NAME}\s*\())*", re.ASCII
)
"""`print(get_weather(city="Oslo"))` is how Gemini and Gemma call in their `tool_code`."""
_BRACKETS: Final = re.compile(r"[\[\]]\]*(?:\[(?![A-Z/])\]*)*")
_BEFORE_ARGUMENTS: Final = re.compile(rf"\s*(?:```\w*\s*|<{_ARGUMENTS_TAG}(?=\s*[{{<])\s*)*", re.ASCII)
_SEPARATOR: Final = (
    rf"(?:<[|｜]tool[▁_ ]sep[|｜]>|<tool_sep{SUFFIX}>|<\|tool_call_argument_begin\|>|\[CALL_ID\]\w+|\[ARGS\])"
)
_HEAD: Final = re.compile(rf"(?:{_GEMMA})?(?P<name>{NAME})(?::\d+)?\s*{_SEPARATOR}*", re.ASCII)
"""`get_weather`, `functions.get_weather:0<|tool_call_argument_begin|>`, `get_weather<｜tool▁sep｜>`, `call:get_weather`."""
_NAME_TAG: Final = re.compile(rf"<(name|tool_name|function_name)>\s*(?P<name>{NAME})\s*</\1>", re.ASCII)


def read_block(block: str) -> Sequence[Written]:
    """The calls of a block, in order. It begins with its opening mark; its closing one is missing where the answer ended before.
    () where it is no call."""
    if block.startswith(M3):
        # A special token, which no value can hold.
        block = block.replace(M3, "")
    opening = opening_at(block, 0)
    if opening is None:
        return ()
    text = block.rstrip()
    close = next(
        (close for close in opening.closes if text.endswith(close) and len(text) >= opening.end + len(close)), ""
    )
    return _Block(text.removesuffix(close), closed=bool(close)).read()


class _Block:
    """The reading of one block, without its own closing mark."""

    def __init__(self, text: str, *, closed: bool) -> None:
        self._text = text
        self._closed = closed
        self._keyed = text.startswith(_KEYED)

    def read(self) -> Sequence[Written]:
        calls: list[Written] = []
        at = 0
        for _ in range(MOST):
            found = self._step(at) if at < len(self._text) else None
            if found is None:
                break
            calls += found[0]
            at = found[1]
        return calls

    def _step(self, at: int) -> tuple[Sequence[Written], int] | None:
        """What begins at `at`, and where it ends: calls, or something that only stands between them."""
        text = self._text
        if (end := end_of(_BETWEEN, text, at)) > at:
            return (), end
        if opening := opening_at(text, at):
            return self._opened(opening)
        if (stray := stray_at(text, at)) is not None:
            return (), stray
        if (end := end_of(_BRACKETS, text, at)) > at:
            return (), end
        if text[at] == "{":
            return json_calls_at(text, at, keyed=self._keyed)
        head = _HEAD.match(text, at) or _NAME_TAG.match(text, at)
        return self._called(head["name"], head.end(), gemma=text.startswith(_GEMMA, at)) if head else None

    def _opened(self, opening: Opening) -> tuple[Sequence[Written], int] | None:
        if not opening.name:
            return (), opening.end
        return self._called(opening.name, opening.end) or ((), opening.end)

    def _called(self, name: str, at: int, *, gemma: bool = False) -> tuple[Sequence[Written], int] | None:
        """The call of a tool whose arguments begin at `at`; None where neither arguments nor an end of the call stand there."""
        text = self._text
        at = end_of(_BEFORE_ARGUMENTS, text, at)
        if text.startswith("{", at):
            call, at = self._object(name, at, gemma=gemma)
        elif text.startswith("(", at):
            call, at = self._parenthesis(name, at)
        elif one := self._parameter(at):
            call, at = self._parameters(name, at, one)
        elif at == len(text) or stray_at(text, at) or may_become_stray(text, at):
            call = Written(name, "", whole=self._ends(at))
        else:
            return None
        return [call], at

    def _object(self, name: str, at: int, *, gemma: bool) -> tuple[Written, int]:
        text = self._text
        if end := value_end(text, at):
            return Written(name, text[at:end]), end
        if gemma:
            try:
                fields, end = literal_at(text, at, bare=True)
            except NotLiteral:
                pass
            else:
                return Written(name, text[at:end], fields), end
        closed = balanced_end(text, at)
        end = closed or len(text)
        return Written(name, text[at:end].rstrip(), whole=closed is not None), end

    def _parenthesis(self, name: str, at: int) -> tuple[Written, int]:
        if found := arguments_at(self._text, at + 1, name):
            return found
        return Written(name, self._text[at + 1 :].rstrip(), whole=False), len(self._text)

    def _parameters(self, name: str, begin: int, one: Parameter | None) -> tuple[Written, int]:
        text, at = self._text, begin
        fields: dict[str, Any] = {}
        once = whole = True
        while one and len(fields) < MOST:
            once = once and one.key not in fields
            fields[one.key] = one.value
            whole = whole and one.whole
            at = end_of(_BEFORE_ARGUMENTS, text, one.end)
            one = self._parameter(at)
        raw = text[begin:at].rstrip()
        if one or not once:
            # Too many, or one that came twice and whose first value would be lost: as text they fit no tool, and the model is told.
            return Written(name, raw, whole=self._closed), at
        return Written(name, raw, fields, whole=whole and self._ends(at)), at

    def _parameter(self, at: int) -> Parameter | None:
        """A mark with another meaning is none, although it may look like a parameter that is named by its tag."""
        text = self._text
        if stray_at(text, at) is not None or opening_at(text, at) is not None:
            return None
        return parameter_at(text, at, closed=self._closed)

    def _ends(self, at: int) -> bool:
        """A closing mark stands here, or the next call's opening one, for want of it."""
        at = end_of(_BETWEEN, self._text, at)
        if at == len(self._text):
            return self._closed
        return stray_at(self._text, at) is not None or opening_at(self._text, at) is not None

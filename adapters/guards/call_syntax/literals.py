"""Values in the spelling of Python, and of Gemma: what is not JSON and is a value all the same.

Strings in single, double or three quotes, or between Gemma's own marks; numbers, lists and objects; the words for true, false and
nothing in both languages. Nothing is ever evaluated, and an expression is no value.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from adapters.guards.call_syntax.matching import SPACE, end_of
from adapters.wire.surrogates import whole_text

DEEP: Final = 64

_VERBATIM: Final = re.compile(r'<\|"\|>(.*?)<\|"\|>|<escape>(.*?)<escape>', re.DOTALL)
"""Gemma 4 and FunctionGemma, whose strings know no escapes."""
_QUOTED: Final = re.compile(
    r'"""((?:[^\\]|\\.)*?)"""|' + r"'''((?:[^\\]|\\.)*?)'''|" + r'"((?:[^"\\]|\\.)*+)"|' + r"'((?:[^'\\]|\\.)*+)'",
    re.DOTALL,
)
_NUMBER: Final = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?(?![\w.])", re.ASCII)
_WORD: Final = re.compile(r"[A-Za-z_]+(?![\w.(\[])")
_WORDS: Final[Mapping[str, Any]] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_BARE_KEY: Final = re.compile(r"[\w.-]+")
_BARE: Final = re.compile(r"[^,{}\[\]<]+")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL)
_ESCAPES: Final = dict(zip("ntrbf\\\"'/", "\n\t\r\b\f\\\"'/", strict=True))


class NotLiteral(ValueError):
    """What stands there is no value, or a cut one."""


def literal_at(text: str, at: int, *, bare: bool = False, deep: int = 0) -> tuple[Any, int]:
    """The value that begins at `at`, and where it ends. Raises NotLiteral.

    `bare`: keys and strings may stand without quotes, as Gemma writes them.
    """
    if deep > DEEP:
        raise NotLiteral
    first = text[at : at + 1]
    if first == "[":
        return _list(text, at + 1, bare=bare, deep=deep + 1)
    if first == "{":
        return _object(text, at + 1, bare=bare, deep=deep + 1)
    return _string(text, at, bare=bare) or _scalar(text, at, bare=bare)


def _string(text: str, at: int, *, bare: bool) -> tuple[str, int] | None:
    if found := _QUOTED.match(text, at):
        return _unescaped(found[found.lastindex or 0]), found.end()
    if bare and (found := _VERBATIM.match(text, at)):
        return found[found.lastindex or 0], found.end()
    return None


def _scalar(text: str, at: int, *, bare: bool) -> tuple[Any, int]:
    if found := _NUMBER.match(text, at):
        return _number(found), found.end()
    found = _WORD.match(text, at)
    if found and found[0] in _WORDS:
        return _WORDS[found[0]], found.end()
    if bare and text[at : at + 1] not in ('"', "'") and (found := _BARE.match(text, at)):
        return found[0].rstrip(), found.end()
    raise NotLiteral


def _number(found: re.Match[str]) -> int | float:
    try:
        number = float(found[0]) if found[1] or found[2] else int(found[0])
    except ValueError:
        # More digits than Python reads.
        raise NotLiteral from None
    if number in (float("inf"), float("-inf")):
        raise NotLiteral
    return number


def _list(text: str, at: int, *, bare: bool, deep: int) -> tuple[list[Any], int]:
    values: list[Any] = []
    at = end_of(SPACE, text, at)
    while not text.startswith("]", at):
        value, at = literal_at(text, at, bare=bare, deep=deep)
        values.append(value)
        at = after_comma(text, at, "]")
    return values, at + 1


def _object(text: str, at: int, *, bare: bool, deep: int) -> tuple[dict[str, Any], int]:
    values: dict[str, Any] = {}
    at = end_of(SPACE, text, at)
    while not text.startswith("}", at):
        key, at = _key(text, at, bare=bare)
        at = end_of(SPACE, text, at)
        if key in values or not text.startswith(":", at):
            raise NotLiteral
        values[key], at = literal_at(text, end_of(SPACE, text, at + 1), bare=bare, deep=deep)
        at = after_comma(text, at, "}")
    return values, at + 1


def _key(text: str, at: int, *, bare: bool) -> tuple[str, int]:
    if bare and (found := _BARE_KEY.match(text, at)):
        return found[0], found.end()
    key = _string(text, at, bare=bare)
    if key is None:
        raise NotLiteral
    return key


def after_comma(text: str, at: int, closing: str) -> int:
    """Behind a comma and the blanks around it; at the closing bracket where one stands instead. Raises NotLiteral."""
    at = end_of(SPACE, text, at)
    if text.startswith(",", at):
        return end_of(SPACE, text, at + 1)
    if not text.startswith(closing, at):
        raise NotLiteral
    return at


def _unescaped(written: str) -> str:
    """An escape that neither Python nor JSON knows stands for itself, as in Python."""
    if "\\" not in written:
        return written
    # JSON writes characters beyond the first 65,536 as two halves.
    return whole_text(_ESCAPE.sub(_character, written))


def _character(found: re.Match[str]) -> str:
    code = found[1] or found[2]
    return chr(int(code, 16)) if code else _ESCAPES.get(found[3], found[0])

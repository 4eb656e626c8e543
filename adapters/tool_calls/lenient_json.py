"""The grammar of JSON, with what models write instead: one pass that notes what it forgave.

No character of a value is dropped or made up: what is neither JSON nor one of these habits is unreadable. A quote ends a string where
the strict grammar says so, if what follows could follow a string; else it and the next ones are text, up to one that could be the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from math import isinf
from typing import Any, Final

import msgspec

from adapters.wire.surrogates import whole_text


class Repair(StrEnum):
    """What was forgiven, as a clause for the log."""

    CONTROL_CHARACTERS = "raw control characters in a string"
    TRAILING_COMMA = "a comma before a closing bracket"
    QUOTES = "single quotes or back-ticks around strings"
    SMART_QUOTES = "typographic quotes around strings"
    PYTHON_LITERALS = "Python's True, False or None"
    BARE_KEYS = "keys without quotes"
    ESCAPES = "escapes that JSON does not know"
    COMMENTS = "comments"
    SPACES = "blanks that JSON does not know"
    DOUBLE_ENCODING = "the object encoded twice"
    ENTITIES = "the object escaped for HTML"
    FENCE = "a code fence around the object"
    REPEATED = "the object sent again, or an empty one beside it"
    MISSING_COMMA = "no comma between two members"
    INNER_QUOTES = "quotes in a string without a backslash"
    LEADING_TEXT = "text before the object"
    TRAILING_TEXT = "text after the object"
    SURPLUS_BRACKETS = "surplus closing brackets"
    MISSING_BRACKETS = "an inner bracket left open"
    ONE_OF_SEVERAL = "several objects"
    CLOSED_BRACKETS = "brackets left open at the end"
    CLOSED_STRING = "a string left open at the end"


DEEPEST: Final = 200
"""Levels of brackets."""


class Unreadable(Exception):
    """Goes no further than repair.readings."""


# -------------------------------------------------------------------------------------------------------- characters

_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPES: Final = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HALF_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")


def unescaped(content: str, quote: str = "", forgive: Callable[[Repair], None] = lambda _: None) -> str:
    """The text of a string. An escape that JSON does not know is text (`C:\\Users`, a regular expression's `\\d`), but before a
    quote that would end the string, or an apostrophe, the backslash is an escape in every language that models mix in."""

    def plain(found: re.Match[str]) -> str:
        body = found[1]
        if len(body) == 5:
            return chr(int(body[1:], 16))
        if body in _ESCAPES:
            return _ESCAPES[body]
        forgive(Repair.ESCAPES)
        return body if quote and body in (quote, "'") else found[0]

    if "\\" not in content:
        return content
    text = _ESCAPE.sub(plain, content)
    whole = whole_text(text)
    if "\ufffd" in whole and "\ufffd" not in text:
        forgive(Repair.ESCAPES)
    return whole


# ------------------------------------------------------------------------------------------------------- the grammar


class _Quote(msgspec.Struct, frozen=True):
    body: re.Pattern[str]
    """Up to the next quote of this kind without a backslash."""
    spoils: re.Pattern[str]
    """Begins, at a quote in a string, what cannot be text: another member, so that the string's own end is missing, or a sum of
    strings."""
    repair: Repair | None


_KINDS: Final = {opening: kind for kind in ('"', "'", "`", "“”„", "‘’") for opening in kind}
"""What begins a string: the quotes that may end it. Models mix up the two of a typographic pair."""
_BODIES: Final = {opening: rf"(?:[^{kind}\\]++|\\.)*+" for opening, kind in _KINDS.items()}
_QUOTES: Final = {
    opening: _Quote(
        re.compile(_BODIES[opening], re.DOTALL),
        re.compile(rf".(?:{_BODIES[opening]}[{kind}]\s*+:|\s*+\+)", re.DOTALL),
        None if kind == '"' else Repair.QUOTES if kind in "'`" else Repair.SMART_QUOTES,
    )
    for opening, kind in _KINDS.items()
}
_OPEN_BRACKETS: Final = {"{": "}", "[": "]"}
_ENDS: Final = ("}", "]", "")
"""What a container may end with; "" is the end of the text."""

_BARE_KEY: Final = re.compile(r"[^\W\d][\w$-]*+")
_LITERAL: Final = re.compile(r"(?:true|false|null|(True|False|None))(?!\w)")
_LITERALS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?+([eE][+-]?[0-9]++)?+(?![\w.+-])")
# A comment with a quote in it may be the rest of a string, and so may one that the text ends with.
_SPACE: Final = re.compile(r'(?:\s++|//[^\n"]*+\n|/\*[^"*]*+(?:\*(?!/)[^"*]*+)*+\*/)*+')
_JSON_SPACE: Final = re.compile(r"[ \t\r\n]*+")
_APOSTROPHE: Final = re.compile(r"(?<=[^\W\d_])['’](?=[^\W\d_])")
_STRUCTURE: Final = re.compile(r"\s*+[,:}\]]")
_CONTROL: Final = re.compile(r"[\x00-\x1f]")

_KEY: Final = "|".join(
    rf"{opening}{_BODIES[opening]}(?:\\?\Z|[{kind}]\s*+(?:\Z|:))" for opening, kind in _KINDS.items()
)
_ANY_KEY: Final = rf"{_KEY}|{_BARE_KEY.pattern}\s*+(?:\Z|:)"
_ELEMENT: Final = rf"[{''.join(_KINDS)}{{\[\d\-tfnTFN]"


def _after_string(closers: str, following: str, without_comma: str) -> re.Pattern[str]:
    ends = rf"\Z|[{closers}]|/[/*]"
    return re.compile(rf"\s*+(?:{ends}|,\s*+(?:{ends}|{following})|{without_comma})", re.DOTALL)


_AFTER_MEMBER: Final = _after_string("}", _ANY_KEY, _KEY)
_AFTER_MEMBER_IN_LIST: Final = _after_string(r"}\]", _ANY_KEY, _KEY)
_AFTER_ELEMENT: Final = _after_string(r"}\]", _ELEMENT, r"(?!)")


class LenientReader:
    """Reads one object, which begins at `at`. Afterwards `at` is where it ended."""

    def __init__(self, text: str, at: int) -> None:
        self.at = at
        self.forgiven: dict[Repair, None] = {}
        self.in_value = False
        """The text ended inside a string or number."""
        self._text = text
        self._open: list[str] = []
        """The brackets that are to be closed."""

    def read(self) -> dict[str, Any]:
        value = self._value()
        assert isinstance(value, dict)
        return value

    def _forgive(self, repair: Repair | None) -> None:
        if repair:
            self.forgiven[repair] = None

    def _next(self) -> str:
        """The next character that is no blank, which is not read yet; "" at the end."""
        start = self.at
        self._pass(_SPACE)
        if self.at > start and not _JSON_SPACE.fullmatch(self._text, start, self.at):
            self._forgive(Repair.SPACES if self._text[start : self.at].isspace() else Repair.COMMENTS)
        return self._text[self.at : self.at + 1]

    def _pass(self, pattern: re.Pattern[str]) -> None:
        if found := pattern.match(self._text, self.at):
            self.at = found.end()

    def _value(self) -> Any:
        char = self._next()
        if char in _OPEN_BRACKETS:
            return self._container(char)
        if char in _QUOTES:
            return self._string(char)
        if found := _LITERAL.match(self._text, self.at):
            self.at = found.end()
            self._forgive(Repair.PYTHON_LITERALS if found[1] else None)
            return _LITERALS[found[0]]
        if found := _NUMBER.match(self._text, self.at):
            return self._number(found)
        raise Unreadable

    def _container(self, bracket: str) -> Any:
        self.at += 1
        self._open.append(_OPEN_BRACKETS[bracket])
        if len(self._open) > DEEPEST:
            raise Unreadable
        members: dict[str | int, Any] = {}
        while not self._closes():
            key = self._key() if bracket == "{" else len(members)
            members[key] = self._value()
            self._separate()
        self._open.pop()
        return members if bracket == "{" else list(members.values())

    def _closes(self) -> bool:
        """Whether the innermost container ends here; reads its own bracket, and no other one's."""
        char = self._next()
        if char not in _ENDS:
            return False
        if char == self._open[-1]:
            self.at += 1
        elif char in self._open:
            self._forgive(Repair.MISSING_BRACKETS)
        elif char:
            # One too many, or the one that opens it is missing.
            raise Unreadable
        else:
            self._forgive(Repair.CLOSED_BRACKETS)
        return True

    def _separate(self) -> None:
        char = self._next()
        if char == ",":
            self.at += 1
            following = self._next()
            if not following:
                # A member was to come: this is no whole object, whatever its schema.
                raise Unreadable
            self._forgive(Repair.TRAILING_COMMA if following in _ENDS else None)
        elif char in (_QUOTES if self._open[-1] == "}" else _OPEN_BRACKETS):
            self._forgive(Repair.MISSING_COMMA)
        elif char not in _ENDS:
            raise Unreadable

    def _key(self) -> str:
        char = self._next()
        if char in _QUOTES:
            self.at += 1
            start = self.at
            self._pass(_QUOTES[char].body)
            key = self._content(start, char)
            self.at += 1
        elif found := _BARE_KEY.match(self._text, self.at):
            key, self.at = found[0], found.end()
            self._forgive(Repair.BARE_KEYS)
        else:
            raise Unreadable
        if self._next() != ":":
            raise Unreadable
        self.at += 1
        return key

    def _string(self, char: str) -> str:
        text, quote, in_list = self._text, _QUOTES[char], self._open[-1] == "]"
        if text.startswith(char * 3, self.at):
            # Python's long strings: where one ends is another question.
            raise Unreadable
        after = _AFTER_ELEMENT if in_list else _AFTER_MEMBER_IN_LIST if "]" in self._open else _AFTER_MEMBER
        self.at += 1
        start, bare = self.at, False
        while True:
            self._pass(quote.body)
            if text[self.at : self.at + 1] in ("", "\\"):
                return self._cut_string(start, char)
            if after.match(text, self.at + 1):
                break
            if quote.spoils.match(text, self.at):
                raise Unreadable
            if in_list and not _APOSTROPHE.match(text, self.at):
                # Bare quotes and commas may just as well be several elements.
                raise Unreadable
            if not bare and _STRUCTURE.match(text, self.at + 1):
                # The string may well end here, and the fault be in what follows.
                raise Unreadable
            bare = True
            self._forgive(Repair.INNER_QUOTES)
            self.at += 1
        content = self._content(start, char)
        self.at += 1
        return content

    def _cut_string(self, start: int, char: str) -> str:
        # Where bare quotes were text, this end may be that of any string.
        if Repair.INNER_QUOTES in self.forgiven or _HALF_ESCAPE.search(self._text, max(start, len(self._text) - 5)):
            raise Unreadable
        self._forgive(Repair.CLOSED_STRING)
        self.in_value = True
        return self._content(start, char)

    def _content(self, start: int, char: str) -> str:
        """The string from `start` to here."""
        self._forgive(_QUOTES[char].repair)
        content = self._text[start : self.at]
        if _CONTROL.search(content):
            self._forgive(Repair.CONTROL_CHARACTERS)
        return unescaped(content, char, self._forgive)

    def _number(self, found: re.Match[str]) -> int | float:
        self.at = found.end()
        if self.at == len(self._text):
            self.in_value = True
        if found[1] or found[2]:
            number = float(found[0])
            if isinf(number):
                raise Unreadable
            return number
        try:
            return int(found[0])
        except ValueError:
            # Python reads no integer of more than 4300 digits.
            raise Unreadable from None

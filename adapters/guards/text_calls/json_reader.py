"""Reads bare JSON that may be a call, and lets it go as soon as it cannot.

Answers hold a lot of JSON that is none, and it must stream. So the keys are looked at as they come: at the first key that no call
has, and at the first name that no tool on offer has, it is over. Whether what is left is JSON at all the judge knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum, auto
from typing import Final

from adapters.guards.call_syntax.json_calls import ARGUMENT_KEYS, NAME_KEYS, SIDE_KEYS, WRAPPER_KEYS
from adapters.guards.text_calls.judge import Judge
from adapters.guards.text_calls.nesting import JSON, Nesting
from adapters.guards.text_calls.readers import Reader
from adapters.tool_calls.verdict import Call


class _Role(Enum):
    """What a value is."""

    CALLS = auto()
    NAME = auto()
    NAME_OR_CALL = auto()
    """`function` holds one or the other."""
    KIND = auto()
    ANYTHING = auto()
    NOTHING = auto()
    """None is due: a value has just ended."""


_ROLES: Final[Mapping[str, _Role]] = {
    **dict.fromkeys((*SIDE_KEYS, *ARGUMENT_KEYS), _Role.ANYTHING),
    **dict.fromkeys(WRAPPER_KEYS, _Role.CALLS),
    **dict.fromkeys(NAME_KEYS, _Role.NAME),
    **dict.fromkeys(set(NAME_KEYS) & set(WRAPPER_KEYS), _Role.NAME_OR_CALL),
    "type": _Role.KIND,
}
_KINDS: Final = ("function", "function_call", "tool_call", "tool_use", "tool")
_HOLD_CALLS: Final = (_Role.CALLS, _Role.NAME_OR_CALL)

_TOKEN: Final = re.compile(r'\s+|[{}\[\],:]|"(?P<string>[^"\\]{0,128})"|[^\s"{}\[\],:\\]{1,64}')
_STRING_BEGUN: Final = re.compile(r'"([^"\\]{0,128})')
_DEEPEST: Final = 8


class JsonReader(Reader):
    """One JSON value."""

    def __init__(self, judge: Judge) -> None:
        super().__init__(judge)
        self._open: list[str] = []
        self._at_key = False
        """The next string is a key."""
        self._role: _Role = _Role.CALLS
        """Of the next value."""
        self._skipped: Nesting | None = None
        """A value under way that may be anything."""

    def _step(self, text: str, at: int, end: int) -> int:
        while at < end and not self._over and self.calls is None:
            if self._skipped is not None or self._begins_anything(text[at]):
                at = self._skip(text, at, end)
                continue
            found = _TOKEN.match(text, at, end)
            if found is None:
                if not self._may_fit(text, at, end):
                    self.calls = ()
                return at
            string = found["string"]
            if not (self._fits(found[0]) if string is None else self._fits_string(string)):
                self.calls = ()
                return at
            at = found.end()
            self._over = not self._open
        return at

    def _verdict(self) -> Sequence[Call]:
        return self._judge.json(self.text)

    def _begins_anything(self, sign: str) -> bool:
        return sign in '{["' and self._role is _Role.ANYTHING and not self._at_key

    def _skip(self, text: str, at: int, end: int) -> int:
        value = self._skipped = self._skipped or Nesting(JSON)
        at = value.read(text, at, end)
        if value.broken:
            self.calls = ()
        elif value.closed:
            self._skipped, self._role = None, _Role.NOTHING
        return at

    def _fits(self, token: str) -> bool:
        """Whether this token, which is no string, may stand here in a call."""
        if token.isspace() or token == ":":
            return True
        role = self._role
        if token not in "{}[],":
            # A number or a word, maybe only a part of it.
            return role is _Role.ANYTHING and not self._at_key
        self._role = _Role.NOTHING
        if token in ("{", "["):
            self._open.append(token)
            at_key, self._at_key, self._role = self._at_key, token == "{", _Role.CALLS
            return role in _HOLD_CALLS and not at_key and len(self._open) <= _DEEPEST
        if token in ("}", "]"):
            return bool(self._open) and self._open.pop() + token in ("{}", "[]")
        self._at_key, self._role = self._open[-1] == "{", _Role.CALLS
        return role in (_Role.NOTHING, _Role.ANYTHING)

    def _fits_string(self, string: str) -> bool:
        if self._at_key:
            self._at_key = False
            self._role = _ROLES.get(string, _Role.NOTHING)
            return string in _ROLES
        fits = string in self._wanted()
        self._role = _Role.NOTHING
        return fits

    def _may_fit(self, text: str, at: int, end: int) -> bool:
        """Whether this is the beginning of a string that fits."""
        found = _STRING_BEGUN.fullmatch(text, at, end)
        wanted = _ROLES if self._at_key else self._wanted()
        return found is not None and any(word.startswith(found[1]) for word in wanted)

    def _wanted(self) -> Iterable[str]:
        """The strings that fit as a value."""
        if self._role in (_Role.NAME, _Role.NAME_OR_CALL):
            return self._judge.names.offered
        return _KINDS if self._role is _Role.KIND else ()

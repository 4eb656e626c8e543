"""Reads a block of calls between marks.

It ends with its closing mark, or with its JSON value where its family has none. Quotation marks are trusted: a closing mark in a
JSON string does not close, unless the value does not come to its end. Then the quotation marks were wrong, the first such mark closed
all the same, and what was read behind it is given back. Such doubts are counted, so that they cost a bounded time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from adapters.guards.call_syntax.marks import LOOK_AHEAD, Opening, may_become_opening, opening_at, plausible
from adapters.guards.call_syntax.matching import BLANK, end_of
from adapters.guards.text_calls.judge import Judge
from adapters.guards.text_calls.readers import Reader
from adapters.tool_calls.verdict import MAX_REPAIRED, Call

BLOCK_LIMIT: Final = MAX_REPAIRED
"""Characters of a call between marks; a longer one would not be repaired either."""

DOUBT_LIMIT: Final = 4_000
"""Characters that are read on behind a closing mark that stands in a JSON string."""

_JSON_PAYLOAD: Final = re.compile(r"\s*(?:```\w*\s*)?[{\[]")
_PAYLOAD_SIGNS: Final = ("", "{", "[", "<", "`")
_DEPTH: Final = {"{": 1, "[": 1, "}": -1, "]": -1}
_GOES_ON: Final = frozenset("{[}],;<`")
"""Another value, brackets too many, a mark, a fence."""


class BlockReader(Reader):
    """A block, from behind its opening mark on."""

    limit = BLOCK_LIMIT

    def __init__(self, judge: Judge, opening: Opening, mark: str) -> None:
        super().__init__(judge, mark)
        self._opening = opening
        self._plausible = False
        self._quoted = False
        """The payload is JSON."""
        self._in_string = self._escaped = False
        self._depth = 0
        self._value_over = False
        self._doubt = 0
        """Behind the first closing mark in a string of this value; 0 where there is none."""

    def _step(self, text: str, at: int, end: int) -> int:
        if not self._plausible:
            payload = text[at : min(end, at + LOOK_AHEAD)]
            verdict = plausible(self._opening, payload)
            if not verdict:
                if verdict is not None or end < len(text):
                    self.calls = ()
                return at
            self._plausible = True
            self._quoted = not self._opening.closes or _JSON_PAYLOAD.match(payload) is not None
        return self._read_body(text, at, end)

    def _read_body(self, text: str, begin: int, end: int) -> int:
        at = begin
        closes, tail = self._opening.closes, self._opening.tail
        while at < end and not self._over:
            if self._value_over:
                goes_on = self._goes_on(text, at)
                if goes_on is None:
                    return at
                self._value_over, self._over = False, not goes_on
                if self._over:
                    return at + len(tail) if text.startswith(tail, at) else at
            stop = min(end, begin - self._size + self._doubt + DOUBT_LIMIT) if self._doubt else end
            if at == stop:
                self._over = True
            elif self._escaped:
                self._escaped, at = False, at + 1
            else:
                found = _tokens(closes, self._quoted, self._in_string).search(text, at, stop)
                if found is not None and found["begun"] is not None and stop == end:
                    return found.start()
                at = found.end() if found is not None else stop
                if found is not None and found["begun"] is None:
                    self._read_token(found, self._size + at - begin)
        return at

    def _goes_on(self, text: str, at: int) -> bool | None:
        """Whether a block goes on behind a whole JSON value; None: not known yet. Models forget the closing mark, and talk on."""
        if not self._opening.closes:
            return False
        behind = end_of(BLANK, text, at)
        return None if behind == len(text) else text[behind] in _GOES_ON

    def _read_token(self, found: re.Match[str], behind: int) -> None:
        token = found[0]
        if found["close"] is not None:
            if self._in_string and self._judge.doubts_left:
                self._doubt = self._doubt or behind
            else:
                self._doubt = 0
                self._over = True
        elif token == '"':
            self._in_string = not self._in_string
        elif token == "\\":
            self._escaped = True
        else:
            self._depth = max(0, self._depth + _DEPTH[token])
            if not self._depth:
                self._value_over, self._doubt = True, 0

    def _verdict(self) -> Sequence[Call]:
        if self._doubt:
            self._judge.doubts_left -= 1
            whole = self.text
            self._pieces, self.given_back = [whole[: self._doubt]], whole[self._doubt :]
        return self._judge.block(self.text, closed=True)

    def _break_off(self, text: str, at: int, *, ended: bool) -> int:
        if not self._plausible and not self._may_be_call(text[at:].strip(), ended=ended):
            return super()._break_off(text, at, ended=ended)
        if self._value_over:
            self.calls = self._verdict()
            return at
        self._take(text[at:])
        if self._doubt:
            self.calls = self._verdict()
        else:
            self.calls = self._judge.block(self.text, closed=False) or (() if ended else self._judge.cut(self.text))
        return len(text)

    def _may_be_call(self, payload: str, *, ended: bool) -> bool:
        """Of a payload too short to be plausible: nobody ends a call with it, but it may have been cut off there."""
        if ended:
            return not payload and bool(self._opening.name)
        return payload[:1] in _PAYLOAD_SIGNS or payload in self._judge.names.beginnings


@lru_cache(maxsize=256)
def _tokens(closes: tuple[str, ...], quoted: bool, in_string: bool) -> re.Pattern[str]:
    """What is looked for in a block: its closing marks, one that begins at the very end, and what JSON is made of."""
    begun = "|".join(map(_begun, closes)) or "(?!)"
    marks = rf"(?P<close>{'|'.join(map(re.escape, closes)) or '(?!)'})|(?P<begun>{begun})"
    signs = r'|["\\]' if in_string else r'|["{}\[\]]'
    return re.compile(marks + (signs if quoted else ""))


def _begun(mark: str) -> str:
    """A pattern of the mark's beginnings at the end of the text."""
    pattern = r"\Z"
    for sign in reversed(mark[1:]):
        pattern = rf"(?:\Z|{re.escape(sign)}{pattern})"
    return re.escape(mark[0]) + pattern


def block_at(judge: Judge, text: str, at: int, *, over: bool) -> BlockReader | bool:
    """For the opening mark at `at`, which it has taken. True: not known yet; False: there is none."""
    if at + 1 == len(text):
        return not over
    opening = opening_at(text, at)
    if opening is None:
        return not over and may_become_opening(text, at)
    return BlockReader(judge, opening, text[at : opening.end])

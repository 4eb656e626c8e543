"""Readers of one call each, in words and between marks. They read what it is made of, and never what stands around it.

A reader takes text from where its call begins, piece by piece, and says when the call is over, or is none. It keeps what it took and
looks at each character once; a few characters that cannot be judged before more come (the beginning of a closing mark) it
does not take, and is given again.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from adapters.guards.call_judge import Judge
from adapters.guards.call_marks import LOOK_AHEAD, Opening, plausible
from adapters.guards.call_nesting import JSON, PYTHON, Nesting
from adapters.guards.word_tries import any_word
from adapters.tool_calls.verdict import Call

TEXT_LIMIT: Final = 16_384
"""Characters of a call without marks."""

BLOCK_LIMIT: Final = 1_000_000
"""Characters of a call between marks."""

DOUBT_LIMIT: Final = 4_000
"""Characters that are read on behind a closing mark that stands in a JSON string."""


class Reader(ABC):
    """What they share: taking text, and a limit to it."""

    limit = TEXT_LIMIT

    def __init__(self, judge: Judge, begun: str = "") -> None:
        """`begun`: the beginning of the call, read already."""
        self.calls: Sequence[Call] | None = None
        """The calls, once they are known. Empty: what was read is no call."""
        self.given_back = ""
        """What was read too much, once the calls are known; it comes before the rest of the text."""
        self._judge = judge
        self._pieces = [begun]
        self._size = len(begun)
        self._over = False

    @property
    def text(self) -> str:
        """All that was taken."""
        return "".join(self._pieces)

    def read(self, text: str, at: int, ended: bool | None) -> int:
        """Takes text from `at` on; gives the index behind it. `ended` not None: no more comes, so the calls are known now."""
        end = min(len(text), at + self.limit - self._size)
        reached = self._step(text, at, end)
        self._take(text[at:reached])
        if self._over:
            self.calls = self._verdict()
        elif self.calls is None and (end < len(text) or self._size == self.limit):
            self.calls = ()
        elif self.calls is None and ended is not None:
            reached = self._break_off(text, reached, ended=ended)
        return reached

    @abstractmethod
    def _step(self, text: str, at: int, end: int) -> int:
        """Reads up to `end`; gives the index behind what is certain. `_over` where the call ends there, no `calls` where it is none."""

    @abstractmethod
    def _verdict(self) -> Sequence[Call]:
        """On the text that was taken, when it is over."""

    def _break_off(self, text: str, at: int, *, ended: bool) -> int:
        """The text is over and the call is not."""
        self.calls = ()
        return at

    def _take(self, piece: str) -> None:
        if piece:
            self._pieces.append(piece)
            self._size += len(piece)


class WordsReader(Reader):
    """`name(…)`, from the opening bracket on."""

    def __init__(self, judge: Judge, begun: str, name: str, first: str) -> None:
        """`first`: the first character of the arguments."""
        super().__init__(judge, begun)
        self._name = name
        self._begun = len(begun)
        self._nesting = Nesting(JSON if first in '{")' else PYTHON)

    def _step(self, text: str, at: int, end: int) -> int:
        at = self._nesting.read(text, at, end)
        self._over = self._nesting.closed
        if self._nesting.broken:
            self.calls = ()
        return at

    def _verdict(self) -> Sequence[Call]:
        return self._judge.words(self._name, self.text[self._begun :])


_JSON_PAYLOAD: Final = re.compile(r"\s*(?:```\w*\s*)?[{\[]")
_DEPTH: Final = {"{": 1, "[": 1, "}": -1, "]": -1}


class BlockReader(Reader):
    """A block, from behind its opening mark to its closing one, or to the end of its JSON value where it has none.

    A closing mark within a JSON string does not close, unless the value does not come to its end: then the quotation marks were
    wrong, and the first such mark closed all the same.
    """

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
        closes = self._opening.closes
        while at < end and not self._over:
            if self._value_over:
                reached = self._behind_value(text, at)
                if self._value_over:
                    return reached
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

    def _behind_value(self, text: str, at: int) -> int:
        """Whether the block goes on behind a whole JSON value. Models forget the closing mark, and talk on."""
        tail, closes = self._opening.tail, self._opening.closes
        found = _BLANK.match(text, at)
        behind = found.end() if found and closes else at
        if behind < len(text):
            self._value_over = bool(closes) and text[behind] in _GOES_ON
            self._over = not self._value_over
            self._value_over = not self._value_over
        return at + text.startswith(tail, at) * len(tail) if self._over else at

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
                self._over = not self._opening.closes and not self._opening.tail

    def _verdict(self) -> Sequence[Call]:
        if self._doubt:
            self._judge.doubts_left -= 1
            whole = self.text
            self._pieces, self.given_back = [whole[: self._doubt]], whole[self._doubt :]
        return self._judge.block(self.text, closed=True)

    def _break_off(self, text: str, at: int, *, ended: bool) -> int:
        if not self._plausible and (text[at:].strip() or not self._opening.name):
            return super()._break_off(text, at, ended=ended)
        self._take(text[at:])
        if self._doubt:
            self.calls = self._verdict()
        else:
            self.calls = self._judge.block(self.text, closed=self._value_over and not self._opening.closes)
            if not self.calls and not ended:
                self.calls = self._judge.cut(self.text)
        return len(text)


@lru_cache(maxsize=256)
def _tokens(closes: tuple[str, ...], quoted: bool, in_string: bool) -> re.Pattern[str]:
    """What is looked for in a block: its closing marks, one that begins at the very end, and what JSON is made of."""
    marks = rf"(?P<close>{any_word(closes)})|(?P<begun>{any_word(closes, cut=chr(92) + 'Z')})"
    signs = r'|["\\]' if in_string else r'|["{}\[\]]'
    return re.compile(marks + (signs if quoted else ""))

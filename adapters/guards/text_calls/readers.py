"""Readers of one value each: a call, or several written as one. They read what it is made of, and never what stands around it. Here
are what they share, words, and lists of words.

A reader takes text from where its call begins, piece by piece, and says when the call is over, or is none. It keeps what it took and
looks at each character once; a few characters that cannot be judged before more come (the beginning of a closing mark) it
does not take, and is given again.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final

from adapters.guards.call_syntax.matching import end_of
from adapters.guards.text_calls.judge import Judge
from adapters.guards.text_calls.names import Head
from adapters.guards.text_calls.nesting import JSON, PYTHON, Nesting, Spelling
from adapters.tool_calls.verdict import Call

TEXT_LIMIT: Final = 16_384
"""Characters of a call without marks."""


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


class _InBrackets(Reader):
    """A value that is over where its first bracket is closed."""

    def __init__(self, judge: Judge, begun: str, spelling: Spelling) -> None:
        super().__init__(judge, begun)
        self._nesting = Nesting(spelling)

    def _step(self, text: str, at: int, end: int) -> int:
        at = self._nesting.read(text, at, end)
        self._over = self._nesting.closed
        if self._nesting.broken:
            self.calls = ()
        return at


class WordsReader(_InBrackets):
    """`name(…)`, from the opening bracket on."""

    def __init__(self, judge: Judge, head: Head) -> None:
        super().__init__(judge, head.begun, JSON if head.first in '{")' else PYTHON)
        self._head = head

    def _verdict(self) -> Sequence[Call]:
        return self._judge.words(self._head.tool, self.text[len(self._head.begun) :])


class ListReader(_InBrackets):
    """`[name(…), …]`, from its first bracket on."""

    def __init__(self, judge: Judge) -> None:
        super().__init__(judge, "", PYTHON)

    def _verdict(self) -> Sequence[Call]:
        return self._judge.python_list(self.text)


_LIST_BEGUN: Final = re.compile(r"\[\s{0,32}")


def list_at(judge: Judge, text: str, at: int, *, over: bool) -> ListReader | bool:
    """For a list of calls that begins at `at`. True: not known yet; False: there is none."""
    begun = end_of(_LIST_BEGUN, text, at)
    if begun == at:
        return False
    if begun == len(text):
        return not over
    head = judge.names.head_at(text, begun, over=over)
    if isinstance(head, bool):
        return head
    return not head.opener and ListReader(judge)

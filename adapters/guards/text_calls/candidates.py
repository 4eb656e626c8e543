"""What may be calls, with what stands around them: in words and between marks; rows.py has fences and bare JSON.

A candidate begins where text stops coming out, and reads on until it knows what it has: calls, or text after all. They differ in what
has to stand around a call for it to be one; the call itself the readers read (readers.py). What comes is looked at once; a few
characters that cannot be judged yet are not taken, and come again with what follows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from adapters.guards.call_syntax.marks import may_become_stray, stray_at
from adapters.guards.call_syntax.matching import BLANK, end_of
from adapters.guards.guard import WrittenCall
from adapters.guards.text_calls.block_reader import BlockReader
from adapters.guards.text_calls.context import After, Before, after, lets_call
from adapters.guards.text_calls.judge import Judge
from adapters.guards.text_calls.names import Head
from adapters.guards.text_calls.readers import WordsReader
from adapters.tool_calls.verdict import Call

Found: TypeAlias = str | WrittenCall


class Candidate(Protocol):
    found: Sequence[Found] | None
    """What all that was taken is, once that is known."""
    given_back: str
    """What was taken too much; it comes before the rest of the text."""

    @property
    def text(self) -> str:
        """All that was taken."""
        ...

    def read(self, text: str, at: int, ended: bool | None) -> int:
        """Takes text from `at` on; gives the index behind it. What is left comes again, unless `found` is known.

        `ended` not None: no more comes, so it is known now. True: the model ended the text itself.
        """
        ...


def as_found(calls: Sequence[Call], text: str) -> list[Found]:
    """Calls that were written as one: the first has the text."""
    return [WrittenCall(call, "" if nr else text) for nr, call in enumerate(calls)]


class InWords:
    """`name(…)`, maybe in inline code or bold. What follows on the line has its say."""

    def __init__(self, judge: Judge, head: Head, before: Before) -> None:
        self.found: Sequence[Found] | None = None
        self.given_back = ""
        self._tools = judge.names.offered
        self._opener = head.opener
        self._closer = head.opener[::-1]
        """Must follow, and has not yet."""
        self._closed = ""
        self._reader = WordsReader(judge, head)
        self._before = before

    @property
    def text(self) -> str:
        return self._opener + self._reader.text + self._closed

    def read(self, text: str, at: int, ended: bool | None) -> int:
        if self._reader.calls is None:
            at = self._reader.read(text, at, ended)
        if self._reader.calls and self._closer and text.startswith(self._closer, at):
            at += len(self._closer)
            self._closer, self._closed = "", self._closer
        if self._reader.calls is not None:
            self._decide(self._reader.calls, text, at, over=ended is not None)
        return at

    def _decide(self, calls: Sequence[Call], text: str, at: int, *, over: bool) -> None:
        if not calls:
            follows: After | None = After.CODE
        elif self._closer:
            coming = not over and self._closer.startswith(text[at : at + len(self._closer)])
            follows = None if coming else After.CODE
        else:
            follows = after(text, at, self._tools, over=over)
        if follows is not None:
            self.found = as_found(calls, self.text) if lets_call(self._before, follows) else [self.text]


class InMarks:
    """A block between marks. Marks that only end something, directly behind it, go with it."""

    def __init__(self, reader: BlockReader) -> None:
        self.found: Sequence[Found] | None = None
        self.given_back = ""
        self._reader = reader
        self._strays: list[str] = []

    @property
    def text(self) -> str:
        return "".join([self._reader.text, *self._strays])

    def read(self, text: str, at: int, ended: bool | None) -> int:
        if self._reader.calls is None:
            at = self._reader.read(text, at, ended)
            self.given_back, self._reader.given_back = self._reader.given_back, ""
            if self.given_back or self._reader.calls is None:
                return at
        while self._reader.calls and (at < len(text) or ended is None):
            blank = end_of(BLANK, text, at)
            end = stray_at(text, blank)
            if end is None:
                if ended is None and (blank == len(text) or may_become_stray(text, blank)):
                    return at
                break
            self._strays.append(text[at:end])
            at = end
        self.found = as_found(self._reader.calls or (), self.text) or [self.text]
        return at

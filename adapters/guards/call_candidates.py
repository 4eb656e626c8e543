"""What may be calls, with what stands around them: in words, in a fence, as bare JSON, between marks.

A candidate begins where text stops coming out, and reads on until it knows what it has: calls, or text after all. The four differ in
what has to stand around a call for it to be one; the call itself the readers read. What comes is looked at once; a few
characters that cannot be judged yet are not taken, and come again with what follows them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, Protocol, TypeAlias

import regex

from adapters.guards.call_context import After, Before, after, lets_call
from adapters.guards.call_json_reader import JsonReader
from adapters.guards.call_judge import Judge
from adapters.guards.call_marks import may_become_opening, may_become_stray, opening_at, stray_at
from adapters.guards.call_readers import BLOCK_LIMIT, TEXT_LIMIT, BlockReader, Reader, WordsReader
from adapters.guards.guard import WrittenCall
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


def _as_found(calls: Sequence[Call], text: str) -> list[Found]:
    """Calls that were written as one: the first has the text."""
    return [WrittenCall(call, "" if nr else text) for nr, call in enumerate(calls)]


class InWords:
    """`name(…)`, maybe in inline code or bold. What follows on the line has its say."""

    def __init__(self, judge: Judge, opener: str, reader: WordsReader, before: Before) -> None:
        self.found: Sequence[Found] | None = None
        self.given_back = ""
        self._tools = judge.names.offered
        self._opener = opener
        self._closer = opener[::-1]
        """Must follow, and has not yet."""
        self._closed = ""
        self._reader = reader
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
            self.found = _as_found(calls, self.text) if lets_call(self._before, follows) else [self.text]


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
            blank = _end(_BLANK, text, at)
            end = stray_at(text, blank)
            if end is None:
                if ended is None and (blank == len(text) or may_become_stray(text, blank)):
                    return at
                break
            self._strays.append(text[at:end])
            at = end
        self.found = _as_found(self._reader.calls or (), self.text) or [self.text]
        return at


class _InRow(ABC):
    """Calls in a row. A subclass says what may stand between them, and when the row is over."""

    limit = TEXT_LIMIT

    def __init__(self, judge: Judge, begun: str = "") -> None:
        self.found: Sequence[Found] | None = None
        self.given_back = ""
        self._judge = judge
        self._reader: Reader | None = None
        self._texts = [begun]
        self._size = len(begun)
        self._calls: list[Sequence[Call]] = []

    @property
    def text(self) -> str:
        return "".join([*self._texts, self._reader.text if self._reader else ""])

    def read(self, text: str, at: int, ended: bool | None) -> int:
        while self.found is None and not self.given_back:
            if self._reader is not None:
                at = self._read_call(self._reader, text, at, ended)
                if self._reader is not None:
                    break
            else:
                at, before = self._read_between(text, at, ended), at
                if at == before and self._reader is None:
                    break
        return at

    @abstractmethod
    def _read_between(self, text: str, at: int, ended: bool | None) -> int:
        """Reads on to the next call, for which it calls `_begin`, or to the row's end, where it sets `found`. Takes nothing and does
        nothing where more has to come first."""

    def _begin(self, reader: Reader) -> None:
        reader.limit = min(reader.limit, self.limit - self._size)
        self._reader = reader

    def _read_call(self, reader: Reader, text: str, at: int, ended: bool | None) -> int:
        at = reader.read(text, at, ended)
        if reader.calls is not None:
            self._reader, self.given_back = None, reader.given_back
            self._take(reader.text)
            if reader.calls:
                self._calls.append(reader.calls)
            else:
                self._is_text()
        return at

    def _take(self, text: str) -> None:
        self._texts.append(text)
        self._size += len(text)

    def _take_blanks(self, text: str, at: int, pattern: re.Pattern[str]) -> int:
        found = pattern.match(text, at, min(len(text), at + self.limit - self._size))
        if found is not None and found[0]:
            self._take(found[0])
            return found.end()
        if at < len(text) and self._size == self.limit:
            self._is_text()
        return at

    def _is_text(self) -> None:
        self.found = [self.text]


_BLANK: Final = re.compile(r"\s{0,64}")
_BLANKS: Final = re.compile(r"\s+")
_BETWEEN: Final = re.compile(r"[\s;]+")


class InJson(_InRow):
    """JSON, one value or several, to the very end of the text."""

    def _read_between(self, text: str, at: int, ended: bool | None) -> int:
        at = self._take_blanks(text, at, _BLANKS)
        if at == len(text):
            if ended is not None:
                self.found = self._as_found()
        elif self.found is None and text[at] in "{[":
            self._begin(JsonReader(self._judge))
        else:
            self._is_text()
        return at

    def _as_found(self) -> list[Found]:
        found: list[Found] = []
        calls = iter(self._calls)
        for text in self._texts:
            found += [text] if not text or text.isspace() else _as_found(next(calls), text)
        return found


class InFence(_InRow):
    """A fence that holds calls and nothing else.

    With JSON or a block in it, it must end the text as well, and with a block begin it: a model that is asked how a call is written
    answers with such fences.
    """

    def __init__(self, judge: Judge, begun: str, marks: str, *, alone: bool) -> None:
        """`begun`: its first line; `marks`: the fence's marks; `alone`: nothing stands before it."""
        super().__init__(judge, begun)
        self._alone = alone
        self._may_be_followed = True
        self._closed_at: int | None = None
        """Characters up to the end of the fence."""
        self._line_begins = True
        self._marks = marks
        self._closing = re.compile(rf"{marks[0]}{{{len(marks)},{len(marks) + 32}}}")
        if alone:
            self.limit = BLOCK_LIMIT

    def _read_between(self, text: str, at: int, ended: bool | None) -> int:
        closed, over = self._closed_at is not None, ended is not None
        begin, at = at, self._take_blanks(text, at, _BLANKS if closed else _BETWEEN)
        self._line_begins = self._line_begins or "\n" in text[begin:at]
        if at == len(text):
            # Without its last line a fence goes to the end of the text, if that was not cut.
            if over:
                self._end(whole=closed or bool(ended))
        elif closed or self.found is not None:
            self._is_text()
        elif text[at] == self._marks[0]:
            at = self._close(text, at, over=over)
        else:
            at = self._begin_call(text, at, over=over)
        return at

    def _close(self, text: str, at: int, *, over: bool) -> int:
        found = self._closing.match(text, at)
        end = found.end() if found else at + len(self._marks)
        behind = _end(_LINE_BLANK, text, end)
        if behind >= len(text) and not over:
            if found is None and text[at:].strip(self._marks[0]):
                self._is_text()
            return at
        if found is None or not self._line_begins or text[behind : behind + 1] not in ("", "\r", "\n"):
            self._is_text()
            return at
        self._take(found[0])
        self._closed_at = self._size
        if self._may_be_followed:
            self._end(whole=True)
        return end

    def _begin_call(self, text: str, at: int, *, over: bool) -> int:
        """At what is neither blank nor closes the fence."""
        block = block_at(self._judge, text, at, over=over) if self._alone else False
        if isinstance(block, BlockReader):
            self._may_be_followed = False
            self._begin(block)
            return at + len(block.text)
        if text[at] in "{[" and not block:
            self._may_be_followed = False
            self._begin(JsonReader(self._judge))
            return at
        head = self._judge.names.head.match(text, at, partial=not over)
        if (head is not None and head.partial) or block:
            return at
        if head is None or head["opener"]:
            self._is_text()
            return at
        reader = words_reader(self._judge, head)
        self._begin(reader)
        return at + len(reader.text)

    def _end(self, *, whole: bool) -> None:
        if not whole or not self._calls:
            self._is_text()
            return
        text = self.text
        fence, rest = text[: self._closed_at], text[self._closed_at or len(text) :]
        self.found = [*_as_found([call for calls in self._calls for call in calls], fence), rest]


_LINE_BLANK: Final = re.compile(r"[ \t]{0,16}")


def _end(blank: re.Pattern[str], text: str, at: int) -> int:
    found = blank.match(text, at)
    return found.end() if found else at


def words_reader(judge: Judge, head: regex.Match[str]) -> WordsReader:
    """For what Names.head has found; without its opener."""
    begun = head.string[head.end("opener") : head.start("arguments")]
    return WordsReader(judge, begun, head["name"], head["arguments"][1:].lstrip()[0])


def block_at(judge: Judge, text: str, at: int, *, over: bool) -> BlockReader | bool:
    """For the opening mark at `at`, which it has taken. True: not known yet; False: there is none."""
    if at + 1 == len(text):
        return not over
    opening = opening_at(text, at)
    if opening is None:
        return not over and may_become_opening(text, at)
    mark = text[at : opening.end]
    return BlockReader(judge, opening, mark)

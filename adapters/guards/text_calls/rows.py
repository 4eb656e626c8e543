"""Candidates that hold several calls: bare values, and fences with nothing but calls in them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import groupby
from typing import Final

import regex

from adapters.guards.call_syntax.matching import end_of
from adapters.guards.guard import WrittenCall
from adapters.guards.text_calls.block_reader import BLOCK_LIMIT, block_at
from adapters.guards.text_calls.candidates import Found, as_found
from adapters.guards.text_calls.json_reader import JsonReader
from adapters.guards.text_calls.judge import Judge
from adapters.guards.text_calls.readers import TEXT_LIMIT, Reader, WordsReader, list_at
from adapters.tool_calls.verdict import Call


class InRow(ABC):
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
        reader.limit = max(0, min(reader.limit, self.limit - self._size))
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


_BLANKS: Final = re.compile(r"\s+")
_BETWEEN: Final = re.compile(r"[\s;]+")
_LINE_BLANK: Final = re.compile(r"[ \t]{0,16}")


def _value_at(judge: Judge, text: str, at: int, *, over: bool) -> Reader | bool:
    """For JSON, or a list in Python's spelling. True: not known yet; False: there is none."""
    if text[at] not in "{[":
        return False
    return list_at(judge, text, at, over=over) or JsonReader(judge)


class Bare(InRow):
    """Values, one or several, to the very end of the text."""

    def _read_between(self, text: str, at: int, ended: bool | None) -> int:
        at = self._take_blanks(text, at, _BETWEEN if self._calls else _BLANKS)
        if at == len(text):
            if ended is not None:
                self.found = self._as_found()
        elif self.found is None:
            reader = _value_at(self._judge, text, at, over=ended is not None)
            if reader is False:
                self._is_text()
            elif reader is not True:
                self._begin(reader)
        return at

    def _as_found(self) -> list[Found]:
        found: list[Found] = []
        calls = iter(self._calls)
        for are_values, texts in groupby(self._texts, lambda text: text[:1] in ("{", "[")):
            if are_values:
                found += [each for text in texts for each in as_found(next(calls), text)]
                continue
            between, last = "".join(texts), found[-1] if found else ""
            if ";" in between and isinstance(last, WrittenCall):
                # Llama 3 writes it between calls.
                found[-1] = WrittenCall(last.call, last.text + between)
            else:
                found.append(between)
        return found


FENCE: Final = regex.compile(r"(?P<marks>`{3,32}|~{3,32})[ \t]{0,8}(?P<language>[\w+#.-]{0,32})[ \t]{0,8}\r?\n")
"""The first line."""

_CALLING: Final = frozenset({"tool_code", "tool_call", "tool_calls"})
"""Languages that only calls are written in. Gemma 3 prints what they give."""
_PRINT: Final = "print("
_BETWEEN_PRINTED: Final = re.compile(r"(?:[\s;)]|print\()+")


class InFence(InRow):
    """A fence that holds calls and nothing else; or several fences, one behind the other.

    With a value or a block in it, it must end the text as well, and with a block begin it: a model that is asked how a call is
    written answers with such fences.
    """

    def __init__(self, judge: Judge, first: regex.Match[str], *, alone: bool) -> None:
        """`first`: its first line, as FENCE matches it; `alone`: nothing stands before it."""
        super().__init__(judge)
        self._alone = alone
        self._may_be_followed = True
        self._closed_at: int | None = None
        """Characters up to the end of the fence."""
        if alone:
            self.limit = BLOCK_LIMIT
        self._open(first)

    def _open(self, first: regex.Match[str]) -> None:
        self._take(first[0])
        self._closed_at = None
        self._marks = first["marks"]
        self._prints = first["language"].lower() in _CALLING
        self._closing = re.compile(rf"{self._marks[0]}{{{len(self._marks)},{len(self._marks) + 32}}}")

    def _read_between(self, text: str, at: int, ended: bool | None) -> int:
        closed, over = self._closed_at is not None, ended is not None
        at = self._take_blanks(text, at, _BLANKS if closed else _BETWEEN_PRINTED if self._prints else _BETWEEN)
        if at == len(text):
            # Without its last line a fence goes to the end of the text, if that was not cut.
            if over:
                self._end(whole=closed or bool(ended))
        elif self.found is not None:
            pass
        elif closed:
            at = self._reopen(text, at, over=over)
        elif text[at] == self._marks[0]:
            at = self._close(text, at, over=over)
        else:
            at = self._begin_call(text, at, over=over)
        return at

    def _reopen(self, text: str, at: int, *, over: bool) -> int:
        first = FENCE.match(text, at, partial=not over)
        if first is None:
            self._is_text()
        elif not first.partial:
            self._open(first)
            at = first.end()
        return at

    def _close(self, text: str, at: int, *, over: bool) -> int:
        """Behind the marks that end the fence; on the last call's line too, as some models and Discord have it."""
        found = self._closing.match(text, at)
        end = found.end() if found else at + len(self._marks)
        behind = end_of(_LINE_BLANK, text, end)
        if behind >= len(text) and not over:
            if found is None and text[at:].strip(self._marks[0]):
                self._is_text()
            return at
        if found is None or text[behind : behind + 1] not in ("", "\r", "\n"):
            self._is_text()
            return at
        self._take(found[0])
        self._closed_at = self._size
        if self._may_be_followed:
            self._end(whole=True)
        return end

    def _begin_call(self, text: str, at: int, *, over: bool) -> int:
        if self._prints and not over and _PRINT.startswith(text[at : at + len(_PRINT)]):
            return at
        reader = self._reader_at(text, at, over=over)
        if reader is False:
            self._is_text()
        elif reader is not True:
            self._may_be_followed = self._may_be_followed and isinstance(reader, WordsReader)
            self._begin(reader)
            at += len(reader.text)
        return at

    def _reader_at(self, text: str, at: int, *, over: bool) -> Reader | bool:
        """At what is neither blank nor ends the fence. True: not known yet; False: it is no call."""
        reader = (self._alone and block_at(self._judge, text, at, over=over)) or _value_at(
            self._judge, text, at, over=over
        )
        if reader is not False:
            return reader
        head = self._judge.names.head_at(text, at, over=over)
        if isinstance(head, bool):
            return head
        return not head.opener and WordsReader(self._judge, head)

    def _end(self, *, whole: bool) -> None:
        if not whole or not self._calls:
            self._is_text()
            return
        text = self.text
        fence, rest = text[: self._closed_at], text[self._closed_at or len(text) :]
        self.found = [*as_found([call for calls in self._calls for call in calls], fence), rest]

"""The end of the reasoning that a server glued to the answer: `Let me see what is in ` | `the reveal.Wrrrf... lemme chew on this.`

A server that keeps reasoning in a field of its own, and cuts between field and text too early, leaves the thought's last words at
the head of the text. What gives them away: a thought was heard, the text begins in lower case, and a sentence's end has no blank
behind it. The first end of a sentence decides. Behind it stands a blank: the model's own prose. Nothing: the seam, if an answer
may begin there or several words stand before it. Dots of names, numbers and code end no sentence and are passed over.

All is decided by the text's first WINDOW characters, mark by mark from the left, and each mark by a few characters around it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from adapters.contract import ThoughtLogEntry
from adapters.guards.guard import GuardOutput
from adapters.guards.sentence_ends import (
    begins_lower,
    is_name,
    is_name_begun,
    is_prose_without_blanks,
    may_begin_answer,
)

LIMIT: Final = 180
"""Where the sentence has to end that may be the thought's last one, in characters from the text's beginning."""

WINDOW: Final = 256
"""Characters that may wait: room for the marks and the word behind the end of that sentence."""

_MARKS: Final = re.compile("[.!?。！？]+")
_CODE: Final = re.compile("`+")
_CLOSERS: Final = ")]”»"
_PAIRED: Final = {
    mark: re.compile(rf"(?<!{run})(?:(?<![^\W_]){run}++|{run}++(?![^\W_]))")
    for mark, run in (('"', '"'), ("'", "'"), ("*", r"\*"), ("_", "_"))
} | {"’": re.compile(r"‘|’(?![^\W_])")}
"""What opens and closes with the same character, and is none of both inside a word: an apostrophe, `some_name`, `2*3`. A closing
mark counts where an odd number of these stands before it."""
_NO_BEGINNING: Final = ",;:=/\\"
"""No answer begins with these: the mark before them belongs to an abbreviation, a formula or a path."""


class ReasoningSpill:
    """A guard for one stream. Only what comes first can be a spill, so it is soon `spent`."""

    def __init__(self) -> None:
        self._armed = False
        self._spent = False
        self._held = ""
        self._at = 0
        """How far what is held was read: no mark before it decides."""

    @property
    def calm(self) -> bool:
        return self._spent

    @property
    def spent(self) -> bool:
        return self._spent

    def heard_thought(self) -> None:
        """The provider's own field for reasoning brought some that is not blank. After the first visible text it says nothing."""
        self._armed = True

    def ignores(self, text: str) -> bool:
        return True

    def passed(self, text: str) -> None:
        """Only when all is decided."""

    def feed(self, text: str) -> Sequence[GuardOutput]:
        if self._spent or not self._armed:
            self._spent = self._spent or not (text.isspace() or not text)
            return (text,) if text else ()
        text = self._held + text
        answer = self._answer_begin(text[:WINDOW], over=False)
        if answer is None and len(text) < WINDOW:
            self._held = text
            return ()
        return self._decide(text, answer)

    def settle(self, *, ended: bool) -> Sequence[GuardOutput]:
        held = self._held
        if not held:
            return ()
        if held.isspace():
            self._held = ""
            return (held,)
        return self._decide(held, self._answer_begin(held, over=True))

    def take_back(self) -> str:
        held, self._held = self._held, ""
        self._armed = self._spent = False
        self._at = 0
        return held

    def _answer_begin(self, text: str, *, over: bool) -> int | None:
        """Where the answer begins; 0 where all of the text is the answer; None where more of it may tell, which `over` says will
        not come."""
        begin = len(text) - len(text.lstrip())
        if begin == len(text):
            return None
        if not begins_lower(text[begin]):
            return 0
        for marks in _MARKS.finditer(text, max(begin, self._at)):
            if marks.start() >= LIMIT:
                return 0
            if len(_CODE.findall(text, 0, marks.start())) % 2 == 0:
                end = _behind_closers(text, marks.end(), marks.start())
                if end == len(text) or (end == marks.end() and not over and is_name_begun(text, marks.start(), end)):
                    return None
                if not _ends_no_sentence(text, marks, end):
                    return _seam(text, marks, end)
            self._at = marks.end()
        return 0 if len(text) >= LIMIT else None

    def _decide(self, text: str, answer: int | None) -> Sequence[GuardOutput]:
        self._spent = True
        self._held = ""
        return (ThoughtLogEntry(text[:answer]), text[answer:]) if answer else (text,)


def _seam(text: str, marks: re.Match[str], end: int) -> int:
    """`end`, if the answer begins there, behind the sentence that the marks end; else 0."""
    if text[end].isspace() or is_prose_without_blanks(text[marks.start() - 1], marks[0], text[end]):
        return 0
    several_words = len(text[: marks.start()].split()) > 1
    return end if several_words or may_begin_answer(text[end]) else 0


def _behind_closers(text: str, at: int, before: int) -> int:
    """Behind the brackets and quotation marks that the sentence closes after its mark: `(really?) he said "no."`"""
    while at < len(text):
        paired = _PAIRED.get(text[at])
        if text[at] not in _CLOSERS and (paired is None or len(paired.findall(text, 0, before)) % 2 == 0):
            break
        at += 1
    return at


def _ends_no_sentence(text: str, marks: re.Match[str], end: int) -> bool:
    follows = text[end]
    if follows.isspace():
        return False
    if follows in _NO_BEGINNING or (text[marks.start() - 1].isspace() and "." in marks[0]):
        # `etc., and`; `.env`, `...and`.
        return True
    return is_name(text, marks.start(), marks.end())

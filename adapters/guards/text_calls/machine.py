"""Calls that the model wrote as text, for want of a server that understands it.

The machine passes text on and looks for what could begin a call: a tool's name, a mark, JSON, a fence. From there on text waits with a
candidate (candidates.py) until it is known what it is: a call, or text that comes out as it was. Whether a candidate
may begin at a place depends on the text before it (context.py) and on whether that is code (code_regions.py).

Linear: a candidate looks at each character once, and what was found to be text is not looked at again. There are two exceptions,
both bounded: a few characters at the end of a piece wait for the next one, and a block whose quotation marks were broken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from adapters.guards.code_regions import CodeRegions
from adapters.guards.guard import GuardOutput
from adapters.guards.text_calls.block_reader import block_at
from adapters.guards.text_calls.candidates import Candidate, Found, InMarks, InWords
from adapters.guards.text_calls.context import Before, Context
from adapters.guards.text_calls.judge import Judge
from adapters.guards.text_calls.names import BEGINNING, LAST_WORD, LONGEST, SIGN_OR_CALL
from adapters.guards.text_calls.rows import FENCE, Bare, InFence
from adapters.tool_calls.verdict import Verdicts


class TextCalls:
    """A guard for one answer."""

    spent = False

    def __init__(self, verdicts: Verdicts) -> None:
        self._judge = Judge(verdicts)
        self._beginnings = self._judge.names.beginnings
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._context = Context()
        self._code = CodeRegions()
        self._candidate: Candidate | None = None
        self._held = ""
        """Not judged yet, and by no candidate taken."""
        self._out: list[GuardOutput] = []
        self._text: list[str] = []
        """Comes out next."""
        self._behind = ""
        """The last character that passed or came out, where it is known and nothing stands behind it."""

    @property
    def calm(self) -> bool:
        return self._candidate is None and not self._held

    def ignores(self, text: str) -> bool:
        """Nothing could begin in the text, nor with what its last word may become. This guard stands last in a row, so what it
        ignores passes."""
        if SIGN_OR_CALL.search(text) is not None:
            return False
        last = text[-1:]
        # No name has a character beyond ASCII.
        if last <= "z":
            word = text.rpartition(" ")[2] or text.rstrip().rpartition(" ")[2]
            if word.isascii() and word.isidentifier():
                goes_on = word == text and self._behind.isalnum() and self._behind.isascii()
                if word in self._beginnings and not goes_on:
                    return False
            elif (found := LAST_WORD.search(word[-LONGEST:])) is not None and found[0] in self._beginnings:
                return False
        self._behind = last or self._behind
        return True

    def passed(self, text: str) -> None:
        self._code.read_later(text)
        self._context.add(text)

    def feed(self, text: str) -> Sequence[GuardOutput]:
        self._advance(self._held + text, None)
        self._behind = self._context.last[-1:] if self.calm else ""
        return self._given()

    def settle(self, *, ended: bool) -> Sequence[GuardOutput]:
        self._advance(self._held, ended)
        self._behind = ""
        return self._given()

    def take_back(self) -> str:
        held = (self._candidate.text if self._candidate is not None else "") + self._held
        self._begin_anew()
        return held

    # ------------------------------------------------------------------------------------------------------- going on

    def _advance(self, text: str, ended: bool | None) -> None:
        """`ended` not None: the text is over here, and the model ended it or not."""
        self._held = ""
        if text:
            self._code.catch_up()
        at = 0
        while at < len(text) or (ended is not None and self._candidate is not None):
            if self._candidate is None:
                at = self._pass(text, at, over=ended is not None)
            else:
                text, at = self._read_candidate(self._candidate, text, at, ended)
            if self._held:
                break

    def _read_candidate(self, candidate: Candidate, text: str, at: int, ended: bool | None) -> tuple[str, int]:
        at = candidate.read(text, at, ended)
        if candidate.given_back:
            text, at, candidate.given_back = candidate.given_back + text[at:], 0, ""
        elif candidate.found is None:
            self._held = text[at:]
        if candidate.found is not None:
            self._candidate = None
            self._give(candidate.found)
        return text, at if not self._held else len(text)

    def _pass(self, text: str, at: int, *, over: bool) -> int:
        """Lets text out up to the next candidate, or to the end, or to where something may begin that is not whole yet."""
        while found := BEGINNING.search(text, at):
            start, end = found.span()
            self._show(text[at:start])
            begun = self._begin(text, start, over=over)
            if begun is True:
                self._held = text[start:]
                return len(text)
            if begun is not False:
                self._candidate = begun
                return start + len(begun.text)
            at = _end_of_run(text, end) if text[start] in _RUNS else end
            self._show(text[start:at])
        self._show(text[at:])
        return len(text)

    def _give(self, found: Sequence[Found]) -> None:
        for each in found:
            if isinstance(each, str):
                self._show(each)
                continue
            self._flush()
            self._out.append(each)
            self._context.cut()
            self._code.interrupt()

    def _show(self, text: str) -> None:
        if text:
            self._code.read(text)
            self._context.add(text)
            self._text.append(text)

    def _flush(self) -> None:
        if self._text:
            self._out.append("".join(self._text))
            self._text.clear()

    def _given(self) -> Sequence[GuardOutput]:
        self._flush()
        out, self._out = self._out, []
        return out

    # ------------------------------------------------------------------------------------------------------ beginnings

    def _begin(self, text: str, at: int, *, over: bool) -> Candidate | bool:
        """The candidate whose first sign stands at `at`. True: not known yet; False: there is none."""
        sign = text[at]
        if sign in _RUNS and self._context.last.endswith(sign):
            return False
        self._code.settle()
        if self._code.in_fence or self._code.span:
            return False
        for kind in _KINDS.get(sign, (TextCalls._begin_words,)):
            begun = kind(self, text, at, over)
            if begun is not False:
                return begun
        return False

    def _begin_fence(self, text: str, at: int, over: bool) -> Candidate | bool:
        found = FENCE.match(text, at, partial=not over)
        if found is None or self._context.before() is not Before.NOTHING:
            return False
        if found.partial:
            return True
        return not self._context.documents() and InFence(self._judge, found, alone=self._context.blank)

    def _begin_words(self, text: str, at: int, over: bool) -> Candidate | bool:
        head = not self._context.glued and self._judge.names.head_at(text, at, over=over)
        if isinstance(head, bool):
            return head
        before = self._context.before()
        if before is Before.CODE or self._context.documents():
            return False
        return InWords(self._judge, head, before)

    def _begin_block(self, text: str, at: int, over: bool) -> Candidate | bool:
        reader = block_at(self._judge, text, at, over=over)
        if isinstance(reader, bool):
            return reader
        spoken_of = self._context.apart or self._context.quoted or self._context.documents(closely=True)
        return not spoken_of and InMarks(reader)

    def _begin_bare(self, text: str, at: int, over: bool) -> Candidate | bool:
        return self._context.indented and not self._context.documents() and Bare(self._judge)


_RUNS: Final = "`~"
_KINDS: Final[Mapping[str, Sequence[Callable[[TextCalls, str, int, bool], Candidate | bool]]]] = {
    "`": (TextCalls._begin_fence, TextCalls._begin_words),
    "~": (TextCalls._begin_fence,),
    "<": (TextCalls._begin_block,),
    "]": (TextCalls._begin_block,),
    "[": (TextCalls._begin_block, TextCalls._begin_bare),
    "{": (TextCalls._begin_bare,),
}
"""By their first sign; any other one is a word's, or bold text's."""


def _end_of_run(text: str, at: int) -> int:
    """Where the run of marks ends that the one before `at` belongs to."""
    mark = text[at - 1]
    while at < len(text) and text[at] == mark:
        at += 1
    return at

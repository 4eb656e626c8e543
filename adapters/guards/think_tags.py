"""Reasoning that a server left in the text, between the marks of reasoning_tags.py.

What stands between marks is a thought, wherever it stands; one never closed is a thought to the end. Marks in code are text: in a
fence at once; after a back-tick, that and what follows waits until the inline code has ended, or cannot any more. So are marks
that are spoken of: between quotation marks, brackets or signs of emphasis, with nothing else between these. A closing mark
without an opening one means that the prompt had opened the thought: all text before it was reasoning. Nobody can know that while it
streams, so it is given as text at once, like any answer, and the closing mark takes it back (ThoughtLogEntry.takes_back); no word
is given twice. So nested marks need no count: what stands behind the inner closing mark is taken back by the outer one, and a
thought that only mentions an opening mark does not swallow the answer. Where it mentions a closing one in a fence, the fence goes on
outside, and there marks count. Held back is at most the beginning of a mark.

White space behind a thought goes to the thought, where the text before it was empty or ended in white space.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from adapters.contract import ThoughtLogEntry
from adapters.guards.code_regions import CodeRegions
from adapters.guards.reasoning_tags import START, STARTS, Kind, Mark, mark_at, may_become_mark

SPAN_LIMIT: Final = 1000
"""Characters that may wait for the end of inline code."""

LEFT: Final = 4
"""Characters before a mark that tell whether it is spoken of."""

_AROUND: Final = frozenset(
    (
        *('""', "''", "””", "’’", "**", "__", "~~", "||"),
        *("“”", "‘’", "„“", "„”", "‚‘", "‚’", "«»", "»«", "‹›", "›‹"),
        *("「」", "『』", "《》", "〈〉", "【】", "（）", "()", "[]"),
    )
)
"""What stands right before and right behind a mark that is spoken of."""
_OPENERS: Final = frozenset(pair[0] for pair in _AROUND)

_SENTENCE_ENDS: Final = frozenset(".!?…")

_SPECIAL: Final = re.compile(f"[{re.escape(STARTS)}`~\n]")
_SPACE: Final = re.compile(r"\s*")


def visible(text: str) -> str:
    """What a person should have seen of a whole text that no guard stood over while it streamed, such as an answer in the history
    of an older version: the text without thoughts and their marks."""
    guard = ThinkTags()
    shown: list[str] = []
    for piece in (*guard.feed(text), *guard.settle(ended=True)):
        if isinstance(piece, str):
            shown.append(piece)
        elif piece.takes_back:
            shown.clear()
    return "".join(shown)


class ThinkTags:
    """The machine. Its one promise to what follows: text is never a thought, unless a later piece `takes_back`."""

    spent: Final = False

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._inside = False
        self._held = ""
        self._closing = False
        self._code = CodeRegions()
        self._thought_code = CodeRegions()
        self._crossed_nr = 0
        """The fence that began in a thought and went on outside, by its number; 0: none."""
        self._probe: CodeRegions | None = None
        """Has read on through a mark after a back-tick, and what follows, up to `_probed` in what is held."""
        self._probed = 0
        self._families: set[str] = set()
        self._shown = False
        self._last = ""
        """The last character shown."""
        self._left = ""
        """The characters that a mark would stand right behind; none where another mark was."""
        self._swallowing = False
        self._out: list[str | ThoughtLogEntry] = []

    @property
    def calm(self) -> bool:
        return not (self._inside or self._held or self._swallowing)

    def ignores(self, text: str) -> bool:
        # A search for each is quicker than one for all of them, and a loop than a generator.
        for start in STARTS:  # noqa: SIM110
            if start in text:
                return False
        return True

    def passed(self, text: str) -> None:
        self._code.read_later(text)
        self._stand_behind(text)

    def feed(self, text: str) -> Sequence[str | ThoughtLogEntry]:
        if self._inside and text and not self._held and self._thought_code.calm and _SPECIAL.search(text) is None:
            return (ThoughtLogEntry(text),)
        return self._read(text)

    def settle(self, *, ended: bool) -> Sequence[str | ThoughtLogEntry]:
        self._closing = True
        out = self._read("")
        self._closing = False
        return out

    def take_back(self) -> str:
        held = self._held
        self._begin()
        return held

    def _read(self, text: str) -> Sequence[str | ThoughtLogEntry]:
        out: list[str | ThoughtLogEntry] = []
        self._out = out
        text = self._held + text
        self._held = ""
        if text:
            self._code.catch_up()
        at = 0
        while at < len(text):
            at = self._read_inside(text, at) if self._inside else self._read_outside(text, at)
        return out

    # --------------------------------------------------------------------------------------------------- in a thought

    def _read_inside(self, text: str, at: int) -> int:
        begin = at
        while found := START.search(text, at):
            at = found.start()
            mark, end = mark_at(text, at) or (None, at)
            if mark is None and self._waits(text, at):
                self._hold(text, at)
                self._think_on(text[begin:at])
                return len(text)
            if mark is None or not self._counts(mark):
                at += 1
                continue
            self._think_on(text[begin:at])
            self._families.add(mark.family)
            if mark.kind not in (Kind.OPEN, Kind.EMPTY):
                self._leave()
                return end
            begin = at = end
        self._think_on(text[begin:])
        return len(text)

    def _think_on(self, text: str) -> None:
        self._thought_code.read(text)
        self._think(text)

    def _leave(self) -> None:
        self._inside = False
        self._thought_code.settle()
        if self._thought_code.in_fence:
            self._code = self._thought_code
            self._crossed_nr = self._code.fences_nr
        self._swallow()

    # --------------------------------------------------------------------------------------------------- in the answer

    def _read_outside(self, text: str, at: int) -> int:
        if self._swallowing:
            found = _SPACE.match(text, at)
            assert found is not None
            self._think(found[0])
            at = found.end()
            if at == len(text):
                return at
            self._swallowing = False
        begin = at
        while found := START.search(text, at):
            start = found.start()
            left = (self._left + text[max(begin, start - LEFT) : start])[-LEFT:]
            mark, end = self._mark_outside(text, at, start, left)
            if mark is not None:
                self._show(text[begin:start])
                self._obey(mark)
                return end
            if self._held:
                self._show(text[begin:start])
                return len(text)
            at = end
        self._code.read(text, at)
        self._show(text[begin:])
        return len(text)

    def _mark_outside(self, text: str, at: int, start: int, left: str) -> tuple[Mark | None, int]:
        """The mark at `start`, which `left` stands before, and its end. None: text up to there, or, where something is held now,
        not known yet."""
        code = self._code
        if self._probe is None:
            code.read(text, at, start)
            code.settle()
        if code.in_fence and code.fences_nr != self._crossed_nr:
            return None, self._pass(text, start)
        mark, end = mark_at(text, start) or (None, start)
        if mark is None and self._waits(text, start):
            self._hold(text, start)
            return None, start
        if mark is None or not self._counts(mark):
            return None, self._pass(text, start)
        if _opens(left):
            if end == len(text) and not self._closing:
                self._hold(text, start)
                return None, start
            if left[-1] + text[end : end + 1] in _AROUND:
                return None, self._pass(text, start)
        if code.span:
            after = self._end_of_span(text, start)
            if after is not None:
                return None, after
        return mark, end

    def _pass(self, text: str, at: int) -> int:
        self._code.read(text, at, at + 1)
        return at + 1

    def _end_of_span(self, text: str, start: int) -> int | None:
        """Where the inline code ends that the mark at `start` may stand in; `start`, holding all, where that is not known yet;
        None where there is no inline code."""
        probe, self._probe = self._probe or self._code.copy(), None
        limit = min(len(text), start + SPAN_LIMIT)
        over = probe.read_span(text, start + self._probed, limit)
        self._probed = 0
        if over is None and self._closing:
            probe.settle()
            over = limit
        if over is None and limit < start + SPAN_LIMIT:
            self._probe, self._probed = probe, limit - start
            self._hold(text, start)
            return start
        if over is not None and probe.closed_nr > self._code.closed_nr:
            self._code = probe
            return over
        return None

    def _obey(self, mark: Mark) -> None:
        self._families.add(mark.family)
        self._code.interrupt()
        if mark.kind is Kind.OPEN:
            self._inside = True
            self._thought_code = CodeRegions()
            return
        if mark.kind is Kind.CLOSE:
            if self._shown:
                self._out.append(ThoughtLogEntry("", takes_back=True))
            self._shown = False
            self._last = ""
            self._code = CodeRegions()
            self._crossed_nr = 0
        self._swallow()

    # ------------------------------------------------------------------------------------------------------- in both

    def _waits(self, text: str, at: int) -> bool:
        return not self._closing and may_become_mark(text, at)

    def _counts(self, mark: Mark) -> bool:
        return mark.kind is not Kind.STOP or mark.family in self._families

    def _hold(self, text: str, at: int) -> None:
        self._held = text[at:]

    def _swallow(self) -> None:
        self._left = ""
        self._swallowing = not self._last or self._last.isspace()

    def _think(self, text: str) -> None:
        if text:
            self._out.append(ThoughtLogEntry(text))

    def _show(self, text: str) -> None:
        if text:
            self._stand_behind(text)
            self._out.append(text)

    def _stand_behind(self, text: str) -> None:
        self._last = text[-1]
        self._left = text[-LEFT:] if len(text) >= LEFT else (self._left + text)[-LEFT:]
        self._shown = True


def _opens(left: str) -> bool:
    """Whether what stands before a mark opens a quotation: `"<think>"`, but not in `*waves*<think>*no idea*`."""
    quote = left[-1:]
    if quote not in _OPENERS:
        return False
    before = left.rstrip(quote)[-1:]
    # What opens and closes alike closes behind a word or a sentence. Scripts without case put no blank before quotation marks.
    return quote * 2 not in _AROUND or (before.lower() == before.upper() and before not in _SENTENCE_ENDS)

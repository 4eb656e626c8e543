"""Inline Markdown of a stretch of prose: what must not be torn apart, and which runs of emphasis stand where.

Discord's reading, which is looser than CommonMark's: a mark opens when a non-space follows and closes when a non-space
stands before it, a double mark in any case; only `_` cares about words. Emphasis ends with its paragraph, list item or heading; a spoiler runs on over
paragraphs and code blocks. One pass over tokens from left to right; a code span, a link or a mention is one token, so that marks inside
it count for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

import msgspec

from bot.delivery.layout.fences import Segment

_LABEL = r"\[(?:[^\[\]\n]|\[[^\[\]\n]*+\])*+\]"
_TARGET = r"\([ \t]*+<?(?:[^()\s]|\([^()\s]*+\))++(?:[ \t]++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?[ \t]*+\)"
_TOKEN = re.compile(
    rf"""
    (?=[\\`<!\[h*_~|\n]) (?:
      (?P<escape> \\[!-/:-@\[-`{{-~] )
    | (?P<ticks> `+ )
    | (?P<whole>
          <@[!&]?\d+> | <\#\d+> | </[\w\ -]+:\d+>          # person, role, channel, slash command
        | <a?:\w+:\d+> | <t:-?\d+(?::[A-Za-z])?>            # custom emoji, timestamp
        | <id:[a-z-]+(?::\d+)?> | <https?://[^\s<>]+>       # guild navigation, link without preview
        | !?{_LABEL}{_TARGET} )
    | (?P<url> https?://[^\s<>|*]+ )
    | (?P<run> \*+ | _+ | ~~ | \|\| )
    | (?P<block> \n(?=[ \t>]*(?:\n|[-*+][ \t]|\d{{1,9}}[.)][ \t]|\#{{1,6}}[ \t]|-\#[ \t])) ) )
    """,
    re.VERBOSE,
)
_BLANK_LINE = re.compile(r"\n[ \t>]*\n")
_OWN_LINE = re.compile(r"[ \t>]*\|\|[ \t\r]*\n")
_MOST_OPEN = 9
"""Runs that the text leaves open. There are eight kinds, and with one of them twice nobody can tell what is meant."""
_URL_TAIL = ".,:;!?…'\")]}_~"


class Span(msgspec.Struct, frozen=True):
    """A run of emphasis text[start:end], its marks included. `end` is None where it has not been closed."""

    start: int
    end: int | None
    mark: str

    @property
    def inner(self) -> int:
        return self.start + len(self.mark)

    def holds(self, position: int) -> bool:
        """True when a cut at `position` would tear the run in two."""
        return self.start < position and (self.end is None or position < self.end)


class InlineMarks(msgspec.Struct, frozen=True):
    """Positions are those of the whole text. An atom (a, b) forbids every cut p with a < p < b."""

    atoms: tuple[tuple[int, int], ...]
    spans: tuple[Span, ...]


@cache
def _closing_ticks(length: int) -> re.Pattern[str]:
    return re.compile(rf"(?<!`)`{{{length}}}(?!`)")


class _Opener(msgspec.Struct):
    start: int
    length: int


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = 0
        self._atoms: list[tuple[int, int]] = []
        self._spans: list[Span] = []
        self._open: list[_Opener] = []
        self._missing_ticks: set[int] = set()
        self._open_ticks: Span | None = None
        self._paragraph_end = -1

    def read(self, segment: Segment) -> None:
        self._start, self._end = segment.start, segment.end
        at = self._start
        while (token := _TOKEN.search(self._text, at, self._end)) is not None:
            at = token.end()
            kind = token.lastgroup
            if kind == "ticks":
                at = self._code_span(token)
            elif kind == "run":
                self._run(token)
            elif kind == "block":
                self._end_block(is_paragraph=_BLANK_LINE.match(self._text, token.start()) is not None)
            elif kind == "url":
                at = self._url(token)
            else:
                self._atoms.append(token.span())

    def skip_code(self) -> None:
        self._end_block(is_paragraph=True)

    def found(self) -> InlineMarks:
        unclosed = [Span(o.start, None, self._text[o.start] * o.length) for o in self._open[:_MOST_OPEN]]
        if self._open_ticks is not None:
            unclosed = [*(s for s in unclosed if s.start < self._open_ticks.start), self._open_ticks]
        return InlineMarks(tuple(self._atoms), (*self._spans, *unclosed))

    def _code_span(self, token: re.Match[str]) -> int:
        length = len(token.group())
        closing = None
        if length not in self._missing_ticks:
            if self._paragraph_end < token.end():
                blank = _BLANK_LINE.search(self._text, token.end(), self._end)
                self._paragraph_end = blank.start() if blank else self._end
            closing = _closing_ticks(length).search(self._text, token.end(), self._paragraph_end)
        if closing is None:
            self._missing_ticks.add(length)
            self._open_ticks = self._open_ticks or Span(token.start(), None, token.group())
            return token.end()
        self._atoms.append((token.start(), closing.end()))
        return closing.end()

    def _url(self, token: re.Match[str]) -> int:
        end = token.end()
        while self._text[end - 1] in _URL_TAIL:
            if self._text[end - 1] == ")" and self._text.count("(", token.start(), end) >= self._text.count(
                ")", token.start(), end
            ):
                break
            end -= 1
        self._atoms.append((token.start(), end))
        return end

    def _end_block(self, *, is_paragraph: bool) -> None:
        self._open = [o for o in self._open if self._text[o.start] == "|"]
        if is_paragraph:
            self._missing_ticks.clear()
            self._open_ticks = None

    def _run(self, token: re.Match[str]) -> None:
        mark, at, left = token.group()[0], token.start(), len(token.group())
        if left > 3:
            return
        before = self._text[at - 1] if at > self._start else " "
        after = self._text[token.end()] if token.end() < self._end else " "
        closes, opens = not before.isspace(), not after.isspace()
        if mark == "_":
            closes, opens = closes and not after.isalnum(), opens and not before.isalnum()
        if left > 1 and (mark in "~|" or self._is_double(mark)):
            closes = True  # Discord ends these at the next pair, whatever stands before it
        if mark in "~|":
            opens = opens or _OWN_LINE.match(self._text, self._text.rfind("\n", 0, at) + 1) is not None
        while closes and left and (opener := self._last_opener(mark)) is not None:
            taken = min(opener.length, left)
            at, left = at + taken, left - taken
            opener.length -= taken
            self._spans.append(Span(opener.start + opener.length, at, mark * taken))
            if not opener.length:
                self._open.pop()
        if opens and left:
            self._open.append(_Opener(at, left))

    def _is_double(self, mark: str) -> bool:
        """True when a double mark of this kind is the last that is open."""
        return bool(self._open) and self._text[self._open[-1].start] == mark and self._open[-1].length > 1

    def _last_opener(self, mark: str) -> _Opener | None:
        """The innermost open run of these marks; the runs inside it turn out to be plain text."""
        for n in reversed(range(len(self._open))):
            if self._text[self._open[n].start] == mark:
                del self._open[n + 1 :]
                return self._open[n]
        return None


def inline_marks(text: str, parts: Sequence[Segment]) -> InlineMarks:
    """Read the prose of neighbouring parts of a text. Runs that are open at their end have no `end`."""
    scanner = _Scanner(text)
    for part in parts:
        if part.fence is None:
            scanner.read(part)
        else:
            scanner.skip_code()
    return scanner.found()

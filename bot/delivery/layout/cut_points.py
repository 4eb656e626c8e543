"""Where a text may be cut into two messages, and how good each place is.

A cut point takes the white space between the two messages away. Better ranks come first; inside a fence only line ends
count, and prose is never cut inside an atom: a mention, link, code span, the marks of a list item, a code line.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, IntEnum

import msgspec

from bot.delivery.layout.fences import CONTAINERS, Fence, Segment, segments
from bot.delivery.layout.inline_marks import Span, inline_marks


class TextEnd(Enum):
    """What is behind a text."""

    NOTHING = "nothing"
    """It is over: an emphasis that is open there is none, unless a lead opened it."""
    MORE = "more"
    """An emphasis that is open there counts as one. Of a lone `*` or `_` this is believed at a line's start only: elsewhere
    it is too often just a star."""
    NOT_YET = "not_yet"
    """More is to come, and for now it is shown as if any emphasis ended there."""


class Rank(IntEnum):
    PARAGRAPH = 0
    """A blank line in prose, or an edge of a code block."""
    INTRODUCTION = 1
    """The same behind "as follows:"."""
    CODE_GAP = 2
    """A blank line in code."""
    LINE = 3
    NESTED = 4
    """Before an indented line, which loses its indentation at a message's start."""
    SENTENCE = 5
    WORD = 6
    """Or behind a heading, which belongs to what follows."""


class CutPoint(msgspec.Struct, frozen=True):
    """One message ends before `end`, the next begins at `rest`."""

    end: int
    rest: int
    rank: Rank
    fence: Fence | None = None
    """The code block that is cut in two here."""


_LINE_BREAK = re.compile(r"(?<!\s)[^\S\n]*+\n\s*")
_BREAK = re.compile(
    r"\s+|[。！？!?…][」』）”’]*(?=[^\x00-\u2e7f」』）”’。！？!?…])|[、，；：。！？](?=[^\s」』）”’。！？、])"
)
_SENTENCE_END = re.compile(r"[\w\"'”’)\]>*_~|`%][.!?…。！？:]+[\"'”’)\]*_~|`」』）]*\Z")
_HEADING = re.compile(r"[ \t>]*(?:#{1,6}[ \t]|\*\*[^*\n]{1,80}\*\*:?[ \t]*$)", re.MULTILINE)
_ONE_PIECE_LINE = re.compile(r"^[ \t>]*(?:#{1,3}|-#)[ \t]\S.{0,200}$", re.MULTILINE)
"""A heading or subtext, which the rest of its line would not be in another message."""
_MESSAGE_QUOTE = re.compile(r"^ *>>> ", re.MULTILINE)
_INTRODUCTION_END = re.compile(r"[:：][*_]{0,3}\Z")
_LINE_PREFIX = re.compile(rf"^{CONTAINERS}(?:\#{{1,6}}[ \t]+|-\#[ \t]+|\[[ xX]\][ \t]+)?", re.MULTILINE)
_BLOCK_START = re.compile(r"[^\S\n]*(?:(?:[-*+]|-\#|\d{1,9}[.)]|\#{1,6}|>{1,3})[ \t]|`{3}|~{3})")
_LOOK_BACK = 8
"""Characters before a break that tell whether a sentence ends there: its marks, and quotes or emphasis behind them."""


class ParsedText(msgspec.Struct, frozen=True):
    """A stretch of an answer as the cutter sees it: code blocks, runs of emphasis, and atoms."""

    text: str
    segments: Sequence[Segment]
    spans: Sequence[Span]
    atoms: Sequence[tuple[int, int]]
    """Sorted and apart. An atom (a, b) forbids every cut p with a < p < b."""
    quote: int | None = None
    """Where `>>> ` stands, which quotes everything from there to the message's end."""

    emphasis: Sequence[tuple[int, int]] = ()
    """Where any is, sorted and apart."""

    def in_atom(self, position: int) -> bool:
        return _in_any(self.atoms, position)

    def in_emphasis(self, position: int) -> bool:
        return _in_any(self.emphasis, position)

    def code_at(self, position: int) -> Segment | None:
        """The code block that a cut at `position` tears in two."""
        for segment in self.segments:
            if segment.fence is not None and segment.start < position:
                if position < segment.end or (position == segment.end and segment.is_open):
                    return segment
            elif segment.start >= position:
                break
        return None

    def spans_at(self, position: int) -> Sequence[Span]:
        """Runs of emphasis that a cut at `position` tears in two, the outermost first."""
        before = bisect_left(self.spans, position, key=lambda span: span.start)
        return [span for span in self.spans[:before] if span.holds(position)]


def _in_any(ranges: Sequence[tuple[int, int]], position: int) -> bool:
    n = bisect_left(ranges, (position, 0)) - 1
    return n >= 0 and position < ranges[n][1]


def believed(text: str, span: Span, lead_length: int, end: TextEnd) -> bool:
    """True when a run of emphasis is one although the text ends before its closing mark."""
    if span.start < lead_length or end is TextEnd.NOT_YET:
        return True
    if end is TextEnd.NOTHING or span.mark[0] == "`":
        return False
    return len(span.mark) > 1 or text[span.start - 1 : span.start] in ("", "\n")


def parse(text: str, lead_length: int, limit: int, end: TextEnd) -> ParsedText:
    """Read a text that begins at a message's start, with a lead of that many characters."""
    parts = list(segments(text))
    marks = inline_marks(text, parts)
    spans = [span for span in marks.spans if span.end is not None or believed(text, span, lead_length, end)]
    spans.sort(key=lambda span: (span.start, -(span.end or len(text) + 1)))
    firm = [*_edges_of_spans(text, spans)]
    breakable = list(marks.atoms)
    for part in parts:
        if part.fence is None:
            firm.extend(_line_marks(text, part))
            breakable.extend(line.span() for line in _ONE_PIECE_LINE.finditer(text, part.start, part.end))
        else:
            firm.extend(_fence_lines(part))
            breakable.extend(_code_lines(text, part, part.fence, limit))
    atoms = [*(atom for atom in breakable if atom[1] - atom[0] <= limit), *firm]
    emphasis = ((span.start, len(text) + 1 if span.end is None else span.end) for span in spans)
    return ParsedText(text, parts, spans, _merged(atoms), _message_quote(text, parts), _merged(emphasis))


def _edges_of_spans(text: str, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    """Each mark with the character that it stands at."""
    for span in spans:
        yield span.start, span.inner + 1
        if span.end is not None:
            inner_end = span.end - len(span.mark)
            while text[inner_end - 1].isspace():
                inner_end -= 1
            yield inner_end - 1, span.end


def _line_marks(text: str, prose: Segment) -> Iterator[tuple[int, int]]:
    for line in _LINE_PREFIX.finditer(text, prose.start, prose.end):
        if line.start() < line.end():
            yield line.start(), line.end() + 1


def _fence_lines(block: Segment) -> Iterator[tuple[int, int]]:
    yield block.start, block.body + 1
    if block.closing is not None:
        yield block.closing, block.end


def _code_lines(text: str, block: Segment, fence: Fence, limit: int) -> Iterator[tuple[int, int]]:
    """Those that fit into a message with the fence around them."""
    room = limit - len(fence.reopening(limit)) - len(fence.closing) - 1
    at = block.body
    while at < block.end:
        end = text.find("\n", at, block.end)
        end = block.end if end < 0 else end
        if end - at <= room:
            yield at - 1, end
        at = end + 1


def _message_quote(text: str, parts: Sequence[Segment]) -> int | None:
    if ">>> " not in text:
        return None
    for part in parts:
        found = _MESSAGE_QUOTE.search(text, part.start, part.body if part.fence else part.end)
        if found:
            return found.start()
    return None


def _merged(ranges: Iterable[tuple[int, int]]) -> Sequence[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def starts_block(text: str, position: int) -> bool:
    """True when words in the middle of a line would turn into a list item, heading, quote or fence at a message's start."""
    return _BLOCK_START.match(text, position) is not None


def cut_points(parsed: ParsedText, fewest: int, limit: int, lowest: Rank) -> Sequence[CutPoint]:
    """The places in order, down to a rank, with `fewest` to `limit` characters before them."""
    gap = _LINE_BREAK if lowest < Rank.SENTENCE else _BREAK
    points: list[CutPoint] = []
    for n, part in enumerate(parsed.segments):
        if part.start > limit:
            break
        if part.end < fewest:
            continue
        found = (
            _in_prose(parsed, part, gap, fewest, code_before=n > 0, code_after=n + 1 < len(parsed.segments))
            if part.fence is None
            else _in_code(parsed.text, part)
        )
        for point in found:
            if point.end > limit:
                break
            if point.end >= fewest and not parsed.in_atom(point.end):
                points.append(point)
    return points


def _in_code(text: str, block: Segment) -> Iterator[CutPoint]:
    at = text.find("\n", block.body, block.end)
    while at >= 0:
        rank = Rank.CODE_GAP if text.startswith("\n", at + 1) else Rank.LINE
        yield CutPoint(at, at + 1, rank, block.fence)
        at = text.find("\n", at + 1, block.end)


def _in_prose(
    parsed: ParsedText, part: Segment, kind: re.Pattern[str], fewest: int, *, code_before: bool, code_after: bool
) -> Iterator[CutPoint]:
    text = parsed.text
    start = max(part.start, fewest)
    while start > part.start and text[start - 1].isspace():
        start -= 1
    for gap in kind.finditer(text, start, part.end):
        end, rest = gap.span()
        if not gap.group().isspace():
            end = rest
        if "\n" in gap.group():
            at_edge = (code_before and end == part.start) or (code_after and rest == part.end)
            rank = _rank_of_line_end(text, gap, at_edge=at_edge)
        elif starts_block(text, rest):
            continue
        elif _SENTENCE_END.search(text, max(0, end - _LOOK_BACK), end):
            rank = Rank.SENTENCE
        else:
            rank = Rank.WORD
        yield CutPoint(end, rest, rank)


def _rank_of_line_end(text: str, gap: re.Match[str], *, at_edge: bool) -> Rank:
    end = gap.start()
    if _HEADING.match(text, text.rfind("\n", 0, end) + 1):
        return Rank.WORD
    paragraph_ends = at_edge or gap.group().count("\n") > 1
    if _INTRODUCTION_END.search(text, max(0, end - _LOOK_BACK), end):
        return Rank.INTRODUCTION if paragraph_ends else Rank.NESTED
    if gap.group().endswith((" ", "\t")) and not at_edge:
        return Rank.LINE if paragraph_ends else Rank.NESTED
    return Rank.PARAGRAPH if paragraph_ends else Rank.LINE

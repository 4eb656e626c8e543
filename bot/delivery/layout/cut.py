"""Takes the first message off a text. The state between two messages is text itself.

What is open at a cut (a fence, bold, a quote) is closed at the end of the message, and the marks that open it again become the
*lead* of the text that follows: from there on it is read like any other text. So there is no state to carry, and a cut
depends on nothing but the window of text it is given. A lead is never a message on its own: each cut takes something
from behind the lead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice, takewhile

import msgspec
import regex

from bot.delivery.layout.cut_points import (
    CutPoint,
    ParsedText,
    Rank,
    TextEnd,
    believed,
    cut_points,
    parse,
    starts_block,
)
from bot.delivery.layout.fences import Fence, Segment, end_of_closing_line, segments, unclosed
from bot.delivery.layout.inline_marks import inline_marks
from bot.delivery.plan import is_blank

_FEWEST: dict[Rank, float] = {
    Rank.PARAGRAPH: 0.5,
    Rank.INTRODUCTION: 0.5,
    Rank.CODE_GAP: 0.5,
    Rank.LINE: 0.5,
    Rank.NESTED: 0.5,
    Rank.SENTENCE: 0.5,
    Rank.WORD: 0.25,
}
"""How full a message must be, as a part of the limit, to end at a place of this rank: no stub messages."""
_FEWEST_BEFORE_BLOCK = 0.125
"""How full it must be to end so that a code block stands in the next one whole; both together are more than one message."""
_FEWEST_UNTORN = 0.75
"""How full it must be at least to end at a mere word because no emphasis is open there."""

_MOST_TRIES = 100
"""A place that is refused (its message would not be whole) is rare; many in a row are a text of nothing but marks."""

_QUOTE = re.compile(r"[ \t]*(?:>[ \t]?)+")
_LINE_MARK = re.compile(r"[ \t]*(?:>[ \t]?)*(?:-#[ \t]+)?")
_MESSAGE_QUOTE = ">>> "
"""Quotes everything to the message's end."""
_LINE_START = re.compile(r"[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?")
_LONGEST_QUOTE = 16
_GRAPHEME = regex.compile(r"[\U0001f1e6-\U0001f1ff]{2}[\u200d\p{Grapheme_Extend}]*+|\X")
"""Flags first: of the letters that they are written in, `\\X` counts all before each."""
_SPOILER = "||"
_SPOILER_END = re.compile(r"\s*\|\|")


class Cut(msgspec.Struct, frozen=True):
    content: str
    """The message, without the white space that Discord trims; empty where there was nothing to see."""
    rest: int
    """Where the text of the next message begins in the window."""
    lead: str = ""
    """What the next message begins with, before that text."""
    in_code: bool = False
    """The cut is inside a code block: white space behind it counts."""


def closed(text: str, lead_length: int, end: TextEnd) -> str:
    """All of a text as one message: trimmed, what is open closed. Empty where there is nothing to see."""
    if is_blank(text):
        return ""
    parts = list(segments(text))
    last = parts[-1]
    spans = inline_marks(text, parts if "||" in text else parts[-1:]).spans
    marks = [span.mark for span in spans if span.end is None and believed(text, span, lead_length, end)]
    if last.fence is None or last.closing is not None:
        content = _with_marks_closed(text, parts, marks)
        return content if not marks or unclosed(content) is None else text.strip()  # back-ticks can look like a fence
    content = text.lstrip() + ("" if text.endswith("\n") else "\n") + last.fence.closing
    return content + "".join(f"\n{mark}" for mark in reversed(marks))


def _with_marks_closed(text: str, parts: Sequence[Segment], marks: Sequence[str]) -> str:
    """A message without white space around it. A closing line would not be one with marks behind it."""
    content = text.strip()
    if not marks:
        return content
    end = len(text.rstrip())
    if any(part.fence is not None and part.start < end <= part.end for part in parts):
        content += "\n"
    elif content[-1] in "`|~" and content[-1] == marks[-1][0]:
        content += " "  # or both would be one mark
    return content + "".join(reversed(marks))


def cut(window: str, lead_length: int, limit: int, end: TextEnd) -> Cut:
    """Take one message of at most `limit` characters off `window`, which is longer than that.

    The first `lead_length` characters are the lead.
    """
    parsed = parse(window, lead_length, limit, end)
    first = next(part for part in parsed.segments if part.end > lead_length)
    if first.fence is not None and first.start <= lead_length < first.body:
        length = first.body - first.start + len(first.fence.closing)
        if length > limit // 2:
            return _shrunk_opening(window[: first.start], first.fence, limit)
    floor = max(lead_length, first.body) + 1
    points = chain(
        (point for point in islice(_by_preference(parsed, floor, limit), _MOST_TRIES) if _is_clean(parsed, point)),
        islice(_by_preference(parsed, floor, limit), _MOST_TRIES),
        (_bare_point(parsed, position) for position in _by_grapheme(parsed, floor, limit)),
    )
    # There always is one: at worst the first character behind the lead or the opening line, which leave it room.
    taken = next(taken for point in points if (taken := _cut_at(parsed, point, limit)) is not None)
    if taken.content and taken.rest - lead_length < limit // 16:
        return _defused(window, lead_length, first, limit) or taken
    return taken


def _defused(window: str, lead_length: int, first: Segment, limit: int) -> Cut | None:
    """A message of marks that would open or close a fence wherever they are cut, kept from it by an invisible character.

    A run of thousands of back-ticks is no text that anybody reads, but one who asks a model for it must not get hundreds
    of messages of one mark each.
    """
    fence = first.fence
    start = first.body if fence else lead_length
    ending = f"\n{fence.closing}" if fence else ""
    run = window[start : start + limit - start - len(ending) - 3].partition("\n")[0]
    content = f"{window[:start]}\u200b{run}{ending}"
    if len(run) < limit // 16 or unclosed(content) is not None:
        return None
    return Cut(content, start + len(run), fence.reopening(limit // 8) if fence else "", in_code=fence is not None)


def _by_preference(parsed: ParsedText, floor: int, limit: int) -> Iterator[CutPoint]:
    """The best first: by rank, and of equals the latest; places where an emphasis is open come after all others."""
    fewest = max(floor, int(min(_FEWEST.values()) * limit))
    in_lines = [*reversed(cut_points(parsed, fewest, limit, Rank.NESTED))]
    everywhere: Sequence[CutPoint] | None = None
    for untorn in (True, False):
        for rank, part in _FEWEST.items():
            if untorn and rank is Rank.CODE_GAP:
                yield from _before_whole_block(parsed, floor, limit)
            if rank >= Rank.SENTENCE and everywhere is None:
                everywhere = [*reversed(cut_points(parsed, fewest, limit, Rank.WORD))]
            points = in_lines if rank < Rank.SENTENCE else everywhere or ()
            least = limit * (_FEWEST_UNTORN if untorn and rank is Rank.WORD else part)
            for point in points:
                if point.rank <= rank and point.end >= least and not (untorn and parsed.in_emphasis(point.end)):
                    yield point


def _before_whole_block(parsed: ParsedText, floor: int, limit: int) -> Iterator[CutPoint]:
    """Places before a code block that the limit would tear in two, where it fits into the next message: code is copied in one
    piece, and a table keeps its header.
    """
    torn = parsed.code_at(limit)
    if torn is None or torn.closing is None:
        return
    fewest = max(floor, int(_FEWEST_BEFORE_BLOCK * limit))
    points = [
        point
        for point in cut_points(parsed, fewest, torn.start, Rank.NESTED)
        if point.rank <= Rank.INTRODUCTION and torn.end - point.rest <= limit and not parsed.in_emphasis(point.end)
    ]
    yield from sorted(points, key=lambda point: (point.rank, -point.end))


def _by_grapheme(parsed: ParsedText, floor: int, limit: int) -> Iterator[int]:
    """The latest first: between graphemes and outside atoms; then between any graphemes; then anywhere."""
    text = parsed.text
    ends: Sequence[int] = range(limit, floor - 1, -1)
    if not text.isascii() or "\r" in text:
        found = (cluster.end() for cluster in _GRAPHEME.finditer(text))
        ends = [end for end in takewhile(lambda end: end <= limit, found) if end >= floor][::-1]
    whole = (p for p in ends if not parsed.in_atom(p) and not starts_block(text, p))
    yield from islice(whole, _MOST_TRIES)
    yield from _thinned(ends)
    yield from _thinned(range(limit, floor - 1, -1))


def _thinned(positions: Sequence[int]) -> Iterator[int]:
    """The first few, then ever fewer, and the last."""
    step = 1
    while step <= len(positions):
        yield positions[step - 1]
        step *= 2
    yield from positions[-1:]


def _bare_point(parsed: ParsedText, position: int) -> CutPoint:
    block = parsed.code_at(position)
    if block is None or block.fence is None:
        return CutPoint(position, position, Rank.WORD)
    if block.closing is not None and position > block.closing:
        return CutPoint(block.closing - 1, block.closing, Rank.WORD, block.fence)
    at_line_end = parsed.text.startswith("\n", position)
    return CutPoint(position, position + at_line_end, Rank.WORD, block.fence)


def _cut_at(parsed: ParsedText, point: CutPoint, limit: int) -> Cut | None:
    """The cut at this place, or None when the message, with its closing marks, would not be whole and short enough."""
    quoted = parsed.quote is not None and parsed.quote < point.end
    if point.fence:
        taken = _cut_code(parsed, point, point.fence, limit, quoted=quoted)
    else:
        taken = _cut_prose(parsed, point, quoted=quoted)
    if len(taken.content) > limit or unclosed(taken.content) is not None:
        return None
    return taken


def _cut_code(parsed: ParsedText, point: CutPoint, fence: Fence, limit: int, *, quoted: bool) -> Cut:
    text = parsed.text
    hidden = any(span.mark == _SPOILER for span in parsed.spans_at(point.end))
    content = text[: point.end].lstrip() + "\n" + fence.closing + (f"\n{_SPOILER}" if hidden else "")
    lead = _MESSAGE_QUOTE if quoted else ""
    closing_end = end_of_closing_line(text, point.rest, fence)
    if closing_end is not None:
        spoiler_end = _SPOILER_END.match(text, closing_end) if hidden else None
        if spoiler_end:
            return Cut(content, spoiler_end.end(), lead)
        return Cut(content, closing_end, lead + (_SPOILER if hidden else ""))
    lead += (f"{_SPOILER}\n" if hidden else "") + fence.reopening(limit // 8)
    if point.end == point.rest and not quoted:
        quote = _QUOTE.match(fence.prefix)
        lead += quote.group()[:_LONGEST_QUOTE] if quote else ""
    return Cut(content, point.rest, lead, in_code=True)


def _cut_prose(parsed: ParsedText, point: CutPoint, *, quoted: bool) -> Cut:
    text, rest = parsed.text, point.rest
    marks = [span.mark for span in parsed.spans_at(point.end)] if _is_clean(parsed, point) else []
    content = _with_marks_closed(text[: point.end], parsed.segments, marks)
    lead = ""
    if "\n" in text[point.end : rest]:
        if marks:
            prefix = _LINE_START.match(text, rest)
            rest = prefix.end() if prefix and len(prefix.group()) <= _LONGEST_QUOTE else rest
            lead = text[point.rest : rest]
    else:
        mark = _LINE_MARK.match(text, text.rfind("\n", 0, point.end) + 1)
        lead = mark.group().lstrip() if mark and len(mark.group()) <= _LONGEST_QUOTE else ""
    if quoted and not (lead or text[rest : rest + len(_MESSAGE_QUOTE)]).startswith(_MESSAGE_QUOTE):
        lead = _MESSAGE_QUOTE + lead
    lead += "".join(marks)
    if marks and any(part.fence is not None and part.start == point.rest for part in parsed.segments):
        lead += "\n"
    return Cut("" if is_blank(content) else content, rest, lead)


def _is_clean(parsed: ParsedText, point: CutPoint) -> bool:
    """False where the marks that are open there would run together with each other or with the text around the cut."""
    marks = [span.mark for span in parsed.spans_at(point.end)]
    if not marks or point.fence is not None:
        return True
    text = parsed.text
    return (
        len(set(marks)) == len(marks)
        and "".join(marks).count("*") <= 3
        and "".join(marks).count("_") <= 3
        and marks[-1][0] not in (text[: point.end].rstrip()[-1:], text[point.rest : point.rest + 1])
    )


def _shrunk_opening(before: str, fence: Fence, limit: int) -> Cut:
    """An opening line that hardly fits into a message: its marks and language stay, the rest becomes the first code."""
    rest = len(before) + len(fence.prefix) + len(fence.marks)
    if fence.language:
        rest += fence.info.find(fence.language) + len(fence.language)
    return Cut("", rest, before + fence.reopening(limit // 8), in_code=True)

r"""Where in a paragraph maths stands: between ``\( \)``, ``\[ \]``, ``$$ $$`` and, when it is surely maths, ``$ $``.

All four are also written by people who mean no maths: prices, shell variables, escaped brackets. A pair of dollars counts by
pandoc's rule and only where what stands inside looks like maths; the other pairs need less. One pass over tokens, in which
code spans, links and mentions are whole.

Taking a formula's marks away must not make a pair of what is left, or a second pass would read something else. So
everything between a lone opening mark and a later closing one of its kind is left as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict

import msgspec

_LONGEST = 2000
_TOKEN = re.compile(
    r"""
      (?P<mark> \\[()\[\]] | (?<!\$)\${1,2}(?!\$) )
    | (?P<skipped> \\[^A-Za-z\s] | \${3,} )
    | (?P<ticks> `+ )
    | (?P<whole> https?://[^\s<>]+ | <a?:\w+:\d+> | <[@\#][!&]?\d+> | <t:-?\d+(?::[A-Za-z])?> )
    | (?P<line> \n )
    """,
    re.VERBOSE,
)
_CLOSING = {"$": "$", "$$": "$$", r"\(": r"\)", r"\[": r"\]"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_NEVER_BEFORE_A_DOLLAR = re.compile(r"[A-Za-z0-9)\]}\\&@#%^+.?!]")
_NEVER_AFTER_A_DOLLAR = re.compile(r"(?!(?:th|st|nd|rd|s)\b)[A-Za-z0-9{(\[\\@#&^]")
_NEVER_BESIDE = ("$", "`")
"""A formula beside these stays, as the marks of both would run together."""

_COMMAND = re.compile(r"\\[A-Za-z\\%#{|,;]")
_NOT_TEX = re.compile(r"`|://|\\[dwsbDWB](?![A-Za-z{])|<[@#:]")
_SCRIPT = re.compile(r"\^|(?<![A-Za-z0-9])[^\W\d_]'*_|[)}\]|]_")
_GROUP = re.compile(r"\{[^{}]*\}")
_NAME = re.compile(r"\\[A-Za-z]+")
_PROSE = re.compile(r"[^\W\d_]{2,}[,;:]?\s+[^\W\d_]{2,}")
_SEPARATE_WORDS = re.compile(r"\w\s+\w")
_WORD = re.compile(r"(?!sin|cos|tan|log|exp|max|min|lim|gcd|mod|det)[^\W\d_]{3,}")
_EXPRESSION = re.compile(r"[\w\s+\-*/=<>≤≥≠≈±×÷·−.,:;!|()\[\]']*[\w)\]!'|]\s*[.,;]?")
_RELATION = re.compile(r"[\w)\]!'|]\s*(?:[=<>≤≥≠≈]|[<>!:]=)\s*[\w(\[|−+-]")
_OPERATION = re.compile(r"\w\s*[-+*/−×÷·]\s*\w")
_LONGEST_EXPRESSION = 60
_QUOTED_LINE = re.compile(r"[ \t]*>")


class Formula(msgspec.Struct, frozen=True):
    """Maths at paragraph[start:end], delimiters included."""

    start: int
    end: int
    source: str
    """Without delimiters, the space around it, and the quote marks of its further lines."""
    display: bool


class _Mark(msgspec.Struct, frozen=True):
    """A delimiter that stays in the text, with what it could do if others went."""

    position: int
    text: str
    opens: bool
    closes: bool


def formulas(paragraph: str) -> list[Formula]:
    """The maths in a paragraph of prose, which has no blank line and no fenced code, in order."""
    return _Scanner(paragraph).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._open: _Mark | None = None
        self._lone: list[_Mark] = []
        self._kept: list[_Mark] = []
        self._found: list[Formula] = []
        self._last_pair: tuple[_Mark, ...] = ()
        self._last_end = -1
        self._ticks: defaultdict[int, list[int]] = defaultdict(list)
        for run in re.finditer("`+", text):
            self._ticks[len(run[0])].append(run.start())

    def scan(self) -> list[Formula]:
        at = 0
        while (token := _TOKEN.search(self._text, at)) is not None:
            at = token.end()
            if token.lastgroup == "mark":
                self._mark(token)
            elif token.lastgroup == "ticks":
                at = self._end_of_code(token)
                self._give_up()
            elif token.lastgroup == "whole" or (token.lastgroup == "line" and self._open and self._open.text == "$"):
                self._give_up()
        self._give_up()
        return self._certain()

    def _end_of_code(self, ticks: re.Match[str]) -> int:
        same = self._ticks[len(ticks[0])]
        n = bisect_right(same, ticks.start())
        return same[n] + len(ticks[0]) if n < len(same) else ticks.end()

    def _give_up(self) -> None:
        if self._open is not None:
            self._lone.append(self._open)
            self._open = None

    def _mark(self, token: re.Match[str]) -> None:
        mark = _mark_at(token)
        opened = self._open
        if opened is not None and _CLOSING[opened.text] == mark.text and mark.closes:
            self._pair(opened, mark)
            self._open = None
            return
        self._give_up()
        if mark.opens:
            self._open = mark
        else:
            self._lone.append(mark)

    def _pair(self, opened: _Mark, closed: _Mark) -> None:
        start, end = opened.position, closed.position + len(closed.text)
        source = self._text[start + len(opened.text) : closed.position]
        if "\n" in source and _QUOTED_LINE.match(self._text, self._text.rfind("\n", 0, start) + 1):
            source = re.sub(r"\n[ \t]*>[ \t>]*", "\n", source)
        source = source.strip()
        before, after = self._text[start - 1 : start], self._text[end : end + 1]
        adjoins = start == self._last_end and (before == "$" or opened.text[0] == "$")
        if adjoins and self._found and self._found[-1].end == start:
            self._found.pop()
            self._kept += self._last_pair
        self._last_pair, self._last_end = (opened, closed), end
        alone = not adjoins and before not in _NEVER_BESIDE and after not in _NEVER_BESIDE
        if alone and _is_maths(opened.text, source):
            self._found.append(Formula(start, end, source, opened.text in ("$$", r"\[")))
        else:
            self._kept += (opened, closed)

    def _certain(self) -> list[Formula]:
        """The formulas outside every stretch from a lone opening mark to a later closing one of its kind."""
        stretches: list[tuple[int, int]] = []
        for opening, closing in _CLOSING.items():
            starts = [m.position for m in self._lone if m.text == opening and m.opens]
            ends = [m.position for m in (*self._lone, *self._kept) if m.text == closing and m.closes]
            if starts and ends and min(starts) < max(ends):
                stretches.append((min(starts), max(ends)))
        return [f for f in self._found if not any(start < f.start < end for start, end in stretches)]


def _mark_at(token: re.Match[str]) -> _Mark:
    text, position, whole = token[0], token.start(), token.string
    if text == "$":
        before, after = whole[position - 1 : position], whole[position + 1 : position + 2]
        opens = bool(after) and not after.isspace() and not _NEVER_BEFORE_A_DOLLAR.match(before)
        closes = bool(before) and not before.isspace() and not _NEVER_AFTER_A_DOLLAR.match(whole, position + 1)
        return _Mark(position, text, opens, closes)
    return _Mark(position, text, text in _CLOSING, text in _OPENING)


def _is_maths(opening: str, source: str) -> bool:
    if not source or len(source) > _LONGEST or _NOT_TEX.search(source):
        return False
    if _COMMAND.search(source) or _SCRIPT.search(source):
        return opening not in ("$", "$$") or not _has_prose(source)
    if len(source) > _LONGEST_EXPRESSION or not _EXPRESSION.fullmatch(source):
        return False
    if _WORD.search(source) or _SEPARATE_WORDS.search(source):
        return False
    if opening == r"\(":
        return True
    if opening == "$":
        return bool(_RELATION.search(source) or (not source[0].isdecimal() and re.search(r"[^\W\d_]", source)))
    return bool(_RELATION.search(source) or _OPERATION.search(source))


def _has_prose(source: str) -> bool:
    """Two words side by side that no command has as its argument."""
    for _ in range(6):
        source, replaced = _GROUP.subn("", source)
        if not replaced:
            break
    return _PROSE.search(_NAME.sub(" ; ", source)) is not None

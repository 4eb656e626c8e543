r"""Simple LaTeX in prose → what Discord can show: Unicode where it reads well, and the source as code where not.

`formulas` finds the maths, `linear` reads it, `row` writes it in a line, `symbols` knows the characters. A formula that is not simple
stays TeX in a code span or a `tex` block, where Discord does not take its `_` and `*` for emphasis. Display maths
stands on a line of its own, inside the quote or list item that it was written in. What is not surely maths is not
touched, and so are code, links and mentions. The cost is linear in the text.
"""

from __future__ import annotations

import re

from bot.delivery.layout.fences import segments
from bot.delivery.maths.formulas import Formula, formulas
from bot.delivery.maths.linear import linear
from bot.delivery.maths.row import NotSimple

__all__ = ["with_maths_shown"]

_DELIMITER = re.compile(r"\$|\\[(\[]")
_BLANK_LINES = re.compile(r"(\n[ \t]*(?:\n[ \t]*)+)")
_CONTAINER = re.compile(r"(?:[ \t]*+(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*+[ \t]*+")
_PUNCTUATION = re.compile(r"[.,;:!?]+(?=\s|$)")
_REST_OF_LINE = re.compile(r"[ \t]*(?=\S)")


def with_maths_shown(text: str) -> str:
    """`text` with its maths converted. Text without maths comes back as it is, and so does a result of this function."""
    if not _DELIMITER.search(text):
        return text
    return "".join(_prose(text[s.start : s.end]) if s.fence is None else text[s.start : s.end] for s in segments(text))


def _prose(text: str) -> str:
    return "".join(_Paragraph(part).shown() if _DELIMITER.search(part) else part for part in _BLANK_LINES.split(text))


class _Paragraph:
    """One pass over a paragraph that copies what is between the formulas."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._parts: list[str] = []
        self._at = 0
        self._line_start = 0
        self._prefix = _prefix_at(text, 0)

    def shown(self) -> str:
        for formula in formulas(self._text):
            self._find_line(formula.start)
            if formula.display and self._text[self._line_start + len(self._prefix) :][:1] not in ("|", "#"):
                self._display(formula)
            else:
                self._inline(formula)
        return "".join((*self._parts, self._text[self._at :]))

    def _find_line(self, position: int) -> None:
        line_end = self._text.rfind("\n", self._at, position)
        if line_end >= 0:
            self._line_start = line_end + 1
            self._prefix = _prefix_at(self._text, self._line_start)

    def _inline(self, formula: Formula) -> None:
        self._parts.append(self._text[self._at : formula.start])
        try:
            shown = linear(_in_one_line(formula.source))
        except NotSimple:
            shown = f"`{_in_one_line(formula.source)}`"
        starts_line = formula.start == self._line_start + len(self._prefix)
        self._parts.append(_not_a_block(shown) if starts_line else shown)
        self._at = formula.end

    def _display(self, formula: Formula) -> None:
        before = self._text[self._at : formula.start]
        further = re.sub(r"[^>\s]", " ", self._prefix)
        if formula.start > self._line_start + len(self._prefix):
            before = before.rstrip(" \t")
            if before or not self._ends_line():
                before += "\n" + further
        self._parts.append(before)
        lines = [line.strip() for line in formula.source.split("\n")]
        self._at = formula.end
        try:
            self._parts.append(_not_a_block(linear(" ".join(lines))))
            if (mark := _PUNCTUATION.match(self._text, self._at)) is not None:
                self._parts.append(mark[0])
                self._at = mark.end()
        except NotSimple:
            if (mark := _PUNCTUATION.match(self._text, self._at)) is not None:
                lines[-1] += mark[0]
                self._at = mark.end()
            self._parts.append(("\n" + further).join(("```tex", *lines, "```")))
        if (rest := _REST_OF_LINE.match(self._text, self._at)) is not None:
            self._parts.append("\n" + further)
            self._at = rest.end()

    def _ends_line(self) -> bool:
        """True when what is written so far has just begun a line."""
        return bool(self._parts) and self._parts[-1].startswith("\n") and not self._parts[-1].strip("\n >")


def _prefix_at(text: str, position: int) -> str:
    """Quote marks, list marks and indentation at the start of a line."""
    match = _CONTAINER.match(text, position)
    return match[0] if match else ""


def _in_one_line(source: str) -> str:
    return re.sub(r"\s*\n\s*", " ", source)


def _not_a_block(text: str) -> str:
    """Text that would make its line a heading, a quote, or a list is escaped."""
    return re.sub(r"^(?:(?=[>#+-])|(\d{1,9})(?=[.)]\s))", r"\1\\", text)

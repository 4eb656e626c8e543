"""Fenced code blocks: which lines open and close them, and how one is closed and re-opened around a cut.

CommonMark's rule, with two readings that fit what models write. Any indentation is allowed, since a fence inside a list
item is indented as far as the item. And the end of a quote or list does not end a fence: models forget the prefix of a
line far more often than they leave a fence in a quote open.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

LONGEST_LANGUAGE = 40
"""Characters; a longer first word of an info string is no language and is not repeated when a fence is re-opened."""

_LONGEST_PREFIX = 16
CONTAINERS = r"(?:[ \t]*+(?:>|[-*+][ \t]|\d{1,9}[.)][ \t]))*+[ \t]*+"
"""A pattern: the quote marks, list marks and indentation that a line may begin with."""
_FENCE_LINE = re.compile(rf"^(?P<prefix>{CONTAINERS})(?P<marks>`{{3,}}+|~{{3,}}+)(?P<info>[^\n]*)$", re.MULTILINE)


class Fence(msgspec.Struct, frozen=True):
    """An opening fence line: container prefix (quote marks, list marks, indentation), marks, info string."""

    prefix: str
    marks: str
    info: str

    @property
    def language(self) -> str:
        word = (self.info.split() or [""])[0]
        return word if len(word) <= LONGEST_LANGUAGE else ""

    @property
    def continuation(self) -> str:
        """The prefix of a further line in the same container: list marks become indentation, and a quote that runs to
        the message's end is marked but once.
        """
        if self.prefix.lstrip().startswith(">>> "):
            return ""
        return re.sub(r"[^>\s]", " ", self.prefix)

    @property
    def closing(self) -> str:
        """The line that closes this fence, without a line end."""
        return self.continuation + self.marks

    def reopening(self, longest_marks: int) -> str:
        """The line that opens this block again at the start of a message, where indentation would be trimmed away."""
        prefix = self.continuation.lstrip()
        return (prefix if len(prefix) <= _LONGEST_PREFIX else "") + self.marks[:longest_marks] + self.language + "\n"

    def is_closed_by(self, line: re.Match[str]) -> bool:
        prefix, marks = line["prefix"], line["marks"]
        return (
            marks[0] == self.marks[0]
            and len(marks) >= len(self.marks)
            and not line["info"].strip()
            and not prefix.strip("> \t")
            and prefix.count(">") <= self.prefix.count(">")
        )


class Segment(msgspec.Struct, frozen=True):
    """A stretch text[start:end] that is prose, or one code block from its opening line to its closing line.

    Line ends before and after a block belong to the prose around it.
    """

    start: int
    end: int
    fence: Fence | None = None
    body: int = 0
    """Where the code begins: behind the opening line's end, or at the text's end where that has not come yet."""
    closing: int | None = None
    """Where the closing line begins; None in prose, and where it has not come yet."""

    @property
    def is_open(self) -> bool:
        return self.fence is not None and self.closing is None


def _opened_by(line: re.Match[str]) -> Fence | None:
    if line["marks"][0] == "`" and "`" in line["info"]:
        return None
    return Fence(line["prefix"], line["marks"], line["info"].strip())


def segments(text: str) -> Iterator[Segment]:
    """Cut a text, which begins outside code, into prose and code blocks. The last block may be unclosed."""
    at = 0
    fence: Fence | None = None
    body = 0
    for line in _FENCE_LINE.finditer(text):
        if fence is None:
            fence = _opened_by(line)
            if fence is not None:
                if line.start() > at:
                    yield Segment(at, line.start())
                at, body = line.start(), min(line.end() + 1, len(text))
        elif fence.is_closed_by(line):
            yield Segment(at, line.end(), fence, body, line.start())
            at, fence = line.end(), None
    if fence is not None:
        yield Segment(at, len(text), fence, body)
    elif at < len(text):
        yield Segment(at, len(text))


def unclosed(text: str) -> Segment | None:
    """The code block that a text leaves open at its end."""
    return next((segment for segment in segments(text) if segment.is_open), None)


def end_of_closing_line(text: str, position: int, fence: Fence) -> int | None:
    """Where the fence's own closing line ends, when nothing but blank lines stand between `position` and it."""
    start = position
    while text.startswith("\n", start):
        start += 1
    line = _FENCE_LINE.match(text, start)
    return line.end() if line and fence.is_closed_by(line) else None

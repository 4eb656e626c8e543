r"""A formula over several lines: from `$$` to `$$`, from `\[` to `\]`, or an environment such as `align` that nothing stands around.

It is held until it is whole, as half of one cannot be read. Until then its source is shown, as code where Discord would take
its `_` and `\` for marks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bot.delivery.blocks.open_block import Piece
from bot.delivery.layout.fences import CONTAINERS

MOST_LINES = 40
MOST_CHARACTERS = 2000

_OPENING = re.compile(
    rf"""
    (?P<prefix> {CONTAINERS} )
    (?P<mark> \$\$ | \\\[ | \\begin\{{ (?P<environment> (?:align|alignat|equation|eqnarray|flalign|gather|multline)\*? ) \}} )
    (?P<rest> .* )
    """,
    re.VERBOSE,
)
_CLOSING = {"$$": "$$", r"\[": r"\]"}
_TEX = re.compile(r"\\[A-Za-z]|[=^]")
_MARKS = re.compile(r"[\\_*~|`]")


class Opening:
    """The line that a formula begins on."""

    def __init__(self, line: re.Match[str]) -> None:
        self.prefix: str = line["prefix"]
        """Quote marks, list marks and indentation."""
        self.mark: str = line["mark"]
        self.rest: str = line["rest"]
        self.is_bare = line["environment"] is not None
        self.closing = rf"\end{{{line['environment']}}}" if self.is_bare else _CLOSING[self.mark]

    @classmethod
    def of(cls, line: str) -> Opening | None:
        """None where no formula begins, or one that ends on the same line."""
        found = _OPENING.match(line)
        if found is None:
            return None
        opening = cls(found)
        is_sure = opening.is_bare or not opening.rest.strip() or _TEX.search(opening.rest) is not None
        return opening if is_sure and opening.closing not in opening.rest else None


class DisplayMaths:
    """`shown` makes a whole formula, without its last line end, readable. Lines that turn out to be none go through `prose` one by one."""

    def __init__(
        self, line: str, opening: Opening, *, shown: Callable[[str], str], prose: Callable[[str], str]
    ) -> None:
        self.over = False
        self._opening = opening
        self._held = [line]
        self._length = len(line)
        self._shown = shown
        self._prose = prose

    def take(self, text: str, *, is_line: bool) -> Sequence[Piece] | None:
        self._length += len(text)
        is_quoted = ">" in self._opening.prefix
        bare = text.strip(" \t>\r\n" if is_quoted else None)
        ends_before = not bare or bare.startswith(("```", "~~~")) or is_quoted is not text.lstrip().startswith(">")
        if not is_line or ends_before or len(self._held) == MOST_LINES or self._length > MOST_CHARACTERS:
            return None
        self._held.append(text)
        if self._opening.closing not in text:
            return ()
        self.over = True
        formula = "".join(self._held)
        whole = formula.rstrip("\r\n")
        return (self._shown(self._delimited(whole)) + formula[len(whole) :],)

    def close(self) -> Sequence[Piece]:
        return tuple(map(self._prose, self._held))

    def provisional(self, tail: str) -> str:
        opening, (_, *lines) = self._opening, self._held
        if opening.closing.startswith(tail.strip(" \t>")):
            tail = ""
        rest = [opening.mark + opening.rest if opening.is_bare else opening.rest]
        source = [line.strip(" \t>\r\n" if ">" in opening.prefix else None) for line in (*rest, *lines, tail)]
        text = "".join((*self._held, tail))
        if "```" in text or "~~~" in text or _MARKS.search("".join(source)) is None:
            return text
        further = re.sub(r"[^>\s]", " ", opening.prefix)
        return opening.prefix + f"\n{further}".join(("```", *filter(None, source)))

    def _delimited(self, formula: str) -> str:
        r"""A bare environment gets `\[` and `\]`, which say that it is maths."""
        if not self._opening.is_bare:
            return formula
        start, end = len(self._opening.prefix), formula.index(self._opening.closing) + len(self._opening.closing)
        return rf"{formula[:start]}\[{formula[start:end]}\]{formula[end:]}"

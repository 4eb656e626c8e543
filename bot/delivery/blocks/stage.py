"""The stage's machine: text is taken apart into lines, and a line goes to the block that is open, or opens one, or is prose.

The output depends on the sequence of lines alone, so it is the same for every cut of the input. Held is what cannot be judged
yet: the line that is coming in (a longer one than LONGEST_LINE goes on in parts, as prose or code), and what an open block
holds: a possible table's first line, a table's rows, a formula, code that may become a file. Nobody waits for what is
held: `provisional` is what of it may be shown. Where code is, is bot.delivery.layout.fences' word, which the layout follows too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import groupby

import msgspec

from bot.delivery.blocks.code_block import CodeBlock
from bot.delivery.blocks.display_maths import DisplayMaths, Opening
from bot.delivery.blocks.file_names import FileNames, file_name
from bot.delivery.blocks.open_block import OpenBlock, Piece
from bot.delivery.blocks.spans import images_shown
from bot.delivery.blocks.structure import heading_shown, rule_shown
from bot.delivery.blocks.tables import TableBlock
from bot.delivery.layout.fences import Fence, unclosed
from bot.delivery.plan import FilePlan, Table
from bot.preferences import DEFAULTS, Tables

LONGEST_LINE = 4000
"""Characters. What is longer is no table, heading or formula."""

_TICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"[|`~$\\]|!\[|\A[ \t>*+\-\d.)]*(?:\#{4}|[-*_=][ \t]*[-*_=])")
"""Nothing else makes a line more than prose that is passed on."""


_LATEX = re.compile(r"[$\\]")


class BlockStyle(msgspec.Struct, frozen=True):
    """The part of DeliveryPreferences that concerns blocks."""

    tables: Tables = DEFAULTS.tables
    longest_code: int = DEFAULTS.longest_code
    """Characters; a longer code block is a file. 0: none is."""
    maths: bool = DEFAULTS.maths


class Blocks:
    """Feed text, take pieces; close at the text's end.

    `maths` makes LaTeX in a line of prose, or in a whole formula of several lines, readable. `drawable` says which tables
    can be drawn where pictures are wished.
    """

    def __init__(
        self,
        style: BlockStyle = BlockStyle(),  # noqa: B008  # frozen
        *,
        maths: Callable[[str], str] = str,
        drawable: Callable[[Table], bool] = lambda _: False,
    ) -> None:
        self._style = style
        self._maths = maths if style.maths else None
        self._drawable = drawable
        self._tail: list[str] = []
        """The beginning of a line that is not whole, or of the rest of a long one."""
        self._tail_length = 0
        self._mid_line = False
        """Parts of the line that is coming in have been given out."""
        self._block: OpenBlock | None = None
        self._line_before = ""
        self._last_words = ""
        """The last line of prose that is not blank, if only blank ones follow it."""
        self._open_ticks = 0
        """How many back-ticks have opened inline code that its paragraph's earlier lines do not close."""
        self._gap_before = True
        """Nothing, or a blank line, stands before the open block."""
        self._behind_file = False
        """A file that a blank line stood before has just ended; one behind it would be a second one."""
        self._names = FileNames()
        self._closed = False

    def feed(self, text: str) -> Sequence[Piece]:
        """More of the answer. What is certain by it, in order."""
        if self._closed:
            raise RuntimeError("this stage is closed")
        if "\n" not in text and self._tail_length + len(text) <= LONGEST_LINE:
            self._tail.append(text)
            self._tail_length += len(text)
            return ()
        text = "".join((*self._tail, text))
        pieces: list[Piece] = []
        at = 0
        while (end := text.find("\n", at)) >= 0:
            at = self._give_parts(text, at, end, pieces)
            pieces += self._take(text[at : end + 1], is_start=not self._mid_line, is_end=True)
            self._mid_line = False
            at = end + 1
        at = self._give_parts(text, at, len(text), pieces)
        self._tail, self._tail_length = [text[at:]], len(text) - at
        return _joined(pieces)

    def close(self) -> Sequence[Piece]:
        """The text is over. What was still held."""
        if self._closed:
            return ()
        self._closed = True
        pieces: list[Piece] = []
        tail = "".join(self._tail)
        if tail:
            pieces += self._take(tail, is_start=not self._mid_line, is_end=True)
        if self._block is not None:
            pieces += self._block.close()
        self._block, self._tail = None, []
        return _joined(pieces)

    def provisional(self) -> str:
        """What is held, as it may be shown behind what was given out, until more is known."""
        tail = "".join(self._tail)
        if self._block is not None:
            return self._block.provisional(tail)
        return self._shown(tail, is_line=not self._mid_line, is_whole=False)

    def _give_parts(self, text: str, at: int, end: int, pieces: list[Piece]) -> int:
        """Take parts off a line that is too long, up to where the rest is not; they end between words where there are any."""
        while end - at > LONGEST_LINE:
            space = text.rfind(" ", at, at + LONGEST_LINE)
            cut = space + 1 if space >= 0 else at + LONGEST_LINE
            pieces += self._take(text[at:cut], is_start=not self._mid_line, is_end=False)
            self._mid_line = True
            at = cut
        return at

    def _take(self, text: str, *, is_start: bool, is_end: bool) -> Sequence[Piece]:
        """A line with its line end, or the first, a middle or the last part of a long one."""
        is_line = is_start and is_end
        pieces: list[Piece] = []
        if self._block is not None:
            taken = self._block.take(text, is_line=is_line)
            pieces += self._block.close() if taken is None else taken
            if taken is None or self._block.over:
                self._block = None
                self._behind_file = self._gap_before and bool(pieces) and isinstance(pieces[-1], FilePlan)
            if taken is not None:
                self._line_before = self._last_words = ""
                self._open_ticks = 0
                return pieces
        behind_file, self._behind_file = self._behind_file, False
        if behind_file and text.isspace():
            return pieces
        self._block = self._opened(text, is_line=is_line) if is_start else None
        if self._block is None:
            pieces.append(self._prose(text, is_line=is_line))
        self._gap_before = not self._line_before.strip()
        return pieces

    def _opened(self, text: str, *, is_line: bool) -> OpenBlock | None:
        """The block that begins with this line."""
        if "```" in text or "~~~" in text:
            segment = unclosed(text.rstrip("\n"))
            if segment is not None and segment.fence is not None:
                return self._code_block(text, segment.fence, may_be_file=is_line)
        if not is_line:
            return None
        formula = Opening.of(text) if self._maths is not None and _LATEX.search(text) else None
        if self._maths is not None and formula is not None:
            return DisplayMaths(text, formula, shown=self._maths, prose=self._prose)
        if "|" in text and self._style.tables is not Tables.AS_WRITTEN:
            return TableBlock(
                text,
                self._style.tables,
                prose=self._prose,
                preview=self._shown,
                cell=self._cell_shown,
                drawable=self._drawable,
                reserve=self._names.reserve,
            )
        return None

    def _code_block(self, opening: str, fence: Fence, *, may_be_file: bool) -> CodeBlock:
        longest = self._style.longest_code if may_be_file and not fence.prefix else 0
        name = file_name(fence.info, self._last_words) if longest else ""
        return CodeBlock(opening, fence, longest=longest, filename=name, reserve=self._names.reserve)

    def _prose(self, text: str, *, is_line: bool = True) -> str:
        shown = self._shown(text, is_line=is_line)
        if text.isspace():
            self._open_ticks = 0
        else:
            self._last_words = text if is_line else ""
            for run in map(len, _TICKS.findall(text)):
                self._open_ticks = 0 if run == self._open_ticks else self._open_ticks or run
        self._line_before = text
        return shown

    def _shown(self, text: str, *, is_line: bool = True, is_whole: bool = True) -> str:
        if _SPECIAL.search(text) is None:
            return text
        line = text.rstrip("\r\n")
        end = text[len(line) :]
        block = heading_shown(line, is_whole=is_whole) if is_line else None
        if block is None and is_line and is_whole:
            block = rule_shown(line, self._line_before.rstrip("\r\n"))
        line = images_shown(line if block is None else block, "`" * self._open_ticks)
        return self._with_maths(line) + end

    def _cell_shown(self, cell: str) -> str:
        shown = self._with_maths(cell)
        return cell if "\n" in shown else shown

    def _with_maths(self, line: str) -> str:
        return self._maths(line) if self._maths is not None and _LATEX.search(line) else line


def _joined(pieces: Sequence[Piece]) -> Sequence[Piece]:
    """The pieces with neighbouring texts as one."""
    joined: list[Piece] = []
    for is_text, group in groupby(pieces, key=lambda piece: isinstance(piece, str)):
        if not is_text:
            joined.extend(group)
        elif text := "".join(map(str, group)):
            joined.append(text)
    return joined

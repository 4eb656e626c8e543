"""A formula on lines of its own: `$$`, lines, `$$`, or `\\[`, lines, `\\]`. It is held until it is whole, as half of one cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.delivery.blocks.open_block import Piece

MOST_LINES = 40
MOST_CHARACTERS = 2000

CLOSING = {"$$": "$$", r"\[": r"\]"}
"""What stands alone on the opening line → what the last line ends with."""


class DisplayMaths:
    """`shown` makes a whole formula, without its last line end, readable. Lines that turn out to be none go through `prose` one by one."""

    def __init__(self, opening: str, *, shown: Callable[[str], str], prose: Callable[[str], str]) -> None:
        self.over = False
        self._closing = CLOSING[opening.strip()]
        self._held = [opening]
        self._length = len(opening)
        self._shown = shown
        self._prose = prose

    def take(self, text: str, *, is_line: bool) -> Sequence[Piece] | None:
        self._length += len(text)
        opens_code = text.lstrip().startswith(("```", "~~~"))
        if not is_line or opens_code or len(self._held) == MOST_LINES or self._length > MOST_CHARACTERS:
            return None
        self._held.append(text)
        if not text.rstrip().endswith(self._closing):
            return ()
        self.over = True
        formula = "".join(self._held)
        bare = formula.rstrip("\r\n")
        return (self._shown(bare) + formula[len(bare) :],)

    def close(self) -> Sequence[Piece]:
        return tuple(map(self._prose, self._held))

    def provisional(self, tail: str) -> str:
        return "".join((*self._held, tail))

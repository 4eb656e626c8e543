"""What a part of the text that takes several lines promises to the stage that feeds it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from bot.delivery.plan import FilePlan

Piece: TypeAlias = str | FilePlan


class OpenBlock(Protocol):
    """Lines keep their line ends, so that what is passed on unchanged is the text."""

    over: bool
    """True behind its last line, which it took."""

    def take(self, text: str, *, is_line: bool) -> Sequence[Piece] | None:
        """The next line, or with `is_line` false a part of a line too long to be held. What is certain by it; None: the
        block had ended before this text, which is not its own."""
        ...

    def close(self) -> Sequence[Piece]:
        """What is still held: the block is over, or the text is."""
        ...

    def provisional(self, tail: str) -> str:
        """What is held and the beginning of the next line, as they may be shown for now."""
        ...

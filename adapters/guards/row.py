"""The guards of one answer in a row: each sees what the one before it left of the text.

Nearly all text of nearly all answers concerns no guard. While all of them are calm, a piece that each ignores passes the whole row
unread, and the guards are told of it when they are next asked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from adapters.contract import ThoughtLogEntry
from adapters.guards.guard import Guard, GuardOutput

UNTOLD_LIMIT: Final = 256
"""Pieces that may pass before the guards are told."""


class GuardRow:
    def __init__(self, guards: Sequence[Guard], on_thought: Callable[[], None] | None = None) -> None:
        """`on_thought`: who wants to know when the provider first gives reasoning apart from the text."""
        self._on_thought = on_thought
        self._untold: list[str] = []
        self._stand(guards)

    def _stand(self, guards: Sequence[Guard]) -> None:
        self._guards = tuple(guards)
        self._ignores = tuple(guard.ignores for guard in guards)
        self._calm = all(guard.calm for guard in guards)

    def heard_thought(self) -> None:
        if self._on_thought is not None:
            self._on_thought()
            self._on_thought = None

    def lets_pass(self, text: str) -> bool:
        """Whether the text comes out as it is, now; else it wants to be fed."""
        if not self._calm:
            return False
        for ignores in self._ignores:
            if not ignores(text):
                return False
        if text:
            self._untold.append(text)
            if len(self._untold) == UNTOLD_LIMIT:
                self._tell()
        return True

    def feed(self, text: str) -> Sequence[GuardOutput]:
        self._tell()
        out: list[GuardOutput] = [text]
        for guard in self._guards:
            out = _through(guard, out)
        self._look()
        return out

    def settle(self, *, ended: bool) -> Sequence[GuardOutput]:
        """What is held, decided as it stands, as Guard.settle says."""
        self._tell()
        out: list[GuardOutput] = []
        for guard in self._guards:
            out = [*_through(guard, out), *guard.settle(ended=ended)]
        self._look()
        return out

    def _tell(self) -> None:
        if self._untold:
            passed = "".join(self._untold)
            self._untold.clear()
            for guard in self._guards:
                guard.passed(passed)

    def _look(self) -> None:
        if any(guard.spent for guard in self._guards):
            self._stand([guard for guard in self._guards if not guard.spent])
        else:
            self._calm = all(guard.calm for guard in self._guards)


def _through(guard: Guard, pieces: Sequence[GuardOutput]) -> list[GuardOutput]:
    out: list[GuardOutput] = []
    for piece in pieces:
        if isinstance(piece, ThoughtLogEntry) and piece.takes_back:
            out.append(piece)
            if held := guard.take_back():
                out.append(ThoughtLogEntry(held))
        elif not isinstance(piece, str):
            if not guard.calm:
                # What it holds stood before this, and nothing reaches across: a call would run without a part of its arguments.
                out += guard.settle(ended=True)
            out.append(piece)
        elif guard.calm and guard.ignores(piece):
            if piece:
                guard.passed(piece)
                out.append(piece)
        else:
            out += guard.feed(piece)
    return out

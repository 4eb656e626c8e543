"""What a guard is: a machine over an answer's visible text that finds what is not text although it came as text.

Guards stand in a row (guards/row.py), each over what the one before it left. They are synchronous and lossless: every character
comes out again, as text, as a thought or in a call, and what comes out does not depend on how the text was cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

import msgspec

from adapters.contract import FunctionCall, MalformedCall, ThoughtLogEntry


class WrittenCall(msgspec.Struct, frozen=True):
    """A call that the model wrote as text."""

    call: FunctionCall | MalformedCall
    text: str
    """As the model wrote it, with its marks and the code that it stood in."""


GuardOutput: TypeAlias = str | ThoughtLogEntry | WrittenCall


class Guard(Protocol):
    @property
    def calm(self) -> bool:
        """Nothing is held, and text that the guard ignores would come out as it is."""
        ...

    @property
    def spent(self) -> bool:
        """From now on everything comes out as it is: the guard may be taken away."""
        ...

    def ignores(self, text: str) -> bool:
        """Asked while calm: may this text pass unread? Quick, as all text is asked for. The guards are asked in their order, so when
        the last one of a row says yes, the text passes."""
        ...

    def passed(self, text: str) -> None:
        """Text that passed unread, just now: what follows stands behind it. Never empty."""
        ...

    def feed(self, text: str) -> Sequence[GuardOutput]: ...

    def settle(self, *, ended: bool) -> Sequence[GuardOutput]:
        """The text ends here, or a part of it that no mark reaches across: what is held comes out, decided as it stands.

        `ended`: the model ended it, nothing was cut off. Text may follow all the same, of the next part.
        """
        ...

    def take_back(self) -> str:
        """All text so far turned out to be reasoning: gives what is held, and begins anew."""
        ...

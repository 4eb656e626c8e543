"""The one shape of every decoding step: feed it an item, get messages; close it, get what it held back.

A stage is a small state machine without a clock or a socket. Its output must not depend on how its input was cut. Stages
compose: a pipeline hands each message of one stage to the next, and is a stage itself. An observer, when given, sees every
message under the number of the stage that made it, so that a tool can print any layer; without one nothing is paid for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar

In_contra = TypeVar("In_contra", contravariant=True)
Out_co = TypeVar("Out_co", covariant=True)


class Stage(Protocol[In_contra, Out_co]):
    """Synchronous and never raising on bad input: what is wrong with the input is a message too."""

    def feed(self, item: In_contra) -> Sequence[Out_co]: ...

    def close(self) -> Sequence[Out_co]:
        """The input has ended. Called once; nothing is fed afterwards."""
        ...


Observer: TypeAlias = Callable[[int, Any], None]
"""Called with a stage's position, from 0, and each message that it gave."""


class Pipeline:
    """Several stages as one; `pipeline` makes it."""

    __slots__ = ("_stages",)

    def __init__(self, stages: Sequence[Stage[Any, Any]]) -> None:
        self._stages = tuple(stages)

    def feed(self, item: Any) -> Sequence[Any]:
        return self._push(0, (item,))

    def close(self) -> Sequence[Any]:
        """Closes the stages from first to last; what one releases still passes through all that follow."""
        released: list[Any] = []
        for position, stage in enumerate(self._stages, start=1):
            released.extend(self._push(position, stage.close()))
        return released

    def _push(self, position: int, batch: Sequence[Any]) -> Sequence[Any]:
        for stage in self._stages[position:]:
            if not batch:
                break
            feed = stage.feed
            batch = feed(batch[0]) if len(batch) == 1 else [message for item in batch for message in feed(item)]
        return batch


class _Watched:
    """A stage whose messages an observer sees."""

    def __init__(self, position: int, stage: Stage[Any, Any], observer: Observer) -> None:
        self._position = position
        self._stage = stage
        self._observer = observer

    def feed(self, item: Any) -> Sequence[Any]:
        return self._show(self._stage.feed(item))

    def close(self) -> Sequence[Any]:
        return self._show(self._stage.close())

    def _show(self, messages: Sequence[Any]) -> Sequence[Any]:
        for message in messages:
            self._observer(self._position, message)
        return messages


def pipeline(*stages: Stage[Any, Any], observer: Observer | None = None) -> Pipeline:
    """The stages in a row: bytes in at the first, messages out at the last."""
    if observer is None:
        return Pipeline(stages)
    return Pipeline([_Watched(position, stage, observer) for position, stage in enumerate(stages)])

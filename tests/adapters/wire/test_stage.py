"""Pipelines: stages in a row, and who may watch them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from adapters.wire.data import DataLine
from adapters.wire.lines import Line
from adapters.wire.sse import sse
from adapters.wire.stage import pipeline
from tests.adapters.cuts import run


class Pairs:
    """A stage that joins two items, and gives up a single one at the end."""

    def __init__(self) -> None:
        self._held: list[str] = []

    def feed(self, item: str) -> Sequence[str]:
        self._held.append(item)
        if len(self._held) < 2:
            return ()
        joined, self._held = "".join(self._held), []
        return (joined,)

    def close(self) -> Sequence[str]:
        return self._held


def test_what_a_stage_holds_passes_through_those_behind_it_at_the_end() -> None:
    """Closing goes from first to last, so nothing is lost and the order stays."""
    assert run(pipeline(Pairs(), Pairs()), list("abcdefg")) == ["abcd", "efg"]


def test_a_pipeline_without_stages_gives_back_its_input() -> None:
    """The empty pipeline is the neutral one."""
    assert run(pipeline(), ["a", "b"]) == ["a", "b"]


def test_an_observer_sees_the_messages_of_every_layer_in_order() -> None:
    """Each message is shown with the position of the stage that made it, before the next stage gets it."""
    seen: list[tuple[int, Any]] = []
    out = run(sse(observer=lambda layer, message: seen.append((layer, message))), [b"data: x\n", b"\ndata: y"])
    assert out == [DataLine(b"x"), DataLine(b"y")]
    assert seen == [
        (0, Line(b"data: x")),
        (0, Line(b"")),
        (1, DataLine(b"x")),
        (0, Line(b"data: y")),
        (1, DataLine(b"y")),
    ]

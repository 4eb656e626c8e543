"""Pipelines: stages in a row, and who may watch them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from hypothesis import given

from adapters.wire.data import DataLine
from adapters.wire.lines import Line
from adapters.wire.sse import Sse, sse
from adapters.wire.stage import LayerBegin, LayerEnd, Layers, LayerStats, Totals, pipeline
from tests.adapters.cuts import cut_at, places, run


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
    """Each message is shown with the name of the layer that made it, before the next layer gets it."""
    seen: list[tuple[str, Any]] = []
    layers = Layers(lambda layer, message: seen.append((layer, message)))
    out = run(sse(layers), [b"data: x\n", b"\ndata: y"])
    assert out == [DataLine(b"x"), DataLine(b"y")]
    line, data = Totals(2, 16, 3, 0), Totals(3, 0, 2, 0)
    assert seen == [
        ("line", LayerBegin("line.begin")),
        ("line", Line(b"data: x")),
        ("data", LayerBegin("data.begin")),
        ("line", Line(b"")),
        ("data", DataLine(b"x")),
        ("line", Line(b"data: y")),
        ("line", LayerStats("line.stats", line)),
        ("line", LayerEnd("line.end", line)),
        ("data", DataLine(b"y")),
        ("data", LayerStats("data.stats", data)),
        ("data", LayerEnd("data.end", data)),
    ]


def test_the_totals_can_be_asked_for_at_any_time() -> None:
    """And a layer ends once, whoever says so."""
    seen: list[Any] = []
    layers = Layers(lambda _layer, message: seen.append(message))
    stages = sse(layers)
    stages.feed(b"data: x\n\n")
    del seen[:]
    layers.stats()
    assert seen == [LayerStats("line.stats", Totals(1, 9, 2, 0)), LayerStats("data.stats", Totals(2, 0, 1, 0))]
    del seen[:]
    stages.close()
    layers.end()
    assert [message.type for message in seen] == ["line.stats", "line.end", "data.stats", "data.end"]


@given(places)
def test_the_totals_do_not_depend_on_the_cut(places: list[int]) -> None:
    """But for the number of reads, which is what the cut is."""

    def totals(pieces: Sequence[bytes]) -> list[Totals]:
        ends: list[Totals] = []
        layers = Layers(lambda _layer, message: ends.append(message.totals) if isinstance(message, LayerEnd) else None)
        run(sse(layers), pieces)
        return [msgspec.structs.replace(ends[0], fed_nr=0), *ends[1:]]

    body = b"\xef\xbb\xbfevent: a\r\ndata: 1\r\ndata: 2\r\n\r\n: hm\nstray\n\ndata: 3"
    assert totals(cut_at(body, places)) == totals([body])


def test_nobody_looking_costs_no_message() -> None:
    """Without an observer the stages are the bare ones."""
    assert isinstance(sse(), Sse)

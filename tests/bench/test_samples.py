"""The samples are what they say, and the contestants at hand read them whole. Speed is no test."""

from __future__ import annotations

from itertools import pairwise

import pytest

from adapters import registry
from tests.bench.contestants import Found, fault_of, ours, split_and_typed
from tests.bench.measuring import perform
from tests.bench.samples import CALLS, SAMPLES, chat_tools

NAMES = sorted(SAMPLES)
DELTAS = 400


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_always_the_same(name: str) -> None:
    """Two runs measure the same bytes."""
    assert SAMPLES[name](DELTAS) == SAMPLES[name](DELTAS)


@pytest.mark.parametrize("name", NAMES)
def test_every_read_is_one_whole_event(name: str) -> None:
    """As a live stream arrives."""
    for read in SAMPLES[name](DELTAS).reads:
        end = b"\r\n\r\n" if read.endswith(b"\r\n\r\n") else b"\n\n"
        assert read.endswith(end)
        assert read.count(end) == 1


@pytest.mark.parametrize("name", NAMES)
def test_ours_reads_what_the_sample_was_made_of(name: str) -> None:
    """Every character, and the arguments of every call."""
    sample = SAMPLES[name](DELTAS)
    assert sample.provider in registry.NAMES
    assert fault_of(perform(ours(sample)), sample) is None


@pytest.mark.parametrize("name", NAMES)
def test_the_typed_floor_can_read_every_event(name: str) -> None:
    """A floor that stumbles would be no floor."""
    assert perform(split_and_typed(SAMPLES[name](DELTAS))) == Found()


def test_the_fragments_of_calls_take_turns() -> None:
    """No two in a row are of one call."""
    sample = chat_tools(DELTAS * 2)
    assert len(sample.calls) == CALLS
    fragments = [read for read in sample.reads if b'"arguments":' in read]
    indexes = [read.partition(b'"tool_calls":[{"index":')[2].partition(b",")[0] for read in fragments]
    assert len(indexes) > 2 * CALLS
    assert all(one != next_ for one, next_ in pairwise(indexes))


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (Found(), None),
        (Found(text="something else"), "characters"),
        (Found(calls=(("tool_0", {}),)), "calls"),
    ],
)
def test_a_contestant_that_reads_something_else_is_at_fault(found: Found, words: str | None) -> None:
    """Skipping text would be the quickest way to win."""
    fault = fault_of(found, SAMPLES["chat-text"](10))
    assert (fault is None) if words is None else (fault is not None and words in fault)

"""What ours costs by itself: for each chunk as an answer grows, for whoever looks on, and for the guards over the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import sub
from statistics import median
from typing import Final

from msgspec.structs import replace

from adapters import registry
from adapters.contract import ToolSpec
from adapters.providers.chat.decoder import OpenAIChatDecoder
from tests.bench.contestants import REQUEST, Read, ours, reading
from tests.bench.measuring import cpu_seconds, performing
from tests.bench.samples import Sample, chat_text

SIZES: Final = (100, 1_000, 10_000, 100_000)
CHUNKS_A_ROUND: Final = 100_000

TOOLS: Final = tuple(
    ToolSpec(name, "", {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]})
    for name in ("generate_image", "read_file", "search_the_web", "set_a_reminder", "create_poll", "remember")
)


def growth(rounds: int, sizes: Sequence[int] = SIZES, chunks_a_round: int = CHUNKS_A_ROUND) -> Mapping[int, float]:
    """Deltas of an answer -> microseconds of CPU for each read of it, opening and ending included."""
    samples = {size: chat_text(size) for size in sizes}
    reads = {size: ours(sample) for size, sample in samples.items()}
    times = {size: max(1, chunks_a_round // size) for size in sizes}
    return {size: seconds / len(samples[size].reads) * 1e6 for size, seconds in _in_turn(reads, rounds, times).items()}


def observing(rounds: int, deltas: int) -> tuple[float, float]:
    """Microseconds for each chunk: (nobody looks, somebody looks at every layer)."""
    sample = chat_text(deltas)
    adapter = registry.adapter(sample.provider)
    seen = reading(sample, lambda: adapter.open(REQUEST, lambda layer, message: None))
    return _pair(ours(sample), seen, rounds, len(sample.reads))


def guarding(sample: Sample, rounds: int) -> tuple[float, ...]:
    """Microseconds for each chunk: (without guards, with those for reasoning, with all of them)."""
    request = replace(REQUEST, tools=TOOLS, text_tool_calls=True)
    reads = {
        0: reading(sample, OpenAIChatDecoder),
        1: reading(sample, lambda: OpenAIChatDecoder(REQUEST, leaks=True)),
        2: reading(sample, lambda: OpenAIChatDecoder(request, leaks=True)),
    }
    each = _rounds_of(reads, rounds, dict.fromkeys(reads, 1))
    bare = median(each[0])
    # What a guard adds is found inside a round: between two of them the machine may have changed its pace.
    tags, every = (bare + median(map(sub, each[nr], each[0])) for nr in (1, 2))
    return tuple(seconds / len(sample.reads) * 1e6 for seconds in (bare, tags, every))


def _pair(one: Read, other: Read, rounds: int, chunks: int) -> tuple[float, float]:
    seconds = _in_turn({0: one, 1: other}, rounds, {0: 1, 1: 1})
    return seconds[0] / chunks * 1e6, seconds[1] / chunks * 1e6


def _in_turn(reads: Mapping[int, Read], rounds: int, times: Mapping[int, int]) -> Mapping[int, float]:
    """CPU seconds of one reading, the median of the rounds."""
    return {name: median(each) for name, each in _rounds_of(reads, rounds, times).items()}


def _rounds_of(reads: Mapping[int, Read], rounds: int, times: Mapping[int, int]) -> Mapping[int, list[float]]:
    """CPU seconds of one reading in each round. One round more warms up."""
    seconds: dict[int, list[float]] = {name: [] for name in reads}
    for _ in range(rounds + 1):
        for name, read in reads.items():
            seconds[name].append(cpu_seconds(performing(read), times[name]))
    return {name: each[1:] for name, each in seconds.items()}

"""Races: contestants read the same sample in turn, round after round, by the CPU time of this process.

A shared machine makes every absolute figure doubtful, and much less so the ratio of two that were measured right after one another:
so ratios are taken inside each round, and the median of the rounds counts.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import math
import time
from collections.abc import Callable, Mapping
from statistics import median

import msgspec

from tests.bench.contestants import Contestant, Found, Read, fault_of
from tests.bench.samples import Sample

LEAST_SECONDS = 0.05
"""A contestant reads the sample as often as it takes to fill so much time: less is lost in noise."""


class Race(msgspec.Struct, frozen=True):
    """What came of it: CPU seconds for one reading of the sample, one entry a round, by contestant."""

    sample: str
    chunks_nr: int
    bytes_nr: int
    seconds: Mapping[str, tuple[float, ...]]

    def per_chunk(self, name: str) -> float:
        """Microseconds of CPU for each read."""
        return median(self.seconds[name]) / self.chunks_nr * 1e6

    def megabytes_a_second(self, name: str) -> float:
        return self.bytes_nr / median(self.seconds[name]) / 1e6

    def ratio(self, slow: str, quick: str) -> float:
        """How many times as long `slow` takes as `quick`."""
        return median(a / b for a, b in zip(self.seconds[slow], self.seconds[quick], strict=True))


class WrongAnswerError(Exception):
    """A contestant read something else than the sample holds: it must not win by that."""


def race(sample: Sample, contestants: Mapping[str, Contestant], rounds: int, least: float = LEAST_SECONDS) -> Race:
    """Raises WrongAnswerError."""
    reads = {name: contestant(sample) for name, contestant in contestants.items()}
    times = {name: _times(name, read, sample, least) for name, read in reads.items()}
    seconds: dict[str, list[float]] = {name: [] for name in reads}
    for _ in range(rounds):
        for name, read in reads.items():
            seconds[name].append(cpu_seconds(performing(read), times[name]))
    return Race(sample.name, len(sample.reads), sample.bytes_nr, {name: tuple(each) for name, each in seconds.items()})


def perform(read: Read) -> Found:
    found = read()
    return asyncio.run(_awaited(found)) if inspect.isawaitable(found) else found


def performing(read: Read) -> Callable[[], Found]:
    return lambda: perform(read)


async def _awaited(found: object) -> Found:
    assert inspect.isawaitable(found)
    result = await found
    assert isinstance(result, Found)
    return result


def cpu_seconds(run: Callable[[], object], times: int = 1) -> float:
    """Of one run, on average. Rubbish of others is collected before, its own within."""
    gc.collect()
    start = time.process_time()
    for _ in range(times):
        run()
    return (time.process_time() - start) / times


def _times(name: str, read: Read, sample: Sample, least: float) -> int:
    """The warm-up: checks the answer, and finds how many readings fill the least time."""
    found: list[Found] = []
    taken = cpu_seconds(lambda: found.append(perform(read)))
    fault = fault_of(found[0], sample)
    if fault is not None:
        raise WrongAnswerError(f"{name} {fault}")
    if taken < least:
        # The first reading also paid for imports and caches.
        taken = cpu_seconds(performing(read))
    return max(1, math.ceil(least / max(taken, 1e-6)))

"""`python -m tests.bench.simulated NAME`: many answers at once in one event loop, without sockets. Prints one line of JSON.

Every stream is an async source that sleeps between two reads, as a provider's does. "timers" does nothing else and is the floor;
"ours" runs decoder, EventStream and a reader that takes batches, as the bot does; "openai" is the peer. Each runs in a process of
its own, so that nobody's imports burden another's garbage collector.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from adapters import registry
from adapters.contract import ProcessedChunk, TextChunk
from adapters.event_stream import EventStream
from tests.bench.contestants import REQUEST
from tests.bench.samples import chat_text

STREAMS: Final = 1000
RATE: Final = 20.0
"""Deltas a second of each stream."""
HEAD_START: Final = 1.0
"""Seconds over which the beginnings are spread."""
PROBE: Final = 0.01
"""Seconds between two looks at the clock by the loop's probe."""

Source: TypeAlias = AsyncIterator[bytes]
Reader: TypeAlias = Callable[[Source], Awaitable[int]]
"""Reads one stream; gives the number of pieces of text in it."""


class Load(msgspec.Struct, frozen=True):
    """What one contestant took."""

    name: str
    chunks_nr: int
    texts_nr: int
    cpu_seconds: float
    wall_seconds: float
    lags: tuple[float, float, float]
    """How late a timer came, in seconds: median, p99, maximum."""

    @property
    def per_chunk(self) -> float:
        """Microseconds of CPU."""
        return self.cpu_seconds / self.chunks_nr * 1e6

    @property
    def cores(self) -> float:
        return self.cpu_seconds / self.wall_seconds


async def _timers(source: Source) -> int:
    return len([data async for data in source])


async def _ours(source: Source) -> int:
    decoder = registry.adapter("openai-chat").open(REQUEST)

    async def decoded() -> AsyncGenerator[Sequence[ProcessedChunk], None]:
        async for data in source:
            yield decoder.feed(data)
        yield decoder.close()

    texts_nr = 0
    async with EventStream(decoded()) as stream:
        async for batch in stream.batches():
            texts_nr += sum(type(chunk) is TextChunk and bool(chunk.content) for chunk in batch)
    return texts_nr


async def _openai(source: Source) -> int:
    import httpx2
    import openai

    headers = {"content-type": "text/event-stream"}
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, headers=headers, content=source))
    client = openai.AsyncOpenAI(api_key="x", http_client=httpx2.AsyncClient(transport=transport))
    texts_nr = 0
    async for chunk in await client.chat.completions.create(
        model="gpt-4.1", messages=[{"role": "user", "content": "hi"}], stream=True
    ):
        texts_nr += bool(chunk.choices and chunk.choices[0].delta.content)
    return texts_nr


READERS: Final[Mapping[str, Reader]] = {"timers": _timers, "ours": _ours, "openai": _openai}


async def load_of(name: str, streams: int, seconds: float, rate: float = RATE) -> Load:
    """Streams that begin one after the other in the first second, and then run side by side."""
    reads = chat_text(max(1, int(seconds * rate))).reads
    read, now = READERS[name], asyncio.get_running_loop().time
    # Imports and caches.
    await read(_at_once(reads))
    gc.collect()
    gc.freeze()
    lags: list[float] = []
    probe = asyncio.create_task(_probe(lags))
    start, cpu_start = now(), time.process_time()
    async with asyncio.TaskGroup() as group:
        dues = (start + HEAD_START * number / streams for number in range(streams))
        tasks = [group.create_task(_begun(read, _paced(reads, due, 1 / rate), due)) for due in dues]
    wall, cpu = now() - start, time.process_time() - cpu_start
    probe.cancel()
    gc.unfreeze()
    lags.sort()
    places = (len(lags) // 2, int(len(lags) * 0.99), len(lags) - 1)
    texts_nr = sum(task.result() for task in tasks)
    lag_p50, lag_p99, lag_max = (lags[place] for place in places)
    return Load(name, streams * len(reads), texts_nr, cpu, wall, (lag_p50, lag_p99, lag_max))


def load_in_a_process(name: str, streams: int, seconds: float) -> Load:
    """Raises CalledProcessError where it did not work."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.bench.simulated", name]
    options = ["--streams", str(streams), "--seconds", str(seconds)]
    root = Path(__file__).parents[2]
    done = subprocess.run([*command, *options], cwd=root, check=True, stdout=subprocess.PIPE)
    return msgspec.json.decode(done.stdout, type=Load)


async def _begun(read: Reader, source: Source, due: float) -> int:
    await asyncio.sleep(due - asyncio.get_running_loop().time())
    return await read(source)


async def _at_once(reads: Sequence[bytes]) -> Source:
    for data in reads:
        yield data


async def _paced(reads: Sequence[bytes], due: float, pause: float) -> Source:
    now = asyncio.get_running_loop().time
    for data in reads:
        await asyncio.sleep(max(0.0, due - now()))
        due += pause
        yield data


async def _probe(lags: list[float]) -> None:
    now = asyncio.get_running_loop().time
    while True:
        due = now() + PROBE
        await asyncio.sleep(PROBE)
        lags.append(now() - due)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.simulated")
    parser.add_argument("name", choices=READERS)
    parser.add_argument("--streams", type=int, default=STREAMS)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    load = asyncio.run(load_of(options.name, options.streams, options.seconds))
    print(msgspec.json.encode(load).decode())


if __name__ == "__main__":
    main()

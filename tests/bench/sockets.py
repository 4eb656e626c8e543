"""`python -m tests.bench.sockets`: many answers at once over real sockets, by the transport as it is and with httpx's own below it.

A second process serves Chat Completions streams at a steady rate and writes its clock into every delta (both clocks are the
machine's monotonic one), so the delay is from the server's write to the reader's hands. CPU is this process's alone.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import httpx
import msgspec

from adapters.contract import Endpoint, GenerationRequest, Role, TextChunk, text_message
from adapters.providers.chat.custom import CUSTOM
from adapters.transport import USER_AGENT, Transport

RATE: Final = 20.0
"""Deltas a second of each stream."""
REQUEST: Final = GenerationRequest("m", (text_message(Role.USER, "hi"),))

_HEAD: Final = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_EVENT: Final = (
    b'data: {"id":"chatcmpl-x","object":"chat.completion.chunk","created":1,"model":"m","choices":'
    b'[{"index":0,"delta":{"content":"%b"},"finish_reason":null}],"usage":null}\n\n'
)


class Figures(msgspec.Struct, frozen=True):
    cpu_per_delta: float
    """Microseconds."""
    delay_p50: float
    """Milliseconds."""
    delay_p99: float


# ------------------------------------------------------------------------------------------------------ the other process


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, deltas: int) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length"))
    await reader.readexactly(int(length.split(b":")[1]))
    writer.write(_HEAD)
    due = time.monotonic() + 1
    for _ in range(deltas):
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        due += 1 / RATE
        writer.write(_chunk(_EVENT % b"%.6f " % time.monotonic()))
    writer.write(_chunk(b"data: [DONE]\n\n") + _chunk(b""))
    writer.close()


async def _serve(deltas: int) -> None:
    server = await asyncio.start_server(lambda r, w: _answer(r, w, deltas), "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


# ------------------------------------------------------------------------------------------------------------ this process


def _over_httpx() -> Transport:
    transport = Transport()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=32)
    transport._client = httpx.AsyncClient(follow_redirects=False, headers={"user-agent": USER_AGENT}, limits=limits)
    return transport


async def _read(transport: Transport, base_url: str, delays: list[float]) -> None:
    async with transport.open(CUSTOM, REQUEST, Endpoint(base_url)) as stream:
        async for batch in stream.batches():
            now = time.monotonic()
            delays.extend(
                now - float(written) for chunk in batch if type(chunk) is TextChunk for written in chunk.content.split()
            )


async def measure(transport: Transport, base_url: str, streams: int) -> Figures:
    delays: list[float] = []
    start = time.process_time()
    async with transport, asyncio.TaskGroup() as group:
        for _ in range(streams):
            group.create_task(_read(transport, base_url, delays))
    cpu = time.process_time() - start
    delays.sort()
    return Figures(cpu / len(delays) * 1e6, *(delays[int(len(delays) * part)] * 1e3 for part in (0.5, 0.99)))


async def compare(port: int, streams: int) -> Sequence[tuple[str, Figures]]:
    base_url = f"http://127.0.0.1:{port}/v1"
    makers = {"aiohttp under httpx": Transport, "httpx's own": _over_httpx}
    return [(name, await measure(make(), base_url, streams)) for name, make in makers.items()]


def main(streams: int, seconds: float) -> None:
    command = [sys.executable, "-m", "tests.bench.sockets", "--serve", str(round(seconds * RATE))]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            found = asyncio.run(compare(int(server.stdout.readline()), streams))
        finally:
            server.kill()
    print(f"{streams} streams of {RATE:g} deltas/s over loopback   µs CPU a delta   delay p50 ms   p99 ms")
    for name, figures in found:
        print(f"{name:45} {figures.cpu_per_delta:15.1f} {figures.delay_p50:14.1f} {figures.delay_p99:8.1f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--streams", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--serve", type=int, metavar="DELTAS", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.serve is not None:
        asyncio.run(_serve(arguments.serve))
    else:
        main(arguments.streams, arguments.seconds)

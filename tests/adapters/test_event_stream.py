"""EventStream: what a producer pushes, one reader gets, and always an ending."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import DoneChunk, ErrorChunk, ErrorReason, FinishReason, ProcessedChunk, TextChunk
from adapters.errors import error_of
from adapters.event_stream import EventStream

DONE = DoneChunk(FinishReason.STOP)
BROKEN = ErrorChunk(error_of(ErrorReason.SERVER, "broken"))


def t(content: str) -> TextChunk:
    return TextChunk(content=content)


async def read_all(stream: EventStream) -> list[ProcessedChunk]:
    return [chunk async for chunk in stream]


async def test_chunks_come_in_order_up_to_the_ending() -> None:
    """Nothing after the ending is delivered, neither of the same push nor of a later one."""
    stream = EventStream()
    stream.push([t("a"), t("b")])
    stream.push([t("c"), DONE, t("late")])
    stream.push([BROKEN])
    assert await read_all(stream) == [t("a"), t("b"), t("c"), DONE]
    assert await read_all(stream) == []


async def test_the_text_so_far_travels_with_an_error() -> None:
    """Joined once, whatever was already read."""
    stream = EventStream()
    stream.push([t("a"), TextChunk(), t("b")])
    assert await anext(stream) == t("a")
    stream.push([BROKEN])
    *_, ending = await read_all(stream)
    assert isinstance(ending, ErrorChunk)
    assert ending.partial_text == "ab"


async def test_a_batch_is_all_that_is_there() -> None:
    """One wake-up for many chunks."""
    stream = EventStream()
    stream.push([t("a"), t("b")])
    stream.push([t("c")])
    batches = stream.batches()
    assert await anext(batches) == (t("a"), t("b"), t("c"))
    stream.push([DONE])
    assert await anext(batches) == (DONE,)
    assert await anext(batches, None) is None


async def test_a_reader_that_stops_between_two_chunks_loses_none() -> None:
    """Leaving a loop and beginning another goes on where the first stopped."""
    stream = EventStream()
    stream.push([t("a"), t("b"), DONE])
    async for chunk in stream:
        assert chunk == t("a")
        break
    assert await read_all(stream) == [t("b"), DONE]


async def test_a_waiting_reader_is_woken() -> None:
    """Push after the reader has begun to wait."""
    gate = asyncio.Event()

    async def produce(stream: EventStream) -> None:
        await gate.wait()
        stream.push([t("a")])
        stream.push([DONE])

    async with EventStream(produce) as stream:
        reader = asyncio.create_task(read_all(stream))
        await asyncio.wait([reader], timeout=0)
        gate.set()
        assert await reader == [t("a"), DONE]


async def test_a_crashed_producer_is_an_error_with_the_text_so_far(caplog: pytest.LogCaptureFixture) -> None:
    """The reader gets an ending, the log the traceback."""

    async def produce(stream: EventStream) -> None:
        stream.push([t("a")])
        raise LookupError("a bug")

    with caplog.at_level(logging.ERROR):
        async with EventStream(produce) as stream:
            first, ending = await read_all(stream)
    assert first == t("a")
    assert isinstance(ending, ErrorChunk)
    assert (ending.error.reason, ending.partial_text) == (ErrorReason.SERVER, "a")
    assert "LookupError" in ending.error.message
    assert "a bug" in caplog.text


async def test_a_producer_that_returns_without_an_ending_is_an_error() -> None:
    """A forgotten ending must not hang the reader."""

    async def produce(stream: EventStream) -> None:
        stream.push([t("a")])

    async with EventStream(produce) as stream:
        _, ending = await read_all(stream)
    assert isinstance(ending, ErrorChunk)


async def test_leaving_cancels_the_producer_and_waits_for_its_clean_up() -> None:
    """When the block is left, whatever the producer held is closed."""
    log: list[str] = []

    async def produce(stream: EventStream) -> None:
        try:
            stream.push([t("a")])
            await asyncio.Event().wait()
        finally:
            await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0)
            log.append("closed")

    async with EventStream(produce) as stream:
        assert await anext(stream) == t("a")
    assert log == ["closed"]
    assert await read_all(stream) == []


async def test_closing_wakes_a_waiting_reader() -> None:
    """Also one in another task, and without a producer."""
    stream = EventStream()
    reader = asyncio.create_task(read_all(stream))
    await asyncio.wait([reader], timeout=0)
    await stream.aclose()
    assert await reader == []


async def test_a_stream_that_is_never_entered_starts_nothing() -> None:
    """No task without an owner."""
    started: list[str] = []

    async def produce(stream: EventStream) -> None:
        started.append("yes")

    EventStream(produce)
    await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0)
    assert started == []


CHUNKS = st.lists(st.lists(st.sampled_from([t("a"), t(""), t("b"), DONE, BROKEN]), max_size=4), max_size=6)


@given(CHUNKS)
async def test_however_it_is_pushed_a_reader_sees_one_ending(pushes: Sequence[Sequence[ProcessedChunk]]) -> None:
    """The chunks up to the first ending, and an ending of the stream's own where there was none."""

    async def produce(stream: EventStream) -> None:
        for chunks in pushes:
            stream.push(chunks)

    async with EventStream(produce) as stream:
        *before, ending = await read_all(stream)
    flat = [chunk for chunks in pushes for chunk in chunks]
    ends = [number for number, chunk in enumerate(flat) if not isinstance(chunk, TextChunk)]
    assert before == flat[: ends[0]] if ends else before == flat
    assert isinstance(ending, DoneChunk if ends and flat[ends[0]] == DONE else ErrorChunk)

"""EventStream: what a source gives, one reader gets, and always an ending."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    DoneChunk,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    ProcessedChunk,
    TextChunk,
    ThoughtLogEntry,
)
from adapters.errors import error_of
from adapters.event_stream import EventStream, Source

DONE = DoneChunk(FinishReason.STOP)
BROKEN = ErrorChunk(error_of(ErrorReason.SERVER, "broken"))


def t(content: str) -> TextChunk:
    return TextChunk(content=content)


async def giving(*batches: Sequence[ProcessedChunk]) -> Source:
    for batch in batches:
        yield batch


async def read_all(stream: EventStream) -> list[ProcessedChunk]:
    return [chunk async for chunk in stream]


async def test_chunks_come_in_order_up_to_the_ending() -> None:
    """Nothing after the ending is delivered, neither of the same batch nor of a later one."""
    stream = EventStream(giving([t("a"), t("b")], [t("c"), DONE, t("late")], [BROKEN]))
    assert await read_all(stream) == [t("a"), t("b"), t("c"), DONE]
    assert await read_all(stream) == []


async def test_the_text_so_far_travels_with_an_error() -> None:
    """Joined once, without what was taken back."""
    taken_back = TextChunk(thoughts=(ThoughtLogEntry("", takes_back=True),))
    stream = EventStream(giving([t("gone")], [taken_back, t("a")], [TextChunk(), t("b")], [BROKEN]))
    *_, ending = await read_all(stream)
    assert isinstance(ending, ErrorChunk)
    assert ending.partial_text == "ab"


async def test_a_batch_is_what_came_with_one_read() -> None:
    """One suspension for many chunks."""
    stream = EventStream(giving([t("a"), t("b")], [t("c")], [DONE]))
    assert [list(batch) async for batch in stream.batches()] == [[t("a"), t("b")], [t("c")], [DONE]]


async def test_a_reader_that_stops_between_two_chunks_loses_none() -> None:
    """Leaving a loop and beginning another goes on where the first stopped, in either way of reading."""
    stream = EventStream(giving([t("a"), t("b"), t("c")], [DONE]))
    async for chunk in stream:
        assert chunk == t("a")
        break
    assert await anext(stream) == t("b")
    assert [list(batch) async for batch in stream.batches()] == [[t("c")], [DONE]]


async def test_a_crashed_source_is_an_error_with_the_text_so_far(caplog: pytest.LogCaptureFixture) -> None:
    """The reader gets an ending, the log the traceback."""

    async def crashing() -> Source:
        yield [t("a")]
        raise LookupError("a bug")

    with caplog.at_level(logging.ERROR):
        async with EventStream(crashing()) as stream:
            first, ending = await read_all(stream)
    assert first == t("a")
    assert isinstance(ending, ErrorChunk)
    assert (ending.error.reason, ending.partial_text) == (ErrorReason.SERVER, "a")
    assert "LookupError" in ending.error.message
    assert "a bug" in caplog.text


async def test_a_source_that_stops_without_an_ending_is_an_error() -> None:
    """A forgotten ending must not hang the reader."""
    async with EventStream(giving([t("a")])) as stream:
        _, ending = await read_all(stream)
    assert isinstance(ending, ErrorChunk)


@pytest.mark.parametrize("reads", [0, 1, 2])
async def test_leaving_closes_the_source_and_waits_for_its_clean_up(reads: int) -> None:
    """When the block is left, whatever the source held is closed; a source that was never asked held nothing."""
    log: list[str] = []

    async def holding() -> Source:
        log.append("opened")
        try:
            yield [t("a")]
            yield [DONE]
        finally:
            await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0)
            log.append("closed")

    async with EventStream(holding()) as stream:
        for _ in range(reads):
            await anext(stream)
    assert log == (["opened", "closed"] if reads else [])
    assert await read_all(stream) == []


async def test_a_reader_that_is_cancelled_while_it_waits_closes_the_source() -> None:
    """Stop is a cancellation of the reader's task."""
    log: list[str] = []
    waits = asyncio.Event()

    async def silent() -> Source:
        try:
            waits.set()
            await asyncio.Event().wait()
            yield [DONE]
        finally:
            log.append("closed")

    async def read() -> None:
        async with EventStream(silent()) as stream:
            await anext(stream)

    reader = asyncio.create_task(read())
    await waits.wait()
    reader.cancel()
    await asyncio.wait([reader])
    assert reader.cancelled()
    assert log == ["closed"]


async def reading_when_left(cancelled_too: bool) -> tuple[asyncio.Task[list[ProcessedChunk]], list[str]]:
    """A task that reads a silent source while another one leaves the stream."""
    log: list[str] = []
    waits = asyncio.Event()

    async def silent() -> Source:
        try:
            yield [t("a")]
            waits.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0)
            log.append("closed")

    async with EventStream(silent()) as stream:
        reader = asyncio.create_task(read_all(stream))
        await waits.wait()
        if cancelled_too:
            reader.cancel()
    log.append("left")
    await asyncio.wait([reader])
    assert await read_all(stream) == []
    return reader, log


async def test_a_reader_in_another_task_sees_the_end_when_the_stream_is_left() -> None:
    """And the source is closed by then."""
    reader, log = await reading_when_left(cancelled_too=False)
    assert reader.result() == [t("a")]
    assert reader.cancelling() == 0
    assert log == ["closed", "left"]


async def test_a_reader_that_is_cancelled_as_the_stream_is_left_stays_cancelled() -> None:
    reader, log = await reading_when_left(cancelled_too=True)
    assert reader.cancelled()
    assert log == ["closed", "left"]


CHUNKS = st.lists(st.lists(st.sampled_from([t("a"), t(""), t("b"), DONE, BROKEN]), max_size=4), max_size=6)


@given(CHUNKS)
async def test_whatever_a_source_gives_a_reader_sees_one_ending(batches: Sequence[Sequence[ProcessedChunk]]) -> None:
    """The chunks up to the first ending, and an ending of the stream's own where there was none."""
    async with EventStream(giving(*batches)) as stream:
        *before, ending = await read_all(stream)
    flat = [chunk for chunks in batches for chunk in chunks]
    ends = [number for number, chunk in enumerate(flat) if not isinstance(chunk, TextChunk)]
    assert before == flat[: ends[0]] if ends else before == flat
    assert isinstance(ending, DoneChunk if ends and flat[ends[0]] == DONE else ErrorChunk)

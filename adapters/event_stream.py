"""A provider's answer on its way to one reader: push, end, and errors as events.

The producer pushes chunks; the reader iterates, chunk by chunk or in batches. The law: every stream ends with exactly one
DoneChunk or ErrorChunk, whatever the producer does (return early, crash, be cancelled), so a waiting reader never hangs.
What is pushed after the ending is dropped. A reader that leaves cancels the producer, which closes its connection.
The stream owns the producer's task: it starts with `async with`, and has ended when that block is left.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from types import TracebackType
from typing import Final, Self, TypeAlias

import msgspec

from adapters.contract import DoneChunk, ErrorChunk, ErrorReason, ProcessedChunk, TextChunk
from adapters.errors import error_of

_log = logging.getLogger(__name__)

LINGER: Final = 0.25
"""Seconds that a producer gets after the ending to leave its connection in order. Most need none."""


class EventStream:
    """Use as `async with stream:`, then `async for chunk in stream` or `async for batch in stream.batches()`.

    One reader. The queue has no bound of its own: the producer bounds what it reads (transport.MAX_BODY_BYTES).
    """

    def __init__(self, produce: Producer | None = None) -> None:
        self._produce = produce
        self._task: asyncio.Task[None] | None = None
        self._queue: deque[ProcessedChunk] = deque()
        self._news = asyncio.Event()
        self._text: list[str] = []
        self._ended = False

    @property
    def ended(self) -> bool:
        """The ending was pushed, or the reader has left."""
        return self._ended

    def push(self, chunks: Iterable[ProcessedChunk]) -> None:
        """Hand over chunks, the last of which may be the ending. An ErrorChunk is given the text so far."""
        if self._ended:
            return
        for chunk in chunks:
            if isinstance(chunk, TextChunk):
                if chunk.thoughts and any(thought.takes_back for thought in chunk.thoughts):
                    self._text.clear()
                if chunk.content:
                    self._text.append(chunk.content)
            elif isinstance(chunk, ErrorChunk):
                chunk = msgspec.structs.replace(chunk, partial_text="".join(self._text))
                self._ended = True
            elif isinstance(chunk, DoneChunk):
                self._ended = True
            self._queue.append(chunk)
            if self._ended:
                self._text.clear()
                break
        self._news.set()

    async def batches(self) -> AsyncIterator[Sequence[ProcessedChunk]]:
        """All chunks that are there, each time; waits while there are none."""
        while await self._wait():
            batch = tuple(self._queue)
            self._queue.clear()
            yield batch

    def __aiter__(self) -> AsyncIterator[ProcessedChunk]:
        return self

    async def __anext__(self) -> ProcessedChunk:
        if self._queue or await self._wait():
            return self._queue.popleft()
        raise StopAsyncIteration

    async def __aenter__(self) -> Self:
        if self._produce is not None and self._task is None:
            self._task = asyncio.create_task(self._run(self._produce))
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """The reader leaves: the producer has closed its connection when this returns, by being cancelled if need be."""
        complete, self._ended = self._ended, True
        self._queue.clear()
        self._text.clear()
        self._news.set()
        if self._task is None:
            return
        try:
            if complete:
                await asyncio.wait([self._task], timeout=LINGER)
        finally:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _wait(self) -> bool:
        """True as soon as there is a chunk, False when there will be none."""
        while not self._queue:
            if self._ended:
                return False
            self._news.clear()
            await self._news.wait()
        return True

    async def _run(self, produce: Producer) -> None:
        message = "the producer stopped without an ending"
        try:
            await produce(self)
        except Exception as crash:  # the edge of the producer: whatever it is, the reader gets an ending
            _log.exception("stream_producer_crashed")
            message = f"the producer crashed: {type(crash).__name__}"
        finally:
            self.push((ErrorChunk(error_of(ErrorReason.SERVER, message, code="internal")),))


Producer: TypeAlias = Callable[[EventStream], Awaitable[None]]

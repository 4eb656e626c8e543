"""A provider's answer on its way to one reader: batches of chunks, errors as events, and always an ending.

The law: a stream gives exactly one DoneChunk or ErrorChunk, as its last chunk, whatever its source does (stop early, crash,
go on after the ending), and the text so far travels with an error. A reader that leaves closes the source, and with it the
connection.

The reader's own task pulls: there is no task, no queue and no wake-up between the socket and who reads. A hop between two
tasks costs more than decoding a chunk does, and a thousand answers at a time would pay it twenty times a second each.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from types import TracebackType
from typing import Self, TypeAlias

import msgspec

from adapters.contract import (
    DoneChunk,
    ErrorChunk,
    ErrorReason,
    LiveCall,
    ProcessedChunk,
    ProviderError,
    StreamDecoder,
    TextChunk,
)
from adapters.errors import error_of

_log = logging.getLogger(__name__)

Source: TypeAlias = AsyncGenerator[Sequence[ProcessedChunk], None]
"""Gives what there is each time, never an empty batch for nothing; closed when the reader leaves."""


class EventStream:
    """Use as `async with stream:`, then `async for chunk in stream` or `async for batch in stream.batches()`; one reader."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._held: deque[ProcessedChunk] = deque()
        self._text: list[str] = []
        self._ended = False
        self._reader: asyncio.Task[object] | None = None
        """Who waits for the source now."""
        self.decoder: StreamDecoder | None = None
        """Of the exchange under way; the source tells it, for those who look (live_calls)."""
        self._reader_left: asyncio.Future[None] | None = None

    def live_calls(self) -> Sequence[LiveCall]:
        """The calls that are arriving, as StreamDecoder.live_calls says. They give no chunks before they are whole, so who shows
        them looks at a pace of its own."""
        return self.decoder.live_calls() if self.decoder is not None else ()

    async def batches(self) -> AsyncIterator[Sequence[ProcessedChunk]]:
        """What came with each read."""
        if self._held:
            held = tuple(self._held)
            self._held.clear()
            yield held
        while batch := await self._next():
            yield batch

    def __aiter__(self) -> AsyncIterator[ProcessedChunk]:
        return self

    async def __anext__(self) -> ProcessedChunk:
        if not self._held:
            self._held.extend(await self._next())
        if not self._held:
            raise StopAsyncIteration
        return self._held.popleft()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """The reader leaves: when this returns, the source has closed what it held. A task that still reads sees the end."""
        self._ended = True
        self._held.clear()
        self._text.clear()
        if self._reader is not None:
            if self._reader_left is None:
                self._reader_left = asyncio.get_running_loop().create_future()
                self._reader.cancel()
            await asyncio.shield(self._reader_left)
        await self._source.aclose()

    async def _next(self) -> Sequence[ProcessedChunk]:
        """What came with one read; nothing after the ending."""
        if self._ended:
            return ()
        self._reader = task = asyncio.current_task()
        assert task is not None
        cancelling = task.cancelling()
        try:
            while not (batch := self._admitted(await anext(self._source))):
                pass
            return batch
        except StopAsyncIteration:
            error = _internal("the answer stopped without an ending")
        except asyncio.CancelledError:
            if self._reader_left is None or task.uncancel() > cancelling:
                raise
            return ()
        except Exception as crash:  # the edge of the source: whatever it is, the reader gets an ending
            _log.exception("stream_source_crashed")
            error = _internal(f"the source crashed: {type(crash).__name__}")
        finally:
            self._reader = None
            if self._reader_left is not None:
                self._reader_left.set_result(None)
        return self._admitted((ErrorChunk(error),))

    def _admitted(self, batch: Sequence[ProcessedChunk]) -> Sequence[ProcessedChunk]:
        """The batch itself, or, where the ending is in it, another one up to that. An ErrorChunk is given the text so far."""
        for place, chunk in enumerate(batch):
            if type(chunk) is TextChunk:
                if chunk.thoughts and any(thought.takes_back for thought in chunk.thoughts):
                    self._text.clear()
                if chunk.content:
                    self._text.append(chunk.content)
            elif isinstance(chunk, DoneChunk | ErrorChunk):
                self._ended = True
                return [*batch[:place], self._with_text(chunk)]
        return batch

    def _with_text(self, ending: DoneChunk | ErrorChunk) -> ProcessedChunk:
        text = "".join(self._text)
        self._text.clear()
        return msgspec.structs.replace(ending, partial_text=text) if isinstance(ending, ErrorChunk) else ending


def _internal(message: str) -> ProviderError:
    return error_of(ErrorReason.SERVER, message, code="internal")

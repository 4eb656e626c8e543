"""What comes of text that a guard takes back, in the rooms behind it: it never was the answer."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.contract import (
    Endpoint,
    ErrorChunk,
    ErrorReason,
    GenerationRequest,
    ProcessedChunk,
    TextChunk,
    TextPart,
    ThoughtLogEntry,
    ThoughtPart,
)
from adapters.decoder import Decoder
from adapters.errors import error_of
from adapters.event_stream import EventStream, Source
from adapters.record import TurnRecord
from adapters.wire.stage import pipeline
from tests.adapters.cuts import run


class Words(Decoder[str, str]):
    """A protocol whose messages are text; `.` ends the answer."""

    def __init__(self) -> None:
        super().__init__(pipeline(_Characters()), GenerationRequest("m", ()))

    def read_chunk(self, message: str) -> str | None:
        return message

    def process_chunk(self, raw: str) -> None:
        self.show(raw)

    def at_end(self, error: object) -> None:
        self.break_off(error_of(ErrorReason.SERVER, "broken"))


class _Characters:
    def feed(self, item: bytes) -> Sequence[str]:
        return [item.decode()]

    def close(self) -> Sequence[str]:
        return ()


def decode(*texts: str) -> list[ProcessedChunk]:
    return list(run(Words(), [text.encode() for text in texts]))


def test_text_that_was_taken_back_was_not_visible() -> None:
    """A stream that breaks before the answer may be asked for again."""
    *_, taken = decode("plan", "</think>")
    *_, answered = decode("plan", "</think>Hi")
    assert isinstance(taken, ErrorChunk)
    assert isinstance(answered, ErrorChunk)
    assert answered.error.retryable is False
    assert taken.error.retryable is error_of(ErrorReason.SERVER, "").retryable


def test_the_record_of_the_turn_has_it_as_a_thought() -> None:
    """So it does not go back to the model as its answer."""
    record = TurnRecord()
    record.add(decode("I pl", "an</thi", "nk>\nHi"))
    parts = record.message(Endpoint().origin("p", "m")).parts
    assert [type(part) for part in parts] == [ThoughtPart, ThoughtPart, TextPart]
    assert [part.text for part in parts if isinstance(part, TextPart | ThoughtPart)] == ["I plan", "\n", "Hi"]


async def test_the_partial_text_of_an_error_leaves_it_out() -> None:
    """Only what still counts as text travels with the ending."""

    async def source() -> Source:
        yield decode("plan", "</think>Hi")

    *chunks, last = [chunk async for chunk in EventStream(source())]
    assert TextChunk(thoughts=(ThoughtLogEntry("", takes_back=True),)) in chunks
    assert isinstance(last, ErrorChunk)
    assert last.partial_text == "Hi"

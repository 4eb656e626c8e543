"""Data: the lines of server-sent events become events, strays and errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.wire.data import Data, DataError, DataLine, DataMessage, DataStray
from adapters.wire.lines import Lines
from adapters.wire.sse import sse
from adapters.wire.stage import pipeline
from tests.adapters.captured import NAMES, capture
from tests.adapters.cuts import cut_at, in_steps, places, run


def messages(body: bytes) -> list[DataMessage]:
    return run(sse(), [body])


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"data: x\n\n", [DataLine(b"x")]),
        (b"data:x\n\n", [DataLine(b"x")]),
        (b"data:  x\n\n", [DataLine(b" x")]),
        (b"data: a\ndata: b\n\n", [DataLine(b"a\nb")]),
        (b"data: a\ndata\ndata: b\n\n", [DataLine(b"a\n\nb")]),
        (b"event: error\ndata: x\n\ndata: y\n\n", [DataLine(b"x", "error"), DataLine(b"y")]),
        (b"data: x\nevent:late\n\n", [DataLine(b"x", "late")]),
        (b": ping\n\n:\n\ndata: x\n\n", [DataLine(b"x")]),
        (b": cost=1\ndata: x\n\n", [DataLine(b"x")]),
        (b"id: 7\nretry: 100\ndata: x\n\n", [DataLine(b"x")]),
        (b"data: last", [DataLine(b"last")]),
        (b"data: last\n", [DataLine(b"last")]),
        (b"data:\n\ndata: \n\n", []),
        (b"event: ping\n\n", []),
        (b"\n\n\n", []),
        (b"", []),
        (b'{"error": 1}', [DataStray(b'{"error": 1}')]),
        (b'{\n "error": 1\n}\n', [DataStray(b'{\n "error": 1\n}')]),
        (b'data: x\n\n{"e":1}\n\ndata: y\n\n', [DataLine(b"x"), DataStray(b'{"e":1}'), DataLine(b"y")]),
        (b'data: x\n{"e":1}\n\n', [DataLine(b"x"), DataStray(b'{"e":1}')]),
        (b"<html>\n<p>\n\n</html>", [DataStray(b"<html>\n<p>"), DataStray(b"</html>")]),
    ],
)
def test_events_as_servers_write_them(body: bytes, expected: list[DataMessage]) -> None:
    """One row a habit of the field: optional blank, several data lines, names, comments, missing last blank line, strays."""
    assert messages(body) == expected
    assert run(pipeline(Lines(), Data()), [body]) == expected


def test_an_event_over_the_limit_is_one_error() -> None:
    """The event is dropped as a whole and the next one is read again."""
    body = b"data: 123\ndata: 456\ndata: 789\n\ndata: ok\n\n"
    out = run(pipeline(Lines(), Data(max_bytes=7)), [body])
    assert out == [DataError("an event is larger than 7 bytes"), DataLine(b"ok")]


def test_a_line_over_the_limit_is_an_error_of_the_data() -> None:
    """What the line stage refuses reaches the protocol as data.error."""
    out = run(pipeline(Lines(max_bytes=8), Data()), [b"data: 123456\n\ndata: ok\n\n"])
    assert out == [DataError("a line is longer than 8 bytes"), DataLine(b"ok")]


_LINES = st.sampled_from(
    [
        b"data: x",
        b"data:y",
        b"data",
        b"data: ",
        b"event: e",
        b": c",
        b"id: 1",
        b"{}",
        b"",
        b"",
        b"",
        "data: é🐟\u2028".encode(),
    ]
)
_ENDS = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b"\r"])


@given(st.lists(st.tuples(_LINES, _ENDS), max_size=25), places)
def test_any_cut_gives_the_same_messages_by_both_ways(lines: list[tuple[bytes, bytes]], where: list[int]) -> None:
    """Split-proof, and the short way around the stages never differs from the stages."""
    parts = [line + end for line, end in lines]
    whole = b"".join(parts)
    expected = run(pipeline(Lines(), Data()), [whole])
    pairs = [b"".join(parts[at : at + 2]) for at in range(0, len(parts), 2)]
    for pieces in ([whole], in_steps(whole, 1), cut_at(whole, where), parts, pairs):
        assert run(sse(), pieces) == expected
        assert run(pipeline(Lines(), Data()), pieces) == expected


def test_a_read_that_looks_like_a_whole_event_may_be_the_end_of_one() -> None:
    """Only between two events is the short way open."""
    begun: list[bytes] = [b"data: first\n\n", b"data: a\n", b"data: b\n\n"]
    assert run(sse(), begun) == [DataLine(b"first"), DataLine(b"a\nb")]
    named = [b"data: first\n\n", b"event: error\n", b"data: b\n\n"]
    assert run(sse(), named) == [DataLine(b"first"), DataLine(b"b", "error")]


@pytest.mark.parametrize("name", NAMES)
def test_captured_streams_give_the_same_messages_for_any_cut(name: str) -> None:
    """Real bodies: whole, byte by byte, one event a read, and in network-like pieces."""
    body = capture(name)
    expected = run(pipeline(Lines(), Data()), [body])
    events = [event + b"\n\n" for event in body.split(b"\n\n")]
    for pieces in ([body], in_steps(body, 1), in_steps(body, 1021), events):
        assert run(sse(), pieces) == expected

"""Newline-delimited JSON: one object a line, and what stands between."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.wire.data import DataError, DataLine, DataMessage, DataStray
from adapters.wire.lines import MAX_LINE_BYTES
from adapters.wire.ndjson import MAX_STRAY_BYTES, Ndjson, ndjson
from adapters.wire.stage import Layers
from tests.adapters.cuts import cut_at, in_steps, places, run


def read(*pieces: bytes) -> list[DataMessage]:
    return run(Ndjson(), pieces)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"a":1}\n{"b":2}\n', [DataLine(b'{"a":1}'), DataLine(b'{"b":2}')]),
        (b'{"a":1}\n{"b":2}', [DataLine(b'{"a":1}'), DataLine(b'{"b":2}')]),
        (b'{"a":1}\r\n\r\n  {"b":2}  \r\n', [DataLine(b'{"a":1}'), DataLine(b'{"b":2}')]),
        (b'\xef\xbb\xbf{"a":1}\n', [DataLine(b'{"a":1}')]),
        ('{"a":"x\u2028y"}\n'.encode(), [DataLine('{"a":"x\u2028y"}'.encode())]),
        (b"", []),
        (b"\n \n", []),
        (b'{"a":1}\n{"b', [DataLine(b'{"a":1}'), DataStray(b'{"b')]),
        (b'{\n "error": "x"\n}\n', [DataStray(b'{\n "error": "x"\n}')]),
        (b'oh\nno\n{"a":1}\n', [DataStray(b"oh\nno"), DataLine(b'{"a":1}')]),
        (b'[1]\n"x"\nnull\n', [DataStray(b'[1]\n"x"\nnull')]),
    ],
)
def test_a_line_is_an_object_or_a_stray(body: bytes, expected: list[DataMessage]) -> None:
    """Blank lines are nothing; the last line needs no end."""
    assert read(body) == expected


@given(
    st.lists(st.sampled_from([b'{"a":1}\n', b"{\n", b"}\n", b"\r", b"\n", b"x", b" ", "é".encode()]), max_size=8),
    places,
)
def test_the_messages_do_not_depend_on_how_the_bytes_were_cut(parts: list[bytes], where: list[int]) -> None:
    """Whole, byte by byte, by line and anywhere; the short way gives what the long way gives."""
    body = b"".join(parts)
    whole = read(body)
    assert read(*in_steps(body, 1)) == whole
    assert read(*parts) == whole
    assert read(*cut_at(body, where)) == whole
    assert run(ndjson(Layers(lambda layer, message: None)), [body]) == whole


def test_of_endless_strays_only_the_beginning_is_kept() -> None:
    """The reason stands at the beginning."""
    (stray,) = read(*([b"words\n"] * MAX_STRAY_BYTES))
    assert isinstance(stray, DataStray)
    assert len(stray.data) <= MAX_STRAY_BYTES


def test_a_line_that_is_too_long_is_an_error_in_its_place() -> None:
    """However it arrives."""
    line = b'{"a":"' + b"x" * MAX_LINE_BYTES + b'"}\n'
    for pieces in ([line], in_steps(line, 1_000_000)):
        first, second, third = read(b'{"a":1}\n', *pieces, b'{"b":2}\n')
        assert (first, third) == (DataLine(b'{"a":1}'), DataLine(b'{"b":2}'))
        assert isinstance(second, DataError)


def test_an_observer_sees_lines_and_data() -> None:
    """The two layers below the protocol."""
    seen: list[str] = []
    run(ndjson(Layers(lambda layer, message: seen.append(layer))), [b"{}\n"])
    assert set(seen) == {"line", "data"}

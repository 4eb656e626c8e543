"""Lines: bytes of any cut become lines that end at CR, LF or CRLF."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.wire.lines import Line, LineError, LineMessage, Lines
from tests.adapters.cuts import cut_at, in_steps, places, run


def lines(*pieces: bytes) -> list[bytes]:
    out = run(Lines(), pieces)
    assert all(isinstance(message, Line) for message in out)
    return [message.content for message in out]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((b"a\nb\n",), [b"a", b"b"]),
        ((b"a\r\nb\r\n",), [b"a", b"b"]),
        ((b"a\rb\r",), [b"a", b"b"]),
        ((b"a\n\r\n\rb",), [b"a", b"", b"", b"b"]),
        ((b"a\r", b"\nb"), [b"a", b"b"]),
        ((b"a\r", b"", b"\nb"), [b"a", b"b"]),
        ((b"a\r", b"\rb"), [b"a", b"", b"b"]),
        ((b"no end",), [b"no end"]),
        ((b"\xef\xbb\xbfdata: x\n",), [b"data: x"]),
        ((b"\xef", b"\xbb", b"\xbfx\n"), [b"x"]),
        ((b"\xef\xbb",), [b"\xef\xbb"]),
        ((b"x\xef\xbb\xbf\n",), [b"x\xef\xbb\xbf"]),
        ((), []),
        ((b"",), []),
    ],
)
def test_line_ends_and_the_byte_order_mark(pieces: tuple[bytes, ...], expected: list[bytes]) -> None:
    """CR, LF and CRLF end a line, also cut between reads; a BOM counts at the start only; the last line needs no end."""
    assert lines(*pieces) == expected


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c"])
def test_other_separators_are_text(character: str) -> None:
    """What str.splitlines() would cut at stays inside the line."""
    text = f"left{character}right".encode()
    assert lines(text + b"\n") == [text]


@given(
    st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"\xef\xbb\xbf", "é🐟".encode(), b" "]), max_size=30), places
)
def test_any_cut_gives_the_same_lines(parts: list[bytes], where: list[int]) -> None:
    """Split-proof: whole, byte by byte and at random places."""
    whole = b"".join(parts)
    expected = run(Lines(), [whole])
    assert run(Lines(), in_steps(whole, 1)) == expected
    assert run(Lines(), cut_at(whole, where)) == expected


@given(st.lists(st.sampled_from([b"\r", b"\n", b"abc", b"d"]), max_size=25), places)
def test_a_long_line_is_an_error_in_its_place_for_any_cut(parts: list[bytes], where: list[int]) -> None:
    """A line over the limit becomes one LineError; its neighbours are untouched, however the bytes are cut."""

    def limited(pieces: list[bytes]) -> list[LineMessage]:
        return run(Lines(max_bytes=5), pieces)

    whole = b"".join(parts)
    unlimited = run(Lines(), [whole])
    expected = [len(line.content) <= 5 for line in unlimited]
    for out in (limited([whole]), limited(in_steps(whole, 1)), limited(cut_at(whole, where))):
        assert [isinstance(message, Line) for message in out] == expected
        assert [m for m in out if isinstance(m, Line)] == [line for line in unlimited if len(line.content) <= 5]


def test_a_long_line_is_not_kept() -> None:
    """Past the limit the stage holds nothing more, whatever else arrives."""
    stage = Lines(max_bytes=1000)
    out = [message for _ in range(100) for message in stage.feed(b"x" * 100)]
    assert [type(message) for message in out] == [LineError]
    assert not stage._held  # the memory is the point of the limit; nothing else shows it


def test_a_line_that_comes_in_many_pieces_is_whole_at_its_end() -> None:
    """A megabyte in pieces of ten bytes gives nothing until its end, and then one line."""
    stage, size = Lines(), 1_000_000
    for piece in in_steps(b"x" * size, 10):
        assert stage.feed(piece) == []
    (line,) = stage.feed(b"\n")
    assert isinstance(line, Line)
    assert len(line.content) == size

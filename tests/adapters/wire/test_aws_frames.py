"""Frames of Amazon's event streams: cut, checked, and told from what is no frame."""

from __future__ import annotations

import subprocess
import sys
from struct import pack
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.wire.aws_frames import (
    MAX_HEADERS_BYTES,
    MAX_STRAY_BYTES,
    AwsFrames,
    Frame,
    FrameError,
    FrameMessage,
    FrameStray,
    aws_frames,
)
from adapters.wire.stage import Layers
from tests.adapters.cuts import cut_at, in_steps, places, run
from tests.adapters.wire.frame_bodies import error, event, exception, header, raw_frame

ONE = event("contentBlockDelta", b'{"a":1}')
TWO = event("metadata", b"{}")
BODY = ONE + exception("throttlingException", b'{"message":"no"}') + error("500", "oh") + TWO


def read(body: bytes) -> list[FrameMessage]:
    return run(AwsFrames(), [body])


def test_a_frame_gives_its_kind_its_name_and_its_payload() -> None:
    """Events, exceptions and errors have their names in different headers."""
    assert read(BODY) == [
        Frame("event", "contentBlockDelta", b'{"a":1}'),
        Frame("exception", "throttlingException", b'{"message":"no"}'),
        Frame("error", "500", b"", "oh"),
        Frame("event", "metadata", b"{}"),
    ]


def test_headers_of_all_types_are_read() -> None:
    """The format has ten; only texts mean something here."""
    others = b"".join(
        bytes([1]) + name + kind + value
        for name, kind, value in [
            (b"a", b"\x00", b""),
            (b"b", b"\x01", b""),
            (b"c", b"\x02", b"\xff"),
            (b"d", b"\x03", b"\x00\x01"),
            (b"e", b"\x04", b"\x00\x00\x00\x01"),
            (b"f", b"\x05", bytes(8)),
            (b"g", b"\x06", b"\x00\x02xy"),
            (b"h", b"\x08", bytes(8)),
            (b"i", b"\x09", bytes(16)),
        ]
    )
    assert read(raw_frame(others + header(":event-type", "x"), b"p")) == [Frame("event", "x", b"p")]
    assert read(raw_frame(b"", b"p")) == [Frame("event", "", b"p")]


damaged = bytearray(ONE)
damaged[-6] ^= 1
bad_prelude = bytearray(ONE)
bad_prelude[9] ^= 1


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        (bytes(damaged), "checksum"),
        (bytes(bad_prelude), "checksum"),
        (raw_frame(b"\x05ab", b""), "headers"),
        (raw_frame(b"\x01a\x63", b""), "headers"),
        (raw_frame(b"\x01\xff\x00", b""), "headers"),
        (raw_frame(header("a", "1") * 2, b""), "headers"),
        (raw_frame(header("a", "x" * MAX_HEADERS_BYTES), b""), "headers"),
        (pack(">III", 12, 0, crc32(pack(">II", 12, 0))) + bytes(20), "large"),
        (pack(">III", 40, 39, crc32(pack(">II", 40, 39))) + bytes(40), "large"),
        (pack(">III", 0x01FFFFFF, 0, crc32(pack(">II", 0x01FFFFFF, 0))), "large"),
    ],
)
def test_after_a_damaged_frame_nothing_is_read(frame: bytes, fault: str) -> None:
    """Where one frame cannot be trusted, nobody knows where the next one begins."""
    good, bad = read(ONE + frame + TWO)
    assert good == Frame("event", "contentBlockDelta", b'{"a":1}')
    assert isinstance(bad, FrameError)
    assert fault in bad.message


def test_a_frame_larger_than_the_limit_is_refused_before_it_is_held() -> None:
    """Its prelude says how large it will be."""
    stage = AwsFrames(max_bytes=60)
    assert stage.feed(event("x", b"y" * 100)[:12]) == [
        FrameError("a frame is too large, or its headers cannot be read")
    ]
    assert not stage.feed(ONE)
    assert not stage.close()


@pytest.mark.parametrize(
    "words",
    [b'{"message":"no"}', b"<html><title>Sign in</title>", b"\n\nBad Gateway", b"{", b"data: x\n\n", b"\xef\xbb\xbf{}"],
)
def test_what_is_no_frame_comes_out_as_it_is_when_the_body_ends(words: bytes) -> None:
    """At the beginning, and after frames."""
    assert read(words) == [FrameStray(words)]
    assert read(ONE + words) == [*read(ONE), FrameStray(words)]


def test_of_an_endless_page_only_the_beginning_is_kept() -> None:
    """A stray body takes no more memory than MAX_STRAY_BYTES."""
    page = b"<html>" + b"x" * MAX_STRAY_BYTES
    assert run(AwsFrames(), in_steps(page * 2, 300_000)) == [FrameStray(page[:MAX_STRAY_BYTES])]


@pytest.mark.parametrize("size", [1, 5, 11, 12, 13, len(ONE) - 1])
def test_a_frame_that_the_end_cuts_off_gives_nothing(size: int) -> None:
    """That the answer is not over is for the protocol to say."""
    assert read(TWO + ONE[:size]) == read(TWO)


@given(st.lists(st.sampled_from([ONE, TWO, b"{}", b"words", b"\x00", bytes(damaged), BODY]), max_size=5), places)
def test_the_messages_do_not_depend_on_how_the_bytes_were_cut(parts: list[bytes], where: list[int]) -> None:
    """Whole, byte by byte, and anywhere."""
    body = b"".join(parts)
    whole = read(body)
    assert run(AwsFrames(), in_steps(body, 1)) == whole
    assert run(AwsFrames(), cut_at(body, where)) == whole


@given(st.binary(max_size=200))
def test_any_bytes_are_read_without_a_fault(noise: bytes) -> None:
    """And the cut makes no difference."""
    assert run(AwsFrames(), in_steps(noise, 1)) == read(noise)


def test_a_large_frame_in_small_reads_is_put_together_once() -> None:
    """A picture of some megabytes."""
    picture = event("contentBlockDelta", b"x" * 3_000_000)
    messages = run(AwsFrames(), in_steps(picture + ONE, 1021))
    assert [len(message.payload) for message in messages] == [3_000_000, 7]


def test_an_observer_sees_frames_as_the_layer_data() -> None:
    """Begin, every message, statistics and the end."""
    seen: list[tuple[str, object]] = []
    stage = aws_frames(Layers(lambda layer, message: seen.append((layer, message))))
    run(stage, [TWO])
    assert [layer for layer, _ in seen] == ["data"] * len(seen)
    assert Frame("event", "metadata", b"{}") in [message for _, message in seen]


def test_nothing_of_botocore_is_imported_before_a_stream_is_opened() -> None:
    """A bot without Bedrock pays nothing for it."""
    code = "import sys, adapters.registry; sys.exit(any(name.partition('.')[0] == 'botocore' for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0

"""Every recorded stream decodes to what its provider's own SDK reads out of it, however the bytes are cut.

The recordings and the judge of results lie beside the checkout (tests/shared.py).
"""

from __future__ import annotations

import random
from typing import Any

import msgspec
import pytest

from adapters.contract import FunctionCall, FunctionCallChunk, GenerationRequest, ProcessedChunk, TextChunk
from adapters.decode_command import decode
from adapters.registry import adapter
from tests.adapters.cuts import cut_at, in_steps
from tests.shared import SHARED, judge

FOLDERS = (
    "anthropic",
    "bedrock",
    "google",
    "ollama",
    "openai-chat",
    "openai-compatible",
    "openai-responses",
    "openrouter",
)


def streams(folder: str) -> list[Any]:
    found = [stream for stream in judge("decode_corpus").load_corpus(str(SHARED / "corpus")) if stream.folder == folder]
    if not found:
        pytest.skip(f"no recorded streams under {SHARED / 'corpus' / 'streams' / folder}")
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_recorded_streams_decode_to_what_the_providers_sdk_reads(folder: str) -> None:
    """Text, thinking, calls, finish, usage, error, pictures and serving provider."""
    corpus = judge("decode_corpus")
    wrong = {}
    for stream in streams(folder):
        expected, body = stream.load()
        result = msgspec.json.decode(msgspec.json.encode(decode(adapter(stream.provider), body)))
        if problems := corpus.judge(stream, expected, body, result):
            wrong[stream.name] = problems
    assert wrong == {}


@pytest.mark.parametrize("folder", FOLDERS)
def test_recorded_streams_decode_the_same_however_they_are_cut(folder: str) -> None:
    """Byte by byte, and at random places: the joined chunks are equal, made-up ids aside."""
    source = random.Random(20_26)
    for stream in streams(folder):
        _, body = stream.load()
        whole = said(stream.provider, [body])
        places = [source.randrange(len(body) + 1) for _ in range(source.randrange(1, 40))]
        assert said(stream.provider, in_steps(body, 1)) == whole, stream.name
        assert said(stream.provider, cut_at(body, places)) == whole, stream.name


def said(provider: str, pieces: list[bytes]) -> list[Any]:
    """The chunks of a stream where pieces of text in a row are joined, as their cut is no part of the law."""
    decoder = adapter(provider).open(GenerationRequest(model="", messages=()))
    chunks = [chunk for piece in pieces for chunk in decoder.feed(piece)]
    chunks += decoder.close()
    out: list[Any] = []
    for chunk in map(_without_made_up_id, chunks):
        if out and _is_plain(chunk) and _is_plain(out[-1]):
            out[-1] = TextChunk(out[-1].content + chunk.content)
        else:
            out.append(chunk)
    return out


def _is_plain(chunk: ProcessedChunk) -> bool:
    return isinstance(chunk, TextChunk) and chunk == TextChunk(chunk.content)


def _without_made_up_id(chunk: ProcessedChunk) -> Any:
    """A call whose provider gave no id gets another one each time."""
    if isinstance(chunk, FunctionCallChunk) and isinstance(chunk.call, FunctionCall):
        call = chunk.call
        return (call.name, call.args, call.opaque)
    return chunk

"""Ollama's own API: what it sends, and what it means."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    DoneChunk,
    ErrorChunk,
    ErrorReason,
    GeneratedImage,
    ModelInfo,
    ProcessedChunk,
    TextChunk,
    ThoughtLogEntry,
    Usage,
)
from adapters.decode_command import decode
from adapters.errors import error_of
from adapters.providers.ollama.adapter import OLLAMA
from adapters.providers.ollama.decoder import OllamaDecoder
from tests.adapters.cuts import cut_at, in_steps, places, run


def line(**fields: Any) -> bytes:
    return msgspec.json.encode({"model": "m", "created_at": "2026-01-01T00:00:00Z", **fields}) + b"\n"


def said(**message: Any) -> bytes:
    return line(message={"role": "assistant", "content": "", **message}, done=False)


def text(content: str) -> bytes:
    return said(content=content)


def calls(*functions: dict[str, Any], **fields: Any) -> bytes:
    return said(tool_calls=[{**fields, "function": function} for function in functions])


def done(reason: str | None = "stop", **fields: Any) -> bytes:
    return line(message={"role": "assistant", "content": ""}, done=True, done_reason=reason, **fields)


def read(*parts: bytes, reset: bool = False) -> dict[str, Any]:
    return decode(OLLAMA, b"".join(parts), reset=reset)


def failed(*parts: bytes, reset: bool = False) -> tuple[str, str, bool]:
    """The text, the error's reason, and whether it is retryable."""
    error = (result := read(*parts, reset=reset))["error"]
    assert error is not None
    return result["text"], error["reason"], error["retryable"]


# -------------------------------------------------------------------------------------------------- how answers end


@pytest.mark.parametrize(
    ("end", "finish", "word"),
    [
        (done("stop"), "stop", "stop"),
        (done("length"), "length", "length"),
        (done(None), "stop", None),
        (done("load"), "stop", "load"),
        (done("something new"), "stop", "something new"),
        (done().rstrip(), "stop", "stop"),
        (line(message={"content": "b"}, done=True, done_reason="stop"), "stop", "stop"),
        (line(done=True), "stop", None),
    ],
)
def test_the_line_with_done_ends_an_answer(end: bytes, finish: str, word: str | None) -> None:
    """Its text counts, a missing end of the line does not matter, and what follows is dropped."""
    result = read(text("a"), end)
    assert (result["text"][0], result["finish"], result["provider_finish_reason"]) == ("a", finish, word)
    assert result["error"] is None
    assert read(text("a"), end.rstrip() + b"\n", text("more"), b"\nglued")["text"] == result["text"]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("a"),), ("a", "truncated_stream", False)),
        ((text("a"), b'{"model":"m","mess'), ("a", "truncated_stream", False)),
        ((text("a"), b'{"message":{"content":"b"}'), ("a", "truncated_stream", False)),
        ((b"",), ("", "truncated_stream", True)),
        ((b"\n\n",), ("", "truncated_stream", True)),
        ((done(),), ("", "empty_reply", True)),
        ((done("load"),), ("", "empty_reply", True)),
        ((said(thinking="hm"), done("length")), ("", "empty_reply", False)),
        ((text("a"), b"{broken}\n", done()), ("a", "malformed_response", False)),
        ((text("a"), b'{"message":{"con\n', done()), ("a", "malformed_response", False)),
    ],
)
def test_an_answer_without_an_end_or_without_words_is_an_error(
    parts: tuple[bytes, ...], expected: tuple[str, str, bool]
) -> None:
    """The text that came stays; only an answer that showed nothing may be asked for again."""
    assert failed(*parts) == expected


def test_a_lost_connection_is_an_error() -> None:
    """There is no end mark but the last line."""
    assert failed(text("a"), b'{"mess', reset=True) == ("a", "connection", False)


def test_the_end_is_given_at_once() -> None:
    """Without waiting for the connection to close."""
    decoder = OllamaDecoder()
    assert [type(chunk) for chunk in decoder.feed(text("a") + done())] == [TextChunk, DoneChunk]
    assert not decoder.feed(text("b"))
    assert not decoder.close()


@pytest.mark.parametrize(
    ("counters", "usage"),
    [
        ({"prompt_eval_count": 26, "eval_count": 7, "total_duration": 1}, Usage(26, 7)),
        ({"eval_count": 7}, Usage(None, 7)),
        ({"prompt_eval_count": 26.0, "eval_count": "7", "done_reason": 0}, Usage(26)),
        ({"prompt_eval_count": -1, "eval_count": 7}, Usage(None, 7)),
        ({"prompt_eval_count": "x", "eval_count": None}, None),
        ({}, None),
    ],
)
def test_the_counters_of_the_last_line_are_the_usage(counters: dict[str, Any], usage: Usage | None) -> None:
    """A prompt that was wholly in the cache is not counted."""
    ending = run(OllamaDecoder(), [text("a") + line(**{"message": {}, "done": True, **counters})])[-1]
    assert ending.closing.usage == usage


# ------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("body", "reason", "message"),
    [
        (b'{"error":"an error was encountered while running the model: unexpected EOF"}\n', "server", "unexpected EOF"),
        (b'{"error":{"message":"slow down","code":"rate_limit_exceeded"}}', "rate_limit", "slow down"),
        (b'{\n  "error": "model runner has unexpectedly stopped"\n}\n', "server", "unexpectedly stopped"),
        (b'{"detail":"no such tenant"}\n', "server", "no such tenant"),
        (b'{"message":"no such route"}\n', "server", "no such route"),
        (b"<!DOCTYPE html>\n<html><title>Sign in</title>\n</html>", "malformed_response", "Sign in"),
        (b"Ollama is running", "malformed_response", "Ollama is running"),
        (b"[]", "malformed_response", "[]"),
    ],
)
def test_an_error_may_come_at_any_time(body: bytes, reason: str, message: str) -> None:
    """First, or after text, which then stays."""
    for before, shown in ((b"", ""), (text("a"), "a")):
        result = read(before, body)
        assert (result["text"], result["error"]["reason"]) == (shown, reason)
        assert message in result["error"]["message"]


def test_text_beside_an_error_is_kept() -> None:
    """In one line."""
    assert failed(line(message={"content": "a"}, error="no", done=True))[0] == "a"


# ------------------------------------------------------------------------------------------- text, thoughts, pictures


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("小鱼🐟 "), text("ok")), "小鱼🐟 ok"),
        ((line(response="a", done=False), line(response="b", thinking="hm", done=False)), "ab"),
        ((b'{"message":{"content":"\\ud83d"}}\n', b'{"message":{"content":"\\ude00"}}\n'), "😀"),
        ((b'{"message":{"content":"\xf0\x9f"}}\n',), "\ufffd"),
        ((line(message={"content": "a", "thinking": 7, "tool_calls": "x", "images": {}}, done="no"),), "a"),
        ((line(message={"content": None}), line(message=None), line(message=[1]), text("a")), "a"),
        ((b"\xef\xbb\xbf", text("a").replace(b"\n", b"\r\n"), b"\r\n"), "a"),
        ((text("a\u2028b\u0085c"),), "a\u2028b\u0085c"),
        ((line(status="loading"), text("a")), "a"),
        ((b'{\n "message": {\n  "content": "a"\n }\n}\n',), "a"),
    ],
)
def test_the_visible_text(parts: tuple[bytes, ...], expected: str) -> None:
    """Of both calls of the API; odd values cost nothing else."""
    result = read(*parts, done())
    assert (result["text"], result["error"]) == (expected, None)


def test_thoughts_are_kept_apart() -> None:
    """They have their own field."""
    chunks = run(OllamaDecoder(), [said(thinking="hm") + said(thinking="m", content="a") + done()])
    assert chunks[:3] == [
        TextChunk("", (ThoughtLogEntry("hm"),)),
        TextChunk("", (ThoughtLogEntry("m"),)),
        TextChunk("a"),
    ]


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (b"\x89PNG...", "image/png"),
        (b"\xff\xd8\xff..", "image/jpeg"),
        (b"RIFF....WEBP", "image/webp"),
        (b"GIF89a", "image/gif"),
    ],
)
def test_pictures_are_drawn(data: bytes, media_type: str) -> None:
    """The API does not say of which type they are; their bytes do."""
    encoded = b64encode(data).decode()
    for drawn in (said(images=[encoded, 7, "?"]), line(image=encoded, done=False)):
        chunks = run(OllamaDecoder(), [drawn + done()])
        assert chunks[0] == TextChunk(images=(GeneratedImage(media_type, data),))
        assert isinstance(chunks[1], DoneChunk)


# ---------------------------------------------------------------------------------------------------------------- calls

WEATHER = {"name": "weather", "arguments": {"city": "Detroit"}}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((calls(WEATHER),), [("weather", {"city": "Detroit"})]),
        ((calls(WEATHER, WEATHER),), [("weather", {"city": "Detroit"})] * 2),
        ((calls({"index": 0, **WEATHER}), calls({"index": 0, "name": "g", "arguments": {}})), [("weather", {"city": "Detroit"}), ("g", {})]),
        ((calls(WEATHER, id="x"), calls(WEATHER, id="x")), [("weather", {"city": "Detroit"})] * 2),
        ((calls({"name": "f", "arguments": '{"a": 1.0}'}),), [("f", {"a": 1.0})]),
        ((calls({"name": "f", "arguments": None}), calls({"name": "g"})), [("f", {}), ("g", {})]),
        ((said(tool_calls={"function": WEATHER}),), [("weather", {"city": "Detroit"})]),
        ((text("a"), calls(WEATHER), text("b")), [("weather", {"city": "Detroit"})]),
    ],
)  # fmt: skip
def test_calls_come_whole(parts: tuple[bytes, ...], expected: list[tuple[str, dict[str, Any]]]) -> None:
    """Each entry is one call, whatever its id or index; every call has an id of its own."""
    result = read(*parts, done())
    assert [(call["name"], call["arguments"]) for call in result["tool_calls"]] == expected
    assert len({call["id"] for call in result["tool_calls"]}) == len(expected)
    assert (result["finish"], result["error"]) == ("tool_calls", None)


def test_an_id_of_the_server_is_kept() -> None:
    """Newer versions give one."""
    assert read(calls(WEATHER, id="call_1"), done())["tool_calls"][0]["id"] == "call_1"


@pytest.mark.parametrize(
    ("call", "raw"),
    [
        ({"name": "f", "arguments": '{"a'}, '{"a'),
        ({"arguments": {"a": 1}}, '{"a":1}'),
        ({"name": "f", "arguments": "[1]"}, "[1]"),
        ({"name": "f", "arguments": [1]}, "[1]"),
    ],
)
def test_a_call_that_is_not_whole_is_not_run(call: dict[str, Any], raw: str) -> None:
    """The model is told what was wrong with it."""
    result = read(calls(call), done())
    assert result["tool_calls"] == []
    assert [each["raw_arguments"] for each in result["malformed_tool_calls"]] == [raw]


# ----------------------------------------------------------------------------------------------------------------- laws

PARTS = [
    text("a"), text("ü🐟"), said(thinking="hm"), calls(WEATHER, id="c"), done(), done("length").rstrip(), b'{"error":"no"}\n',
    b'{"message":{"content":"\\ud83d"}}\n', b"{\n", b"words\n", b"\r\n", b"<html>", b'{"x":', line(response="r"), text("b")[:-1],
]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=8), places, st.booleans())
def test_the_answer_does_not_depend_on_how_the_bytes_were_cut(parts: list[bytes], where: list[int], lost: bool) -> None:
    """And has exactly one ending, whatever came."""

    def answer(pieces: Sequence[bytes]) -> list[ProcessedChunk]:
        decoder = OllamaDecoder()
        out = [chunk for piece in pieces for chunk in decoder.feed(piece)]
        return [*out, *(decoder.fail(error_of(ErrorReason.CONNECTION, "lost")) if lost else decoder.close())]

    def comparable(chunks: list[ProcessedChunk]) -> list[ProcessedChunk]:
        """A second call of one id gets another, which is made up."""
        return [chunk for chunk in chunks if not (hasattr(chunk, "call") and chunk.call.id != "c")]

    body = b"".join(parts)
    whole = answer([body])
    assert [chunk for chunk in whole if isinstance(chunk, DoneChunk | ErrorChunk)] == whole[-1:]
    assert comparable(answer(in_steps(body, 1))) == comparable(whole)
    assert comparable(answer(parts)) == comparable(whole)
    assert comparable(answer(cut_at(body, where))) == comparable(whole)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4) | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["message", "content", "thinking", "tool_calls", "function", "name", "arguments", "images", "done", "done_reason", "error",
         "response", "image", "eval_count", "id"]
    ), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip


@given(st.lists(JSON, max_size=5))
def test_no_shape_of_line_is_a_fault_of_ours(lines: list[object]) -> None:
    """Lists for objects, numbers for texts, null anywhere: the answer goes on or ends, and nothing is raised."""
    body = b"".join(json.dumps(value).encode() + b"\n" for value in lines)
    out = run(OllamaDecoder(), [body])
    assert isinstance(out[-1], DoneChunk | ErrorChunk)
    assert msgspec.json.encode(out)


HALF = "a\ud83d"


@pytest.mark.parametrize(
    "fields",
    [
        {
            "message": {"tool_calls": [{"id": HALF, "function": {"name": HALF, "arguments": {HALF: HALF}}}]},
            "done": True,
        },
        {"message": {"tool_calls": [{"function": {"name": "f", "arguments": HALF}}]}, "done": True},
        {"message": {"content": "b"}, "done": True, "done_reason": HALF},
        {"error": HALF},
        {"error": {"message": HALF, "code": HALF}},
        {"message": HALF},
        {"detail": [HALF]},
    ],
)
def test_half_a_pair_in_any_field_can_be_written_down(fields: dict[str, Any]) -> None:
    """What comes of an answer stands in logs and in the next request, as JSON that must be valid."""
    assert "\ufffd" in msgspec.json.encode(run(OllamaDecoder(), [json.dumps(fields).encode()])).decode()


# -------------------------------------------------------------------------------------------------------------- listing


def test_the_listing_names_the_models_that_were_pulled() -> None:
    """What they can do only where the server says it."""
    listing = {
        "models": [
            {"name": "llama3:latest", "model": "llama3:latest", "details": {"family": "llama"}},
            {"name": "qwen3-vl", "capabilities": ["completion", "vision", "tools", "thinking"]},
            {"model": 7},
            None,
        ]
    }
    assert OLLAMA.read_models(msgspec.json.encode(listing)) == [
        ModelInfo("llama3:latest"),
        ModelInfo("qwen3-vl", vision=True, tools=True, reasoning=True),
    ]
    for odd in (b"", b"[]", b"{}", b'{"models":null}'):
        assert list(OLLAMA.read_models(odd)) == []

"""Gemini streams: what Google and the gateways before it send, and what it means."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
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
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    GeneratedImage,
    ProcessedChunk,
    TextChunk,
    ThoughtLogEntry,
    ToolSpec,
    Usage,
)
from adapters.decode_command import decode
from adapters.errors import error_of
from adapters.providers.google.adapter import VERTEX
from adapters.providers.google.chunks import read_chunk
from adapters.providers.google.decoder import GoogleDecoder
from tests.adapters.cuts import cut_at, in_steps, places, run
from tests.adapters.providers.google.google_bodies import (
    STOPPED,
    call,
    chunks,
    event,
    failed,
    finish,
    parts,
    read,
    text,
    thought,
)

# -------------------------------------------------------------------------------------------------- how answers end


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((text("a"), STOPPED), ("stop", "STOP")),
        ((parts({"text": "a"}, finish="STOP"),), ("stop", "STOP")),
        ((text("a"), finish("MAX_TOKENS")), ("length", "MAX_TOKENS")),
        ((text("a"), finish("BRAND_NEW_WORD")), ("stop", "BRAND_NEW_WORD")),
        ((text("a"), STOPPED, finish("MAX_TOKENS")), ("length", "MAX_TOKENS")),
        ((finish("FINISH_REASON_UNSPECIFIED"), text("a"), STOPPED), ("stop", "STOP")),
        ((text("a"), STOPPED, finish("FINISH_REASON_UNSPECIFIED")), ("stop", "STOP")),
        ((text("a"), STOPPED, b"data: [DONE]\n\n"), ("stop", "STOP")),
        ((text("a"), STOPPED.rstrip()), ("stop", "STOP")),
    ],
)
def test_a_finish_reason_ends_an_answer_and_the_last_one_counts(
    pieces: tuple[bytes, ...], expected: tuple[str, str]
) -> None:
    """There is no end mark beside it; unset ones count for nothing."""
    result = read(*pieces)
    assert (result["text"], result["error"]) == ("a", None)
    assert (result["finish"], result["provider_finish_reason"]) == expected


def test_text_after_a_finish_reason_is_part_of_the_answer() -> None:
    """Code that runs at Google's lets a stream finish in the middle; so the answer ends with the body."""
    decoder = GoogleDecoder()
    assert decoder.feed(parts({"text": "a"}, finish="STOP") + text("b")) == [TextChunk("a"), TextChunk("b")]
    assert decoder.close()[-1].finish is FinishReason.STOP  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((text("a"),), ("a", "truncated_stream", False)),
        ((b"",), ("", "truncated_stream", True)),
        ((text("a"), b"data: [DONE]\n\n"), ("a", "truncated_stream", False)),
        ((text("a"), b'data: {"candidates":[{"cont'), ("a", "truncated_stream", False)),
        ((event({"candidates": [{"content": {}, "index": 0}]}),), ("", "truncated_stream", True)),
        ((STOPPED,), ("", "empty_reply", True)),
        ((text(" \n"), STOPPED), (" \n", "empty_reply", True)),
        ((thought("hm"), finish("MAX_TOKENS")), ("", "empty_reply", False)),
        ((finish("NO_IMAGE"),), ("", "empty_reply", True)),
    ],
)
def test_an_answer_without_an_end_or_without_words_is_an_error(
    pieces: tuple[bytes, ...], expected: tuple[str, str, bool]
) -> None:
    """The text that came stays; only an answer that showed nothing may be asked for again."""
    assert failed(*pieces) == expected


@pytest.mark.parametrize(
    ("word", "reason", "retryable"),
    [
        *((word, "content_filter", False) for word in ("SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII")),
        *((word, "content_filter", False) for word in ("LANGUAGE", "IMAGE_SAFETY", "IMAGE_RECITATION", "MODEL_ARMOR")),
        *((word, "malformed_response", True) for word in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "OTHER")),
        ("TOO_MANY_TOOL_CALLS", "malformed_response", True),
        ("MISSING_THOUGHT_SIGNATURE", "bad_request", False),
    ],
)  # fmt: skip
def test_finish_reasons_that_are_errors(word: str, reason: str, retryable: bool) -> None:
    """The word is the code, and the provider's own sentence stands in the message."""
    result = read(finish(word, finishMessage="print(get())"))
    error = result["error"]
    assert (error["reason"], error["retryable"], error["code"]) == (reason, retryable, word)
    assert word in error["message"]
    assert "print(get())" in error["message"]
    assert result["provider_finish_reason"] == word
    assert result["finish"] == ("content_filter" if reason == "content_filter" else "error")


def test_text_before_a_filter_stays_and_is_not_asked_for_again() -> None:
    """Recitation is found while the text is written."""
    assert failed(text("a"), STOPPED, finish("RECITATION")) == ("a", "content_filter", False)


@pytest.mark.parametrize(
    ("feedback", "message"),
    [
        ({"blockReason": "SAFETY"}, "the prompt was blocked: SAFETY"),
        ({"blockReason": "OTHER", "safetyRatings": []}, "the prompt was blocked: OTHER"),
        ({"blockReason": "BLOCK_REASON_UNSPECIFIED"}, "the prompt was blocked: BLOCK_REASON_UNSPECIFIED"),
        ({"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": "No."}, "the prompt was blocked: PROHIBITED_CONTENT: No."),
    ],
)  # fmt: skip
def test_a_blocked_prompt_has_no_candidates(feedback: dict[str, Any], message: str) -> None:
    """The reason is the code; the tokens of the prompt count all the same."""
    result = read(event({"promptFeedback": feedback, "usageMetadata": {"promptTokenCount": 12}}))
    error = result["error"]
    assert (error["type"], error["reason"], error["retryable"]) == ("content_blocked", "content_filter", False)
    assert (error["code"], error["message"]) == (feedback["blockReason"], message)
    assert result["finish"] == "content_filter"
    assert result["usage"] == Usage(input_tokens=12)


@pytest.mark.parametrize("block", [{}, {"blockReason": ""}, {"blockReason": None, "blockReasonMessage": ""}])
def test_feedback_without_a_block_is_no_error(block: dict[str, Any]) -> None:
    """Vertex rates every prompt, and gateways fill in every field."""
    result = read(text("a"), parts({"text": "b"}, finish="STOP", promptFeedback={"safetyRatings": [{}], **block}))
    assert (result["text"], result["error"]) == ("ab", None)


def test_a_lost_connection_is_an_error_unless_the_answer_was_complete() -> None:
    """After the finish reason there is mostly nothing left to lose."""
    assert failed(text("a"), b'data: {"cand', reset=True) == ("a", "connection", False)
    assert read(text("a"), STOPPED, reset=True)["error"] is None


# ------------------------------------------------------------------------------------------------ what parts there are


def test_thoughts_and_text_of_one_chunk_stay_apart_and_in_order() -> None:
    """Only `thought: true` makes a thought; a signature does not."""
    assert chunks(parts({"text": "hm", "thought": True}, {"text": "a"}, {"text": "b", "thought": False}), STOPPED) == [
        TextChunk("", (ThoughtLogEntry("hm"),)),
        TextChunk("a"),
        TextChunk("b"),
        DoneChunk(FinishReason.STOP, closing=chunks(text("x"), STOPPED)[-1].closing),  # type: ignore[union-attr]
    ]


def test_signatures_stay_with_the_part_they_came_on() -> None:
    """On text, on a thought, on a call, and on an empty part after the text, for which they say that none of it was signed."""
    found = chunks(
        thought("hm", thoughtSignature="S1"),
        text("ab"),
        text("c", thoughtSignature="S2"),
        call(signature="S3", name="f", id="x"),
        text("d"),
        text("", thoughtSignature="S4"),
        parts({"thoughtSignature": "S5"}),
        STOPPED,
    )
    assert found[:-1] == [
        TextChunk("", (ThoughtLogEntry("hm", {"thoughtSignature": "S1", "signedChars": 2}),)),
        TextChunk("ab"),
        TextChunk("c", opaque={"thoughtSignature": "S2", "signedChars": 1}),
        FunctionCallChunk(FunctionCall("x", "f", {}, {"thoughtSignature": "S3", "id": "x"})),
        TextChunk("d"),
        TextChunk("", opaque={"thoughtSignature": "S4", "signedChars": 0}),
        TextChunk("", opaque={"thoughtSignature": "S5", "signedChars": 0}),
    ]


@pytest.mark.parametrize(
    "part",
    [
        {"executableCode": {"language": "PYTHON", "code": "print(1)", "id": "x"}, "thoughtSignature": "S"},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1\n"}},
        {"toolCall": {"toolType": "FILE_SEARCH", "id": "x"}, "thoughtSignature": "S"},
        {"toolResponse": {"toolType": "FILE_SEARCH", "id": "x"}},
        {"somethingNew": {"a": [1]}},
    ],
)
def test_what_tools_at_googles_do_is_kept_whole_and_is_a_sign_of_life(part: dict[str, Any]) -> None:
    """It is not shown; the next request gives it back, without the empty fields that gateways fill in: of some of them the API
    takes only one."""
    for filled_in in ({}, {"text": "", "thought": False, "functionCall": None, "thoughtSignature": ""}):
        decoder = GoogleDecoder()
        assert decoder.feed(text("a") + parts({**filled_in, **part})) == [
            TextChunk("a"),
            TextChunk("", opaque={"part": part}),
        ]
        assert decoder.heard_nr > 0


PIXEL = b"\x89PNG\xfb\xff\xfe"


@pytest.mark.parametrize(
    ("part", "image"),
    [
        ({"inlineData": {"mimeType": "image/png", "data": b64encode(PIXEL).decode()}}, GeneratedImage("image/png", PIXEL)),
        ({"inlineData": {"mimeType": "image/webp", "data": urlsafe_b64encode(PIXEL).decode().rstrip("=")}}, GeneratedImage("image/webp", PIXEL)),
        ({"text": "", "inlineData": {"data": b64encode(PIXEL).decode()}}, GeneratedImage("image/png", PIXEL)),
        ({"fileData": {"mimeType": "image/png", "fileUri": "gs://b/x.png"}}, GeneratedImage("image/png", url="gs://b/x.png")),
    ],
)  # fmt: skip
def test_pictures(part: dict[str, Any], image: GeneratedImage) -> None:
    """As bytes, in either alphabet of base64, or as an address. A picture is an answer."""
    assert chunks(parts(part), STOPPED)[0] == TextChunk(images=(image,))
    assert read(parts(part), STOPPED)["error"] is None


@pytest.mark.parametrize(
    "part",
    [
        {"inlineData": {"mimeType": "image/png", "data": "AAAA"}, "thought": True},
        {"inlineData": {"mimeType": "image/png", "data": "€"}},
        {"inlineData": {"mimeType": "image/png"}},
        {"inlineData": {"mimeType": "image/png", "data": "A"}},
        {"fileData": {"mimeType": "image/png"}},
    ],
)
def test_sketches_and_broken_pictures_are_not_shown(part: dict[str, Any]) -> None:
    """Image models think in pictures too."""
    assert read(parts(part), text("a"), STOPPED)["images"] == []


# ------------------------------------------------------------------------------------------------------------- calls


def called(*pieces: bytes) -> list[tuple[str, Any]]:
    result = read(*pieces)
    assert result["malformed_tool_calls"] == []
    return [(each["name"], each["arguments"]) for each in result["tool_calls"]]


def test_calls_come_whole_at_once_and_in_order() -> None:
    """Several of one tool, over two chunks, without ids, and STOP as the reason."""
    pieces = (
        parts({"functionCall": {"name": "f", "args": {"x": 1}}}, {"functionCall": {"name": "f", "args": {"x": 2}}}),
        call(name="f", args={"x": 1}),
        STOPPED,
    )
    assert called(*pieces) == [("f", {"x": 1}), ("f", {"x": 2}), ("f", {"x": 1})]
    result = read(*pieces)
    assert result["finish"] == "tool_calls"
    assert len({each["id"] for each in result["tool_calls"]}) == 3


@pytest.mark.parametrize("args", [{}, None, [], "", "{}", "absent"])
def test_a_call_without_arguments_has_an_empty_object(args: object) -> None:
    """They are left out, or null; PHP gateways write an empty list."""
    fields: dict[str, Any] = {} if args == "absent" else {"args": args}
    assert called(call(name="f", **fields), STOPPED) == [("f", {})]


def test_arguments_as_text_are_parsed() -> None:
    """Gateways that translate from other protocols."""
    assert called(call(name="f", args='{"x": 1}'), STOPPED) == [("f", {"x": 1})]


@pytest.mark.parametrize(
    "fields", [{"name": "f", "args": [1]}, {"name": "f", "args": 7}, {"args": {"x": 1}}, {"name": "f", "args": '{"x'}]
)
def test_what_is_no_call_is_malformed(fields: dict[str, Any]) -> None:
    """Never an empty object in place of what cannot be read."""
    result = read(call(**fields), STOPPED)
    assert (result["tool_calls"], len(result["malformed_tool_calls"])) == ([], 1)


def test_a_part_sent_twice_is_one_call() -> None:
    """The same id, name and arguments; without an id nobody can tell."""
    twice = call(name="f", id="x", args={"a": 1})
    assert called(twice, twice, call(name="f", id="y", args={"a": 1}), STOPPED) == [("f", {"a": 1})] * 2


def piece(path: str, *, more: bool = False, going: bool = True, **value: Any) -> bytes:
    partial = {"jsonPath": path, **value} | ({"willContinue": True} if more else {})
    return call(partialArgs=[partial], willContinue=going)


BEGUN = call(signature="S", name="f", willContinue=True)
ENDED = call()


@pytest.mark.parametrize(
    ("pieces", "args"),
    [
        ((ENDED,), {}),
        ((piece("$.a", stringValue="x", more=True), piece("$.a", stringValue="y"), ENDED), {"a": "xy"}),
        ((piece("$.a", stringValue="x"), piece("$.a", stringValue="y"), ENDED), {"a": "y"}),
        ((piece("$.a", numberValue=1), piece("$.b", boolValue=False), piece("$.c", nullValue=None), ENDED), {"a": 1, "b": False, "c": None}),
        ((piece("$.a", nullValue="NULL_VALUE"), ENDED), {"a": None}),
        ((piece("$.a[0].b", numberValue=0.5), piece("$.a[1].b", numberValue=2), ENDED), {"a": [{"b": 0.5}, {"b": 2}]}),
        ((piece("$.a[0][0]", numberValue=1), piece("$.a[0][1]", numberValue=2), ENDED), {"a": [[1, 2]]}),
        ((piece("$['a b'][\"c.d\"]", numberValue=1), piece("$['it\\'s']", numberValue=2), ENDED), {"a b": {"c.d": 1}, "it's": 2}),
        ((call(willContinue=True), piece("$.a", numberValue=1, going=False)), {"a": 1}),
        ((piece("$.a", numberValue=1),), {"a": 1}),
        ((call(name="f", partialArgs=[{"jsonPath": "$.a", "numberValue": 1}], willContinue=True), ENDED), {"a": 1}),
        ((call(name="f", args={"a": 1}),), {"a": 1}),
    ],
)  # fmt: skip
def test_arguments_that_vertex_streams(pieces: tuple[bytes, ...], args: dict[str, Any]) -> None:
    """Value by value, each at its path; the closing mark may be missing where the model ended its answer itself."""
    (found,) = [each.call for each in chunks(BEGUN, *pieces, STOPPED) if isinstance(each, FunctionCallChunk)]
    assert found == FunctionCall(found.id, "f", args, {"thoughtSignature": "S"})


def test_a_call_that_stopped_within_a_string_is_not_closed_for_its_schema() -> None:
    """Nor one with NaN, which is not null."""
    tools = [ToolSpec("f", "", {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "number"}}})]
    for body in (
        BEGUN + piece("$.a", stringValue="x", more=True) + STOPPED,
        b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"n":NaN}}}]}}]}\n\n' + STOPPED,
    ):
        result = decode(VERTEX, body, tools=tools)
        assert (result["tool_calls"], len(result["malformed_tool_calls"])) == ([], 1)


def test_streamed_and_whole_calls_in_a_row() -> None:
    """A name begins the next one, also where the one before has no closing mark."""
    pieces = (call(name="f"), BEGUN, piece("$.a", numberValue=1), BEGUN, piece("$.a", numberValue=2), ENDED, ENDED)
    assert called(*pieces, call(name="g", args={"b": 3}), STOPPED) == [
        ("f", {}),
        ("f", {"a": 1}),
        ("f", {"a": 2}),
        ("g", {"b": 3}),
    ]


@pytest.mark.parametrize(
    "pieces",
    [
        (piece("$.a", stringValue="x", more=True), STOPPED),
        (piece("$.a", stringValue="x", more=True), call(name="g"), STOPPED),
        (piece("$.a", numberValue=1), finish("MAX_TOKENS")),
        (piece("$.a", numberValue=1),),
        (piece("$.a[7]", numberValue=1), ENDED, STOPPED),
        (piece("$.a", numberValue=1), piece("$.a.b", numberValue=1), ENDED, STOPPED),
        (piece("a", numberValue=1), ENDED, STOPPED),
        (piece("$", numberValue=1), ENDED, STOPPED),
        (piece("$..a", numberValue=1), ENDED, STOPPED),
        (piece("$" + "[0]" * 3000, numberValue=1), ENDED, STOPPED),
        (piece("$" + ".a" * 3000, numberValue=1), ENDED, STOPPED),
    ],
)
def test_streamed_arguments_that_are_cut_or_make_no_sense_are_malformed(pieces: tuple[bytes, ...]) -> None:
    """A string that was not ended, a token limit, a place beyond the end of a list."""
    result = read(BEGUN, *pieces)
    assert [each["name"] for each in result["malformed_tool_calls"]] == ["f"]
    assert all(each["name"] == "g" for each in result["tool_calls"])


# ------------------------------------------------------------------------------------------------------------ counts


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ({"promptTokenCount": 9, "candidatesTokenCount": 4, "totalTokenCount": 13}, Usage(9, 4)),
        ({"promptTokenCount": 9, "toolUsePromptTokenCount": 5, "candidatesTokenCount": 4, "thoughtsTokenCount": 3}, Usage(14, 7, 3)),
        ({"promptTokenCount": 9, "cachedContentTokenCount": 8, "thoughtsTokenCount": 3}, Usage(9, 3, 3, 8)),
        ({"promptTokenCount": "9", "candidatesTokenCount": 4.0, "thoughtsTokenCount": None}, Usage(None, 4)),
        ({"trafficType": "ON_DEMAND"}, Usage()),
        ("none", Usage()),
        (None, Usage()),
    ],
)  # fmt: skip
def test_counts(counts: object, expected: Usage) -> None:
    """Tools' prompts are input, thoughts are output, and what was cached is part of the prompt."""
    assert read(parts({"text": "a"}, finish="STOP", usageMetadata=counts))["usage"] == expected


def test_the_last_count_stands_and_null_is_no_count() -> None:
    """Every chunk has one, and they grow."""
    first, last = (
        parts({"text": "a"}, usageMetadata={"promptTokenCount": 9, "candidatesTokenCount": n}) for n in (1, 2)
    )
    assert read(first, last, STOPPED, event({"usageMetadata": None}))["usage"] == Usage(9, 2)


# ---------------------------------------------------------------------------------------------------------- odd shapes


def test_only_the_first_candidate_is_read() -> None:
    """Others are other answers; the index is left out where it is 0."""
    other = {"content": {"parts": [{"text": "b"}]}, "index": 1, "finishReason": "SAFETY"}
    first = {"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}
    assert read(event({"candidates": [other, first]}), event({"candidates": [other]}))["text"] == ""
    result = read(event({"candidates": [first | {"index": 0}, other]}), event({"candidates": [other]}))
    assert (result["text"], result["finish"]) == ("a", "stop")
    assert read(event({"candidates": [first, {**other, "index": None}]}))["text"] == "a"


@pytest.mark.parametrize(
    "odd",
    [
        {"candidates": None},
        {"candidates": {}},
        {"candidates": ["x", None, 3]},
        {"candidates": [{"content": None}]},
        {"candidates": [{"content": []}]},
        {"candidates": [{"content": {"parts": None}}]},
        {
            "candidates": [
                {"content": {"parts": [None, "x", [], {}, {"text": None}, {"text": 7}, {"functionCall": None}]}}
            ]
        },
        {"candidates": [{"content": {"parts": [{"functionCall": "x"}, {"inlineData": []}, {"thought": True}]}}]},
        {"candidates": [{"finishReason": 3, "finishMessage": {}, "index": "0"}]},
        {"promptFeedback": []},
        {"promptFeedback": {"blockReason": None}, "usageMetadata": [1]},
        {"error": None},
        {"error": {}},
        {},
    ],
)
def test_values_of_odd_types_do_no_harm(odd: dict[str, Any]) -> None:
    """What is not as documented counts as absent; the answer around it is whole."""
    result = read(text("a"), event(odd), text("b"), STOPPED)
    assert (result["text"], result["error"]) == ("ab", None)


def test_a_part_in_place_of_a_list_of_parts_is_read() -> None:
    """A gateway that unpacks lists of one."""
    odd = event({"candidates": [{"content": {"parts": {"text": "a"}}, "finishReason": "STOP", "index": 0.0}]})
    assert read(odd)["text"] == "a"


def test_halves_of_an_emoji_in_two_chunks_find_each_other() -> None:
    """Elsewhere a half is no character: in a call's arguments, in a message."""
    halves = [
        b'data: {"candidates":[{"content":{"parts":[{"text":"a\\ud83d"}]}}]}\r\n\r\n',
        b'data: {"candidates":[{"content":{"parts":[{"text":"\\ude00b"}]}}]}\r\n\r\n',
    ]
    assert read(*halves, STOPPED)["text"] == "a😀b"
    assert read(halves[0], STOPPED)["text"] == "a\ufffd"
    broken = (
        b'data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"x":"\\ud83d"}}}]}}]}\r\n\r\n'
    )
    assert called(broken, STOPPED) == [("f", {"x": "\ufffd"})]
    assert read(b'data: {"error":{"message":"\\ud83d","code":500}}\n\n')["error"]["message"] == "\ufffd"


def test_bytes_that_are_no_utf8_become_replacement_characters() -> None:
    """The rest of the chunk stays."""
    assert read(b'data: {"candidates":[{"content":{"parts":[{"text":"a\xffb"}]}}]}\n\n', STOPPED)["text"] == "a\ufffdb"


def test_a_chunk_of_text_takes_the_quick_way() -> None:
    """Speed hangs on it: the counts must not send it the long way round."""
    assert read_chunk(text("a")[6:]) is not None
    assert read_chunk(parts({"text": "a"}, finish="STOP", usageMetadata={"promptTokenCount": 1})[6:]) is not None


# ------------------------------------------------------------------------------------------------- what is no stream

CHUNKS = [
    {"candidates": [{"content": {"parts": [{"text": "a"}]}}]},
    {"candidates": [{"content": {"parts": [{"text": "b\n\n{"}]}}]},
    {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 1}},
]


def pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2)


@pytest.mark.parametrize(
    "body",
    [
        msgspec.json.encode(CHUNKS),
        pretty(CHUNKS),
        b"[" + b"\n,\r\n".join(pretty(each) for each in CHUNKS) + b"\n]",
        b"[" + b",\n\n".join(pretty(each) for each in CHUNKS) + b"\n\n]",
        b"\n".join(msgspec.json.encode(each) for each in CHUNKS),
        b"data: " + msgspec.json.encode(CHUNKS) + b"\n\n",
    ],
)
def test_an_array_of_chunks_is_read_like_a_stream(body: bytes) -> None:
    """What the API sends without `alt=sse`; also with blank lines in it, or as lines of JSON."""
    result = read(body)
    assert (result["text"], result["finish"], result["error"]) == ("ab\n\n{", "stop", None)
    assert result["usage"] == Usage(input_tokens=1)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_events_without_a_blank_line_between_them_are_read_one_by_one(end: bytes) -> None:
    """All of them, and an error among them; one that is cut off is judged like any other."""
    lines = [b"data: " + msgspec.json.encode(each) + end for each in CHUNKS]
    result = read(*lines)
    assert (result["text"], result["finish"], result["usage"]) == ("ab\n\n{", "stop", Usage(input_tokens=1))
    assert failed(*lines[:2], b"data: " + msgspec.json.encode(ERROR) + end) == ("ab\n\n{", "overloaded", False)
    assert failed(*lines[:2], b'data: {"cand') == ("ab\n\n{", "truncated_stream", False)
    assert failed(lines[0], b'data: {"cand' + end, lines[1], end, STOPPED) == ("ab\n\n{", "malformed_response", False)


def test_an_array_that_is_cut_off_keeps_its_whole_chunks() -> None:
    """The last one is lost, and so the end is missing."""
    assert failed(msgspec.json.encode(CHUNKS)[:-40]) == ("ab\n\n{", "truncated_stream", False)
    assert failed(b'[{"candidates"') == ("", "truncated_stream", True)


def test_a_whole_json_body_is_read_like_a_stream() -> None:
    """Gateways that do not stream."""
    assert (
        read(pretty({"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}]}))["text"] == "a"
    )


ERROR = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ((event(ERROR),), ("", "overloaded", True)),
        ((text("a"), event(ERROR)), ("a", "overloaded", False)),
        ((text("a"), STOPPED, pretty(ERROR)), ("a", "overloaded", False)),
        ((pretty([ERROR]),), ("", "overloaded", True)),
        ((event([ERROR]),), ("", "overloaded", True)),
        ((text("a"), event({"error": {"code": 499, "status": "CANCELLED", "message": "m"}})), ("a", "connection", False)),
        ((event({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m"}}),), ("", "rate_limit", True)),
        ((b"event: error\ndata: engine stopped\n\n",), ("", "server", True)),
        ((event({"message": "m", "code": 500}),), ("", "server", True)),
        ((text("a"), b'data: {"candidates":[{"cont\n', event(ERROR)), ("a", "overloaded", False)),
        ((text("a"), b'data: {"candidates":[{"cont\n\n', text("b"), STOPPED), ("a", "malformed_response", False)),
        ((b"<!doctype html><html><title>Console</title></html>",), ("", "malformed_response", False)),
        ((b"upstream connect error",), ("", "malformed_response", True)),
        ((b'data: {"candidates":' + b"[" * 100_000 + b"\n\n",), ("", "malformed_response", True)),
    ],
)  # fmt: skip
def test_errors_inside_an_answer_of_status_200(pieces: tuple[bytes, ...], expected: tuple[str, str, bool]) -> None:
    """An error object in any place and shape wins over a finish reason; what cannot be read is a malformed response."""
    assert failed(*pieces) == expected


def test_keep_alives_do_no_harm() -> None:
    """Comments, and words that are no JSON."""
    assert read(b": ping\n\n", b"data: ping\n\n", text("a"), STOPPED)["text"] == "a"


def test_vertex_speaks_the_same_protocol() -> None:
    """One decoder for both."""
    assert decode(VERTEX, text("a") + STOPPED)["text"] == "a"


# ------------------------------------------------------------------------------------------------------- the two laws


PIECES = st.sampled_from(
    [
        *(text("a"), text("🐟 "), thought("hm"), text("", thoughtSignature="S"), STOPPED, finish("MAX_TOKENS"), finish("SAFETY")),
        *(b": ping\n\n", b'data: {"cand', b"\r", b"\n", event(ERROR), b"<html>", b"{}", b"[", b"data: x\n\n", b"[{", b"},{"),
        *(call(name="f", id="i", args={"x": 1}), BEGUN, piece("$.a", stringValue="x", more=True), piece("$.b[0]", numberValue=1), ENDED),
        *(msgspec.json.encode(CHUNKS), b",", b'{"candidates":[{"content":{"parts":[{"text":"\\ud83d"}]}}]}', event({"promptFeedback": {"blockReason": "X"}})),
    ]
)  # fmt: skip


def without_made_ids(found: Sequence[ProcessedChunk]) -> list[ProcessedChunk]:
    return [
        msgspec.structs.replace(each, call=msgspec.structs.replace(each.call, id=""))
        if isinstance(each, FunctionCallChunk)
        else each
        for each in found
    ]


@given(st.lists(PIECES, max_size=12), places, st.booleans())
def test_answers_are_the_same_for_any_cut(pieces: list[bytes], where: list[int], resets: bool) -> None:
    """Good and broken parts in any order, cut anywhere, with a clean end or a lost connection; one ending."""
    whole = b"".join(pieces)

    def result(reads: list[bytes]) -> list[ProcessedChunk]:
        decoder = GoogleDecoder()
        out = [chunk for each in reads for chunk in decoder.feed(each)]
        out += decoder.fail(error_of(ErrorReason.CONNECTION, "lost")) if resets else decoder.close()
        return without_made_ids(out)

    expected = result([whole])
    assert result(in_steps(whole, 1)) == expected
    assert result(cut_at(whole, where)) == expected
    assert sum(isinstance(each, DoneChunk | ErrorChunk) for each in expected) == 1


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "x", "STOP", "$.a", "AAAA"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("candidates", "content", "parts", "text", "thought", "thoughtSignature", "functionCall", "name"),
                    *("args", "partialArgs", "jsonPath", "stringValue", "willContinue", "inlineData", "data", "fileData"),
                    *("index", "finishReason", "usageMetadata", "promptTokenCount", "promptFeedback", "blockReason"),
                    *("error", "code", "message", "x"),
                ]
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=30,
)  # fmt: skip


@given(st.lists(ODD, max_size=4))
def test_nothing_that_is_json_raises(values: list[Any]) -> None:
    """Values of every kind in every place; the answer ends once, and can be printed."""
    found = run(GoogleDecoder(), [b"".join(b"data: " + msgspec.json.encode(value) + b"\n\n" for value in values)])
    assert sum(isinstance(each, DoneChunk | ErrorChunk) for each in found) == 1
    assert msgspec.json.encode(found)

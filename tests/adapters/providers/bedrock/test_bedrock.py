"""ConverseStream: what Bedrock sends, and what it means."""

from __future__ import annotations

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
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    GeneratedImage,
    GenerationRequest,
    ModelInfo,
    ProcessedChunk,
    TextChunk,
    ThoughtLogEntry,
    Usage,
)
from adapters.decode_command import decode
from adapters.errors import error_of
from adapters.providers.bedrock.adapter import BEDROCK
from adapters.providers.bedrock.decoder import BedrockDecoder
from tests.adapters.cuts import cut_at, in_steps, places, run
from tests.adapters.wire.frame_bodies import error, event, exception

R = GenerationRequest("m", ())


def start(index: int, **block: Any) -> bytes:
    return event("contentBlockStart", {"contentBlockIndex": index, "start": block, "p": "abc"})


def delta(index: int, **fields: Any) -> bytes:
    return event("contentBlockDelta", {"contentBlockIndex": index, "delta": fields, "p": "abcdef"})


def text(content: str, index: int = 0) -> bytes:
    return delta(index, text=content)


def thought(index: int = 0, **fields: Any) -> bytes:
    return delta(index, reasoningContent=fields)


def call(index: int, name: str, *pieces: str, **more: Any) -> bytes:
    head = start(index, toolUse={"toolUseId": f"t{index}", "name": name, **more})
    return head + b"".join(delta(index, toolUse={"input": piece}) for piece in pieces) + stop(index)


def stop(index: int = 0) -> bytes:
    return event("contentBlockStop", {"contentBlockIndex": index})


def ended(reason: str | None = "end_turn") -> bytes:
    return event("messageStop", {"stopReason": reason})


USAGE = {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}
METADATA = event("metadata", {"usage": USAGE, "metrics": {"latencyMs": 1}})
BEGUN = event("messageStart", {"role": "assistant"})
END = ended() + METADATA


def read(*parts: bytes, reset: bool = False) -> dict[str, Any]:
    return decode(BEDROCK, b"".join(parts), reset=reset)


def failed(*parts: bytes, reset: bool = False) -> tuple[str, str, bool]:
    """The text, the error's reason, and whether it is retryable."""
    result = read(*parts, reset=reset)
    assert result["error"] is not None
    return result["text"], result["error"]["reason"], result["error"]["retryable"]


# -------------------------------------------------------------------------------------------------- how answers end


@pytest.mark.parametrize(
    ("reason", "finish"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "stop"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("something_new", "stop"),
        (None, "stop"),
    ],
)
def test_the_stop_reason_says_how_an_answer_ended(reason: str | None, finish: str) -> None:
    """A call that was announced and never came makes no tool turn."""
    result = read(BEGUN, text("a"), stop(), ended(reason), METADATA)
    assert (result["text"], result["finish"], result["provider_finish_reason"]) == ("a", finish, reason)
    assert result["error"] is None


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("a"),), ("a", "truncated_stream", False)),
        ((text("a"), stop(), METADATA), ("a", "truncated_stream", False)),
        ((text("a"), END[:40]), ("a", "truncated_stream", False)),
        ((BEGUN,), ("", "truncated_stream", True)),
        ((b"",), ("", "truncated_stream", True)),
        ((BEGUN, END), ("", "empty_reply", True)),
        ((BEGUN, ended("max_tokens"), METADATA), ("", "empty_reply", False)),
        ((text("a"), ended("guardrail_intervened"), METADATA), ("a", "content_filter", False)),
        ((ended("content_filtered"), METADATA), ("", "content_filter", False)),
        ((text("a"), ended("refusal"), METADATA), ("a", "content_filter", False)),
        ((ended("malformed_model_output"), METADATA), ("", "malformed_response", True)),
        ((text("a"), ended("malformed_tool_use"), METADATA), ("a", "malformed_response", False)),
    ],
)
def test_an_answer_without_an_end_or_without_words_is_an_error(
    parts: tuple[bytes, ...], expected: tuple[str, str, bool]
) -> None:
    """The text that came stays; only an answer that showed nothing may be asked for again."""
    assert failed(*parts) == expected


def test_the_answer_is_over_with_the_metadata() -> None:
    """The end is given at once, without waiting for the connection to close; in either order."""
    for end in (END, METADATA + ended()):
        decoder = BedrockDecoder()
        chunks = [*decoder.feed(text("a") + end + text("b")), *decoder.feed(text("c")), *decoder.close()]
        assert [type(chunk) for chunk in chunks] == [TextChunk, DoneChunk]
        assert chunks[0] == TextChunk("a")


def test_without_the_metadata_the_answer_is_complete_all_the_same() -> None:
    """Only the count of tokens is missing, whether the body ended or the connection broke."""
    for reset in (False, True):
        result = read(text("a"), ended(), reset=reset)
        assert (result["error"], result["finish"]) == (None, "stop")
    assert failed(text("a"), reset=True) == ("a", "connection", False)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (USAGE, Usage(10, 5)),
        ({**USAGE, "cacheReadInputTokens": 100, "cacheWriteInputTokens": 7}, Usage(117, 5, None, 100, 7)),
        ({"outputTokens": 5}, Usage(None, 5)),
        ({"inputTokens": "10", "outputTokens": None, "cacheReadInputTokens": -1}, Usage()),
        ([1], None),
        (None, None),
    ],
)
def test_all_input_counts_as_input(usage: object, expected: Usage | None) -> None:
    """Bedrock counts what was cached apart from the rest."""
    chunks = run(BedrockDecoder(), [text("a") + ended() + event("metadata", {"usage": usage})])
    assert chunks[-1].closing.usage == expected


# ------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("frame", "reason", "code", "message"),
    [
        (exception("throttlingException", {"message": "Too many requests"}), "rate_limit", "throttlingException", "Too many"),
        (exception("ThrottlingException", {"message": "x"}), "rate_limit", "ThrottlingException", "x"),
        (exception("serviceUnavailableException", {"message": "x"}), "overloaded", "serviceUnavailableException", "x"),
        (exception("internalServerException", {"message": "x"}), "server", "internalServerException", "x"),
        (exception("validationException", {"message": "bad"}), "bad_request", "validationException", "bad"),
        (
            exception("validationException", {"message": "Input is too long for requested model."}),
            "context_length",
            "validationException",
            "too long",
        ),
        (exception("modelStreamErrorException", {"message": "x"}), "server", "modelStreamErrorException", "x"),
        (
            exception("modelStreamErrorException", {"message": "x", "originalStatusCode": 429, "originalMessage": "slow"}),
            "rate_limit",
            "modelStreamErrorException",
            "x: slow",
        ),
        (
            exception("modelStreamErrorException", {"originalStatusCode": 503, "originalMessage": "busy"}),
            "overloaded",
            "modelStreamErrorException",
            "busy",
        ),
        (exception("modelTimeoutException", {"message": "x"}), "gateway_timeout", "modelTimeoutException", "x"),
        (exception("somethingNewException", {"Message": "x"}), "server", "somethingNewException", "x"),
        (exception("internalServerException", b""), "server", "internalServerException", "internalServerException"),
        (exception("internalServerException", b"not json"), "server", "internalServerException", "not json"),
        (exception("internalServerException", [1]), "server", "internalServerException", "1"),
        (error("InternalError", "An internal error"), "server", "InternalError", "An internal error"),
        (error("", ""), "server", None, "no reason"),
        (event("throttlingException", {"message": "x"}), "rate_limit", "throttlingException", "x"),
    ],
)  # fmt: skip
def test_an_exception_ends_the_answer(frame: bytes, reason: str, code: str | None, message: str) -> None:
    """Before any text and after it; only before it another try may be made."""
    first, later = read(BEGUN, frame, text("b"), END), read(text("a"), frame, END)
    assert first["error"]["reason"] == later["error"]["reason"] == reason
    assert (first["error"]["code"], first["text"], later["text"]) == (code, "", "a")
    assert message in first["error"]["message"]
    assert later["error"]["retryable"] is False


@pytest.mark.parametrize(
    ("body", "reason", "message"),
    [
        (b"<!DOCTYPE html><title>Sign in</title>", "malformed_response", "Sign in"),
        (b"upstream connect error", "malformed_response", "upstream connect error"),
        (b'{"message":"The security token included in the request is invalid."}', "auth", "security token"),
        (b'{"Message":"Too slow","__type":"ThrottlingException"}', "rate_limit", "Too slow"),
        (b'{"error":{"message":"no","type":"authentication_error"}}', "auth", "no"),
        (b'{"unknown":1}', "malformed_response", "unknown"),
        (b"[]", "malformed_response", "[]"),
    ],
)
def test_a_body_that_is_not_in_frames_is_told_in_its_own_words(body: bytes, reason: str, message: str) -> None:
    """A proxy's sign-in page, an error with the status 200."""
    for before in (b"", text("a")):
        error = read(before, body)["error"]
        assert error["reason"] == reason
        assert message in error["message"]


def test_a_body_that_a_lost_connection_cut_is_a_lost_connection() -> None:
    """What it would have said is not known."""
    assert failed(b'{"message":"Too ma', reset=True) == ("", "connection", True)
    assert failed(text("a"), b'{"message":"Too ma', reset=True) == ("a", "connection", False)
    assert failed(b'{"message":"Too ma') == ("", "malformed_response", True)
    assert failed(b'{"message":"Too many requests"}', reset=True)[1] != "connection"


def test_damaged_bytes_end_the_answer() -> None:
    """The text before them stays."""
    broken = bytearray(text("b"))
    broken[-7] ^= 1
    assert failed(text("a"), bytes(broken), END) == ("a", "malformed_response", False)
    assert failed(text("a"), event("contentBlockDelta", b"{no"), END) == ("a", "malformed_response", False)


# ------------------------------------------------------------------------------------------- text, thoughts, pictures


def test_text_comes_with_or_without_a_start() -> None:
    """And events that are new are passed over."""
    result = read(
        BEGUN, start(0), text("a"), text(""), event("initial-response"), text("b"), stop(), event("x", b"?"), END
    )
    assert (result["text"], result["error"]) == ("ab", None)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("小鱼🐟 "),), "小鱼🐟 "),
        ((event("contentBlockDelta", b'{"delta":{"text":"\\ud83d"}}'), event("contentBlockDelta", b'{"delta":{"text":"\\ude00"}}')), "😀"),
        ((event("contentBlockDelta", b'{"delta":{"text":"\xf0\x9f"}}'),), "\ufffd"),
        ((event("contentBlockDelta", {"contentBlockIndex": "0", "delta": {"text": "a", "toolUse": [], "reasoningContent": 1}}),), "a"),
        ((delta(0, text="a", toolUse={"input": ""}, reasoningContent={"text": "hm"}),), "a"),
        ((event("contentBlockDelta", {"delta": {"text": ["a"]}}), event("contentBlockDelta", {"delta": None}), event("contentBlockDelta", b"[]"), event("contentBlockDelta", b""), text("b")), "b"),
    ],
)  # fmt: skip
def test_odd_values_cost_no_text(parts: tuple[bytes, ...], expected: str) -> None:
    """Halves of characters find each other; a field of another type than documented is taken for none."""
    assert read(*parts, END)["text"] == expected


def chunks_of(*parts: bytes) -> list[ProcessedChunk]:
    return run(BedrockDecoder(), [b"".join(parts)])[:-1]


def test_a_signature_stands_with_its_thought() -> None:
    """Also where it comes in pieces; it is given when the block stops."""
    assert chunks_of(
        thought(text="hm"),
        thought(text="m"),
        thought(signature="AB"),
        thought(signature="C"),
        stop(),
        text("a", 1),
        END,
    ) == [
        TextChunk("", (ThoughtLogEntry("hm"),)),
        TextChunk("", (ThoughtLogEntry("m"),)),
        TextChunk("", (ThoughtLogEntry("", {"signature": "ABC"}),)),
        TextChunk("a"),
    ]


def test_encrypted_reasoning_is_kept_as_it_came() -> None:
    """Two blocks are two thoughts; two pieces of one block are one."""
    one, two = (b64encode(data).decode() for data in (b"1234", b"5678"))
    both = b64encode(b"12345678").decode()
    parts = [
        thought(0, redactedContent=one),
        stop(0),
        thought(1, redactedContent=one),
        thought(1, redactedContent=two),
        stop(1),
    ]
    assert chunks_of(*parts, text("a", 2), END) == [
        TextChunk("", (ThoughtLogEntry("", {"redactedContent": one}),)),
        TextChunk("", (ThoughtLogEntry("", {"redactedContent": both}),)),
        TextChunk("a"),
    ]


def test_a_picture_may_come_in_pieces() -> None:
    """Each piece is base64 of its own."""
    pieces = [delta(0, image={"source": {"bytes": b64encode(data).decode()}}) for data in (b"\x89PNG", b"rest")]
    assert chunks_of(start(0, image={"format": "jpeg"}), *pieces, stop(), END) == [
        TextChunk(images=(GeneratedImage("image/jpeg", b"\x89PNGrest"),))
    ]
    assert (
        failed(start(0, image={"format": "png"}), delta(0, image={"source": {"bytes": "?"}}), stop(), END)[1]
        == "empty_reply"
    )


def test_citations_are_no_text_and_a_sign_of_life() -> None:
    """They come in blocks of their own, between those of the text."""
    decoder = BedrockDecoder()
    decoder.feed(text("a") + delta(1, citation={"location": {"web": {"url": "https://x"}}}) + stop(1))
    assert decoder.heard_nr == 1
    assert read(text("a"), delta(1, citation={}), stop(1), text("b", 2), END)["text"] == "ab"


# ---------------------------------------------------------------------------------------------------------------- calls


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((call(0, "f", '{"a":', "1}"),), [("t0", "f", {"a": 1})]),
        ((text("hm"), call(1, "f", '{"a":1}'), call(2, "g", "{}")), [("t1", "f", {"a": 1}), ("t2", "g", {})]),
        ((call(0, "f", ""),), [("t0", "f", {})]),
        ((call(0, "f"),), [("t0", "f", {})]),
        ((start(0, toolUse={"toolUseId": "x", "name": "f", "input": {"a": 1}}), stop()), [("x", "f", {"a": 1})]),
        ((call(0, "f", '{"a":1}', type="tool_use"),), [("t0", "f", {"a": 1})]),
        ((call(0, "f", '{"a":1}', input={}),), [("t0", "f", {"a": 1})]),
        ((call(0, "f", '{"a":1}', input=""),), [("t0", "f", {"a": 1})]),
        (
            (thought(0, signature="S"), call(0, "f", '{"a":1}'), call(1, "g", "{}")),
            [("t0", "f", {"a": 1}), ("t1", "g", {})],
        ),
        ((start(0, toolUse={"toolUseId": "t0", "name": "f"}), call(0, "f", '{"a":1}')), [("t0", "f", {"a": 1})]),
    ],
)
def test_calls_are_put_together(parts: tuple[bytes, ...], expected: list[tuple[str, str, dict[str, Any]]]) -> None:
    """Each comes out when its block stops; one without arguments, when the answer ends."""
    result = read(*parts, ended("tool_use"), METADATA)
    assert [(each["id"], each["name"], each["arguments"]) for each in result["tool_calls"]] == expected
    assert (result["finish"], result["error"]) == ("tool_calls", None)


@pytest.mark.parametrize("end", [ended("max_tokens") + METADATA, ended("tool_use") + METADATA])
def test_a_call_that_was_cut_is_not_run(end: bytes) -> None:
    """By the limit of tokens, or by a model that wrote no JSON."""
    result = read(call(0, "f", '{"a":'), end)
    assert result["tool_calls"] == []
    assert [each["raw_arguments"] for each in result["malformed_tool_calls"]] == ['{"a":']


def test_a_call_that_was_cut_before_its_arguments_is_not_run() -> None:
    """They may just not have arrived."""
    result = read(start(0, toolUse={"toolUseId": "t", "name": "f"}))
    assert (result["tool_calls"], len(result["malformed_tool_calls"])) == ([], 1)


SERVER_CALL = call(0, "nova_code_interpreter", '{"snippet":', '"1+1"}', type="server_tool_use")
SERVER_RESULT = (
    start(1, toolResult={"toolUseId": "t0", "status": "success", "type": "nova_code_interpreter_result"})
    + delta(1, toolResult=[{"json": {"stdOut": "2"}}])
    + stop(1)
)


def test_what_bedrock_runs_itself_is_no_call_of_ours() -> None:
    """It is kept for the next request, where it stood."""
    chunks = chunks_of(SERVER_CALL, SERVER_RESULT, text("2", 2), END)
    assert chunks == [
        TextChunk(opaque={"block": {"toolUse": {"toolUseId": "t0", "name": "nova_code_interpreter", "input": {"snippet": "1+1"}, "type": "server_tool_use"}}}),
        TextChunk(opaque={"block": {"toolResult": {"toolUseId": "t0", "status": "success", "type": "nova_code_interpreter_result", "content": [{"json": {"stdOut": "2"}}]}}}),
        TextChunk("2"),
    ]  # fmt: skip


def test_an_answer_that_was_not_streamed_is_read_too() -> None:
    """A gateway that knows only Converse."""
    body = b"""{"output":{"message":{"role":"assistant","content":[
        {"reasoningContent":{"reasoningText":{"text":"hm","signature":"S"}}},{"text":"a"},
        {"toolUse":{"toolUseId":"t","name":"f","input":{"a":1}}},7]}},
        "stopReason":"tool_use","usage":{"inputTokens":1,"outputTokens":2}}"""
    chunks = run(BedrockDecoder(), in_steps(body, 50))
    assert chunks[:3] == [
        TextChunk("", (ThoughtLogEntry("hm"),)),
        TextChunk("", (ThoughtLogEntry("", {"signature": "S"}),)),
        TextChunk("a"),
    ]
    assert chunks[3].call == FunctionCall("t", "f", {"a": 1})
    assert (chunks[4].finish, chunks[4].closing.usage) == (FinishReason.TOOL_CALLS, Usage(1, 2))


def test_nothing_of_an_answer_that_was_not_streamed_is_lost_or_said_twice() -> None:
    """A picture is as large as it was, text with citations is text, and a tool of Bedrock's keeps what came of it."""
    body = b"""{"output":{"message":{"role":"assistant","content":[
        {"image":{"format":"png","source":{"bytes":"QUJD"}}},
        {"citationsContent":{"content":[{"text":"Cats "},7,{"text":"purr."}],"citations":[{"title":"x"}]}},
        {"toolUse":{"toolUseId":"s","name":"g","input":{"q":1},"type":"server_tool_use"}},
        {"toolResult":{"toolUseId":"s","type":"r","content":[{"text":"b"}]}}]}},"stopReason":"end_turn"}"""
    assert run(BedrockDecoder(), [body])[:4] == [
        TextChunk(images=(GeneratedImage("image/png", b"ABC"),)),
        TextChunk("Cats purr."),
        TextChunk(
            "",
            opaque={
                "block": {"toolUse": {"toolUseId": "s", "name": "g", "input": {"q": 1}, "type": "server_tool_use"}}
            },
        ),
        TextChunk("", opaque={"block": {"toolResult": {"toolUseId": "s", "type": "r", "content": [{"text": "b"}]}}}),
    ]


# ----------------------------------------------------------------------------------------------------------------- laws

PARTS = [
    BEGUN, text("a"), text("ü🐟"), thought(text="hm"), thought(signature="S"), thought(1, redactedContent="QQ=="), stop(), stop(1),
    call(2, "f", '{"a":', "1}"), call(2, "g"), SERVER_CALL, SERVER_RESULT, ended(), METADATA, exception("throttlingException", {}),
    event("contentBlockDelta", b'{"delta":{"text":"\\ud83d"}}'), b"{}", b"<html>", b"\x00\x00",
    event("contentBlockStart", b'{"start":{"toolUse":7}}'), event("contentBlockStop", b"{}"), event("metadata", b'{"usage":[]}'),
]  # fmt: skip


def joined(chunks: Sequence[ProcessedChunk]) -> list[object]:
    """The same for answers that differ only in how their text is cut and in made-up ids."""
    out: list[object] = []
    for chunk in chunks:
        if isinstance(chunk, TextChunk) and not (chunk.thoughts or chunk.images or chunk.opaque):
            if out and isinstance(out[-1], str):
                out[-1] += chunk.content
                continue
            out.append(chunk.content)
        elif isinstance(chunk, FunctionCallChunk) and chunk.call.id.startswith("call_"):
            out.append(msgspec.structs.replace(chunk.call, id="made up"))
        else:
            out.append(chunk)
    return out


@given(st.lists(st.sampled_from(PARTS), max_size=8), places, st.booleans())
def test_the_answer_does_not_depend_on_how_the_bytes_were_cut(parts: list[bytes], where: list[int], lost: bool) -> None:
    """And has exactly one ending, whatever came."""

    def answer(pieces: Sequence[bytes]) -> list[ProcessedChunk]:
        decoder = BedrockDecoder()
        out = [chunk for piece in pieces for chunk in decoder.feed(piece)]
        return [*out, *(decoder.fail(error_of(ErrorReason.CONNECTION, "lost")) if lost else decoder.close())]

    body = b"".join(parts)
    whole = answer([body])
    assert sum(isinstance(chunk, DoneChunk | ErrorChunk) for chunk in whole) == 1
    assert isinstance(whole[-1], DoneChunk | ErrorChunk)
    assert joined(answer(in_steps(body, 1))) == joined(whole)
    assert joined(answer(cut_at(body, where))) == joined(whole)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["delta", "start", "text", "toolUse", "input", "toolResult", "image", "source", "bytes", "reasoningContent", "signature",
         "redactedContent", "contentBlockIndex", "stopReason", "usage", "inputTokens", "message", "name", "type", "toolUseId"]
    ), inner, max_size=5),
    max_leaves=12,
)  # fmt: skip
NAMES = st.sampled_from(["contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata", "x"])


@given(st.lists(st.tuples(NAMES, JSON), max_size=5))
def test_no_shape_of_payload_is_a_fault_of_ours(events: list[tuple[str, object]]) -> None:
    """Lists for objects, numbers for texts, null anywhere: the answer goes on or ends, and nothing is raised."""
    frames = b"".join(event(name, payload) for name, payload in events)
    assert isinstance(run(BedrockDecoder(), [frames, exception("x", events)])[-1], DoneChunk | ErrorChunk)


# -------------------------------------------------------------------------------------------------------------- listing


def test_the_listing_names_models_that_stream_text() -> None:
    """Those that only an inference profile reaches are named by it, where the region says which."""

    def model(model_id: str, **fields: Any) -> dict[str, Any]:
        arn = f"arn:aws:bedrock:eu-west-1::foundation-model/{model_id}"
        return {"modelId": model_id, "modelArn": arn, "outputModalities": ["TEXT"], **fields}

    listing = {
        "modelSummaries": [
            model(
                "a.one",
                providerName="A",
                modelName="One",
                inputModalities=["TEXT", "IMAGE"],
                responseStreamingSupported=True,
            ),
            model("a.two", inferenceTypesSupported=["INFERENCE_PROFILE"], inputModalities=["TEXT"]),
            model("a.three", inferenceTypesSupported=["ON_DEMAND", "INFERENCE_PROFILE"]),
            model("a.picture", outputModalities=["IMAGE"]),
            model("a.slow", responseStreamingSupported=False),
            {"modelId": 7},
            None,
        ]
    }

    assert BEDROCK.read_models(msgspec.json.encode(listing)) == [
        ModelInfo("a.one", "A One", vision=True),
        ModelInfo("eu.a.two", vision=False),
        ModelInfo("a.three"),
    ]
    for odd in (b"", b"[]", b"{}", b'{"modelSummaries":{}}'):
        assert list(BEDROCK.read_models(odd)) == []

"""Anthropic's Messages API: what servers of this protocol send, and what it means."""

from __future__ import annotations

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
    MalformedCall,
    ModelInfo,
    ProcessedChunk,
    TextChunk,
    ThoughtLogEntry,
    Usage,
)
from adapters.decode_command import decode
from adapters.errors import error_of
from adapters.providers.anthropic.adapter import ANTHROPIC
from adapters.providers.anthropic.decoder import AnthropicDecoder
from tests.adapters.captured import NAMES, capture
from tests.adapters.cuts import cut_at, in_steps, places, run
from tests.adapters.providers.anthropic.anthropic_bodies import (
    PING,
    STOP,
    block,
    call,
    delta,
    end,
    event,
    finish,
    start,
    text,
    thought,
)


def read(*parts: bytes, reset: bool = False) -> dict[str, Any]:
    return decode(ANTHROPIC, b"".join(parts), reset=reset)


def shown(*parts: bytes) -> str:
    result = read(*parts)
    assert result["error"] is None
    visible: str = result["text"]
    return visible


def failed(*parts: bytes, reset: bool = False) -> tuple[str, str, bool]:
    """The text, the error's reason, and whether it is retryable."""
    result = read(*parts, reset=reset)
    assert result["error"] is not None
    return result["text"], result["error"]["reason"], result["error"]["retryable"]


def chunks(*parts: bytes) -> list[ProcessedChunk]:
    return run(AnthropicDecoder(), parts)


STOPPED = finish() + STOP

# -------------------------------------------------------------------------------------------------- how answers end


@pytest.mark.parametrize(
    ("parts", "expected", "word"),
    [
        ((text("a"), finish("end_turn"), STOP), "stop", "end_turn"),
        ((text("a"), finish("stop_sequence"), STOP), "stop", "stop_sequence"),
        ((text("a"), finish("pause_turn"), STOP), "stop", "pause_turn"),
        ((text("a"), finish("max_tokens"), STOP), "length", "max_tokens"),
        ((text("a"), finish("model_context_window_exceeded"), STOP), "length", "model_context_window_exceeded"),
        ((text("a"), finish("newly_invented"), STOP), "stop", "newly_invented"),
        ((text("a"), finish("tool_use"), STOP), "stop", "tool_use"),
        ((text("a"), finish(None), STOP), "stop", None),
        ((text("a"), STOP), "stop", None),
        ((text("a"), finish("end_turn")), "stop", "end_turn"),
        ((text("a"), finish("end_turn"), event("message_stop").rstrip()), "stop", "end_turn"),
        ((text("a"), finish("end_turn"), finish(None), STOP), "stop", "end_turn"),
    ],
)
def test_either_mark_ends_an_answer(parts: tuple[bytes, ...], expected: str, word: str | None) -> None:
    """A stop reason or message_stop is enough."""
    result = read(start(), *parts)
    assert (result["text"], result["finish"], result["provider_finish_reason"]) == ("a", expected, word)
    assert result["error"] is None


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((start(), text("a")), ("a", "truncated_stream", False)),
        ((start(), PING, PING), ("", "truncated_stream", True)),
        ((b"",), ("", "truncated_stream", True)),
        ((start(), text("a"), b'event: content_block_delta\ndata: {"type":"content_bl'), ("a", "truncated_stream", False)),
        ((start(), STOPPED), ("", "empty_reply", True)),
        ((start(), text(" \n"), STOPPED), (" \n", "empty_reply", True)),
        ((start(), thought("hm", "s"), finish("max_tokens"), STOP), ("", "empty_reply", False)),
        ((start(), text("a"), finish("refusal"), STOP), ("a", "content_filter", False)),
    ],
)  # fmt: skip
def test_an_answer_without_an_end_or_without_words_is_an_error(
    parts: tuple[bytes, ...], expected: tuple[str, str, bool]
) -> None:
    """The text that came stays; only an answer that showed nothing may be asked for again."""
    assert failed(*parts) == expected


def test_a_lost_connection_is_an_error_unless_the_answer_was_complete() -> None:
    """After the stop reason only the end mark can be missing."""
    assert failed(start(), text("a"), reset=True) == ("a", "connection", False)
    assert read(start(), text("a"), finish(), reset=True)["error"] is None


def test_nothing_counts_after_the_end_mark() -> None:
    """The end is given at once, without waiting for the connection to close."""
    decoder = AnthropicDecoder()
    out = decoder.feed(text("a") + STOP + text("b"))
    assert out == [TextChunk("a"), DoneChunk(FinishReason.STOP)]
    assert not decoder.feed(text("c"))


def test_a_refusal_says_why_and_which_model_would_not_refuse() -> None:
    """The words are the provider's own."""
    details = {
        "type": "refusal",
        "category": "cyber",
        "explanation": "Against the policy.",
        "recommended_model": "claude-x",
    }
    ending = event("message_delta", delta={"stop_reason": "refusal", "stop_details": details})
    (chunk,) = chunks(start(usage=None), ending, STOP)
    assert isinstance(chunk, ErrorChunk)
    assert (chunk.finish, chunk.closing.provider_finish_reason) == (FinishReason.CONTENT_FILTER, "refusal")
    assert (chunk.error.reason, chunk.error.message, chunk.error.code, chunk.error.supported_models) == (
        ErrorReason.CONTENT_FILTER,
        "Against the policy.",
        "refusal",
        ("claude-x",),
    )


# ------------------------------------------------------------------------------------------------ where the text is


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("小鱼🐟 ok"),), "小鱼🐟 ok"),
        ((text("a\u2028b\u0085c\x0b"),), "a\u2028b\u0085c\x0b"),
        ((text("a"), text("b", 1)), "ab"),
        ((block(0, "text", text="a"), delta(0, "text_delta", text="b"), end(0)), "ab"),
        ((delta(0, "text_delta", text="ab"),), "ab"),
        ((delta(7, "text_delta", text="ab"), end(7)), "ab"),
        ((block(0, "text", text=""), PING, delta(0, "text_delta", text="ab")), "ab"),
        ((start(), text("ab")), "ab"),
        ((event("newly_invented", index=0), text("ab")), "ab"),
        ((b"data: [DONE]\n\n", text("ab"), b": hello\n\n"), "ab"),
        ((text("ab").replace(b"event: ", b"event:"),), "ab"),
        ((b"\n".join(line for line in text("ab").split(b"\n") if not line.startswith(b"event")),), "ab"),
        ((text("ab").replace(b"\n", b"\r\n"),), "ab"),
        ((text("ab").replace(b'"type":"content_block_delta",', b""),), "ab"),
        ((text("ab").replace(b'"type":"text_delta",', b""),), "ab"),
        ((text("ab").replace(b'"index":0', b'"index":null'),), "ab"),
        ((start(content=[{"type": "text", "text": "ab"}]),), "ab"),
    ],
)  # fmt: skip
def test_the_visible_text(parts: tuple[bytes, ...], expected: str) -> None:
    """Starts, stops, names of events and types may be missing; what a block holds at its start counts too."""
    assert shown(start(), *parts, STOPPED) == expected


@pytest.mark.parametrize(
    "odd",
    [
        event("content_block_start", index=0, content_block=None),
        event("content_block_start", index=0, content_block=[1]),
        event("content_block_start", index=[], content_block={"type": ["text"], "text": 7}),
        event("content_block_start", index=1, content_block={"type": "text", "text": None, "citations": 3}) + end(1),
        event("content_block_start", index=1, content_block={"type": "tool_result", "content": 3}) + end(1),
        event("content_block_delta", index=0, delta=None),
        event("content_block_delta", index=0, delta={"type": "text_delta", "text": None}),
        event("content_block_delta", index=0, delta={"type": "text_delta", "text": {"a": 1}}),
        event("content_block_delta", index=0, delta={"type": {}, "thinking": 3}),
        event("content_block_delta", index=5, delta={"type": "signature_delta", "signature": 3}),
        event("content_block_delta", index=5, delta={"type": "citations_delta"}),
        event("content_block_delta", index=5, delta={"type": "newly_invented", "what": []}),
        event("content_block_stop", index="x"),
        event("message_start", message=None),
        event("message_start", message={"content": {"a": 1}, "usage": [1], "provider": 3}),
        event("message_start", message={"content": [None, 3], "usage": {"input_tokens": "many"}}),
        event("message_delta", delta=None, usage="none"),
        event(
            "message_delta", delta={"stop_reason": 3, "stop_details": 3, "container": 3}, usage={"output_tokens": []}
        ),
        event("ping", message="hello"),
        b"data: {}\n\n",
        b'data: {"type":7}\n\n',
    ],
)
def test_values_of_odd_types_do_no_harm(odd: bytes) -> None:
    """What is not as documented counts as absent; the answer around it is whole."""
    assert shown(start(), text("a"), odd, text("b"), STOPPED) == "ab"


def test_arguments_nested_as_deep_as_can_be_read_do_no_harm() -> None:
    """What the parser just takes, a writer further up the stack may not."""
    for depth in range(700, 1000, 3):
        odd = b'data: {"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":'
        odd += b'{"a":' * depth + b"1" + b"}" * depth + b"}}\n\n"
        result = read(start(), block(0, "tool_use", id="a", name="get"), odd, finish("tool_use"), STOP)
        assert len(result["tool_calls"]) + len(result["malformed_tool_calls"]) == 1
        assert not any(call["arguments"] == {} for call in result["tool_calls"])


def test_an_emoji_cut_between_its_utf16_units_is_whole() -> None:
    """Each half alone is legal JSON; so is the text before and after."""
    first = b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\\ud83d"}}\n\n'
    second = b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"\\ude00b"}}\n\n'
    assert shown(start(), first, second, STOPPED) == "a😀b"
    assert shown(start(), first, STOPPED) == "a\ufffd"


def test_bytes_that_are_no_utf8_become_replacement_characters() -> None:
    """The rest of the delta stays."""
    assert shown(start(), text("a?b").replace(b"?", b"\xff"), STOPPED) == "a\ufffdb"


# ----------------------------------------------------------------------------------------------------- thoughts, calls


def test_a_thought_ends_with_its_signature() -> None:
    """The pieces come as they are; the signature closes the thought."""
    assert chunks(thought("hm", "sig"), text("a"), STOP) == [
        TextChunk(thoughts=(ThoughtLogEntry("hm"),)),
        TextChunk(thoughts=(ThoughtLogEntry("", {"type": "thinking", "signature": "sig"}),)),
        TextChunk("a"),
        DoneChunk(FinishReason.STOP),
    ]


def test_a_redacted_thought_is_kept_whole() -> None:
    """Nobody can read it, and the API wants it back."""
    assert chunks(block(0, "redacted_thinking", data="ENC"), end(0), text("a", 1), STOP)[:1] == [
        TextChunk(thoughts=(ThoughtLogEntry("", {"type": "redacted_thinking", "data": "ENC"}),)),
    ]


def test_calls_come_whole_where_their_block_stops() -> None:
    """In the order of the stream, among thoughts; what else the block says is kept."""
    body = [
        call(0, "get", '{"x"', ":1}", caller={"type": "direct"}),
        thought("hm", "sig", 1),
        call(2, "put", "", id="toolu_2", input={"y": 2}),
        finish("tool_use"),
        STOP,
    ]
    calls = [chunk for chunk in chunks(*body) if isinstance(chunk, FunctionCallChunk)]
    assert calls == [
        FunctionCallChunk(FunctionCall("toolu_1", "get", {"x": 1}, {"caller": {"type": "direct"}})),
        FunctionCallChunk(FunctionCall("toolu_2", "put", {"y": 2})),
    ]
    assert isinstance(chunks(*body)[0], FunctionCallChunk)


@pytest.mark.parametrize(
    "parts",
    [
        call(0, "get"),
        call(0, "get", ""),
        call(0, "get", "", ""),
        call(0, "get", "null"),
        call(0, "get", "{}"),
        call(0, "get", input=None),
        block(0, "tool_use", id="toolu_1", name="get"),
    ],
)
def test_a_call_without_arguments_is_one_when_the_answer_ended(parts: bytes) -> None:
    """The empty object at a block's start only holds the place; a cut answer may have lost what was to come."""
    result = read(start(), parts, finish("tool_use"), STOP)
    assert result["tool_calls"] == [{"id": "toolu_1", "name": "get", "arguments": {}}]
    assert result["finish"] == "tool_calls"


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ((call(0, "get", '{"x"'), finish("max_tokens"), STOP), "not valid JSON"),
        ((call(0, "get"), finish("max_tokens"), STOP), "the answer was cut"),
        (
            (block(0, "tool_use", id="a", name="get"), delta(0, "input_json_delta", partial_json='{"x')),
            "not valid JSON",
        ),
        ((call(0, "get", "[1]"), finish("tool_use"), STOP), "not a JSON object"),
        ((call(0, "", "{}"), finish("tool_use"), STOP), "names no tool"),
        ((delta(3, "input_json_delta", partial_json='{"x":1}'), finish("tool_use"), STOP), "names no tool"),
        (
            (block(0, "text", text=""), delta(0, "input_json_delta", partial_json='{"x":1}'), finish(), STOP),
            "names no tool",
        ),
    ],
)
def test_a_call_that_is_not_provably_whole_is_malformed(parts: tuple[bytes, ...], problem: str) -> None:
    """It is never taken for a call without arguments."""
    (found,) = [chunk.call for chunk in chunks(start(), *parts) if isinstance(chunk, FunctionCallChunk)]
    assert isinstance(found, MalformedCall)
    assert problem in found.problem


INPUT = delta(0, "input_json_delta", partial_json='{"x":1}')
CALL = block(1, "tool_use", id="toolu_1", name="get", input={})


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param((text("hm"), CALL, INPUT, end(1)), id="index of a text that stopped"),
        pytest.param((block(0, "text", text=""), CALL, INPUT, end(0)), id="index of a text that did not stop"),
        pytest.param((CALL, delta(7, "input_json_delta", partial_json='{"x":1}')), id="index of nothing"),
        pytest.param((CALL, CALL, delta(1, "input_json_delta", partial_json='{"x":1}'), end(1)), id="its start twice"),
        pytest.param((CALL, CALL, INPUT, end(1), end(1)), id="both"),
    ],
)
def test_arguments_find_the_call_under_way(parts: tuple[bytes, ...]) -> None:
    """Else it would run without them."""
    found = [
        chunk.call
        for chunk in chunks(start(), *parts, finish("tool_use"), STOP)
        if isinstance(chunk, FunctionCallChunk)
    ]
    assert found == [FunctionCall("toolu_1", "get", {"x": 1})]


def test_a_whole_message_behind_the_stream_says_nothing_twice() -> None:
    """With or without starts of its blocks."""
    whole = event("message", role="assistant", content=[{"type": "text", "text": "hi"}], stop_reason="end_turn")
    assert shown(start(), delta(0, "text_delta", text="hi"), whole) == "hi"
    assert shown(start(), text("hi"), whole) == "hi"


def test_calls_with_one_index_stay_apart() -> None:
    """Some proxies number every block 0, and repeat ids."""
    body = (start(), call(0, "get", '{"x":1}'), call(0, "get", '{"x":2}'), finish("tool_use"), STOP)
    found = read(*body)["tool_calls"]
    assert [each["arguments"] for each in found] == [{"x": 1}, {"x": 2}]
    assert found[0]["id"] != found[1]["id"]


def test_a_block_may_start_before_the_last_one_stopped() -> None:
    """llama.cpp stops all blocks at the end."""
    result = read(capture("anthropic-tool-parallel"))
    assert [(each["name"], sorted(each["arguments"])) for each in result["tool_calls"]] == [
        ("get_weather", ["city", "unit"]),
        ("get_time", ["timezone"]),
        ("get_weather", ["city", "unit"]),
    ]
    thinking = read(capture("anthropic-thinking"))
    assert thinking["thinking"].startswith("\nThe cat, a curious")
    assert thinking["text"]
    assert thinking["finish"] == "length"


# ------------------------------------------------------------------------------------------- what is kept for later

SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "cats"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"encrypted_content": "ENC"}]}
FOUND_FIELDS: dict[str, Any] = {"kind": FOUND["type"], **{key: value for key, value in FOUND.items() if key != "type"}}


def opaques(*parts: bytes) -> list[tuple[str, Any]]:
    return [(chunk.content, chunk.opaque) for chunk in chunks(*parts) if isinstance(chunk, TextChunk)]


def test_the_provider_s_own_tools_are_kept_as_they_came() -> None:
    """The text before them is closed, so that each block finds its place again."""
    body = (
        text("Let me look."),
        block(1, "server_tool_use", id="srvtoolu_1", name="web_search", input={}),
        *(delta(1, "input_json_delta", partial_json=piece) for piece in ("", '{"query": ', '"cats"}')),
        end(1),
        block(2, **FOUND_FIELDS),
        end(2),
        text("Meow.", 3),
        STOPPED,
    )
    assert opaques(*body) == [
        ("Let me look.", None),
        ("", {"type": "text"}),
        ("", SEARCH),
        ("", FOUND),
        ("Meow.", None),
    ]


def test_citations_belong_to_their_text_alone() -> None:
    """A text without them before it stays apart."""
    cited = (
        block(1, "text", text="", citations=[]),
        delta(1, "citations_delta", citation={"cited_text": "c"}),
        delta(1, "text_delta", text="b"),
        end(1),
    )
    assert opaques(text("a"), *cited, text("c", 2), STOPPED) == [
        ("a", None),
        ("", {"type": "text"}),
        ("b", None),
        ("", {"type": "text", "citations": [{"cited_text": "c"}]}),
        ("c", None),
    ]


def test_a_block_of_an_unknown_kind_is_kept_with_all_that_its_deltas_add() -> None:
    """`compaction` is one of them: the summary that stands for the conversation so far."""
    body = (
        block(0, "compaction", content=None),
        delta(0, "compaction_delta", content="Sum", encrypted_content="E"),
        delta(0, "compaction_delta", content="mary"),
        end(0),
        text("a", 1),
        STOPPED,
    )
    assert opaques(*body)[0] == ("", {"type": "compaction", "content": "Summary", "encrypted_content": "E"})


def test_a_server_s_tool_that_was_cut_is_not_kept() -> None:
    """The API would refuse half of its input."""
    begun = (
        block(1, "server_tool_use", id="s", name="web_search", input={}),
        delta(1, "input_json_delta", partial_json='{"q'),
    )
    assert opaques(text("a"), *begun) == [("a", None)]
    assert opaques(text("a"), *begun, STOPPED) == [("a", None)]


def test_a_container_is_kept_while_its_work_goes_on() -> None:
    """A call from inside of it is answered there."""
    container = {"id": "container_1", "expires_at": "2026-01-01T00:00:00Z"}
    ending = event("message_delta", delta={"stop_reason": "tool_use", "container": container})
    assert opaques(call(0, "get", "{}"), ending, STOP) == [("", {"type": "container", **container})]
    ending = event("message_delta", delta={"stop_reason": "end_turn", "container": container})
    assert opaques(text("a"), ending, STOP) == [("a", None)]


def test_tools_at_work_are_signs_of_life_and_pings_are_not() -> None:
    """An idle deadline looks at this number."""
    decoder = AnthropicDecoder()

    def heard(part: bytes) -> bool:
        before = decoder.heard_nr
        decoder.feed(part)
        return decoder.heard_nr > before

    assert heard(block(0, "server_tool_use", id="s", name="web_search", input={}))
    assert heard(delta(0, "input_json_delta", partial_json='{"q'))
    assert heard(block(1, **FOUND_FIELDS))
    assert heard(delta(2, "compaction_delta", content="a"))
    assert heard(block(3, "tool_use", id="t", name="get", input={}))
    assert heard(delta(3, "input_json_delta", partial_json="{"))
    assert not heard(PING)
    assert not heard(b": keep-alive\n\n")


# ------------------------------------------------------------------------------------------------------------- counts


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        ({"input_tokens": 9, "output_tokens": 1}, {"output_tokens": 4}, Usage(9, 4)),
        ({"input_tokens": 9, "cache_read_input_tokens": 20, "cache_creation_input_tokens": 300, "output_tokens": 1},
         {"output_tokens": 4}, Usage(329, 4, None, 20, 300)),
        ({"input_tokens": 0, "output_tokens": 0}, {"input_tokens": 9, "output_tokens": 4, "cache_read_input_tokens": None}, Usage(9, 4)),
        ({"input_tokens": 9}, {"output_tokens": 4, "output_tokens_details": {"thinking_tokens": 3}}, Usage(9, 4, 3)),
        (None, {"output_tokens": 4}, Usage(None, 4)),
        ({"input_tokens": 9.0, "output_tokens": True}, {"output_tokens": -1}, Usage(9)),
    ],
)  # fmt: skip
def test_counts_of_the_end_replace_those_of_the_start(first: Any, last: Any, expected: Usage) -> None:
    """What is null or missing at the end stays as it was; all input is one number, cached included."""
    ending = event("message_delta", delta={"stop_reason": "end_turn"}, usage=last)
    assert read(start(usage=first), text("a"), ending, STOP)["usage"] == expected


def test_an_error_has_the_counts_so_far() -> None:
    """The input was billed."""
    assert read(start(), text("a"))["usage"] == Usage(9, 1)


# ------------------------------------------------------------------------------------------------- what is no stream

MESSAGE = {
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "thinking", "thinking": "hm", "signature": "sig"},
        {"type": "text", "text": "a"},
        {"type": "tool_use", "id": "toolu_1", "name": "get", "input": {"x": 1}},
        {"type": "tool_use", "id": "toolu_2", "name": "get", "input": {}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 9, "output_tokens": 4},
}


@pytest.mark.parametrize(
    "body",
    [
        msgspec.json.encode(MESSAGE),
        msgspec.json.format(msgspec.json.encode(MESSAGE), indent=2),
        b"data: " + msgspec.json.encode(MESSAGE) + b"\n\n",
        start(**MESSAGE) + STOP,
        start(**MESSAGE),
    ],
)
def test_a_whole_message_is_read_like_a_stream(body: bytes) -> None:
    """Some servers do not stream though they were asked to, or put it all into the start."""
    result = read(body)
    assert (result["thinking"], result["text"], result["finish"]) == ("hm", "a", "tool_calls")
    assert [(each["id"], each["arguments"]) for each in result["tool_calls"]] == [
        ("toolu_1", {"x": 1}),
        ("toolu_2", {}),
    ]
    assert result["usage"] == Usage(9, 4)


def failure(kind: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": "No."}}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((event("error", error={"type": "overloaded_error", "message": "Overloaded"}),), ("", "overloaded", True)),
        ((start(), text("a"), event("error", error={"type": "overloaded_error"})), ("a", "overloaded", False)),
        ((b"data: " + msgspec.json.encode(failure("overloaded_error")) + b"\n\n",), ("", "overloaded", True)),
        ((msgspec.json.encode(failure("rate_limit_error")),), ("", "rate_limit", True)),
        ((event("error", error={"type": "api_error", "message": "Internal server error"}),), ("", "server", True)),
        ((event("error", error={"type": "invalid_request_error", "message": "prompt is too long: 9 > 8"}),), ("", "context_length", False)),
        ((event("error", error="Overloaded"),), ("", "overloaded", True)),
        ((event("error", message="Overloaded"),), ("", "overloaded", True)),
        ((b"event: error\ndata: Overloaded\n\n",), ("", "overloaded", True)),
        ((b'event: error\ndata: "Overloaded"\n\n',), ("", "overloaded", True)),
        ((b'event: error\ndata: {"message":"Overloaded"}\n\n',), ("", "overloaded", True)),
        ((b'data: {"error":{"code":503,"message":"busy","type":"unavailable_error"}}\n\n',), ("", "overloaded", True)),
        ((b'data: {"detail":"Overloaded"}\n\n',), ("", "overloaded", True)),
        ((start(), text("a"), b'data: {"type":"content_blevent: error\ndata: {"error":{"type":"overloaded_error"}}\n\n'), ("a", "overloaded", False)),
        ((start(), text("a"), finish(), event("error", error={"type": "api_error"})), ("a", "server", False)),
        ((b"<html><title>Hello</title></html>",), ("", "malformed_response", False)),
        ((b"upstream connect error",), ("", "malformed_response", True)),
        ((b"data: {nonsense}\n\n", STOP), ("", "malformed_response", True)),
        ((start(), b'event: error\ndata: {"type":"overloaded_error","message":"x"}\n\n'), ("", "overloaded", True)),
        ((b'data: {"code":1113,"msg":"Insufficient balance","success":false}\n\n',), ("", "quota", False)),
        ((b'{"code":500,"msg":"404 NOT_FOUND","success":false}',), ("", "server", True)),
    ],
)  # fmt: skip
def test_errors_inside_an_answer_of_status_200(parts: tuple[bytes, ...], expected: tuple[str, str, bool]) -> None:
    """An error object in any place and shape; what cannot be read is a malformed response."""
    assert failed(*parts) == expected


@pytest.mark.parametrize(
    ("name", "status", "expected"),
    [("anthropic-err-401", 401, ErrorReason.AUTH), ("anthropic-err-context", 400, ErrorReason.CONTEXT_LENGTH)],
)
def test_captured_refusals_of_requests(name: str, status: int, expected: ErrorReason) -> None:
    """Real bodies of a server of another make."""
    assert ANTHROPIC.classify(status, {}, capture(name)).reason is expected


# ------------------------------------------------------------------------------------------------------ split-proof


def without_made_ids(found: list[ProcessedChunk]) -> list[ProcessedChunk]:
    return [
        msgspec.structs.replace(c, call=msgspec.structs.replace(c.call, id=""))
        if isinstance(c, FunctionCallChunk)
        else c
        for c in found
    ]


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("anthropic")])
def test_captured_answers_are_the_same_for_any_cut(name: str) -> None:
    """Real bodies: the very same chunks, whole, byte by byte and in network-like pieces."""
    body = capture(name)
    expected = run(AnthropicDecoder(), [body])
    events = [part + b"\n\n" for part in body.split(b"\n\n")]
    for pieces in (in_steps(body, 1), in_steps(body, 7), in_steps(body, 1021), events):
        assert run(AnthropicDecoder(), pieces) == expected


PARTS = st.sampled_from(
    [
        *(start(), text("a"), text("🐟 ", 1), text("\u2028"), thought("hm", "s"), finish(), finish("max_tokens"), STOP, PING),
        *(call(0, "get", '{"x"', ":1}"), call(1, "get"), block(0, "text", text="b"), block(1, "thinking"), end(0), end(1)),
        *(block(0, "tool_use", id="a", name="f", input={"x": 1}), block(2, "newly_invented", what=[1]), end(2)),
        *(delta(0, "input_json_delta", partial_json='{"y":2}'), delta(2, "odd_delta", what=2), delta(0, "citations_delta", citation={})),
        *(b'data: {"type"', b"\r", b"\n", b"event: error\n", event("error", error="x"), b"<html>", b"{}", b"data: x\n\n"),
        *(msgspec.json.encode(MESSAGE), b'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"\\ud83d"}}\n\n'),
    ]
)  # fmt: skip


@given(st.lists(PARTS, max_size=12), places, st.booleans())
def test_generated_answers_are_the_same_for_any_cut(parts: list[bytes], where: list[int], resets: bool) -> None:
    """Good and broken parts in any order, cut anywhere, with a clean end or a lost connection."""
    whole = b"".join(parts)

    def all_of(pieces: list[bytes]) -> list[ProcessedChunk]:
        decoder = AnthropicDecoder()
        out = [chunk for piece in pieces for chunk in decoder.feed(piece)]
        last = decoder.fail(error_of(ErrorReason.CONNECTION, "lost")) if resets else decoder.close()
        return without_made_ids([*out, *last])

    expected = all_of([whole])
    assert all_of(in_steps(whole, 1)) == expected
    assert all_of(cut_at(whole, where)) == expected
    assert all_of(parts) == expected
    assert sum(isinstance(chunk, DoneChunk | ErrorChunk) for chunk in expected) == 1


LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=3)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)
KEYS = (
    "index",
    "delta",
    "content_block",
    "message",
    "usage",
    "error",
    "content",
    "text",
    "partial_json",
    "stop_reason",
    "citation",
)
KINDS = st.sampled_from(
    ["message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message"]
)


@given(st.lists(st.tuples(KINDS, st.dictionaries(st.sampled_from(KEYS), JSON)), max_size=4))
def test_no_event_whatever_its_shape_makes_a_decoder_raise(events: list[tuple[str, dict[str, Any]]]) -> None:
    """Any JSON where an object, a text or a number should be."""
    found = chunks(start(), *(event(kind, **fields) for kind, fields in events), text("a", 9), STOPPED)
    assert sum(isinstance(chunk, DoneChunk | ErrorChunk) for chunk in found) == 1


# ------------------------------------------------------------------------------------------------------------- models


def test_the_listing_tells_names_limits_and_abilities() -> None:
    """As the API gives it, and as others do who leave most of it out."""
    entry = {
        "type": "model",
        "id": "claude-x",
        "display_name": "Claude X",
        "max_input_tokens": 200_000,
        "max_tokens": 64_000,
        "capabilities": {"image_input": {"supported": True}, "thinking": {"supported": False}},
    }
    body = msgspec.json.encode({"data": [entry, {"id": "m", "display_name": "", "capabilities": [1]}, {"id": 3}, None]})
    assert ANTHROPIC.read_models(body) == (
        ModelInfo("claude-x", "Claude X", 200_000, 64_000, vision=True, reasoning=False),
        ModelInfo("m"),
    )


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"data":{}}', b'{"error":{"type":"authentication_error"}}'])
def test_a_listing_that_is_none_lists_nothing(body: bytes) -> None:
    """Never an error."""
    assert ANTHROPIC.read_models(body) == ()

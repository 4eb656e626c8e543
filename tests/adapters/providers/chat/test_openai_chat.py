"""Chat Completions: what servers of this protocol send, and what it means."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    Closing,
    DoneChunk,
    Endpoint,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    GenerationRequest,
    ProcessedChunk,
    TextChunk,
    ThoughtLogEntry,
    Usage,
)
from adapters.decode_command import decode
from adapters.errors import error_of
from adapters.providers.chat.custom import CUSTOM
from adapters.providers.chat.decoder import OpenAIChatDecoder
from adapters.record import TurnRecord
from tests.adapters.captured import NAMES, capture
from tests.adapters.cuts import cut_at, in_steps, places, run
from tests.adapters.providers.chat.chat_bodies import DONE, delta, event, finish, text


def read(*parts: bytes, reset: bool = False) -> dict[str, Any]:
    return decode(CUSTOM, b"".join(parts), reset=reset)


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


STOPPED = finish() + DONE

# -------------------------------------------------------------------------------------------------- how answers end


@pytest.mark.parametrize(
    ("parts", "expected", "word"),
    [
        ((text("a"), finish("stop"), DONE), "stop", "stop"),
        ((text("a"), finish("length"), DONE), "length", "length"),
        ((text("a"), finish("max_tokens"), DONE), "length", "max_tokens"),
        ((text("a"), finish("eos"), DONE), "stop", "eos"),
        ((text("a"), finish("function_call"), DONE), "stop", "function_call"),
        ((text("a"), finish("MAX_TOKENS"), DONE), "length", "MAX_TOKENS"),
        ((text("a"), finish("model_context_window_exceeded"), DONE), "length", "model_context_window_exceeded"),
        ((text("a"), DONE), "stop", None),
        ((text("a"), finish("stop")), "stop", "stop"),
        ((text("a"), finish("stop"), finish("length"), DONE), "stop", "stop"),
        ((text("a"), finish(""), finish("length"), DONE), "length", "length"),
        ((text("a"), b"data: [DONE]"), "stop", None),
        ((text("a"), b"data:  [DONE]\n\n"), "stop", None),
        ((text("a"), b'data: "[DONE]"\n\n'), "stop", None),
        ((text("a"), b"[DONE]\n\n"), "stop", None),
        ((delta("null", content="a"), finish("length"), DONE), "length", "length"),
    ],
)
def test_either_mark_ends_an_answer(parts: tuple[bytes, ...], expected: str, word: str | None) -> None:
    """A finish reason or [DONE] is enough; the first reason counts."""
    result = read(*parts)
    assert (result["text"], result["finish"], result["provider_finish_reason"]) == ("a", expected, word)
    assert result["error"] is None


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("a"),), ("a", "truncated_stream", False)),
        ((b": ping\n\n", b": ping\n\n"), ("", "truncated_stream", True)),
        ((b"",), ("", "truncated_stream", True)),
        ((text("a"), b'data: {"choices":[{"delta":{"con'), ("a", "truncated_stream", False)),
        ((delta(role="assistant"), STOPPED), ("", "empty_reply", True)),
        ((DONE,), ("", "empty_reply", True)),
        ((delta(reasoning_content="hm"), finish("length"), DONE), ("", "empty_reply", False)),
        ((text("a"), finish("content_filter"), DONE), ("a", "content_filter", False)),
        ((text("a"), finish("SAFETY"), DONE), ("a", "content_filter", False)),
        ((text("a"), finish("refusal"), DONE), ("a", "content_filter", False)),
        ((text("a"), finish("insufficient_system_resource"), DONE), ("a", "overloaded", False)),
        ((finish("error"), DONE), ("", "server", True)),
        ((text("a"), finish("ERROR"), DONE), ("a", "server", False)),
        ((text("a"), finish("abort"), DONE), ("a", "server", False)),
        ((text("a"), finish("content-filter"), DONE), ("a", "content_filter", False)),
        ((finish("MALFORMED_FUNCTION_CALL"), DONE), ("", "malformed_response", True)),
        ((delta("null", content="a"),), ("a", "truncated_stream", False)),
        ((text("a")[:-1], text("b")[:-1], b'data: {"choices":[{"del'), ("ab", "truncated_stream", False)),
    ],
)
def test_an_answer_without_an_end_or_without_words_is_an_error(
    parts: tuple[bytes, ...], expected: tuple[str, str, bool]
) -> None:
    """The text that came stays; only an answer that showed nothing may be asked for again."""
    assert failed(*parts) == expected


def test_a_lost_connection_is_an_error_unless_the_answer_was_complete() -> None:
    """After the finish reason only the usage can be missing."""
    assert failed(text("a"), b'data: {"choi', reset=True) == ("a", "connection", False)
    assert read(text("a"), finish(), reset=True)["error"] is None


def test_nothing_counts_after_the_end_mark() -> None:
    """The end is given at once, without waiting for the connection to close."""
    decoder = OpenAIChatDecoder()
    chunks = decoder.feed(text("a") + DONE + text("b"))
    assert chunks == [TextChunk(content="a"), DoneChunk(FinishReason.STOP)]
    assert not decoder.feed(text("c"))


# ------------------------------------------------------------------------------------------------ where the text is


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("小鱼🐟 ok"),), "小鱼🐟 ok"),
        ((text("a\u2028b\u0085c\x0b"),), "a\u2028b\u0085c\x0b"),
        ((event({"choices": [{"delta": None}]}), event({"choices": [{}]}), delta(content=None), text("a")), "a"),
        ((event({"choices": []}), event({"choices": None}), text("a")), "a"),
        ((event({"choices": [{"index": 1, "delta": {"content": "no"}}, {"index": 0, "delta": {"content": "a"}}]}),), "a"),
        ((delta(content=[{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}, 7, {"type": "x"}]),), "ab"),
        ((delta(content=["a", "b"]),), "ab"),
        ((delta(refusal="I can't."),), "I can't."),
        ((delta(reasoning="hm"), event({"choices": [{"delta": {}, "message": {"content": "a", "reasoning": "hm"}}]})), "a"),
        ((b"data: " + text("a"), text("b")), "ab"),
        ((delta(content="a", tool_calls=[{"index": 0, "id": "", "function": {"name": "", "arguments": ""}}]),), "a"),
        ((delta(content="a", tool_calls=[{}], function_call={}), delta(function_call={"name": None})), "a"),
        ((text("Once "), text("only."), event({"choices": [{"delta": {}, "message": {"content": "Once only."}}]})), "Once only."),
        ((event({"choices": [{"message": {"content": "a"}}]}), event({"choices": [{"message": {"content": "ab"}}]})), "ab"),
        ((b"data: keep-alive\n\n", text("a"), b"noise\n\n"), "a"),
        ((b"event: message\n", text("a")), "a"),
        ((b"data:   " + text("a")[6:],), "a"),
        ((b"\xef\xbb\xbf", text("a")), "a"),
        ((text("a").replace(b"\n", b"\r\n"),), "a"),
        ((event({"choices": [{"delta": {"content": "a"}}], "base_resp": {"status_code": 0, "status_msg": ""}}),), "a"),
        ((event({"choices": None, "base_resp": {"status_code": 0}}), text("a")), "a"),
    ],
)  # fmt: skip
def test_the_visible_text(parts: tuple[bytes, ...], expected: str) -> None:
    """Deltas, lists of parts and refusals are text; a repeated whole message is text only where no delta came."""
    assert shown(*parts, STOPPED) == expected


@pytest.mark.parametrize(
    "odd",
    [
        {"choices": {"delta": {}}},
        {"choices": ["x", None]},
        {"choices": [{"index": "0", "delta": {"content": 7, "tool_calls": {"id": 1}}, "finish_reason": None}]},
        {"choices": [{"index": 0, "delta": "x"}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": ["x"], "function_call": "x"}}]},
        {"choices": [{"index": 0, "delta": {"reasoning": {"text": "x"}, "reasoning_details": "x"}}]},
        {"choices": [{"index": 0, "delta": {"content": {"text": "x"}}}], "usage": "none"},
        {"choices": [], "usage": [1], "x_groq": "x", "error": None},
        {"choices": [{"index": None, "delta": {}}], "error": {}},
        {},
    ],
)
def test_values_of_odd_types_do_no_harm(odd: dict[str, Any]) -> None:
    """What is not as documented counts as absent; the answer around it is whole."""
    assert shown(text("a"), event(odd), text("b"), STOPPED) == "ab"


_NAMES = st.sampled_from(
    [
        *("choices", "delta", "message", "index", "finish_reason", "usage", "error", "x_groq", "base_resp", "msg"),
        *("content", "reasoning", "reasoning_content", "reasoning_details", "type", "text", "thinking", "signature"),
        *("tool_calls", "id", "function", "name", "arguments", "extra_content", "images", "image_url", "url"),
    ]
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3) | st.just("\ud83d"),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_NAMES, inner, max_size=3),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(_NAMES, _VALUES, max_size=4), max_size=3), st.dictionaries(_NAMES, _VALUES, max_size=4))
def test_values_of_any_type_in_any_place_end_in_one_way(chunks: list[dict[str, Any]], fields: dict[str, Any]) -> None:
    """Never an exception, and what came of it can stand in the next request."""
    bodies = [*chunks, {"choices": [{"index": 0, "delta": fields}]}, {"choices": [{"delta": {"tool_calls": [fields]}}]}]
    body = b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in bodies)
    out = run(OpenAIChatDecoder(), [body, STOPPED])
    assert msgspec.json.encode(out)
    assert [isinstance(chunk, DoneChunk | ErrorChunk) for chunk in out].count(True) == 1
    endpoint = Endpoint("http://host/v1")
    record = TurnRecord()
    record.add(out)
    answer = record.message(endpoint.origin("custom", "m"))
    assert CUSTOM.build(GenerationRequest("m", (answer,)), endpoint).body


@pytest.mark.parametrize("field", [b"data: ", b""])
@pytest.mark.parametrize("end", [STOPPED, finish()])
def test_events_without_a_blank_line_between_them_are_one_a_line(field: bytes, end: bytes) -> None:
    """With the name of the field, and as lines of JSON without it: nothing is lost, an error among them counts."""
    parts = [line for line in (text("a") + delta(reasoning="hm") + text("b") + end).split(b"\n") if line]
    lines = b"".join(field + line.removeprefix(b"data: ") + b"\n" for line in parts)
    result = read(lines)
    assert (result["text"], result["thinking"], result["finish"], result["error"]) == ("ab", "hm", "stop", None)
    broken = field + event({"error": {"message": "m", "code": 503}})[6:-1]
    assert failed(lines[: lines.index(b"\n") + 1], broken, lines) == ("a", "overloaded", False)


def test_the_message_at_the_end_adds_what_the_deltas_left_out() -> None:
    """Nothing of it is said twice."""
    call = {"id": "x", "function": {"name": "get", "arguments": '{"x":1}'}}
    whole = {"content": "wait", "reasoning": "hm", "tool_calls": [call]}
    pieces = [{"type": "thinking", "thinking": "hm"}]
    for parts in (
        [],
        [delta(content=pieces)],
        [text("wa"), text("it")],
        [delta(reasoning="hm"), text("wait"), delta(tool_calls=[call])],
    ):
        result = read(
            *parts, event({"choices": [{"delta": {}, "message": whole, "finish_reason": "tool_calls"}]}), DONE
        )
        assert (result["text"], result["thinking"] in ("", "hm")) == ("wait", True)
        assert [(each["id"], each["arguments"]) for each in result["tool_calls"]] == [("x", {"x": 1})]


@pytest.mark.parametrize("numbers", [(0, 1), ("0", "1"), (0.0, 1.0)])
def test_an_index_of_another_type_is_one_all_the_same(numbers: tuple[object, object]) -> None:
    """So fragments of two calls that take turns stay apart."""
    pieces = [
        delta(tool_calls=[{"index": number, "id": call_id, "function": {"name": "get", "arguments": ""}}])
        for number, call_id in zip(numbers, "ab", strict=True)
    ]
    pieces += [delta(tool_calls=[{"index": number, "function": {"arguments": "{}"}}]) for number in numbers]
    assert [call["id"] for call in read(*pieces, finish("tool_calls"), DONE)["tool_calls"]] == ["a", "b"]


def test_a_picture_among_the_parts_of_the_content_is_drawn() -> None:
    """As routers pass on what other protocols give."""
    url = "data:image/gif;base64,R0lGODlh"
    picture = {"type": "image_url", "image_url": {"url": url}}
    result = read(delta(content=[{"type": "text", "text": "a"}, picture]), STOPPED)
    assert (result["text"], len(result["images"])) == ("a", 1)


def test_an_odd_field_does_not_cost_the_chunk_its_text() -> None:
    """A list where an object should be takes only itself away."""
    odd = event({"choices": [{"delta": {"content": "a", "tool_calls": {"no": "list"}}}, "x"]})
    assert shown(odd, STOPPED) == "a"


def test_an_emoji_cut_between_its_utf16_units_is_whole() -> None:
    """Each half alone is legal JSON; so is the text before and after."""
    halves = (
        b'data: {"choices":[{"delta":{"content":"a\\ud83d"}}]}\n\n',
        b'data: {"choices":[{"delta":{"content":"\\ude00b"}}]}\n\n',
    )
    assert shown(*halves, STOPPED) == "a😀b"
    assert shown(halves[0], STOPPED) == "a\ufffd"


def test_bytes_that_are_no_utf8_become_replacement_characters() -> None:
    """The rest of the delta stays."""
    assert shown(b'data: {"choices":[{"delta":{"content":"a\xffb"}}]}\n\n', STOPPED) == "a\ufffdb"


# --------------------------------------------------------------------------------------------- thoughts, calls, counts


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning_content": "hm"},
        {"reasoning": "hm"},
        {"reasoning_text": "hm"},
        {"reasoning_content": "hm", "reasoning": "hm"},
        {"reasoning": None, "reasoning_content": "hm"},
        {"reasoning": "hm", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
        {"reasoning_details": [{"type": "reasoning.text", "text": "hm"}, {"type": "reasoning.encrypted", "data": "x"}]},
        {"reasoning_details": [{"type": "reasoning.summary", "summary": "hm"}]},
        {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]},
        {"content": [{"type": "thinking", "thinking": "hm"}]},
        {"reasoning_content": [{"type": "text", "text": "hm"}]},
        {"reasoning": {"text": "hm"}},
        {"reasoning_content": "", "reasoning": "hm"},
    ],
)
def test_reasoning_in_any_field_is_a_thought_once(fields: dict[str, Any]) -> None:
    """Servers repeat the same reasoning under two names; it is never visible."""
    result = read(delta(**fields), text("a"), STOPPED)
    assert (result["thinking"], result["text"]) == ("hm", "a")


def ending(*parts: bytes) -> list[ProcessedChunk]:
    """The last chunks, from the name of the field on."""
    return run(OpenAIChatDecoder(), [*parts, text("a"), STOPPED])[-2:]


def test_the_name_of_the_field_is_kept_where_it_is_not_the_usual_one() -> None:
    """The reasoning must go back under the name under which it came."""
    assert ending(delta(reasoning_content="hm")) == [TextChunk("a"), DoneChunk(FinishReason.STOP, Closing("stop"))]
    for field in ("reasoning", "reasoning_text"):
        assert ending(delta(**{field: "hm"}))[0] == TextChunk("", (ThoughtLogEntry("", {"field": field}),))


def test_blocks_of_reasoning_are_kept_whole() -> None:
    """They come out once, at the end; their text came out as it arrived."""
    chunks = run(
        OpenAIChatDecoder(),
        [
            delta(reasoning_details=[{"type": "reasoning.text", "text": "h", "index": 0}]),
            delta(reasoning_details=[{"type": "reasoning.text", "text": "m", "index": 0}]),
            delta(reasoning_details=[{"type": "reasoning.text", "signature": "s", "index": 0}]),
            text("a"),
            STOPPED,
        ],
    )
    block = {"type": "reasoning.text", "text": "hm", "index": 0, "signature": "s"}
    assert chunks[:-1] == [
        TextChunk("", (ThoughtLogEntry("h"),)),
        TextChunk("", (ThoughtLogEntry("m"),)),
        TextChunk("a"),
        TextChunk("", (ThoughtLogEntry("", {"reasoning_details": [block]}),)),
    ]


@pytest.mark.parametrize("field", ["extra_content", "provider_specific_fields"])
def test_odd_fields_of_a_call_stay_with_it(field: str) -> None:
    """Google's signature of the thought before the call, under the names of two servers; on any fragment."""
    opaque = {"google": {"thought_signature": "s"}}
    first = {"index": 0, "id": "a", "function": {"name": "get", "arguments": '{"x":'}}
    for signed, plain in ((0, 1), (1, 0)):
        fragments: list[dict[str, Any]] = [dict(first), {"index": 0, "function": {"arguments": "1}"}}]
        fragments[signed][field] = opaque
        fragments[plain][field] = None
        chunks = run(OpenAIChatDecoder(), [*(delta(tool_calls=[each]) for each in fragments), finish("tool_calls")])
        assert chunks[0] == FunctionCallChunk(FunctionCall("a", "get", {"x": 1}, {field: opaque}))


def test_thoughts_come_before_the_text_of_the_same_delta() -> None:
    """In one chunk, reasoning precedes what it led to."""
    decoder = OpenAIChatDecoder()
    assert decoder.feed(delta(content="a", reasoning="hm")) == [
        TextChunk(thoughts=(ThoughtLogEntry("hm"),)),
        TextChunk(content="a"),
    ]


def test_tool_calls_come_whole_and_in_order() -> None:
    """Fragments of two calls, interleaved, and text beside them."""
    call = [{"index": 0, "id": "a", "type": "function", "function": {"name": "get", "arguments": ""}}]
    other = [{"index": 1, "id": "b", "function": {"name": "put", "arguments": '{"y":'}}]
    rest = [{"index": 1, "function": {"arguments": "2}"}}, {"index": 0, "function": {"arguments": '{"x":1}'}}]
    body = [
        delta(tool_calls=call),
        text("hi"),
        delta(tool_calls=other),
        delta(tool_calls=rest),
        finish("tool_calls"),
        DONE,
    ]
    assert run(OpenAIChatDecoder(), body) == [
        TextChunk(content="hi"),
        FunctionCallChunk(FunctionCall("a", "get", {"x": 1})),
        FunctionCallChunk(FunctionCall("b", "put", {"y": 2})),
        DoneChunk(FinishReason.TOOL_CALLS, Closing("tool_calls")),
    ]


def test_the_older_function_call_is_a_call_too() -> None:
    """It has no id, so one is made."""
    pieces = [delta(function_call={"name": "get", "arguments": '{"x":'}), delta(function_call={"arguments": "1}"})]
    (call,) = read(*pieces, finish("function_call"), DONE)["tool_calls"]
    assert (call["name"], call["arguments"]) == ("get", {"x": 1})
    assert call["id"]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"tool_calls": [{"id": "a", "name": "get", "arguments": {"x": 1}}]}, id="no function around it, Cloudflare"),
        pytest.param({"tool_calls": {"id": "a", "function": {"name": "get", "arguments": '{"x":1}'}}}, id="no list around it"),
        pytest.param(
            {
                "tool_calls": [{"id": "a", "function": {"name": "get", "arguments": '{"x":1}'}}],
                "function_call": {"name": "get", "arguments": '{"x":1}'},
            },
            id="once more in the older form",
        ),
    ],
)  # fmt: skip
def test_calls_in_forms_of_their_own(fields: dict[str, Any]) -> None:
    (call,) = read(delta(**fields), finish("tool_calls"), DONE)["tool_calls"]
    assert call == {"id": "a", "name": "get", "arguments": {"x": 1}}


def test_arguments_that_are_no_object_are_not_taken_for_none() -> None:
    """A tool without parameters would run."""
    result = read(delta(tool_calls=[{"function": {"name": "get", "arguments": ["x"]}}]), finish("tool_calls"), DONE)
    assert [call["raw_arguments"] for call in result["malformed_tool_calls"]] == ['["x"]']


def test_a_call_cut_by_the_token_limit_is_malformed_and_no_error() -> None:
    """`finish` says why."""
    call = [{"index": 0, "id": "a", "function": {"name": "get", "arguments": '{"x"'}}]
    result = read(delta(tool_calls=call), finish("length"), DONE)
    assert (result["finish"], result["error"], result["tool_calls"]) == ("length", None, [])
    assert result["malformed_tool_calls"][0]["raw_arguments"] == '{"x"'


USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}


@pytest.mark.parametrize(
    "parts",
    [
        (finish(), event({"choices": [], "usage": USAGE}), DONE),
        (event({"choices": [], "usage": {**USAGE, "completion_tokens": 1}}), finish(), event({"usage": USAGE, "choices": []}), DONE),
        (event({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": USAGE}), event({"choices": [], "usage": None}), DONE),
        (event({"choices": [], "x_groq": {"usage": USAGE}}), finish(), DONE),
        (event({"choices": [{"delta": {}, "usage": USAGE, "finish_reason": "stop"}]}), DONE),
        (finish(), event({"choices": [], "usage": USAGE})),
        (finish(), event({"choices": [], "usage": USAGE}), event({"choices": [], "usage": {"prompt_tokens": None}}), DONE),
    ],
)  # fmt: skip
def test_usage_wherever_it_stands(parts: tuple[bytes, ...]) -> None:
    """After the finish, repeated, in the choice, under another name, without an end mark: the last count stands."""
    assert read(text("a"), *parts)["usage"] == Usage(input_tokens=9, output_tokens=4)


# ------------------------------------------------------------------------------------------------- what is no stream


def test_a_whole_json_body_is_read_like_a_stream() -> None:
    """Servers that ignore `stream: true`; compact or pretty."""
    message = {"role": "assistant", "content": "whole", "reasoning_content": "hm"}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": USAGE}
    for raw in (msgspec.json.encode(body), msgspec.json.format(msgspec.json.encode(body), indent=2)):
        result = read(raw)
        assert (result["text"], result["thinking"], result["finish"], result["error"]) == ("whole", "hm", "stop", None)
        assert result["usage"] == Usage(input_tokens=9, output_tokens=4)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((event({"error": {"message": "used up", "code": 429, "type": "insufficient_quota"}}), DONE), ("", "quota", False)),
        ((text("a"), event({"error": {"message": "m", "type": "server_error", "code": 500}}), DONE), ("a", "server", False)),
        ((b"event: error\n", event({"error": "engine stopped"})), ("", "server", True)),
        ((b"event: error\n", event({"message": "busy", "type": "overloaded_error"})), ("", "overloaded", True)),
        ((b"event: error\ndata: engine stopped\n\n",), ("", "server", True)),
        ((event({"object": "error", "message": "m", "code": 400}),), ("", "bad_request", False)),
        ((event({"detail": "no such route"}),), ("", "server", True)),
        ((event({"code": 500, "msg": "m"}),), ("", "server", True)),
        ((event({"success": False, "errors": [{"code": 7003, "message": "m"}]}),), ("", "server", True)),
        ((event({"error_code": 18, "error_msg": "m"}),), ("", "server", True)),
        ((b'error: {"code":503,"message":"Loading model","type":"unavailable_error"}\n\n',), ("", "overloaded", True)),
        ((text("a"), b'error: {"code":500,"message":"m"}\n\n'), ("a", "server", False)),
        ((event({"choices": None, "base_resp": {"status_code": 1008, "status_msg": "m"}}),), ("", "quota", False)),
        ((event({"error": True, "message": "m", "code": 401}),), ("", "auth", False)),
        ((event([{"error": {"message": "m", "code": 403}}]),), ("", "permission", False)),
        ((b'[{"error": {"message": "m", "code": 403}}]',), ("", "permission", False)),
        ((event({"choices": [{"delta": {}, "finish_reason": "error", "error": {"code": 502, "message": "m"}}]}),), ("", "server", True)),
        ((event({"choices": [], "x_groq": {"error": {"message": "m", "type": "over_capacity"}}}),), ("", "overloaded", True)),
        ((b'{"error": {"message": "m", "type": "authentication_error"}}',), ("", "auth", False)),
        ((text("a"), b'{"error": {"message": "m"}}\n'), ("a", "server", False)),
        ((text("a"), b'data: {"choices":[{"delta":{"con\n', event({"error": {"message": "m"}})), ("a", "server", False)),
        ((text("a"), b'data: {"choices":[{"delta":{"con\n\n', text("b"), STOPPED), ("a", "malformed_response", False)),
        ((b'data: {"choices":[{"delta":{"con\n\n', text("b"), STOPPED), ("", "malformed_response", True)),
        ((b"<!doctype html><html><title>Console</title></html>",), ("", "malformed_response", False)),
        ((b"\n\n  <html>\n<body>",), ("", "malformed_response", False)),
        ((b"upstream connect error",), ("", "malformed_response", True)),
        ((b'data: {"z":' + b"[" * 100_000 + b"\n\n",), ("", "malformed_response", True)),
    ],
)  # fmt: skip
def test_errors_inside_an_answer_of_status_200(parts: tuple[bytes, ...], expected: tuple[str, str, bool]) -> None:
    """An error object in any place and shape wins over end marks; what cannot be read is a malformed response."""
    assert failed(*parts) == expected


# ------------------------------------------------------------------------------------------------------ split-proof


def without_made_ids(chunks: Sequence[ProcessedChunk]) -> list[ProcessedChunk]:
    return [
        msgspec.structs.replace(c, call=msgspec.structs.replace(c.call, id=""))
        if isinstance(c, FunctionCallChunk)
        else c
        for c in chunks
    ]


@pytest.mark.parametrize("name", NAMES)
def test_captured_answers_are_the_same_for_any_cut(name: str) -> None:
    """Real bodies: the very same chunks, whole, byte by byte and in network-like pieces."""
    body = capture(name)
    expected = without_made_ids(run(OpenAIChatDecoder(), [body]))
    for size in (1, 7, 1021):
        assert without_made_ids(run(OpenAIChatDecoder(), in_steps(body, size))) == expected


PARTS = st.sampled_from(
    [
        *(text("a"), text("🐟 "), text("\u2028"), delta(reasoning="hm"), finish(), finish("length"), DONE, b": ping\n\n"),
        *(b'data: {"choices"', b"\r", b"\n", b"event: error\n", event({"error": "x"}), b"<html>", b"{}", b"data: x\n\n"),
        *(delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":1'}}]), event({"choices": [], "usage": USAGE})),
    ]
)  # fmt: skip


@given(st.lists(PARTS, max_size=12), places, st.booleans())
def test_generated_answers_are_the_same_for_any_cut(parts: list[bytes], where: list[int], resets: bool) -> None:
    """Good and broken parts in any order, cut anywhere, with a clean end or a lost connection."""
    whole = b"".join(parts)

    def chunks(pieces: list[bytes]) -> list[ProcessedChunk]:
        decoder = OpenAIChatDecoder()
        out = [chunk for piece in pieces for chunk in decoder.feed(piece)]
        return [*out, *(decoder.fail(error_of(ErrorReason.CONNECTION, "lost")) if resets else decoder.close())]

    expected = chunks([whole])
    assert chunks(in_steps(whole, 1)) == expected
    assert chunks(cut_at(whole, where)) == expected
    assert sum(isinstance(chunk, DoneChunk | ErrorChunk) for chunk in expected) == 1


@pytest.mark.parametrize(
    ("thought", "shown"), [("Hm, ", "Hi there"), ("\n", "the end.Hi there"), (None, "the end.Hi there")]
)
def test_only_where_reasoning_came_can_its_end_stand_in_the_text(thought: str | None, shown: str) -> None:
    body = delta(reasoning_content=thought) + text("the end.Hi there") + finish() + DONE
    assert decode(CUSTOM, body)["text"] == shown

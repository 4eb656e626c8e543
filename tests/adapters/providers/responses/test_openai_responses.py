"""The Responses API: what servers of this protocol send, and what it means."""

from __future__ import annotations

from time import process_time
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    Closing,
    DoneChunk,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    ProcessedChunk,
    TextChunk,
    ThoughtLogEntry,
)
from adapters.decode_command import decode
from adapters.errors import error_of
from adapters.providers.responses.adapter import OPENAI_RESPONSES
from adapters.providers.responses.decoder import ResponsesDecoder
from tests.adapters.captured import capture
from tests.adapters.cuts import cut_at, in_steps, places, run
from tests.adapters.providers.responses.responses_bodies import (
    END,
    PNG,
    added,
    arguments,
    call,
    completed,
    done,
    event,
    failed,
    incomplete,
    message,
    reasoning,
    summary,
    text,
    thought,
)


def read(*parts: bytes, reset: bool = False) -> dict[str, Any]:
    return decode(OPENAI_RESPONSES, b"".join(parts), reset=reset)


def calls(*parts: bytes) -> list[tuple[str, str, Any]]:
    return [(each["id"], each["name"], each["arguments"]) for each in read(*parts)["tool_calls"]]


# -------------------------------------------------------------------------------------------------- how answers end


@pytest.mark.parametrize(
    ("ending", "finish", "word"),
    [
        (END, "stop", "completed"),
        (incomplete("max_output_tokens"), "length", "max_output_tokens"),
        (event("response.completed"), "stop", "completed"),
        (event("response.completed", response={"status": "in_progress"}), "stop", "completed"),
        (event("response.done", response={"status": "completed"}), "stop", "completed"),
        (event("response.completed", response={"status": "incomplete", "incomplete_details": {"reason": "max_tokens"}}), "length", "max_tokens"),
        (END.rstrip(b"\n"), "stop", "completed"),
    ],
)  # fmt: skip
def test_the_final_response_ends_an_answer(ending: bytes, finish: str, word: str) -> None:
    """Its status counts, or the event's name where the status is none of an ending; the reason is told where it gives one."""
    result = read(text("a"), ending)
    assert (result["text"], result["finish"], result["provider_finish_reason"]) == ("a", finish, word)
    assert result["error"] is None


RATE = {"code": "rate_limit_exceeded", "message": "slow down"}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((text("a"),), ("a", "truncated_stream", False)),
        ((text("a"), b"data: [DONE]\n\n"), ("a", "truncated_stream", False)),
        ((text("a"), b'data: {"type":"response.comp'), ("a", "truncated_stream", False)),
        ((b"",), ("", "truncated_stream", True)),
        ((event("keepalive", sequence_number=3),), ("", "truncated_stream", True)),
        ((END,), ("", "empty_reply", True)),
        ((summary("hm"), incomplete("max_output_tokens")), ("", "empty_reply", False)),
        ((text("a"), incomplete("content_filter")), ("a", "content_filter", False)),
        ((text("a"), incomplete(None)), ("a", "truncated_stream", False)),
        ((text("a"), incomplete("interrupted")), ("a", "truncated_stream", False)),
        ((failed(**RATE),), ("", "rate_limit", True)),
        ((text("a"), failed(**RATE)), ("a", "rate_limit", False)),
        ((failed(),), ("", "server", True)),
        ((event("response.failed", error=RATE),), ("", "rate_limit", True)),
        ((event("response.cancelled", response={"status": "cancelled"}),), ("", "server", True)),
        ((event("error", **RATE, param=None),), ("", "rate_limit", True)),
        ((event("error", error=RATE), failed(code="server_error", message="x")), ("", "rate_limit", True)),
        ((event("response.error", error=RATE),), ("", "rate_limit", True)),
        ((event("rate_limit_error", message="slow down").replace(b"event: rate_limit_error", b"event: error"),), ("", "rate_limit", True)),
        ((b'data: {"error":{"code":"rate_limit_exceeded","message":"slow down"}}\n\n',), ("", "rate_limit", True)),
        ((b'event: error\ndata: {"code":"rate_limit_exceeded","message":"slow down"}\n\n',), ("", "rate_limit", True)),
        ((b"event: error\ndata: no luck\n\n",), ("", "server", True)),
        ((b'{"error":{"code":"rate_limit_exceeded","message":"slow down"}}',), ("", "rate_limit", True)),
        ((b'{"object":"response","status":"in_progress","output":[]}',), ("", "truncated_stream", True)),
        ((text("a"), b"data: {oops}\n\n", END), ("a", "malformed_response", False)),
        ((b"<html><title>Sign in</title></html>",), ("", "malformed_response", False)),
        ((b"who are you?",), ("", "malformed_response", True)),
    ],
)  # fmt: skip
def test_an_answer_without_a_good_end_or_without_words_is_an_error(
    parts: tuple[bytes, ...], expected: tuple[str, str, bool]
) -> None:
    """The text that came stays; only an answer that showed nothing may be asked for again."""
    result = read(*parts)
    assert (result["text"], result["error"]["reason"], result["error"]["retryable"]) == expected


def test_nothing_is_read_after_the_final_response() -> None:
    """The end is given at once, without waiting for the connection to close."""
    decoder = ResponsesDecoder()
    assert decoder.feed(text("a") + END + text("b")) == [
        TextChunk("a"),
        DoneChunk(FinishReason.STOP, Closing("completed")),
    ]
    assert not decoder.feed(text("c"))
    assert not decoder.close()


def test_a_lost_connection_is_an_error_unless_the_answer_was_complete() -> None:
    """The final response is the only end mark."""
    assert read(text("a"), done(message("a")), reset=True)["error"]["reason"] == "connection"
    assert read(text("a"), END, reset=True)["error"] is None


def test_usage_is_told_with_every_ending_that_has_it() -> None:
    """Input with the cached, output with the reasoning; what is no count is unknown."""
    usage = {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 1},
        "output_tokens": 4,
        "output_tokens_details": {"reasoning_tokens": 3},
    }
    counted = read(text("a"), completed(usage=usage))["usage"]
    assert msgspec.to_builtins(counted) == {
        "input_tokens": 9,
        "output_tokens": 4,
        "reasoning_tokens": 3,
        "cache_read_tokens": 5,
        "cache_write_tokens": 1,
    }
    odd = {"input_tokens": "9", "output_tokens": True, "input_tokens_details": []}
    assert set(msgspec.to_builtins(read(text("a"), completed(usage=odd))["usage"]).values()) == {None}


# ---------------------------------------------------------------------------------------------------- said only once

WHOLE = message("Hello there.")
TEXT_DONE = event("response.output_text.done", output_index=0, item_id="item_0", content_index=0, text="Hello there.")


@pytest.mark.parametrize(
    "parts",
    [
        (text("Hello "), text("there."), TEXT_DONE, done(WHOLE), completed(WHOLE)),
        (text("Hello "), text("there.")),
        (TEXT_DONE,),
        (done(WHOLE),),
        (completed(WHOLE),),
        (text("Hello"), TEXT_DONE, done(WHOLE)),
        (text("Hello"), done(WHOLE), completed(WHOLE)),
        (text("Hello"), completed({"id": "item_0", **WHOLE})),
        (text("Hello "), text("there."), completed({"id": "renamed", **WHOLE})),
        (text("Hello "), text("there."), done(message("Something else."))),
        (text("Hello there.", part=1), TEXT_DONE, done(WHOLE)),
        (completed(output_text="Hello there."),),
    ],
)
def test_text_that_comes_up_to_four_times_is_told_once(parts: tuple[bytes, ...]) -> None:
    """Deltas, part, item, response: what comes first is told, what follows adds what was missing, and never contradicts."""
    result = read(*parts, END)
    assert (result["text"], result["finish"], result["error"]) == ("Hello there.", "stop", None)


@pytest.mark.parametrize(
    "body",
    [
        msgspec.json.encode({"object": "response", "status": "completed", "error": None, "output": [WHOLE]}),
        msgspec.json.format(msgspec.json.encode({"status": "completed", "output": [WHOLE]}), indent=2),
        b"data: " + msgspec.json.encode({"status": "completed", "output": [WHOLE]}),
    ],
)
def test_an_answer_that_was_not_streamed_is_read_too(body: bytes) -> None:
    """One JSON object, bare or as the data of one event."""
    result = read(body)
    assert (result["text"], result["finish"], result["error"]) == ("Hello there.", "stop", None)


HM = reasoning("hm")


@pytest.mark.parametrize(
    "parts",
    [
        (summary("hm"), done(HM), done(HM)),
        (thought("hm"), done(reasoning(content=[{"type": "reasoning_text", "text": "hm"}]))),
        (done(HM), done(HM)),
        (event("response.reasoning_summary_text.done", output_index=0, summary_index=0, text="hm"), done(HM)),
        (event("response.reasoning_text.done", output_index=0, content_index=0, text="hm"),),
        (done({"type": "reasoning", "content": [{"type": "reasoning_text", "text": "hm"}]}),),
        (done(reasoning("hm", content=[{"type": "reasoning_text", "text": "hm"}])),),
        (summary("hm"), done(reasoning("hm", content=[{"type": "reasoning_text", "text": "hm"}]))),
    ],
)
def test_reasoning_is_told_once_and_is_never_visible(parts: tuple[bytes, ...]) -> None:
    """As a summary or in full, from the deltas or from the item."""
    for ending in (END, completed(HM, message("a"))):
        result = read(*parts, text("a", 1), ending)
        assert (result["thinking"], result["text"]) == ("hm", "a")
    assert read(completed(HM, message("a")))["thinking"] == "hm"


def test_parts_of_a_summary_and_several_messages_stand_apart() -> None:
    """The wire has nothing between them."""
    result = read(summary("One."), summary("Two.", part=1), text("Let me see.", 1), text("It is 4.", 2), END)
    assert (result["thinking"], result["text"]) == ("One.\n\nTwo.", "Let me see.\n\nIt is 4.")


def test_a_refusal_is_text() -> None:
    """The model said it."""
    refusal = event("response.refusal.delta", output_index=0, item_id="item_0", content_index=0, delta="I can't.")
    item = {"type": "message", "content": [{"type": "refusal", "refusal": "I can't."}]}
    assert read(refusal, done(item), completed(item))["text"] == "I can't."
    assert read(done(item), END)["text"] == "I can't."


@pytest.mark.parametrize(
    "strip",
    [
        ("output_index",),
        ("item_id",),
        ("content_index", "output_index"),
        ("item_id", "output_index"),
    ],
)
def test_events_need_not_say_which_item_they_belong_to(strip: tuple[str, ...]) -> None:
    """llama.cpp sends no index, others no id; then they go on with the open item of their type."""
    parts = [
        added(reasoning()),
        summary("hm"),
        done(HM),
        added(message("")),
        text("a"),
        text("b"),
        done(message("ab")),
        completed(HM, message("ab")),
    ]
    bare = []
    for part in parts:
        value = msgspec.json.decode(part.partition(b"data: ")[2])
        for name in strip:
            value.pop(name, None)
        bare.append(event(**{"kind": value.pop("type"), **value}))
    result = read(*bare)
    assert (result["thinking"], result["text"], result["finish"]) == ("hm", "ab", "stop")


def test_ids_that_change_with_every_event_do_no_harm() -> None:
    """Copilot; the index holds."""
    item_id = iter("abcdefghijkl")

    def renamed(part: bytes) -> bytes:
        return part.replace(b'"item_0"', f'"{next(item_id)}"'.encode())

    body = [added(message("")), text("Hi "), text("you"), done(message("Hi you"))]
    assert read(*map(renamed, body), completed({"id": "z", **message("Hi you")}))["text"] == "Hi you"
    body = [*map(renamed, body)]
    assert read(*body, body[-1], END)["text"] == "Hi you"


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("announced", [True, False])
def test_servers_that_count_every_item_as_the_first_lose_and_repeat_nothing(*, named: bool, announced: bool) -> None:
    """A closed item takes nothing more: what comes under its index is another one."""
    items = [
        ("a", HM, summary("hm")),
        ("b", message("One."), text("One.")),
        ("c", reasoning("so"), summary("so")),
        ("d", message("Two."), text("Two.")),
        ("e", call('{"x":1}', call_id="call_1"), arguments('{"x":1}')),
        ("f", call('{"x":2}', call_id="call_2"), arguments('{"x":2}')),
        ("g", call('{"x":2}', call_id="call_3"), b""),
    ]
    body = []
    for item_id, item, delta in items:
        opening = {name: value for name, value in item.items() if name not in ("content", "summary", "arguments")}
        body += [added({**opening, "id": item_id})] if announced else []
        body += [delta.replace(b'"item_0"', f'"{item_id}"'.encode() if named else b"null")]
        body += [done({**item, "id": item_id})] * 2
    for final in (END, completed(*({**item, "id": item_id} for item_id, item, _ in items))):
        result = read(*body, final)
        assert (result["thinking"], result["text"]) == ("hm\n\nso", "One.\n\nTwo.")
        assert [(each["id"], each["arguments"]) for each in result["tool_calls"]] == [
            ("call_1", {"x": 1}),
            ("call_2", {"x": 2}),
            ("call_3", {"x": 2}),
        ]
        assert result["malformed_tool_calls"] == []


@pytest.mark.parametrize(
    "odd",
    [
        event("response.output_text.delta", output_index=0, delta={"text": "x"}),
        event("response.output_text.delta", output_index="0", delta=7),
        event("response.output_item.added", item=["x"]),
        event("response.output_item.done", item=None),
        event("response.output_item.done", item={"type": 7, "content": "x"}),
        event("response.output_item.done", output_index=5, item={"type": "message", "content": {"text": "x"}}),
        event("response.output_item.done", output_index=5, item={"type": "reasoning", "summary": "x", "content": [7]}),
        event("response.output_item.done", output_index=5, item={"type": "image_generation_call", "result": "?"}),
        event("response.function_call_arguments.done"),
        event("response.shell_call_output_content.delta", delta={"stdout": "x"}),
        event("response.some_day", anything=[1]),
        event("ping", cost="0"),
        b"data: [1, 2]\n\n",
        b"data: {}\n\n",
        b": comment\n\n",
    ],
)
def test_events_of_odd_shapes_do_no_harm(odd: bytes) -> None:
    """What is not as documented counts as absent; the answer around it is whole."""
    result = read(text("a"), odd, text("b"), END)
    assert (result["text"].replace("\n", ""), result["error"]) == ("ab", None)


def test_a_final_response_of_odd_shape_still_ends_the_answer() -> None:
    """Null and lists where objects should be."""
    shapes: list[Any] = [None, [], {"output": {}}, {"output": [None, "x", {}], "usage": [], "incomplete_details": "x"}]
    for response in shapes:
        assert read(text("a"), event("response.completed", response=response))["error"] is None


def test_events_without_a_blank_line_between_them_are_read_one_by_one() -> None:
    """So is an error that a gateway writes into an event under way."""
    assert read(b"".join((text("a"), text("b"), END)).replace(b"\n\n", b"\n"), b"\n")["text"] == "ab"
    broken = text("a") + b'data: {"type":"response.out\ndata: {"error":{"code":"server_error","message":"x"}}\n\n'
    assert read(broken)["error"] is not None


def test_halves_of_an_emoji_find_each_other() -> None:
    """JavaScript servers cut between UTF-16 units; the whole text that follows adds nothing."""
    first = text("a?").replace(b"?", rb"\ud83d")
    second = text("?b").replace(b"?", rb"\ude00")
    assert read(first, second, done(message("a😀b")), END)["text"] == "a😀b"
    assert read(text("a?").replace(b"?", b"\xff"), END)["text"] == "a\ufffd"
    nameless = b'event: response.output_text.delta\ndata: {"delta":"a\\ud83d"}\n\n'
    assert read(nameless, END)["text"] == "a\ufffd"


@pytest.mark.parametrize(
    "body",
    [
        b'data: {"type":"error","code":"x","message":"\\ud83d"}\n\n',
        b'data: {"type":"error","error":{"code":"x\\ud83d","message":"\\ud83d"}}\n\n',
        b'data: {"error":{"code":"x","message":"\\ud83d"}}\n\n',
        b'event: error\ndata: "\\ud83d"\n\n',
        b'data: {"type":"response.failed","response":{"status":"failed","error":{"code":"x","message":"\\ud83d"}}}\n\n',
    ],
)
def test_half_an_emoji_in_an_error_can_be_logged(body: bytes) -> None:
    """As a replacement character: a half cannot be encoded."""
    error = read(body)["error"]
    assert error["message"] == "\ufffd"
    assert msgspec.json.encode(error)


# -------------------------------------------------------------------------------------------------------------- calls

ARGUMENTS_DONE = event("response.function_call_arguments.done", output_index=0, item_id="item_0", arguments='{"x":1}')


@pytest.mark.parametrize(
    "parts",
    [
        (added(call()), arguments('{"x"'), arguments(":1}"), ARGUMENTS_DONE, done(call('{"x":1}')), completed(call('{"x":1}'))),
        (added(call()), arguments('{"x"'), arguments(":1}"), done(call())),
        (added(call()), ARGUMENTS_DONE),
        (added(call()), arguments('{"x'), ARGUMENTS_DONE),
        (added(call()), arguments('{"x":1}'), arguments('{"x":1}'), ARGUMENTS_DONE),
        (added(call()), arguments("{}"), done(call('{"x":1}'))),
        (added(call()), arguments('{"x":1}'), done(call("{}"))),
        (added(call('{"x":1}')),),
        (done(call('{"x":1}')),),
        (completed(call('{"x":1}')),),
        (done({**call(), "arguments": {"x": 1}}),),
        (added(call(name="")), arguments('{"x":1}'), done(call())),
        (done({"type": "function_call", "id": "call_1", "name": "get", "arguments": '{"x":1}'}),),
    ],
)  # fmt: skip
def test_a_call_is_whole_wherever_its_arguments_came(parts: tuple[bytes, ...]) -> None:
    """The longest that are an object count."""
    assert calls(*parts, END) == [("call_1", "get", {"x": 1})]
    assert read(*parts, END)["finish"] == "tool_calls"


def test_a_call_comes_out_when_its_item_is_closed_in_its_place_among_the_thoughts() -> None:
    """So what led to it stands before it, and nothing waits for the end of the answer."""
    decoder = ResponsesDecoder()
    body = [added(call(), 0), arguments('{"x":1}', 0), done(call('{"x":1}'), 0), summary("hm", 1)]
    assert [chunk for part in body for chunk in decoder.feed(part)] == [
        FunctionCallChunk(FunctionCall("call_1", "get", {"x": 1}, {"id": "item_0"})),
        TextChunk(thoughts=(ThoughtLogEntry("hm"),)),
    ]


def test_parallel_calls_keep_apart_though_their_pieces_mix() -> None:
    """By index; a call without arguments has none."""
    body = [
        added(call(call_id="a"), 0),
        added(call(call_id="b", name="put"), 1),
        arguments('{"x":', 0),
        arguments('{"y":2}', 1),
        arguments("1}", 0),
        done(call(call_id="a"), 0),
        done(call(call_id="b", name="put"), 1),
        done(call(call_id="c", name="now"), 2),
    ]
    assert calls(*body, END) == [("a", "get", {"x": 1}), ("b", "put", {"y": 2}), ("c", "now", {})]


@pytest.mark.parametrize(
    ("ending", "finish"),
    [(incomplete("max_output_tokens", call('{"x"')), "length"), (b"", "incomplete"), (failed(**RATE), "error")],
)
def test_a_call_that_was_cut_is_malformed(ending: bytes, finish: str) -> None:
    """It must not run, whatever ended it."""
    for started in ((added(call()), arguments('{"x"')), (added(call()),)):
        result = read(*started, ending)
        assert (result["tool_calls"], result["finish"]) == ([], finish)
        assert [each["name"] for each in msgspec.to_builtins(result["malformed_tool_calls"])] == ["get"]


def test_the_free_text_of_a_custom_tool_is_one_argument() -> None:
    """Cut off, it is malformed like any other."""
    item = {"type": "custom_tool_call", "call_id": "call_1", "name": "sh"}
    piece = event("response.custom_tool_call_input.delta", output_index=0, item_id="item_0", delta="ls -l")
    assert calls(added(item), piece, done({**item, "input": "ls -l"}), END) == [("call_1", "sh", {"input": "ls -l"})]
    assert calls(added(item), piece) == []


# -------------------------------------------------------------------------------------------- tools at the provider's


def test_a_generated_picture_comes_from_its_item_and_not_from_its_previews() -> None:
    """Its bytes, once, though item and response hold it."""
    item = {"type": "image_generation_call", "result": PNG, "output_format": "webp"}
    preview = event("response.image_generation_call.partial_image", output_index=0, partial_image_b64=PNG)
    result = read(added({"type": "image_generation_call"}), preview, done(item), completed({"id": "item_0", **item}))
    assert result["images"] == [{"media_type": "image/webp", "bytes": 8}]
    assert result["error"] is None


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ("https://host/a.png", {"media_type": "image/png", "url": "https://host/a.png"}),
        (f"data:image/jpeg;base64,{PNG}", {"media_type": "image/jpeg", "bytes": 8}),
    ],
)
def test_a_picture_may_be_an_address_or_a_data_url(result: str, expected: dict[str, Any]) -> None:
    """Routers send either."""
    item = {"type": "image_generation_call", "result": result}
    assert read(done(item), END)["images"] == [expected]


def test_a_tool_at_work_is_heard_and_a_keepalive_is_not() -> None:
    """So that a search of a minute is no silence, and a dead provider with a living proxy is one."""
    decoder = ResponsesDecoder()
    decoder.feed(event("response.created", response={}) + event("response.in_progress", response={}))
    decoder.feed(event("keepalive") + b": ping\n\n")
    assert decoder.heard_nr == 0
    decoder.feed(event("response.web_search_call.searching", output_index=0, item_id="ws"))
    decoder.feed(event("response.code_interpreter_call_code.delta", output_index=0, delta="x"))
    decoder.feed(added(call(), 1) + arguments("{", 1))
    assert decoder.heard_nr == 4


# --------------------------------------------------------------------------------------------------------------- laws

TURNS = [
    (added(reasoning()), summary("hm"), done(reasoning("hm", encrypted_content="x")), text("a😀", 1), done(message("a😀"), 1), completed(usage={"input_tokens": 1})),
    (text("a").replace(b"a", rb"\ud83d"), text("b"), added(call(), 1), arguments('{"x":1}', 1), done(call(), 1), incomplete("max_output_tokens")),
    (text("a"), event("error", **RATE)),
    (msgspec.json.encode({"status": "completed", "output": [message("a")]}),),
    (added(call()), arguments('{"x"'), done({"type": "web_search_call"}, 1), text("cut", 2)),
]  # fmt: skip


@given(turn=st.sampled_from(TURNS), where=places, crlf=st.booleans(), resets=st.booleans())
def test_no_cut_of_the_body_changes_the_result(
    turn: tuple[bytes, ...], where: list[int], *, crlf: bool, resets: bool
) -> None:
    """Byte by byte, in any pieces, with a clean end or a lost connection; and there is one ending, the last chunk."""
    whole = b"".join(turn)
    whole = whole.replace(b"\n", b"\r\n") if crlf else whole

    def chunks(pieces: list[bytes]) -> list[ProcessedChunk]:
        decoder = ResponsesDecoder()
        out = [chunk for piece in pieces for chunk in decoder.feed(piece)]
        return [*out, *(decoder.fail(error_of(ErrorReason.CONNECTION, "lost")) if resets else decoder.close())]

    expected = chunks([whole])
    assert chunks(in_steps(whole, 1)) == expected
    assert chunks(cut_at(whole, where)) == expected
    assert [isinstance(chunk, DoneChunk | ErrorChunk) for chunk in expected].index(True) == len(expected) - 1


def seconds(count: int, *, of: bytes) -> float:
    decoder, started = ResponsesDecoder(), process_time()
    for _ in range(count):
        decoder.feed(of)
    return process_time() - started


@pytest.mark.parametrize(
    "part",
    [
        event("response.output_item.done", item=message("a")),
        event("response.output_item.done", item={"type": "function_call", "name": "get", "arguments": "{}"}),
        text("a") + event("response.output_item.done", output_index=0, item=message("a")),
    ],
)
def test_the_cost_of_an_item_does_not_grow_with_their_number(part: bytes) -> None:
    """Whether or not events say which item they belong to."""
    assert min(seconds(8000, of=part) for _ in range(2)) < 20 * min(seconds(1000, of=part) for _ in range(3))


@given(body=st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([part for turn in TURNS for part in turn]))))
def test_any_bytes_give_one_ending(body: list[bytes]) -> None:
    """Nothing raises."""
    out = run(ResponsesDecoder(), body)
    assert sum(isinstance(chunk, DoneChunk | ErrorChunk) for chunk in out) == 1


# ------------------------------------------------------------------------------------------------- a server's own words


@pytest.mark.parametrize(
    ("name", "text_start", "finish"),
    [
        ("responses-text", "The sea is a vast", "stop"),
        ("responses-text-nostream", "The sea is a vast", "stop"),
        ("responses-length", "The story is about a young and ambitious", "stop"),
        ("responses-reasoning", "Luna has a soft spot", "stop"),
    ],
)
def test_answers_of_a_llama_cpp_server(name: str, text_start: str, finish: str) -> None:
    """Without indices, streamed or not; it calls an answer complete that the limit cut."""
    result = read(capture(name))
    assert result["text"].startswith(text_start)
    assert result["text"].count(text_start) == 1
    assert (result["finish"], result["error"]) == (finish, None)
    assert result["usage"].input_tokens > 0


def test_thoughts_and_calls_of_a_llama_cpp_server() -> None:
    """Reasoning in full, and two calls one after the other."""
    assert read(capture("responses-reasoning"))["thinking"].startswith("\nThe cat, a curious and adventurous feline")
    assert [(name, given) for _, name, given in calls(capture("responses-tool"))] == [
        ("get_weather", {"city": "Paris", "unit": "celsius"}),
        ("get_weather", {"city": "Paris", "unit": "fahrenheit"}),
    ]


def test_an_error_answer_of_a_llama_cpp_server() -> None:
    """Its own code for a conversation that is too long."""
    error = OPENAI_RESPONSES.classify(400, {}, capture("responses-err-context"))
    assert error.reason is ErrorReason.CONTEXT_LENGTH

"""What the adapters of all providers have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from adapters import registry
from adapters.contract import (
    DoneChunk,
    Effort,
    Endpoint,
    ErrorChunk,
    ErrorReason,
    FilePart,
    FunctionCall,
    FunctionCallChunk,
    GenerationRequest,
    GrowingField,
    HttpRequest,
    ImagePart,
    LiveCall,
    MalformedCall,
    NamedTool,
    Origin,
    Part,
    PromptMessage,
    Reasoning,
    ResponseSchema,
    Role,
    TextChunk,
    TextPart,
    ThoughtPart,
    ToolChoice,
    ToolResult,
    ToolSpec,
    text_message,
)
from adapters.errors import error_of
from adapters.wire.stage import LayerBegin, LayerEnd, LayerStats, Totals
from tests.adapters.cuts import in_steps, run
from tests.adapters.wire.frame_bodies import event

KEY = "a-key-of-nobody-0123456789"
MARK = "MARK-OF-ANOTHER-ORIGIN"

ADDRESSES = {
    "bedrock": "https://bedrock-runtime.us-east-1.amazonaws.com",
    "custom": "http://localhost:1/v1",
    "vertex": "https://aiplatform.googleapis.com/v1/projects/p/locations/global",
}
"""Of those that have none of their own, or more than one."""

MODELS = (
    *(
        "m",
        "gpt-5.2",
        "o3",
        "gpt-4o",
        "claude-opus-4-8",
        "claude-3-5-haiku-latest",
        "gemini-3.5-flash",
        "gemini-2.5-pro",
    ),
    *(
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "amazon.nova-pro-v1:0",
        "deepseek/deepseek-r1",
        "grok-4",
        "",
        "a b/ü?#",
    ),
)
"""Families that adapters tell apart, and names that are none."""

TOOL = ToolSpec("get", "Gets.", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
SCHEMA = ResponseSchema("answer", {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})
HELLO = text_message(Role.USER, "hello")

OPTIONS: tuple[dict[str, Any], ...] = (
    {"system": "be brief"},
    {"tools": (TOOL,)},
    *({"tools": (TOOL,), "tool_choice": choice} for choice in (*ToolChoice, NamedTool("get"), NamedTool("no such tool"))),
    *({"tool_choice": choice} for choice in (*ToolChoice, NamedTool("get"))),
    *({"tools": (TOOL,), "parallel_tool_calls": value} for value in (True, False)),
    *({"reasoning": Reasoning(effort)} for effort in Effort),
    *({"reasoning": Reasoning(None, tokens)} for tokens in (0, 1, 1024, 10**6)),
    {"reasoning": Reasoning()},
    {"reasoning": Reasoning(Effort.HIGH, 4096), "max_output_tokens": 100},
    {"response_schema": SCHEMA},
    {"response_schema": ResponseSchema()},
    {"response_schema": SCHEMA, "tools": (TOOL,), "reasoning": Reasoning(Effort.LOW)},
    {"max_output_tokens": 1},
    {"temperature": 0.0},
    {"temperature": 2.0, "top_p": 1.0, "top_k": 1},
    {"frequency_penalty": -2.0, "presence_penalty": 2.0},
    {"seed": 2**31},
    {"stop": ("\n", " ", "", *"abcdefgh")},
    {"cache_key": "channel-1"},
    {"dropped": frozenset({"", ".", "a.b.c", "model", "temperature", "stream_options.include_usage"}), "temperature": 0.5},
)  # fmt: skip


def place(name: str, key: str | None = KEY) -> Endpoint:
    return Endpoint(ADDRESSES.get(name), key)


def built(name: str, *messages: PromptMessage, model: str = "m", **options: Any) -> HttpRequest:
    return registry.adapter(name).build(GenerationRequest(model, messages or (HELLO,), **options), place(name))


def answer(*parts: Part, origin: Origin | None = None) -> PromptMessage:
    return PromptMessage(Role.ASSISTANT, parts, origin)


def test_a_key_is_asked_for_where_the_providers_own_address_answers_nothing_without() -> None:
    """The programs on one's own machine want none, and Amazon and Vertex may use what the machine has."""
    assert set(registry.NAMES) - registry.NEEDS_KEY - {"bedrock", "vertex"} == {
        *("ollama", "custom", "vllm", "sglang", "llama-cpp", "lm-studio", "ollama-openai")
    }


every_provider = pytest.mark.parametrize("name", registry.NAMES)


@every_provider
@pytest.mark.parametrize("model", MODELS)
def test_every_option_builds_for_every_model(name: str, model: str) -> None:
    """Alone and with what it goes along with; the body is one JSON object, and never that of another request."""
    for options in OPTIONS:
        body = msgspec.json.decode(built(name, model=model, **options).body)
        assert isinstance(body, dict)
        assert b"hello" in built(name, model=model, **options).body, options


@every_provider
def test_a_key_is_sent_and_never_shown(name: str) -> None:
    """It stands in a header, which no repr() shows, never in the address; and whatever is sent is a secret."""
    for request in filter(None, (built(name), registry.adapter(name).list_models(place(name)))):
        assert KEY not in request.url
        assert KEY not in repr(request)
        assert any(KEY in value for value in request.headers.values())
        assert KEY in request.secrets
        assert KEY.encode() not in request.body
    assert KEY not in repr(place(name))


@every_provider
def test_header_values_can_be_sent(name: str) -> None:
    """Names in lower case, each once, and nothing in a value that HTTP forbids."""
    for header, value in built(name, model="a b/ü?#\n").headers.items():
        assert header == header.lower()
        assert value.isprintable(), header


@every_provider
@pytest.mark.parametrize(("option", "value"), [("temperature", 0.5), ("max_output_tokens", 99), ("tools", (TOOL,))])
def test_an_option_that_a_model_refuses_is_left_out(name: str, option: str, value: Any) -> None:
    """By the name that it has in the body, whatever the provider calls it; the conversation stays."""
    plain, full = _fields(built(name).body), _fields(built(name, **{option: value}).body)
    added = {path for path in full if path not in plain and path.count(".") < 2}
    for path in added:
        less = _fields(built(name, **{option: value}, dropped=frozenset({path})).body)
        assert path not in less, path
        assert "hello" in str(less)


def _fields(body: bytes) -> dict[str, Any]:
    """Every field of a body by its dotted path; lists are values."""

    def walk(value: dict[str, Any], way: str) -> Iterator[tuple[str, Any]]:
        for name, inner in value.items():
            yield f"{way}{name}", inner
            if isinstance(inner, dict):
                yield from walk(inner, f"{way}{name}.")

    return dict(walk(msgspec.json.decode(body), ""))


OPAQUE_SHAPES: tuple[dict[str, Any], ...] = (
    {"thoughtSignature": MARK, "signedChars": 2, "id": MARK},  # Google
    {"part": {"executableCode": {"code": MARK}}},
    {"signature": MARK, "type": "thinking"},  # Anthropic
    {"type": "redacted_thinking", "data": MARK},
    {"type": "text", "citations": [{"cited_text": MARK}]},
    {"type": "container", "id": MARK},
    {"type": "server_tool_use", "id": MARK, "name": MARK, "input": {}},
    {"caller": {"type": MARK}},
    {"redactedContent": MARK},  # Bedrock
    {"block": {"citationsContent": {"content": [{"text": MARK}]}}},
    {"nr": 0, "item": {"type": "reasoning", "id": MARK, "summary": [], "encrypted_content": MARK}},  # Responses
    {"nr": 0, "late": True, "item": {"type": "reasoning", "id": MARK, "summary": []}},
    {"id": MARK, "phase": MARK},
    {"type": "custom_tool_call", "id": MARK},
    {"left_out": MARK},
    {"reasoning_details": [{"type": "reasoning.encrypted", "data": MARK}], "field": MARK},  # Chat Completions
    {"extra_content": {"google": {"thought_signature": MARK}}, "provider_specific_fields": {"thought_signature": MARK}},
)  # fmt: skip
"""What the decoders of all protocols put into the opaque fields of a part, with a mark in each."""


@every_provider
@pytest.mark.parametrize("opaque", OPAQUE_SHAPES, ids=lambda shape: "-".join(shape))
def test_opaque_fields_go_to_no_other_origin(name: str, opaque: dict[str, Any]) -> None:
    """Not to another provider, another address, another model, nor where nobody knows who spoke."""
    own = place(name).origin(name, "m")
    others = (
        None,
        Origin("somebody", own.base_url, own.model),
        Origin(name, "https://else.where/v1", own.model),
        Origin(name, own.base_url, "another-model"),
    )
    for origin in others:
        said = answer(
            ThoughtPart("a thought", opaque),
            TextPart("a text", opaque),
            FunctionCall("call_1", "get", {"a": "b"}, opaque),
            MalformedCall("call_2", "get", '{"a', "it broke off", opaque),
            origin=origin,
        )
        results = PromptMessage(
            Role.USER, tuple(ToolResult(nr, "get", (TextPart("r"),)) for nr in ("call_1", "call_2"))
        )
        body = built(name, HELLO, said, results, tools=(TOOL,), reasoning=Reasoning(Effort.HIGH)).body
        assert MARK.encode() not in body
        assert b"a text" in body


HISTORIES: dict[str, tuple[PromptMessage, ...]] = {
    "nothing": (),
    "an empty message": (PromptMessage(Role.USER, ()),),
    "an empty text": (text_message(Role.USER, ""), text_message(Role.ASSISTANT, " "), text_message(Role.USER, "\n")),
    "the assistant begins": (text_message(Role.ASSISTANT, "hi"), HELLO),
    "the assistant ends": (HELLO, text_message(Role.ASSISTANT, "hi")),
    "several people": (HELLO, text_message(Role.USER, "and I"), text_message(Role.USER, "me too")),
    "a call without a result": (HELLO, answer(FunctionCall("c1", "get", {"a": "b"})), HELLO),
    "a result without a call": (HELLO, PromptMessage(Role.USER, (ToolResult("c9", "get", (TextPart("kept"),)),)), HELLO),
    "a call that is the end": (HELLO, answer(TextPart("wait"), FunctionCall("c1", "get", {"a": "b"}))),
    "a result in another order": (
        HELLO,
        answer(FunctionCall("c1", "get", {"a": "1"}), FunctionCall("c2", "get", {"a": "2"})),
        PromptMessage(Role.USER, (ToolResult("c2", "get", (TextPart("two"),)), ToolResult("c1", "get", ()))),
    ),
    "a malformed call": (
        HELLO,
        answer(MalformedCall("c1", "get", '{"a": "half', "its arguments are cut off")),
        PromptMessage(Role.USER, (ToolResult("c1", "get", (TextPart("its arguments are cut off"),), is_error=True),)),
    ),
    "a malformed call without a result": (HELLO, answer(MalformedCall("", "", "", "nothing of it is there")), HELLO),
    "a result full of pictures": (
        HELLO,
        answer(FunctionCall("c1", "get", {})),
        PromptMessage(
            Role.USER,
            (ToolResult("c1", "get", (ImagePart("image/png", b"x"), FilePart("f.pdf", "application/pdf", b"y"))),),
        ),
    ),
    "half an emoji": (
        text_message(Role.USER, "half \ud83d"),
        answer(
            ThoughtPart("\ude00"), TextPart("\ude00 other"), FunctionCall("c\ud83d", "get", {"a": "b"})
        ),
        PromptMessage(Role.USER, (ToolResult("c\ud83d", "get", (TextPart("\ud83d"),)),)),
    ),
    "pictures and files": (
        PromptMessage(
            Role.USER,
            (
                ImagePart("image/png", b"x"),
                ImagePart("image/jpeg", url="https://a.b/c.jpg"),
                ImagePart("", b""),
                FilePart("a.pdf", "application/pdf", b"x"),
                FilePart("b.mp3", "audio/mpeg", b"x"),
                FilePart("c.txt", "text/plain", b"\xff"),
                FilePart("", "", b""),
            ),
        ),
    ),
    "parts at the wrong role": (
        answer(ImagePart("image/png", b"x"), ToolResult("c1", "get", ()), FilePart("f", "text/plain", b"x")),
        PromptMessage(Role.USER, (ThoughtPart("t"), FunctionCall("c1", "get", {}), MalformedCall("c2", "g", "", "p"))),
    ),
}  # fmt: skip


@every_provider
@pytest.mark.parametrize("history", HISTORIES.values(), ids=HISTORIES)
@pytest.mark.parametrize("model", ["m", "claude-opus-4-8", "gemini-3.5-flash"])
def test_every_history_builds(name: str, history: tuple[PromptMessage, ...], model: str) -> None:
    """What a channel holds is never the reason for no answer; the body is legal JSON in UTF-8."""
    own = place(name).origin(name, model)
    owned = tuple(msgspec.structs.replace(message, origin=own, cache_mark=True) for message in history)
    for messages in (history, owned):
        request = GenerationRequest(model, messages, tools=(TOOL,), system="s")
        body = registry.adapter(name).build(request, place(name)).body
        assert isinstance(msgspec.json.decode(body.decode("utf-8")), dict)


@every_provider
@pytest.mark.parametrize("words", ["the person's words", "the answer's words", "the result's words"])
def test_no_words_of_a_conversation_are_lost(name: str, words: str) -> None:
    """Of the person, of the model and of a tool, whose call broke or is no longer there."""
    history = (
        text_message(Role.USER, "the person's words"),
        answer(TextPart("the answer's words"), MalformedCall("c1", "get", '{"a', "broken")),
        PromptMessage(
            Role.USER,
            (
                ToolResult("c1", "get", (TextPart("broken"),), is_error=True),
                ToolResult("c9", "get", (TextPart("the result's words"),)),
            ),
        ),
        text_message(Role.USER, "go on"),
    )
    assert words.encode() in built(name, *history, tools=(TOOL,)).body


# ------------------------------------------------------------------------------------------------- what comes back


ANSWERS: dict[str, bytes] = {
    "anthropic": (
        b'event: message_start\ndata: {"type":"message_start","message":{"id":"m","role":"assistant","content":[],"usage":{}}}\n\n'
        b'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
        b'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"hi"}}\n\n'
        b'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n'
        b'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}\n\n'
        b'event: message_stop\ndata: {"type":"message_stop"}\n\n'
    ),
    "google": (
        b'data: {"candidates":[{"content":{"parts":[{"text":"hi"}],"role":"model"}}]}\r\n\r\n'
        b'data: {"candidates":[{"content":{"parts":[]},"finishReason":"STOP"}]}\r\n\r\n'
    ),
    "ollama": (
        b'{"model":"m","message":{"role":"assistant","content":"hi"},"done":false}\n'
        b'{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop"}\n'
    ),
    "openai-responses": (
        b'event: response.created\ndata: {"type":"response.created","response":{"id":"r","status":"in_progress","output":[]}}\n\n'
        b'event: response.output_item.added\ndata: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i","role":"assistant","content":[]}}\n\n'
        b'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","output_index":0,"content_index":0,"item_id":"i","delta":"hi"}\n\n'
        b'event: response.completed\ndata: {"type":"response.completed","response":{"id":"r","status":"completed","output":[{"type":"message","id":"i","role":"assistant","content":[{"type":"output_text","text":"hi"}]}]}}\n\n'
    ),
    "bedrock": b"".join(
        (
            event("messageStart", {"role": "assistant"}),
            event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "hi"}}),
            event("contentBlockStop", {"contentBlockIndex": 0}),
            event("messageStop", {"stopReason": "end_turn"}),
        )
    ),
}  # fmt: skip
ANSWERS["vertex"] = ANSWERS["google"]
CHAT_ANSWER = (
    b'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"hi"}}]}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)


def stream_of(name: str) -> bytes:
    return ANSWERS.get(name, CHAT_ANSWER)


def opened(name: str, observer: Any = None) -> Any:
    return registry.adapter(name).open(GenerationRequest("m", (HELLO,)), observer)


@every_provider
def test_an_answer_is_the_same_with_an_observer_and_without(name: str) -> None:
    """Whole and byte by byte."""
    for pieces in ([stream_of(name)], in_steps(stream_of(name), 1)):
        chunks = run(opened(name), pieces)
        assert "".join(chunk.content for chunk in chunks if isinstance(chunk, TextChunk)) == "hi"
        assert isinstance(chunks[-1], DoneChunk)
        assert run(opened(name, lambda _layer, _message: None), pieces) == chunks


@every_provider
@pytest.mark.parametrize("end", ["close", "fail", "cut"])
def test_an_observer_sees_every_layer_from_begin_to_end(name: str, end: str) -> None:
    """Lines where the wire has lines, its data, the provider's own chunks (`sse`) and what is made of them (`delta`): each with
    one begin, its messages, its totals, one end; however the stream ends."""
    seen: list[tuple[str, Any]] = []
    decoder = opened(name, lambda layer, message: seen.append((layer, message)))
    body = stream_of(name)
    out = list(decoder.feed(body[: len(body) // 2] if end == "cut" else body))
    out += decoder.fail(error_of(ErrorReason.CONNECTION, "lost")) if end == "fail" else decoder.close()
    layers = ["data", "sse", "delta"] if name == "bedrock" else ["line", "data", "sse", "delta"]
    assert sorted({layer for layer, _ in seen}, key=layers.index) == layers
    for layer in layers:
        messages = [message for where, message in seen if where == layer]
        assert messages[0] == LayerBegin(f"{layer}.begin")
        assert isinstance(messages[-2], LayerStats)
        assert isinstance(messages[-1], LayerEnd)
        between = messages[1:-2]
        assert not any(isinstance(message, LayerBegin | LayerStats | LayerEnd) for message in between)
        assert messages[-1].totals == messages[-2].totals
        assert messages[-1].totals.messages_nr == len(between)
    assert [message for where, message in seen if where == "delta"][1:-2] == out


@every_provider
def test_the_totals_of_the_bytes_do_not_depend_on_the_cut(name: str) -> None:
    """The sum of the bytes and the messages of every layer are the same for one read and for many."""

    def totals(size: int) -> dict[str, Totals]:
        ends: dict[str, Totals] = {}

        def observe(layer: str, message: Any) -> None:
            if isinstance(message, LayerEnd):
                ends[layer] = msgspec.structs.replace(message.totals, fed_nr=0)

        run(opened(name, observe), in_steps(stream_of(name), size))
        return ends

    assert totals(1) == totals(7) == totals(10**6)
    assert totals(1)[next(iter(totals(1)))].fed_bytes_nr <= len(stream_of(name))


def _chat(call: dict[str, Any]) -> bytes:
    return b"data: " + msgspec.json.encode({"choices": [{"delta": {"tool_calls": [{"index": 0, **call}]}}]}) + b"\n\n"


def _anthropic(kind: str, **fields: Any) -> bytes:
    return b"data: " + msgspec.json.encode({"type": kind, "index": 0, **fields}) + b"\n\n"


def _responses(kind: str, **fields: Any) -> bytes:
    return b"data: " + msgspec.json.encode({"type": f"response.{kind}", "output_index": 0, **fields}) + b"\n\n"


def _bedrock(name: str, **fields: Any) -> bytes:
    return event(name, {"contentBlockIndex": 0, **fields})


CALL_BEGUN = {
    "anthropic": _anthropic("content_block_start", content_block={"type": "tool_use", "id": "c", "name": "get", "input": {}})
    + _anthropic("content_block_delta", delta={"type": "input_json_delta", "partial_json": '{"a": 1, "b": "x'}),
    "bedrock": _bedrock("contentBlockStart", start={"toolUse": {"toolUseId": "c", "name": "get"}})
    + _bedrock("contentBlockDelta", delta={"toolUse": {"input": '{"a": 1, "b": "x'}}),
    "openai-responses": _responses("output_item.added", item={"type": "function_call", "id": "i", "call_id": "c", "name": "get"})
    + _responses("function_call_arguments.delta", item_id="i", delta='{"a": 1, "b": "x'),
    "chat": _chat({"id": "c", "function": {"name": "get", "arguments": '{"a": 1, "b": "x'}}),
}  # fmt: skip
CALL_ENDED = {
    "anthropic": _anthropic("content_block_delta", delta={"type": "input_json_delta", "partial_json": 'y"}'})
    + _anthropic("content_block_stop"),
    "bedrock": _bedrock("contentBlockDelta", delta={"toolUse": {"input": 'y"}'}}) + _bedrock("contentBlockStop"),
    "openai-responses": _responses("function_call_arguments.delta", item_id="i", delta='y"}')
    + _responses("output_item.done", item={"type": "function_call", "id": "i", "call_id": "c", "name": "get"}),
    "chat": _chat({"function": {"arguments": 'y"}'}}) + b"data: [DONE]\n\n",
}
CALLS_COME_WHOLE = ("google", "vertex", "ollama")
"""What Vertex streams when asked to is not shown."""


@pytest.mark.parametrize("name", [name for name in registry.NAMES if name not in CALLS_COME_WHOLE])
def test_a_call_can_be_seen_while_it_arrives_and_not_afterwards(name: str) -> None:
    protocol = name if name in CALL_BEGUN else "chat"
    decoder = opened(name)
    assert not decoder.live_calls()
    assert not decoder.feed(CALL_BEGUN[protocol])
    assert decoder.live_calls() == [LiveCall("get", {"a": 1}, GrowingField("b", "x", 1))]
    (chunk, *_) = decoder.feed(CALL_ENDED[protocol])
    assert isinstance(chunk, FunctionCallChunk)
    assert isinstance(chunk.call, FunctionCall)
    assert chunk.call.args == {"a": 1, "b": "xy"}
    assert not decoder.live_calls()


PAGES = (
    b"<!DOCTYPE html><html><head><title>Sign in</title></head><body>no API here</body></html>",
    b"\n<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body></body></html>",
    b"\xef\xbb\xbf<!doctype html><title>x</title>",
)
ERRORS = (
    (b'{"error": {"message": "slow down", "type": "rate_limit_error", "code": 429}}', ErrorReason.RATE_LIMIT),
    (b'{"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}\n', ErrorReason.AUTH),
    (b'{\n  "error": {\n    "message": "Overloaded",\n    "type": "overloaded_error"\n  }\n}', ErrorReason.OVERLOADED),
)  # fmt: skip
NOTHING = (b"", b"\n\n", b"\xef\xbb\xbf")
"""What is not even the beginning of an answer, where the wire is text."""


def only_error(name: str, pieces: list[bytes]) -> ErrorChunk:
    (chunk,) = run(opened(name), pieces)
    assert isinstance(chunk, ErrorChunk)
    return chunk


@every_provider
@pytest.mark.parametrize("size", [1, 7, 10**6])
def test_a_body_that_is_no_stream(name: str, size: int) -> None:
    """A web page is a mistake of the set-up, an error object is that error, nothing at all is a stream that broke off."""
    for body in PAGES:
        error = only_error(name, in_steps(body, size)).error
        assert (error.reason, error.retryable) == (ErrorReason.MALFORMED_RESPONSE, False), body
    for body, reason in ERRORS:
        assert only_error(name, in_steps(body, size)).error.reason is reason, body
    for body in NOTHING if name != "bedrock" else (b"",):
        error = only_error(name, in_steps(body, size)).error
        assert (error.reason, error.retryable) == (ErrorReason.TRUNCATED_STREAM, True), body

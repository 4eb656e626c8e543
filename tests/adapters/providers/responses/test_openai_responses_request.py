"""What is sent to servers of the Responses API, and what of an answer goes back with the next question."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters.contract import (
    Effort,
    Endpoint,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
    ModelInfo,
    NamedTool,
    Origin,
    Part,
    PromptMessage,
    Reasoning,
    ResponseSchema,
    Role,
    TextPart,
    ThoughtPart,
    ToolChoice,
    ToolResult,
    ToolSpec,
    text_message,
)
from adapters.providers.responses.adapter import OPENAI_RESPONSES
from adapters.record import TurnRecord
from adapters.well_formed import BEGINNING
from tests.adapters.cuts import run
from tests.adapters.providers.responses.responses_bodies import (
    END,
    PNG,
    added,
    arguments,
    call,
    completed,
    done,
    message,
    reasoning,
    summary,
    text,
)

HI = text_message(Role.USER, "hi")
ENDPOINT = Endpoint(api_key="sk-key")
ORIGIN = ENDPOINT.origin("openai-responses", "m")
HI_ITEM = {"role": "user", "content": [{"type": "input_text", "text": "hi"}]}
SCHEMA = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"], "additionalProperties": False}
TOOL = ToolSpec("get", "Gets it.", SCHEMA)


def body(*messages: PromptMessage, **fields: Any) -> dict[str, Any]:
    request = GenerationRequest(**{"model": "m", "messages": messages or (HI,), **fields})
    decoded: dict[str, Any] = msgspec.json.decode(OPENAI_RESPONSES.build(request, ENDPOINT).body)
    return decoded


def items(*messages: PromptMessage) -> list[dict[str, Any]]:
    """Without the word for a beginning that is left out."""
    sent: list[dict[str, Any]] = body(*messages)["input"]
    return [item for item in sent if item.get("content") != [{"type": "input_text", "text": BEGINNING}]]


def assistant(*parts: Part, origin: Origin | None = None) -> PromptMessage:
    return PromptMessage(Role.ASSISTANT, parts, origin)


def results(*given: tuple[str, str]) -> PromptMessage:
    return PromptMessage(Role.USER, tuple(ToolResult(call_id, "get", (TextPart(words),)) for call_id, words in given))


# ------------------------------------------------------------------------------------------------------- the envelope


def test_a_request_holds_the_conversation_and_keeps_nothing_at_the_providers() -> None:
    """The whole body; the key stands in a header alone."""
    request = GenerationRequest(
        "m",
        (HI, text_message(Role.ASSISTANT, "yes?"), text_message(Role.USER, "🐟")),
        system="Be kind.",
        max_output_tokens=100,
        temperature=0.5,
        top_p=0.9,
        cache_key="channel-7",
        seed=1,
        stop=("x",),
        top_k=4,
        frequency_penalty=1.0,
    )
    http = OPENAI_RESPONSES.build(request, ENDPOINT)
    assert (http.method, http.url) == ("POST", "https://api.openai.com/v1/responses")
    assert http.headers["authorization"] == "Bearer sk-key"
    assert http.secrets == ("sk-key",)
    assert msgspec.json.decode(http.body) == {
        "model": "m",
        "input": [
            HI_ITEM,
            {"role": "assistant", "content": "yes?"},
            {"role": "user", "content": [{"type": "input_text", "text": "🐟"}]},
        ],
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "instructions": "Be kind.",
        "max_output_tokens": 100,
        "temperature": 0.5,
        "top_p": 0.9,
        "prompt_cache_key": "channel-7",
    }


def test_what_nobody_asked_for_is_not_sent() -> None:
    """Models differ in what they take."""
    assert sorted(body()) == ["include", "input", "model", "store", "stream"]
    assert "authorization" not in OPENAI_RESPONSES.build(GenerationRequest("m", (HI,)), Endpoint()).headers


@pytest.mark.parametrize(
    ("model", "expected"),
    [("gpt-5", True), ("o4-mini", True), ("grok-4", True), ("gpt-4.1-mini", False), ("openai/gpt-4o", False), ("gpt-5-chat-latest", False)],
)  # fmt: skip
def test_models_that_do_not_reason_are_not_asked_for_encrypted_reasoning(model: str, *, expected: bool) -> None:
    """They refuse it."""
    assert ("include" in body(model=model)) is expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"max_output_tokens": 5}, {"max_output_tokens": 16}),
        ({"reasoning": Reasoning(Effort.HIGH)}, {"reasoning": {"effort": "high", "summary": "auto"}}),
        ({"reasoning": Reasoning(Effort.NONE)}, {"reasoning": {"effort": "none"}}),
        ({"reasoning": Reasoning(budget_tokens=0)}, {"reasoning": {"effort": "none"}}),
        ({"reasoning": Reasoning(budget_tokens=8000)}, {"reasoning": {"effort": "medium", "summary": "auto"}}),
        ({"reasoning": Reasoning()}, {"reasoning": {"summary": "auto"}}),
        ({"reasoning": Reasoning(Effort.LOW), "dropped": frozenset({"reasoning.summary"})}, {"reasoning": {"effort": "low"}}),
        ({"temperature": 1.0, "dropped": frozenset({"temperature"})}, {}),
        ({"response_schema": ResponseSchema()}, {"text": {"format": {"type": "json_object"}}}),
        (
            {"response_schema": ResponseSchema("an answer", SCHEMA)},
            {"text": {"format": {"type": "json_schema", "name": "an_answer", "schema": SCHEMA, "strict": True}}},
        ),
        ({"parallel_tool_calls": False, "tool_choice": ToolChoice.REQUIRED}, {}),
        ({"tools": (TOOL,), "dropped": frozenset({"tools"}), "tool_choice": ToolChoice.REQUIRED}, {}),
    ],
)  # fmt: skip
def test_options_are_said_as_the_api_says_them(fields: dict[str, Any], expected: dict[str, Any]) -> None:
    """A budget of thinking becomes an effort, a limit that is too small the smallest."""
    bare = body()
    assert {name: value for name, value in body(**fields).items() if name not in bare} == expected


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (ToolChoice.AUTO, None),
        (ToolChoice.NONE, "none"),
        (ToolChoice.REQUIRED, "required"),
        (NamedTool("get"), {"type": "function", "name": "get"}),
    ],
)
def test_tools_are_offered_flat_and_strictly_where_their_schema_allows_it(choice: Any, expected: Any) -> None:
    """Without `strict: false` the API would make optional arguments required."""
    loose = ToolSpec("put", "", {"type": "object", "properties": {"x": {"type": "integer"}}})
    sent = body(tools=(TOOL, loose), tool_choice=choice, parallel_tool_calls=False)
    assert sent["tools"] == [
        {"type": "function", "name": "get", "description": "Gets it.", "parameters": SCHEMA, "strict": True},
        {"type": "function", "name": "put", "description": "", "parameters": loose.parameters, "strict": False},
    ]
    assert sent.get("tool_choice") == expected
    assert sent["parallel_tool_calls"] is False


@pytest.mark.parametrize("base", ["http://host/v1", "http://host/v1/", "http://host/v1/responses"])
def test_a_base_url_may_be_written_in_several_ways(base: str) -> None:
    """People paste what they find."""
    assert OPENAI_RESPONSES.build(GenerationRequest("m", (HI,)), Endpoint(base)).url == "http://host/v1/responses"


def test_models_are_listed() -> None:
    """By the API's own listing; anything else is none."""
    http = OPENAI_RESPONSES.list_models(ENDPOINT)
    assert http is not None
    assert (http.method, http.url, http.secrets) == ("GET", "https://api.openai.com/v1/models", ("sk-key",))
    assert list(OPENAI_RESPONSES.read_models(b'{"data":[{"id":"gpt-5","object":"model"},7]}')) == [ModelInfo("gpt-5")]
    assert not OPENAI_RESPONSES.read_models(b"<html>")


# ---------------------------------------------------------------------------------------------------- the conversation


def test_pictures_and_files_are_sent_as_such_and_the_rest_in_words() -> None:
    """Sound is not taken by this API."""
    parts = (
        TextPart("look"),
        ImagePart("image/png", b"png"),
        ImagePart("image/png", url="https://host/a.png"),
        FilePart("a.pdf", "application/pdf", b"pdf"),
        FilePart("a.ogg", "audio/ogg", b"ogg"),
        TextPart(""),
    )
    assert items(PromptMessage(Role.USER, parts))[0]["content"] == [
        {"type": "input_text", "text": "look"},
        {"type": "input_image", "image_url": "data:image/png;base64,cG5n", "detail": "auto"},
        {"type": "input_image", "image_url": "https://host/a.png", "detail": "auto"},
        {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,cGRm"},
        {"type": "input_text", "text": "[file: a.ogg, audio/ogg, 3 bytes]"},
    ]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        (ImagePart("image/jpg", b"abc"), {"type": "input_image", "image_url": "data:image/jpeg;base64,YWJj", "detail": "auto"}),
        (ImagePart("image/heic", b"abc"), {"type": "input_text", "text": "[picture: image/heic]"}),
        (FilePart("a.py", "text/x-python", b"abc"), {"type": "input_file", "filename": "a.py", "file_data": "data:text/x-python;base64,YWJj"}),
        (FilePart("a.xls", "application/vnd.ms-excel", b"abc"), {"type": "input_file", "filename": "a.xls", "file_data": "data:application/vnd.ms-excel;base64,YWJj"}),
        (FilePart("a.zip", "application/zip", b"abc"), {"type": "input_text", "text": "[file: a.zip, application/zip, 3 bytes]"}),
        (FilePart("a", "application/octet-stream", b"abc"), {"type": "input_text", "text": "[file: a, application/octet-stream, 3 bytes]"}),
        (FilePart("a.txt", "text/plain", b""), {"type": "input_text", "text": "[file: a.txt, text/plain, 0 bytes]"}),
    ],
)  # fmt: skip
def test_what_the_api_would_refuse_is_sent_in_words(part: Part, expected: dict[str, Any]) -> None:
    """One attachment of a kind that it does not take makes the whole request fail."""
    assert items(PromptMessage(Role.USER, (part,))) == [{"role": "user", "content": [expected]}]


def test_half_an_emoji_can_be_sent() -> None:
    """A client cut a message between UTF-16 units; JSON cannot hold that."""
    half = "\ud83d"
    answer = assistant(FunctionCall(half * 65, "get", {"x": half}), MalformedCall("b", half, half, half))
    sent = body(text_message(Role.USER, half), answer, results((half * 65, half)), system=half, cache_key=half * 65)
    assert sent["instructions"] == "\ufffd"
    assert sent["input"][0]["content"][0]["text"] == "\ufffd"
    assert msgspec.json.decode(sent["input"][1]["arguments"]) == {"x": "\ufffd"}


def test_results_stand_before_what_the_user_says_and_may_hold_pictures() -> None:
    """Text alone is a string, everything else a list of parts."""
    answer = assistant(FunctionCall("a", "get", {"x": 1}), FunctionCall("b", "get", {}))
    shown = ToolResult("b", "get", (TextPart("here"), ImagePart("image/png", b"png")))
    sent = items(HI, answer, PromptMessage(Role.USER, (TextPart("hi"), *results(("a", "1")).parts, shown)))
    assert sent[1:] == [
        {"type": "function_call", "call_id": "a", "name": "get", "arguments": '{"x":1}'},
        {"type": "function_call", "call_id": "b", "name": "get", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "1"},
        {
            "type": "function_call_output",
            "call_id": "b",
            "output": [
                {"type": "input_text", "text": "here"},
                {"type": "input_image", "image_url": "data:image/png;base64,cG5n", "detail": "auto"},
            ],
        },
        HI_ITEM,
    ]


@pytest.mark.parametrize("after", [(), (HI,), (text_message(Role.ASSISTANT, "so"), HI)])
def test_a_call_without_a_result_gets_one_that_says_so(after: tuple[PromptMessage, ...]) -> None:
    """The API refuses a conversation with an open call."""
    sent = items(HI, assistant(FunctionCall("a", "get", {})), *after)
    outputs = [item for item in sent if item.get("type") == "function_call_output"]
    assert outputs == [{"type": "function_call_output", "call_id": "a", "output": "no result"}]


def test_a_result_that_comes_with_a_later_message_finds_its_call() -> None:
    """Somebody spoke meanwhile."""
    sent = items(assistant(FunctionCall("a", "get", {})), HI, results(("a", "1")))
    assert sent[1:] == [{"type": "function_call_output", "call_id": "a", "output": "1"}, HI_ITEM]


def test_a_result_without_a_call_is_told_in_words() -> None:
    """An output whose call is not there is refused too."""
    assert items(results(("gone", "1")))[0]["content"] == [{"type": "input_text", "text": "[result of get: 1]"}]


@pytest.mark.parametrize(("raw", "sent"), [('{"x":', "{}"), ('{"x":"1"}', '{"x":"1"}'), ("[1]", "{}"), ("", "{}")])
def test_a_malformed_call_is_sent_with_arguments_that_can_be_sent(raw: str, sent: str) -> None:
    """Servers parse them again; its result tells the model what was wrong."""
    broken = MalformedCall("a", "no such/tool", raw, "bad")
    call_item, output = items(assistant(broken), results(("a", "bad")))
    assert call_item == {"type": "function_call", "call_id": "a", "name": "no_such_tool", "arguments": sent}
    assert output["output"] == "bad"


def test_ids_that_are_too_long_are_shortened_the_same_way_everywhere() -> None:
    """Routers make ids of hundreds of characters; the API takes 64."""
    call_item, output = items(assistant(FunctionCall("x" * 300, "get", {})), results(("x" * 300, "1")))
    assert call_item["call_id"] == output["call_id"]
    assert len(call_item["call_id"]) <= 64
    assert len(body(cache_key="k" * 100)["prompt_cache_key"]) == 64


# ------------------------------------------------------------------------------------------ what an answer brought back

LOCKED = {"encrypted_content": "gAAA"}
SUMMARY = [{"type": "summary_text", "text": "hm"}]
SEARCH = {"type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}}


def recorded(*parts: bytes, origin: Origin = ORIGIN) -> PromptMessage:
    record = TurnRecord()
    record.add(run(OPENAI_RESPONSES.open(GenerationRequest("m", ())), parts))
    return record.message(origin)


THINKING_TURN = (
    added(reasoning()),
    summary("hm"),
    done(reasoning("hm", status="completed", content=[], **LOCKED)),
    added(message("", phase="commentary"), 1),
    text("Let me see.", 1),
    done(message("Let me see.", phase="commentary"), 1),
    done(SEARCH, 2),
    added(call(), 3),
    arguments('{"x":1}', 3),
    done(call('{"x":1}', status="completed", namespace="n"), 3),
    END,
)


def test_everything_goes_back_to_where_it_came_from_in_its_order() -> None:
    """Reasoning in front of what it led to, ids, phases, tools that ran there; then the result."""
    assert items(HI, recorded(*THINKING_TURN), results(("call_1", "1")))[1:] == [
        {"type": "reasoning", "id": "item_0", "summary": SUMMARY, "encrypted_content": "gAAA"},
        {
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "id": "item_1",
            "phase": "commentary",
            "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}],
        },
        {"id": "item_2", **SEARCH},
        {
            "type": "function_call",
            "id": "item_3",
            "namespace": "n",
            "call_id": "call_1",
            "name": "get",
            "arguments": '{"x":1}',
        },
        {"type": "function_call_output", "call_id": "call_1", "output": "1"},
    ]


def test_another_origin_gets_text_and_calls_only() -> None:
    """Another model, address or provider: none of it means anything there."""
    for origin in (
        None,
        ENDPOINT.origin("openai-responses", "m2"),
        Endpoint("http://h").origin("openai-responses", "m"),
    ):
        message_there = msgspec.structs.replace(recorded(*THINKING_TURN), origin=origin)
        assert items(message_there, results(("call_1", "1")))[:-1] == [
            {"role": "assistant", "content": "Let me see."},
            {"type": "function_call", "call_id": "call_1", "name": "get", "arguments": '{"x":1}'},
        ]


def test_without_encrypted_reasoning_the_items_go_back_without_ids() -> None:
    """The API would look for the reasoning that belongs to them, and nothing was stored."""
    turn = (
        summary("hm"),
        done(reasoning("hm")),
        done(message("a", phase="final_answer"), 1),
        done(SEARCH, 2),
        done(call(), 3),
        END,
    )
    assert items(recorded(*turn), results(("call_1", "1")))[:-1] == [
        {"role": "assistant", "content": "a", "phase": "final_answer"},
        {"type": "function_call", "call_id": "call_1", "name": "get", "arguments": "{}"},
    ]


def test_reasoning_in_plain_text_goes_back_to_servers_that_give_it() -> None:
    """DeepSeek and open models reason in the open; there is no store to look into."""
    content = [{"type": "reasoning_text", "text": "hm"}]
    sent = items(recorded(done({"type": "reasoning", "content": content}), done(message("a"), 1), END))
    assert sent[0] == {"type": "reasoning", "id": "item_0", "summary": [], "content": content}


def test_encrypted_content_that_only_the_final_response_brings_is_put_in_its_place() -> None:
    """Azure."""
    final = completed({"id": "item_0", **reasoning("hm", **LOCKED)}, {"id": "item_1", **call()})
    sent = items(recorded(summary("hm"), done(reasoning("hm")), done(call(), 1), final), results(("call_1", "1")))
    assert [item["type"] for item in sent] == ["reasoning", "function_call", "function_call_output"]
    assert sent[0]["encrypted_content"] == "gAAA"
    assert sent[1]["id"] == "item_1"


def test_reasoning_that_nothing_followed_is_left_out() -> None:
    """The API refuses it: cut answers, and hosts that close it last."""
    assert items(recorded(done(message("a")), done(reasoning("hm", **LOCKED), 1), END), HI)[1:] == [HI_ITEM]
    assert items(recorded(done(reasoning("hm", **LOCKED))), HI) == [HI_ITEM]


def test_an_item_that_cannot_go_back_takes_its_reasoning_with_it() -> None:
    """A whole picture is not sent again."""
    picture = {"type": "image_generation_call", "result": PNG}
    turn = (done(reasoning("hm", **LOCKED)), done(picture, 1), done(message("There."), 2), END)
    assert items(recorded(*turn)) == [{"role": "assistant", "content": "There."}]


def test_several_messages_go_back_as_they_were_said() -> None:
    """What was put between them for reading is taken away."""
    sent = items(recorded(text("a"), done(message("a")), text("b", 1), done(message("b"), 1), END))
    assert [item["content"][0]["text"] for item in sent] == ["a", "b"]


def test_a_call_of_a_custom_tool_and_its_result_keep_their_kind() -> None:
    """Free text both ways."""
    custom = {"type": "custom_tool_call", "call_id": "call_1", "name": "sh", "input": "ls -l"}
    sent = items(recorded(done(custom), END), results(("call_1", "a b")))
    assert sent == [
        {"id": "item_0", **custom},
        {"type": "custom_tool_call_output", "call_id": "call_1", "output": "a b"},
    ]


def test_thoughts_of_others_are_not_sent() -> None:
    """Nor a thought without anything to give back."""
    assert items(assistant(ThoughtPart("hm"), TextPart("a"), origin=ORIGIN)) == [{"role": "assistant", "content": "a"}]


def test_words_that_were_cut_off_before_their_item_ended_go_back_all_the_same() -> None:
    """Beside reasoning that cannot go back, and before an item that does not or does."""
    bare = ThoughtPart("hm", {"nr": 0, "item": {"type": "reasoning", "id": "rs", "summary": []}})
    said = {"role": "assistant", "content": "a"}
    search = {"id": "ws", **SEARCH}
    assert items(assistant(bare, TextPart("a"), origin=ORIGIN)) == [said]
    assert items(assistant(TextPart("a", {"left_out": "image_generation_call"}), origin=ORIGIN)) == [said]
    assert items(assistant(TextPart("a", {"item": search}), origin=ORIGIN)) == [said, search]


def test_reasoning_of_two_answers_in_a_row_is_told_apart() -> None:
    """Both count their items from 0, and of both the encrypted content comes late."""
    final = completed({"id": "item_0", **reasoning("hm", **LOCKED)}, {"id": "item_1", **message("a")})
    other = completed({"id": "item_0", **reasoning("hm", encrypted_content="gBBB")}, {"id": "item_1", **message("b")})
    answers = [
        recorded(done(reasoning("hm")), done(message(text), 1), end) for text, end in (("a", final), ("b", other))
    ]
    assert [item["encrypted_content"] for item in items(HI, *answers) if item.get("type") == "reasoning"] == [
        "gAAA",
        "gBBB",
    ]

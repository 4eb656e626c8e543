"""What is sent to Bedrock's ConverseStream."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from botocore.session import Session
from botocore.validate import ParamValidator
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    Effort,
    Endpoint,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
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
from adapters.providers.bedrock.adapter import BEDROCK
from adapters.providers.bedrock.decoder import BedrockDecoder
from adapters.record import TurnRecord
from adapters.well_formed import BEGINNING
from tests.adapters.wire.frame_bodies import event

BASE = "https://bedrock-runtime.us-east-1.amazonaws.com"
HERE = Endpoint(BASE, "ABSKkey")
CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
NEWER = "anthropic.claude-opus-4-6-v1"
LLAMA = "meta.llama3-2-1b-instruct-v1:0"
NOVA = "us.amazon.nova-2-lite-v1:0"
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
TOOL = ToolSpec("f", "Does f.", SCHEMA)
HI = text_message(Role.USER, "hi")


def body_of(*messages: PromptMessage, model: str = CLAUDE, endpoint: Endpoint = HERE, **options: Any) -> Any:
    http = BEDROCK.build(GenerationRequest(model, messages or (HI,), **options), endpoint)
    return msgspec.json.decode(http.body)


def sent(*messages: PromptMessage, model: str = CLAUDE) -> list[tuple[str, list[Any]]]:
    return [(each["role"], each["content"]) for each in body_of(*messages, model=model)["messages"]]


def user(*parts: Part, **more: Any) -> PromptMessage:
    return PromptMessage(Role.USER, parts, **more)


def model(*parts: Part, origin: Origin | None = None) -> PromptMessage:
    return PromptMessage(Role.ASSISTANT, parts, origin)


def result(call_id: str, *parts: TextPart | ImagePart | FilePart, is_error: bool = False) -> ToolResult:
    return ToolResult(call_id, "f", parts or (TextPart("ok"),), is_error)


def test_a_request_holds_the_conversation_and_its_limits() -> None:
    """The whole body, as the API reference has it."""
    http = BEDROCK.build(
        GenerationRequest(
            CLAUDE,
            (HI, text_message(Role.ASSISTANT, "yes?"), text_message(Role.USER, "🐟")),
            system="Be kind.",
            tools=(TOOL,),
            tool_choice=ToolChoice.REQUIRED,
            max_output_tokens=100,
            temperature=1.5,
            top_p=0.9,
            top_k=5,
            stop=("END", " "),
            seed=1,
            frequency_penalty=1.0,
        ),
        HERE,
    )
    assert (http.method, http.url) == (
        "POST",
        f"{BASE}/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream",
    )
    assert http.headers["authorization"] == "Bearer ABSKkey"
    assert msgspec.json.decode(http.body) == {
        "messages": [
            {"role": "user", "content": [{"text": "hi"}]},
            {"role": "assistant", "content": [{"text": "yes?"}]},
            {"role": "user", "content": [{"text": "🐟"}]},
        ],
        "system": [{"text": "Be kind."}],
        "inferenceConfig": {"maxTokens": 100, "temperature": 1.0, "stopSequences": ["END"]},
        "additionalModelRequestFields": {"top_k": 5},
        "toolConfig": {
            "tools": [{"toolSpec": {"name": "f", "description": "Does f.", "inputSchema": {"json": SCHEMA}}}],
            "toolChoice": {"any": {}},
        },
    }


def test_what_nobody_asked_for_is_not_sent() -> None:
    """Models differ in what they take."""
    assert body_of() == {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}


# --------------------------------------------------------------------------------------------------------- the messages


def test_roles_alternate_and_a_user_begins() -> None:
    """Messages of one role in a row become one; nothing that is blank is sent."""
    assert sent(
        text_message(Role.ASSISTANT, "hello"), HI, text_message(Role.USER, " \n"), text_message(Role.USER, "all"), model(TextPart("")), user(TextPart("you"))
    ) == [
        ("user", [{"text": BEGINNING}]),
        ("assistant", [{"text": "hello"}]),
        ("user", [{"text": "hi"}, {"text": "\n\nall"}, {"text": "\n\nyou"}]),
    ]  # fmt: skip


def test_pictures_and_documents_go_as_such_where_the_api_takes_them() -> None:
    """Everything else is named in a line of text."""
    assert sent(
        user(
            ImagePart("image/png", b"x"),
            ImagePart("image/tiff", b"x"),
            ImagePart("image/png", url="https://x/y.png"),
            FilePart("My: report (v2).pdf", "application/pdf", b"x"),
            FilePart("my_report.pdf", "application/pdf", b"x"),
            FilePart("my report.txt", "text/plain; charset=utf-8", b"x"),
            FilePart("a.zip", "application/zip", b"xy"),
            FilePart("", "text/csv", b""),
        )
    ) == [
        (
            "user",
            [
                {"image": {"format": "png", "source": {"bytes": "eA=="}}},
                {"text": "[picture: image/tiff]"},
                {"text": "[picture: https://x/y.png]"},
                {"document": {"format": "pdf", "name": "My report (v2)", "source": {"bytes": "eA=="}}},
                {"document": {"format": "pdf", "name": "my report", "source": {"bytes": "eA=="}}},
                {"document": {"format": "txt", "name": "my report (2)", "source": {"bytes": "eA=="}}},
                {"text": "[file: a.zip, application/zip, 2 bytes]"},
                {"text": "[file: file, text/csv, 0 bytes]"},
            ],
        )
    ]
    assert sent(user(FilePart("a.md", "text/markdown", b"x")))[0][1][1] == {"text": "(see the file)"}
    assert sum("document" in block for block in sent(user(*[FilePart("a", "text/plain", b"x")] * 7))[0][1]) == 5


def test_every_call_gets_its_result_at_the_beginning_of_the_next_message() -> None:
    """In the order of the calls; one that never came is an error."""
    calls = (FunctionCall("c1", "f", {"a": 1}), MalformedCall("c2", "f", '{"a', "cut"), FunctionCall("c3", "f", {}))
    history = (
        HI,
        model(TextPart("let me see"), *calls),
        user(TextPart("well?")),
        user(result("c3"), result("c1", is_error=True)),
    )
    assert sent(*history)[1:] == [
        (
            "assistant",
            [
                {"text": "let me see"},
                {"toolUse": {"toolUseId": "c1", "name": "f", "input": {"a": 1}}},
                {"toolUse": {"toolUseId": "c2", "name": "f", "input": {}}},
                {"toolUse": {"toolUseId": "c3", "name": "f", "input": {}}},
            ],
        ),
        (
            "user",
            [
                {"toolResult": {"toolUseId": "c1", "content": [{"text": "ok"}], "status": "error"}},
                {"toolResult": {"toolUseId": "c2", "content": [{"text": "cut"}], "status": "error"}},
                {"toolResult": {"toolUseId": "c3", "content": [{"text": "ok"}]}},
                {"text": "well?"},
            ],
        ),
    ]
    assert sent(HI, model(*calls[:1]))[2] == (
        "user",
        [{"toolResult": {"toolUseId": "c1", "content": [{"text": "no result"}], "status": "error"}}],
    )


def test_a_result_without_its_call_is_told_in_words() -> None:
    """The call may have been left behind with older messages."""
    assert sent(user(result("gone"), TextPart("so?"))) == [("user", [{"text": "[result of f: ok]"}, {"text": "\nso?"}])]


def test_results_hold_pictures_and_are_never_empty() -> None:
    """Only Claude and Nova know the status."""
    history = (HI, model(FunctionCall("c1", "f", {}), FunctionCall("c2", "f", {})), user(result("c1", ImagePart("image/png", b"x"), is_error=True), result("c2", TextPart(""))))  # fmt: skip
    picture = {"image": {"format": "png", "source": {"bytes": "eA=="}}}
    for name, status in ((CLAUDE, {"status": "error"}), (LLAMA, {})):
        assert sent(*history, model=name)[2][1] == [
            {"toolResult": {"toolUseId": "c1", "content": [picture], **status}},
            {"toolResult": {"toolUseId": "c2", "content": [{"text": "(empty)"}]}},
        ]


def test_ids_and_names_are_written_as_the_api_takes_them() -> None:
    """Those of other providers may be longer; call and result keep one id."""
    long = "call_abc|fc_" + "0" * 80
    _, (_, (call,)), (_, (answer,)) = sent(HI, model(FunctionCall(long, "my.tool", {})), user(result(long)))
    assert re.fullmatch(r"[a-zA-Z0-9_.:-]{1,64}", call["toolUse"]["toolUseId"])
    assert call["toolUse"]["toolUseId"] == answer["toolResult"]["toolUseId"]
    assert call["toolUse"]["name"] == "my_tool"


@pytest.mark.parametrize("call_id", ["call_0", "c" * 64, "", "functions.f:0"])
def test_no_two_calls_have_one_id(call_id: str) -> None:
    """The API refuses that, and some servers count their calls anew in every answer."""
    turn = (model(FunctionCall(call_id, "f", {})), user(result(call_id)))
    content = [block for _, blocks in sent(HI, *turn * 12) for block in blocks[:1]]
    calls = [block["toolUse"]["toolUseId"] for block in content if "toolUse" in block]
    assert calls == [block["toolResult"]["toolUseId"] for block in content if "toolResult" in block]
    assert len(set(calls)) == 12
    assert all(re.fullmatch(r"[a-zA-Z0-9_.:-]{1,64}", each) for each in calls)
    shorter = [block for _, blocks in sent(HI, *turn * 3) for block in blocks[:1]]
    assert shorter == content[: len(shorter)]


@pytest.mark.parametrize("name", [CLAUDE, NEWER, NOVA, LLAMA])
def test_the_user_has_the_last_word(name: str) -> None:
    """Newer Claude models and those of other makers refuse to go on in the assistant's message."""
    assert sent(HI, model(TextPart("a")), model=name)[1:] == [
        ("assistant", [{"text": "a"}]),
        ("user", [{"text": "Go on."}]),
    ]
    assert [role for role, _ in sent(user(TextPart(" ")), model=name)] == ["user"]


def test_files_that_are_text_go_as_text() -> None:
    """Whatever their type is called."""
    for media_type in ("application/json", "text/x-python; charset=utf-8", "image/svg+xml"):
        (document, _) = sent(user(FilePart("a.b", media_type, b"x")))[0][1]
        assert document == {"document": {"format": "txt", "name": "a", "source": {"bytes": "eA=="}}}
    assert sent(user(FilePart("a.b", "application/json", b"\xff")))[0][1] == [
        {"text": "[file: a.b, application/json, 1 bytes]"}
    ]


def test_places_for_the_cache_are_marked_where_the_model_has_one() -> None:
    """At most four, the last ones."""
    marked = [user(TextPart("a"), cache_mark=True), model(TextPart("b"))] * 5
    for name, expected in ((CLAUDE, 4), (NOVA, 4), (LLAMA, 0), ("anthropic.claude-3-haiku-20240307-v1:0", 0), ("arn:aws:bedrock:us-east-1:1:application-inference-profile/x", 0)):  # fmt: skip
        contents = [content for _, content in sent(*marked, model=name)]
        points = [content[-1] == {"cachePoint": {"type": "default"}} for content in contents]
        assert sum(points) == expected
        assert not points[0]
    assert not any("cachePoint" in block for each in body_of(*marked, dropped=frozenset({"cachePoint"}))["messages"] for block in each["content"])  # fmt: skip


# ---------------------------------------------------------------------------------------------- what goes back to whom


def recorded(endpoint: Endpoint = HERE, name: str = CLAUDE) -> PromptMessage:
    """A turn with a signed thought, an encrypted one, a tool of Bedrock's and a call of ours."""

    def delta(index: int, **fields: Any) -> bytes:
        return event("contentBlockDelta", {"contentBlockIndex": index, "delta": fields})

    def start(index: int, **fields: Any) -> bytes:
        return event("contentBlockStart", {"contentBlockIndex": index, "start": fields})

    def stop(index: int) -> bytes:
        return event("contentBlockStop", {"contentBlockIndex": index})

    record = TurnRecord()
    record.add(
        BedrockDecoder().feed(
            b"".join(
                (
                    *(delta(0, reasoningContent={"text": "hm"}), delta(0, reasoningContent={"signature": "SIG"}), stop(0)),
                    *(delta(1, reasoningContent={"redactedContent": "QUJD"}), stop(1)),
                    *(start(2, toolUse={"toolUseId": "s", "name": "nova_grounding", "type": "server_tool_use"}), delta(2, toolUse={"input": '{"q":1}'}), stop(2)),
                    *(start(3, toolResult={"toolUseId": "s", "type": "nova_grounding_result"}), delta(3, toolResult=[{"text": "[HIDDEN]"}]), stop(3)),
                    *(delta(4, text="let "), delta(4, text="me see"), stop(4)),
                    *(start(5, toolUse={"toolUseId": "t", "name": "f"}), delta(5, toolUse={"input": '{"a":1}'}), stop(5)),
                    event("messageStop", {"stopReason": "tool_use"}),
                    event("metadata", {}),
                )
            )
        )
    )  # fmt: skip
    return record.message(endpoint.origin(BEDROCK.name, name))


OWN = [
    {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "SIG"}}},
    {"reasoningContent": {"redactedContent": "QUJD"}},
    {"toolUse": {"toolUseId": "s", "name": "nova_grounding", "input": {"q": 1}, "type": "server_tool_use"}},
    {"toolResult": {"toolUseId": "s", "type": "nova_grounding_result", "content": [{"text": "[HIDDEN]"}]}},
]
FOR_ALL = [{"text": "let me see"}, {"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": 1}}}]


def test_the_model_gets_its_thoughts_and_its_own_tools_back() -> None:
    """In the order of the answer, unchanged, before the result of the call."""
    assert sent(HI, recorded(), user(result("t"))) == [
        ("user", [{"text": "hi"}]),
        ("assistant", [*OWN, *FOR_ALL]),
        ("user", [{"toolResult": {"toolUseId": "t", "content": [{"text": "ok"}]}}]),
    ]


@pytest.mark.parametrize(
    ("endpoint", "name"), [(Endpoint("https://bedrock-runtime.eu-west-1.amazonaws.com", "k"), CLAUDE), (HERE, NOVA)]
)
def test_nobody_else_gets_them(endpoint: Endpoint, name: str) -> None:
    """Another region or another model: only what was said and called."""
    assert sent(HI, recorded(endpoint, name), user(result("t")))[1] == ("assistant", FOR_ALL)


def test_thoughts_that_nobody_signed_are_not_sent() -> None:
    """Nor signed ones that nothing follows; a message of those alone is none."""
    here = HERE.origin(BEDROCK.name, CLAUDE)
    signed = ThoughtPart("b", {"signature": "S"})
    assert sent(HI, model(ThoughtPart("a"), TextPart("x"), signed, origin=here), HI)[1] == (
        "assistant",
        [{"text": "x"}],
    )
    assert sent(HI, model(ThoughtPart("a"), signed, origin=here), HI) == [
        ("user", [{"text": "hi"}, {"text": "\n\nhi"}])
    ]


# --------------------------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("name", "reasoning", "limit", "expected"),
    [
        (CLAUDE, Reasoning(Effort.MEDIUM), None, {"thinking": {"type": "enabled", "budget_tokens": 8192}}),
        (CLAUDE, Reasoning(budget_tokens=100), None, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        (CLAUDE, Reasoning(Effort.HIGH), 5000, {"thinking": {"type": "enabled", "budget_tokens": 3976}}),
        (CLAUDE, Reasoning(Effort.HIGH), 500, None),
        (CLAUDE, Reasoning(Effort.NONE), None, None),
        ("anthropic.claude-3-haiku-20240307-v1:0", Reasoning(Effort.HIGH), None, None),
        (NEWER, Reasoning(Effort.HIGH), None, {"thinking": {"type": "adaptive"}}),
        (NOVA, Reasoning(Effort.LOW), None, {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}}),
        (NOVA, Reasoning(Effort.NONE), None, {"reasoningConfig": {"type": "disabled"}}),
        ("openai.gpt-oss-120b-1:0", Reasoning(Effort.XHIGH), None, {"reasoning_effort": "high"}),
        ("openai.gpt-oss-120b-1:0", Reasoning(budget_tokens=2000), None, {"reasoning_effort": "low"}),
        ("amazon.nova-lite-v1:0", Reasoning(Effort.HIGH), None, None),
        (LLAMA, Reasoning(Effort.HIGH), None, None),
    ],
)
def test_reasoning_is_asked_for_in_the_words_of_the_models_maker(
    name: str, reasoning: Reasoning, limit: int | None, expected: Any
) -> None:
    """The API has no words of its own for it."""
    body = body_of(model=name, reasoning=reasoning, max_output_tokens=limit)
    assert body.get("additionalModelRequestFields") == expected


def test_an_effort_of_newer_claude_models_has_its_own_field() -> None:
    """Beside the adaptive thinking."""
    assert body_of(model=NEWER, reasoning=Reasoning(Effort.LOW))["outputConfig"] == {"effort": "low"}


def test_thinking_goes_with_neither_sampling_nor_a_forced_tool() -> None:
    """Claude refuses the request otherwise."""
    body = body_of(reasoning=Reasoning(Effort.LOW), temperature=0.3, top_k=3, tools=(TOOL,), tool_choice=NamedTool("f"))
    assert body["inferenceConfig"] == {"maxTokens": 10_240}
    assert list(body["additionalModelRequestFields"]) == ["thinking"]
    assert "toolChoice" not in body["toolConfig"]
    assert "inferenceConfig" not in body_of(
        model=NOVA, reasoning=Reasoning(Effort.HIGH), temperature=0.3, max_output_tokens=9
    )


def test_an_answer_of_a_schema_is_asked_for_with_the_schema_as_text() -> None:
    """Closed, for the API refuses any other; in words where there is no schema, or the model does not take it."""
    wanted, closed = ResponseSchema("reply", SCHEMA), {**SCHEMA, "additionalProperties": False}
    assert body_of(response_schema=wanted)["outputConfig"] == {
        "textFormat": {
            "type": "json_schema",
            "structure": {"jsonSchema": {"name": "reply", "schema": msgspec.json.encode(closed).decode()}},
        }
    }
    assert "outputConfig" not in body_of(response_schema=ResponseSchema())
    assert body_of(response_schema=ResponseSchema())["system"] == [
        {"text": "Answer with one JSON value and nothing else."}
    ]
    for options in (
        {"model": "anthropic.claude-3-haiku-20240307-v1:0"},
        {"dropped": frozenset({"outputConfig.textFormat"})},
    ):
        body = body_of(response_schema=wanted, system="Be kind.", **options)
        assert "outputConfig" not in body
        assert body["system"][0]["text"].startswith("Be kind.\n\nAnswer with one JSON value of this JSON Schema")


@pytest.mark.parametrize(
    ("name", "expected"), [(CLAUDE, {"top_k": 3}), (NOVA, {"inferenceConfig": {"topK": 3}}), (LLAMA, None)]
)
def test_top_k_has_another_place_for_every_maker(name: str, expected: Any) -> None:
    """Who has none for it is not told."""
    assert body_of(model=name, top_k=3).get("additionalModelRequestFields") == expected


def test_the_limit_leaves_room_for_thoughts_and_answer() -> None:
    """Bedrock's own limit may be smaller than the budget, which is refused; more than the model's own is refused too."""
    assert body_of(reasoning=Reasoning(Effort.HIGH))["inferenceConfig"] == {"maxTokens": 24_576}
    assert body_of(model=NEWER, reasoning=Reasoning(Effort.LOW))["inferenceConfig"] == {"maxTokens": 32_768}
    assert body_of(max_output_tokens=100_000)["inferenceConfig"] == {"maxTokens": 64_000}
    assert body_of(model=LLAMA, max_output_tokens=100_000)["inferenceConfig"] == {"maxTokens": 100_000}


def test_thinking_does_not_begin_between_a_call_and_its_answer() -> None:
    """With a budget, the message with the call must start with a thought; one of another model has none to show."""
    asked = Reasoning(Effort.LOW)
    assert "additionalModelRequestFields" not in body_of(HI, recorded(name=NOVA), user(result("t")), reasoning=asked)
    assert "additionalModelRequestFields" in body_of(HI, recorded(), user(result("t")), reasoning=asked)
    assert "additionalModelRequestFields" in body_of(
        HI, recorded(name=NOVA), user(result("t")), reasoning=asked, model=NEWER
    )


def test_a_forced_tool_turns_unasked_thinking_off_where_it_can_be() -> None:
    """A model that always thinks cannot be forced."""
    options: dict[str, Any] = {"tools": (TOOL,), "tool_choice": ToolChoice.REQUIRED}
    body = body_of(model="anthropic.claude-opus-5", **options)
    assert body["additionalModelRequestFields"] == {"thinking": {"type": "disabled"}}
    assert body["toolConfig"]["toolChoice"] == {"any": {}}
    assert "toolChoice" not in body_of(model="anthropic.claude-opus-5-5", **options)["toolConfig"]


TALKED = (HI, model(FunctionCall("c", "g", {})), user(result("c")))


@pytest.mark.parametrize(
    ("messages", "tools", "choice", "names", "expected"),
    [
        ((HI,), (TOOL,), ToolChoice.AUTO, ["f"], None),
        ((HI,), (TOOL,), ToolChoice.REQUIRED, ["f"], {"any": {}}),
        ((HI,), (TOOL,), NamedTool("f"), ["f"], {"tool": {"name": "f"}}),
        ((HI,), (TOOL,), ToolChoice.NONE, None, None),
        ((HI,), (), ToolChoice.AUTO, None, None),
        (TALKED, (TOOL,), ToolChoice.AUTO, ["f"], None),
        (TALKED, (TOOL,), ToolChoice.NONE, ["f", "g"], None),
        (TALKED, (), ToolChoice.AUTO, ["g"], None),
    ],
)
def test_a_history_with_calls_needs_tools(
    messages: tuple[PromptMessage, ...],
    tools: tuple[ToolSpec, ...],
    choice: Any,
    names: list[str] | None,
    expected: Any,
) -> None:
    """The API refuses it without; and it has no word for "none"."""
    config = body_of(*messages, tools=tools, tool_choice=choice).get("toolConfig")
    assert (config and [tool["toolSpec"]["name"] for tool in config["tools"]]) == names
    assert (config or {}).get("toolChoice") == expected


@pytest.mark.parametrize(
    ("dropped", "gone"),
    [
        ("temperature", "inferenceConfig"),
        ("inferenceConfig", "inferenceConfig"),
        ("top_k", "additionalModelRequestFields"),
        ("outputConfig.textFormat", "outputConfig"),
        ("system", "system"),
        ("toolConfig", "toolConfig"),
    ],
)
def test_options_that_the_model_refused_are_left_out(dropped: str, gone: str) -> None:
    """By the API's name, the maker's name, or a path; an empty group is not sent."""
    options: dict[str, Any] = {"temperature": 0.3, "top_k": 3, "system": "x", "tools": (TOOL,), "response_schema": ResponseSchema("a", SCHEMA)}  # fmt: skip
    assert set(body_of(**options)) - set(body_of(**options, dropped=frozenset({dropped}))) == {gone}


@pytest.mark.parametrize("name", ["tools", "toolConfig"])
def test_a_model_without_tools_is_told_of_results_in_words(name: str) -> None:
    """A call in the history would need the toolConfig that the model refused."""
    body = body_of(*TALKED, tools=(TOOL,), dropped=frozenset({name}))
    assert body == {"messages": [{"role": "user", "content": [{"text": "hi"}, {"text": "\n[result of f: ok]"}]}]}


def test_where_the_model_takes_no_system_prompt_it_stands_before_the_first_question() -> None:
    """Titan and the first models of Mistral refuse it."""
    assert body_of(model="amazon.titan-text-express-v1", system="Be kind.") == {
        "messages": [{"role": "user", "content": [{"text": "Be kind."}, {"text": "\n\nhi"}]}]
    }


# ------------------------------------------------------------------------------------------------------------------ laws

ANY_PART = st.sampled_from(
    [
        TextPart(""),
        TextPart("a"),
        ThoughtPart("t", {"signature": "S"}),
        ThoughtPart("t"),
        FunctionCall("c1", "f", {}),
        MalformedCall("c2", "", "x", "y"),
        result("c1"),
        result("c2", TextPart("")),
        ImagePart("image/png", b"x"),
        FilePart("a", "text/plain", b"x"),
    ]
)
MESSAGES = st.lists(
    st.builds(
        lambda role, parts, mark: PromptMessage(role, tuple(parts), HERE.origin(BEDROCK.name, CLAUDE), mark),
        st.sampled_from(Role),
        st.lists(ANY_PART, max_size=4),
        st.booleans(),
    ),
    max_size=6,
)


@given(MESSAGES)
def test_whatever_the_history_the_api_takes_it(messages: Sequence[PromptMessage]) -> None:
    """Roles alternate from a user's on, no block is empty, and results answer exactly the calls before them."""
    out = sent(*messages)
    assert [role for role, _ in out] == [("user", "assistant")[position % 2] for position in range(len(out))]
    calls: list[str] = []
    for _, content in out:
        assert [block for block in content if "cachePoint" not in block]
        assert all(block["text"].strip() for block in content if "text" in block)
        assert "reasoningContent" not in [*content, {}][-2 if len(content) > 1 and "cachePoint" in content[-1] else -1]
        answered = [block["toolResult"]["toolUseId"] for block in content if "toolResult" in block]
        assert answered == calls
        assert all("toolResult" in block for block in content[: len(answered)])
        calls = [block["toolUse"]["toolUseId"] for block in content if "toolUse" in block]
    assert not calls
    assert out[-1][0] == "user"
    used = [block["toolUse"]["toolUseId"] for _, content in out for block in content if "toolUse" in block]
    assert len(used) == len(set(used))


@pytest.fixture(scope="module")
def reference() -> tuple[ParamValidator, Any]:
    """What Amazon's own SDK checks a request against."""
    service: Any = Session().get_service_model("bedrock-runtime")
    return ParamValidator(), service.operation_model("ConverseStream").input_shape


@given(
    MESSAGES,
    st.sampled_from([CLAUDE, NEWER, NOVA, LLAMA, "openai.gpt-oss-120b-1:0"]),
    st.sampled_from([None, *Effort]),
    st.booleans(),
)
def test_every_request_is_one_by_the_api_s_own_reference(
    reference: tuple[ParamValidator, Any],
    messages: Sequence[PromptMessage],
    name: str,
    effort: Effort | None,
    full: bool,
) -> None:
    """No field that it does not know, none of another type, and none missing."""
    validator, shape = reference
    options: dict[str, Any] = {"tools": (TOOL,), "tool_choice": ToolChoice.REQUIRED, "response_schema": ResponseSchema("a", SCHEMA), "system": "x", "temperature": 2.0, "top_p": 0.5, "top_k": 3, "stop": ("END",), "max_output_tokens": 5000} if full else {}  # fmt: skip
    body = body_of(*messages, model=name, reasoning=effort and Reasoning(effort), **options)
    assert validator.validate({"modelId": name, **body}, shape).generate_report() == ""


def test_half_a_character_does_not_stop_the_request() -> None:
    """A person's client may send one, and JSON cannot hold it."""
    assert sent(text_message(Role.USER, "a\ud83d")) == [("user", [{"text": "a\ufffd"}])]

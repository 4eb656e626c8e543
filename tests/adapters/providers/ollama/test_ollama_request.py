"""What is sent to Ollama's `/api/chat`."""

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
    Part,
    PromptMessage,
    Reasoning,
    ResponseSchema,
    Role,
    TextPart,
    ToolChoice,
    ToolResult,
    ToolSpec,
    text_message,
)
from adapters.providers.ollama.adapter import OLLAMA
from adapters.providers.ollama.decoder import OllamaDecoder
from adapters.record import TurnRecord

HERE = Endpoint()
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
TOOL = ToolSpec("f", "Does f.", SCHEMA)
HI = text_message(Role.USER, "hi")


def body_of(*messages: PromptMessage, model: str = "qwen3", **options: Any) -> Any:
    return msgspec.json.decode(OLLAMA.build(GenerationRequest(model, messages or (HI,), **options), HERE).body)


def user(*parts: Part) -> PromptMessage:
    return PromptMessage(Role.USER, parts)


def test_a_request_holds_the_conversation_and_its_options() -> None:
    """The whole body, as the API's page has it."""
    http = OLLAMA.build(
        GenerationRequest(
            "qwen3",
            (HI, text_message(Role.ASSISTANT, "yes?"), text_message(Role.USER, "🐟")),
            system="Be kind.",
            tools=(TOOL,),
            max_output_tokens=100,
            temperature=0.5,
            top_p=0.9,
            top_k=5,
            seed=1,
            frequency_penalty=1.0,
            presence_penalty=0.5,
            stop=("END",),
        ),
        HERE,
    )
    assert (http.method, http.url) == ("POST", "http://localhost:11434/api/chat")
    assert msgspec.json.decode(http.body) == {
        "model": "qwen3",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "yes?"},
            {"role": "user", "content": "🐟"},
        ],
        "stream": True,
        "tools": [{"type": "function", "function": {"name": "f", "description": "Does f.", "parameters": SCHEMA}}],
        "options": {
            "temperature": 0.5,
            "top_p": 0.9,
            "top_k": 5,
            "seed": 1,
            "frequency_penalty": 1.0,
            "presence_penalty": 0.5,
            "num_predict": 100,
            "stop": ["END"],
        },
    }


def test_what_nobody_asked_for_is_not_sent() -> None:
    """The model's own file says the rest; tools that must not be called are not offered."""
    assert body_of(tools=(TOOL,), tool_choice=ToolChoice.NONE, reasoning=Reasoning()) == {
        "model": "qwen3",
        "messages": [{"role": "user", "content": "hi"}],
        "stream": True,
    }


def test_pictures_stand_beside_the_text() -> None:
    """What the API cannot take is named in the text."""
    (message,) = body_of(
        user(TextPart("see"), ImagePart("image/png", b"x"), ImagePart("image/png", url="https://x/y"), FilePart("a.pdf", "application/pdf", b"xy"))
    )["messages"]  # fmt: skip
    assert message["images"] == ["eA=="]
    assert message["content"].startswith("see")
    assert "[picture: https://x/y]" in message["content"]
    assert "[file: a.pdf, application/pdf, 2 bytes]" in message["content"]


def test_results_are_messages_of_the_tool() -> None:
    """Before what the person says; their pictures with them. A call that was not whole has no arguments."""
    history = (
        HI,
        PromptMessage(Role.ASSISTANT, (FunctionCall("c1", "f", {"a": 1}), MalformedCall("c2", "g", '{"a', "cut"))),
        user(
            TextPart("well?"),
            ToolResult("c1", "f", (TextPart("ok"), ImagePart("image/png", b"x"))),
            ToolResult("c2", "g", (TextPart("cut"),), True),
        ),
    )
    assert body_of(*history)["messages"][1:] == [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [
                {"id": "c1", "function": {"name": "f", "arguments": {"a": 1}}},
                {"id": "c2", "function": {"name": "g", "arguments": {}}},
            ],
        },
        {"role": "tool", "tool_name": "f", "tool_call_id": "c1", "content": "ok", "images": ["eA=="]},
        {"role": "tool", "tool_name": "g", "tool_call_id": "c2", "content": "cut"},
        {"role": "user", "content": "well?"},
    ]


def test_thoughts_go_back_to_the_model_that_had_them_and_to_no_other() -> None:
    """A recorded turn, and the request after it."""
    record = TurnRecord()
    record.add(
        OllamaDecoder().feed(
            b'{"message":{"thinking":"h"}}\n{"message":{"thinking":"m","content":"let me"}}\n'
            b'{"message":{"content":" see","tool_calls":[{"id":"c","function":{"name":"f","arguments":{"a":1}}}]}}\n{"done":true}\n'
        )
    )
    said = {
        "role": "assistant",
        "content": "let me see",
        "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": {"a": 1}}}],
    }
    own = record.message(HERE.origin(OLLAMA.name, "qwen3"))
    answer = user(ToolResult("c", "f", (TextPart("ok"),)))
    assert body_of(HI, own, answer)["messages"][1] == {**said, "thinking": "hm"}
    assert body_of(HI, own, answer, model="llama3")["messages"][1] == said
    assert body_of(HI, record.message(Endpoint("http://other").origin(OLLAMA.name, "qwen3")))["messages"][1] == said


@pytest.mark.parametrize(
    ("model", "reasoning", "expected"),
    [
        ("qwen3", Reasoning(Effort.LOW), True),
        ("qwen3", Reasoning(budget_tokens=100), True),
        ("qwen3", Reasoning(Effort.NONE), False),
        ("qwen3", Reasoning(budget_tokens=0), False),
        ("gpt-oss:20b", Reasoning(Effort.MEDIUM), "medium"),
        ("gpt-oss:20b", Reasoning(Effort.XHIGH), "high"),
        ("gpt-oss:20b", Reasoning(Effort.NONE), "low"),
        ("gpt-oss:20b", Reasoning(budget_tokens=100), "medium"),
    ],
)
def test_thinking_is_yes_or_no_or_a_level(model: str, reasoning: Reasoning, expected: object) -> None:
    """Levels for the one family that knows them."""
    assert body_of(model=model, reasoning=reasoning)["think"] == expected


def test_an_answer_of_a_schema_is_asked_for_with_the_schema() -> None:
    """Or with a word, where any JSON will do."""
    assert body_of(response_schema=ResponseSchema(schema=SCHEMA))["format"] == SCHEMA
    assert body_of(response_schema=ResponseSchema())["format"] == "json"


@pytest.mark.parametrize("name", ["think", "tools", "seed", "options.seed", "format"])
def test_options_that_the_model_refused_are_left_out(name: str) -> None:
    """By their name, inside of `options` too."""
    options: dict[str, Any] = {"reasoning": Reasoning(Effort.LOW), "tools": (TOOL,), "seed": 1, "top_k": 2, "response_schema": ResponseSchema()}  # fmt: skip
    body = body_of(**options, dropped=frozenset({name}))
    key = name.rpartition(".")[2]
    assert key not in body
    assert key not in body["options"]
    assert body["options"]["top_k"] == 2


@pytest.mark.parametrize(
    "base",
    [
        "http://host",
        "http://host/",
        "http://host/api",
        "http://host/api/chat",
        "http://host/api/generate",
        "http://host/v1/",
    ],
)
def test_an_address_may_be_written_in_several_ways(base: str) -> None:
    """People paste what they find."""
    assert OLLAMA.build(GenerationRequest("m", (HI,)), Endpoint(base)).url == "http://host/api/chat"


def test_a_key_goes_into_a_header() -> None:
    """For Ollama's cloud; a server of one's own asks for none."""
    for http in (
        OLLAMA.build(GenerationRequest("m", (HI,)), Endpoint("https://ollama.com", "secret-key")),
        OLLAMA.list_models(Endpoint("https://ollama.com", "secret-key")),
    ):
        assert http is not None
        assert http.headers["authorization"] == "Bearer secret-key"
        assert http.secrets == ("secret-key",)
        assert "secret-key" not in http.url + repr(http)
    listing = OLLAMA.list_models(HERE)
    assert listing is not None
    assert (listing.url, "authorization" in listing.headers) == ("http://localhost:11434/api/tags", False)


def test_half_a_character_does_not_stop_the_request() -> None:
    """A person's client may send one, and JSON cannot hold it."""
    assert body_of(text_message(Role.USER, "a\ud83d"))["messages"] == [{"role": "user", "content": "a\ufffd"}]

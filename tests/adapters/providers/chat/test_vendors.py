"""The hosts and programs that speak Chat Completions: each by its name, with its differences."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters import registry
from adapters.contract import (
    Effort,
    Endpoint,
    EndpointError,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
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
from adapters.providers.chat.vendors import VENDORS
from adapters.record import TurnRecord
from tests.adapters.cuts import run
from tests.adapters.providers.chat.chat_bodies import DONE, delta, finish

HOSTS = (
    *("deepseek", "mistral", "groq", "xai", "together", "fireworks", "qwen", "moonshot", "zai"),
    *("nvidia", "cerebras", "perplexity", "github"),
)
LOCAL = ("vllm", "sglang", "llama-cpp", "lm-studio", "ollama-openai")
KEY = Endpoint(api_key="k")
PLAIN = GenerationRequest("m", (text_message(Role.USER, "hi"),))
TOOL = ToolSpec("get", "Gets.", {"type": "object", "properties": {}})


def body_of(name: str, request: GenerationRequest = PLAIN, **options: Any) -> Any:
    request = msgspec.structs.replace(request, **options)
    return msgspec.json.decode(registry.adapter(name).build(request, KEY).body)


def added(name: str, **options: Any) -> dict[str, Any]:
    """The fields that these options add to the body of a plain request."""
    plain = body_of(name)
    return {field: value for field, value in body_of(name, **options).items() if field not in plain}


def test_each_is_in_the_registry_by_its_name() -> None:
    """So an operator writes LLM_PROVIDER=deepseek and nothing else."""
    assert tuple(adapter.name for adapter in VENDORS) == (*HOSTS, *LOCAL)
    assert set(registry.NAMES) >= {*HOSTS, *LOCAL}
    assert not registry.NEEDS_BASE_URL.keys() & {*HOSTS, *LOCAL}


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_has_an_address_of_its_own_and_wants_a_key(name: str) -> None:
    """Over HTTPS, the key in a header."""
    http = registry.adapter(name).build(PLAIN, KEY)
    assert http.url.startswith("https://")
    assert http.url.endswith("/chat/completions")
    assert (http.headers["authorization"], http.secrets) == ("Bearer k", ("k",))
    with pytest.raises(EndpointError, match="API key"):
        registry.adapter(name).build(PLAIN, Endpoint())


@pytest.mark.parametrize("name", LOCAL)
def test_a_program_on_this_machine_wants_no_key(name: str) -> None:
    """At the port that it has when nobody chose one."""
    http = registry.adapter(name).build(PLAIN, Endpoint())
    assert http.url.startswith("http://127.0.0.1:")
    assert "authorization" not in http.headers


@pytest.mark.parametrize(
    ("name", "endpoint", "url"),
    [
        ("deepseek", KEY, "https://api.deepseek.com/models"),
        ("github", KEY, "https://models.github.ai/catalog/models"),
        ("github", Endpoint("http://proxy/v1"), "http://proxy/v1/models"),
        ("perplexity", KEY, None),
    ],
)
def test_models_are_listed_where_the_vendor_lists_them(name: str, endpoint: Endpoint, url: str | None) -> None:
    """A key goes to the address that the operator chose, and to no other."""
    listing = registry.adapter(name).list_models(endpoint)
    assert (listing and listing.url) == url


@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("deepseek", {"max_output_tokens": 5}, {"max_tokens": 5}),
        ("groq", {"max_output_tokens": 5}, {"max_completion_tokens": 5}),
        ("moonshot", {"max_output_tokens": 5}, {"max_completion_tokens": 5}),
        ("mistral", {"seed": 7}, {"random_seed": 7}),
        ("deepseek", {"seed": 7, "top_k": 3}, {}),
        ("cerebras", {"frequency_penalty": 1.0, "presence_penalty": 1.0, "seed": 7}, {"seed": 7}),
        ("zai", {"tools": (TOOL,), "tool_choice": ToolChoice.REQUIRED, "parallel_tool_calls": False}, {"tools": [...], "tool_stream": True}),
        ("zai", {"tools": (TOOL,), "tool_choice": ToolChoice.NONE}, {}),
        ("perplexity", {"tools": (TOOL,), "stop": ("x",)}, {}),
        ("llama-cpp", {"top_k": 3}, {"top_k": 3}),
        ("mistral", {"cache_key": "c"}, {"prompt_cache_key": "c"}),
        ("groq", {"cache_key": "c"}, {}),
        ("deepseek", {"response_schema": ResponseSchema(schema={"type": "object"})}, {"response_format": {"type": "json_object"}}),
    ],
)  # fmt: skip
def test_an_option_is_sent_in_the_vendors_way_or_not_at_all(
    name: str, options: dict[str, Any], expected: dict[str, Any]
) -> None:
    """One row a difference that the vendor documents."""
    fields = added(name, **options)
    assert {**fields, **({"tools": [...]} if "tools" in fields else {})} == expected


HIGH, OFF, BUDGET = Reasoning(Effort.HIGH), Reasoning(Effort.NONE), Reasoning(budget_tokens=3000)
TEMPLATE_ON = {"chat_template_kwargs": {"enable_thinking": True, "thinking": True}}


@pytest.mark.parametrize(
    ("name", "reasoning", "expected"),
    [
        ("deepseek", HIGH, {"thinking": {"type": "enabled"}, "reasoning_effort": "high"}),
        ("deepseek", Reasoning(Effort.XHIGH), {"thinking": {"type": "enabled"}, "reasoning_effort": "max"}),
        ("deepseek", OFF, {"thinking": {"type": "disabled"}}),
        ("zai", HIGH, {"thinking": {"type": "enabled"}}),
        ("moonshot", OFF, {"thinking": {"type": "disabled"}}),
        ("qwen", HIGH, {"enable_thinking": True, "thinking_budget": 16384}),
        ("qwen", BUDGET, {"enable_thinking": True, "thinking_budget": 3000}),
        ("qwen", OFF, {"enable_thinking": False}),
        ("groq", BUDGET, {"reasoning_effort": "low"}),
        ("groq", OFF, {"reasoning_effort": "none"}),
        ("xai", OFF, {}),
        ("mistral", HIGH, {"reasoning_effort": "high"}),
        ("mistral", BUDGET, {}),
        ("vllm", HIGH, {**TEMPLATE_ON, "reasoning_effort": "high"}),
        ("sglang", OFF, {"chat_template_kwargs": {"enable_thinking": False, "thinking": False}}),
        ("github", HIGH, {}),
    ],
)
def test_reasoning_is_asked_for_in_the_vendors_way(name: str, reasoning: Reasoning, expected: dict[str, Any]) -> None:
    """An effort, a budget, a switch, or nothing where there is no way."""
    assert added(name, reasoning=reasoning) == expected


@pytest.mark.parametrize("name", ["mistral", "zai", "perplexity"])
def test_where_usage_comes_unasked_it_is_not_asked_for(name: str) -> None:
    """Unknown fields are refused by some."""
    assert "stream_options" not in body_of(name)
    assert "stream_options" in body_of("groq")


@pytest.mark.parametrize("name", ["deepseek", "cerebras"])
def test_a_picture_is_named_where_no_model_sees_it(name: str) -> None:
    """Their APIs refuse the part."""
    seen = PromptMessage(Role.USER, (ImagePart("image/png", b"png"),))
    assert body_of(name, messages=(seen,))["messages"][0]["content"] == "[picture: image/png]"


def test_a_sound_is_a_data_url_where_the_vendor_wants_one() -> None:
    """Alibaba reads plain base64 as an address."""
    heard = PromptMessage(Role.USER, (FilePart("a.wav", "audio/wav", b"wav"),))
    sounds = [body_of(name, messages=(heard,))["messages"][0]["content"][0]["input_audio"] for name in ("qwen", "vllm")]
    assert [sound["data"] for sound in sounds] == ["data:;base64,d2F2", "d2F2"]


# ----------------------------------------------------------------------------------------------------- the turn goes on

CALL = {"index": 0, "id": "call_0", "type": "function", "function": {"name": "get", "arguments": "{}"}}
RESULT = PromptMessage(Role.USER, (ToolResult("call_0", "get", (TextPart("5"),)),))


def answered(name: str, *parts: bytes) -> PromptMessage:
    """The assistant's message of this stream."""
    record = TurnRecord()
    record.add(run(registry.adapter(name).open(PLAIN), [*parts, finish("tool_calls"), DONE]))
    return record.message(KEY.origin(name, "m"))


def followed(name: str, answer: PromptMessage) -> list[dict[str, Any]]:
    """The conversation of the request after the answer, with the call's result."""
    messages: list[dict[str, Any]] = body_of(name, messages=(*PLAIN.messages, answer, RESULT))["messages"]
    return messages


SENT_CALL = {"id": "call_0", "type": "function", "function": {"name": "get", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("name", "field", "back"),
    [
        ("deepseek", "reasoning_content", "reasoning_content"),
        ("moonshot", "reasoning_content", "reasoning_content"),
        ("vllm", "reasoning", "reasoning"),
        ("vllm", "reasoning_content", "reasoning"),
        ("llama-cpp", "reasoning_content", "reasoning_content"),
        ("custom", "reasoning", "reasoning"),
        ("groq", "reasoning", None),
        ("mistral", "reasoning_content", None),
    ],
)
def test_reasoning_goes_back_with_the_call_where_the_vendor_wants_it(name: str, field: str, back: str | None) -> None:
    """DeepSeek answers 400 without it, Groq with it."""
    endpoint = Endpoint("http://host/v1") if name == "custom" else KEY
    record = TurnRecord()
    record.add(run(registry.adapter(name).open(PLAIN), [delta(**{field: "I "}), delta(**{field: "look."}), delta(tool_calls=[CALL]), finish("tool_calls"), DONE]))  # fmt: skip
    answer = record.message(endpoint.origin(name, "m"))
    request = msgspec.structs.replace(PLAIN, messages=(*PLAIN.messages, answer, RESULT))
    said = msgspec.json.decode(registry.adapter(name).build(request, endpoint).body)["messages"][1]
    assert {key: value for key, value in said.items() if key.startswith("reasoning")} == (
        {back: "I look."} if back else {}
    )


def test_deepseek_gets_the_field_even_where_there_was_no_thought() -> None:
    """Or where the thought was another model's: the field must be there, its text must not."""
    for answer in (
        answered("deepseek", delta(tool_calls=[CALL])),
        PromptMessage(Role.ASSISTANT, (ThoughtPart("secret"), FunctionCall("call_0", "get", {}))),
    ):
        assert followed("deepseek", answer)[1:] == [
            {"role": "assistant", "content": None, "reasoning_content": "", "tool_calls": [SENT_CALL]},
            {"role": "tool", "tool_call_id": "call_0", "content": "5"},
        ]


def test_a_signature_of_googles_goes_back_with_its_call() -> None:
    """Beside the function, in the call it came with; nobody else sees it."""
    signed = {**CALL, "extra_content": {"google": {"thought_signature": "sig"}}}
    answer = answered("nvidia", delta(tool_calls=[signed]))
    assert followed("nvidia", answer)[1]["tool_calls"] == [
        {**SENT_CALL, "extra_content": {"google": {"thought_signature": "sig"}}}
    ]
    assert followed("xai", answer)[1]["tool_calls"] == [SENT_CALL]


def test_mistral_gets_ids_of_nine_letters_and_digits() -> None:
    """Ids of its own pass, others become such; the result follows, and no person right after it."""
    for call_id, kept in (("aB3dE6gH9", True), ("call_0", False)):
        answer = PromptMessage(Role.ASSISTANT, (FunctionCall(call_id, "get", {}),))
        result = PromptMessage(Role.USER, (ToolResult(call_id, "get", (TextPart("5"),)), TextPart("and?")))
        (_, asked, told, bridge, person) = body_of("mistral", messages=(answer, result))["messages"]
        made = asked["tool_calls"][0]["id"]
        assert (made == call_id) is kept
        assert len(made) == 9
        assert made.isalnum()
        assert told["tool_call_id"] == made
        assert (bridge["role"], person["role"]) == ("assistant", "user")

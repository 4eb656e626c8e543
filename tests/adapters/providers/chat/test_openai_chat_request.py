"""What is sent to servers of the Chat Completions protocol: the options, and where it goes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters.contract import (
    Effort,
    Endpoint,
    EndpointError,
    GenerationRequest,
    HttpRequest,
    NamedTool,
    Reasoning,
    ResponseSchema,
    Role,
    ToolChoice,
    ToolSpec,
    text_message,
)
from adapters.providers.chat.adapter import OPENAI_CHAT, OpenAIChat
from adapters.providers.chat.custom import CUSTOM

REQUEST = GenerationRequest(
    model="m",
    system="Be kind.",
    messages=(text_message(Role.USER, "hi"), text_message(Role.ASSISTANT, "yes?"), text_message(Role.USER, "🐟")),
    max_output_tokens=100,
    temperature=0.5,
)
PLAIN = GenerationRequest("m", (text_message(Role.USER, "hi"),))
TOOL = ToolSpec("get_weather", "The weather.", {"type": "object", "properties": {"city": {"type": "string"}}})
KEY = Endpoint(api_key="sk-key")
HOST = Endpoint("http://host/v1")


def body_of(http: HttpRequest) -> Any:
    return msgspec.json.decode(http.body)


def added(adapter: OpenAIChat, **options: Any) -> dict[str, Any]:
    """The fields that these options add to, or change in, the body of a plain request."""
    plain = body_of(adapter.build(PLAIN, HOST))
    body = body_of(adapter.build(msgspec.structs.replace(PLAIN, **options), HOST))
    return {name: value for name, value in body.items() if plain.get(name) != value}


def test_a_request_holds_the_conversation_and_asks_for_a_stream_with_usage() -> None:
    """The whole body, as the reference documents it."""
    http = OPENAI_CHAT.build(REQUEST, KEY)
    assert (http.method, http.url) == ("POST", "https://api.openai.com/v1/chat/completions")
    assert http.headers["authorization"] == "Bearer sk-key"
    assert http.secrets == ("sk-key",)
    assert body_of(http) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": "yes?"},
            {"role": "user", "content": "🐟"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_completion_tokens": 100,
        "temperature": 0.5,
    }


def test_what_nobody_asked_for_is_not_sent() -> None:
    """Models differ in what they take; no key, no limit, no temperature, no system message."""
    http = CUSTOM.build(PLAIN, Endpoint("http://localhost:8080/v1"))
    assert "authorization" not in http.headers
    assert http.secrets == ()
    assert sorted(body_of(http)) == ["messages", "model", "stream", "stream_options"]
    assert body_of(http)["messages"] == [{"role": "user", "content": "hi"}]


# ---------------------------------------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"top_p": 0.9, "temperature": 0.0}, {"top_p": 0.9, "temperature": 0.0}),
        ({"frequency_penalty": 0.1, "presence_penalty": -0.1}, {"frequency_penalty": 0.1, "presence_penalty": -0.1}),
        ({"seed": 7}, {"seed": 7}),
        ({"top_k": 40}, {}),
        ({"stop": ("a", "b", "c", "d", "e")}, {"stop": ["a", "b", "c", "d"]}),
        ({"stop": ()}, {}),
        ({"cache_key": "channel-1"}, {"prompt_cache_key": "channel-1"}),
        ({"max_output_tokens": 5}, {"max_completion_tokens": 5}),
        ({"reasoning": Reasoning(Effort.MINIMAL)}, {"reasoning_effort": "minimal"}),
        ({"reasoning": Reasoning(Effort.NONE)}, {"reasoning_effort": "none"}),
        ({"reasoning": Reasoning(budget_tokens=9000)}, {"reasoning_effort": "medium"}),
        ({"reasoning": Reasoning(budget_tokens=0)}, {"reasoning_effort": "none"}),
        ({"reasoning": Reasoning(budget_tokens=1)}, {"reasoning_effort": "minimal"}),
        ({"reasoning": Reasoning()}, {}),
    ],
)
def test_an_option_is_a_field(options: dict[str, Any], expected: dict[str, Any]) -> None:
    """One row an option of OpenAI's; what it has not, is left out."""
    assert added(OPENAI_CHAT, **options) == expected


def test_any_server_may_take_top_k() -> None:
    """Programs on one's own machine do."""
    assert added(CUSTOM, top_k=40) == {"top_k": 40}


@pytest.mark.parametrize(
    ("adapter", "dropped", "expected"),
    [
        (OPENAI_CHAT, {"max_completion_tokens"}, {"max_tokens": 5}),
        (CUSTOM, {"max_tokens"}, {"max_completion_tokens": 5}),
        (CUSTOM, {"max_completion_tokens"}, {"max_tokens": 5}),
        (CUSTOM, {"max_tokens", "max_completion_tokens"}, {}),
    ],
)
def test_a_refused_limit_is_sent_under_its_other_name(
    adapter: OpenAIChat, dropped: set[str], expected: dict[str, int]
) -> None:
    """Newer models of OpenAI refuse the old name, older servers do not know the new one."""
    assert added(adapter, max_output_tokens=5, dropped=frozenset(dropped)) == expected


def test_options_that_the_model_was_seen_to_refuse_are_left_out() -> None:
    """Under the names that the provider uses; also below another field."""
    dropped = frozenset({"temperature", "stream_options", "reasoning_effort", "messages.0.content", "unheard_of"})
    body = body_of(
        OPENAI_CHAT.build(msgspec.structs.replace(REQUEST, reasoning=Reasoning(Effort.LOW), dropped=dropped), HOST)
    )
    assert sorted(body) == ["max_completion_tokens", "messages", "model", "stream"]
    assert body["messages"][0]["content"] == "Be kind."


# ------------------------------------------------------------------------------------------------------------ tools

DECLARED = {
    "type": "function",
    "function": {"name": "get_weather", "description": "The weather.", "parameters": TOOL.parameters},
}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, {"tools": [DECLARED]}),
        ({"tool_choice": ToolChoice.NONE}, {"tools": [DECLARED], "tool_choice": "none"}),
        ({"tool_choice": ToolChoice.REQUIRED}, {"tools": [DECLARED], "tool_choice": "required"}),
        (
            {"tool_choice": NamedTool("get_weather")},
            {"tools": [DECLARED], "tool_choice": {"type": "function", "function": {"name": "get_weather"}}},
        ),
        ({"parallel_tool_calls": False}, {"tools": [DECLARED], "parallel_tool_calls": False}),
        ({"dropped": frozenset({"tools"}), "tool_choice": ToolChoice.REQUIRED}, {}),
        ({"dropped": frozenset({"tool_choice"}), "tool_choice": ToolChoice.REQUIRED}, {"tools": [DECLARED]}),
        ({"dropped": frozenset({"tool_choice"}), "tool_choice": ToolChoice.NONE}, {}),
    ],
)
def test_tools_and_how_to_choose_among_them(options: dict[str, Any], expected: dict[str, Any]) -> None:
    """Where `none` cannot be said, no tools are offered."""
    assert added(OPENAI_CHAT, tools=(TOOL,), **options) == expected


def test_without_tools_nothing_is_said_about_them() -> None:
    """OpenAI refuses both fields then."""
    assert added(OPENAI_CHAT, tool_choice=ToolChoice.REQUIRED, parallel_tool_calls=True) == {}


# ------------------------------------------------------------------------------------------------ structured answers

OPEN = {"type": "object", "properties": {"a": {"type": "string"}}}
CLOSED = {**OPEN, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (OPEN, {"type": "json_schema", "json_schema": {"name": "answer", "schema": OPEN}}),
        (CLOSED, {"type": "json_schema", "json_schema": {"name": "answer", "schema": CLOSED, "strict": True}}),
    ],
)
def test_a_schema_is_enforced_where_openai_can(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    """Asked to enforce an open schema, it refuses the whole request."""
    assert added(OPENAI_CHAT, response_schema=ResponseSchema(schema=schema)) == {"response_format": expected}


def test_json_of_any_shape_is_asked_for_in_the_prompt_too() -> None:
    """OpenAI and DeepSeek refuse the option unless the prompt has the word."""
    body = added(OPENAI_CHAT, response_schema=ResponseSchema(), system="Be kind.")
    assert body["response_format"] == {"type": "json_object"}
    assert body["messages"][0] == {"role": "system", "content": "Be kind.\n\nAnswer with JSON only."}


@pytest.mark.parametrize(
    ("dropped", "expected"), [({"json_schema"}, {"type": "json_object"}), ({"response_format"}, None)]
)
def test_a_server_that_takes_no_schema_is_told_it_in_words(dropped: set[str], expected: Any) -> None:
    """So the answer still has a chance to fit."""
    body = added(CUSTOM, response_schema=ResponseSchema(schema=OPEN), dropped=frozenset(dropped))
    assert body.get("response_format") == expected
    assert msgspec.json.encode(OPEN).decode() in body["messages"][0]["content"]


# ------------------------------------------------------------------------------------------------- addresses and keys


def test_a_custom_server_is_given_the_older_name_of_the_limit() -> None:
    """`max_tokens` is the one that all servers know."""
    body = body_of(CUSTOM.build(REQUEST, Endpoint("http://localhost/v1")))
    assert body["max_tokens"] == 100
    assert "max_completion_tokens" not in body


@pytest.mark.parametrize(
    "base", ["http://host/v1", "http://host/v1/", "http://host/v1/chat/completions", "http://host/v1/chat/completions/"]
)
def test_a_base_url_may_be_written_in_several_ways(base: str) -> None:
    """People paste what they find."""
    assert CUSTOM.build(REQUEST, Endpoint(base)).url == "http://host/v1/chat/completions"
    listing = CUSTOM.list_models(Endpoint(base))
    assert listing is not None
    assert listing.url == "http://host/v1/models"


def test_a_custom_server_needs_an_address() -> None:
    """The error says so before anything is sent."""
    with pytest.raises(EndpointError, match="base URL"):
        CUSTOM.build(REQUEST, Endpoint(api_key="k"))


def test_a_host_needs_a_key_at_its_own_address() -> None:
    """Behind a proxy of the user's it may not."""
    with pytest.raises(EndpointError, match="API key"):
        OPENAI_CHAT.build(REQUEST, Endpoint())
    assert "authorization" not in OPENAI_CHAT.build(REQUEST, HOST).headers


def test_a_key_shows_in_no_representation() -> None:
    """Neither the endpoint nor the request prints it."""
    assert "sk-key" not in repr(KEY)
    assert "sk-key" not in repr(OPENAI_CHAT.build(REQUEST, KEY))


def test_text_that_json_cannot_hold_does_not_break_a_request() -> None:
    """Half a surrogate pair, as a person's client may send it."""
    broken = msgspec.structs.replace(PLAIN, messages=(text_message(Role.USER, "a\ud83d"),))
    assert body_of(CUSTOM.build(broken, HOST))["messages"] == [{"role": "user", "content": "a\ufffd"}]

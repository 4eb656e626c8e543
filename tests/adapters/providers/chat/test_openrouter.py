"""OpenRouter: what it adds to Chat Completions, and a turn that goes on after a tool call."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters.contract import (
    Effort,
    Endpoint,
    GeneratedImage,
    GenerationRequest,
    ModelInfo,
    PromptMessage,
    Reasoning,
    Role,
    TextChunk,
    TextPart,
    ToolResult,
    text_message,
)
from adapters.decode_command import decode
from adapters.providers.chat.openrouter import OPENROUTER
from adapters.record import TurnRecord
from tests.adapters.cuts import in_steps, run
from tests.adapters.providers.chat.chat_bodies import DONE, delta, event, finish, text

PLAIN = GenerationRequest("anthropic/claude", (text_message(Role.USER, "hi"),))
ENDPOINT = Endpoint(api_key="sk-or-key")


def body_of(request: GenerationRequest, endpoint: Endpoint = ENDPOINT) -> Any:
    return msgspec.json.decode(OPENROUTER.build(request, endpoint).body)


def routed(finish_reason: str | None = None, error: Any = None, **fields: Any) -> bytes:
    chunk = {"provider": "Amazon Bedrock", "choices": [{"index": 0, "delta": fields, "finish_reason": finish_reason}]}
    return event(chunk if error is None else {**chunk, "error": error})


# ------------------------------------------------------------------------------------------------------------ requests


def test_the_request_names_the_application() -> None:
    """The header is optional and shows in OpenRouter's own pages."""
    http = OPENROUTER.build(PLAIN, ENDPOINT)
    assert http.url == "https://openrouter.ai/api/v1/chat/completions"
    assert http.headers["x-title"] == "Parley"
    assert http.headers["authorization"] == "Bearer sk-or-key"


@pytest.mark.parametrize(
    ("reasoning", "expected"),
    [
        (Reasoning(Effort.XHIGH), {"effort": "xhigh"}),
        (Reasoning(Effort.NONE), {"effort": "none"}),
        (Reasoning(budget_tokens=2000), {"max_tokens": 2000}),
        (Reasoning(Effort.HIGH, 2000), {"max_tokens": 2000}),
        (Reasoning(budget_tokens=0), {"effort": "none"}),
    ],
)
def test_reasoning_is_an_effort_or_a_budget(reasoning: Reasoning, expected: dict[str, Any]) -> None:
    """Both at once are refused."""
    assert body_of(msgspec.structs.replace(PLAIN, reasoning=reasoning))["reasoning"] == expected


def test_the_prompt_cache_is_marked_for_models_that_need_it() -> None:
    """Others find the beginning again by themselves."""
    marked = msgspec.structs.replace(PLAIN, messages=(PromptMessage(Role.USER, (TextPart("hi"),), cache_mark=True),))
    assert body_of(marked)["messages"][0]["content"] == [
        {"type": "text", "text": "hi", "cache_control": {"type": "ephemeral"}}
    ]
    assert body_of(msgspec.structs.replace(marked, model="openai/gpt-5"))["messages"][0]["content"] == "hi"


# ------------------------------------------------------------------------------------------------------------- answers


def test_an_answer_says_who_served_it_and_comments_are_nothing() -> None:
    """Costs in the usage are no tokens."""
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": 4,
        "cost": 0.01,
        "cost_details": {"upstream_inference_cost": None},
    }
    counted = event({"provider": "Amazon Bedrock", "choices": [], "usage": usage})
    result = decode(
        OPENROUTER,
        b": OPENROUTER PROCESSING\n\n" + routed(content="a") + b": OPENROUTER PROCESSING\n\n" + routed("stop") + counted + DONE,
    )  # fmt: skip
    assert (result["text"], result["finish"], result["serving_provider"]) == ("a", "stop", "Amazon Bedrock")
    assert (result["usage"].input_tokens, result["usage"].output_tokens) == (9, 4)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((routed(content="a"), routed("error", {"code": 502, "message": "gone"}, content="")), ("a", "server", False)),
        ((routed(None, {"code": 400, "message": "odd request"}, content=""),), ("", "bad_request", False)),
        ((routed(content="a"), routed("error"), DONE), ("a", "server", False)),
        ((event({"error": {"code": 429, "message": "Provider returned error", "metadata": {"raw": "slow down"}}}),), ("", "rate_limit", True)),
        ((event({"choices": [{"index": 0, "delta": {}, "error": {"code": 503, "message": "m"}}]}),), ("", "overloaded", True)),
    ],
)  # fmt: skip
def test_errors_after_the_first_byte(parts: tuple[bytes, ...], expected: tuple[str, str, bool]) -> None:
    """Beside the choices, in a choice, or as a finish reason alone; the host is still named."""
    result = decode(OPENROUTER, b"".join(parts))
    assert (result["text"], result["error"]["reason"], result["error"]["retryable"]) == expected


def picture(url: Any) -> bytes:
    return delta(images=[{"type": "image_url", "image_url": url}])


@pytest.mark.parametrize(
    ("part", "images"),
    [
        (picture({"url": "data:image/png;base64,cG5n"}), (GeneratedImage("image/png", b"png"),)),
        (picture({"url": "https://host/a.png"}), (GeneratedImage("image/png", url="https://host/a.png"),)),
        (picture("data:image/webp;base64,cG5n"), (GeneratedImage("image/webp", b"png"),)),
        (picture({"url": "data:image/png;base64,x"}), ()),
        (picture({"url": 7}), ()),
        (picture(None), ()),
        (delta(images="x"), ()),
        (event({"choices": [{"message": {"content": "", "images": [{"image_url": {"url": "data:image/png;base64,cG5n"}}]}}]}), (GeneratedImage("image/png", b"png"),)),
    ],
)  # fmt: skip
def test_pictures_are_bytes_or_an_address(part: bytes, images: tuple[GeneratedImage, ...]) -> None:
    """What is neither does no harm."""
    chunks = run(OPENROUTER.open(PLAIN), [part, text("."), finish(), DONE])
    drawn = tuple(image for chunk in chunks if isinstance(chunk, TextChunk) for image in chunk.images)
    assert drawn == (images if part.find(b"message") < 0 else ())
    if part.find(b"message") > 0:
        whole = run(OPENROUTER.open(PLAIN), [part, finish(), DONE])
        assert TextChunk(images=images) in whole


# ----------------------------------------------------------------------------------------------------- the turn goes on


def thought(**fields: Any) -> dict[str, Any]:
    return {"type": "reasoning.text", **fields, "format": "anthropic-claude-v1", "index": 0}


SEALED = {"type": "reasoning.encrypted", "data": "sealed", "id": "toolu_1", "format": "google-gemini-v1", "index": 0}
CALL = {"index": 0, "id": "toolu_1", "type": "function", "function": {"name": "get", "arguments": '{"x":'}}
STREAM = b"".join(
    (
        routed(reasoning="I look ", reasoning_details=[thought(text="I look ")]),
        routed(reasoning="it up.", reasoning_details=[thought(text="it up.")]),
        routed(content="", reasoning_details=[thought(signature="sig")]),
        routed(content="One moment."),
        routed(content=None, tool_calls=[CALL], reasoning_details=[SEALED]),
        routed(tool_calls=[{"index": 0, "function": {"arguments": "1}"}}]),
        routed("tool_calls", content=""),
        DONE,
    )
)


def turn(endpoint: Endpoint, model: str) -> GenerationRequest:
    """The request after the recorded answer, with the call's result, to this endpoint and model."""
    record = TurnRecord()
    record.add(run(OPENROUTER.open(PLAIN), in_steps(STREAM, 100)))
    answer = record.message(ENDPOINT.origin("openrouter", PLAIN.model))
    result = PromptMessage(Role.USER, (ToolResult("toolu_1", "get", (TextPart("5"),)),))
    return msgspec.structs.replace(PLAIN, model=model, messages=(*PLAIN.messages, answer, result))


def test_reasoning_details_go_back_unchanged_as_one_list() -> None:
    """As the documentation demands of a turn that goes on after tool calls."""
    assert body_of(turn(ENDPOINT, PLAIN.model))["messages"] == [
        {"role": "user", "content": "hi"},
        {
            "role": "assistant",
            "content": "One moment.",
            "reasoning_details": [thought(text="I look it up.", signature="sig"), SEALED],
            "tool_calls": [{"id": "toolu_1", "type": "function", "function": {"name": "get", "arguments": '{"x":1}'}}],
        },
        {"role": "tool", "tool_call_id": "toolu_1", "content": "5"},
    ]


def test_another_model_or_address_gets_none_of_them() -> None:
    """They mean something to the model that made them only."""
    for endpoint, model in ((ENDPOINT, "google/gemini"), (Endpoint("http://proxy/v1"), PLAIN.model)):
        (_, answer, _) = body_of(turn(endpoint, model), endpoint)["messages"]
        assert sorted(answer) == ["content", "role", "tool_calls"]


# -------------------------------------------------------------------------------------------------------------- listing


def test_the_listing_tells_context_prices_and_abilities() -> None:
    """Prices are those of a single token, as text."""
    entry = {
        "id": "anthropic/claude",
        "name": "Anthropic: Claude",
        "context_length": 200000,
        "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
        "pricing": {"prompt": "0.000003", "completion": "0.000015"},
        "top_provider": {"context_length": 200000, "max_completion_tokens": 64000},
        "supported_parameters": ["tools", "max_tokens"],
    }
    listing = OPENROUTER.list_models(ENDPOINT)
    assert listing is not None
    assert (listing.method, listing.url) == ("GET", "https://openrouter.ai/api/v1/models")
    assert OPENROUTER.read_models(msgspec.json.encode({"data": [entry]})) == [
        ModelInfo("anthropic/claude", "Anthropic: Claude", 200000, 64000, True, True, False, 3.0, 15.0)
    ]

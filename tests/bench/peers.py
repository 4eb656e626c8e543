"""The peers: what others use to read the same streams. Each is used as its own documentation shows, by its cheapest way.

Instead of sockets they get the sample's reads from their HTTP client's mock transport, one read at a time. Clients are made before
the clock runs. All of it is imported late: only the environment of `make bench` has these packages.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, Final

import msgspec

from tests.bench.contestants import Contestant, Found, Read
from tests.bench.samples import Sample

OPENAI: Final = "openai SDK"
RESPONSES: Final = "openai SDK (responses)"
ANTHROPIC: Final = "anthropic SDK"
GOOGLE: Final = "google-genai"
LITELLM: Final = "litellm"
PYDANTIC_AI: Final = "pydantic-ai"

_PROMPT: Final = [{"role": "user", "content": "hi"}]
_HEADERS: Final = {"content-type": "text/event-stream"}


def _client(sample: Sample) -> Any:
    import httpx2

    def answer(_: Any) -> Any:
        return httpx2.Response(200, headers=_HEADERS, content=iter(sample.reads))

    return httpx2.Client(transport=httpx2.MockTransport(answer))


def _async_client(sample: Sample) -> Any:
    import httpx2

    async def reads() -> AsyncIterator[bytes]:
        for data in sample.reads:
            yield data

    def answer(_: Any) -> Any:
        return httpx2.Response(200, headers=_HEADERS, content=reads())

    return httpx2.AsyncClient(transport=httpx2.MockTransport(answer))


class _Collector:
    """Text and calls of a peer, put together as its user would."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self._calls: dict[int, tuple[str, list[str]]] = {}

    def add_chat_chunk(self, chunk: Any) -> None:
        if not chunk.choices:
            return
        delta = chunk.choices[0].delta
        if delta.content:
            self.pieces.append(delta.content)
        for call in delta.tool_calls or ():
            if call.id:
                self._calls[call.index] = (call.function.name, [])
            if call.function.arguments:
                self._calls[call.index][1].append(call.function.arguments)

    def begin_call(self, index: int, name: str) -> None:
        self._calls[index] = (name, [])

    def add_arguments(self, index: int, fragment: str) -> None:
        self._calls[index][1].append(fragment)

    def found(self) -> Found:
        calls = tuple((name, msgspec.json.decode("".join(pieces))) for name, pieces in self._calls.values())
        return Found("".join(self.pieces), calls)


def openai_sdk(sample: Sample) -> Read:
    import openai

    client = openai.OpenAI(api_key="x", http_client=_client(sample))

    def read() -> Found:
        collector = _Collector()
        for chunk in client.chat.completions.create(model="gpt-4.1", messages=_PROMPT, stream=True):
            collector.add_chat_chunk(chunk)
        return collector.found()

    return read


def openai_responses(sample: Sample) -> Read:
    import openai

    client = openai.OpenAI(api_key="x", http_client=_client(sample))

    def read() -> Found:
        collector = _Collector()
        for event in client.responses.create(model="gpt-4.1", input="hi", stream=True):
            if event.type == "response.output_text.delta":
                collector.pieces.append(event.delta)
        return collector.found()

    return read


def anthropic_sdk(sample: Sample) -> Read:
    """The low-level stream; the helper `messages.stream()`, which accumulates, takes several times as long."""
    import anthropic

    client = anthropic.Anthropic(api_key="x", http_client=_client(sample))

    def read() -> Found:
        collector = _Collector()
        for event in client.messages.create(model="claude-sonnet-4-5", max_tokens=9999, messages=_PROMPT, stream=True):
            if event.type == "content_block_delta":
                if event.delta.type == "text_delta":
                    collector.pieces.append(event.delta.text)
                elif event.delta.type == "input_json_delta":
                    collector.add_arguments(event.index, event.delta.partial_json)
            elif event.type == "content_block_start" and event.content_block.type == "tool_use":
                collector.begin_call(event.index, event.content_block.name)
        return collector.found()

    return read


def google_genai(sample: Sample) -> Read:
    from google import genai
    from google.genai import types

    client = genai.Client(api_key="x", http_options=types.HttpOptions(httpx_client=_client(sample)))

    def read() -> Found:
        stream = client.models.generate_content_stream(model="gemini-2.5-flash", contents="hi")
        return Found("".join(chunk.text or "" for chunk in stream))

    return read


def litellm(sample: Sample) -> Read:
    """Its asynchronous way, which is the quicker one."""
    # Else its import asks the network for a list of prices.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm
    import openai

    async def read() -> Found:
        client = openai.AsyncOpenAI(api_key="x", http_client=_async_client(sample))
        collector = _Collector()
        async for chunk in await litellm.acompletion(
            model="openai/gpt-4.1", messages=_PROMPT, stream=True, client=client, api_key="x"
        ):
            collector.add_chat_chunk(chunk)
        return collector.found()

    return read


def pydantic_ai(sample: Sample) -> Read:
    from pydantic_ai.direct import model_request_stream
    from pydantic_ai.messages import ModelRequest, TextPart, ToolCallPart

    async def read() -> Found:
        async with model_request_stream(_pydantic_model(sample), [ModelRequest.user_text_prompt("hi")]) as stream:
            async for _ in stream:
                pass
            parts = stream.get().parts
        text = "".join(part.content for part in parts if isinstance(part, TextPart))
        return Found(text, tuple((p.tool_name, p.args_as_dict()) for p in parts if isinstance(p, ToolCallPart)))

    return read


def _pydantic_model(sample: Sample) -> Any:
    """Clients of one event loop, so they are made in it."""
    if sample.provider == "anthropic":
        import anthropic
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        claude = anthropic.AsyncAnthropic(api_key="x", http_client=_async_client(sample))
        return AnthropicModel("claude-sonnet-4-5", provider=AnthropicProvider(anthropic_client=claude))
    import openai
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    gpt = openai.AsyncOpenAI(api_key="x", http_client=_async_client(sample))
    return OpenAIChatModel("gpt-4.1", provider=OpenAIProvider(openai_client=gpt))


PEERS: Final[Mapping[str, Mapping[str, Contestant]]] = {
    "openai-chat": {OPENAI: openai_sdk, PYDANTIC_AI: pydantic_ai, LITELLM: litellm},
    "openai-responses": {RESPONSES: openai_responses},
    "anthropic": {ANTHROPIC: anthropic_sdk, PYDANTIC_AI: pydantic_ai},
    "google": {GOOGLE: google_genai},
}
"""Provider -> name -> who else reads its streams."""

PACKAGES: Final = (
    *("openai", "anthropic", "google-genai", "pydantic-ai-slim", "litellm"),
    *("jiter", "partial-json-parser", "json-repair", "orjson", "msgspec"),
)


def peers_of(sample: Sample, *, quick: bool) -> Iterator[tuple[str, Contestant]]:
    for name, peer in PEERS[sample.provider].items():
        if not quick or name == OPENAI:
            yield name, peer

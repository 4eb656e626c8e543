"""Servers that speak Chat Completions, one entry each: hosts first, then programs that serve models on one's own machine.

Each entry says only where the server differs from the defaults of `Dialect`, with what its documentation says. A fact that was not
found keeps the default; an option that only some models refuse stands in no entry, since the refusal itself tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from adapters.contract import Effort
from adapters.providers.chat.adapter import OpenAIChat
from adapters.providers.chat.dialect import (
    ALL_EFFORTS,
    LOW_TO_HIGH,
    TEXT_ONLY,
    Dialect,
    Media,
    budget,
    efforts,
    switch,
    switch_and_efforts,
    template_switch,
)

_DEEPSEEK_EFFORTS: Final[Mapping[Effort, str]] = {
    Effort.MINIMAL: "low",
    Effort.LOW: "low",
    Effort.MEDIUM: "high",
    Effort.HIGH: "high",
    Effort.XHIGH: "max",
}

_HOSTS: Final = (
    # api-docs.deepseek.com, "Thinking Mode": the reasoning of every turn with calls must come back, else 400.
    Dialect(
        name="deepseek",
        title="DeepSeek",
        base_url="https://api.deepseek.com",
        reasoning=switch_and_efforts(_DEEPSEEK_EFFORTS),
        thought_field="reasoning_content",
        demands_thoughts=True,
        takes=TEXT_ONLY,
        refuses=frozenset({"top_k", "seed", "parallel_tool_calls", "json_schema"}),
    ),
    # docs.mistral.ai/api; unknown fields are refused (422), usage comes unasked, ids of calls have nine characters.
    Dialect(
        name="mistral",
        title="Mistral",
        base_url="https://api.mistral.ai/v1",
        seed_field="random_seed",
        cache_field="prompt_cache_key",
        reasoning=efforts({Effort.NONE: "none", Effort.HIGH: "high", Effort.XHIGH: "high"}),
        refuses=frozenset({"top_k", "stream_options"}),
        call_id_length=9,
        bridges_results=True,
        ends_with_user=True,
    ),
    # console.groq.com/docs/api-reference; a message with an unknown field is refused.
    Dialect(
        name="groq",
        title="Groq",
        base_url="https://api.groq.com/openai/v1",
        limit_field="max_completion_tokens",
        reasoning=efforts({**LOW_TO_HIGH, Effort.NONE: "none"}),
        refuses=frozenset({"top_k", "frequency_penalty", "presence_penalty"}),
    ),
    # docs.x.ai/docs/api-reference
    Dialect(
        name="xai",
        title="xAI",
        base_url="https://api.x.ai/v1",
        limit_field="max_completion_tokens",
        reasoning=efforts(LOW_TO_HIGH),
        refuses=frozenset({"top_k"}),
    ),
    # docs.together.ai/reference/chat-completions-1
    Dialect(
        name="together",
        title="Together AI",
        base_url="https://api.together.xyz/v1",
        reasoning=efforts(LOW_TO_HIGH),
        refuses=frozenset({"parallel_tool_calls"}),
    ),
    # docs.fireworks.ai, "Reasoning": reasoning_content is kept between the calls of a turn.
    Dialect(
        name="fireworks",
        title="Fireworks AI",
        base_url="https://api.fireworks.ai/inference/v1",
        reasoning=efforts({**LOW_TO_HIGH, Effort.NONE: "none"}),
        thought_field="reasoning_content",
    ),
    # Alibaba Model Studio, "OpenAI compatible - Chat"; the address is that of Singapore.
    Dialect(
        name="qwen",
        title="Qwen (Alibaba)",
        base_url="https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        reasoning=budget,
        thought_field="reasoning_content",
        takes=frozenset((Media.IMAGE, Media.AUDIO)),
        audio_as_url=True,
        refuses=frozenset({"frequency_penalty"}),
    ),
    # platform.kimi.ai/docs: thinking models want their reasoning back within a turn with calls.
    Dialect(
        name="moonshot",
        title="Moonshot (Kimi)",
        base_url="https://api.moonshot.ai/v1",
        limit_field="max_completion_tokens",
        cache_field="prompt_cache_key",
        reasoning=switch,
        thought_field="reasoning_content",
        refuses=frozenset({"top_k", "seed", "parallel_tool_calls"}),
    ),
    # docs.z.ai/api-reference: usage comes unasked, tool_choice knows only auto, calls stream only when asked for.
    Dialect(
        name="zai",
        title="Z.ai (GLM)",
        base_url="https://api.z.ai/api/paas/v4",
        reasoning=switch,
        thought_field="reasoning_content",
        refuses=frozenset(
            (
                *("top_k", "seed", "frequency_penalty", "presence_penalty", "stream_options"),
                *("tool_choice", "parallel_tool_calls", "json_schema"),
            )
        ),
        extra_with_tools={"tool_stream": True},
    ),
    # docs.api.nvidia.com/nim
    Dialect(
        name="nvidia",
        title="NVIDIA",
        base_url="https://integrate.api.nvidia.com/v1",
        reasoning=efforts(LOW_TO_HIGH),
        refuses=frozenset({"top_k"}),
    ),
    # inference-docs.cerebras.ai, "OpenAI compatibility": these options answer 400.
    Dialect(
        name="cerebras",
        title="Cerebras",
        base_url="https://api.cerebras.ai/v1",
        limit_field="max_completion_tokens",
        reasoning=efforts(LOW_TO_HIGH),
        takes=TEXT_ONLY,
        refuses=frozenset({"top_k", "frequency_penalty", "presence_penalty", "parallel_tool_calls"}),
    ),
    # docs.perplexity.ai/api-reference: answers from the web, without tools; strictly alternating roles.
    Dialect(
        name="perplexity",
        title="Perplexity",
        base_url="https://api.perplexity.ai",
        reasoning=efforts(LOW_TO_HIGH),
        refuses=frozenset({"tools", "stream_options", "seed", "stop", "json_object"}),
        ends_with_user=True,
        models_url=None,
    ),
    # docs.github.com/en/rest/models/inference
    Dialect(
        name="github",
        title="GitHub Models",
        base_url="https://models.github.ai/inference",
        refuses=frozenset({"top_k", "parallel_tool_calls"}),
        models_url="https://models.github.ai/catalog/models",
    ),
)

_LOCAL_MEDIA: Final = frozenset((Media.IMAGE, Media.AUDIO))

_LOCAL: Final = (
    # docs.vllm.ai, "Reasoning Outputs": the field was reasoning_content before version 0.12.
    Dialect(
        name="vllm",
        title="vLLM",
        base_url="http://127.0.0.1:8000/v1",
        needs_key=False,
        reasoning=template_switch,
        thought_field="reasoning",
        takes=_LOCAL_MEDIA,
    ),
    # docs.sglang.ai, "OpenAI APIs"
    Dialect(
        name="sglang",
        title="SGLang",
        base_url="http://127.0.0.1:30000/v1",
        needs_key=False,
        reasoning=template_switch,
        thought_field="reasoning_content",
        takes=_LOCAL_MEDIA,
    ),
    # llama.cpp, tools/server/README.md
    Dialect(
        name="llama-cpp",
        title="llama.cpp",
        base_url="http://127.0.0.1:8080/v1",
        needs_key=False,
        reasoning=template_switch,
        thought_field="reasoning_content",
        takes=_LOCAL_MEDIA,
    ),
    # lmstudio.ai/docs/developer/openai-compat
    Dialect(
        name="lm-studio",
        title="LM Studio",
        base_url="http://127.0.0.1:1234/v1",
        needs_key=False,
        reasoning=efforts({**ALL_EFFORTS, Effort.MINIMAL: "low"}),
        thought_field="reasoning_content",
        refuses=frozenset({"json_object"}),
    ),
    # docs.ollama.com/openai; its own protocol is another adapter.
    Dialect(
        name="ollama-openai",
        title="Ollama (/v1)",
        base_url="http://127.0.0.1:11434/v1",
        needs_key=False,
        reasoning=efforts({**LOW_TO_HIGH, Effort.NONE: "none"}),
        thought_field="reasoning",
        refuses=frozenset({"top_k", "tool_choice", "parallel_tool_calls"}),
    ),
)

VENDORS: Final[tuple[OpenAIChat, ...]] = tuple(OpenAIChat(dialect) for dialect in (*_HOSTS, *_LOCAL))

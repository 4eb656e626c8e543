"""OpenRouter: one address for the models of all providers (https://openrouter.ai/docs/api-reference/overview).

Chat Completions with additions: `provider` names the host that answers, comments keep the connection alive while it is chosen,
pictures come in `images`, and `reasoning_details` must come back unchanged with the next request. An error after the first byte
is a chunk with `error` beside its choices. Anthropic's and Gemini's prompt caches are marked with `cache_control`.
"""

from __future__ import annotations

from typing import Final

from adapters.providers.chat.adapter import OpenAIChat
from adapters.providers.chat.dialect import Dialect, Media, routed

OPENROUTER: Final = OpenAIChat(
    Dialect(
        name="openrouter",
        title="OpenRouter",
        base_url="https://openrouter.ai/api/v1",
        headers={"x-title": "Parley"},
        reasoning=routed,
        thought_field="reasoning",
        takes=frozenset(Media),
        cached_models=("anthropic/", "google/gemini"),
        routes=True,
    )
)

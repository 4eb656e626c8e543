"""Any server that speaks OpenAI's Chat Completions: llama.cpp, vLLM, Ollama, LM Studio, and the many hosts that copy it.

The address is the user's, the key may be missing, and the older `max_tokens` is the name that all of them know.
"""

from __future__ import annotations

from typing import Final

from adapters.providers.openai_chat import Dialect, OpenAIChat

CUSTOM: Final = OpenAIChat(Dialect("custom", None, "max_tokens"))

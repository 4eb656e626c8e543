"""Which models a server of this protocol lists: OpenAI's `{"data": [{"id"}]}`, and what the hosts add to it.

OpenAI gives ids only. OpenRouter, Mistral, Together, Groq, Moonshot, Fireworks, vLLM, llama.cpp, LM Studio and GitHub add
context, abilities or prices, each under names of its own: one table of names a fact, and the first that holds a value counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from adapters.contract import ModelInfo
from adapters.wire.loose_json import objects, read_json, string

_CONTEXT: Final = (
    "context_length",  # OpenRouter, Together, Fireworks, Moonshot
    "context_window",  # Groq
    "max_model_len",  # vLLM, SGLang
    "max_context_length",  # Mistral, LM Studio
    "meta.n_ctx",  # llama.cpp, as it was started
    "meta.n_ctx_train",
    "limits.max_input_tokens",  # GitHub
    "top_provider.context_length",
)
_OUTPUT: Final = (
    "top_provider.max_completion_tokens",
    "max_completion_tokens",  # Groq, Cerebras
    "max_output_tokens",
    "limits.max_output_tokens",
)
_VISION: Final = ("capabilities.vision", "supports_image_in", "supports_image_input")
_TOOLS: Final = ("capabilities.function_calling", "supports_tools")
_REASONING: Final = ("capabilities.reasoning", "supports_reasoning")
_INPUTS: Final = ("architecture.input_modalities", "supported_input_modalities", "input_modalities")
_OPTIONS: Final = ("supported_parameters", "capabilities")
_NO_CHAT: Final = frozenset(
    ("embedding", "embeddings", "image", "audio", "rerank", "moderation", "transcribe", "video", "tts")
)
"""Together's and LM Studio's types of what cannot be talked with."""


def read_models(body: bytes) -> Sequence[ModelInfo]:
    """The listing; () where it is none."""
    value = read_json(body)
    if isinstance(value, dict):
        value = value.get("data") or value.get("models")
    return [model for entry in objects(value) if (model := _read_model(entry)) is not None]


def _read_model(entry: Mapping[str, Any]) -> ModelInfo | None:
    model_id = entry.get("id") or entry.get("name")
    if (
        not isinstance(model_id, str)
        or string(entry.get("type")) in _NO_CHAT
        or _at(entry, "capabilities.completion_chat") is False
    ):
        return None
    name = _first(entry, ("display_name", "name"), str)
    inputs, options = _first(entry, _INPUTS, list), _first(entry, _OPTIONS, list)
    return ModelInfo(
        id=model_id,
        name=name if name != model_id else None,
        context_window=_count(entry, _CONTEXT),
        output_limit=_count(entry, _OUTPUT),
        vision="image" in inputs if inputs is not None else _first(entry, _VISION, bool),
        tools=_offers(options, ("tools", "tool-calling", "tool_use")) if options else _first(entry, _TOOLS, bool),
        reasoning=_offers(options, ("reasoning",)) if options else _first(entry, _REASONING, bool),
        input_price=_price(entry, "prompt", "input"),
        output_price=_price(entry, "completion", "output"),
    )


def _at(entry: Mapping[str, Any], path: str) -> Any:
    value: Any = entry
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _first(entry: Mapping[str, Any], paths: Sequence[str], kind: type) -> Any:
    return next((value for path in paths if isinstance(value := _at(entry, path), kind)), None)


def _count(entry: Mapping[str, Any], paths: Sequence[str]) -> int | None:
    values = (_at(entry, path) for path in paths)
    return next((int(value) for value in values if type(value) in (int, float) and 0 < value < 1e12), None)


def _offers(options: Sequence[Any], names: Sequence[str]) -> bool:
    return any(name in options for name in names)


def _price(entry: Mapping[str, Any], a_token: str, a_million: str) -> float | None:
    """OpenRouter prices one token, as text; Together a million. A router that chooses the model itself has the price -1."""
    try:
        price = float(_at(entry, f"pricing.{a_token}")) * 1e6
    except (TypeError, ValueError, OverflowError):
        price = _at(entry, f"pricing.{a_million}")
    if type(price) not in (int, float) or not 0 <= price < 1e9:
        return None
    return round(float(price), 6)

"""Listings of models, as the hosts write them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import ModelInfo
from adapters.providers.openai_listing import read_models


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        pytest.param({"id": "m", "object": "model", "owned_by": "openai"}, ModelInfo("m"), id="OpenAI"),
        pytest.param({"id": "m", "max_model_len": 4096}, ModelInfo("m", context_window=4096), id="vLLM"),
        pytest.param({"id": "m", "meta": {"n_ctx_train": 8192, "n_ctx": None}}, ModelInfo("m", context_window=8192), id="llama.cpp"),
        pytest.param(
            {"id": "m", "context_window": 131072, "max_completion_tokens": 32768},
            ModelInfo("m", context_window=131072, output_limit=32768),
            id="Groq",
        ),
        pytest.param(
            {"id": "m", "name": "m", "max_context_length": 32768, "capabilities": {"completion_chat": True, "function_calling": True, "vision": False}},
            ModelInfo("m", context_window=32768, vision=False, tools=True),
            id="Mistral",
        ),
        pytest.param(
            {"id": "m", "type": "chat", "display_name": "M", "context_length": 4096, "pricing": {"input": 0.2, "output": 0.6}},
            ModelInfo("m", "M", 4096, input_price=0.2, output_price=0.6),
            id="Together",
        ),
        pytest.param(
            {"id": "m", "context_length": 262144, "supports_image_in": True, "supports_reasoning": True},
            ModelInfo("m", context_window=262144, vision=True, reasoning=True),
            id="Moonshot",
        ),
        pytest.param(
            {"id": "m", "capabilities": ["streaming", "tool-calling"], "supported_input_modalities": ["text"], "limits": {"max_input_tokens": 9, "max_output_tokens": 3}},
            ModelInfo("m", context_window=9, output_limit=3, vision=False, tools=True, reasoning=False),
            id="GitHub",
        ),
        pytest.param({"id": "m", "pricing": {"prompt": "-1", "completion": "x"}}, ModelInfo("m"), id="no price"),
        pytest.param({"id": "m", "context_length": "4096", "pricing": 3, "architecture": []}, ModelInfo("m"), id="odd types"),
        pytest.param({"id": "m", "type": ["chat"], "pricing": {"prompt": 10**400, "input": 10**400}}, ModelInfo("m"), id="odder types"),
    ],
)  # fmt: skip
def test_what_a_host_says_of_a_model(entry: dict[str, Any], expected: ModelInfo) -> None:
    """Each under its own names; what is not said is unknown."""
    assert read_models(json.dumps({"object": "list", "data": [entry]}).encode()) == [expected]
    assert read_models(json.dumps([entry]).encode()) == [expected]


def test_what_cannot_be_talked_with_is_left_out() -> None:
    """Embeddings and the like, and what has no name."""
    entries = [
        {"id": "e", "type": "embedding"},
        {"id": "o", "capabilities": {"completion_chat": False}},
        {"id": 7},
        None,
    ]
    assert read_models(msgspec.json.encode({"data": entries})) == []


@given(st.binary(max_size=40) | st.recursive(st.none() | st.integers() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.sampled_from(["data", "id", "pricing", "meta", "type", "prompt", "capabilities"]), x)).map(msgspec.json.encode))  # fmt: skip
def test_anything_else_is_no_listing(body: bytes) -> None:
    """Never an exception."""
    assert all(isinstance(model, ModelInfo) for model in read_models(body))

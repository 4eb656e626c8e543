"""The exact body that leaves for three protocols, of the golden conversations and of two with tools: tests/conversation/golden_bodies/.

Whoever means to change them rewrites them with `python -m tests.conversation.test_golden_bodies` and reads the difference.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from adapters import registry
from adapters.contract import GenerationRequest
from tests.adapters.histories import place
from tests.adapters.validity import faults
from tests.conversation.conversations import CONVERSATIONS, WITH_TOOLS
from tests.conversation.readable import readable

GOLDEN = Path(__file__).parent / "golden_bodies"
PROVIDERS = (("anthropic", "claude-sonnet-4-5"), ("custom", "m"), ("google", "gemini-3-flash-preview"))
NAMES = (*CONVERSATIONS, *WITH_TOOLS)


def request_of(name: str) -> GenerationRequest:
    return WITH_TOOLS[name]() if name in WITH_TOOLS else CONVERSATIONS[name]().request


def body_of(request: GenerationRequest, provider: str, model: str) -> dict[str, Any]:
    built = registry.adapter(provider).build(msgspec.structs.replace(request, model=model), place(provider))
    body: dict[str, Any] = json.loads(built.body)
    return body


def told(name: str) -> str:
    request = request_of(name)
    bodies = (
        f"=== {provider}\n\n{readable(body_of(request, provider, model), request.system)}"
        for provider, model in PROVIDERS
    )
    return "\n".join(bodies)


@pytest.mark.parametrize("name", NAMES)
def test_the_bodies_are_to_the_letter_what_they_were(name: str) -> None:
    assert told(name) == (GOLDEN / f"{name}.txt").read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_provider_takes_them(name: str) -> None:
    request = request_of(name)
    assert {provider: faults(provider, body_of(request, provider, "m")) for provider in registry.NAMES} == {
        provider: [] for provider in registry.NAMES
    }


def test_there_is_no_golden_body_without_its_conversation() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(NAMES)


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for conversation in NAMES:
        (GOLDEN / f"{conversation}.txt").write_text(told(conversation), "utf-8")

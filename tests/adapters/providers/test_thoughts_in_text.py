"""Reasoning between marks, in protocols whose text has odd fields: what goes back to the provider stays a conversation that it takes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters import registry
from adapters.contract import Endpoint, GenerationRequest, Role, text_message
from adapters.record import TurnRecord
from tests.adapters.cuts import in_steps, run
from tests.adapters.providers.anthropic import anthropic_bodies as anthropic
from tests.adapters.providers.google import google_bodies as google
from tests.adapters.providers.responses import responses_bodies as responses

ENDPOINT = Endpoint("https://models.example/v1", "key")
QUESTION = text_message(Role.USER, "hi")
SEARCH = {"type": "web_search_call", "status": "completed"}
CITED = {"type": "char_location", "cited_text": "z"}


def sent_back(provider: str, body: bytes) -> list[Any]:
    """What the next request says of the model's answer."""
    adapter = registry.adapter(provider)
    record = TurnRecord()
    record.add(run(adapter.open(GenerationRequest("m", (QUESTION,))), in_steps(body, 7)))
    answer = record.message(ENDPOINT.origin(provider, "m"))
    request = adapter.build(GenerationRequest("m", (QUESTION, answer, QUESTION)), ENDPOINT)
    sent = msgspec.json.decode(request.body)
    if provider == "openai-responses":
        return [item for item in sent["input"] if item.get("role") != "user"]
    return [
        part
        for message in sent.get("contents") or sent["messages"]
        if message["role"] != "user"
        for part in message.get("parts") or message["content"]
    ]


CASES = [
    pytest.param(
        "google",
        google.text("<think>plan") + google.text("</think>Hello", thoughtSignature="S") + google.finish(),
        [{"text": "Hello", "thoughtSignature": "S"}],
        id="the signature stays with what is left of its text",
    ),
    pytest.param(
        "google",
        google.text("Hi") + google.text("<think>plan</think>", thoughtSignature="S") + google.finish(),
        [{"text": "Hi"}, {"text": "", "thoughtSignature": "S"}],
        id="a signature whose text was all thought stands on none",
    ),
    pytest.param(
        "google",
        google.text("plan", thoughtSignature="S") + google.text("</think>Hello") + google.finish(),
        [{"text": "", "thoughtSignature": "S"}, {"text": "Hello"}],
        id="a signature whose text was taken back stands on none",
    ),
    pytest.param(
        "anthropic",
        anthropic.start()
        + anthropic.text("<think>open</think>", 0)
        + anthropic.thought("plan", "S", 1)
        + anthropic.text("Hello", 2)
        + anthropic.finish(),
        [{"type": "thinking", "thinking": "plan", "signature": "S"}, {"type": "text", "text": "Hello"}],
        id="what is signed holds the provider's words only",
    ),
    pytest.param(
        "anthropic",
        anthropic.start()
        + anthropic.block(0, "text", text="So <think>x</think>it is")
        + anthropic.delta(0, "citations_delta", citation=CITED)
        + anthropic.end(0)
        + anthropic.finish(),
        [{"type": "text", "text": "So "}, {"type": "text", "text": "it is", "citations": [CITED]}],
        id="citations stay with the end of their text",
    ),
    pytest.param(
        "openai-responses",
        responses.done(responses.message("plan"))
        + responses.done(SEARCH, 1)
        + responses.done(responses.message("so</think>Hello"), 2)
        + responses.completed(),
        [
            {"id": "item_1", **SEARCH},
            {
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "id": "item_2",
                "content": [{"type": "output_text", "text": "Hello", "annotations": []}],
            },
        ],
        id="the call of a server's tool is not taken back with the text around it",
    ),
]


@pytest.mark.parametrize(("provider", "body", "expected"), CASES)
def test_a_thought_in_the_text_leaves_the_rest_of_the_answer_as_its_provider_wants_it(
    provider: str, body: bytes, expected: list[Any]
) -> None:
    assert sent_back(provider, body) == expected

"""The judges of tests/adapters/validity.py see what they are there for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.adapters.validity import faults


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


HI = {"role": "user", "content": [text("hi")]}
USE = {"type": "tool_use", "id": "a", "name": "get", "input": {}}
CALL = {"id": "a", "type": "function", "function": {"name": "get", "arguments": "{}"}}
ITEM = {"type": "function_call", "call_id": "a", "name": "get", "arguments": "{}"}


@pytest.mark.parametrize(
    ("name", "body", "fault"),
    [
        ("anthropic", {"messages": [HI, HI]}, "user after user"),
        ("anthropic", {"messages": [{"role": "user", "content": [text(" ")]}]}, "blank text ' '"),
        ("anthropic", {"messages": [HI, {"role": "assistant", "content": [text("so ")]}]}, "white space at the end"),
        ("anthropic", {"messages": [HI, {"role": "assistant", "content": [USE]}], "tools": [{}]}, "ends with open calls"),
        ("anthropic", {"messages": [{"role": "user", "content": [text("a\x00")]}]}, "control character in 'a\\x00'"),
        ("bedrock", {"messages": [{"role": "user", "content": [{"text": "a"}]}, {"role": "assistant", "content": [{"text": "b"}]}]}, "ends with the assistant"),
        ("google", {"contents": [{"role": "user", "parts": [{"text": ""}]}]}, "an empty part"),
        ("google", {"contents": [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}}}]}]}, "ends with open calls"),
        ("openai-chat", {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": None, "tool_calls": [CALL]}]}, "open calls ['a']"),
        ("openai-chat", {"messages": [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}]}, "system text in the middle"),
        ("mistral", {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "so"}]}, "ends with the assistant"),
        ("openai-responses", {"input": [{"role": "user", "content": [{"type": "input_text", "text": "a"}]}, ITEM]}, "open calls ['a']"),
        ("ollama", {"messages": [{"role": "user", "content": ""}]}, "an empty message of user"),
        ("openai-chat", {"messages": [{"role": "system", "content": " "}, {"role": "user", "content": "hi"}]}, "blank text ' '"),
        ("google", {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "systemInstruction": {"parts": [{"text": " "}]}}, "a blank system prompt"),
        ("openai-chat", {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/tiff;base64,eA=="}}]}]}, "a picture of type data:image/tiff"),
        ("google", {"contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "application/pdf", "data": ""}}]}]}, "media without bytes, application/pdf"),
        ("anthropic", {"messages": [{"role": "user", "content": [text("hi") | {"cache_control": {}}] * 5}]}, "5 cache marks"),
        ("anthropic", {"messages": [HI], "tools": [{"name": "a.b"}]}, "illegal name 'a.b'"),
        ("google", {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "tools": [{"functionDeclarations": [{"name": "a"}, {"name": "a"}]}]}, "tools of one name, ['a', 'a']"),
    ],
)  # fmt: skip
def test_what_a_provider_refuses_is_seen(name: str, body: dict[str, Any], fault: str) -> None:
    """One rule of each kind; the laws in test_histories rest on these."""
    assert list(faults(name, body)) == [fault]

"""Whatever a history holds, the request that is made of it is legal for its provider and says all that was said, in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters import registry
from adapters.contract import FunctionCall, NamedTool, PromptMessage, Role, TextPart, ToolResult
from tests.adapters.histories import (
    MODELS,
    TOOLS,
    assistant_messages,
    built,
    conversation,
    numbered,
    place,
    turns,
    user_messages,
)
from tests.adapters.validity import faults, strings

OPTIONS: Final[Sequence[dict[str, Any]]] = (
    {},
    {"tools": TOOLS},
    {"dropped": frozenset({"tools"})},
    {"system": "S", "cache_key": "c"},
    {"system": " \n", "tools": TOOLS, "cache_key": "c"},
    {"system": "S\x00\ud83d", "tools": TOOLS, "dropped": frozenset({"system_role"})},
)

every_provider = pytest.mark.parametrize("name", registry.NAMES)


@every_provider
@given(data=st.data())
@settings(max_examples=30)
def test_every_request_is_legal_and_loses_no_word(name: str, data: st.DataObject) -> None:
    """Of people and of models, in the order in which they spoke, and what one message says does not run into the next."""
    model = data.draw(st.sampled_from(MODELS.get(name, ("m",))))
    own = place(name).origin(name, model)
    history, texts = numbered(
        data.draw(st.lists(st.one_of(user_messages(), assistant_messages(name, own)), max_size=6))
    )
    options = data.draw(st.sampled_from(OPTIONS))
    body = built(name, model, history, **options)
    assert not faults(name, body)
    assert not [text for text in strings(conversation(body)) if re.search(r"\SQ\d{3}Z", text)]
    said = "".join(strings(conversation(body)))
    assert [text for text in texts if text in said] == texts
    assert sorted(texts, key=said.index) == texts


@every_provider
def test_a_tool_has_a_legal_name_wherever_it_is_spoken_of(name: str) -> None:
    """On offer, in the choice and in the history; what comes back is led back (tool_calls.verdict)."""
    call, result = FunctionCall("a", "files.read", {}), ToolResult("a", "files.read", (TextPart("1"),))
    history = (
        PromptMessage(Role.USER, (TextPart("?"),)),
        PromptMessage(Role.ASSISTANT, (call,)),
        PromptMessage(Role.USER, (result,)),
    )
    body = built(name, MODELS.get(name, ("m",))[0], history, tools=TOOLS, tool_choice=NamedTool("files.read"))
    if "tools" in body or "toolConfig" in body:
        assert "files_read_2" in set(strings(body))
        assert not any("files.read" in text for text in strings(body))


@every_provider
def test_what_a_tool_said_in_pieces_is_told_in_pieces(name: str) -> None:
    """Nothing runs into the next where a result is one text."""
    history = (
        PromptMessage(Role.USER, (TextPart("?"),)),
        PromptMessage(Role.ASSISTANT, (FunctionCall("a", "get", {}),)),
        PromptMessage(Role.USER, (ToolResult("a", "get", (TextPart("first"), TextPart("second"))),)),
    )
    said = list(strings(conversation(built(name, MODELS.get(name, ("m",))[0], history))))
    assert any("first" in text for text in said)
    assert any("second" in text for text in said)
    assert not any("firstsecond" in text for text in said)


# ------------------------------------------------------------------------------------------------- longer conversations


@every_provider
@given(data=st.data())
@settings(max_examples=10)
def test_a_longer_conversation_begins_as_the_shorter_one_did(name: str, data: st.DataObject) -> None:
    """Providers keep the beginnings of prompts, and find them again only where nothing in them has changed."""
    model = data.draw(st.sampled_from(MODELS.get(name, ("m",))))
    question = PromptMessage(Role.USER, (TextPart("and?"),))
    history: list[PromptMessage] = []
    before: list[Any] = []
    for _ in range(3):
        history += data.draw(turns(name, place(name).origin(name, model)))
        asked = conversation(built(name, model, [*history, question], tools=TOOLS))
        assert asked[: len(before)] == before
        before = asked[:-1]

"""Conversations that broke other bots: with every provider, the request is legal and holds what its case says.

The cases lie beside the checkout (tests/shared.py). Labels of speakers are the bot's work (bot.conversation); here a plain one
stands for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from adapters import registry
from adapters.contract import FunctionCall, MalformedCall, Part, PromptMessage, Role, TextPart, ToolResult
from tests.adapters.histories import MODELS, built, conversation
from tests.adapters.validity import faults, strings
from tests.shared import SHARED

CASES = SHARED / "cases" / "cases.jsonl"


def histories() -> list[Any]:
    lines = CASES.read_text(encoding="utf-8").splitlines() if CASES.exists() else ()
    cases = [case for case in map(json.loads, filter(None, lines)) if _is_ours(case)]
    if not cases:
        return [
            pytest.param({}, marks=pytest.mark.skip(f"no cases under {SHARED}; PARLEY_SHARED names another folder"))
        ]
    return [pytest.param(case, id=case["id"]) for case in cases]


def _is_ours(case: dict[str, Any]) -> bool:
    return case["input"]["kind"] == "history" and case["area"] in ("conversation", "tools")


def messages_of(turns: list[dict[str, Any]], names: dict[str, str]) -> list[PromptMessage]:
    """`names`: of the calls so far."""
    return [_message(turn, names) for turn in turns if turn["role"] != "system"]


def _message(turn: Mapping[str, Any], names: dict[str, str]) -> PromptMessage:
    text = turn.get("content") or ""
    if turn["role"] == "tool":
        call_id = turn["tool_call_id"]
        return PromptMessage(Role.USER, (ToolResult(call_id, names.get(call_id, "unknown"), (TextPart(text),)),))
    if turn["role"] == "user":
        return PromptMessage(Role.USER, (TextPart(f"{turn['author']} (1): {text}" if "author" in turn else text),))
    calls: list[Part] = []
    for call in turn.get("tool_calls", ()):
        names[call["id"]] = call["name"]
        raw = call.get("arguments_raw")
        made = FunctionCall(call["id"], call["name"], call.get("arguments", {}))
        calls.append(made if raw is None else MalformedCall(call["id"], call["name"], raw, "invalid JSON"))
    return PromptMessage(Role.ASSISTANT, (TextPart(text), *calls))


@pytest.mark.parametrize("case", histories())
@pytest.mark.parametrize("name", registry.NAMES)
def test_the_request_is_legal_and_as_the_case_wants_it(name: str, case: dict[str, Any]) -> None:
    """Not only with the provider that the fault was reported of."""
    turns, names = case["input"]["turns"], dict[str, str]()
    messages = messages_of(turns, names)[-case["input"].get("keep_last", 1000) :]
    system = "\n\n".join(turn["content"] for turn in turns if turn["role"] == "system")
    wanted = case["expected"]["request"]
    for model in MODELS.get(name, ("m",)):
        body = built(name, model, messages, system=system)
        assert not faults(name, body)
        said = "\n".join(strings(body))
        kept = [*wanted.get("user_text_in_order", ()), *wanted.get("kept", ())]
        assert all(text in said for text in [*kept, *wanted.get("contains", ()), *wanted.get("speakers_named", ())])
        assert sorted(kept, key=said.index) == kept
        if "roles" in wanted:
            roles = [each["role"] for each in conversation(body) if each["role"] != "system"]
            assert roles == wanted["roles"]


def test_the_answers_of_parallel_calls_stand_alone_in_one_content() -> None:
    """Google counts them; a picture that a tool gave is not among them."""
    turns: list[dict[str, Any]] = [
        {"role": "user", "content": "weather in Oslo and Lima"},
        {"role": "assistant", "tool_calls": [{"id": each, "name": "get_weather"} for each in ("t1", "t2")]},
        {"role": "tool", "tool_call_id": "t2", "content": "19 °C"},
        {"role": "tool", "tool_call_id": "t1", "content": "4 °C"},
    ]
    last = conversation(built("google", "gemini-2.5-flash", messages_of(turns, {})))[-1]
    assert [part["functionResponse"]["response"]["output"] for part in last["parts"]] == ["4 °C", "19 °C"]

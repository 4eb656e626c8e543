"""Names of tools that every API takes, and the way back."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import FunctionCall, MalformedCall, ToolSpec
from adapters.tool_calls.verdict import Verdicts
from adapters.tool_calls.wire_names import wire_name, wire_names


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("get", "get"), ("get-it_2", "get-it_2"), ("files.read", "files_read"), ("no such\ntool", "no_such_tool"),
        ("größe", "gr__e"), ("2fa", "_2fa"), ("-x", "_-x"), ("x" * 70, "x" * 64), ("9" * 70, "_" + "9" * 63), ("", "unknown"),
    ],
)  # fmt: skip
def test_a_name_is_led_into_the_alphabet(name: str, sent: str) -> None:
    """Google wants a letter or `_` first, and none takes more than 64 signs."""
    assert wire_name(name) == sent


def test_two_tools_never_share_a_name() -> None:
    """One that is legal keeps its own, whatever stands before it."""
    assert wire_names(["a.b", "a_b", "a/b", "a_b"]) == {"a_b": "a_b", "a.b": "a_b_2", "a/b": "a_b_3"}
    assert len(set(wire_names(["x" * 64 + "y", "x" * 64 + "z", "x" * 64]).values())) == 3


@given(st.lists(st.text(max_size=80)))
def test_every_name_is_legal_and_has_a_way_back(names: list[str]) -> None:
    """Whatever people call their tools."""
    sent = wire_names(names)
    assert set(sent) == set(names)
    assert len(set(sent.values())) == len(sent)
    assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]{0,63}", each) for each in sent.values())


def test_a_call_of_the_name_that_was_sent_is_one_of_the_tool() -> None:
    """Who runs it sees the tool's own name; the model hears of the names that it knows."""
    verdicts = Verdicts(
        (ToolSpec("files.read", "", {"type": "object"}), ToolSpec("files_read", "", {"type": "object"}))
    )
    assert verdicts.judge("a", "files_read_2", "{}", ended=True) == FunctionCall("a", "files.read", {})
    assert verdicts.judge("a", "files_read", "{}", ended=True) == FunctionCall("a", "files_read", {})
    assert verdicts.judge("a", "files.read", "{}", ended=True) == FunctionCall("a", "files.read", {})
    missing = verdicts.judge("a", "write", "{}", ended=True)
    assert isinstance(missing, MalformedCall)
    assert "Available: files_read, files_read_2" in missing.problem

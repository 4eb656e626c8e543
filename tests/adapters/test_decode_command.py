"""`python -m adapters decode`: its face is read by scripts."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from adapters import registry
from adapters.decode_command import main
from tests.adapters.captured import capture
from tests.adapters.providers.chat.chat_bodies import DONE, delta, finish, text

KEYS = [
    *("text", "thinking", "tool_calls", "malformed_tool_calls", "finish", "provider_finish_reason"),
    *("usage", "serving_provider", "images", "error"),
]


@pytest.fixture
def body(tmp_path: Path) -> Path:
    path = tmp_path / "body"
    path.write_bytes(capture("openai-text-usage"))
    return path


def result_of(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    result: dict[str, Any] = json.loads(line)
    return result


def test_an_answer_is_one_json_object_on_one_line(capsys: pytest.CaptureFixture[str], body: Path) -> None:
    """All keys, in the documented shapes."""
    result = result_of(capsys, "--provider", "custom", str(body))
    assert list(result) == KEYS
    assert str(result["text"]).startswith("The sea is a vast")
    assert (result["finish"], result["provider_finish_reason"], result["error"]) == ("stop", "stop", None)
    assert result["usage"] == {
        "input_tokens": 28,
        "output_tokens": 51,
        "reasoning_tokens": None,
        "cache_read_tokens": 27,
        "cache_write_tokens": None,
    }


@pytest.mark.parametrize("size", ["1", "7", "1000"])
def test_a_split_changes_nothing(capsys: pytest.CaptureFixture[str], body: Path, size: str) -> None:
    """The same result for any number of bytes at a time."""
    whole = result_of(capsys, "--provider", "openai-chat", str(body))
    assert result_of(capsys, "--provider", "openai-chat", "--split", size, str(body)) == whole


def test_a_refused_request_is_a_result(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Status and headers; exit 0 all the same."""
    path = tmp_path / "body"
    path.write_bytes(b'{"error": {"message": "slow down"}}')
    result = result_of(capsys, "--provider", "custom", "--status", "429", "--header", "Retry-After: 7", str(path))
    assert result["finish"] == "error"
    assert result["error"] == {
        "type": "rate_limit",
        "reason": "rate_limit",
        "message": "slow down",
        "code": "429",
        "retryable": True,
        "rotate_key": True,
        "retry_after": 7.0,
    }


@pytest.mark.parametrize(
    ("name", "finish", "reason"),
    [
        ("killed-midstream", "incomplete", "truncated_stream"),
        ("openai-tool-auto-broken", "error", "server"),
        ("openai-reasoning-only", "stop", "empty_reply"),
    ],
)
def test_the_finish_says_how_far_an_answer_with_an_error_came(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, finish: str, reason: str
) -> None:
    """Cut, broken, or complete and empty."""
    path = tmp_path / "body"
    path.write_bytes(capture(name))
    result = result_of(capsys, "--provider", "custom", str(path))
    error = result["error"]
    assert isinstance(error, dict)
    assert (result["finish"], error["reason"]) == (finish, reason)


def test_a_reset_is_a_lost_connection(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """--cut reset."""
    path = tmp_path / "body"
    path.write_bytes(capture("killed-midstream"))
    error = result_of(capsys, "--provider", "custom", "--cut", "reset", str(path))["error"]
    assert isinstance(error, dict)
    assert (error["reason"], error["retryable"]) == ("connection", False)


def test_a_broken_call_names_its_problem(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """All four keys of a malformed call."""
    path = tmp_path / "body"
    path.write_bytes(capture("openai-tool-cut"))
    calls = result_of(capsys, "--provider", "custom", str(path))["malformed_tool_calls"]
    assert isinstance(calls, list)
    assert list(calls[0]) == ["id", "name", "raw_arguments", "problem"]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--provider", "nobody"],
        ["--provider", "custom", "/nowhere/at/all"],
        ["--provider", "custom", "--header", "no colon"],
        ["--provider", "custom", "--split", "0"],
        ["--provider", "custom", "--tools", __file__],
        [],
    ],
)
def test_wrong_usage_is_exit_2_and_says_why(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    """Nothing on standard output."""
    with pytest.raises(SystemExit) as stop:
        main([*arguments])
    out, err = capsys.readouterr()
    assert (stop.value.code, out) == (2, "")
    assert err.strip()


def test_an_unknown_provider_is_told_which_ones_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    """One clear line."""
    with pytest.raises(SystemExit):
        main(["--provider", "nobody"])
    (line,) = capsys.readouterr().err.splitlines()
    assert all(name in line for name in registry.NAMES)


TOOLS = (
    '[{"type": "function", "function": {"name": "get_weather", "description": "", "parameters":'
    ' {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}]'
)
ASKING = 'Let me see.\n<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'


@pytest.fixture
def tools(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(TOOLS)
    return str(path)


def test_a_call_in_the_text_is_a_call_where_that_is_asked_for(
    capsys: pytest.CaptureFixture[str], tools: str, tmp_path: Path
) -> None:
    path = tmp_path / "asking"
    path.write_bytes(text(ASKING) + finish() + DONE)
    asked = ["--provider", "custom", "--tools", tools, str(path)]
    assert result_of(capsys, *asked)["text"] == ASKING
    result = result_of(capsys, "--text-tools", *asked)
    assert (result["text"], result["finish"]) == ("Let me see.\n", "tool_calls")
    (call,) = result["tool_calls"]
    assert (call["name"], call["arguments"]) == ("get_weather", {"city": "Oslo"})


def test_a_call_is_held_against_the_schema_of_its_tool(
    capsys: pytest.CaptureFixture[str], tools: str, tmp_path: Path
) -> None:
    path = tmp_path / "calling"
    path.write_bytes(
        delta(tool_calls=[{"index": 0, "id": "c", "function": {"name": "get_weather", "arguments": "{}"}}])
        + finish("tool_calls")
        + DONE
    )
    result = result_of(capsys, "--provider", "custom", "--tools", tools, str(path))
    (malformed,) = result["malformed_tool_calls"]
    assert result["tool_calls"] == []
    assert "city" in malformed["problem"]


def test_nothing_is_recovered_without_tools_and_that_is_told(capsys: pytest.CaptureFixture[str], body: Path) -> None:
    assert main(["--provider", "custom", "--text-tools", str(body)]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["error"] is None
    assert "--tools" in err


def test_the_command_reads_standard_input() -> None:
    """As a real process, the way scripts call it."""
    run = subprocess.run(
        [sys.executable, "-m", "adapters", "decode", "--provider", "custom", "-"],
        input=capture("openai-emoji"),
        capture_output=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert json.loads(run.stdout)["text"].startswith("Hola! 🌻")


def test_every_name_has_its_adapter() -> None:
    """The registry answers for itself."""
    assert [registry.adapter(name).name for name in registry.NAMES] == list(registry.NAMES)
    with pytest.raises(KeyError, match="custom"):
        registry.adapter("nobody")

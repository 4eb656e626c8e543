"""The oracle itself: what it checks, what it counts as unchecked, and what happens where Discord's schemas are absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.openapi import Contract
from tests.playground.standin_dialogue import dialogue


async def test_without_discords_schemas_a_dialogue_runs_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLEY_SHARED", str(tmp_path))
    assert Contract.load() is None
    async with dialogue() as (standin, client):
        await standin.say(standin.user("Ada"), standin.channel("general"), "hello")
        await client.until_heard("message")
        assert client.contents() == ["hello"]


def test_without_discords_schemas_what_asserts_about_the_oracle_is_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLEY_SHARED", str(tmp_path))
    with pytest.raises(pytest.skip.Exception, match="not on this machine"):
        Contract()


def test_what_breaks_a_schema_is_a_violation_and_what_has_none_is_counted() -> None:
    contract = Contract()
    contract.response("GET", "/users/@me", 200, {"id": 5})
    contract.response("GET", "/users/@me", 503, {"message": "down"})
    contract.response("GET", "/users/@me", 502, "upstream connect error")
    contract.response("GET", "/users/@me", 299, {})
    contract.gateway("HELLO", {"heartbeat_interval": 41250}, "to_client")
    contract.gateway("HEARTBEAT", None, "from_client")
    assert set(contract.checked) == {"response GET /users/@me 200", "gateway HELLO"}
    assert set(contract.unchecked) == {
        "response GET /users/@me 503",
        "response GET /users/@me 502",
        "response GET /users/@me 299",
        "gateway HEARTBEAT",
    }
    assert any(violation.startswith("response GET /users/@me 200") for violation in contract.violations)
    assert "response GET /users/@me 299 is not documented" in contract.violations

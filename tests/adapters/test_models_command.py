"""`python -m adapters models` against a server on this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters.__main__ import main

LISTING = {"object": "list", "data": [{"id": "gpt-4o-mini"}, {"id": "mine", "max_model_len": 4096}]}


async def listing(request: web.Request) -> web.Response:
    if request.headers.get("authorization") != "Bearer k":
        return web.json_response({"error": {"message": "no such key"}}, status=401)
    return web.json_response(LISTING)


async def run(*arguments: str) -> int:
    """The command in a thread: it has an event loop of its own."""
    application = web.Application()
    application.router.add_get("/v1/models", listing)
    async with TestServer(application) as server:
        address = str(server.make_url("/v1"))
        return await asyncio.to_thread(main, ["models", "--provider", "custom", "--base-url", address, *arguments])


async def test_it_prints_what_is_known_of_each_model(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The provider's word, the operator's rows and the shipped ones together."""
    monkeypatch.setenv("LLM_API_KEYS", "k,other")
    own = tmp_path / "own.csv"
    own.write_text(
        "sellers,model,context_window,output_limit,vision,tools,reasoning,input_price,output_price\r\n,mine,,,yes,,,,\r\n",
        "utf-8-sig",  # as spreadsheets write it
    )
    assert await run("--catalogue", str(own)) == 0
    first, second = [msgspec.json.decode(line, type=dict[str, object]) for line in capsys.readouterr().out.splitlines()]
    assert (first["id"], first["context_window"], first["vision"]) == ("gpt-4o-mini", 128000, True)
    assert (second["id"], second["context_window"], second["vision"]) == ("mine", 4096, True)


async def test_a_provider_that_refuses_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LLM_API_KEYS", "wrong")
    assert await run() == 1
    assert capsys.readouterr().err == "models: custom: auth: no such key\n"


async def test_a_catalogue_that_is_none_is_wrong_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("id\n")
    assert await run("--catalogue", str(own)) == 2
    assert "the first row must be" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["bake"], ["models"], ["models", "--provider", "nobody"]])
def test_wrong_usage_is_exit_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    try:
        status: object = main(arguments)
    except SystemExit as exit_:
        status = exit_.code
    assert status == 2
    assert "usage" in capsys.readouterr().err

"""`python -m adapters models` against a server on this machine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from adapters import models_command, registry
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


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"id\n", "{path}: the first row must be sellers,"),
        (b"\xff\xfe", "{path} is not text in UTF-8"),
        (None, "cannot read {path}: No such file"),
    ],
)
async def test_a_catalogue_that_is_none_is_wrong_usage(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, content: bytes | None, told: str
) -> None:
    """In one line that names the file."""
    own = tmp_path / "own.csv"
    if content is not None:
        own.write_bytes(content)
    assert await run("--catalogue", str(own)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"models: {told.format(path=own)}")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--provider", "nobody"], f"no provider 'nobody'; there are {', '.join(registry.NAMES)}"),
        (["--provider", "custom"], "custom needs --base-url, such as http://127.0.0.1:8080/v1"),
        (["--provider", "bedrock"], "bedrock needs --base-url, such as https://bedrock-runtime.us-east-1.amazonaws.com"),
        *(
            (["--provider", "custom", "--base-url", address], "--base-url must be an address such as http://127.0.0.1:8080/v1")
            for address in ("", "host", "ftp://host", "http://", "http://[::1", "http://host:99999", "http://a b")
        ),
    ],
)  # fmt: skip
def test_a_place_that_cannot_be_asked_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], line: str
) -> None:
    """Before anything is sent."""
    assert main(["models", *arguments]) == 2
    assert capsys.readouterr() == ("", f"models: {line}\n")


def test_a_provider_without_a_list_says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thing than an empty one."""
    monkeypatch.setenv("LLM_API_KEYS", "k")
    assert main(["models", "--provider", "perplexity"]) == 1
    assert capsys.readouterr().err.startswith("models: perplexity has no list of models there")


@pytest.mark.parametrize(
    ("fault", "status", "told"),
    [(BrokenPipeError(), 0, ""), (OSError(28, "No space left on device"), 1, "models: No space left on device\n"), (KeyboardInterrupt(), 130, "")],
)  # fmt: skip
def test_an_output_that_nobody_reads_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], fault: BaseException, status: int, told: str
) -> None:
    """`| head`, a full disk, Ctrl+C."""

    def break_off(_: object) -> int:
        raise fault

    monkeypatch.setattr(models_command, "main", break_off)
    assert main(["models"]) == status
    assert capfd.readouterr().err == told


@pytest.mark.parametrize("arguments", [[], ["bake"], ["models"]])
def test_wrong_usage_is_exit_2(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    try:
        status: object = main(arguments)
    except SystemExit as exit_:
        status = exit_.code
    assert status == 2
    assert "usage" in capsys.readouterr().err

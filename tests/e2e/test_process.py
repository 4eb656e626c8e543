"""`python -m bot …` as an operator starts it: a process, an environment, signals, lines on a terminal."""

import asyncio
import os
import signal
import sqlite3
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from bot.playground.scripted_provider import Say, ScriptedProvider, Until, spoken
from bot.playground.standin import Standin
from tests.e2e.house import House

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def process(*arguments: str, folder: Path, **variables: str) -> AsyncIterator[Process]:
    """`python -m bot` in an empty folder, so that no .env of a developer is read; killed when left."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **variables}
    started = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bot", *arguments, cwd=folder, env=environment, stdout=PIPE, stderr=PIPE
    )
    try:
        async with asyncio.timeout(60):
            yield started
    finally:
        if started.returncode is None:
            started.kill()
        await started.communicate()


async def ended(started: Process) -> tuple[int, str, str]:
    out, err = await started.communicate()
    assert started.returncode is not None
    return started.returncode, out.decode(), err.decode()


def settings(standin: Standin, provider: ScriptedProvider | None = None) -> dict[str, str]:
    model = {"LLM_PROVIDER": "custom", "LLM_MODEL": "demo", "LLM_BASE_URL": provider.base_url} if provider else {}
    return {"DISCORD_TOKEN": standin.token, "DISCORD_API_URL": standin.api_url, "LOG_FORMAT": "json", **model}


async def test_a_missing_setting_is_one_line_and_exit_2(tmp_path: Path) -> None:
    async with process("run", folder=tmp_path) as started:
        code, out, err = await ended(started)
    assert (code, out) == (2, "")
    assert err.splitlines() == [
        "DISCORD_TOKEN is missing: the bot's token, from Discord's developer portal (your application → Bot → Reset Token)"
    ]


@pytest.mark.parametrize(
    ("variable", "value", "line"),
    [
        ("DEFAULT_LOCALE", "xx", "DEFAULT_LOCALE is 'xx': there is no locale 'xx'; there are de, en-US"),
        (
            "DATABASE_URL",
            "sqlite+aiosqlite:////proc/no/parley.db",
            "DATABASE_URL is 'sqlite+aiosqlite:////proc/no/parley.db': ",
        ),
    ],
)
async def test_a_setting_that_cannot_be_used_is_one_line_and_exit_2(
    tmp_path: Path, variable: str, value: str, line: str
) -> None:
    async with process("run", folder=tmp_path, DISCORD_TOKEN="a.b.c", **{variable: value}) as started:
        code, _, err = await ended(started)
    assert code == 2
    (only,) = err.splitlines()
    assert only.startswith(line)


async def test_a_refused_token_is_one_clear_line_without_the_token(tmp_path: Path) -> None:
    async with Standin() as standin:
        variables = {**settings(standin), "DISCORD_TOKEN": "not.the.token"}
        async with process("run", folder=tmp_path, **variables) as started:
            code, _, err = await ended(started)
    assert code == 2
    assert err.splitlines()[-1] == "DISCORD_TOKEN was refused by Discord: it is wrong, or was reset"
    assert "not.the.token" not in err
    assert "Traceback" not in err


async def test_wrong_usage_names_the_commands_and_exits_2(tmp_path: Path) -> None:
    async with process("fly", folder=tmp_path) as started:
        code, _, err = await ended(started)
    assert code == 2
    assert {"run", "playground", "render"} <= set(err.split())


@pytest.mark.parametrize("variable", ["LLM_BASE_URL", "DISCORD_API_URL"])
async def test_an_unreachable_model_or_discord_is_a_line_and_the_bot_waits_for_it(
    tmp_path: Path, variable: str
) -> None:
    async with Standin() as standin, ScriptedProvider(lambda _: []) as provider:
        variables = {**settings(standin, provider), variable: "http://127.0.0.1:1/v1"}
        async with process("run", folder=tmp_path, **variables) as started:
            assert started.stderr is not None
            word = {"LLM_BASE_URL": b"model_unreachable", "DISCORD_API_URL": b"discord_unreachable"}[variable]
            while word not in await started.stderr.readline():
                assert not started.stderr.at_eof()
            if variable == "LLM_BASE_URL":
                await standin.wait_for(lambda _: standin.connected_sessions == 1, within=30)
            started.send_signal(signal.SIGTERM)
            code, _, err = await ended(started)
    assert code == 0
    assert "Traceback" not in err


async def test_sigterm_lets_a_running_answer_end_and_takes_no_new_one(tmp_path: Path) -> None:
    gate = asyncio.Event()
    async with (
        Standin() as standin,
        ScriptedProvider(lambda _: [Say("Half"), Until(gate), Say(" and half.")]) as provider,
    ):
        house = House(standin, None)
        async with process("run", folder=tmp_path, **settings(standin, provider)) as started:
            await standin.wait_for(lambda _: standin.connected_sessions == 1, within=30)
            await house.ask("Talk.")
            await standin.wait_for(lambda _: house.answers())
            started.send_signal(signal.SIGTERM)
            assert started.stderr is not None
            while b"stopping" not in await started.stderr.readline():
                assert not started.stderr.at_eof()
            await house.ask("Another one?", by=house.bo)
            gate.set()
            code, _, err = await ended(started)
        assert code == 0
        assert "Traceback" not in err
        assert len(provider.requests) == 1
        assert [text.partition("\n")[0] for text in house.texts()] == ["Half and half."]


async def test_being_asked_to_end_at_the_very_start_is_no_failure(tmp_path: Path) -> None:
    async with process("run", folder=tmp_path, DISCORD_TOKEN="a.b.c", LOG_LEVEL="loud") as started:
        code, _, _ = await ended(started)
    assert code == 2
    async with Standin() as standin, process("run", folder=tmp_path, **settings(standin)) as started:
        assert started.stderr is not None
        await started.stderr.readline()
        started.send_signal(signal.SIGTERM)
        code, _, err = await ended(started)
    assert (code, "Traceback" in err) == (0, False)


async def test_a_database_of_a_newer_version_is_one_line(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "parley.db") as database:
        database.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL)")
        database.execute("INSERT INTO alembic_version VALUES ('9999')")
    variables = {"DISCORD_TOKEN": "a.b.c", "DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/parley.db"}
    async with process("run", folder=tmp_path, **variables) as started:
        code, _, err = await ended(started)
    assert code == 2
    (line,) = err.splitlines()
    assert line.startswith("DATABASE_URL is ")
    assert "9999" in line


async def test_a_second_process_on_the_same_database_answers_nothing_twice(tmp_path: Path) -> None:
    async with Standin() as standin, ScriptedProvider(lambda _: spoken("Once.")) as provider:
        house = House(standin, None)
        variables = {**settings(standin, provider), "DATABASE_URL": f"sqlite+aiosqlite:///{tmp_path}/shared.db"}
        async with (
            process("run", folder=tmp_path, **variables) as one,
            process("run", folder=tmp_path, **variables) as other,
        ):
            await standin.wait_for(lambda _: standin.connected_sessions == 2, within=30)
            await house.ask("Hello?")
            await house.answered()
            for started in (one, other):
                started.send_signal(signal.SIGTERM)
                code, _, err = await ended(started)
                assert code == 0
                assert "Traceback" not in err
        assert len(provider.requests) == len(house.answers()) == 1

"""The playground as a whole: stand-in, bot, page and model, as `make playground` starts them."""

import asyncio
import os
import signal
from pathlib import Path

import aiohttp
import pytest

from bot.conversation.prompt import CONTINUE
from bot.playground import local_model as local_model_module
from bot.playground import serve_model
from bot.playground.demo import ANSWERS, demo_script
from bot.playground.local_model import LocalModelUnavailable, local_model
from bot.playground.run import DEMO, open_playground
from bot.playground.scripted_provider import BreakOff, Pause, Refuse, Say, ScriptedProvider, Think, spoken
from bot.playground.serve_model import MODEL_NAME, weights
from bot.playground.standin import Standin
from bot.preferences import ModelPreferences
from bot.store import Scope
from tests.e2e.house import House, discord_py_restored
from tests.e2e.test_process import ended, process

needs_model = pytest.mark.skipif(weights() is None, reason="the small model is not installed (requirements/model.txt)")


@pytest.fixture(autouse=True)
def _no_settings_of_the_developers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in os.environ:
        if name.startswith(("LLM_", "DISCORD_")):
            monkeypatch.delenv(name)


async def answered_in(standin: Standin, question: str) -> House:
    house = House(standin, None)
    await standin.wait_for(lambda _: standin.connected_sessions == 1, within=30)
    await house.ask(question)
    await standin.wait_for(lambda _: house.texts() and "-# `" in house.texts()[-1], within=120)
    return house


async def test_recorded_answers_take_the_whole_way_into_the_channel() -> None:
    with discord_py_restored():
        async with open_playground(DEMO, port=0) as playground:
            house = await answered_in(playground.standin, "hello")
            async with aiohttp.ClientSession() as browser, browser.get(playground.page.url) as answer:
                assert answer.status == 200
    told = house.texts()[0]
    assert told.startswith((ANSWERS / "hello.md").read_text(encoding="utf-8").strip() + "\n-# `demo`")


@needs_model
async def test_the_small_real_model_answers() -> None:
    with discord_py_restored():
        async with open_playground(port=0) as playground:
            # So small a model says nothing at all now and then, unless it is left no choice.
            await playground.app.preferences.change(ModelPreferences, Scope.GLOBAL, 0, temperature=0.0)
            house = await answered_in(playground.standin, "Say hello.")
    text, _, footer = house.texts()[-1].rpartition("\n-# ")
    assert text.strip()
    assert footer.startswith(f"`{MODEL_NAME}` · ")


@needs_model
async def test_the_small_models_process_ends_with_the_playground() -> None:
    async with (
        local_model() as (base_url, _),
        aiohttp.ClientSession() as client,
        client.get(f"{base_url}/models") as answer,
    ):
        assert answer.status == 200
    async with aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.ClientConnectorError):
            await client.get(f"{base_url}/models")


async def test_without_the_small_model_a_line_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_model_module, "weights", lambda: None)
    with pytest.raises(LocalModelUnavailable, match=r"make playground.*--provider demo"):
        async with local_model():
            pass


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("import sys; sys.exit('no such weights')", "no such weights"),
        ("import sys; sys.stderr.write('x' * 200_000 + ' tail'); sys.exit(1)", "tail"),
        ("import time; time.sleep(600)", "did not start"),
    ],
)
async def test_a_model_that_does_not_start_is_told_and_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, words: str
) -> None:
    (tmp_path / "model.py").write_text(program)
    monkeypatch.setattr(local_model_module, "weights", lambda: tmp_path)
    monkeypatch.setattr(serve_model, "__file__", str(tmp_path / "model.py"))
    monkeypatch.setattr(local_model_module, "START_DEADLINE", 1.0)
    with pytest.raises(LocalModelUnavailable, match=words):
        async with local_model():
            pass


async def test_llm_variables_choose_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    async with ScriptedProvider(lambda _: spoken("I am another one.")) as provider:
        monkeypatch.setenv("LLM_PROVIDER", "custom")
        monkeypatch.setenv("LLM_MODEL", "other")
        monkeypatch.setenv("LLM_BASE_URL", provider.base_url)
        with discord_py_restored():
            async with open_playground(port=0) as playground:
                house = await answered_in(playground.standin, "Who are you?")
    assert house.texts()[0].startswith("I am another one.\n-# `other`")


async def test_the_command_prints_its_address_and_ends_on_ctrl_c(tmp_path: Path) -> None:
    arguments = ("playground", "--no-browser", "--provider", "demo", "--port", "0")
    async with process(*arguments, folder=tmp_path) as started:
        assert started.stdout is not None
        line = (await started.stdout.readline()).decode()
        assert line.startswith("Parley's playground: http://127.0.0.1:")
        started.send_signal(signal.SIGINT)
        code, _, err = await ended(started)
    assert (code, err) == (0, "")


async def test_a_taken_port_is_one_line_and_exit_2(tmp_path: Path) -> None:
    server = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
    port = str(server.sockets[0].getsockname()[1])
    async with (
        server,
        process("playground", "--no-browser", "--provider", "demo", "--port", port, folder=tmp_path) as started,
    ):
        code, _, err = await ended(started)
    assert code == 2
    (line,) = err.splitlines()
    assert line.startswith(f"--port {port}: ")


def test_the_demo_plays_what_its_question_names() -> None:
    assert isinstance(demo_script("Ada (1): an error please", 0)[0], Refuse)
    assert isinstance(demo_script("Ada (1): broken", 0)[-1], BreakOff)
    assert "this is the rest" in "".join(step.text for step in demo_script(CONTINUE, 0) if isinstance(step, Say))
    for name in ("code", "file", "hello", "leak", "long", "table", "think"):
        played = demo_script(f"Ada (1): hello error\n\nBo (2): show me {name}", 0)
        text = "".join(step.text for step in played if isinstance(step, Say))
        assert text == (ANSWERS / f"{name}.md").read_text(encoding="utf-8").strip()


def test_the_demo_thinks_aloud_before_it_answers() -> None:
    played = demo_script("Ada (1): think", 0)
    spoken_at = [index for index, step in enumerate(played) if isinstance(step, Say)]
    thoughts = [step.text for step in played[: spoken_at[0]] if isinstance(step, Think)]
    assert "".join(thoughts) == (ANSWERS / "think.thoughts.md").read_text(encoding="utf-8")


def test_no_recorded_answer_takes_long_to_play() -> None:
    for name in ("file", "long"):
        assert sum(step.seconds for step in demo_script(name) if isinstance(step, Pause)) < 15

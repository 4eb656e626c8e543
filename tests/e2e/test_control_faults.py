"""Buttons pressed at the wrong moment, by the wrong process, or when something breaks: over sockets."""

import asyncio
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bot import app as app_module
from bot.gateway import questions as questions_module
from bot.playground.scripted_provider import End, Refuse, Say, Script, Think, Until, spoken
from bot.playground.standin import Permission
from bot.turn.request import TurnRequest
from tests.e2e.house import QUICK, House, buttons, open_house, running_bot
from tests.e2e.test_looks import shown_in

LONG = "\n\n".join(f"Paragraph {n} says something about the matter at hand." for n in range(90))


def actions(message: dict[str, Any]) -> list[str]:
    return [made.split(":")[2] for made in buttons(message)]


def button(message: dict[str, Any], action: str) -> str:
    (made,) = [made for made in buttons(message) if f":{action}:" in made]
    return made


def unfinished(folder: Path) -> list[str]:
    """Turns whose row is still the lock of a run."""
    with closing(sqlite3.connect(folder / "parley.db")) as database:
        return [turn_id for (turn_id,) in database.execute("SELECT turn_id FROM turns WHERE ended_at IS NULL")]


def rename(folder: Path, table: str, name: str) -> None:
    with closing(sqlite3.connect(folder / "parley.db")) as database, database:
        database.execute(f"ALTER TABLE {table} RENAME TO {name}")


def refuse_updates(folder: Path, table: str) -> None:
    with closing(sqlite3.connect(folder / "parley.db")) as database, database:
        database.execute(f"CREATE TRIGGER broken BEFORE UPDATE ON {table} BEGIN SELECT RAISE(ABORT, 'broken'); END")


async def two_versions(house: House) -> None:
    """A short version stands, and a long one is kept."""
    house.script = spoken(LONG, size=400)
    await house.ask("Tell me a lot.", by=house.bo)
    await house.answered()
    house.script = spoken("In short: no.")
    await house.press("regenerate", by=house.bo)
    await house.standin.wait_for(lambda _: "In short" in house.texts()[0])
    await house.app.idle()


async def test_an_answer_that_is_deleted_while_an_old_version_comes_back_leaves_nothing(tmp_path: Path) -> None:
    async with open_house(tmp_path, config=QUICK) as house:
        await two_versions(house)
        held = asyncio.Event()
        (short,) = house.answers()
        previous, delete = button(short, "previous"), button(short, "delete")
        house.standin.fail("PATCH", rf"/messages/{short['id']}$", hold=held)
        await house.standin.press(house.bo, short["id"], previous)
        await house.standin.wait_for(lambda standin: standin.in_flight > 0)
        await (await house.standin.press(house.bo, short["id"], delete)).answered()
        held.set()
        await house.app.idle()
        await house.standin.wait_for(lambda _: house.answers() == [])


async def test_whoever_presses_hears_of_a_fault_of_ours(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Think("Hm."), *spoken("Yes.")]
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        rename(tmp_path, "turns", "gone")
        await house.press("thoughts", by=house.bo)
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(
            lambda _: ["a fault of mine" in text for text in house.whispers(house.bo)] == [True] * 2
        )


async def test_thoughts_can_be_read_as_soon_as_their_button_stands(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [Think("Hm."), Say("Yes"), Until(gate := asyncio.Event()), Say(".")]
        await house.ask("Well?", by=house.bo)
        await house.standin.wait_for(lambda _: "Yes" in "".join(house.texts()))
        with closing(sqlite3.connect(tmp_path / "parley.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")  # the answer's end waits to be recorded
            gate.set()
            await house.answered()
            asyncio.get_running_loop().call_later(0.3, other.rollback)
            await house.press("thoughts", by=house.bo)
            await house.whispered(house.bo, "Hm.")


async def test_a_fault_that_comes_again_is_told_again(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("Yes.")
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        refuse_updates(tmp_path, "turns")
        for told in (1, 2):
            await house.press("regenerate", by=house.bo, nr=0)
            await house.standin.wait_for(lambda _: len(house.answers()) > told)  # noqa: B023  # awaited at once
            await house.app.idle()


async def test_an_answer_that_became_whole_is_not_continued_by_a_press_that_came_late(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [*spoken("Half of"), End("length")]
        await house.ask("What is it?", by=house.bo)
        await house.answered()
        await house.app.idle()
        house.script = spoken(" it, and the other half.")
        held = asyncio.Event()
        house.standin.fail("PATCH", r"/messages/\d+$", hold=held)
        house.provider.asked.clear()
        await house.press("continue", by=house.bo)
        await house.provider.asked.wait()
        await house.standin.wait_for(lambda standin: standin.in_flight > 0)
        for _ in range(5):  # one of them after the model is done
            await house.press("continue", by=house.bo)
        held.set()
        await house.standin.wait_for(lambda _: "the other half." in house.texts()[0])
        await house.app.idle()
        assert len(house.provider.requests) == 2
        assert house.texts()[0].startswith("Half of it, and the other half.\n-# ")


@pytest.mark.parametrize("phase", ["answering", "regenerating", "continuing"])
async def test_a_run_that_is_cancelled_at_the_end_of_the_grace_holds_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, phase: str
) -> None:
    monkeypatch.setattr(app_module, "GRACE", 0.2)
    monkeypatch.setattr(app_module, "LAST_WORDS", 0.2)
    never = asyncio.Event()
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            if phase != "answering":
                house.script = [*spoken("The first version."), End("length")]
                await house.ask("Talk.", by=house.bo)
                await house.answered()
                await house.app.idle()
            house.script = [Say(" And half of another"), Until(asyncio.Event())]
            match phase:
                case "answering":
                    await house.ask("Talk.", by=house.bo)
                case "regenerating":
                    await house.press("regenerate", by=house.bo)
                case _:
                    await house.press("continue", by=house.bo)
            await house.standin.wait_for(lambda _: any("half of another" in text for text in house.texts()))
            house.standin.fail("PATCH", r"/messages/", hold=never, drop=True, times=10)
        never.set()
        house.standin.heal()
        assert unfinished(tmp_path) == []
        async with running_bot(house, tmp_path):
            await house.press("stop", by=house.bo)
            await house.standin.wait_for(lambda _: "continue" in actions(house.answers()[0]))
            await house.app.idle()
            assert "half of another\n-# " in house.texts()[0]
            assert "restarting" in house.texts()[0]


async def test_an_old_version_that_is_not_shown_in_time_leaves_what_stands_and_no_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_module, "GRACE", 0.2)
    monkeypatch.setattr(app_module, "LAST_WORDS", 0.2)
    never = asyncio.Event()
    async with open_house(tmp_path, config=QUICK, connected=False) as house:
        async with running_bot(house, tmp_path):
            await two_versions(house)
            house.standin.fail("PATCH", r"/messages/", hold=never, drop=True)
            await house.press("previous", by=house.bo)
            await house.standin.wait_for(lambda standin: standin.in_flight > 0)
        never.set()
        assert unfinished(tmp_path) == []
        async with running_bot(house, tmp_path):
            await house.press("previous", by=house.bo)
            await house.standin.wait_for(lambda _: len(house.answers()) == 3)
            await house.app.idle()
        assert "In short" not in "".join(house.texts())


async def test_in_direct_messages_the_buttons_work_after_a_restart(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        direct = house.standin.dm(house.bo)
        async with running_bot(house, tmp_path):
            await house.standin.say(house.bo, direct, "Well?")
            await house.answered(channel=direct)
            await house.app.idle()
        house.script = spoken("Another one.")
        async with running_bot(house, tmp_path):
            await house.press("regenerate", by=house.bo, channel=direct)
            await house.standin.wait_for(lambda _: house.texts(direct)[0].startswith("Another one.\n-# "))
            await house.app.idle()


async def test_in_a_thread_the_buttons_work_after_a_restart(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        thread = await house.standin.start_thread(house.bo, house.general, "A thread")
        async with running_bot(house, tmp_path):
            await house.ask("Well?", by=house.bo, in_channel=thread)
            await house.answered(channel=thread)
            await house.app.idle()
        house.standin.archive_thread(thread)
        house.script = spoken("Another one.")
        async with running_bot(house, tmp_path):
            await house.press("regenerate", by=house.bo, channel=thread)
            await house.standin.wait_for(lambda _: house.texts(thread)[0].startswith("Another one.\n-# "))
            await house.app.idle()


async def test_settings_that_cannot_be_read_hold_no_lock(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        rename(tmp_path, "preferences", "away")
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        assert house.texts()[0].startswith("-# That was a fault of mine")
        assert unfinished(tmp_path) == []


async def test_thoughts_in_a_file_are_there_once_after_an_answer_went_on(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.set_delivery(thoughts="file")
        house.script = [Think("Hm."), *spoken("Half of"), End("length")]
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        house.script = spoken(" it.\n\n" + LONG, size=400)
        await house.press("continue", by=house.bo)
        await house.standin.wait_for(lambda _: "Paragraph 89" in house.texts()[-1])
        await house.app.idle()
        files = [[file["filename"] for file in message["attachments"]] for message in house.answers()]
        assert files == [[], [], ["thoughts.md"]]


async def test_where_we_may_not_write_any_more_a_press_costs_no_call_of_the_model(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        house.standin.set_permissions(house.general, house.standin.bot_id, deny=Permission.SEND_MESSAGES)
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(lambda _: house.whispers(house.bo) or len(house.provider.requests) > 1)
        assert len(house.provider.requests) == 1


@pytest.mark.parametrize("thoughts", ["spoiler", "file", "thread", "button"])
async def test_pages_bring_back_all_messages_files_and_thoughts(tmp_path: Path, thoughts: str) -> None:
    code = "```python\n" + "\n".join(f"value_{n} = {n}  # a line" for n in range(400)) + "\n```"

    def shown(house: House) -> list[tuple[str, list[str]]]:
        return [(m["content"], [file["filename"] for file in m["attachments"]]) for m in house.answers()]

    async with open_house(tmp_path, config=QUICK) as house:
        await house.set_delivery(thoughts=thoughts)
        house.script = [Think("I think. " * 30), *spoken(f"{LONG[:2500]}\n\n{code}\n\nThat is all.", size=500)]
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        first = shown(house)
        house.script = [Think("I doubt."), *spoken("Another one.")]
        await house.press("regenerate", by=house.bo)
        await house.standin.wait_for(lambda _: "Another one." in "".join(house.texts()))
        await house.app.idle()
        second = shown(house)
        await house.press("previous", by=house.bo)
        await house.standin.wait_for(lambda _: "That is all." in "".join(house.texts()))
        await house.app.idle()
        assert shown(house) == first
        await house.press("next", by=house.bo)
        await house.standin.wait_for(lambda _: "Another one." in "".join(house.texts()))
        await house.app.idle()
        assert shown(house) == second


async def test_nobody_types_where_an_answer_goes_on(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = [*spoken("Half of"), End("length")]
        await house.ask("What is it?", by=house.bo)
        await house.answered()
        await house.app.idle()
        count = len(house.calls("POST", "/typing"))
        await house.press("continue", by=house.bo)
        await house.standin.wait_for(lambda _: len(house.provider.requests) == 2)
        await house.app.idle()
        assert len(house.calls("POST", "/typing")) == count, "people's clients would show it long after the last edit"


async def test_a_thread_of_thoughts_that_fell_asleep_takes_those_of_the_next_version(tmp_path: Path) -> None:
    async with open_house(tmp_path, connected=False) as house:
        async with running_bot(house, tmp_path):
            await house.set_delivery(thoughts="thread")
            house.script = [Think("I think."), *spoken("Yes.")]
            await house.ask("Well?", by=house.bo)
            await house.answered()
            await house.app.idle()
        thread = house.standin.world.channels[house.answers()[0]["id"]]
        house.standin.archive_thread(thread)
        house.script = [Think("I doubt."), *spoken("No.")]
        async with running_bot(house, tmp_path):
            await house.press("regenerate", by=house.bo)
            await house.standin.wait_for(lambda _: house.texts()[0].startswith("No."))
            await house.app.idle()
        assert [shown_in(message).splitlines()[-1] for message in house.answers(thread)] == [
            "I think.",
            "I doubt.",
        ]


async def test_of_two_processes_one_takes_the_press_and_nothing_goes_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with open_house(tmp_path) as house:
        await house.ask("Well?", by=house.bo)
        await house.answered()
        await house.app.idle()
        async with running_bot(house, tmp_path):
            await house.standin.wait_for(lambda standin: standin.connected_sessions == 2)
            house.script = spoken("Another one.")
            await house.press("regenerate", by=house.bo)
            await house.standin.wait_for(lambda _: house.texts()[0].startswith("Another one.\n-# "))
            await house.standin.slash(house.bo, house.general, "stop")
            await house.whispered(house.bo, "Nothing is running")
        assert len(house.provider.requests) == 2
    assert "Traceback" not in capsys.readouterr().out


@pytest.mark.parametrize(
    "script", [[Refuse(500, "boom")], [], [Think("Hm.")]], ids=["error", "empty", "thoughts alone"]
)
async def test_where_nobody_asked_a_failure_is_not_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    monkeypatch.setattr(questions_module, "TurnRequest", partial(TurnRequest, passive=True))
    async with open_house(tmp_path) as house:
        house.script = script
        await house.ask("Well?")
        await house.provider.asked.wait()
        await house.app.idle()
        assert house.answers() == []

"""The database goes while the bot runs: questions are answered all the same, once, with a notice; then it is used again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeAlias

import pytest

from bot.playground.scripted_provider import Say, Until, spoken
from bot.preferences import ConversationPreferences, Scope
from bot.store import Database, Preferences, TurnJournal
from bot.store.outage import Outage
from tests.databases import postgres_server, sqlite_url
from tests.e2e.house import House, open_house
from tests.e2e.panels import SettingsPanel
from tests.e2e.test_personas import client_of, server_of
from tests.store.faulty import Fault, be_quick, gone, locked, stopped

NOTICE = "⚠️ My database cannot be used right now. I answer with the settings that I know, and cannot save any changes."
NOT_DONE = "My database cannot be used right now, so I could not do that. Nothing was changed."
NOT_KNOWN = "I do not know who may ask me here"

Faulty: TypeAlias = tuple[str, Fault]


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    be_quick(monkeypatch)


@asynccontextmanager
async def faulty(name: str, folder: Path) -> AsyncIterator[Faulty]:
    """The address of a database, and what befalls it."""
    if name == "server stopped":
        with postgres_server() as server:
            yield await server.database(), lambda: stopped(server)
    else:
        fault = {"locked": locked, "gone": gone}[name]
        yield sqlite_url(folder), lambda: fault(folder / "parley.db")


def outage_of(house: House) -> Outage:
    return client_of(house).desk.parts.journal.outage


async def told(house: House, question: str, nr: int) -> str:
    """The answer to this question, which is the `nr`th."""
    await house.ask(question, by=house.bo)
    await house.answered(nr)
    await house.app.idle()
    return house.texts()[-1]


@pytest.mark.parametrize("name", ["locked", "gone", "server stopped"])
async def test_questions_are_answered_once_with_one_notice_and_are_all_in_the_journal(
    tmp_path: Path, name: str
) -> None:
    async with faulty(name, tmp_path) as (url, fault), open_house(tmp_path, database_url=url) as house:
        house.script = spoken("Yes.")
        await house.choose(note="Be kind.")
        assert NOTICE not in await told(house, "Before?", 1)
        async with fault():
            first = await told(house, "First?", 2)
            assert (first.startswith("Yes."), NOTICE in first) == (True, True)
            assert NOTICE not in await told(house, "Second?", 3)
            assert "Be kind." in str(house.provider.requests[-1]), "what was chosen counts"
        await outage_of(house).over()
        assert NOTICE not in await told(house, "After?", 4)
        assert len(house.provider.requests) == len(house.texts()) == 4
        ids = [int(message["id"]) for message in house.answers()]
        async with Database(url) as database:
            written = await TurnJournal(database).answers_with(ids)
        assert [(answer.text, answer.parts[0].message_id) for answer in written] == [("Yes.", id_) for id_ in ids]


async def test_in_an_outage_the_model_reads_what_was_said_in_it(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("Hello.")
        await told(house, "Are you there?", 1)
        async with gone(tmp_path / "parley.db"):
            house.script = spoken("**Four**, of course.")
            await told(house, "How many?", 2)
            await told(house, "Really?", 3)
            said = [message["content"] for message in house.provider.requests[-1]["messages"]]
            assert [text for text in said if "Four" in text] == ["**Four**, of course."], "without the notice"


async def test_an_answer_of_an_outage_can_be_stopped_and_written_anew_and_one_from_before_says_why_not(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house:
        house.script = spoken("Yes.")
        await told(house, "Before?", 1)
        async with gone(tmp_path / "parley.db"):
            house.script = [Say("Half"), Until(asyncio.Event()), Say(" of it.")]
            await house.ask("In it?", by=house.bo)
            await house.standin.wait_for(lambda _: "Half" in house.texts()[-1])
            await house.press("stop", by=house.bo)
            await house.answered(2)
            await house.app.idle()
            house.script = spoken("Anew.")
            await house.press("regenerate", by=house.bo)
            await house.standin.wait_for(lambda _: "Anew." in house.texts()[-1])
            await house.app.idle()
            await house.press("regenerate", by=house.bo, nr=0)
            await house.whispered(house.bo, NOT_DONE)
        await outage_of(house).over()
        await house.press("previous", by=house.bo)
        await house.standin.wait_for(lambda _: "Half" in house.texts()[-1])
        await house.app.idle()
        await house.press("regenerate", by=house.bo, nr=0)
        await house.standin.wait_for(lambda _: "Anew." in house.texts()[0])


@pytest.mark.parametrize("name", ["locked", "gone", "server stopped"])
async def test_who_changes_something_in_an_outage_hears_that_nothing_was_changed(tmp_path: Path, name: str) -> None:
    async with faulty(name, tmp_path) as (url, fault), open_house(tmp_path, database_url=url) as house:
        panel = SettingsPanel(house)
        await panel.open(page="behaviour")
        before = await client_of(house).preferences.chosen(ConversationPreferences, Scope.SERVER, server_of(house))
        async with fault():
            assert NOT_DONE in await panel.choose("bots", "mentions")
            assert NOT_DONE in await panel.write("messages", "9")
            await house.standin.slash(house.ada, house.general, "new")
            await house.standin.wait_for(lambda _: any(NOT_DONE in text for text in house.texts()))
        await outage_of(house).over()
        async with Database(url) as database:
            kept = await Preferences(database).chosen(ConversationPreferences, Scope.SERVER, server_of(house))
        assert (
            kept
            == before
            == await client_of(house).preferences.chosen(ConversationPreferences, Scope.SERVER, server_of(house))
        )
        await panel.write("messages", "9")
        assert panel.line("Earlier messages that I read").endswith("**9** · *this server*")


async def test_where_nothing_is_known_of_a_channel_only_who_manages_the_server_is_answered(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        silent = house.standin.channel("random")
        house.script = spoken("Yes.")
        async with gone(tmp_path / "parley.db"):
            await house.ask("May I?", by=house.bo, in_channel=silent)
            await house.standin.wait_for(lambda _: any(NOT_KNOWN in text for text in house.texts(silent)))
            assert house.provider.requests == []
            await house.ask("And I?", by=house.ada, in_channel=silent)
            await house.standin.wait_for(lambda _: any("Yes." in text for text in house.texts(silent)))
            await house.app.idle()
        await outage_of(house).over()
        await house.ask("Now?", by=house.bo, in_channel=silent)
        await house.standin.wait_for(lambda _: sum("Yes." in text for text in house.texts(silent)) == 2)

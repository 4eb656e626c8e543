"""While the database cannot be used, what is known goes on, what is written is kept or refused at once, and then it is used again."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text
from structlog.testing import capture_logs

from bot.persona import Persona
from bot.preferences import AdmissionPreferences, ConversationPreferences, Location, Scope
from bot.store import (
    AnswerPart,
    Conversations,
    ConversationState,
    Database,
    DatabaseUnavailable,
    Deed,
    Forgetting,
    Memories,
    Notes,
    Personas,
    Preferences,
    ProviderKeys,
    SecretBox,
    SteadyJournal,
    Subject,
    TurnJournal,
    VersionEnd,
    backup,
    steady_journal,
)
from bot.store.faults import FileGone, cure_of
from tests.databases import sqlite_url
from tests.store.faulty import OF_SQLITE, READABLE, STOPPED, Fault, be_quick, database_with, gone, move_away, move_back

SERVER, CHANNEL, PERSON = 10, 20, 30
HERE = Location(CHANNEL, SERVER, person_id=PERSON)
LONG = "word " * 4000
"""Longer than what fits where nothing can grow."""


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    be_quick(monkeypatch)


Faulty: TypeAlias = tuple[Database, Fault]


@pytest.fixture(params=[*OF_SQLITE, STOPPED])
def fault(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def faulty(fault: str, tmp_path: Path) -> AsyncIterator[Faulty]:
    async with database_with(fault, tmp_path) as found:
        yield found


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(sqlite_url(tmp_path)) as opened:
        yield opened


@pytest.fixture
def goes(tmp_path: Path) -> Callable[[], AbstractAsyncContextManager[None]]:
    """The quickest fault: nothing can be read or written."""
    return lambda: gone(tmp_path / "parley.db")


async def answered(journal: TurnJournal, number: int, said: str = LONG) -> bool:
    turn_id, question_id = f"t{number}", 100 * number
    if not await journal.claim(turn_id, question_id, CHANNEL, SERVER, PERSON, (question_id - 1,)):
        return False
    await journal.finish(turn_id, 1, VersionEnd("completed", said), [(question_id + 1, len(said))])
    return True


# ------------------------------------------------------------------------------------------------------------ every fault


async def test_a_question_is_answered_once_before_in_and_after_an_outage(faulty: Faulty) -> None:
    database, fault = faulty
    journal = SteadyJournal(database)
    assert await answered(journal, 1)
    async with fault():
        assert await answered(journal, 2)
        assert not await answered(journal, 2), "nor again in the outage"
        assert not await answered(journal, 1), "nor one from before"
    await database.outage.over()
    assert not await answered(journal, 2)
    assert await answered(journal, 3)
    written = await TurnJournal(database).answers_with([99, 199, 299])
    assert [(answer.turn_id, answer.text, answer.parts) for answer in written] == [
        (f"t{number}", LONG, (AnswerPart(100 * number + 1, len(LONG)),)) for number in (1, 2, 3)
    ]


async def test_it_is_told_once_why_and_what_to_do_and_once_that_it_is_over(faulty: Faulty) -> None:
    database, fault = faulty
    with capture_logs() as logs:
        async with fault():
            for number in range(3):
                with pytest.raises(DatabaseUnavailable):
                    await Notes(database).put(f"{number}", LONG)
        await database.outage.over()
    told = [entry for entry in logs if entry["log_level"] in ("error", "info")]
    assert [entry["event"] for entry in told if entry["event"].startswith("database_")] == [
        "database_away",
        "database_back",
    ]
    assert told[0]["why"]
    assert told[0]["cure"]


async def test_what_was_read_before_counts(faulty: Faulty) -> None:
    database, fault = faulty
    preferences, personas, memories, conversations = _stores(database)
    await preferences.change(ConversationPreferences, Scope.SERVER, SERVER, server_prompt="Be brief.")
    await personas.put(SERVER, Persona("Vex"), by=1)
    await memories.switch_on(Subject(SERVER, PERSON))
    await memories.add(Subject(SERVER, PERSON), "Likes tea.", PERSON)
    await conversations.put(CHANNEL, SERVER, starts_after=7)
    keys = ProviderKeys(database, SecretBox(["a secret for the tests"]))
    await keys.add(Scope.SERVER, SERVER, "groq", "", "gsk_of_the_server", Deed(1))

    async def known() -> list[Any]:
        persona = await personas.get(SERVER, "vex")
        return [
            (await preferences.conversation(HERE)).server_prompt,
            persona.name if persona else None,
            [note.text for note in await memories.about(SERVER, [PERSON])],
            await memories.server(SERVER),
            (await conversations.get(CHANNEL)).starts_after,
            [keyed.endpoint.api_key for keyed in await keys.endpoints(Scope.SERVER, SERVER, "groq", "")],
        ]

    before = await known()
    assert before == ["Be brief.", "Vex", ["Likes tea."], [], 7, ["gsk_of_the_server"]]
    async with fault():
        with pytest.raises(DatabaseUnavailable):
            await Notes(database).put("one", LONG)
        assert await known() == before


async def test_nothing_is_changed_by_who_hears_so(faulty: Faulty) -> None:
    database, fault = faulty
    preferences, personas, memories, conversations = _stores(database)
    before = await preferences.conversation(HERE)
    changes = (
        lambda: preferences.change(ConversationPreferences, Scope.SERVER, SERVER, server_prompt=LONG[:4000]),
        lambda: personas.put(SERVER, Persona("Vex", prompt=LONG), by=1),
        lambda: memories.switch_on(Subject(SERVER, PERSON)),
        lambda: conversations.put(CHANNEL, SERVER, summary=LONG),
    )
    async with fault():
        with pytest.raises(DatabaseUnavailable):
            await Notes(database).put("one", LONG)
        for change in changes:
            with pytest.raises(DatabaseUnavailable):
                await change()
        assert await preferences.conversation(HERE) == before
    await database.outage.over()
    assert await Preferences(database).conversation(HERE) == before
    assert await personas.names(SERVER) == []
    assert not await memories.is_on(Subject(SERVER, PERSON))
    assert await conversations.get(CHANNEL) == ConversationState()
    await changes[0]()
    assert (await preferences.conversation(HERE)).server_prompt == LONG[:4000]


async def test_reading_goes_on_where_only_writing_is_impossible(faulty: Faulty, fault: str) -> None:
    database, begins = faulty
    await Notes(database).put("one", "text")
    async with begins():
        with pytest.raises(DatabaseUnavailable):
            await Notes(database).put("two", LONG)
        if fault in READABLE:
            assert await Notes(database).get("one") == "text"
        else:
            with pytest.raises(DatabaseUnavailable):
                await Notes(database).get("one")


# ---------------------------------------------------------------------------------------------------- what is not known


async def test_of_a_server_that_is_not_known_only_its_managers_are_admitted(database: Database, goes: Fault) -> None:
    elsewhere = Location(CHANNEL + 1, SERVER)
    await Preferences(database).change(AdmissionPreferences, Scope.SERVER, SERVER, blocked_user_ids=(PERSON,))
    preferences = Preferences(database)
    assert (await preferences.admission(HERE)).channel_ids == ()
    async with goes():
        for location, is_known in (
            (HERE, True),
            (Location(CHANNEL + 2, SERVER, parent_id=CHANNEL), True),
            (elsewhere, False),
            (Location(CHANNEL, SERVER + 1), False),
        ):
            admission = await preferences.admission(location)
            assert preferences.is_guess(location) is not is_known
            assert (location.channel_id in admission.channel_ids or not admission.channel_ids) is is_known
        assert (await preferences.admission(elsewhere)).blocked_user_ids == (PERSON,), (
            "what is known counts all the same"
        )
    await database.outage.over()
    assert (await preferences.admission(elsewhere)).channel_ids == ()


async def test_of_what_was_never_read_nothing_is_made_up(database: Database, goes: Fault) -> None:
    preferences, personas, memories, conversations = _stores(database)
    async with goes():
        assert await preferences.conversation(HERE) == ConversationPreferences()
        assert await personas.get(SERVER, "Vex") is None
        assert await memories.about(SERVER, [PERSON]) == ()
        assert await conversations.get(CHANNEL) == ConversationState()
        for listed in (personas.names(SERVER), memories.of(Subject(SERVER)), preferences.history(Scope.SERVER, 1, 9)):
            with pytest.raises(DatabaseUnavailable):
                await listed
    await database.outage.over()
    assert await personas.names(SERVER) == []


@pytest.mark.parametrize(
    "forget",
    [
        lambda database: Forgetting(database).person(PERSON),
        lambda database: Forgetting(database).server(SERVER),
    ],
)
async def test_what_was_forgotten_is_not_remembered_in_an_outage(
    database: Database, goes: Fault, forget: Callable[[Database], Any]
) -> None:
    memories, me = Memories(database), Subject(SERVER, PERSON)
    await memories.switch_on(me)
    await memories.add(me, "Likes tea.", PERSON)
    assert len(await memories.about(SERVER, [PERSON])) == 1
    keys = ProviderKeys(database, SecretBox(["a secret for the tests"]))
    await keys.add(Scope.PERSON, PERSON, "groq", "", "gsk_of_a_person", Deed(PERSON))
    assert len(await keys.of(Scope.PERSON, PERSON)) == 1
    await forget(database)
    async with goes():
        assert await memories.about(SERVER, [PERSON]) == ()
        with pytest.raises(DatabaseUnavailable):
            await keys.of(Scope.PERSON, PERSON)


async def test_who_switched_memory_off_is_not_remembered_in_an_outage(database: Database, goes: Fault) -> None:
    memories, me = Memories(database), Subject(SERVER, PERSON)
    await memories.switch_on(me)
    await memories.add(me, "Likes tea.", PERSON)
    assert len(await memories.about(SERVER, [PERSON])) == 1
    await memories.switch_off(me)
    async with goes():
        assert await memories.about(SERVER, [PERSON]) == ()


# ------------------------------------------------------------------------------------------------------ turns in memory


async def test_an_answer_of_an_outage_can_be_worked_on_as_any(database: Database, goes: Fault) -> None:
    journal = SteadyJournal(database)
    async with goes():
        assert await answered(journal, 1, "One.")
        assert await journal.begin_version("t1") == 2
        assert await journal.begin_version("t1") is None
        await journal.finish("t1", 2, VersionEnd("completed", "Two."), [(101, 4)])
        assert await journal.last_turn(CHANNEL, PERSON) == "t1"
        answer = await journal.answer("t1")
        assert answer is not None
        assert (answer.version_count, answer.shown.text) == (2, "Two.")
        first = await journal.version("t1", 1)
        assert first is not None
        assert first.text == "One."
    await database.outage.over()
    written = await TurnJournal(database).version("t1", 1)
    assert written == first
    assert await TurnJournal(database).answer("t1") == answer


async def test_an_answer_that_was_begun_before_an_outage_is_kept_when_it_ends_in_it(
    database: Database, goes: Fault
) -> None:
    journal = SteadyJournal(database)
    await journal.claim("t1", 100, CHANNEL, SERVER, PERSON, (99,))
    assert await answered(journal, 2, "One.")
    assert await journal.begin_version("t2") == 2
    async with goes():
        await journal.finish("t1", 1, VersionEnd("completed", "Yes."), [(101, 4)])
        await journal.finish("t2", 2, VersionEnd("completed", "Two."), [(202, 4)])
        assert [answer.text for answer in await journal.answers_with([99, 202])] == ["Yes.", "Two."]
    await database.outage.over()
    assert [answer.text for answer in await TurnJournal(database).answers_with([99, 202])] == ["Yes.", "Two."]
    first = await journal.version("t2", 1)
    assert first is not None
    assert first.text == "One."


async def test_what_was_forgotten_before_an_outage_does_not_come_back_with_the_end_of_its_answer(
    database: Database, goes: Fault
) -> None:
    journal = SteadyJournal(database)
    await journal.claim("t1", 100, CHANNEL, SERVER, PERSON)
    await Forgetting(database).person(PERSON)
    async with goes():
        await journal.finish("t1", 1, VersionEnd("completed", "Yes."), [(101, 4)])
    await database.outage.over()
    assert await journal.answers_with([100, 101]) == []
    assert await journal.last_turn(CHANNEL, PERSON) is None


async def test_an_answer_that_still_runs_when_the_database_is_back_ends_there(database: Database, goes: Fault) -> None:
    journal = SteadyJournal(database)
    async with goes():
        assert await journal.claim("t1", 100, CHANNEL, SERVER, PERSON)
    await database.outage.over()
    assert await journal.begin_version("t1") is None, "it is being written"
    await journal.finish("t1", 1, VersionEnd("completed", "Yes."), [(101, 4)])
    assert [answer.text for answer in await TurnJournal(database).answers_with([101])] == ["Yes."]


async def test_who_is_stopped_while_they_read_what_is_in_memory_takes_nothing_with_them(
    database: Database, goes: Fault
) -> None:
    """A statement that is broken off closes its connection, and a database in memory is gone with that."""
    journal = SteadyJournal(database)
    async with goes():
        assert await answered(journal, 1)
        for steps in range(60):
            reading = asyncio.create_task(journal.answers_with([101]))
            for _ in range(steps):
                await asyncio.sleep(0)
            reading.cancel()
            await asyncio.wait({reading})
        assert await journal.turn_of(101) == "t1"
        assert not await answered(journal, 1)
    async with asyncio.timeout(5):
        await database.outage.over()
    assert await TurnJournal(database).turn_of(101) == "t1"


async def test_of_an_answer_from_before_it_is_said_that_it_cannot_be_worked_on(database: Database, goes: Fault) -> None:
    journal = SteadyJournal(database)
    assert await answered(journal, 1)
    async with goes():
        for wanted in (journal.answer("t1"), journal.begin_version("t1"), journal.resume("t1")):
            with pytest.raises(DatabaseUnavailable):
                await wanted
        assert await journal.answers_with([101]) == []


async def test_what_people_delete_in_an_outage_is_deleted_when_it_is_over(database: Database, goes: Fault) -> None:
    journal = SteadyJournal(database)
    for number in (1, 2, 3):
        assert await answered(journal, number)
    async with goes():
        assert await answered(journal, 4)
        await journal.message_deleted(101)
        await journal.withdraw("t2")
        await journal.message_deleted(401)
    await database.outage.over()
    assert [answer.turn_id for answer in await journal.answers_with([101, 201, 301, 401])] == ["t3"]
    assert not await answered(journal, 4), "the claim stays"


async def test_a_question_that_another_process_answered_meanwhile_stays_its_own(
    database: Database, goes: Fault, tmp_path: Path
) -> None:
    async with Database(sqlite_url(tmp_path)) as other:
        journal = SteadyJournal(database)
        async with goes():
            assert await answered(journal, 1, "Mine.")
            assert await answered(journal, 2, "Mine.")
        await TurnJournal(other).claim("u", 100, CHANNEL, SERVER, PERSON)
        await TurnJournal(other).finish("u", 1, VersionEnd("completed", "Theirs."), [(105, 7)])
        await database.outage.over()
        assert [answer.text for answer in await journal.answers_with([100, 200])] in (
            ["Theirs.", "Mine."],
            ["Mine.", "Mine."],  # where ours was written before
        )


async def test_more_than_can_be_kept_is_lost_from_the_oldest_on_and_told(
    database: Database, goes: Fault, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steady_journal, "MOST_KEPT", 2)
    journal = SteadyJournal(database)
    with capture_logs() as logs:
        async with goes():
            for number in (1, 2, 3):
                assert await answered(journal, number)
        await database.outage.over()
    assert [entry["turn"] for entry in logs if entry["event"] == "turn_lost"] == ["t1"]
    assert [answer.turn_id for answer in await journal.answers_with([101, 201, 301])] == ["t2", "t3"]


async def test_what_is_kept_is_written_when_the_bot_ends_just_as_the_database_is_back(tmp_path: Path) -> None:
    async with Database(sqlite_url(tmp_path)) as database, gone(tmp_path / "parley.db"):
        assert await answered(SteadyJournal(database), 1, "Yes.")
    async with Database(sqlite_url(tmp_path)) as database:
        assert [answer.text for answer in await TurnJournal(database).answers_with([101])] == ["Yes."]


class Claim(msgspec.Struct, frozen=True):
    number: int


class Again(msgspec.Struct, frozen=True):
    number: int


class End(msgspec.Struct, frozen=True):
    number: int


class Delete(msgspec.Struct, frozen=True):
    number: int


class Switch(msgspec.Struct, frozen=True):
    """The database goes, or comes back."""


NUMBERS = st.integers(1, 3)
DEEDS = st.lists(st.one_of(st.just(Switch()), *(st.builds(kind, NUMBERS) for kind in (Claim, Again, End, Delete))))


@pytest.fixture(scope="module")
def with_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty database, to be copied."""

    async def make(folder: Path) -> None:
        async with Database(sqlite_url(folder)):
            pass

    folder = tmp_path_factory.mktemp("empty")
    asyncio.run(make(folder))
    return folder / "parley.db"


@settings(max_examples=50)
@given(DEEDS)
def test_whenever_the_database_goes_and_comes_the_journal_is_in_the_end_as_if_it_had_never_gone(
    tmp_path_factory: pytest.TempPathFactory, with_tables: Path, deeds: list[Claim | Again | End | Delete | Switch]
) -> None:
    async def both() -> None:
        here, there = tmp_path_factory.mktemp("steady"), tmp_path_factory.mktemp("plain")
        file, is_there = here / "parley.db", True
        for folder in (here, there):
            shutil.copy(with_tables, folder)
        async with Database(sqlite_url(here)) as goes, Database(sqlite_url(there)) as stays:
            steady, plain = SteadyJournal(goes), TurnJournal(stays)
            running: dict[int, int] = {}
            for nr, deed in enumerate(deeds):
                if isinstance(deed, Switch):
                    is_there = not is_there
                    (move_back if is_there else move_away)(file)
                    if is_there:
                        await goes.outage.over()
                elif (did := await _do(steady, deed, running, nr)) is not AWAY:
                    assert await _do(plain, deed, dict(running) if not did else running, nr) == did
                    if isinstance(deed, (Claim, Again)) and did:
                        running[deed.number] = int(did)
                    elif isinstance(deed, End):
                        running.pop(deed.number, None)
            move_back(file)
            await goes.outage.over()
            for number in (1, 2, 3):
                assert _told(await steady.answer(f"t{number}")) == _told(await plain.answer(f"t{number}"))

    asyncio.run(both())


AWAY = "away"


async def _do(journal: TurnJournal, deed: Claim | Again | End | Delete, running: dict[int, int], nr: int) -> Any:
    turn_id, question_id = f"t{deed.number}", 1000 * deed.number
    try:
        match deed:
            case Claim():
                return await journal.claim(turn_id, question_id, CHANNEL, SERVER, PERSON)
            case Again():
                return await journal.begin_version(turn_id)
            case End():
                if deed.number in running:
                    end = VersionEnd("completed", f"Text {nr}.")
                    await journal.finish(turn_id, running[deed.number], end, [(question_id + 1, 7)])
            case Delete():
                await journal.message_deleted(question_id + 1)
    except DatabaseUnavailable:
        return AWAY
    return None


def _told(answer: Any) -> Any:
    return None if answer is None else (answer.shown.version_nr, answer.shown.text, answer.shown.status, answer.parts)


# --------------------------------------------------------------------------------------------------- files and errors


async def test_another_file_in_the_place_of_the_database_is_used_when_it_has_been_looked_at(
    database: Database, tmp_path: Path
) -> None:
    file, notes = tmp_path / "parley.db", Notes(database)
    await notes.put("one", "in the copy")
    await asyncio.to_thread(backup.copy, file, tmp_path / "copy.db")
    await notes.put("one", "newer")
    (tmp_path / "copy.db").replace(file)
    with pytest.raises(DatabaseUnavailable, match="gone, or another one"):
        await notes.put("two", "text")
    await database.outage.over()
    assert await notes.get("one") == "in the copy"
    await notes.put("two", "text")


async def test_a_file_that_is_gone_is_not_made_anew(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "parley.db"
    file.unlink()
    for _ in range(3):
        with pytest.raises(DatabaseUnavailable):
            await Notes(database).put("one", "text")
    assert not file.exists()


async def test_what_was_broken_off_holds_up_nobody(database: Database) -> None:
    journal = TurnJournal(database)
    for steps in range(60):
        for deed in (journal.answers_with([101]), journal.claim(f"t{steps}", 100 + steps, CHANNEL, SERVER, PERSON)):
            task = asyncio.create_task(deed)
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})
    assert await answered(journal, 10)
    async with asyncio.timeout(3):
        await database._under_way.over()


async def test_a_server_that_was_away_does_not_hold_up_the_end(tmp_path: Path) -> None:
    async with database_with(STOPPED, tmp_path) as (database, goes):
        journal = SteadyJournal(database)
        assert await answered(journal, 1)
        async with goes():
            assert await answered(journal, 2)
            await asyncio.sleep(0.1)
        await database.outage.over()
        assert await answered(journal, 3)
        async with asyncio.timeout(3):
            await database._under_way.over()


async def test_a_fault_of_ours_is_no_outage(database: Database) -> None:
    for statement in ("SELECT * FROM nothing", "NOT SQL", "INSERT INTO notes VALUES (NULL, NULL)"):
        with pytest.raises(Exception, match=r"no such table|syntax error|NOT NULL"):
            async with database.session.begin() as session:
                await session.execute(text(statement))
    assert not database.outage.is_known


class _Sqlite(Exception):
    def __init__(self, code: int) -> None:
        self.sqlite_errorcode = code


class _Postgres(Exception):
    def __init__(self, state: str) -> None:
        self.sqlstate = state


@pytest.mark.parametrize(
    ("error", "is_outage"),
    [
        (_Sqlite(sqlite3.SQLITE_IOERR_READ), True),
        (_Sqlite(sqlite3.SQLITE_BUSY_SNAPSHOT), True),
        (_Sqlite(sqlite3.SQLITE_CORRUPT), True),
        (_Sqlite(sqlite3.SQLITE_CONSTRAINT_UNIQUE), False),
        (_Sqlite(sqlite3.SQLITE_ERROR), False),
        (_Postgres("57P01"), True),
        (_Postgres("53100"), True),
        (_Postgres("25006"), True),
        (_Postgres("08006"), True),
        (_Postgres("23505"), False),
        (_Postgres("42P01"), False),
        (_Postgres("40001"), False),
        (ConnectionRefusedError(), True),
        (TimeoutError(), True),
        (FileGone(), True),
        (ValueError(), False),
    ],
)
def test_the_code_of_an_error_says_whether_the_database_is_away(error: Exception, is_outage: bool) -> None:
    assert (cure_of(error) is not None) is is_outage


async def test_in_an_outage_a_channel_is_told_once_and_in_the_next_one_again(database: Database, goes: Fault) -> None:
    assert not database.outage.is_news(CHANNEL)
    for _ in range(2):
        async with goes():
            with pytest.raises(DatabaseUnavailable):
                await Notes(database).put("one", "text")
            assert [database.outage.is_news(channel) for channel in (1, 1, 2)] == [True, False, True]
        await database.outage.over()


def _stores(database: Database) -> tuple[Preferences, Personas, Memories, Conversations]:
    return Preferences(database), Personas(database), Memories(database), Conversations(database)

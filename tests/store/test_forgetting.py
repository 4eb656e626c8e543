"""After somebody is forgotten, no table holds a word or an id of theirs; what is others' stays.

Every table is filled here. A new one makes this fail until it is filled too, and so until its deletion was thought of.
"""

from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import select

from bot.preferences import AdmissionPreferences, DeliveryPreferences, LanguagePreferences
from bot.store import Database, Deed, Preferences, ProviderKeys, Scope, SecretBox, TurnJournal, VersionEnd
from bot.store.forgetting import Forgetting, Forgotten
from bot.store.memories import Memories, Subject
from bot.store.models import Base, Conversation, MemoryNote, Note, PersonaRow, Preference, Turn
from bot.store.usage import Ledger, Totals, UsageRow

# As long as Discord's ids are, so that no time's digits pass for one.
ADA, BO = 1_000_000_000_000_001, 1_000_000_000_000_002
SERVER, OTHER_SERVER = 2_000_000_000_000_001, 2_000_000_000_000_002
CHANNEL, ADAS_DIRECT, BOS_DIRECT, GROUP = (3_000_000_000_000_000 + nr for nr in range(1, 5))
NOW = datetime(2026, 1, 2, tzinfo=UTC)
DAY = date(2026, 1, 2)
BY = ("changed_by", "added_by")


async def ask(database: Database, by: int, question_id: int, channel_id: int, guild_id: int | None, of: str) -> None:
    """A question with two versions of its answer."""
    journal, turn_id = TurnJournal(database), f"turn{question_id}"
    assert await journal.claim(turn_id, question_id, channel_id, guild_id, by, [question_id + 1], asked=f"{of} asks")
    for nr in (1, 2):
        end = VersionEnd("completed", f"{of} text", f"{of} thoughts", facts=f'{{"line": "{of}"}}')
        await journal.finish(turn_id, nr, end, [(question_id + 2, 4)])
        if nr == 1:
            await journal.begin_version(turn_id)


async def fill(database: Database) -> None:
    """Both have used everything; where words are theirs, they begin with their name."""
    await ask(database, ADA, 100, CHANNEL, SERVER, "ADA")
    await ask(database, ADA, 110, ADAS_DIRECT, None, "ADA")
    await ask(database, ADA, 120, GROUP, None, "ADA")
    await ask(database, BO, 200, CHANNEL, SERVER, "BO")
    await ask(database, BO, 210, BOS_DIRECT, None, "BO")
    await ask(database, BO, 220, CHANNEL, OTHER_SERVER, "BO")
    memories = Memories(database)
    for user_id, name in ((ADA, "ADA"), (BO, "BO")):
        for guild_id in (SERVER, OTHER_SERVER, 0):
            subject = Subject(guild_id, user_id)
            await memories.switch_on(subject)
            await memories.add(subject, f"{name} note", by=user_id)
    await memories.add(Subject(SERVER), "SERVER note", by=ADA)
    rows = [
        Conversation(channel_id=CHANNEL, guild_id=SERVER, summary="SERVER summary", updated_at=NOW),
        Conversation(channel_id=ADAS_DIRECT, guild_id=None, summary="ADA summary", updated_at=NOW),
        Conversation(channel_id=BOS_DIRECT, guild_id=None, summary="BO summary", updated_at=NOW),
        Conversation(channel_id=GROUP, guild_id=None, summary="ADA and others", updated_at=NOW),
        PersonaRow(guild_id=SERVER, key="fox", persona="{}", created_by=ADA, updated_at=NOW),
        Preference(scope=Scope.SERVER.value, scope_id=SERVER, topic="delivery", chosen='{"maths": false}'),
        Note(name="commands", text="digest"),
    ]
    async with database.session.begin() as session:
        session.add_all(rows)
    ledger = Ledger(database)
    for by, channel, guild, payer in (
        (ADA, CHANNEL, SERVER, "server"),
        (BO, CHANNEL, SERVER, "server"),
        (ADA, ADAS_DIRECT, 0, "person"),
        (ADA, GROUP, 0, "person"),
    ):
        await ledger.add([UsageRow(DAY, guild, channel, by, "groq", "m", payer, f"{by}"[-4:], "answer", 1, 10, 2)])
    preferences = Preferences(database)
    keys = ProviderKeys(database, SecretBox(["a secret for the tests"]))
    for user_id in (ADA, BO):
        await keys.add(Scope.PERSON, user_id, "groq", "", f"gsk_{user_id}", Deed(user_id))
        await keys.add(Scope.SERVER, SERVER, "groq", "", f"gsk_server_{user_id}", Deed(user_id, SERVER))
        await preferences.change(LanguagePreferences, Scope.PERSON, user_id, Deed(user_id), locale="de")
        await preferences.change(
            DeliveryPreferences, Scope.SERVER, SERVER, Deed(user_id, SERVER), longest_code=user_id % 9
        )


async def content(database: Database) -> dict[str, list[dict[str, Any]]]:
    async with database.session() as session:
        return {
            name: [dict(row) for row in (await session.execute(select(table))).mappings()]
            for name, table in Base.metadata.tables.items()
        }


async def holds(database: Database, *traces: object) -> set[str]:
    """The tables in which something of these stands."""
    return {
        name
        for name, rows in (await content(database)).items()
        if any(str(trace) in str(value) for row in rows for value in row.values() for trace in traces)
    }


async def test_every_table_is_filled_here(database: Database) -> None:
    await fill(database)
    assert [name for name, rows in (await content(database)).items() if not rows] == [], "what becomes of these?"
    assert set(Scope) == {Scope.GLOBAL, Scope.SERVER, Scope.CHANNEL, Scope.PERSON}, "what a person chose is theirs"
    assert {"turns", "answer_versions", "memory_notes", "conversations", "personas"} <= await holds(
        database, ADA, "ADA"
    )


async def test_no_table_holds_anything_of_who_is_forgotten(database: Database) -> None:
    await fill(database)
    assert await Forgetting(database).person(ADA) == Forgotten(notes=3, questions=3, summaries=2)
    assert await holds(database, ADA, "ADA", ADAS_DIRECT, GROUP) == set()
    assert await Forgetting(database).person(ADA) == Forgotten()


async def test_what_is_others_stays(database: Database) -> None:
    await fill(database)
    before = await content(database)
    await Forgetting(database).person(ADA)
    after = await content(database)
    for table in ("answer_versions", "turn_messages"):
        bos = [row for row in before[table] if int(row["turn_id"].removeprefix("turn")) >= 200]
        assert after[table] == bos, table
    assert [row for row in after["turns"] if row["question_id"] >= 200] == [
        row for row in before["turns"] if row["question_id"] >= 200
    ]
    assert [row["text"] for row in after["memory_notes"]] == ["", "BO note"] * 3 + ["SERVER note"]
    assert [row["summary"] for row in after["conversations"]] == ["SERVER summary", "BO summary"]
    assert len(after["personas"]) == 1
    for table in ("preferences", "setting_changes", "provider_keys"):
        others = [row for row in before[table] if row["scope_id"] != ADA]
        nameless = [{name: 0 if name in BY and by == ADA else by for name, by in row.items()} for row in others]
        assert sorted(map(str, after[table])) == sorted(map(str, nameless))


async def test_a_direct_conversation_that_the_journal_no_longer_knows_is_found_by_its_channel(
    database: Database,
) -> None:
    await fill(database)
    async with database.session.begin() as session:
        for turn in await session.scalars(select(Turn)):
            await session.delete(turn)
    assert await Forgetting(database).person(ADA, ADAS_DIRECT) == Forgotten(notes=3, questions=0, summaries=1)
    assert await holds(database, ADAS_DIRECT) == set()


async def test_no_question_of_who_is_forgotten_is_answered_again(database: Database) -> None:
    await fill(database)
    await Forgetting(database).person(ADA)
    journal = TurnJournal(database)
    for message_id in (100, 101, 110, 111):
        assert not await journal.claim("again", message_id, CHANNEL, SERVER, ADA)
    assert await journal.answer("turn100") is None
    assert await journal.begin_version("turn100") is None


async def test_an_answer_that_ends_after_its_asker_was_forgotten_is_not_recorded(database: Database) -> None:
    journal = TurnJournal(database)
    await journal.claim("t", 100, CHANNEL, SERVER, ADA, asked="ADA asks")
    assert await Forgetting(database).person(ADA) == Forgotten(questions=1)
    await journal.finish("t", 1, VersionEnd("completed", "ADA text"), [(102, 4)])
    assert await holds(database, ADA, "ADA", 102) == set()


async def test_that_a_server_blocks_somebody_is_not_theirs_to_delete(database: Database) -> None:
    preferences = Preferences(database)
    await preferences.change(AdmissionPreferences, Scope.SERVER, SERVER, blocked_user_ids=[ADA])
    await Forgetting(database).person(ADA)
    assert await holds(database, ADA) == {"preferences", "setting_changes"}


async def test_of_a_server_all_goes_that_was_said_there_and_what_it_chose_stays(database: Database) -> None:
    await fill(database)
    before = await content(database)
    assert await Forgetting(database).server(SERVER) == Forgotten(notes=3, questions=2, summaries=1)
    after = await content(database)
    assert [row for row in after["turns"] if row["guild_id"] == SERVER and row["asked"] is not None] == []
    assert {row["turn_id"] for row in after["answer_versions"]} == {"turn110", "turn120", "turn210", "turn220"}
    assert {row["turn_id"] for row in after["turn_messages"]} == {"turn110", "turn120", "turn210", "turn220"}
    assert {row["guild_id"] for row in after["memory_notes"]} == {OTHER_SERVER, 0}
    assert {row["guild_id"] for row in after["conversations"]} == {None}
    for table in ("preferences", "personas", "notes", "turn_questions"):
        assert after[table] == before[table], table
    assert await Forgetting(database).server(SERVER) == Forgotten()


async def test_notes_without_text_are_not_counted(database: Database) -> None:
    await Memories(database).switch_on(Subject(SERVER, ADA))
    assert await Forgetting(database).person(ADA) == Forgotten()
    assert (await content(database))[MemoryNote.__tablename__] == []


async def test_of_a_channel_that_is_gone_all_goes_that_was_said_there(database: Database) -> None:
    await fill(database)
    assert await Forgetting(database).channel(ADAS_DIRECT) == Forgotten(notes=0, questions=1, summaries=1)
    assert await holds(database, "ADA summary") == set()
    assert await holds(database, "ADA text") == {"answer_versions"}, "of other channels"
    assert not await TurnJournal(database).claim("again", 110, ADAS_DIRECT, None, ADA)


async def test_sums_of_what_was_used_stay_and_tell_nobody(database: Database) -> None:
    await fill(database)
    ledger = Ledger(database)
    before = await ledger.total(DAY, DAY)
    await Forgetting(database).person(ADA)
    assert before == await ledger.total(DAY, DAY) == Totals(4, 40, 8)
    rows = [row async for page in ledger.rows(DAY, DAY) for row in page]
    assert [(row.guild_id, row.channel_id, row.user_id, row.calls) for row in rows] == [
        (0, 0, 0, 2),
        (SERVER, CHANNEL, 0, 1),
        (SERVER, CHANNEL, BO, 1),
    ]

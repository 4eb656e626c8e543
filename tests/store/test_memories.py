"""What is remembered of people, with their yes, and of servers; each in its place, and never more than there is room for."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from bot.store import Database, Memories, Subject
from bot.store.memories import (
    DIRECT,
    LONGEST_NOTE,
    MOST_OF_PERSON,
    MOST_OF_SERVER,
    AlreadyKept,
    MemoryFull,
    MemoryOff,
    NoNote,
    NotKept,
)

ADA, BO = 101, 102
SERVER = Subject(7)
ADA_THERE, BO_THERE = Subject(7, ADA), Subject(7, BO)
ADA_ELSEWHERE, ADA_DIRECT = Subject(8, ADA), Subject(DIRECT, ADA)


@pytest.fixture
def memories(database: Database) -> Memories:
    return Memories(database)


async def texts(memories: Memories, subject: Subject) -> list[str]:
    return [note.text for note in await memories.of(subject)]


async def told(memories: Memories, guild_id: int, *user_ids: int) -> list[tuple[int | None, str]]:
    return [(note.user_id, note.text) for note in await memories.about(guild_id, user_ids)]


# ---------------------------------------------------------------------------------------------------- the person's yes


async def test_nothing_is_kept_of_who_did_not_switch_memory_on(memories: Memories) -> None:
    assert not await memories.is_on(ADA_THERE)
    with pytest.raises(MemoryOff):
        await memories.add(ADA_THERE, "Ada is vegan.", by=ADA)
    await memories.switch_on(ADA_THERE)
    assert await memories.is_on(ADA_THERE)
    assert await texts(memories, ADA_THERE) == []


async def test_a_yes_counts_for_one_person_in_one_place(memories: Memories) -> None:
    await memories.switch_on(ADA_THERE)
    for other in (BO_THERE, ADA_ELSEWHERE, ADA_DIRECT):
        assert not await memories.is_on(other)
        with pytest.raises(MemoryOff):
            await memories.add(other, "Something.", by=ADA)


async def test_switching_off_deletes_what_was_kept_there_and_nothing_else(memories: Memories) -> None:
    for subject in (ADA_THERE, ADA_ELSEWHERE, ADA_DIRECT, BO_THERE):
        await memories.switch_on(subject)
        await memories.add(subject, "Something.", by=1)
    await memories.add(ADA_THERE, "More.", by=ADA)
    await memories.add(SERVER, "Something.", by=ADA)
    assert await memories.switch_off(ADA_THERE) == 2
    assert not await memories.is_on(ADA_THERE)
    await memories.switch_on(ADA_THERE)
    assert await texts(memories, ADA_THERE) == []
    for subject in (ADA_ELSEWHERE, ADA_DIRECT, BO_THERE, SERVER):
        assert await texts(memories, subject) == ["Something."]
    assert await memories.switch_off(BO_THERE) == 1
    assert await memories.switch_off(BO_THERE) == 0


async def test_a_second_yes_changes_nothing(memories: Memories) -> None:
    await memories.switch_on(ADA_THERE)
    note = await memories.add(ADA_THERE, "Ada is vegan.", by=ADA)
    await memories.switch_on(ADA_THERE)
    assert await memories.of(ADA_THERE) == [note]


async def test_the_model_hears_of_people_only_what_they_have_kept_in_that_place(memories: Memories) -> None:
    for subject, text in (
        (ADA_THERE, "Ada is vegan."),
        (BO_THERE, "Bo speaks Danish."),
        (ADA_ELSEWHERE, "A secret."),
        (ADA_DIRECT, "Another secret."),
    ):
        await memories.switch_on(subject)
        await memories.add(subject, text, by=1)
    await memories.add(SERVER, "The server plays chess.", by=BO)
    assert await told(memories, 7, ADA, BO) == [(ADA, "Ada is vegan."), (BO, "Bo speaks Danish.")]
    assert await told(memories, 7, BO, 999) == [(BO, "Bo speaks Danish.")]
    assert await told(memories, 8, ADA, BO) == [(ADA, "A secret.")]
    assert await told(memories, DIRECT, ADA) == [(ADA, "Another secret.")]
    assert await told(memories, 7) == []
    assert [note.text for note in await memories.server(7)] == ["The server plays chess."]
    assert await memories.server(8) == []


# --------------------------------------------------------------------------------------------------------------- notes


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Ada is vegan.", "Ada is vegan."),
        ("  Ada\n\nis\tvegan. ", "Ada is vegan."),
        ("\ud83d \0 x", "\ufffd \ufffd x"),
        ("x" * LONGEST_NOTE, "x" * LONGEST_NOTE),
        ("🦊" * LONGEST_NOTE, "🦊" * LONGEST_NOTE),
    ],
)
async def test_a_note_is_one_line(memories: Memories, written: str, kept: str) -> None:
    assert (await memories.add(SERVER, written, by=ADA)).text == kept
    assert await texts(memories, SERVER) == [kept]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", NoNote),
        (" \n ", NoNote),
        ("x" * (LONGEST_NOTE + 1), NoNote),
        ("one", AlreadyKept),
        ("ONE", AlreadyKept),
        (" One\n", AlreadyKept),
        ("STRASSE", AlreadyKept),
    ],
)
async def test_what_cannot_be_a_note_or_is_one_already_is_refused(
    memories: Memories, text: str, problem: type[NotKept]
) -> None:
    await memories.switch_on(ADA_THERE)
    for subject in (SERVER, ADA_THERE):
        await memories.add(subject, "One", by=ADA)
        street = await memories.add(subject, "Straße", by=ADA)
        two = await memories.add(subject, "Two", by=ADA)
        with pytest.raises(problem):
            await memories.add(subject, text, by=ADA)
        with pytest.raises(problem):
            await memories.edit(subject, two.note_id, text)
        await memories.edit(subject, street.note_id, "STRASSE")  # the note itself may be said otherwise
        assert await texts(memories, subject) == ["One", "STRASSE", "Two"]


@pytest.mark.parametrize(("subject", "most"), [(ADA_THERE, MOST_OF_PERSON), (SERVER, MOST_OF_SERVER)])
async def test_there_is_room_for_so_many_and_for_another_when_one_goes(
    memories: Memories, subject: Subject, most: int
) -> None:
    await memories.switch_on(ADA_THERE)
    notes = [await memories.add(subject, f"Note {number}.", by=ADA) for number in range(most)]
    with pytest.raises(MemoryFull) as full:
        await memories.add(subject, "One too many.", by=ADA)
    assert full.value.args == (most,)
    assert await memories.delete(subject, notes[3].note_id)
    await memories.add(subject, "One again.", by=ADA)
    assert len(await memories.of(subject)) == most


async def test_only_whose_note_it_is_can_change_or_delete_it(memories: Memories) -> None:
    for subject in (ADA_THERE, BO_THERE, ADA_ELSEWHERE):
        await memories.switch_on(subject)
    note = await memories.add(ADA_THERE, "Ada is vegan.", by=ADA)
    for other in (BO_THERE, ADA_ELSEWHERE, SERVER):
        assert not await memories.delete(other, note.note_id)
        with pytest.raises(NoNote):
            await memories.edit(other, note.note_id, "Changed.")
    assert await texts(memories, ADA_THERE) == ["Ada is vegan."]
    assert await memories.delete(ADA_THERE, note.note_id)
    assert not await memories.delete(ADA_THERE, note.note_id)
    with pytest.raises(NoNote):
        await memories.edit(ADA_THERE, note.note_id, "Changed.")


async def test_a_yes_cannot_be_deleted_like_a_note(memories: Memories) -> None:
    await memories.switch_on(ADA_THERE)
    for note_id in range(3):
        assert not await memories.delete(ADA_THERE, note_id)
    assert await memories.is_on(ADA_THERE)


async def test_of_many_who_write_at_once_none_goes_beyond_the_room_there_is(database_url: str) -> None:
    """In two processes, as it were."""
    async with AsyncExitStack() as stack:
        both = [Memories(await stack.enter_async_context(Database(database_url))) for _ in range(2)]
        await asyncio.gather(*(memories.switch_on(ADA_THERE) for memories in both))
        for number in range(MOST_OF_PERSON - 2):
            await both[0].add(ADA_THERE, f"Note {number}.", by=ADA)
        adding = [memories.add(ADA_THERE, f"More {number}.", by=ADA) for number in range(4) for memories in both]
        results = await asyncio.gather(*adding, return_exceptions=True)
        assert {type(result) for result in results if isinstance(result, Exception)} <= {MemoryFull, AlreadyKept}
        assert len(await both[0].of(ADA_THERE)) == MOST_OF_PERSON
        await both[0].switch_off(ADA_THERE)
        assert not await both[1].is_on(ADA_THERE)

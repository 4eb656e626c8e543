"""Notes outlive the process, and a later one takes the place of an earlier one."""

import asyncio

from bot.store import Database, Notes


async def test_a_note_is_there_after_a_restart_and_the_last_one_counts(database_url: str) -> None:
    async with Database(database_url) as first:
        notes = Notes(first)
        assert await notes.get("commands") is None
        await notes.put("commands", "one")
        await notes.put("commands", "two")
        await notes.put("other", "three")
    async with Database(database_url) as second:
        assert await Notes(second).get("commands") == "two"
        assert await Notes(second).get("other") == "three"


async def test_processes_that_put_the_same_note_at_once_all_come_through(database_url: str) -> None:
    async with Database(database_url) as one, Database(database_url) as another:
        await asyncio.gather(*(Notes(database).put("commands", "same") for database in (one, another) * 3))
        assert await Notes(one).get("commands") == "same"

"""What is exported from one kind of database and imported into another is the same; what is not whole is not imported at all."""

import asyncio
import io
import tempfile
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine import make_url

from bot.store import Database, DatabaseUnavailable, Memories, Notes, Subject
from bot.store.dump import FORMAT, LEFT_OUT, LONGEST_LINE, NotImported, export_to, import_from
from bot.store.engine import SQLITE
from bot.store.models import Base
from bot.store.upgrade import newest
from tests.databases import PostgresServer, sqlite_url
from tests.store.test_migrations import filled_at, read_all

NOW = datetime(2026, 1, 2, tzinfo=UTC)
HEADER = {"parley_export": FORMAT, "revision": newest(), "exported_at": NOW}
NOTE = {"table": "notes", "row": {"name": "n", "text": "t"}}


async def exported(url: str) -> bytes:
    written = io.BytesIO()
    await export_to(make_url(url), written.write, NOW)
    return written.getvalue()


async def imported(url: str, export: bytes) -> int:
    return await import_from(make_url(url), io.BytesIO(export))


def lines(*values: Any) -> bytes:
    return b"".join(msgspec.json.encode(value) + b"\n" for value in values)


@pytest.fixture
async def other_url(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """An empty database of the other kind."""
    if database_kind != SQLITE:
        return sqlite_url(tmp_path)
    server: PostgresServer = request.getfixturevalue("postgres")
    return await server.database(with_tables=False)


# ------------------------------------------------------------------------------------------------------------- the law


async def test_what_moves_to_the_other_kind_of_database_is_the_same_there(empty_url: str, other_url: str) -> None:
    rows = await filled_at(newest(), empty_url)
    export = await exported(empty_url)
    wanted = {table: [] if table in LEFT_OUT else found for table, found in rows.items()}
    assert await imported(other_url, export) == sum(map(len, wanted.values()))
    async with Database(other_url) as database:
        assert await read_all(database) == wanted
    assert await exported(other_url) == export


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)


@settings(max_examples=8)
@given(st.dictionaries(texts.map(lambda text: text[:20]), texts, max_size=8))
def test_any_rows_come_back_as_they_were(notes: dict[str, str]) -> None:
    async def moved() -> None:
        with tempfile.TemporaryDirectory() as name:
            one, other = sqlite_url(Path(name) / "one"), sqlite_url(Path(name) / "other")
            async with Database(one) as database:
                for key, text in notes.items():
                    await Notes(database).put(key, text)
            export = await exported(one)
            assert await imported(other, export) == len(notes)
            assert await exported(other) == export
            async with Database(other) as database:
                assert {key: await Notes(database).get(key) for key in notes} == notes

    asyncio.run(moved())


async def test_what_comes_after_an_import_gets_ids_of_its_own(empty_url: str, other_url: str) -> None:
    await filled_at(newest(), empty_url)
    await imported(other_url, await exported(empty_url))
    async with Database(other_url) as database:
        known = {row["note_id"] for row in (await read_all(database))["memory_notes"]}
        added = await Memories(database).add(Subject(7), "New.", by=1)
        assert added.note_id > max(known)


@pytest.mark.parametrize("revision", ["0001", "0003"])
async def test_what_an_earlier_version_exported_is_brought_to_the_newest(empty_url: str, revision: str) -> None:
    """As an earlier version would have written it: in the order of its own tables."""
    with tempfile.TemporaryDirectory() as name:
        rows = await filled_at(revision, sqlite_url(Path(name)))
    written = [{"table": table, "row": row} for table, found in rows.items() for row in found]
    count = await imported(empty_url, lines({**HEADER, "revision": revision}, *written, {"rows": len(written)}))
    assert count == len(written)
    async with Database(empty_url) as database:
        after = await read_all(database)
    assert [turn["turn_id"] for turn in after["turns"]] == [turn["turn_id"] for turn in rows["turns"]]
    assert len(after["answer_versions"]) == len(rows.get("answer_versions", rows["turns"]))


async def test_an_import_also_fills_tables_that_are_there_and_empty(database_url: str) -> None:
    assert await imported(database_url, lines(HEADER, NOTE, {"rows": 1})) == 1
    async with Database(database_url) as database:
        assert await Notes(database).get("n") == "t"


# -------------------------------------------------------------------------------------------------------------- exports


async def test_an_export_is_of_one_moment_though_the_bot_writes_on(database: Database, database_url: str) -> None:
    await Notes(database).put("before", "x")
    written: list[bytes] = []

    def write(line: bytes) -> None:
        if not written:
            # In a loop of its own: this one waits until the line is written.
            writer = threading.Thread(target=lambda: asyncio.run(put_meanwhile()))
            writer.start()
            writer.join()
        written.append(line)

    async def put_meanwhile() -> None:
        async with Database(database_url) as other:
            await Notes(other).put("meanwhile", "x")

    await export_to(make_url(database_url), write)
    rows = [msgspec.json.decode(line) for line in written[1:]]
    assert rows == [{"table": "notes", "row": {"name": "before", "text": "x"}}, {"rows": 1}]
    assert await Notes(database).get("meanwhile") == "x"


async def test_no_secret_is_exported(empty_url: str) -> None:
    await filled_at(newest(), empty_url)
    export = await exported(empty_url)
    for table in LEFT_OUT:
        assert f'"{table}"'.encode() not in export
    exported_columns = {
        column.name for table in Base.metadata.sorted_tables if table.name not in LEFT_OUT for column in table.columns
    }
    assert not {name for name in exported_columns if any(word in name for word in ("encrypted", "secret", "password"))}


async def test_only_a_database_that_is_there_and_up_to_date_is_exported(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnavailable, match="there is no such file"):
        await exported(sqlite_url(tmp_path))
    with pytest.raises(DatabaseUnavailable, match="there is no such file"):  # and none was made
        await exported(sqlite_url(tmp_path))
    await filled_at("0001", sqlite_url(tmp_path))
    with pytest.raises(
        DatabaseUnavailable, match=r"at revision 0001, and .* `python -m bot db upgrade` brings them there"
    ):
        await exported(sqlite_url(tmp_path))


# ------------------------------------------------------------------------------------------- what cannot be imported

_TURN = {
    "turn_id": "t", "question_id": 1, "channel_id": 2, "guild_id": None, "asker_id": None, "asked": None,
    "shown_version_nr": 1, "started_at": NOW, "ended_at": None, "status": None,
}  # fmt: skip


def turn(**changed: Any) -> dict[str, Any]:
    return {"table": "turns", "row": {**_TURN, **changed}}


@pytest.mark.parametrize(
    ("export", "problem"),
    [
        (b"", "line 1 is not the beginning of an export"),
        (b"{}\n", "line 1 is not the beginning of an export"),
        (b"\xff\n", "line 1 is not the beginning of an export"),
        (lines({**HEADER, "parley_export": FORMAT + 1}), "line 1: a newer version of Parley wrote this"),
        (
            lines({**HEADER, "revision": "9999"}),
            "line 1: this is of revision '9999', which this version .* does not know",
        ),
        (lines(HEADER), "the last line is missing: the file was cut off"),
        (lines(HEADER, NOTE), "the last line is missing: the file was cut off"),
        (lines(HEADER, {"rows": 1}), "the last line says that there are 1 rows, and there are 0"),
        (lines(HEADER, {"rows": 0}, NOTE), "line 3 stands behind the last line"),
        (lines(HEADER, NOTE)[:-9], "line 2: .*truncated"),
        (lines(HEADER, NOTE) + b"\n", "line 3: .*truncated"),
        (lines(HEADER) + b"\xff\n", "line 2: "),
        (lines(HEADER) + b"[" * 100_000 + b"\n", "line 2: "),
        (lines(HEADER) + b'{"table":"notes","row":' + b"[" * 100_000 + b"\n", "line 2: "),
        (lines(HEADER, {"table": "users", "row": {}}), "line 2: there is no table 'users' to be filled"),
        (
            lines(HEADER, {"table": "provider_keys", "row": {}}),
            "line 2: there is no table 'provider_keys' to be filled",
        ),
        (lines(HEADER, {"table": "alembic_version", "row": {}}), "line 2: there is no table 'alembic_version'"),
        (lines(HEADER, {"row": {}}), "line 2: there is no table None to be filled"),
        (lines(HEADER, {"table": "notes", "row": {"name": "n"}}), "line 2: Object missing required field `text`"),
        (lines(HEADER, {"table": "notes", "row": {"name": "n", "text": "t", "x": 1}}), "line 2: .* unknown field `x`"),
        (
            lines(HEADER, {"table": "notes", "row": {"name": "n" * 65, "text": ""}}),
            "line 2: .* length <= 64 .*`\\$.name`",
        ),
        (lines(HEADER, NOTE, turn(question_id="1")), "line 3: Expected `int`, got `str` - at `\\$.question_id`"),
        (lines(HEADER, turn(question_id=1 << 63)), "line 2: .*`\\$.question_id`"),
        (lines(HEADER, turn(shown_version_nr=1 << 31)), "line 2: .*`\\$.shown_version_nr`"),
        (lines(HEADER, turn(channel_id=None)), "line 2: Expected `int`, got `null` - at `\\$.channel_id`"),
        (lines(HEADER, turn(started_at="yesterday")), "line 2: .*`\\$.started_at`"),
        (lines(HEADER, turn(started_at="2026-01-02T00:00:00")), "line 2: .*timezone.*`\\$.started_at`"),
    ],
)
async def test_a_fault_is_told_with_its_line(tmp_path: Path, export: bytes, problem: str) -> None:
    with pytest.raises(NotImported, match=problem) as refused:
        await imported(sqlite_url(tmp_path), export)
    assert len(str(refused.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("export", "problem"),
    [
        (
            lines(HEADER, turn(), turn(turn_id="u", question_id=2), turn(question_id=3), {"rows": 3}),
            "line 4 does not fit",
        ),
        (
            lines(
                HEADER, turn(), {"table": "turn_questions", "row": {"message_id": 5, "turn_id": "gone"}}, {"rows": 2}
            ),
            "line 3 does not fit those before it: ",
        ),
        (lines(HEADER, NOTE), "cut off"),
    ],
)
async def test_of_what_is_at_fault_anywhere_nothing_is_imported(empty_url: str, export: bytes, problem: str) -> None:
    with pytest.raises(NotImported, match=problem) as refused:
        await imported(empty_url, export)
    assert len(str(refused.value).splitlines()) == 1
    async with Database(empty_url) as database:
        assert set(map(len, (await read_all(database)).values())) == {0}


async def test_a_line_has_an_end(tmp_path: Path) -> None:
    class Endless(io.RawIOBase):
        def readline(self, size: int | None = -1, /) -> bytes:
            assert size is not None
            return b"x" * size

    with pytest.raises(NotImported, match=f"line 1 is longer than {LONGEST_LINE} bytes"):
        await import_from(make_url(sqlite_url(tmp_path)), Endless())  # type: ignore[arg-type]


async def test_a_database_with_anything_in_it_is_left_alone(database: Database, database_url: str) -> None:
    await Notes(database).put("n", "mine")
    with pytest.raises(
        NotImported, match="the database is not empty: its table notes has rows; an import needs a new one"
    ):
        await imported(database_url, lines(HEADER, NOTE, {"rows": 1}))
    assert await Notes(database).get("n") == "mine"


async def test_many_rows_and_long_ones_come_through(empty_url: str) -> None:
    """More than are written together, by number and by size."""
    rows = [{"table": "notes", "row": {"name": f"{number:04}", "text": "x" * 20}} for number in range(1234)]
    rows += [{"table": "notes", "row": {"name": f"long {number}", "text": "🦊" * 400_000}} for number in range(5)]
    export = lines(HEADER, *rows, {"rows": len(rows)})
    assert await imported(empty_url, export) == len(rows)
    assert await exported(empty_url) == export

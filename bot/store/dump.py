"""All that is in a database as lines of JSON, and back: how one moves from SQLite to PostgreSQL, or to another machine.

The first line says at which revision the tables are, each other one is a row, and the last one counts them, so that a file that was cut
off is known. Rows are in one order whatever the database is, those first to which others refer. Secrets stay where they are.

An import makes the tables as they were at the file's revision, fills them, and then upgrades them: all in one transaction. Each value
is checked against its column before a database sees it, as SQLite takes anything anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime
from typing import Annotated, Any, BinaryIO

import msgspec
from sqlalchemy import BigInteger, Column, Connection, MetaData, String, Table, func, insert, inspect, literal, select
from sqlalchemy.engine import URL
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.store.engine import POSTGRESQL, new_engine, reading
from bot.store.models import Base
from bot.store.unavailable import DatabaseUnavailable, told_as_unavailable
from bot.store.upgrade import changing_tables, is_known, migrate, newest, revision_of, sqlite_file

FORMAT = 1
LEFT_OUT = frozenset({"provider_keys"})
"""Tables that no export has, as what is in them opens doors elsewhere, and whoever moves enters it anew."""
LONGEST_LINE = 64 << 20
"""Bytes. The longest rows are answers: two texts of 400,000 code points."""
ROWS_AT_ONCE = 500
BYTES_AT_ONCE = 4 << 20

_VERSIONS = "alembic_version"


class NotExported(Exception):
    """The text says why, in one line."""


class NotImported(Exception):
    """The text says why, in one line, and which line of the file it was. Then nothing is imported."""


class _Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    parley_export: int
    """FORMAT"""
    revision: str
    exported_at: datetime


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    table: str | None = None
    row: msgspec.Raw = msgspec.Raw(b"null")
    rows: int | None = None
    """Of the last line: how many there were."""


# -------------------------------------------------------------------------------------------------------------- export


async def export_to(url: URL, write: Callable[[bytes], object], now: datetime | None = None) -> int:
    """Write all rows as they are at one moment, also while the bot runs; how many. Raises DatabaseUnavailable, NotExported."""
    file = sqlite_file(url)
    if file is not None and not file.exists():
        raise DatabaseUnavailable("there is no such file")
    engine = new_engine(url, patient=True)
    with told_as_unavailable(url):
        try:
            async with reading(engine).begin() as connection:
                await _want_newest(connection)
                _write(write, _Header(FORMAT, newest(), now or datetime.now(UTC)))
                rows = 0
                for table in Base.metadata.sorted_tables:
                    if table.name not in LEFT_OUT:
                        rows += await _export_table(connection, table, write)
                _write(write, {"rows": rows})
                return rows
        finally:
            await engine.dispose()


async def _want_newest(connection: AsyncConnection) -> None:
    revision = await connection.run_sync(revision_of)
    if revision != newest():
        raise DatabaseUnavailable(
            f"its tables are at revision {revision}, and this version of Parley exports revision {newest()};"
            " `python -m bot db upgrade` brings them there"
        )


async def _export_table(connection: AsyncConnection, table: Table, write: Callable[[bytes], object]) -> int:
    rows, names = 0, [str(column.name) for column in table.columns]
    in_order = select(table).order_by(*(_sortable(column, connection) for column in table.primary_key))
    async with connection.stream(in_order.execution_options(yield_per=100)) as found:
        async for row in found:
            _write(write, {"table": str(table.name), "row": dict(zip(names, row, strict=True))})
            rows += 1
    return rows


def _sortable(column: Column[Any], connection: AsyncConnection) -> Any:
    """By the bytes of its UTF-8: as SQLite sorts texts, and PostgreSQL only where it is told to."""
    text = isinstance(column.type, String)
    return column.collate("C") if text and connection.dialect.name == POSTGRESQL else column


def _write(write: Callable[[bytes], object], line: Any) -> None:
    try:
        write(msgspec.json.encode(line) + b"\n")
    except OSError as error:
        raise NotExported(error.strerror or str(error)) from error


# -------------------------------------------------------------------------------------------------------------- import


async def import_from(url: URL, file: BinaryIO) -> int:
    """Fill an empty database with what was exported, and bring it to the newest revision; how many rows.

    Raises DatabaseUnavailable, NotImported. A SQLite file that is not there yet is made.
    """
    lines = _lines(file)
    header = _header(next(lines, (1, b""))[1])
    async with changing_tables(url) as connection:
        await connection.run_sync(_make_empty_tables, header.revision)
        tables = await connection.run_sync(_tables)
        rows = await _import_rows(connection, lines, tables)
        if connection.dialect.name == POSTGRESQL:
            await _count_on(connection, tables.values())
        await connection.run_sync(migrate, newest())
    return rows


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes]]:
    number = 0
    while True:
        number += 1
        try:
            line = file.readline(LONGEST_LINE + 1)
        except OSError as error:
            raise NotImported(f"line {number} cannot be read: {error.strerror or error}") from error
        if not line:
            return
        if len(line) > LONGEST_LINE:
            raise NotImported(f"line {number} is longer than {LONGEST_LINE} bytes")
        yield number, line


def _header(line: bytes) -> _Header:
    try:
        header = msgspec.json.decode(line, type=_Header)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise NotImported(f"line 1 is not the beginning of an export of Parley's: {error}") from error
    if header.parley_export > FORMAT:
        raise NotImported(
            f"line 1: a newer version of Parley wrote this (format {header.parley_export}; this one reads {FORMAT})"
        )
    if not is_known(header.revision):
        raise NotImported(
            f"line 1: this is of revision {header.revision!r}, which this version of Parley does not know"
            f" (it knows those up to {newest()})"
        )
    return header


def _make_empty_tables(connection: Connection, revision: str) -> None:
    for table in _reflected(connection):
        if connection.execute(select(literal(1)).select_from(table).limit(1)).first() is not None:
            raise NotImported(f"the database is not empty: its table {table.name} has rows; an import needs a new one")
    migrate(connection, revision)


def _reflected(connection: Connection) -> list[Table]:
    """All but Alembic's own, those first to which others refer."""
    inspect(connection).clear_cache()
    metadata = MetaData()
    metadata.reflect(connection)
    return [table for table in metadata.sorted_tables if table.name != _VERSIONS]


class _Target:
    """A table to be filled, and what its rows look like."""

    def __init__(self, table: Table) -> None:
        self.table = table
        fields = [(str(column.name), _type_of(column)) for column in table.columns]
        row = msgspec.defstruct(table.name, fields, frozen=True, forbid_unknown_fields=True)
        self._decoder = msgspec.json.Decoder(row)

    def row(self, text: msgspec.Raw) -> dict[str, Any]:
        """Raises msgspec.DecodeError."""
        values = msgspec.structs.asdict(self._decoder.decode(text))
        return {name: value.astimezone(UTC) if isinstance(value, datetime) else value for name, value in values.items()}


def _tables(connection: Connection) -> dict[str, _Target]:
    return {table.name: _Target(table) for table in _reflected(connection) if table.name not in LEFT_OUT}


def _type_of(column: Column[Any]) -> Any:
    python: Any = column.type.python_type
    if python is int:
        most = 1 << (63 if isinstance(column.type, BigInteger) else 31)
        python = Annotated[int, msgspec.Meta(ge=-most, le=most - 1)]
    elif python is datetime:
        python = Annotated[datetime, msgspec.Meta(tz=True)]
    elif isinstance(column.type, String) and column.type.length:
        python = Annotated[str, msgspec.Meta(max_length=column.type.length)]
    else:
        assert python in (str, bool, bytes, date), column
    return python | None if column.nullable else python


class _Batch:
    """Rows of one table that are written together."""

    def __init__(self, connection: AsyncConnection) -> None:
        self._connection = connection
        self._table: Table | None = None
        self._rows: list[tuple[int, dict[str, Any]]] = []
        self._bytes = 0

    async def add(self, table: Table, number: int, row: dict[str, Any], size: int) -> None:
        if table is not self._table or len(self._rows) >= ROWS_AT_ONCE or self._bytes >= BYTES_AT_ONCE:
            await self.flush()
            self._table = table
        self._rows.append((number, row))
        self._bytes += size

    async def flush(self) -> None:
        if self._table is not None and self._rows:
            await _insert(self._connection, self._table, self._rows)
        self._rows, self._bytes = [], 0


async def _import_rows(
    connection: AsyncConnection, lines: Iterable[tuple[int, bytes]], tables: dict[str, _Target]
) -> int:
    batch, rows, end = _Batch(connection), 0, None
    for number, text in lines:
        if end is not None:
            raise NotImported(f"line {number} stands behind the last line of the export")
        try:
            line = msgspec.json.decode(text, type=_Line)
            if line.rows is not None:
                end = line.rows
                continue
            if line.table not in tables:
                raise NotImported(f"line {number}: there is no table {line.table!r} to be filled")
            target = tables[line.table]
            await batch.add(target.table, number, target.row(line.row), len(text))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise NotImported(f"line {number}: {error}") from error
        rows += 1
    await batch.flush()
    if end is None:
        raise NotImported("the last line is missing: the file was cut off")
    if end != rows:
        raise NotImported(f"the last line says that there are {end} rows, and there are {rows}")
    return rows


async def _insert(connection: AsyncConnection, table: Table, rows: list[tuple[int, dict[str, Any]]]) -> None:
    """Where the database refuses them, halves are tried, until it is known which line it is."""
    try:
        async with connection.begin_nested():
            await connection.execute(insert(table), [row for _, row in rows])
    except (IntegrityError, DataError) as error:
        if len(rows) == 1:
            problem = str(error.orig).partition("\n")[0].rpartition(">: ")[2]
            raise NotImported(f"line {rows[0][0]} does not fit those before it: {problem}") from error
        half = len(rows) // 2
        await _insert(connection, table, rows[:half])
        await _insert(connection, table, rows[half:])


async def _count_on(connection: AsyncConnection, targets: Iterable[_Target]) -> None:
    """Ids that PostgreSQL gives come after those that were imported; SQLite looks for itself."""
    for target in targets:
        for column in target.table.primary_key:
            sequence = func.pg_get_serial_sequence(target.table.name, column.name)
            last = select(func.max(column)).scalar_subquery()
            if await connection.scalar(select(sequence)) is not None:
                await connection.execute(select(func.setval(sequence, last)))

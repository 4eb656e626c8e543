"""Rows for tables as they are at any revision, made from the tables themselves: a new table is filled without being named here."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, MetaData, String, insert, select

Tables = dict[str, list[dict[str, Any]]]

HARD_WORDS = ("", 'it\'s "quoted" \\ \\u0000 {x}', "two\nlines\ttab", "🦊 שלום ｆｕｌｌ \u2028", "x" * 100)


def fill(connection: Connection, count: int = len(HARD_WORDS)) -> Tables:
    """So many rows in each table, each value unlike its neighbours; what is in the database then."""
    for table in _tables(connection).sorted_tables:
        rows = [{column.name: _value(column, number) for column in table.columns} for number in range(count)]
        if table.name != "alembic_version":
            connection.execute(insert(table), rows)
    return read(connection)


def read(connection: Connection) -> Tables:
    """All rows of all tables, sorted by their keys. Times are in UTC."""
    return {
        str(table.name): sorted(
            (
                {str(name): _in_utc(value) for name, value in row.items()}
                for row in connection.execute(select(table)).mappings()
            ),
            key=lambda row, table=table: [row[column.name] for column in table.primary_key],  # type: ignore[misc]
        )
        for table in _tables(connection).sorted_tables
        if table.name != "alembic_version"
    }


def _tables(connection: Connection) -> MetaData:
    metadata = MetaData()
    metadata.reflect(connection)
    return metadata


def _value(column: Column[Any], number: int) -> Any:
    if column.foreign_keys:
        (key,) = column.foreign_keys
        return _value(key.column, number)
    if column.nullable and number % 3 == 2:
        return None
    kind = column.type.python_type
    place = sum(str(column.name).encode())
    values: dict[type, Any] = {
        int: ((1 << 62) if isinstance(column.type, BigInteger) else 1 << 20) + 1000 * number + place,
        bool: number % 2 == 0,
        bytes: bytes(range(256)) * number,
        datetime: datetime(2026, 1, 2, 3, 4, 5, 60708, UTC) + timedelta(days=number),
        date: date(2026, 1, 2) + timedelta(days=number),
    }
    return values[kind] if kind in values else _text(column, number)


def _text(column: Column[Any], number: int) -> str:
    longest = column.type.length if isinstance(column.type, String) else None
    # Sorted by letters these come in another order than by code points.
    name = f"{'bAaBé'[number % 5]}{number}{column.name}"
    text = name if column.primary_key or column.unique else HARD_WORDS[number % len(HARD_WORDS)]
    return text[:longest]


def _in_utc(value: Any) -> Any:
    return value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value

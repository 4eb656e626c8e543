"""What was used, as a CSV file (RFC 4180): a line for each row of the ledger, with a byte order mark, without which Excel takes UTF-8 for
something else.

Names of channels and people, and models' names, come from strangers. A program that opens the file must not take one for a formula:
where it could begin one, an apostrophe stands before it (https://owasp.org/www-community/attacks/CSV_Injection).
"""

from __future__ import annotations

import csv
import io
import re
from codecs import BOM_UTF8
from collections.abc import AsyncIterable, Callable, Sequence
from datetime import date

import msgspec

from bot.commands.usage_panel import dollars
from bot.store.usage import UsageRow

_COUNTERS = (
    "calls",
    "input_tokens",
    "output_tokens",
    "reasoning_tokens",
    "cached_tokens",
    "unpriced_calls",
    "estimated_calls",
)
HEADER = (
    *("day", "guild_id", "guild", "channel_id", "channel", "user_id", "user"),
    *("provider", "model", "payer", "key_last_four", "purpose"),
    *(*_COUNTERS, "cost_usd"),
)
_FORMULA = re.compile(r"(^|[;\t\r\n])(?=[=+\-@＝＋－＠\t\r\n])")
"""Also behind what another program may take for the end of a cell."""


class Names(msgspec.Struct, frozen=True):
    """Of what is known here; empty for what is not."""

    guild: Callable[[int], str]
    channel: Callable[[int], str]
    user: Callable[[int], str]


class CsvFile(msgspec.Struct, frozen=True):
    data: bytes
    rows: int
    cut_at: date | None = None
    """The day whose rows did not all fit; older ones are not in it either."""


async def written(pages: AsyncIterable[Sequence[UsageRow]], names: Names, reader_id: int, most_bytes: int) -> CsvFile:
    """`pages`: the newest first. Of a key of one's own nobody else hears anything."""
    lines, size, rows = [BOM_UTF8 + _line(HEADER)], 0, 0
    size = len(lines[0])
    async for page in pages:
        for row in page:
            line = _line(_cells(row, names, reader_id))
            size += len(line)
            if size > most_bytes:
                return CsvFile(b"".join(lines), rows, cut_at=row.day)
            lines.append(line)
            rows += 1
    return CsvFile(b"".join(lines), rows)


def _cells(row: UsageRow, names: Names, reader_id: int) -> Sequence[object]:
    key = row.key_last_four if row.payer != "person" or row.user_id == reader_id else ""
    return (
        *(row.day, row.guild_id, names.guild(row.guild_id), row.channel_id, names.channel(row.channel_id)),
        *(row.user_id, names.user(row.user_id), row.provider, row.model, row.payer, key, row.purpose),
        *(getattr(row, name) for name in _COUNTERS),
        f"{dollars(row.cost_nano):f}",
    )


def _line(cells: Sequence[object]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow([_guarded(cell) if isinstance(cell, str) else cell for cell in cells])
    # Half a surrogate pair, which no encoding has.
    return line.getvalue().encode("utf-8", "replace")


def _guarded(text: str) -> str:
    return _FORMULA.sub(r"\1'", text)

"""The files of a message as they go out, and words in place of those that Discord does not take.

A server's limit is what it says of itself, until Discord refuses a file within it. A file that does not go out leaves a line
under the text, or, where the message has no room for that, a small file of its name that holds the line.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

import msgspec
import structlog

from bot.delivery.payloads import Upload, fits
from bot.delivery.plan import FilePlan, MessagePlan, Table
from bot.preferences import Style

log = structlog.get_logger()

DEFAULT_FILE_LIMIT = 10 * 2**20
"""Bytes of a file in direct messages and in servers without boosts
(https://docs.discord.com/developers/reference#uploading-files)."""
REQUEST_LIMIT = 25 * 2**20 - 2**16
"""Bytes of all files of a request, with room for the rest of it."""

TooLarge: TypeAlias = Callable[[str, int, int], str]
"""(filename, its bytes, the limit in bytes) → a line of Markdown. Limit 0: no file can be attached here, of whatever size."""


def size_only(filename: str, size: int, limit: int) -> str:
    """Where nobody gave better words."""
    return f"-# 📎 {filename} ({size / 2**20:.1f} MiB > {limit / 2**20:.1f} MiB)"


class Uploads:
    """The files of one answer's messages."""

    def __init__(self, style: Style, words: TooLarge) -> None:
        self._style = style
        self._words = words
        self._limit = REQUEST_LIMIT
        self.refused: frozenset[FilePlan] = frozenset()
        """What Discord does not take, whatever its size."""
        self._drawn: dict[Table, Upload] = {}

    async def of(self, plan: MessagePlan, limit: int) -> tuple[MessagePlan, Sequence[Upload]]:
        """The plan with words for the files that do not go out, and those that do. `limit`: the server's, in bytes."""
        self._limit = min(self._limit, limit)
        uploads: list[Upload] = []
        lines: list[str] = []
        room = REQUEST_LIMIT
        for file in plan.files:
            upload = await self._upload(file)
            size, most = len(upload.content), 0 if file in self.refused else min(self._limit, room)
            if most > 0 and size <= most:
                uploads.append(upload)
                room -= size
            else:
                lines.append(self._words(file.filename, size, most))
        return self._told(plan, lines, uploads)

    def refuse_largest(self, plan: MessagePlan) -> bool:
        """Discord did not take this plan's files: none as large as the largest is sent from now on.

        False where none of them was sent anyway.
        """
        sizes = [len(self._content(file)) for file in plan.files if file not in self.refused]
        sent = [size for size in sizes if 0 < size <= self._limit]
        if sent:
            self._limit = max(sent) - 1
        return bool(sent)

    def refuse_all(self) -> bool:
        """We may not attach files here. False where we knew."""
        known, self._limit = self._limit <= 0, 0
        return not known

    def sends(self, files: Iterable[FilePlan]) -> bool:
        """Whether it would try with any of these."""
        return self._limit > 0 and any(file not in self.refused for file in files)

    def _told(
        self, plan: MessagePlan, lines: Sequence[str], uploads: list[Upload]
    ) -> tuple[MessagePlan, Sequence[Upload]]:
        if not lines:
            return plan, uploads
        words = "\n".join(lines)
        told = msgspec.structs.replace(plan, content=f"{plan.content}\n{words}".strip())
        if fits(told, self._style):
            return told, uploads
        if self._limit > len(words.encode()) and not self.refused:
            return plan, [*uploads, Upload(f"{plan.files[0].filename}.txt", words.encode())]
        log.warning("file_not_told_of", words=words)
        return plan, uploads

    async def _upload(self, file: FilePlan) -> Upload:
        if isinstance(file.content, bytes):
            return Upload(file.filename, file.content, file.description)
        if file.content not in self._drawn:
            self._drawn[file.content] = await asyncio.to_thread(_drawn, file.filename, file.content, file.description)
        return self._drawn[file.content]

    def _content(self, file: FilePlan) -> bytes:
        return file.content if isinstance(file.content, bytes) else self._drawn[file.content].content


def _drawn(filename: str, table: Table, description: str) -> Upload:
    """A table as a picture, or as text when the drawing fails: it is part of the answer."""
    # Fonts and pictures are only loaded where a server chose them.
    from bot.delivery.table_picture import draw

    try:
        return Upload(filename, draw(table), description)
    except Exception:
        log.exception("table_not_drawn")
        text = "\n".join("| " + " | ".join(row) + " |" for row in table.rows)
        return Upload(f"{filename}.md", text.encode("utf-8", "replace"), description)

"""PDF → its text, read by a process that lives as long as one file (pdf_worker).

A hostile PDF can make any reader loop or swallow memory. So the reader is a stranger to the bot: another process, without the
bot's environment and so without its keys, with limits that the system keeps, killed when its time is over. What it had said until
then counts.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path

import msgspec
import structlog

from bot.attachments.pdf_worker import MOST_OF_PAGE
from bot.attachments.readout import NotRead, Reason
from bot.attachments.texts import plain

log = structlog.get_logger()

SECONDS = 25.0
"""For one file. More than the processor time that the worker allows itself, which so is what ends most of them."""
AT_ONCE = 2

_WORKER = Path(__file__).with_name("pdf_worker.py")
_LONGEST_LINE = 12 * MOST_OF_PAGE + 100
"""Bytes. In JSON of ASCII a character beyond the first plane takes twelve."""


class PdfText(msgspec.Struct, frozen=True):
    pages: tuple[str, ...]
    """The text of the first pages, in order; a page without any is an empty one."""
    of: int
    """Pages that the file has."""


class _Line(msgspec.Struct):
    """One of the worker's."""

    pages: int = 0
    locked: bool = False
    broken: bool = False
    text: str = ""


class PdfReaders:
    """Starts a worker for each file, few at a time."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._free = asyncio.Semaphore(AT_ONCE)

    async def read(self, data: bytes, most_pages: int, most_characters: int) -> PdfText:
        """Pages until there are `most_characters` code points, which the last one may exceed. Raises NotRead."""
        async with self._free:
            lines, finished = await self._lines(data, most_pages, most_characters)
        head, *pages = lines or [_Line()]
        if head.locked:
            raise NotRead(Reason.PDF_LOCKED)
        if head.broken:
            raise NotRead(Reason.BROKEN, form="PDF")
        texts = tuple(plain(page.text).strip() for page in pages)
        if not any(texts):
            raise NotRead(Reason.PDF_WITHOUT_TEXT if finished else Reason.TOO_SLOW)
        return PdfText(texts, head.pages)

    async def _lines(self, data: bytes, most_pages: int, most_characters: int) -> tuple[list[_Line], bool]:
        """What the worker said, and whether it came to its end by itself."""
        worker = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", str(_WORKER), str(most_pages), str(most_characters)),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            env={},
            limit=_LONGEST_LINE,
        )
        lines: list[_Line] = []
        try:
            async with asyncio.timeout(self._seconds):
                await _hand_over(worker, data)
                assert worker.stdout is not None
                while line := await worker.stdout.readline():
                    lines.append(msgspec.json.decode(line, type=_Line))
                await worker.wait()
        except (TimeoutError, ValueError):
            pass  # its time is over, or it was killed within a line: what came before counts
        finally:
            with suppress(ProcessLookupError):
                worker.kill()
            status = await worker.wait()
        if status:
            log.warning("pdf_reader_ended_early", status=status, lines=len(lines), size=len(data))
        return lines, status == 0


async def _hand_over(worker: Process, data: bytes) -> None:
    assert worker.stdin is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # it ended before it had read everything
        worker.stdin.write(data)
        await worker.stdin.drain()
        worker.stdin.close()

"""A file at a message → what the model reads or sees of it.

Its first bytes say what it is (kinds), and one method here says what becomes of that: a picture, fenced text, a transcript, or one
line that names it. Pictures and texts are worked on in threads, PDFs in processes, so the loop is free meanwhile. What was read is
kept, so that a conversation that is read again gives the same bytes; what two turns want at once is fetched once. No file makes
this raise anything: what goes wrong with one is its Problem.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import msgspec
import structlog

from adapters.contract import ImagePart, TextPart
from bot.attachments import notes
from bot.attachments.kept import Kept
from bot.attachments.kinds import TEXT, Group, Kind, kind_of
from bot.attachments.pdf import PdfReaders
from bot.attachments.pictures import read_picture
from bot.attachments.readout import PASSING, NotRead, Problem, Readout, Reason
from bot.attachments.texts import Shortened, decoded, shortened
from bot.attachments.transcription import Transcriber
from bot.conversation.history import Attachment, Files, FileUnreadable
from bot.conversation.people import file_name

log = structlog.get_logger()

T = TypeVar("T")

LONG_PASTE = "message.txt"
"""The name under which Discord's clients send a text that is too long for a message."""


class ReadingLimits(msgspec.Struct, frozen=True):
    file_bytes: int = 25_000_000
    """Larger ones are not downloaded."""
    files: int = 20
    """Read together. A message has up to ten."""
    together_bytes: int = 50_000_000
    """Of files read together, as they say themselves."""
    characters: int = 20_000
    """Code points of one file's text."""
    pages: int = 50
    """Of one PDF."""
    kept_bytes: int = 64_000_000
    """Of what was read lately, of all turns."""
    at_once: int = 8
    """Files being read, of all turns: so many are in memory, so that a slow one (a PDF, a sound) does not hold up all others."""
    at_once_together: int = 3
    """Of those that are read together, so that nobody's files hold up everybody else's."""
    fetch_seconds: float = 30.0
    together_seconds: float = 60.0
    """Until those that are read together are waited for no longer: somebody waits for an answer."""


DEFAULT_LIMITS: ReadingLimits = ReadingLimits()
_THREADS = 1
"""A hostile picture takes hundreds of megabytes for a second. One after the other they go faster than they are downloaded."""


class _Underway:
    """A file that is being read, and how many turns wait for it."""

    def __init__(self, task: asyncio.Task[Readout]) -> None:
        self.task = task
        self.wanted_by = 0


class AttachmentReader:
    """One for the bot, as an async context manager; what is still being read when it is left is given up."""

    def __init__(self, transcriber: Transcriber | None = None, limits: ReadingLimits = DEFAULT_LIMITS) -> None:
        self._transcriber = transcriber
        self._limits = limits
        self._kept = Kept(limits.kept_bytes)
        self._underway: dict[tuple[int, bool, bool, bool], _Underway] = {}
        """By id, whether forwarded, whether seen, whether heard."""
        self._tasks: set[asyncio.Task[Readout]] = set()
        self._free = asyncio.Semaphore(limits.at_once)
        self._threads = ThreadPoolExecutor(_THREADS, "attachment")
        self._pdfs = PdfReaders()
        self._by_group: dict[Group, Callable[[Attachment, Kind, bytes, bool], Coroutine[Any, Any, Readout]]] = {
            Group.PICTURE: self._picture,
            Group.PDF: self._pdf,
            Group.SOUND: self._sound,
            Group.TEXT: self._text,
        }

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def read_all(
        self, attachments: Sequence[Attachment], files: Files, *, images: bool, sounds: bool = True
    ) -> tuple[Readout, ...]:
        """One readout for each of some files that belong together, in their order. When there are too many, the first ones are read
        and the rest is named, so those that matter most come first."""
        within = _within(attachments, self._limits)
        free = asyncio.Semaphore(self._limits.at_once_together)
        until = asyncio.get_running_loop().time() + self._limits.together_seconds

        async def one(attachment: Attachment, why_not: NotRead | None) -> Readout:
            if why_not is not None:
                return _not_read(attachment, None, why_not)
            try:
                async with asyncio.timeout_at(until), free:
                    return await self.read(attachment, files, images=images, sounds=sounds)
            except TimeoutError:
                return _not_read(attachment, None, NotRead(Reason.TOO_SLOW))

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one(*each)) for each in zip(attachments, within, strict=True)]
        return tuple(task.result() for task in tasks)

    async def read(self, attachment: Attachment, files: Files, *, images: bool, sounds: bool = True) -> Readout:
        """`images`: the model is to see it. `sounds`: they may be put into words, unless they were before. The same file gives the same readout, byte for byte, as long as it can be had."""
        file = (attachment.attachment_id, attachment.forwarded)
        kept = self._kept.get((*file, images)) or self._kept.get((*file, None))
        if kept is not None:
            return kept
        underway = self._underway.get((*file, images, sounds))
        if underway is None:
            task = asyncio.create_task(self._read(attachment, files, images, sounds))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
            underway = self._underway[*file, images, sounds] = _Underway(task)
        underway.wanted_by += 1
        try:
            # Another turn may wait for the same: one that is stopped does not end it, but the last one does.
            return await asyncio.shield(underway.task)
        finally:
            underway.wanted_by -= 1
            if not underway.wanted_by:
                underway.task.cancel()
                del self._underway[*file, images, sounds]

    async def _read(self, attachment: Attachment, files: Files, images: bool, sounds: bool) -> Readout:
        kind: Kind | None = None
        try:
            async with self._free:
                data = await self._fetched(attachment, files)
                kind = kind_of(data)
                if not sounds and kind is not None and kind.group is Group.SOUND:
                    raise NotRead(Reason.NOT_HERE)
                readout = await self._understood(attachment, kind or TEXT, data, images)
        except NotRead as why:
            readout = _not_read(attachment, kind, why)
            if why.reason in PASSING:
                return readout
        file = (attachment.attachment_id, attachment.forwarded)
        if kind is None or kind.group is not Group.PICTURE:
            self._kept.put((*file, None), readout)
        else:
            # It may well be too old to be shown the next time.
            unseen = _not_read(attachment, kind, NotRead(Reason.PICTURE_UNSEEN))
            self._kept.put((*file, False), unseen)
            self._kept.put((*file, images), readout)
        return readout

    async def _understood(self, attachment: Attachment, kind: Kind, data: bytes, images: bool) -> Readout:
        try:
            return await self._by_group.get(kind.group, _named)(attachment, kind, data, images)
        except NotRead:
            raise
        except Exception as fault:
            # Readers of a stranger's file raise whatever they like: OSError, struct.error, IndexError, MemoryError, …
            log.warning("attachment_broken", fault=type(fault).__name__, form=kind.form, size=len(data))
            raise NotRead(Reason.BROKEN, form=kind.form) from fault

    async def _fetched(self, attachment: Attachment, files: Files) -> bytes:
        most = self._limits.file_bytes
        if attachment.size > most:
            raise NotRead(Reason.TOO_LARGE, limit=most // 1_000_000)
        try:
            async with asyncio.timeout(self._limits.fetch_seconds):
                data = await files.fetch(attachment, most)
        except (FileUnreadable, TimeoutError) as fault:
            log.warning(
                "attachment_unavailable", attachment=attachment.attachment_id, fault=str(fault) or type(fault).__name__
            )
            raise NotRead(Reason.UNAVAILABLE) from fault
        if not data:
            raise NotRead(Reason.EMPTY)
        return data

    async def _picture(self, attachment: Attachment, kind: Kind, data: bytes, images: bool) -> Readout:
        if not images:
            raise NotRead(Reason.PICTURE_UNSEEN)
        shown = await self._in_thread(partial(read_picture, form=kind.form), data)
        note = notes.picture(attachment, kind, shown.width, shown.height, shown.moving)
        return Readout((TextPart(note), ImagePart(shown.media_type, shown.data)))

    async def _text(self, attachment: Attachment, kind: Kind, data: bytes, images: bool) -> Readout:
        short = await self._in_thread(partial(_legible, self._limits.characters), data)
        if short is None:
            raise NotRead(Reason.BINARY)
        if not short.text.strip():
            raise NotRead(Reason.EMPTY)
        is_own = attachment.name == LONG_PASTE and not attachment.forwarded
        told = notes.own_words if is_own else notes.text_file
        return Readout((TextPart(told(attachment, short.text)),), _shortened(attachment, short.left_out))

    async def _pdf(self, attachment: Attachment, kind: Kind, data: bytes, images: bool) -> Readout:
        most = self._limits.characters
        read = await self._pdfs.read(data, self._limits.pages, most)
        first, *others = read.pages
        short = shortened(first, most)
        pages, room = [notes.page(1, short.text)], most - len(short.text)
        for number, text in enumerate(others, 2):
            room -= len(text)
            if room < 0:
                break
            pages.append(notes.page(number, text))
        told = _shortened(attachment, short.left_out)
        if (count := len(pages)) < read.of:
            told = _problem(attachment, NotRead(Reason.PAGES_LEFT_OUT, read=count, all=read.of))
            pages.append(notes.pages_left_out(count + 1, read.of))
        return Readout((TextPart(notes.document(attachment, kind, read.of, "\n".join(pages))),), told)

    async def _sound(self, attachment: Attachment, kind: Kind, data: bytes, images: bool) -> Readout:
        if self._transcriber is None:
            raise NotRead(Reason.NOT_HEARD)
        short = shortened(await self._transcriber.transcribe(data, kind), self._limits.characters)
        part = TextPart(notes.transcript(attachment, kind, short.text))
        return Readout((part,), _shortened(attachment, short.left_out))

    async def _in_thread(self, work: Callable[[bytes], T], data: bytes) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, data)


def _within(attachments: Sequence[Attachment], limits: ReadingLimits) -> list[NotRead | None]:
    """For each, why it is over the bounds; None: it is not. One that is too large itself does not count."""
    verdicts: list[NotRead | None] = []
    count = held = 0
    for attachment in attachments:
        if attachment.size > limits.file_bytes:
            verdicts.append(None)  # told of by itself
        elif count >= limits.files:
            verdicts.append(NotRead(Reason.TOO_MANY, limit=limits.files))
        elif held + attachment.size > limits.together_bytes:
            verdicts.append(NotRead(Reason.TOTAL_TOO_LARGE, limit=limits.together_bytes // 1_000_000))
        else:
            count, held = count + 1, held + attachment.size
            verdicts.append(None)
    return verdicts


_NAMED = {
    Group.ARCHIVE: Reason.ARCHIVE,
    Group.OFFICE: Reason.OFFICE,
    Group.PROGRAM: Reason.PROGRAM,
    Group.VIDEO: Reason.VIDEO,
}


async def _named(attachment: Attachment, kind: Kind, data: bytes, images: bool) -> Readout:
    raise NotRead(_NAMED[kind.group], form=kind.form)


def _legible(most: int, data: bytes) -> Shortened | None:
    text = decoded(data)
    return None if text is None else shortened(text, most)


def named(attachment: Attachment, why: Reason) -> Readout:
    """Of a file at which nobody looked."""
    return _not_read(attachment, None, NotRead(why))


def _not_read(attachment: Attachment, kind: Kind | None, why: NotRead) -> Readout:
    return Readout((TextPart(notes.not_read(attachment, kind, why.reason, why.details)),), _problem(attachment, why))


def _problem(attachment: Attachment, why: NotRead) -> Problem:
    return Problem(f"attachment-{why.reason}", file_name(attachment.name), why.details)


def _shortened(attachment: Attachment, left_out: int) -> Problem | None:
    return _problem(attachment, NotRead(Reason.SHORTENED, count=left_out)) if left_out else None

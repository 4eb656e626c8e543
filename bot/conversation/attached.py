"""The files at messages, as parts for the model: which pictures it gets to see, and which files it only hears of.

A picture that a provider refuses must not stand in the way of later questions, whoever posted it. So the pictures of the past stop
at the newest question that failed, and a model of which nobody knows whether it sees gets those of the newest question alone: if
it refuses them, only that question fails. Old pictures go in steps, so that requests keep their beginning.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

from adapters.contract import ImagePart, TextPart
from bot.conversation.history import Attachment, Files, PastMessage
from bot.conversation.people import safe_line
from bot.conversation.prompt import NOT_SENT_AGAIN

MOST_PICTURES = 6
"""Of the past; those of the question, and of what it replies to, are extra."""
_STEP = 3
_LONGEST_NAME = 100

Parts: TypeAlias = tuple[TextPart | ImagePart, ...]
Place: TypeAlias = tuple[int, bool]


class Problem(Protocol):
    """What the person is told of a file (bot.attachments)."""

    @property
    def key(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def details(self) -> Mapping[str, int | str]: ...


class Readout(Protocol):
    @property
    def parts(self) -> Parts: ...
    @property
    def problem(self) -> Problem | None: ...


class Reader(Protocol):
    """bot.attachments.reading.AttachmentReader."""

    async def read_all(self, attachments: Sequence[Attachment], files: Files, *, images: bool) -> Sequence[Readout]:
        """One readout for each, in their order. Never raises for a bad file."""
        ...


class Attached(msgspec.Struct, frozen=True):
    parts: Mapping[Place, Parts]
    """Behind each message's text."""
    replied_to: Parts = ()
    """Pictures of what the question replies to, where they do not stand behind that message."""
    problems: tuple[Problem, ...] = ()
    """Of the question's files."""


async def attached(
    past: Sequence[PastMessage],
    question: PastMessage,
    beside: Sequence[PastMessage],
    files: Files,
    reader: Reader,
    vision: bool | None,
) -> Attached:
    """`past`: the window. `beside`: what the question replies to, in the window or not. Both oldest first."""
    read = _Reading(files, reader)
    shown = await _window(past, question, read, vision)
    others = [message for message in beside if message.place not in shown]
    shown |= await read.all_of(others, [False] * len(others))
    sees = vision is not False
    # Who asks once more wants it tried once more.
    own = await read.one(msgspec.structs.replace(question, media_refused=False), images=sees)
    replied_to: Parts = ()
    if beside and sees:
        target = beside[-1]
        seen = await read.one(target, images=True)
        if _pictures(seen) > _pictures(shown[target.place]):
            if target in others:
                shown[target.place] = seen
            else:
                replied_to = tuple(part for part in seen.parts if isinstance(part, ImagePart))
    parts = {place: seen.parts for place, seen in shown.items()}
    return Attached({**parts, question.place: own.parts}, replied_to, own.problems)


class _Seen(msgspec.Struct, frozen=True):
    parts: Parts = ()
    problems: tuple[Problem, ...] = ()


class _Reading:
    def __init__(self, files: Files, reader: Reader) -> None:
        self._files = files
        self._reader = reader

    async def one(self, message: PastMessage, *, images: bool) -> _Seen:
        files = (*message.attachments, *(message.forwarded.attachments if message.forwarded else ()))
        if not files:
            return _Seen()
        if message.media_refused:
            names = (safe_line(file.name, _LONGEST_NAME) or "unnamed" for file in files)
            return _Seen(tuple(TextPart(NOT_SENT_AGAIN.format(name=name)) for name in names))
        readouts = await self._reader.read_all(files, self._files, images=images)
        problems = tuple(readout.problem for readout in readouts if readout.problem is not None)
        return _Seen(tuple(part for readout in readouts for part in readout.parts), problems)

    async def all_of(self, messages: Sequence[PastMessage], images: Sequence[bool]) -> dict[Place, _Seen]:
        """Side by side; the reader bounds how many at once."""
        pairs = zip(messages, images, strict=True)
        seen = await asyncio.gather(*(self.one(message, images=wanted) for message, wanted in pairs))
        return {message.place: each for message, each in zip(messages, seen, strict=True)}


async def _window(
    past: Sequence[PastMessage], question: PastMessage, read: _Reading, vision: bool | None
) -> dict[Place, _Seen]:
    failed = [message.place for message in (*past, question) if message.media_refused]
    newest_failed = max(failed, default=(0, False))
    seen = await read.all_of(past, [vision is True and message.place > newest_failed for message in past])
    too_many = sum(map(_pictures, seen.values())) - MOST_PICTURES
    to_hide = math.ceil(too_many / _STEP) * _STEP
    for message in past:
        if to_hide <= 0:
            break
        if count := _pictures(seen[message.place]):
            seen[message.place] = await read.one(message, images=False)
            to_hide -= count
    return seen


def _pictures(seen: _Seen) -> int:
    return sum(isinstance(part, ImagePart) for part in seen.parts)

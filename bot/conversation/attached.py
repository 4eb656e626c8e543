"""The files at messages, as parts for the model: which pictures it gets to see, and which files it only hears of.

A picture that a provider refuses must not stand in the way of later questions, whoever posted it. So the pictures of the past stop
at the newest question that failed, and a model of which nobody knows whether it sees gets only those that who asks posted in a row
with the question: if it refuses them, only that question fails. Old pictures go in steps, so that requests keep their beginning.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

from adapters.contract import ImagePart, TextPart
from bot.conversation.history import Attachment, Files, PastMessage
from bot.conversation.people import file_name
from bot.conversation.prompt import NOT_READ_AGAIN, NOT_SENT_AGAIN

MOST_PICTURES, _PICTURES_STEP = 6, 3
"""Of the past; those of the question, and of what it replies to, are extra."""
MOST_FILES, _FILES_STEP = 20, 5
"""Of the past, to be read: each may have to be downloaded. The rest is named."""

Parts: TypeAlias = tuple[TextPart | ImagePart, ...]
Place: TypeAlias = tuple[int, bool]
_BEGINNING: Place = (0, False)


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
    """Files of what the question replies to, where they do not stand behind that message."""
    problems: tuple[Problem, ...] = ()
    """Of the question's files, and of those that it replies to."""


class _Seen(msgspec.Struct, frozen=True):
    parts: Parts = ()
    problems: tuple[Problem, ...] = ()

    @property
    def picture_count(self) -> int:
        return sum(isinstance(part, ImagePart) for part in self.parts)


_AllSeen: TypeAlias = dict[Place, _Seen]


async def attached(
    past: Sequence[PastMessage],
    question: PastMessage,
    beside: Sequence[PastMessage],
    files: Files,
    reader: Reader,
    vision: bool | None,
) -> Attached:
    """`past`: the window. `beside`: what the question replies to, in the window or not. Both oldest first."""
    read, sees = _Reading(files, reader), vision is not False
    # Who asks once more wants it tried once more.
    own = await read.one(msgspec.structs.replace(question, media_refused=False), images=sees)
    shown = await _window(past, question, read, vision)
    others = [message for message in beside if message.place not in shown]
    shown |= await read.recent(others, question.place)
    replied_to: Parts = ()
    problems = own.problems
    if beside:
        target = beside[-1]
        seen = await read.one(target, images=sees)
        problems += seen.problems
        if target in others:
            shown[target.place] = seen
        else:
            replied_to = tuple(part for part in seen.parts if part not in shown[target.place].parts)
    parts = {place: seen.parts for place, seen in shown.items()}
    return Attached({**parts, question.place: own.parts}, replied_to, problems)


class _Reading:
    """For one turn; what the reader is given at once is within its bounds, or is one message's."""

    def __init__(self, files: Files, reader: Reader) -> None:
        self._files = files
        self._reader = reader

    async def one(self, message: PastMessage, *, images: bool) -> _Seen:
        return (await self._all([message], images=images))[message.place]

    async def recent(self, messages: Sequence[PastMessage], images_after: Place) -> _AllSeen:
        """The newest files are read, the others named. Pictures are shown behind `images_after`."""
        too_old = _oldest(messages, lambda message: len(_readable(message)), MOST_FILES, _FILES_STEP)
        behind = [message for message in messages if message.place not in too_old]
        seen = {it.place: _Seen(named(it, NOT_READ_AGAIN)) for it in messages if it.place in too_old}
        for images in (False, True):
            of_these = [it for it in behind if (it.place > images_after) is images]
            seen |= await self._all(of_these, images=images)
        return seen

    async def _all(self, messages: Sequence[PastMessage], *, images: bool) -> _AllSeen:
        # Newest first, should they be too large together.
        wanted = [(message.place, file) for message in reversed(messages) for file in _readable(message)]
        seen = {
            message.place: _Seen(named(message, NOT_SENT_AGAIN) if message.media_refused else ())
            for message in messages
        }
        if not wanted:
            return seen
        readouts = await self._reader.read_all([file for _, file in wanted], self._files, images=images)
        for (place, _), readout in zip(wanted, readouts, strict=True):
            before, problem = seen[place], readout.problem
            seen[place] = _Seen(before.parts + tuple(readout.parts), before.problems + ((problem,) if problem else ()))
        return seen


async def _window(past: Sequence[PastMessage], question: PastMessage, read: _Reading, vision: bool | None) -> _AllSeen:
    failed = [message.place for message in (*past, question) if message.media_refused]
    others = [message.place for message in past if message.is_me or message.author_id != question.author_id]
    stop_at = {True: failed, None: failed + others, False: [question.place]}[vision]
    seen = await read.recent(past, max(stop_at, default=_BEGINNING))
    hidden = _oldest(past, lambda message: seen[message.place].picture_count, MOST_PICTURES, _PICTURES_STEP)
    for message in past:
        if message.place in hidden:
            seen[message.place] = await read.one(message, images=False)
    return seen


def _oldest(messages: Sequence[PastMessage], amount: Callable[[PastMessage], int], most: int, step: int) -> set[Place]:
    """Those that must go so that the others have `most` together; in steps, so that the same ones go the next few times."""
    too_much = sum(map(amount, messages)) - most
    to_go = math.ceil(too_much / step) * step
    gone: set[Place] = set()
    for message in messages:
        if to_go <= 0:
            break
        if has := amount(message):
            gone.add(message.place)
            to_go -= has
    return gone


def _all_files(message: PastMessage) -> tuple[Attachment, ...]:
    return (*message.attachments, *(message.forwarded.attachments if message.forwarded else ()))


def _readable(message: PastMessage) -> tuple[Attachment, ...]:
    return () if message.media_refused else _all_files(message)


def named(message: PastMessage, note: str) -> Parts:
    """`note`, about each of the message's files by its name."""
    return tuple(TextPart(note.format(name=file_name(file.name))) for file in _all_files(message))

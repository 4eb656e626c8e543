"""What came of reading a file: parts for the model, and what the person is told when something is missing."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from adapters.contract import ImagePart, TextPart


class Reason(StrEnum):
    """Why a file, or some of it, does not reach the model. `attachment-` and the value is the key of the words for people."""

    TOO_LARGE = "too-large"
    """With `limit` (MB)."""
    TOO_MANY = "too-many"
    """With `limit` (files read together)."""
    TOTAL_TOO_LARGE = "total-too-large"
    """With `limit` (MB read together)."""
    UNAVAILABLE = "unavailable"
    EMPTY = "empty"
    BINARY = "binary"
    BROKEN = "broken"
    """With `form`."""
    ARCHIVE = "archive"
    OFFICE = "office"
    PROGRAM = "program"
    VIDEO = "video"
    PICTURE_FORM = "picture-form"
    """With `form`, as those four."""
    PICTURE_TOO_LARGE = "picture-too-large"
    """With `limit` (million pixels)."""
    PICTURE_UNSEEN = "picture-unseen"
    PDF_LOCKED = "pdf-locked"
    PDF_WITHOUT_TEXT = "pdf-without-text"
    TOO_SLOW = "too-slow"
    NOT_HEARD = "not-heard"
    NOT_TRANSCRIBED = "not-transcribed"
    NOT_HERE = "not-here"
    """Files are not read there, or sounds are not, as was chosen."""
    SHORTENED = "shortened"
    """Read in part, with `left_out` (characters)."""
    PAGES_LEFT_OUT = "pages-left-out"
    """Read in part, with `read` and `all` (pages)."""


PASSING = frozenset((Reason.UNAVAILABLE, Reason.NOT_TRANSCRIBED, Reason.NOT_HERE))
"""May be otherwise the next time."""


class Problem(msgspec.Struct, frozen=True):
    """For `Words`: `words(problem.key, name=…, **problem.details)`. The name is a stranger's text, so the caller makes it harmless
    for the place where it is shown (bot.delivery.foreign_text)."""

    key: str
    name: str
    details: Mapping[str, int | str] = {}


class Readout(msgspec.Struct, frozen=True):
    parts: tuple[TextPart | ImagePart, ...]
    """No part begins or ends with a line break: who joins them puts one between."""
    problem: Problem | None = None


class NotRead(Exception):
    """A file that cannot be given to the model. `details` are the problem's."""

    def __init__(self, reason: Reason, **details: int | str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.details = details

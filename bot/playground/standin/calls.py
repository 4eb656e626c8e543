"""The record of what the bot asked of the REST API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from bot.playground.standin.routing import UploadedFile


class Call(msgspec.Struct, frozen=True):
    """One REST call, written down when it is over."""

    method: str
    path: str
    """Without the API base, percent-encoded."""
    route: str | None
    """The path with placeholders; None where the API has no such path."""
    query: Mapping[str, str]
    body: Any
    """The request's JSON."""
    files: tuple[UploadedFile, ...]
    status: int | None
    """None where the connection was dropped."""
    answer: Any
    """The answer's JSON; None where it had none."""
    at: float
    """When it arrived, on the clock's `now`."""

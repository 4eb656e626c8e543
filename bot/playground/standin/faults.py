"""Faults on demand: what a test wants to go wrong with coming REST calls."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import msgspec


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What happens to a call, in this order: wait, carry out, then break. Without status and drop it is only slow."""

    method: str
    path: str
    """A regular expression that is searched in the path, which is without the API base."""
    status: int | None = None
    body: Any = None
    """JSON, or text that is sent as text/plain."""
    headers: Mapping[str, str] = {}
    delay: float = 0.0
    """Seconds."""
    hold: asyncio.Event | None = None
    """The call waits until this is set."""
    drop: bool = False
    """The connection is closed without an answer."""
    after_effect: bool = False
    """The call is carried out first, and only its answer is lost."""


class FaultPlan:
    """Faults in the order in which they were asked for; the first that fits a call is taken."""

    def __init__(self) -> None:
        self._waiting: list[Fault] = []

    def add(self, fault: Fault, times: int) -> None:
        re.compile(fault.path)
        self._waiting += [fault] * times

    def take(self, method: str, path: str) -> Fault | None:
        for index, fault in enumerate(self._waiting):
            if fault.method == method and re.search(fault.path, path):
                return self._waiting.pop(index)
        return None

    def clear(self) -> None:
        self._waiting.clear()


def default_body(status: int, retry_after: float) -> Any:
    """What Discord, or the proxy before it, answers with such a status."""
    if status == 429:
        return {"message": "You are being rate limited.", "retry_after": retry_after, "global": False, "code": 0}
    if status >= 500:
        return "upstream connect error"
    return {"message": f"{status}: fault", "code": 0}

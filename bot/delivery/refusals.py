"""What a call to Discord may fail with, and what an error answer means.

Codes: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json. The status beside a code is not documented
for each, so the code decides, and the status only where no code is known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import IntEnum

import aiohttp
import discord

from bot.delivery.outcome import Fate
from bot.delivery.plan import Create, Operation

NOT_THROUGH = (aiohttp.ClientError, OSError, RuntimeError)
"""The way to Discord broke. RuntimeError: aiohttp's "Session is closed", when the client is replaced during the call."""
FAILURES = (discord.DiscordException, *NOT_THROUGH)
"""Whatever a call fails with that is no fault of ours."""


class Code(IntEnum):
    UNKNOWN_CHANNEL = 10003
    UNKNOWN_MESSAGE = 10008
    OLD_MESSAGE_EDITS = 30046
    TOO_LARGE = 40005
    NOT_OUR_MESSAGE = 50005
    """Only who wrote a message may edit it."""
    NO_PERMISSION = 50013
    ARCHIVED = 50083
    NO_HISTORY = 160002
    """A reply needs READ_MESSAGE_HISTORY."""
    LOCKED = 160005
    AUTOMOD = 200000
    HARMFUL_LINKS = 240000


_FATES: Mapping[int, Fate] = {
    Code.UNKNOWN_CHANNEL: Fate.CHANNEL_GONE,
    Code.UNKNOWN_MESSAGE: Fate.GONE,
    Code.OLD_MESSAGE_EDITS: Fate.TOO_OLD,
    Code.LOCKED: Fate.LOCKED,
    Code.AUTOMOD: Fate.BLOCKED,
    Code.HARMFUL_LINKS: Fate.BLOCKED,
}
_FIELD = re.compile(r"^In (\w+)", re.MULTILINE)
"""As discord.py writes down a form error: "In components.0.components.0.emoji.name: Invalid emoji"."""


def fate_of(error: discord.HTTPException, operation: Operation) -> Fate:
    if error.code == Code.ARCHIVED:
        # A new message opens the thread by itself; where even that is refused, it is locked.
        return Fate.LOCKED if isinstance(operation, Create) else Fate.TOO_OLD
    if (fate := _FATES.get(error.code)) is not None:
        return fate
    if error.status in (401, 403):
        return Fate.FORBIDDEN
    if error.status == 404:
        return Fate.CHANNEL_GONE if isinstance(operation, Create) else Fate.GONE
    # A 429 only comes out of discord.py as an error when it has no way to wait (no `Via` header, or five in a row).
    return Fate.FAILED if error.status == 429 or error.status >= 500 else Fate.REFUSED


def retry_after(error: discord.HTTPException) -> float:
    """Seconds that Discord asks to wait; 0 where it does not."""
    if error.status != 429:
        return 0.0
    try:
        return max(0.0, float(error.response.headers.get("Retry-After", 0.0)))
    except ValueError:
        return 0.0


def refused_fields(error: discord.HTTPException) -> frozenset[str]:
    """Fields of the request that a form error (50035) names, such as `components` or `message_reference`."""
    return frozenset(_FIELD.findall(error.text))

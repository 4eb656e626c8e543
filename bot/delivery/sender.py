"""The one place that writes answers into Discord: an operation in, what became of it out.

`Sender` is the seam: `DiscordSender` does it with discord.py; tests that need no socket bring their own.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from enum import StrEnum
from typing import Any, Protocol

import aiohttp
import discord
import msgspec
import structlog

from bot.delivery.plan import Create, Delete, Edit, EmbedPlan, MessagePlan, Operation

log = structlog.get_logger()

NOBODY = discord.AllowedMentions.none()

CONNECTION_TRIES = 4
"""discord.py does not repeat a call whose connection broke before the answer; with the same nonce it is safe to."""
FIRST_PAUSE = 0.5
"""Seconds before the second try; doubled for each further one."""
CALL_DEADLINE = 30.0
"""Seconds for one call, with what discord.py waits inside it. The nonce makes it safe to repeat one that hangs."""

BLOCKED_CODES = frozenset({200000, 240000})
"""AutoMod, and the filter for harmful links (https://docs.discord.com/developers/topics/opcodes-and-status-codes)."""


class NotConnected(Exception):
    """The client was closed, or has not logged in yet; it is being replaced."""


class Place(msgspec.Struct, frozen=True):
    """Where an answer goes."""

    channel_id: int
    guild_id: int | None
    question_id: int


class Fate(StrEnum):
    DONE = "done"
    GONE = "gone"
    """The message, or the whole channel, is there no more."""
    FORBIDDEN = "forbidden"
    """We may not write here: a fact of the channel's set-up, not a fault to try again."""
    REFUSED = "refused"
    """Discord did not take it in this way and would not another time: a message too old to edit, something malformed."""
    BLOCKED = "blocked"
    """Discord's filters do not let this text through, in whatever message."""
    FAILED = "failed"
    """Not now: Discord or the way to it is down."""


class Outcome(msgspec.Struct, frozen=True):
    fate: Fate
    message_id: int | None = None
    """Of a created message."""
    detail: str = ""
    """Status, code and words of Discord, for the log."""


class Sender(Protocol):
    async def send(self, operation: Operation, turn_id: str) -> Outcome: ...


class DiscordSender:
    """Writes one answer: the first message replies to the question, further ones follow silently."""

    def __init__(
        self,
        client: Callable[[], discord.Client],
        place: Place,
        *,
        may_reply: bool = True,
    ) -> None:
        """`client` gives the one that is connected now: an answer outlives a client that broke under it.

        `may_reply`: else Discord refuses the reference (160002).
        """
        self._client = client
        self._place = place
        self._may_reply = may_reply

    async def send(self, operation: Operation, turn_id: str) -> Outcome:
        pause = FIRST_PAUSE
        for attempt in range(1, CONNECTION_TRIES + 1):
            try:
                async with asyncio.timeout(CALL_DEADLINE):
                    return await self._once(operation, turn_id)
            except discord.HTTPException as error:
                return Outcome(_fate(error), detail=str(error))
            except (aiohttp.ClientError, OSError, TimeoutError, NotConnected, RuntimeError) as error:
                # RuntimeError: aiohttp's "Session is closed", when the client is replaced during the call.
                if attempt == CONNECTION_TRIES:
                    return Outcome(Fate.FAILED, detail=repr(error))
                log.info("discord_connection_lost", attempt=attempt, error=repr(error))
                await asyncio.sleep(pause)
                pause *= 2
        raise AssertionError("the last try returns")

    async def _once(self, operation: Operation, turn_id: str) -> Outcome:
        client, place = self._client(), self._place
        if client.is_closed() or client.http.token is None:
            raise NotConnected
        channel = client.get_partial_messageable(place.channel_id, guild_id=place.guild_id)
        match operation:
            case Create(slot, plan, generation):
                message = await channel.send(
                    plan.content or None,
                    embeds=_embeds(plan),
                    mention_author=False,
                    silent=slot > 0,
                    nonce=nonce(turn_id, slot, generation),
                    allowed_mentions=NOBODY,
                    **self._reference(slot),
                )
                return Outcome(Fate.DONE, message.id)
            case Edit(_, message_id, plan):
                await channel.get_partial_message(message_id).edit(
                    content=plan.content or None, embeds=_embeds(plan), allowed_mentions=NOBODY
                )
            case Delete(message_id):
                await channel.get_partial_message(message_id).delete()
        return Outcome(Fate.DONE)

    def _reference(self, slot: int) -> dict[str, Any]:
        if slot > 0 or not self._may_reply:
            return {}
        place = self._place
        reference = discord.MessageReference(
            message_id=place.question_id,
            channel_id=place.channel_id,
            guild_id=place.guild_id,
            # Discord posts without the reference when the question is gone, instead of refusing the answer (50035).
            fail_if_not_exists=False,
        )
        return {"reference": reference}


def nonce(turn_id: str, slot: int, generation: int) -> int:
    """The same for the same part of the same turn, so that Discord posts it once however often it is sent.

    An integer below 2**63 (Discord takes int64, or a string of 25).
    """
    digest = hashlib.blake2b(f"{turn_id}/{slot}/{generation}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


def _fate(error: discord.HTTPException) -> Fate:
    if isinstance(error, discord.NotFound):
        return Fate.GONE
    if error.code in BLOCKED_CODES:
        return Fate.BLOCKED
    if isinstance(error, discord.Forbidden):
        return Fate.FORBIDDEN
    return Fate.FAILED if error.status >= 500 or _passing(error) else Fate.REFUSED


def _passing(error: discord.HTTPException) -> bool:
    # A 429 only comes out of discord.py as an error when it has no way to wait (no `Via` header, or five in a row).
    # 30046 is a 429 too, but stays: the message is older than an hour and its own budget of edits is used up.
    return error.status == 429 and error.code != 30046


def _embeds(plan: MessagePlan) -> list[discord.Embed]:
    return [_embed(plan.embed)] if plan.embed else []


def _embed(plan: EmbedPlan) -> discord.Embed:
    embed = discord.Embed(title=plan.title[:256], description=plan.description[:4096], colour=plan.colour)
    return embed.set_footer(text=plan.footer[:2048]) if plan.footer else embed

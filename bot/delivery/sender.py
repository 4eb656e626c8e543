"""The one place that writes answers into Discord: an operation in, what became of it out.

`Sender` is the seam: `DiscordSender` does it with discord.py; tests that need no socket bring their own.
"""

from __future__ import annotations

import asyncio
import hashlib
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


class Fate(StrEnum):
    DONE = "done"
    GONE = "gone"
    """The message, or the whole channel, is there no more."""
    FORBIDDEN = "forbidden"
    """We may not write here: a fact of the channel's set-up, not a fault to try again."""
    REFUSED = "refused"
    """Discord did not take it and would not take it again: too old to edit, blocked by AutoMod, malformed."""
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
        self, channel: discord.abc.Messageable, question: discord.Message | None, *, may_embed: bool = True
    ) -> None:
        """`question`: None where it cannot be replied to. `may_embed`: else Discord drops embeds without a word."""
        self._channel = channel
        self._reference: dict[str, Any] = {}
        if question is not None:
            # Discord posts without the reference when the question is gone, instead of refusing the answer (50035).
            self._reference["reference"] = question.to_reference(fail_if_not_exists=False)
        self._may_embed = may_embed
        self._handles: dict[int, discord.Message] = {}

    async def send(self, operation: Operation, turn_id: str) -> Outcome:
        pause = FIRST_PAUSE
        for attempt in range(1, CONNECTION_TRIES + 1):
            try:
                return await self._once(operation, turn_id)
            except discord.NotFound as error:
                return Outcome(Fate.GONE, detail=str(error))
            except discord.Forbidden as error:
                # 200000 and 240000: AutoMod and the harmful-link filter forbid this text, not the channel.
                blocked = error.code in (200000, 240000)
                return Outcome(Fate.REFUSED if blocked else Fate.FORBIDDEN, detail=str(error))
            except discord.HTTPException as error:
                fate = Fate.FAILED if error.status >= 500 or _passing(error) else Fate.REFUSED
                return Outcome(fate, detail=str(error))
            except (aiohttp.ClientError, OSError, TimeoutError) as error:
                if attempt == CONNECTION_TRIES:
                    return Outcome(Fate.FAILED, detail=repr(error))
                log.info("discord_connection_lost", attempt=attempt, error=repr(error))
                await asyncio.sleep(pause)
                pause *= 2
        raise AssertionError("the last try returns")

    async def _once(self, operation: Operation, turn_id: str) -> Outcome:
        match operation:
            case Create(slot, plan):
                message = await self._channel.send(
                    self._content(plan),
                    embeds=self._embeds(plan),
                    mention_author=False,
                    silent=slot > 0,
                    nonce=nonce(turn_id, slot),
                    allowed_mentions=NOBODY,
                    **(self._reference if slot == 0 else {}),
                )
                self._handles[message.id] = message
                return Outcome(Fate.DONE, message.id)
            case Edit(_, message_id, plan):
                await self._handles[message_id].edit(
                    content=self._content(plan), embeds=self._embeds(plan), allowed_mentions=NOBODY
                )
            case Delete(message_id):
                await self._handles.pop(message_id).delete()
        return Outcome(Fate.DONE)

    def _content(self, plan: MessagePlan) -> str | None:
        texts = [plan.content]
        if plan.embed and not self._may_embed:
            texts += [
                f"**{plan.embed.title}**",
                plan.embed.description,
                plan.embed.footer and f"-# {plan.embed.footer}",
            ]
        return "\n".join(text for text in texts if text)[:2000] or None

    def _embeds(self, plan: MessagePlan) -> list[discord.Embed]:
        return [_embed(plan.embed)] if plan.embed and self._may_embed else []


def nonce(turn_id: str, slot: int) -> int:
    """The same for the same part of the same turn, so that Discord posts it once however often it is sent.

    An integer below 2**63 (Discord takes int64, or a string of 25).
    """
    digest = hashlib.blake2b(f"{turn_id}/{slot}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


def _passing(error: discord.HTTPException) -> bool:
    # A 429 only comes out of discord.py as an error when it has no way to wait (no `Via` header, or five in a row).
    # 30046 is a 429 too, but stays: the message is older than an hour and its own budget of edits is used up.
    return error.status == 429 and error.code != 30046


def _embed(plan: EmbedPlan) -> discord.Embed:
    embed = discord.Embed(title=plan.title[:256], description=plan.description[:4096], colour=plan.colour)
    return embed.set_footer(text=plan.footer[:2048]) if plan.footer else embed

"""The one place that writes answers into Discord: an operation in, what became of it out.

What can be mended without asking anybody (a reference to a question that is gone, a thread that fell asleep, a file too
large, a button that Discord does not know) is mended here, each once; what is left is a Fate, and what follows from that is
the flusher's.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from enum import Flag, auto
from typing import Any

import discord
import msgspec
import structlog
from discord.http import MultipartParameters, handle_message_parameters

from bot.delivery import payloads
from bot.delivery.outcome import Fate, Outcome
from bot.delivery.payloads import NOBODY, PEOPLE
from bot.delivery.plan import Create, Delete, Edit, MessagePlan, Operation
from bot.delivery.refusals import FAILURES, NOT_THROUGH, Code, fate_of, refused_fields, retry_after
from bot.delivery.uploads import DEFAULT_FILE_LIMIT, TooLarge, Uploads, size_only
from bot.preferences import Style

log = structlog.get_logger()

CONNECTION_TRIES = 4
"""discord.py does not repeat a call whose connection broke before the answer; with the same nonce it is safe to."""
FIRST_PAUSE = 0.5
"""Seconds before the second try; doubled for each further one."""
LONGEST_WAIT = 30.0
"""Seconds of a rate limit that discord.py may wait inside a call; it takes no less. A longer one is told at once (RateLimited),
since that wait may also come after the call has taken effect, and would look like one that hangs."""
CALL_DEADLINE = LONGEST_WAIT + 10.0
"""Seconds for one call, with what discord.py waits inside it. The nonce makes it safe to repeat one that hangs."""
UPLOAD_DEADLINE = 120.0
"""The same for a call that carries files."""


class NotConnected(Exception):
    """The client was closed, or has not logged in yet; it is being replaced."""


class Place(msgspec.Struct, frozen=True):
    """Where an answer goes."""

    channel_id: int
    guild_id: int | None
    question_id: int


class _Part(Flag):
    """What a message can do without, when Discord does not take it as it is."""

    NONE = 0
    BUTTONS = auto()
    EMBED = auto()
    FILES = auto()


_NAMED = {"components": _Part.BUTTONS, "embeds": _Part.EMBED, "attachments": _Part.FILES, "files": _Part.FILES}
"""Fields of the request, as a form error names them ("In components.0.components.0.emoji.name: Invalid emoji")."""


class DiscordSender:
    """Writes one answer: the first message replies to the question, further ones follow silently."""

    def __init__(
        self,
        client: Callable[[], discord.Client],
        place: Place,
        *,
        may_reply: bool = True,
        style: Style = Style.PLAIN,
        link_previews: bool = False,
        mention_users: bool = False,
        words_too_large: TooLarge = size_only,
    ) -> None:
        """`client` gives the one that is connected now: an answer outlives a client that broke under it.

        `may_reply`: else Discord refuses the reference (160002). `words_too_large` stands in place of a file that Discord
        does not take.
        """
        self._client = client
        self._place = place
        self._may_reply = may_reply
        self._style = style
        self._link_previews = link_previews
        self._new_mentions = PEOPLE if mention_users else NOBODY
        self._uploads = Uploads(style, words_too_large)
        self._without = _Part.NONE
        """What Discord refused in this answer; it is not tried with it again."""
        self._thread_opened = False

    async def send(self, operation: Operation, seed: str) -> Outcome:
        known = self._without, self._uploads.refused
        while True:
            try:
                return await self._repeated(operation, seed)
            except discord.HTTPException as error:
                fate = fate_of(error, operation)
                if not await self._mended(operation, error, fate):
                    # It was refused without that too, so that was not the fault.
                    self._without, self._uploads.refused = known
                    return Outcome(fate, detail=str(error), retry_after=retry_after(error))
                log.info("discord_call_mended", error=str(error))

    async def _repeated(self, operation: Operation, seed: str) -> Outcome:
        """Again, while the connection breaks. Raises HTTPException."""
        pause = FIRST_PAUSE
        deadline = CALL_DEADLINE if isinstance(operation, Delete) or not operation.plan.files else UPLOAD_DEADLINE
        for attempt in range(1, CONNECTION_TRIES + 1):
            try:
                async with asyncio.timeout(deadline):
                    return await self._once(operation, seed)
            except TimeoutError as error:
                # It may have waited for a rate limit, which who paces us knows of by now.
                return Outcome(Fate.FAILED, detail=repr(error))
            except discord.RateLimited as error:
                return Outcome(Fate.FAILED, detail=str(error), retry_after=error.retry_after)
            except (*NOT_THROUGH, NotConnected) as error:
                if attempt == CONNECTION_TRIES:
                    return Outcome(Fate.FAILED, detail=repr(error))
                log.info("discord_connection_lost", attempt=attempt, error=repr(error))
                await asyncio.sleep(pause)
                pause *= 2
        raise AssertionError("the last try returns")

    async def _once(self, operation: Operation, seed: str) -> Outcome:
        client, channel_id = self._connected(), self._place.channel_id
        match operation:
            case Create(slot, _, generation):
                with await self._parameters(
                    client,
                    operation,
                    allowed_mentions=self._new_mentions,
                    mention_author=False,
                    nonce=nonce(seed, slot, generation),
                    **self._reference(slot),
                ) as parameters:
                    message = await client.http.send_message(channel_id, params=parameters)
                return Outcome(Fate.DONE, int(message["id"]))
            case Edit(_, message_id):
                with await self._parameters(client, operation, allowed_mentions=NOBODY) as parameters:
                    await client.http.edit_message(channel_id, message_id, params=parameters)
            case Delete(message_id):
                await client.http.delete_message(channel_id, message_id)
        return Outcome(Fate.DONE)

    def _connected(self) -> discord.Client:
        client = self._client()
        if client.is_closed() or client.http.token is None:
            raise NotConnected
        return client

    async def _parameters(
        self,
        client: discord.Client,
        operation: Create | Edit,
        *,
        allowed_mentions: discord.AllowedMentions,
        **others: Any,
    ) -> MultipartParameters:
        # HTTPClient and not Messageable.send: an edit there cannot set flags, and every view is kept for dispatch.
        plan = self._stripped(operation.plan)
        plan, uploads = await self._uploads.of(plan, self._file_limit(client))
        files = uploads if self._carries_files(operation) else None
        return handle_message_parameters(
            **payloads.body(plan, files, self._style, edit=isinstance(operation, Edit)),
            flags=self._flags(plan, operation.slot),
            allowed_mentions=allowed_mentions,
            **others,
        )

    def _carries_files(self, operation: Create | Edit) -> bool:
        # Components name the files of the very request.
        return isinstance(operation, Create) or operation.files_changed or self._style is Style.COMPONENTS

    def _stripped(self, plan: MessagePlan) -> MessagePlan:
        if self._without & _Part.BUTTONS:
            plan = msgspec.structs.replace(plan, buttons=())
        return payloads.without_embed(plan, self._style) if self._without & _Part.EMBED else plan

    def _flags(self, plan: MessagePlan, slot: int) -> discord.MessageFlags:
        # An embed of ours is suppressed together with the previews; in the other styles there are none.
        quiet = not self._link_previews and self._style is Style.PLAIN and plan.embed is None
        return discord.MessageFlags(suppress_embeds=quiet, suppress_notifications=slot > 0)

    def _file_limit(self, client: discord.Client) -> int:
        guild = client.get_guild(self._place.guild_id) if self._place.guild_id else None
        return guild.filesize_limit if guild else DEFAULT_FILE_LIMIT

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
        return {"message_reference": reference.to_message_reference_dict()}

    # ------------------------------------------------------------------------------------------------------- mending

    async def _mended(self, operation: Operation, error: discord.HTTPException, fate: Fate) -> bool:
        """Whether there was something that the next try does without. Each is done without at most once."""
        if error.code == Code.ARCHIVED:
            return await self._open_thread()
        if isinstance(operation, Delete):
            return False
        return (
            self._mend_reference(operation, error)
            or self._mend_files(operation, error)
            or (fate is Fate.REFUSED and self._mend_form(operation, error))
        )

    def _mend_reference(self, operation: Create | Edit, error: discord.HTTPException) -> bool:
        """The question is gone, or not ours to refer to: no part of the answer refers to it from now on."""
        concerned = error.code == Code.NO_HISTORY or "message_reference" in refused_fields(error)
        if not (concerned and self._may_reply and isinstance(operation, Create)):
            return False
        self._may_reply = False
        return True

    def _mend_files(self, operation: Create | Edit, error: discord.HTTPException) -> bool:
        """Files of that size are not taken, whatever the server says about itself; or none are (ATTACH_FILES)."""
        if not (operation.plan.files and self._carries_files(operation)):
            return False
        if error.status == 413 or error.code == Code.TOO_LARGE:
            return self._uploads.refuse_largest(operation.plan)
        return error.code == Code.NO_PERMISSION and self._uploads.refuse_all()

    def _mend_form(self, operation: Create | Edit, error: discord.HTTPException) -> bool:
        """Without what Discord names, as far as the message has it; else with nothing but its text."""
        has = self._parts(operation)
        named = _Part.NONE
        for field in refused_fields(error):
            named |= _NAMED.get(field, _Part.NONE)
        bad = named & has or has
        self._without |= bad & ~_Part.FILES
        if bad & _Part.FILES:
            self._uploads.refused |= set(operation.plan.files)
        return bool(bad)

    def _parts(self, operation: Create | Edit) -> _Part:
        """What it was sent with."""
        plan = operation.plan
        has = _Part.BUTTONS if plan.buttons else _Part.NONE
        has |= _Part.EMBED if plan.embed else _Part.NONE
        files = self._carries_files(operation) and self._uploads.sends(plan.files)
        return has & ~self._without | (_Part.FILES if files else _Part.NONE)

    async def _open_thread(self) -> bool:
        if self._thread_opened:
            return False
        try:
            async with asyncio.timeout(CALL_DEADLINE):
                await self._connected().http.edit_channel(self._place.channel_id, archived=False)
        except (*FAILURES, NotConnected) as error:
            log.info("thread_not_opened", error=repr(error))
            return False
        self._thread_opened = True
        return True


def nonce(seed: str, slot: int, generation: int) -> int:
    """The same for the same part of the same run, so that Discord posts it once however often it is sent.

    An integer below 2**63 (Discord takes int64, or a string of 25).
    """
    digest = hashlib.blake2b(f"{seed}/{slot}/{generation}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1

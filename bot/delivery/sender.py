"""Answers into Discord: an operation in, what became of it out.

What can be mended without asking anybody (a thread that fell asleep, a reference to a question that is gone, what
message_form knows) is mended here, each once; what is left is a Fate, and what follows from that is the flusher's.
`MessageSender` is what all ways into a channel share; `DiscordSender` is the usual one, as the bot itself.
"""

from __future__ import annotations

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import discord
import msgspec
import structlog

from bot.delivery.message_form import MessageForm
from bot.delivery.outcome import Fate, Outcome
from bot.delivery.plan import Create, Delete, Edit, Operation
from bot.delivery.refusals import FAILURES, NOT_THROUGH, Code, fate_of, refused_fields, retry_after
from bot.delivery.uploads import DEFAULT_FILE_LIMIT, TooLarge, size_only
from bot.preferences import Style

log = structlog.get_logger()

CONNECTION_TRIES = 4
"""discord.py does not repeat a call whose connection broke before the answer."""
FIRST_PAUSE = 0.5
"""Seconds before the second try; doubled for each further one."""
LONGEST_WAIT = 30.0
"""Seconds of a rate limit that discord.py may wait inside a call; it takes no less. A longer one is told at once (RateLimited),
since that wait may also come after the call has taken effect, and would look like one that hangs."""
CALL_DEADLINE = LONGEST_WAIT + 10.0
"""Seconds for one call, with what discord.py waits inside it."""
UPLOAD_DEADLINE = 120.0
"""The same for a call that carries files."""


class NotConnected(Exception):
    """The client was closed, or has not logged in yet; it is being replaced."""


class Place(msgspec.Struct, frozen=True):
    """Where an answer goes."""

    channel_id: int
    guild_id: int | None
    question_id: int


class MessageSender(ABC):
    """Tries, mending and fates. A subclass says how one call is made, so that repeating it is safe."""

    def __init__(self, client: Callable[[], discord.Client], place: Place, form: MessageForm) -> None:
        """`client` gives the one that is connected now: an answer outlives a client that broke under it."""
        self.client = client
        self.place = place
        self.form = form
        self._thread_opened = False

    @abstractmethod
    async def _once(self, client: discord.Client, operation: Operation, seed: str) -> Outcome:
        """Raises HTTPException, and NOT_THROUGH where the connection broke."""

    async def send(self, operation: Operation, seed: str) -> Outcome:
        return await self._tried(operation, seed)

    async def _tried(self, operation: Operation, seed: str) -> Outcome:
        """Raises nothing but what _once does of its own."""
        known = self.form.went_without
        while True:
            try:
                return await self._repeated(operation, seed)
            except discord.HTTPException as error:
                fate = self._fate(error, operation)
                if not await self._mended(operation, error, fate):
                    self.form.take_back(known)
                    return Outcome(fate, detail=str(error), retry_after=retry_after(error))
                log.info("discord_call_mended", error=str(error))

    async def _repeated(self, operation: Operation, seed: str) -> Outcome:
        """Again, while the connection breaks. Raises HTTPException."""
        pause = FIRST_PAUSE
        deadline = CALL_DEADLINE if isinstance(operation, Delete) or not operation.plan.files else UPLOAD_DEADLINE
        for attempt in range(1, CONNECTION_TRIES + 1):
            try:
                async with asyncio.timeout(deadline):
                    return await self._once(self._connected(), operation, seed)
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

    def _connected(self) -> discord.Client:
        client = self.client()
        if client.is_closed() or client.http.token is None:
            raise NotConnected
        return client

    def _file_limit(self, client: discord.Client) -> int:
        guild = client.get_guild(self.place.guild_id) if self.place.guild_id else None
        return guild.filesize_limit if guild else DEFAULT_FILE_LIMIT

    def _fate(self, error: discord.HTTPException, operation: Operation) -> Fate:
        # Written as somebody else, as a persona that speaks here no more: a new message takes its place, and it stays.
        if error.code == Code.NOT_OUR_MESSAGE and isinstance(operation, Edit):
            return Fate.TOO_OLD
        if error.code == Code.NO_PERMISSION and isinstance(operation, Delete):
            return Fate.REFUSED  # to delete one's own message needs none
        return fate_of(error, operation)

    # ------------------------------------------------------------------------------------------------------- mending

    async def _mended(self, operation: Operation, error: discord.HTTPException, fate: Fate) -> bool:
        """Whether there was something that the next try does without. Each is done without at most once."""
        if error.code == Code.ARCHIVED:
            return await self._open_thread()
        if isinstance(operation, Delete):
            return False
        return self._mend_way(operation, error) or self.form.mend(operation, error, fate)

    def _mend_way(self, operation: Create | Edit, error: discord.HTTPException) -> bool:
        """The same for what only this way of sending puts into the request."""
        return False

    async def _open_thread(self) -> bool:
        if self._thread_opened:
            return False
        try:
            async with asyncio.timeout(CALL_DEADLINE):
                await self._connected().http.edit_channel(self.place.channel_id, archived=False)
        except (*FAILURES, NotConnected) as error:
            log.info("thread_not_opened", error=repr(error))
            return False
        self._thread_opened = True
        return True


class DiscordSender(MessageSender):
    """As the bot itself: the first message replies to the question, further ones follow silently."""

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
        """`may_reply`: else Discord refuses the reference (160002). The others: see MessageForm."""
        form = MessageForm(
            style, link_previews=link_previews, mention_users=mention_users, words_too_large=words_too_large
        )
        super().__init__(client, place, form)
        self._may_reply = may_reply

    async def _once(self, client: discord.Client, operation: Operation, seed: str) -> Outcome:
        # HTTPClient and not Messageable.send: an edit there cannot set flags, and every view is kept for dispatch.
        channel_id, limit = self.place.channel_id, self._file_limit(client)
        match operation:
            case Create(slot, _, generation):
                own = {"mention_author": False, "nonce": nonce(seed, slot, generation), **self._reference(slot)}
                with await self.form.parameters(operation, limit, **own) as parameters:
                    message = await client.http.send_message(channel_id, params=parameters)
                return Outcome(Fate.DONE, int(message["id"]))
            case Edit(_, message_id):
                with await self.form.parameters(operation, limit) as parameters:
                    await client.http.edit_message(channel_id, message_id, params=parameters)
            case Delete(message_id):
                await client.http.delete_message(channel_id, message_id)
        return Outcome(Fate.DONE)

    def _reference(self, slot: int) -> dict[str, Any]:
        if slot > 0 or not self._may_reply:
            return {}
        place = self.place
        reference = discord.MessageReference(
            message_id=place.question_id,
            channel_id=place.channel_id,
            guild_id=place.guild_id,
            # Discord posts without the reference when the question is gone, instead of refusing the answer (50035).
            fail_if_not_exists=False,
        )
        return {"message_reference": reference.to_message_reference_dict()}

    def _mend_way(self, operation: Create | Edit, error: discord.HTTPException) -> bool:
        """The question is gone, or not ours to refer to: no part of the answer refers to it from now on."""
        concerned = error.code == Code.NO_HISTORY or "message_reference" in refused_fields(error)
        if not (concerned and self._may_reply and isinstance(operation, Create)):
            return False
        self._may_reply = False
        return True


def nonce(seed: str, slot: int, generation: int) -> int:
    """The same for the same part of the same run, so that Discord posts it once however often it is sent.

    An integer below 2**63 (Discord takes int64, or a string of 25).
    """
    digest = hashlib.blake2b(f"{seed}/{slot}/{generation}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1

"""A persona's answers: written through our webhook of the channel, under the persona's name and picture.

A webhook can neither reply nor is its message the bot's: it edits and deletes by its own token. A name or picture that Discord does
not take is left away, so that the text arrives under the webhook's own name. A webhook that somebody deleted is made anew
once; after that, and where that cannot be, the bot goes on as itself.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import discord
import msgspec
import structlog

from bot.delivery.foreign_text import one_line
from bot.delivery.outcome import Fate, Outcome
from bot.delivery.plan import Create, Delete, Edit, Operation
from bot.delivery.posts import InDoubt, Posts
from bot.delivery.refusals import FAILURES, Code, refused_fields
from bot.delivery.sender import DiscordSender, MessageSender
from bot.delivery.webhook_calls import Credentials, TokenDead, call, is_dead, pacing_place

log = structlog.get_logger()

LONGEST_NAME = 80
"""Code points (https://docs.discord.com/developers/resources/webhook#create-webhook)."""
_INSIDE = re.compile("clyde|discord", re.IGNORECASE)
"""What no name may contain."""
_WHOLE = frozenset({"here", "everyone"})
"""What no name may be."""


class Voice(msgspec.Struct, frozen=True):
    """As whom an answer is written, and by which webhook."""

    webhook_id: int
    webhook_token: str
    name: str
    """As its owner wrote it."""
    avatar_url: str | None = None
    thread_id: int | None = None
    """Where the answer goes into a thread: the webhook is its channel's."""

    def __repr__(self) -> str:
        return f"Voice(webhook_id={self.webhook_id}, webhook_token=***, name={self.name!r}, thread_id={self.thread_id})"

    @property
    def pacing_place(self) -> int:
        return pacing_place(self.webhook_id, self.webhook_token)


def speakable(name: str) -> str:
    """The name as Discord takes it for a message of a webhook, changed no more than that needs; empty where nothing can be seen."""
    plain = _INSIDE.sub(lambda found: _broken(found[0]), one_line(name, LONGEST_NAME - 1))
    return (_broken(plain) if plain.lower() in _WHOLE else plain)[:LONGEST_NAME]


def _broken(word: str) -> str:
    return f"{word[:2]}-{word[2:]}"


async def _no_other() -> None:
    return None


class WebhookSender(MessageSender):
    def __init__(
        self,
        plain: DiscordSender,
        voice: Voice,
        renewed: Callable[[], Awaitable[Voice | None]] = _no_other,
    ) -> None:
        """`plain` writes into the same place as the bot itself. `renewed` gives the voice with another webhook, when its own is
        gone."""
        super().__init__(plain.client, plain.place, plain.form)
        self._plain_sender = plain
        self._renewed: Callable[[], Awaitable[Voice | None]] | None = renewed
        self._voice: Voice | None = voice
        self._face = _face(voice)
        self._posts = self._posts_of(voice)

    async def send(self, operation: Operation, seed: str) -> Outcome:
        while self._voice is not None:
            try:
                return await self._tried(operation, seed)
            except TokenDead as error:
                log.info("webhook_gone", webhook=self._voice.webhook_id, error=str(error))
                await self._take_another()
            except InDoubt:
                return Outcome(Fate.REFUSED, detail="it may stand already, and the channel cannot be read")
        return await self._plain_sender.send(operation, seed)

    async def _take_another(self) -> None:
        self._voice = await self._renewed() if self._renewed is not None else None
        self._renewed = None
        if self._voice is not None:
            self._posts = self._posts_of(self._voice)

    async def _once(self, client: discord.Client, operation: Operation, seed: str) -> Outcome:
        voice = self._voice
        assert voice is not None
        credentials = Credentials(voice.webhook_id, voice.webhook_token)
        thread = {"thread_id": voice.thread_id} if voice.thread_id else {}
        # Discord drops components of a call that does not say this.
        query = {**thread, "with_components": 1}
        limit = self._file_limit(client)
        try:
            match operation:
                case Create(slot, _, generation):
                    with await self.form.parameters(operation, limit, **self._face) as parameters:
                        part = slot, generation
                        made = await self._posts.post(client, credentials, part, parameters, {**query, "wait": 1})
                    return Outcome(Fate.DONE, made)
                case Edit(_, message_id):
                    with await self.form.parameters(operation, limit) as parameters:
                        await call(client, "PATCH", credentials, message_id, parameters=parameters, query=query)
                case Delete(message_id):
                    await call(client, "DELETE", credentials, message_id, query=thread)
        except discord.HTTPException as error:
            if is_dead(error):
                raise TokenDead(str(error)) from error
            if error.code == Code.UNKNOWN_MESSAGE and not isinstance(operation, Create):
                return await self._not_of_this_webhook(client, operation, seed, error)
            raise
        return Outcome(Fate.DONE)

    async def _not_of_this_webhook(
        self, client: discord.Client, operation: Edit | Delete, seed: str, error: discord.HTTPException
    ) -> Outcome:
        """Gone, or written by the webhook before this one, or by the bot itself. Raises HTTPException."""
        if operation.message_id in self._posts.made:
            raise error
        if isinstance(operation, Delete):
            return await self._plain_sender.send(operation, seed)
        try:
            await client.http.get_message(self.place.channel_id, operation.message_id)
        except discord.NotFound:
            raise error from None
        except FAILURES as unreadable:
            log.info("message_unreadable", message=operation.message_id, error=str(unreadable))
        return Outcome(Fate.TOO_OLD, detail=str(error))

    async def _mended(self, operation: Operation, error: discord.HTTPException, fate: Fate) -> bool:
        return await super()._mended(operation, error, fate) or (
            isinstance(operation, Create) and fate is Fate.REFUSED and self._leave_away(frozenset(self._face))
        )

    def _mend_way(self, operation: Create | Edit, error: discord.HTTPException) -> bool:
        return isinstance(operation, Create) and self._leave_away(refused_fields(error))

    def _leave_away(self, fields: frozenset[str]) -> bool:
        """Whether the face had one of these."""
        refused = fields & self._face.keys()
        self._face = {field: value for field, value in self._face.items() if field not in refused}
        return bool(refused)

    def _posts_of(self, voice: Voice) -> Posts:
        def is_ours(message: Mapping[str, Any]) -> bool:
            return message.get("webhook_id") == str(voice.webhook_id)

        return Posts(self.place.channel_id, self.place.question_id, is_ours, readable=True)


def _face(voice: Voice) -> dict[str, Any]:
    """Fields of the request; what is empty is the webhook's own."""
    fields = {"username": speakable(voice.name), "avatar_url": voice.avatar_url or ""}
    return {field: value for field, value in fields.items() if value}

"""An answer to a command or a press: written by the interaction's token, which needs no membership and lasts 15 minutes.

The first message fills the deferred response ("… is thinking"), the others are follow-ups. What the token cannot do (it is over;
where only the person installed the app there are five follow-ups; a message of another interaction) the bot does as a member,
where it is one that may write there; else the fate says so. What only one person sees stays so: only its token knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import discord
import structlog

from bot.delivery.message_form import MessageForm
from bot.delivery.outcome import Fate, Outcome
from bot.delivery.plan import Create, Delete, Edit, Operation
from bot.delivery.posts import InDoubt, Posts
from bot.delivery.refusals import Code
from bot.delivery.sender import DiscordSender, MessageSender, Place
from bot.delivery.webhook_calls import Credentials, TokenDead, call, is_dead, pacing_place

log = structlog.get_logger()

_EPHEMERAL = discord.MessageFlags(ephemeral=True).value
_NO_FOLLOW_UPS_LEFT = 40094
"""https://docs.discord.com/developers/interactions/receiving-and-responding#followup-messages"""


class ResponseToken:
    """What an interaction's token may still do; shared by all that write by it."""

    def __init__(
        self,
        application_id: int,
        token: str,
        *,
        private: bool,
        file_limit: int,
        waiting: bool = False,
        message_id: int | None = None,
    ) -> None:
        """`private`: only the person sees what is written by it. `file_limit`: bytes of a file. `waiting`: the response is
        deferred, and takes the first message. `message_id`: of the message whose button was pressed."""
        self.credentials = Credentials(application_id, token)
        self.private = private
        self.waiting = waiting
        self.file_limit = file_limit
        self.is_over = False
        self.made: set[int] = set() if message_id is None else {message_id}
        """Ids of messages that it may change."""

    @property
    def pacing_place(self) -> int:
        return pacing_place(self.credentials.id, self.credentials.token)


class InteractionSender(MessageSender):
    def __init__(
        self,
        client: Callable[[], discord.Client],
        place: Place,
        form: MessageForm,
        token: ResponseToken,
        *,
        as_member: DiscordSender | None = None,
        readable: bool = False,
    ) -> None:
        """`as_member` writes into the same place, where the bot may; `readable`: it may read there."""
        super().__init__(client, place, form)
        self._token = token
        self._member_sender = as_member
        self._posts = Posts(place.channel_id, place.question_id, self._is_ours, readable=readable, made=token.made)

    async def send(self, operation: Operation, seed: str) -> Outcome:
        if not (self._token.is_over or self._is_better_as_member(operation)):
            try:
                return await self._tried(operation, seed)
            except TokenDead as error:
                log.info("interaction_token_over", error=str(error))
                self._token.is_over = True
            except InDoubt:
                return Outcome(Fate.REFUSED, detail="it may stand already, and the channel cannot be read")
        return await self._without_token(operation, seed, Outcome(Fate.EXPIRED, detail="the token is over"))

    def _is_better_as_member(self, operation: Operation) -> bool:
        """What this token did not write it may not change."""
        if isinstance(operation, Create) or self._member_sender is None or self._token.private:
            return False
        return operation.message_id not in self._token.made

    async def _once(self, client: discord.Client, operation: Operation, seed: str) -> Outcome:
        credentials = self._token.credentials
        try:
            match operation:
                case Create():
                    return Outcome(Fate.DONE, await self._create(client, operation))
                case Edit(_, message_id):
                    with await self.form.parameters(operation, self._file_limit(client)) as parameters:
                        await call(client, "PATCH", credentials, message_id, parameters=parameters)
                case Delete(message_id):
                    await call(client, "DELETE", credentials, message_id)
        except discord.HTTPException as error:
            if is_dead(error):
                raise TokenDead(str(error)) from error
            if (instead := self._not_by_this_token(error, operation)) is None:
                raise
            return await self._without_token(operation, seed, instead)
        return Outcome(Fate.DONE)

    async def _create(self, client: discord.Client, operation: Create) -> int:
        token, limit = self._token, self._file_limit(client)
        if token.waiting:
            # An edit, and so safe to repeat.
            with await self.form.parameters(operation, limit) as parameters:
                message = await call(client, "PATCH", token.credentials, "@original", parameters=parameters)
            token.waiting = False
            # Where people may not use apps of their own in public, Discord shows them the answer alone.
            token.private = token.private or bool(int(message.get("flags") or 0) & _EPHEMERAL)
            self._posts.made.add(int(message["id"]))
            return int(message["id"])
        with await self.form.parameters(operation, limit, ephemeral=token.private) as parameters:
            part = operation.slot, operation.generation
            return await self._posts.post(client, token.credentials, part, parameters)

    def _not_by_this_token(self, error: discord.HTTPException, operation: Operation) -> Outcome | None:
        """What it comes to where nobody else can do it; None: it is no fault of the token."""
        if isinstance(operation, Create):
            spent = error.code == _NO_FOLLOW_UPS_LEFT
            return Outcome(Fate.REFUSED, detail=str(error)) if spent else None
        if error.code != Code.UNKNOWN_MESSAGE or operation.message_id in self._posts.made:
            return None
        # Another interaction's, as far as can be told. For an edit, a new message takes its place.
        return Outcome(Fate.TOO_OLD if isinstance(operation, Edit) else Fate.REFUSED, detail=str(error))

    async def _without_token(self, operation: Operation, seed: str, instead: Outcome) -> Outcome:
        if self._member_sender is None or self._token.private:
            return instead
        return await self._member_sender.send(operation, seed)

    def _file_limit(self, client: discord.Client) -> int:
        return self._token.file_limit

    def _is_ours(self, message: Mapping[str, Any]) -> bool:
        ours = str(self._token.credentials.id)
        return ours in (message.get("application_id"), message.get("webhook_id"), message["author"]["id"])

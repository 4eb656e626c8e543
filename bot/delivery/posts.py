"""Posts by a webhook's or an interaction's token: each stands at most once, though Discord takes no nonce there.

Theory. A post whose answer got lost (a broken connection, a 5xx, no answer in time) may stand all the same: it is in doubt, and is
not simply made again. Before the next try the channel is read: where the message stands, that was it, else it never arrived.
Where the channel cannot be read the part counts as refused, since a missing end can be asked for again, and a doubled one
cannot be taken back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import discord
import structlog
from discord.http import MultipartParameters

from bot.delivery.refusals import FAILURES
from bot.delivery.webhook_calls import NEVER_SENT, Credentials, call

log = structlog.get_logger()

LOOKED_AT = 50
"""Messages at the channel's end among which one in doubt is looked for."""

Part: TypeAlias = tuple[int, int]
"""Slot and generation."""
_Look: TypeAlias = tuple[str, int]
"""What a message reads like: its texts, and how many files it has."""


class InDoubt(Exception):
    """It may stand or not, and there is no way to see."""


class Posts:
    def __init__(
        self,
        channel_id: int,
        after: int,
        is_ours: Callable[[Mapping[str, Any]], bool],
        *,
        readable: bool,
        made: set[int] | None = None,
    ) -> None:
        """`after`: a message id; ours come later. `is_ours`: whether a message, as Discord sends it, was written by this token.
        `made`: see there; given where others write by it too."""
        self._channel_id = channel_id
        self._after = after
        self._is_ours = is_ours
        self._readable = readable
        self._in_doubt: dict[Part, _Look] = {}
        self.made: set[int] = set() if made is None else made
        """Ids of messages that were written by this token."""

    async def post(
        self,
        client: discord.Client,
        credentials: Credentials,
        part: Part,
        parameters: MultipartParameters,
        query: Mapping[str, int] | None = None,
    ) -> int:
        """The message's id. Raises HTTPException, NOT_THROUGH, and InDoubt."""
        if part in self._in_doubt and (found := await self._find(client, self._in_doubt[part])) is not None:
            return self._stands(part, found)
        self._in_doubt[part] = _look(_payload(parameters))
        try:
            message = await call(client, "POST", credentials, parameters=parameters, query=query)
        except NEVER_SENT:
            del self._in_doubt[part]
            raise
        except discord.HTTPException as error:
            if error.status < 500:
                del self._in_doubt[part]
            raise
        return self._stands(part, int(message["id"]))

    def _stands(self, part: Part, message_id: int) -> int:
        del self._in_doubt[part]
        self.made.add(message_id)
        return message_id

    async def _find(self, client: discord.Client, wanted: _Look) -> int | None:
        if not self._readable:
            raise InDoubt
        try:
            messages = await client.http.logs_from(self._channel_id, LOOKED_AT)
        except FAILURES as error:
            log.info("history_unreadable", error=str(error))
            raise InDoubt from error
        fitting = (int(message["id"]) for message in messages if self._is_ours(message) and _look(message) == wanted)
        return next((made for made in fitting if made > self._after and made not in self.made), None)


def _payload(parameters: MultipartParameters) -> Mapping[str, Any]:
    if parameters.payload is not None:
        return parameters.payload
    assert parameters.multipart
    decoded: Mapping[str, Any] = json.loads(parameters.multipart[0]["value"])
    return decoded


def _look(message: Mapping[str, Any]) -> _Look:
    texts = [message.get("content") or "", *(embed.get("description") or "" for embed in message.get("embeds") or ())]
    texts += _displayed(message.get("components") or ())
    return "\n".join(text.strip() for text in texts), len(message.get("attachments") or ())


def _displayed(components: Any) -> Iterator[str]:
    for component in components:
        yield component.get("content") or ""
        yield from _displayed(component.get("components") or ())

"""Messages by their id, for one turn: those that it has read, those that the client remembers, and few from Discord, each asked
for once."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import discord
import structlog

from bot.delivery.refusals import FAILURES

log = structlog.get_logger()

MOST_FETCHES = 20
"""Calls a turn: a chain of replies that is longer has its end in what Discord sends along."""


class MessageLookup:
    def __init__(self, client: Callable[[], discord.Client], guild_id: int | None) -> None:
        self._client = client
        self._guild_id = guild_id
        self._read: dict[int, discord.Message | None] = {}
        """None: it is not there, or not for us."""
        self._cached: dict[int, discord.Message] | None = None
        """What the client remembered when this turn first asked; it has no index of its own."""
        self._gone: set[int] = set()
        self._fetches = 0

    def remember(self, messages: Iterable[discord.Message]) -> None:
        self._read.update((message.id, message) for message in messages)

    def has_read(self, message: discord.Message) -> bool:
        """Whether that is the message as this turn read it, and not as it once came to the client."""
        return self._read.get(message.id) is message

    def is_gone(self, message_id: int) -> bool:
        """Discord was asked for it, and it is not there."""
        return message_id in self._gone

    def known(self, message_id: int) -> discord.Message | None:
        """Without asking Discord."""
        if (read := self._read.get(message_id)) is not None:
            return read
        if self._cached is None:
            self._cached = {message.id: message for message in self._client().cached_messages}
        return self._cached.get(message_id)

    async def find(self, channel_id: int, message_id: int) -> discord.Message | None:
        """None where it is gone, or cannot be read, or enough was asked for."""
        if (known := self.known(message_id)) is not None or message_id in self._read:
            return known
        if self._fetches == MOST_FETCHES:
            log.info("messages_not_fetched", channel=channel_id, limit=MOST_FETCHES)
            return None
        self._fetches += 1
        channel = self._client().get_partial_messageable(channel_id, guild_id=self._guild_id)
        try:
            self._read[message_id] = await channel.fetch_message(message_id)
        except FAILURES as error:
            if isinstance(error, discord.NotFound):
                self._gone.add(message_id)
            log.info("message_unreadable", message=message_id, error=str(error))
            self._read[message_id] = None
        return self._read[message_id]

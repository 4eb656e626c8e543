"""What is kept of the conversation in a channel besides its messages, which Discord has: where it begins, and what was before."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
from sqlalchemy import delete, update

from bot.store.database import Database
from bot.store.models import Conversation


class ConversationState(msgspec.Struct, frozen=True):
    starts_after: int | None = None
    """Message id: what is not after it is no longer read."""
    summary: str = ""
    """Of what is no longer read; the model's words."""


class Conversations:
    def __init__(self, database: Database) -> None:
        self._session = database.session

    async def get(self, channel_id: int) -> ConversationState:
        """A conversation that nobody put is at its beginning."""
        async with self._session() as session:
            row = await session.get(Conversation, channel_id)
        return ConversationState(row.starts_after, row.summary) if row else ConversationState()

    async def put(
        self, channel_id: int, guild_id: int | None, *, starts_after: int | None = None, summary: str | None = None
    ) -> None:
        """What is not given stays as it was: a summary may be made while the beginning moves on. It never moves back."""
        of_channel = Conversation.channel_id == channel_id
        async with self._session.begin() as session:
            # Begins with a write that changes nothing, so that another process's change waits for this one.
            await session.execute(update(Conversation).where(of_channel).values(guild_id=guild_id))
            row = await session.get(Conversation, channel_id)
            if row is None:
                row = Conversation(channel_id=channel_id, guild_id=guild_id, summary="")
                session.add(row)
            if starts_after is not None:
                row.starts_after = max(starts_after, row.starts_after or 0)
            if summary is not None:
                row.summary = summary
            row.updated_at = datetime.now(UTC)

    async def forget(self, channel_id: int) -> None:
        """The summary and the beginning: all that there is."""
        async with self._session.begin() as session:
            await session.execute(delete(Conversation).where(Conversation.channel_id == channel_id))

    async def forget_server(self, guild_id: int) -> None:
        """Of all its channels."""
        async with self._session.begin() as session:
            await session.execute(delete(Conversation).where(Conversation.guild_id == guild_id))

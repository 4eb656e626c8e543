"""What is kept of the conversation in a channel besides its messages, which Discord has: where it begins, and what was before.

bot.store.forgetting deletes it.
"""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
from sqlalchemy import case, update
from sqlalchemy.ext.asyncio import AsyncSession

from bot.store.answers import storable
from bot.store.database import Database
from bot.store.engine import alone
from bot.store.last_known import LastKnown
from bot.store.models import Conversation
from bot.store.unavailable import DatabaseUnavailable

MOST_KNOWN = 2000
"""Conversations that stay in memory, for the time in which the database is away."""


class ConversationState(msgspec.Struct, frozen=True):
    starts_after: int | None = None
    """Message id: what is not after it is no longer read."""
    summary: str = ""
    """Of what is no longer read; the model's words."""


class Conversations:
    def __init__(self, database: Database) -> None:
        self._session = database.session
        self._known: LastKnown[int, ConversationState] = LastKnown(database.outage, MOST_KNOWN)

    async def get(self, channel_id: int) -> ConversationState:
        """A conversation that nobody put is at its beginning; so is one of which nothing is known while the database is away."""
        try:
            return await self._known.read(channel_id, lambda: self._get(channel_id))
        except DatabaseUnavailable:
            return ConversationState()

    async def put(
        self, channel_id: int, guild_id: int | None, *, starts_after: int | None = None, summary: str | None = None
    ) -> None:
        """What is not given stays as it was: the beginning may move on while a summary is made. It never moves back."""
        async with self._session.begin() as session:
            row = await _opened(session, channel_id, guild_id)
            if starts_after is not None:
                row.starts_after = max(starts_after, row.starts_after or 0)
            if summary is not None:
                row.summary = storable(summary)
                row.updated_at = datetime.now(UTC)
        self._known.changed(channel_id)

    async def summary_begins(self, channel_id: int, guild_id: int | None) -> datetime:
        """Which conversation it is that is summarized, for `summarize`."""
        async with self._session.begin() as session:
            return (await _opened(session, channel_id, guild_id)).updated_at

    async def summarize(self, channel_id: int, summary: str, up_to: int, begun: datetime) -> bool:
        """What was said up to this message id is this summary from now on.

        False, and nothing is kept, where it is not the same conversation any more as when the summary was `begun`: somebody began
        it anew, had it forgotten, or another summary was quicker.
        """
        same = Conversation.channel_id == channel_id, Conversation.updated_at == begun
        starts_after = case((Conversation.starts_after > up_to, Conversation.starts_after), else_=up_to)
        kept = (
            update(Conversation)
            .where(*same)
            .values(summary=storable(summary), starts_after=starts_after, updated_at=datetime.now(UTC))
        )
        async with self._session.begin() as session:
            is_kept = (await session.scalars(kept.returning(Conversation.channel_id))).first() is not None
        self._known.changed(channel_id)
        return is_kept

    async def _get(self, channel_id: int) -> ConversationState:
        async with self._session() as session:
            row = await session.get(Conversation, channel_id)
        return ConversationState(row.starts_after, row.summary) if row else ConversationState()


async def _opened(session: AsyncSession, channel_id: int, guild_id: int | None) -> Conversation:
    """Its row, made where there was none; nobody else changes it until the transaction has ended."""
    await alone(session, "conversation", channel_id)
    row = await session.get(Conversation, channel_id, with_for_update=True)
    if row is None:
        row = Conversation(channel_id=channel_id, summary="", updated_at=datetime.now(UTC))
        session.add(row)
    row.guild_id = guild_id
    return row

"""The turn journal: which messages were taken up, how their turns ended, and which messages of ours are whose answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta

import msgspec
from sqlalchemy import delete, select
from sqlalchemy.exc import IntegrityError

from bot.store.database import Database
from bot.store.models import Turn, TurnMessage

KEEP = timedelta(days=90)
"""How long turns are remembered: as long as a reply to an old answer should still find all its parts."""


class AnswerPart(msgspec.Struct, frozen=True):
    message_id: int
    question_id: int
    part_seq: int
    text_length: int


class TurnJournal:
    def __init__(self, database: Database) -> None:
        self._session = database.session

    async def claim(self, turn_id: str, question_id: int, channel_id: int, guild_id: int | None) -> bool:
        """Begin this turn; False where the question was taken up before, by any process."""
        turn = Turn(
            turn_id=turn_id,
            question_id=question_id,
            channel_id=channel_id,
            guild_id=guild_id,
            started_at=datetime.now(UTC),
        )
        try:
            async with self._session.begin() as session:
                session.add(turn)
        except IntegrityError:
            return False
        return True

    async def finish(self, turn_id: str, status: str, shown: Sequence[tuple[int, int]]) -> None:
        """Record the end. `shown`: (message id, code points of the model's text at its start), in order."""
        async with self._session.begin() as session:
            turn = await session.get_one(Turn, turn_id)
            turn.ended_at, turn.status = datetime.now(UTC), status
            session.add_all(
                TurnMessage(message_id=message_id, turn_id=turn_id, part_seq=part_seq, text_length=text_length)
                for part_seq, (message_id, text_length) in enumerate(shown)
            )

    async def answers_with(self, message_ids: Iterable[int]) -> Sequence[Sequence[AnswerPart]]:
        """The whole answers, each with its parts in order, to which any of these messages of ours belong."""
        of_these = select(TurnMessage.turn_id).where(TurnMessage.message_id.in_(list(message_ids)))
        rows = (
            select(TurnMessage, Turn.question_id)
            .join(Turn, Turn.turn_id == TurnMessage.turn_id)
            .where(TurnMessage.turn_id.in_(of_these))
            .order_by(Turn.question_id, TurnMessage.part_seq)
        )
        answers: dict[int, list[AnswerPart]] = {}
        async with self._session() as session:
            for part, question_id in await session.execute(rows):
                answers.setdefault(question_id, []).append(
                    AnswerPart(part.message_id, question_id, part.part_seq, part.text_length)
                )
        return list(answers.values())

    async def forget_old(self, now: datetime | None = None) -> int:
        """Delete what is older than KEEP; how many turns that were."""
        async with self._session.begin() as session:
            result = await session.execute(delete(Turn).where(Turn.started_at < (now or datetime.now(UTC)) - KEEP))
            return int(getattr(result, "rowcount", 0))

"""The turn journal: which messages were taken up, what came of it, and which messages of ours are whose answer.

Whatever may happen only once is one compare-and-set of a row of `turns`: its insertion for a question, its `ended_at` for a run.
Every transaction that writes of a turn takes that row first, and so waits for another that has it; no two wait for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import ColumnElement, Delete, Select, Update, and_, delete, exists, func, or_, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from bot.store.answers import AnswerPart, ShownAnswer, StoredAnswer, StoredVersion, VersionEnd, storable
from bot.store.database import Database
from bot.store.models import AnswerVersion, Turn, TurnMessage, TurnQuestion

KEEP = timedelta(days=90)
"""How long turns are remembered after their last run: as long as a reply to an old answer should still find all its parts."""

RUN_LIMIT = timedelta(minutes=30)
"""No run lasts so long (bot.turn.answering.TURN_DEADLINE): one that has not ended by then died with its process."""

_IS_SHOWN = and_(AnswerVersion.turn_id == Turn.turn_id, AnswerVersion.version_nr == Turn.shown_version_nr)


class TurnJournal:
    def __init__(self, database: Database) -> None:
        self._session = database.session
        self.outage = database.outage

    # ------------------------------------------------------------------------------------------------------------ runs

    async def claim(
        self,
        turn_id: str,
        question_id: int,
        channel_id: int,
        guild_id: int | None,
        asker_id: int | None = None,
        further_ids: Sequence[int] = (),
        asked: str | None = None,
    ) -> bool:
        """Begin this turn with version 1; False where the question was taken up before, by any process.

        `further_ids`: the other messages of which the question consists. Those are not taken up again either. `asked`: its text,
        where no message holds it.
        """
        now = datetime.now(UTC)
        turn = Turn(
            turn_id=turn_id,
            question_id=question_id,
            channel_id=channel_id,
            guild_id=guild_id,
            asker_id=asker_id,
            asked=storable(asked) if asked is not None else None,
            started_at=now,
        )
        try:
            async with self._session.begin() as session:
                session.add(turn)
                await session.flush()
                session.add(_unwritten(turn_id, 1, now))
                session.add_all(
                    TurnQuestion(message_id=id_, turn_id=turn_id) for id_ in sorted({question_id, *further_ids})
                )
        except IntegrityError:
            return False
        return True

    async def begin_version(self, turn_id: str, now: datetime | None = None) -> int | None:
        """Begin to answer anew: the new version's number. What stands stays the shown version until this one has ended.

        None where the answer is being written already, by any process, or there is no such answer any more.
        """
        now = now or datetime.now(UTC)
        async with self._session.begin() as session:
            if not await _take(session, turn_id, now):
                return None
            # One whose process died under it left nothing: its number is given again.
            await _write(
                session,
                delete(AnswerVersion).where(AnswerVersion.turn_id == turn_id, AnswerVersion.ended_at.is_(None)),
            )
            number = 1 + (await session.scalar(_last_ended(turn_id)) or 0)
            session.add(_unwritten(turn_id, number, now))
        return number

    async def resume(self, turn_id: str, now: datetime | None = None) -> StoredVersion | None:
        """Let the shown version go on, or make room for another one that is kept; None as for begin_version.

        It keeps what it has until `finish` gives it more.
        """
        async with self._session.begin() as session:
            if not await _take(session, turn_id, now or datetime.now(UTC)):
                return None
            turn = await session.get_one(Turn, turn_id)
            version = await session.get(AnswerVersion, (turn_id, turn.shown_version_nr))
        return _stored(version) if version else None

    async def finish(self, turn_id: str, version_nr: int, end: VersionEnd, shown: Sequence[tuple[int, int]]) -> None:
        """End the run: this is the version now, and the one that stands.

        `shown`: (message id, code points of the model's text at its start), in order; they take the place of the answer's earlier
        messages. Nothing is recorded where the answer was withdrawn meanwhile.
        """
        now = datetime.now(UTC)
        written = (
            update(AnswerVersion)
            .where(AnswerVersion.turn_id == turn_id, AnswerVersion.version_nr == version_nr)
            .values(
                ended_at=now,
                status=end.status,
                text=storable(end.text),
                thoughts=storable(end.thoughts),
                persona=storable(end.persona),
                model=storable(end.model),
                provider=storable(end.provider),
                facts=storable(end.facts),
                undelivered=end.undelivered,
            )
        )
        ended = (
            update(Turn)
            .where(Turn.turn_id == turn_id)
            .values(ended_at=now, status=end.status, shown_version_nr=version_nr)
        )
        async with self._session.begin() as session:
            await lock_turns(session, Turn.turn_id == turn_id)
            if await _write(session, written):
                await _write(session, ended)
                await _replace_messages(session, turn_id, shown)

    async def withdraw(self, turn_id: str) -> None:
        """A person deleted the answer: its texts and messages go. The claim stays, so that it is not answered again."""
        async with self._session.begin() as session:
            await lock_turns(session, Turn.turn_id == turn_id)
            await _write(session, delete(AnswerVersion).where(AnswerVersion.turn_id == turn_id))
            await _replace_messages(session, turn_id, [])

    async def message_deleted(self, message_id: int) -> None:
        """Somebody deleted this message. With the last one of an answer, its texts go, as with `withdraw`.

        Nothing happens while the answer is written: then we delete messages ourselves, and its end says which ones stand.
        """
        turn_id = await self.turn_of(message_id)
        if turn_id is None:
            return
        is_over = exists().where(Turn.turn_id == turn_id, Turn.ended_at.is_not(None))
        gone = delete(TurnMessage).where(TurnMessage.message_id == message_id, is_over)
        stands = exists().where(TurnMessage.turn_id == turn_id)
        async with self._session.begin() as session:
            await lock_turns(session, Turn.turn_id == turn_id)
            if await _write(session, gone):
                await _write(session, delete(AnswerVersion).where(AnswerVersion.turn_id == turn_id, ~stands))

    # -------------------------------------------------------------------------------------------------------- questions

    async def turn_of(self, message_id: int) -> str | None:
        """The turn to whose answer this message of ours belongs."""
        async with self._session() as session:
            return await session.scalar(select(TurnMessage.turn_id).where(TurnMessage.message_id == message_id))

    async def answer(self, turn_id: str) -> StoredAnswer | None:
        """None where the turn is unknown, or its answer withdrawn."""
        async with self._session() as session:
            turn = await session.get(Turn, turn_id)
            shown = await session.get(AnswerVersion, (turn_id, turn.shown_version_nr)) if turn else None
            if turn is None or shown is None:
                return None
            messages = await session.scalars(
                select(TurnMessage).where(TurnMessage.turn_id == turn_id).order_by(TurnMessage.part_seq)
            )
            return StoredAnswer(
                question_id=turn.question_id,
                channel_id=turn.channel_id,
                guild_id=turn.guild_id,
                asker_id=turn.asker_id,
                version_count=await session.scalar(_last_ended(turn_id)) or 0,
                shown=_stored(shown),
                parts=tuple(AnswerPart(row.message_id, row.text_length) for row in messages),
                asked=turn.asked,
            )

    async def last_turn(self, channel_id: int, asker_id: int) -> str | None:
        """The newest turn there with an answer to this person."""
        newest = (
            select(Turn.turn_id)
            .join(AnswerVersion, _IS_SHOWN)
            .where(Turn.channel_id == channel_id, Turn.asker_id == asker_id)
            .order_by(Turn.question_id.desc())
            .limit(1)
        )
        async with self._session() as session:
            return await session.scalar(newest)

    async def version(self, turn_id: str, version_nr: int) -> StoredVersion | None:
        async with self._session() as session:
            version = await session.get(AnswerVersion, (turn_id, version_nr))
        return _stored(version) if version else None

    async def answers_with(self, message_ids: Iterable[int]) -> Sequence[ShownAnswer]:
        """The answers in the channel to which any of these messages belong, as their question or as a part; in the order of their
        questions."""
        ids = list(message_ids)
        by_part = select(TurnMessage.turn_id).where(TurnMessage.message_id.in_(ids))
        by_question = select(TurnQuestion.turn_id).where(TurnQuestion.message_id.in_(ids))
        texts = (
            select(Turn, AnswerVersion.text, AnswerVersion.persona)
            .join(AnswerVersion, _IS_SHOWN)
            .where(or_(Turn.turn_id.in_(by_part), Turn.turn_id.in_(by_question)))
            .order_by(Turn.question_id)
        )
        async with self._session() as session:
            found = (await session.execute(texts)).all()
            rows = await session.scalars(
                select(TurnMessage)
                .where(TurnMessage.turn_id.in_([turn.turn_id for turn, _, _ in found]))
                .order_by(TurnMessage.part_seq)
            )
            parts: dict[str, list[AnswerPart]] = {}
            for row in rows:
                parts.setdefault(row.turn_id, []).append(AnswerPart(row.message_id, row.text_length))
        return [
            ShownAnswer(
                turn_id=turn.turn_id,
                question_id=turn.question_id,
                channel_id=turn.channel_id,
                text=text,
                parts=tuple(parts[turn.turn_id]),
                persona=persona,
                asker_id=turn.asker_id,
                asked=turn.asked,
            )
            for turn, text, persona in found
            if turn.turn_id in parts
        ]

    async def asked_since(self, asker_id: int, guild_id: int | None, since: datetime) -> int:
        """How many questions of this person in this server (None: in direct messages) were taken up, or answered anew, since then."""
        here = Turn.guild_id.is_(None) if guild_id is None else Turn.guild_id == guild_id
        counted = select(func.count()).where(Turn.asker_id == asker_id, here, Turn.started_at >= since)
        async with self._session() as session:
            return await session.scalar(counted) or 0

    async def failed_questions(self, message_ids: Iterable[int]) -> Mapping[int, str]:
        """Of these messages those to which no answer came, for an error; and the facts of how that ended."""
        failed = (
            select(TurnQuestion.message_id, AnswerVersion.facts)
            .join(Turn, Turn.turn_id == TurnQuestion.turn_id)
            .join(AnswerVersion, _IS_SHOWN)
            .where(TurnQuestion.message_id.in_(list(message_ids)), Turn.status == "error", AnswerVersion.text == "")
        )
        async with self._session() as session:
            return {row.message_id: row.facts for row in await session.execute(failed)}

    async def forget_old(self, now: datetime | None = None) -> int:
        """Delete what is older than KEEP; how many turns that were."""
        async with self._session.begin() as session:
            return await _write(session, delete(Turn).where(Turn.started_at < (now or datetime.now(UTC)) - KEEP))


async def lock_turns(session: AsyncSession, which: ColumnElement[bool]) -> None:
    """Others who write of these turns wait until the transaction has ended."""
    await session.execute(select(Turn.turn_id).where(which).order_by(Turn.turn_id).with_for_update())


async def _take(session: AsyncSession, turn_id: str, now: datetime) -> bool:
    """Begin a run, where there is an answer and none runs."""
    free = or_(Turn.ended_at.is_not(None), Turn.started_at < now - RUN_LIMIT)
    not_withdrawn = exists().where(AnswerVersion.turn_id == turn_id)
    taken = (
        update(Turn)
        .where(Turn.turn_id == turn_id, free, not_withdrawn)
        .values(started_at=now, ended_at=None, status=None)
    )
    return bool(await _write(session, taken))


async def _replace_messages(session: AsyncSession, turn_id: str, shown: Sequence[tuple[int, int]]) -> None:
    await _write(session, delete(TurnMessage).where(TurnMessage.turn_id == turn_id))
    session.add_all(
        TurnMessage(message_id=message_id, turn_id=turn_id, part_seq=part_seq, text_length=text_length)
        for part_seq, (message_id, text_length) in enumerate(shown)
    )


async def _write(session: AsyncSession, statement: Update | Delete) -> int:
    """How many rows that were."""
    # Without this, SQLAlchemy may read the rows first.
    result = await session.execute(statement, execution_options={"synchronize_session": False})
    return int(getattr(result, "rowcount", 0))


def _unwritten(turn_id: str, version_nr: int, now: datetime) -> AnswerVersion:
    return AnswerVersion(
        turn_id=turn_id,
        version_nr=version_nr,
        started_at=now,
        text="",
        thoughts="",
        persona="",
        model="",
        provider="",
        facts="",
        undelivered=False,
    )


def _last_ended(turn_id: str) -> Select[int]:
    """The number of the last version that ended; none, where the first one still runs."""
    ended = (AnswerVersion.turn_id == turn_id, AnswerVersion.ended_at.is_not(None))
    return select(func.max(AnswerVersion.version_nr)).where(*ended)


def _stored(row: AnswerVersion) -> StoredVersion:
    return StoredVersion(**{name: getattr(row, name) for name in StoredVersion.__struct_fields__})

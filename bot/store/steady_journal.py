"""The turn journal that goes on while the database is away.

Turns that cannot be written are kept in a database in memory, with the same tables, so the same journal keeps them by the same rules.
When the real one is back their rows go there, before anybody writes there again. What is kept is of this process: another one on the
same database may answer the same question meanwhile, and then it is that one's.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
import structlog
from sqlalchemy import delete, select
from sqlalchemy.exc import SQLAlchemyError

from bot.store.answers import ShownAnswer, StoredAnswer, StoredVersion, VersionEnd
from bot.store.database import Database
from bot.store.models import AnswerVersion, Base, Turn, TurnMessage, TurnQuestion
from bot.store.turns import TurnJournal, lock_turns
from bot.store.unavailable import DatabaseUnavailable

log = structlog.get_logger()

T = TypeVar("T")

MOST_KEPT = 500
"""Turns in memory; of more, the oldest are lost."""
MOST_TAKEN = 10_000
"""Messages of which it is remembered that this process took them up."""
MOST_RUNNING = 1000
"""Runs that were begun in the database, of which it is remembered whose they are, in case that they end in memory."""
MOST_DELETIONS = 2000
"""That wait for the database."""


class _Claim(msgspec.Struct, frozen=True):
    """What TurnJournal.claim is given, but for the turn's id."""

    question_id: int
    channel_id: int
    guild_id: int | None
    asker_id: int | None
    further_ids: tuple[int, ...] = ()
    asked: str | None = None

    @property
    def message_ids(self) -> tuple[int, ...]:
        return (self.question_id, *self.further_ids)


class SteadyJournal(TurnJournal):
    """Its methods do as TurnJournal's, and raise DatabaseUnavailable only where what they are asked for is not in memory."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._database = database
        self._real = TurnJournal(database)
        self._memory: TurnJournal | None = None
        self._aside: Database | None = None
        self._kept: dict[str, bool] = {}
        """Turn ids of what is in memory, the oldest first, and whether they were begun in the database. Never any while there is no
        outage."""
        self._taken: dict[int, None] = {}
        self._running: dict[str, _Claim] = {}
        self._deletions: deque[tuple[Callable[[Any], Awaitable[None]], str | int]] = deque()
        """What people deleted of answers that are in the database."""
        self._moving = asyncio.Lock()
        """Whoever uses what is in memory has it, so that nothing moves from under their hands."""
        database.outage.before_back(self._write_back)

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
        claim = _Claim(question_id, channel_id, guild_id, asker_id, tuple(further_ids), asked)

        async def keep() -> bool:
            if not self._taken.keys().isdisjoint(claim.message_ids):
                return False
            return await self._adopt(turn_id, claim)

        claimed = await self._done(turn_id, lambda: _claimed(self._real, turn_id, claim), keep)
        if claimed:
            _remember(self._taken, dict.fromkeys(claim.message_ids), MOST_TAKEN)
            _remember(self._running, {turn_id: claim}, MOST_RUNNING)
        return claimed

    async def begin_version(self, turn_id: str, now: datetime | None = None) -> int | None:
        number = await self._done(
            turn_id,
            lambda: self._real.begin_version(turn_id, now),
            lambda: self._mine(turn_id).begin_version(turn_id, now),
        )
        await self._began(turn_id, number)
        return number

    async def resume(self, turn_id: str, now: datetime | None = None) -> StoredVersion | None:
        version = await self._done(
            turn_id, lambda: self._real.resume(turn_id, now), lambda: self._mine(turn_id).resume(turn_id, now)
        )
        await self._began(turn_id, version)
        return version

    async def finish(self, turn_id: str, version_nr: int, end: VersionEnd, shown: Sequence[tuple[int, int]]) -> None:
        async def keep() -> None:
            claim = self._running.get(turn_id)
            if turn_id not in self._kept and (claim is None or not await self._adopt(turn_id, claim, begun=version_nr)):
                raise DatabaseUnavailable("nobody knows any more whose answer it is")
            await self._mine(turn_id).finish(turn_id, version_nr, end, shown)

        await self._done(turn_id, lambda: self._real.finish(turn_id, version_nr, end, shown), keep)
        self._running.pop(turn_id, None)

    async def withdraw(self, turn_id: str) -> None:
        async def keep() -> None:
            if turn_id in self._kept:
                await self._mine(turn_id).withdraw(turn_id)
            else:
                self._delete_later(self._real.withdraw, turn_id)

        await self._done(turn_id, lambda: self._real.withdraw(turn_id), keep)
        self._running.pop(turn_id, None)

    async def message_deleted(self, message_id: int) -> None:
        async def keep() -> None:
            turn_id = await self._memory.turn_of(message_id) if self._memory is not None else None
            if turn_id is not None:
                await self._mine(turn_id).message_deleted(message_id)
            else:
                self._delete_later(self._real.message_deleted, message_id)

        await self._done("", lambda: self._real.message_deleted(message_id), keep)

    # -------------------------------------------------------------------------------------------------------- questions

    async def turn_of(self, message_id: int) -> str | None:
        return await self._first(lambda journal: journal.turn_of(message_id))

    async def answer(self, turn_id: str) -> StoredAnswer | None:
        return await self._of(turn_id, lambda journal: journal.answer(turn_id))

    async def version(self, turn_id: str, version_nr: int) -> StoredVersion | None:
        return await self._of(turn_id, lambda journal: journal.version(turn_id, version_nr))

    async def last_turn(self, channel_id: int, asker_id: int) -> str | None:
        return await self._first(lambda journal: journal.last_turn(channel_id, asker_id))

    async def answers_with(self, message_ids: Iterable[int]) -> Sequence[ShownAnswer]:
        ids = list(message_ids)
        nothing: Sequence[ShownAnswer] = ()
        kept, written = await self._both(lambda journal: journal.answers_with(ids), nothing)
        known = {answer.turn_id for answer in kept}
        both = [*kept, *(answer for answer in written if answer.turn_id not in known)]
        return sorted(both, key=lambda answer: answer.question_id)

    async def asked_since(self, asker_id: int, guild_id: int | None, since: datetime) -> int:
        return sum(await self._both(lambda journal: journal.asked_since(asker_id, guild_id, since), 0))

    async def failed_questions(self, message_ids: Iterable[int]) -> Mapping[int, str]:
        ids = list(message_ids)
        nothing: Mapping[int, str] = {}
        kept, written = await self._both(lambda journal: journal.failed_questions(ids), nothing)
        return {**written, **kept}

    # -------------------------------------------------------------------------------------------- in memory, or not

    async def _done(self, turn_id: str, write: Callable[[], Awaitable[T]], keep: Callable[[], Awaitable[T]]) -> T:
        """What is done with a turn that is in memory, or must be, is done there."""
        while True:
            if turn_id not in self._kept:
                try:
                    return await write()
                except DatabaseUnavailable:
                    pass
            async with self._moving:
                if self.outage.is_known:
                    return await _whole(keep())

    async def _of(self, turn_id: str, read: Callable[[TurnJournal], Awaitable[T]]) -> T:
        async with self._moving:
            if turn_id in self._kept:
                return await _whole(read(self._mine(turn_id)))
        return await read(self._real)

    async def _first(self, read: Callable[[TurnJournal], Awaitable[T | None]]) -> T | None:
        """What is in memory is the newest."""
        async with self._moving:
            found = await _whole(read(self._memory)) if self._kept and self._memory is not None else None
        return found if found is not None else await read(self._real)

    async def _both(self, read: Callable[[TurnJournal], Awaitable[T]], nothing: T) -> tuple[T, T]:
        """Of what is in memory and of what is in the database, as far as that can be read."""
        async with self._moving:
            kept = await _whole(read(self._memory)) if self._kept and self._memory is not None else nothing
        try:
            return kept, await read(self._real)
        except DatabaseUnavailable:
            return kept, nothing

    def _mine(self, turn_id: str) -> TurnJournal:
        """For a turn that is in memory. Raises DatabaseUnavailable."""
        if self._memory is None or turn_id not in self._kept:
            raise DatabaseUnavailable("the answer is in the database, which cannot be used")
        return self._memory

    async def _began(self, turn_id: str, what: object) -> None:
        """A further run of a turn in the database."""
        if what is None or turn_id in self._kept:
            return
        try:
            answer = await self._real.answer(turn_id)
        except DatabaseUnavailable:
            return
        if answer is not None:
            claim = _Claim(answer.question_id, answer.channel_id, answer.guild_id, answer.asker_id, asked=answer.asked)
            _remember(self._running, {turn_id: claim}, MOST_RUNNING)

    async def _adopt(self, turn_id: str, claim: _Claim, begun: int | None = None) -> bool:
        """From now on it is in memory, and its first version is being written, or this one that was begun in the database; False as
        `claim`."""
        if self._memory is None or self._aside is None:
            self._aside = await self._database.aside()
            self._memory = TurnJournal(self._aside)
        if not await _claimed(self._memory, turn_id, claim):
            return False
        if begun is not None:
            async with self._aside.session.begin() as session:
                (await session.get_one(AnswerVersion, (turn_id, 1))).version_nr = begun
        self._kept[turn_id] = begun is not None
        if len(self._kept) > MOST_KEPT:
            oldest = next(iter(self._kept))
            log.warning("turn_lost", turn=oldest, why="too many wait for the database")
            await self._drop(self._aside, oldest)
        return True

    async def _drop(self, aside: Database, turn_id: str) -> None:
        self._kept.pop(turn_id, None)
        async with aside.session.begin() as session:
            await session.execute(delete(Turn).where(Turn.turn_id == turn_id))

    def _delete_later(self, delete_: Callable[[Any], Awaitable[None]], what: str | int) -> None:
        self._deletions.append((delete_, what))
        if len(self._deletions) > MOST_DELETIONS:
            log.warning("deletion_lost", of=self._deletions.popleft()[1], why="too many wait for the database")

    # -------------------------------------------------------------------------------------------- when it is back

    async def _write_back(self) -> None:
        """All that is in memory goes to where it belongs. Raises DatabaseUnavailable."""
        async with self._moving:
            while self._deletions:  # of what was there before any of this
                delete_, what = self._deletions[0]
                await delete_(what)
                self._deletions.popleft()
            written = 0
            while self._kept and self._aside is not None:
                turn_id = next(iter(self._kept))
                written += await self._move(self._aside, turn_id)
                await self._drop(self._aside, turn_id)
            if written:
                log.info("turns_written", count=written)

    async def _move(self, aside: Database, turn_id: str) -> bool:
        """False: it cannot be written, and is lost."""
        try:
            async with aside.session() as session:
                turn = await session.get_one(Turn, turn_id)
                rows: list[Base] = [turn]
                for table in (TurnQuestion, AnswerVersion, TurnMessage):
                    rows += await session.scalars(select(table).where(table.turn_id == turn_id))
            async with self._database.session.begin() as session:
                await lock_turns(session, Turn.turn_id == turn_id)
                ids = [row.message_id for row in rows if isinstance(row, TurnQuestion)]
                taken = select(TurnQuestion.turn_id).where(
                    TurnQuestion.message_id.in_(ids), TurnQuestion.turn_id != turn_id
                )
                if await session.scalar(taken.limit(1)) is not None:
                    log.warning("turn_lost", turn=turn_id, why="another process answered the same question")
                    return False
                there = select(AnswerVersion.turn_id).where(AnswerVersion.turn_id == turn_id)
                if self._kept[turn_id] and await session.scalar(there.limit(1)) is None:
                    return False  # somebody was forgotten before the outage, and this with them
                await session.execute(delete(TurnMessage).where(TurnMessage.turn_id == turn_id))
                if not any(isinstance(row, AnswerVersion) for row in rows):
                    await session.execute(delete(AnswerVersion).where(AnswerVersion.turn_id == turn_id))
                for row in rows:
                    await session.merge(row)
                    await session.flush()
        except SQLAlchemyError:
            log.exception("turn_lost", turn=turn_id)
            return False
        return True


async def _whole(deed: Awaitable[T]) -> T:
    """It comes to its end, whoever is cancelled meanwhile: a statement that is broken off closes its connection, and with that one
    all that is in memory would be gone."""
    task = asyncio.ensure_future(deed)
    try:
        return await asyncio.shield(task)
    finally:
        if not task.done():
            await asyncio.wait({task})


async def _claimed(journal: TurnJournal, turn_id: str, claim: _Claim) -> bool:
    return await journal.claim(turn_id, **msgspec.structs.asdict(claim))


def _remember(known: dict[Any, Any], more: Mapping[Any, Any], most: int) -> None:
    known.update(more)
    while len(known) > most:
        del known[next(iter(known))]

"""Runs turns, one kind of task after the other, and knows which are running: the edge of a turn.

Whatever goes wrong in one is logged with the turn's id and told to the person, and ends here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from itertools import count

import msgspec
import structlog

from bot.delivery.answer import UNKNOWN
from bot.delivery.delivered import Lost
from bot.delivery.error_embeds import fault_embed, notice_embed
from bot.delivery.flusher import Flusher
from bot.delivery.footer import embed_alone
from bot.delivery.plan import Create, EmbedPlan
from bot.delivery.reconcile import Shown
from bot.localization import Words
from bot.preferences import DEFAULTS
from bot.store import AnswerPart, DatabaseUnavailable, StoredAnswer
from bot.turn import machine as m
from bot.turn.answering import AnswerRun, Beginning
from bot.turn.ending import Look, can_go_on, decoded, end_of, kept, noticed
from bot.turn.looks import look_after, look_of
from bot.turn.parts import TurnParts
from bot.turn.removal import remove_messages
from bot.turn.request import Channel, Task, TurnRequest
from bot.turn.waiting import WaitingNotices, settle
from bot.turn.work import Work

log = structlog.get_logger()


async def _nothing(_request: TurnRequest, _run: AnswerRun) -> None: ...


class TurnRunner:
    def __init__(
        self,
        parts: TurnParts,
        notices: WaitingNotices | None = None,
        afterwards: Callable[[TurnRequest, AnswerRun], Awaitable[None]] = _nothing,
    ) -> None:
        """`notices`: those of the questions that wait to be run. `afterwards`: what a first answer that is over gives rise to."""
        self._parts = parts
        self._afterwards = afterwards
        self._notices = notices or WaitingNotices(parts)
        self._works: dict[str, Work] = {}
        """By turn: at most one thing is done with it at a time."""
        self._refusing: m.Stop | None = None

    async def run(self, request: TurnRequest) -> None:
        """Do what is asked, unless it was done before. Never raises."""
        with structlog.contextvars.bound_contextvars(
            turn=request.turn_id, guild=request.guild_id, channel=request.channel_id
        ):
            work = self._works[request.turn_id] = Work(request)
            try:
                await self._do(work)
            except DatabaseUnavailable as error:
                log.warning("not_begun", task=request.task, why=str(error))
                await self._tell(request, notice_embed(self._words(request), "outage-not-done"))
            except Exception:
                log.exception("turn_broke", task=request.task)
                await self._tell(request, fault_embed(self._words(request), turn_id=request.turn_id))
            finally:
                self._notices.forget(request)
                self._parts.budgets.answered(request)
                await settle(request)
                del self._works[request.turn_id]
                work.ended.set()

    # ------------------------------------------------------------------------------------------ from outside a turn

    def refuse(self, stop: m.Stop) -> None:
        """From now on, questions whose turn comes are told this instead of being answered."""
        self._refusing = stop

    def stop_all(self, stop: m.Stop) -> None:
        for work in self._works.values():
            work.stop(stop)

    def stop(self, turn_id: str, *, by: str) -> bool:
        """`by`: a display name. False where no such turn writes."""
        if (work := self._writing(turn_id)) is not None:
            work.stop(msgspec.structs.replace(m.STOPPED, by=by))
        return work is not None

    def discard(self, turn_id: str) -> bool:
        """Stop it and leave nothing in the channel. False where no such turn writes."""
        if (work := self._writing(turn_id)) is not None:
            work.discard()
        return work is not None

    def writes(self, turn_id: str) -> bool:
        """Whether its answer is being written (Work.writes)."""
        return self._writing(turn_id) is not None

    def _writing(self, turn_id: str) -> Work | None:
        work = self._works.get(turn_id)
        return work if work is not None and work.writes else None

    def works_on(self, turn_id: str) -> bool:
        """Whether anything is done with it now: its answer written, brought to its end, or an old version shown."""
        return turn_id in self._works

    async def idle(self, turn_id: str) -> None:
        """Returns when that is over."""
        if (work := self._works.get(turn_id)) is not None:
            await work.ended.wait()

    async def idle_with(self, message_id: int) -> None:
        """Returns when nothing is done any more with a question of which this message is a part."""
        for work in tuple(self._works.values()):
            if work.is_about(message_id):
                await work.ended.wait()

    def running_in(self, channel_id: int) -> Sequence[tuple[str, int]]:
        """(turn id, id of who asked) of the answers that are being written there."""
        works = [work for work in self._works.values() if work.writes]
        return [(w.request.turn_id, w.request.asker_id) for w in works if w.request.channel_id == channel_id]

    def answering_in(self, channel_id: int) -> Work | None:
        """The question that is being answered there for the first time, from the moment at which its turn came. None when questions
        are answered no more: the last answer makes room for no other."""
        if self._refusing is not None:
            return None
        for work in self._works.values():
            if work.request.channel_id == channel_id and work.request.task is Task.ANSWER and not work.is_over:
                return work
        return None

    def question_edited(self, message_id: int, channel_at: Callable[[int], Channel]) -> bool:
        """False where it is part of no question that is being answered. `channel_at` gives the channel of this id, with the message as
        it is now."""
        for work in self._works.values():
            if work.is_about(message_id) and work.writes:
                work.question_edited(message_id, channel_at)
                return True
        return False

    def message_deleted(self, message_id: int) -> None:
        self._notices.message_deleted(message_id)
        for work in self._works.values():
            work.message_deleted(message_id)

    # ---------------------------------------------------------------------------------------------------- the tasks

    async def _do(self, work: Work) -> None:
        if self._refusing is not None and work.request.task is not Task.ANSWER:
            log.info("not_begun", task=work.request.task, why="stopping")
            return  # what stands, stands; the button is there after the restart
        try:
            match work.request.task:
                case Task.ANSWER:
                    await self._answer(work)
                case Task.AGAIN:
                    await self._again(work)
                case Task.GO_ON:
                    await self._go_on(work)
                case Task.SHOW:
                    await self._show(work.request)
        finally:
            work.is_done = True

    # What may fail comes before the claim, which only a run's end gives back: so nothing stays locked.

    async def _answer(self, work: Work) -> None:
        request = work.request
        look = await look_of(self._parts, request)
        claimed = await self._parts.journal.claim(
            request.turn_id,
            request.question_id,
            request.channel_id,
            request.guild_id,
            request.asker_id,
            request.further_ids,
            request.asked,
        )
        if not claimed:
            log.info("answered_before", question=request.question_id)
            return
        notice_id = await self._notices.take(request, look)
        begin = Beginning(standing=((notice_id, 0),) if notice_id is not None else ())
        is_away = not request.passive and self._parts.journal.outage.is_news(request.channel_id)
        for attempt in count(1):
            run = await self._write(work, look, begin, ["notice-outage"] if is_away else [])
            if not run.begins_anew:
                await self._follow(work.request, run)
                return
            # Discord still knows the nonces of messages that were deleted since.
            begin = Beginning(seed=f"{request.seed}.{attempt}")

    async def _again(self, work: Work) -> None:
        turn_id = work.request.turn_id
        answer = await self._parts.journal.answer(turn_id)
        look = await look_after(self._parts, work.request, answer.shown if answer else None)
        version_nr = await self._parts.journal.begin_version(turn_id)
        if answer is None or version_nr is None:
            log.info("not_repeated", why="it is being written, or gone")
            return
        standing = [part.message_id for part in await self._standing(work.request, answer, look)]
        begin = Beginning(standing=[(first, 0) for first in standing[:1]], surplus=standing[1:])
        await self._write(work, _at(look, version_nr, version_nr), begin)

    async def _go_on(self, work: Work) -> None:
        turn_id = work.request.turn_id
        answer = await self._parts.journal.answer(turn_id)
        look = await look_after(self._parts, work.request, answer.shown if answer else None)
        if answer is not None and not can_go_on(answer.shown):
            log.info("not_continued", why="it is whole")  # a press that came late: it went on meanwhile
            return
        version = await self._parts.journal.resume(turn_id)
        if answer is None or version is None:
            log.info("not_continued", why="it is being written, or gone")
            return
        look = _at(look, version.version_nr, answer.version_count)
        thinking_seconds = decoded(version.facts).thinking_seconds
        standing = [(it.message_id, it.text_length) for it in await self._standing(work.request, answer, look)]
        begin = Beginning(version.text, version.thoughts, thinking_seconds, standing)
        await self._write(work, look, begin)

    async def _standing(self, request: TurnRequest, answer: StoredAnswer, look: Look) -> Sequence[AnswerPart]:
        """What is written over. Messages under another name go, as Discord changes no message's author. The turn is claimed by
        now, so what ends this gives it back."""
        shown, spoken_as = answer.shown, decoded(answer.shown.facts).spoken_as
        if spoken_as == look.spoken_as:
            return answer.parts
        try:
            await remove_messages(self._parts, request.channel, answer, look.words)
        except BaseException:
            parts = [(part.message_id, part.text_length) for part in answer.parts]
            await self._parts.journal.finish(request.turn_id, shown.version_nr, end_of(shown, spoken_as), parts)
            raise
        return ()

    async def _write(self, work: Work, look: Look, begin: Beginning, notes: Sequence[str] = ()) -> AnswerRun:
        run = AnswerRun(self._parts, work.request, look, begin)
        for key in notes:
            run.note(key)
        work.begin(run, self._refusing)
        await run.run()
        return run

    async def _show(self, request: TurnRequest) -> None:
        """A version that is kept, in the place of the one that stands."""
        journal = self._parts.journal
        answer = await journal.answer(request.turn_id)
        version = await journal.version(request.turn_id, request.version_nr)
        look = await look_after(self._parts, request, version)
        if answer is None or version is None or await journal.resume(request.turn_id) is None:
            log.info("not_shown", why="it is being written, or gone")
            return
        look = _at(look, version.version_nr, answer.version_count)
        view = kept(noticed(version, request.notice) if request.notice else version, look)
        lane = self._parts.pacing.lane(request.channel.pacing_place(look.voice))
        sender = request.channel.sender(look.preferences, look.words, look.voice)
        standing = [Shown(part.message_id, UNKNOWN) for part in await self._standing(request, answer, look)]
        flusher, stands = Flusher(sender, lane, view, request.seed, _log_loss, standing=standing), answer.shown
        try:
            async with flusher:
                if (await flusher.finish()).lost is None:
                    stands = version
        finally:
            lane.close()
            await journal.finish(
                request.turn_id, stands.version_nr, end_of(stands, look.spoken_as), flusher.delivery.shown
            )

    async def _follow(self, request: TurnRequest, run: AnswerRun) -> None:
        try:
            await self._afterwards(request, run)
        except Exception:
            log.exception("afterwards_broke")  # the answer stands, and is no fault

    def _words(self, request: TurnRequest) -> Words:
        return self._parts.translator.say(request.locale)

    async def _tell(self, request: TurnRequest, embed: EmbedPlan) -> None:
        """In a message of its own (another generation), whatever stands of the answer."""
        if request.passive:
            return
        try:
            plan = embed_alone(embed, may_embed=request.channel.may_embed)
            sender = request.channel.sender(DEFAULTS, self._words(request))
            await sender.send(Create(0, plan, generation=-1), request.seed)
        except Exception:
            log.exception("fault_not_told")


def _at(look: Look, version_nr: int, version_count: int) -> Look:
    return msgspec.structs.replace(look, version_nr=version_nr, version_count=version_count)


def _log_loss(lost: Lost) -> None:
    log.warning("version_lost", why=lost)

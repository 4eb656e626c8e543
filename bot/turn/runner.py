"""Runs turns, one kind of task after the other, and knows which are running: the edge of a turn.

Whatever goes wrong in one is logged with the turn's id and told to the person, and ends here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
import structlog

from bot.delivery.answer import UNKNOWN
from bot.delivery.error_embeds import fault_embed
from bot.delivery.flusher import Flusher, Lost
from bot.delivery.footer import embed_alone
from bot.delivery.plan import Create
from bot.delivery.reconcile import Shown
from bot.preferences import DEFAULTS, DeliveryPreferences, Style
from bot.turn import machine as m
from bot.turn.answering import AnswerRun, Beginning
from bot.turn.ending import Look, can_go_on, decoded, end_of, kept
from bot.turn.parts import TurnParts
from bot.turn.request import Task, TurnRequest

log = structlog.get_logger()


class TurnRunner:
    def __init__(self, parts: TurnParts) -> None:
        self._parts = parts
        self._running: dict[str, AnswerRun] = {}
        self._begun: dict[str, asyncio.Event] = {}
        """By turn: whatever is done with it now, and an event for when that has ended."""
        self._refusing: m.Stop | None = None

    async def run(self, request: TurnRequest) -> None:
        """Do what is asked, unless it was done before. Never raises."""
        with structlog.contextvars.bound_contextvars(
            turn=request.turn_id, guild=request.guild_id, channel=request.channel_id
        ):
            ended = self._begun[request.turn_id] = asyncio.Event()
            try:
                await self._do(request)
            except Exception:
                log.exception("turn_broke", task=request.task)
                await self._tell_of_fault(request)
            finally:
                del self._begun[request.turn_id]
                ended.set()

    # ------------------------------------------------------------------------------------------ from outside a turn

    def refuse(self, stop: m.Stop) -> None:
        """From now on, questions whose turn comes are told this instead of being answered."""
        self._refusing = stop

    def stop_all(self, stop: m.Stop) -> None:
        for run in tuple(self._running.values()):
            run.stop(stop)

    def stop(self, turn_id: str, *, by: str) -> bool:
        """`by`: a display name. False where no such turn writes."""
        run = self._running.get(turn_id)
        if run is None or run.is_over:
            return False
        run.stop(msgspec.structs.replace(m.STOPPED, by=by))
        return True

    def discard(self, turn_id: str) -> bool:
        """Stop it and leave nothing in the channel. False where no such turn writes."""
        run = self._running.get(turn_id)
        if run is None or run.is_over:
            return False
        run.discard()
        return True

    def writes(self, turn_id: str) -> bool:
        """Whether its answer is being written. One whose final state is on its way to the channel is over in this sense: it has
        the buttons of one that is over."""
        run = self._running.get(turn_id)
        return run is not None and not run.is_over

    def works_on(self, turn_id: str) -> bool:
        """Whether anything is done with it now: its answer written, brought to its end, or an old version shown."""
        return turn_id in self._begun

    async def idle(self, turn_id: str) -> None:
        """Returns when that is over."""
        if (ended := self._begun.get(turn_id)) is not None:
            await ended.wait()

    def running_in(self, channel_id: int) -> Sequence[tuple[str, int]]:
        """(turn id, id of who asked) of the answers that are being written there."""
        requests = (run.request for run in self._running.values() if not run.is_over)
        return [(request.turn_id, request.asker_id) for request in requests if request.channel_id == channel_id]

    def message_deleted(self, message_id: int) -> None:
        for run in tuple(self._running.values()):
            run.message_deleted(message_id)

    # ---------------------------------------------------------------------------------------------------- the tasks

    async def _do(self, request: TurnRequest) -> None:
        if self._refusing is not None and request.task is not Task.ANSWER:
            log.info("not_begun", task=request.task, why="stopping")
            return  # what stands, stands; the button is there after the restart
        match request.task:
            case Task.ANSWER:
                await self._answer(request)
            case Task.AGAIN:
                await self._again(request)
            case Task.GO_ON:
                await self._go_on(request)
            case Task.SHOW:
                await self._show(request)

    # What may fail comes before the claim, which only a run's end gives back: so nothing stays locked.

    async def _answer(self, request: TurnRequest) -> None:
        look = await self._look(request)
        claimed = await self._parts.journal.claim(
            request.turn_id,
            request.question_id,
            request.channel_id,
            request.guild_id,
            request.asker_id,
            request.further_ids,
        )
        if not claimed:
            log.info("answered_before", question=request.question_id)
            return
        await self._write(request, look, Beginning())

    async def _again(self, request: TurnRequest) -> None:
        look = await self._look(request)
        answer = await self._parts.journal.answer(request.turn_id)
        version_nr = await self._parts.journal.begin_version(request.turn_id)
        if answer is None or version_nr is None:
            log.info("not_repeated", why="it is being written, or gone")
            return
        first, *surplus = answer.message_ids or (None,)
        begin = Beginning(standing=((first, 0),) if first is not None else (), surplus=surplus)
        await self._write(request, _at(look, version_nr, version_nr), begin)

    async def _go_on(self, request: TurnRequest) -> None:
        look = await self._look(request)
        answer = await self._parts.journal.answer(request.turn_id)
        if answer is not None and not can_go_on(answer.shown):
            log.info("not_continued", why="it is whole")  # a press that came late: it went on meanwhile
            return
        version = await self._parts.journal.resume(request.turn_id)
        if answer is None or version is None:
            log.info("not_continued", why="it is being written, or gone")
            return
        look = _at(look, version.version_nr, answer.version_count)
        thinking_seconds = decoded(version.facts).thinking_seconds
        standing = [(part.message_id, part.text_length) for part in answer.parts]
        begin = Beginning(version.text, version.thoughts, thinking_seconds, standing)
        await self._write(request, look, begin)

    async def _write(self, request: TurnRequest, look: Look, begin: Beginning) -> None:
        run = self._running[request.turn_id] = AnswerRun(self._parts, request, look, begin)
        try:
            if self._refusing is not None:
                run.stop(self._refusing)
            await run.run()
        finally:
            del self._running[request.turn_id]

    async def _show(self, request: TurnRequest) -> None:
        """A version that is kept, in the place of the one that stands."""
        journal = self._parts.journal
        look = await self._look(request)
        answer = await journal.answer(request.turn_id)
        version = await journal.version(request.turn_id, request.version_nr)
        if answer is None or version is None or await journal.resume(request.turn_id) is None:
            log.info("not_shown", why="it is being written, or gone")
            return
        look = _at(look, version.version_nr, answer.version_count)
        view = kept(version, look)
        lane = self._parts.pacing.lane(request.channel_id)
        sender = request.channel.sender(look.preferences, look.words)
        standing = [Shown(message_id, UNKNOWN) for message_id in answer.message_ids]
        flusher, stands = Flusher(sender, lane, view, request.seed, _log_loss, standing=standing), answer.shown
        try:
            async with flusher:
                if (await flusher.finish()).lost is None:
                    stands = version
        finally:
            lane.close()
            await journal.finish(request.turn_id, stands.version_nr, end_of(stands), flusher.delivery.shown)

    async def _look(self, request: TurnRequest) -> Look:
        preferences = await self._parts.preferences.delivery(request.location)
        may_embed = request.channel.may_embed
        words = self._parts.translator.say(request.locale)
        return Look(request.turn_id, words, _possible(preferences, may_embed), may_embed)

    async def _tell_of_fault(self, request: TurnRequest) -> None:
        """In a message of its own (another generation), whatever stands of the answer."""
        if request.passive:
            return
        words = self._parts.translator.say(request.locale)
        embed = fault_embed(words, turn_id=request.turn_id)
        try:
            plan = embed_alone(embed, may_embed=request.channel.may_embed)
            sender = request.channel.sender(DEFAULTS, words)
            await sender.send(Create(0, plan, generation=-1), request.seed)
        except Exception:
            log.exception("fault_not_told")


def _at(look: Look, version_nr: int, version_count: int) -> Look:
    return msgspec.structs.replace(look, version_nr=version_nr, version_count=version_count)


def _possible(preferences: DeliveryPreferences, may_embed: bool) -> DeliveryPreferences:
    """Discord drops embeds of who may not embed without a word."""
    if preferences.style is Style.EMBED and not may_embed:
        return msgspec.structs.replace(preferences, style=Style.PLAIN)
    return preferences


def _log_loss(lost: Lost) -> None:
    log.warning("version_lost", why=lost)

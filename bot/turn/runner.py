"""Drives one turn: feeds the machine what happens, and does what it says.

A turn's work (reading history, reading the model) is one task that a stop cancels; leaving the stream closes the
connection. Delivery runs beside it and outlives it until the channel shows the final state. This is the edge of a turn:
whatever goes wrong in it is logged with the turn's id and told to the person, and ends here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import msgspec
import structlog

from adapters.contract import GenerationRequest, MalformedCall
from adapters.deadlines import DEFAULT_DEADLINES, Deadlines
from adapters.transport import Transport
from bot.conversation.build import ContextLimits, build_request
from bot.conversation.prompt import SYSTEM_PROMPT
from bot.delivery.error_embeds import error_embed, fault_embed, notice_embed
from bot.delivery.flusher import Delivery, Flusher, Lost
from bot.delivery.footer import Footer, embed_alone, footer_lines, with_ending
from bot.delivery.pacing import PacingBook
from bot.delivery.plan import Create, EmbedPlan, MessagePlan
from bot.localization import Translator, Words
from bot.store import TurnJournal
from bot.turn import machine as m
from bot.turn.attempts import ModelChoice
from bot.turn.request import TurnRequest

log = structlog.get_logger()

TURN_DEADLINE = 900.0
"""Seconds for everything: history, model, tools. The transport's own deadlines are shorter and say more."""


class TurnParts(msgspec.Struct, frozen=True):
    """What all turns share."""

    transport: Transport
    journal: TurnJournal
    translator: Translator
    pacing: PacingBook
    model: ModelChoice | None
    limits: ContextLimits
    deadlines: Deadlines = DEFAULT_DEADLINES


class TurnRunner:
    def __init__(self, parts: TurnParts) -> None:
        self._parts = parts
        self._running: dict[str, _Turn] = {}
        self._refusing: m.Stop | None = None

    async def run(self, request: TurnRequest) -> None:
        """Answer this question, unless it was answered before. Never raises."""
        with structlog.contextvars.bound_contextvars(
            turn=request.turn_id, guild=request.guild_id, channel=request.channel_id
        ):
            try:
                await self._claim_and_run(request)
            except Exception:
                log.exception("turn_broke")
                await self._tell_of_fault(request)

    def refuse(self, stop: m.Stop) -> None:
        """From now on, questions whose turn comes are told this instead of being answered."""
        self._refusing = stop

    def stop_all(self, stop: m.Stop) -> None:
        for turn in tuple(self._running.values()):
            turn.stop(stop)

    def message_deleted(self, message_id: int) -> None:
        for turn in tuple(self._running.values()):
            turn.message_deleted(message_id)

    async def _claim_and_run(self, request: TurnRequest) -> None:
        turn = self._running[request.turn_id] = _Turn(self._parts, request)
        try:
            if not await self._parts.journal.claim(
                request.turn_id, request.question_id, request.channel_id, request.guild_id
            ):
                log.info("answered_before", question=request.question_id)
                return
            if self._refusing is not None:
                turn.stop(self._refusing)
            await turn.run()
        finally:
            del self._running[request.turn_id]

    async def _tell_of_fault(self, request: TurnRequest) -> None:
        """In a message of its own (another generation), whatever stands of the answer."""
        embed = fault_embed(self._parts.translator.say(request.locale), turn_id=request.turn_id)
        try:
            plan = embed_alone(embed, may_embed=request.channel.may_embed)
            await request.channel.sender().send(Create(0, plan, generation=-1), request.turn_id)
        except Exception:
            log.exception("fault_not_told")


class _Turn:
    def __init__(self, parts: TurnParts, request: TurnRequest) -> None:
        self._parts = parts
        self._request = request
        self._words: Words = parts.translator.say(request.locale)
        self._machine = m.TurnMachine()
        self._work: asyncio.Task[None] | None = None
        self._fault: BaseException | None = None
        self._flusher = Flusher(
            request.channel.sender(), parts.pacing.of(request.channel_id), request.turn_id, self._on_lost
        )

    async def run(self) -> None:
        async with self._flusher:
            typing = asyncio.create_task(self._type())
            try:
                if self._parts.model is not None and self._machine.state is m.State.PREPARING:
                    await self._do_work(self._parts.model)
                delivered = await self._flusher.finish(self._ending)
            except Exception:
                await self._record(self._flusher.delivery)
                raise
            finally:
                typing.cancel()
                await asyncio.wait({typing})
                if not typing.cancelled() and (fault := typing.exception()) is not None:
                    log.warning("typing_failed", error=repr(fault))
        self._machine.handle(m.Delivered())
        await self._record(delivered)

    def stop(self, stop: m.Stop) -> None:
        self._apply(self._machine.handle(stop))

    def message_deleted(self, message_id: int) -> None:
        if message_id == self._request.question_id:
            self.stop(m.WITHDRAWN)
        self._flusher.message_deleted(message_id)

    def _on_lost(self, lost: Lost) -> None:
        log.warning("answer_lost", why=lost)
        self.stop(m.WITHDRAWN)

    async def _type(self) -> None:
        async with self._request.channel.typing():
            await self._flusher.first_shown.wait()

    async def _do_work(self, model: ModelChoice) -> None:
        self._work = asyncio.create_task(self._answer(model))
        try:
            _, late = await asyncio.wait({self._work}, timeout=TURN_DEADLINE)
            if late:
                self.stop(m.DEADLINE)
        finally:
            self._work.cancel()
            await asyncio.wait({self._work})
        if not self._work.cancelled() and (fault := self._work.exception()) is not None:
            log.error("turn_failed", exc_info=fault)
            self._fault = fault

    async def _answer(self, model: ModelChoice) -> None:
        history = self._request.channel.history()
        request = await build_request(history, model.model, SYSTEM_PROMPT, self._parts.limits)
        if m.StartAttempt() in self._machine.handle(m.Prepared()):
            await self._read(model, request)

    async def _read(self, model: ModelChoice, request: GenerationRequest) -> None:
        transport, endpoint = self._parts.transport, model.next_endpoint()
        async with transport.open(model.adapter, request, endpoint, self._parts.deadlines) as stream:
            async for batch in stream.batches():
                for chunk in batch:
                    self._apply(self._machine.handle(chunk))

    def _apply(self, effects: Iterable[m.Effect]) -> None:
        for effect in effects:
            match effect:
                case m.ShowText(text):
                    self._flusher.show(text)
                case m.TakeBack():
                    self._flusher.take_back()
                case m.RunCall(call):
                    # No tools are offered yet, so a model that calls one made it up.
                    problem = call.problem if isinstance(call, MalformedCall) else None
                    log.info("call_not_run", tool=call.name, problem=problem)
                    self.stop(m.NO_TOOLS)
                case m.Finish():
                    self._end_work()

    def _end_work(self) -> None:
        if self._work is not None and self._work is not asyncio.current_task():
            self._work.cancel()

    def _ending(self, plans: Sequence[MessagePlan], blocked: bool) -> Sequence[MessagePlan]:
        machine, embed = self._machine, self._embed(partial=bool(plans))
        notices = [machine.notice] if machine.notice else []
        if blocked:
            notices.append("notice-blocked")
        elif not plans and machine.status is m.Status.COMPLETED:
            notices.append("notice-empty")  # characters came, but none that can be seen
        may_embed = self._request.channel.may_embed
        if not plans and not notices:
            return [embed_alone(embed, may_embed=may_embed)] if embed else []
        seconds = asyncio.get_running_loop().time() - self._request.arrived
        model = self._parts.model.model if self._parts.model else ""
        lines = footer_lines(Footer(model, seconds, tuple(notices)), self._words)
        return with_ending(plans, lines, embed, may_embed=may_embed)

    def _embed(self, *, partial: bool) -> EmbedPlan | None:
        if self._parts.model is None:
            return notice_embed(self._words, "notice-no-model")
        if self._fault is not None:
            return fault_embed(self._words, turn_id=self._request.turn_id)
        if self._machine.error is not None and self._machine.status is not m.Status.EMPTY:
            return error_embed(self._machine.error, self._words, turn_id=self._request.turn_id, partial=partial)
        return None

    async def _record(self, delivered: Delivery) -> None:
        machine = self._machine
        status = m.Status.ERROR if self._fault or self._parts.model is None else machine.status
        try:
            await self._parts.journal.finish(self._request.turn_id, status or m.Status.ERROR, delivered.shown)
        except Exception:
            # The channel is as it should be; what is lost is that later turns find all parts of this answer.
            log.exception("turn_not_recorded")
        error = machine.error
        log.info(
            "turn_ended",
            status=status,
            seconds=round(asyncio.get_running_loop().time() - self._request.arrived, 3),
            messages=len(delivered.shown),
            lost=delivered.lost,
            reason=error.reason if error else None,
            code=error.code if error else None,
            provider_message=error.message if error else None,
            usage=msgspec.structs.asdict(machine.usage) if machine.usage else None,
        )

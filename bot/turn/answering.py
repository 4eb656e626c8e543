"""One run of a turn: the model is asked, and its answer written into the channel.

A turn's work (reading history, reading the model) is one task that a stop cancels; leaving the stream closes the
connection. Delivery runs beside it and outlives it until the channel shows the final state. A run may be the first for its
question, another version of its answer, or the rest of one that broke off: they differ in what stands when they begin.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence

import msgspec
import structlog

from adapters.contract import GenerationRequest, MalformedCall
from bot.conversation.build import build_request
from bot.conversation.prompt import SYSTEM_PROMPT
from bot.delivery.answer import Answer
from bot.delivery.controls import live_buttons
from bot.delivery.error_embeds import (
    again_line,
    error_embed,
    fault_again_line,
    fault_embed,
    notice_embed,
    undelivered,
)
from bot.delivery.flusher import Delivery, Flusher, Lost
from bot.delivery.footer import Footer
from bot.delivery.plan import EmbedPlan, MessagePlan
from bot.store import VersionEnd
from bot.turn import machine as m
from bot.turn.attempts import ModelChoice
from bot.turn.ending import Facts, Look, ended
from bot.turn.parts import TurnParts
from bot.turn.request import Task, TurnRequest
from bot.turn.thought_places import put_thoughts

log = structlog.get_logger()

TURN_DEADLINE = 900.0
"""Seconds for everything: history, model, tools. The transport's own deadlines are shorter and say more."""

_NOBODY_CAN_READ = (Lost.CHANNEL_GONE, Lost.FORBIDDEN, Lost.LOCKED, Lost.UNDELIVERED)
"""Losses that the channel cannot tell of."""


class Beginning(msgspec.Struct, frozen=True):
    """What there is of the answer when a run begins."""

    text: str = ""
    thoughts: str = ""
    thinking_seconds: float = 0.0
    standing: Sequence[tuple[int, int]] = ()
    """Messages that the run goes on with or writes over: ids, and how many code points of each are the model's."""
    surplus: Sequence[int] = ()
    """Message ids of what must go."""

    @property
    def goes_on(self) -> bool:
        return bool(self.text)


class AnswerRun:
    def __init__(self, parts: TurnParts, request: TurnRequest, look: Look, begin: Beginning) -> None:
        self._parts = parts
        self._request = request
        self._look = look
        self._begin = begin
        self._machine = m.TurnMachine()
        self._work: asyncio.Task[None] | None = None
        self._fault: BaseException | None = None
        self._facts: Facts | None = None
        self._discarded = False
        self._ends = False
        self._thinking_since: float | None = None
        buttons = live_buttons(request.turn_id, look.words) if look.preferences.buttons else ()
        self._answer = Answer(look.preferences, look.words, self._ending, buttons)
        self._answer.resume(begin.text, begin.thoughts, begin.thinking_seconds)
        self._typing = request.channel.typing()
        self._lane = parts.pacing.lane(request.channel_id)
        self._flusher = Flusher(
            request.channel.sender(look.preferences, look.words),
            self._lane,
            self._answer,
            request.seed,
            self._on_lost,
            standing=self._answer.standing(begin.standing),
            surplus=begin.surplus,
            before_first=self._typing.end,
        )

    @property
    def request(self) -> TurnRequest:
        return self._request

    @property
    def is_over(self) -> bool:
        """The final state is decided, and stands or is on its way."""
        return self._ends or self._machine.state in (m.State.FINISHING, m.State.ENDED)

    async def run(self) -> None:
        async with self._flusher:
            typing = asyncio.create_task(self._type())
            try:
                if self._parts.model is not None and self._machine.state is m.State.PREPARING:
                    await self._do_work(self._parts.model)
                self._thinking_ends()
                self._ends = True
                delivered = await self._flusher.finish()
            except BaseException:  # also at the end of the bot's grace: a run that is not recorded as ended is a lock
                await self._record(self._flusher.delivery)
                raise
            finally:
                typing.cancel()
                await asyncio.wait({typing})
                await self._typing.end()
                self._lane.close()
        self._machine.handle(m.Delivered())
        await self._record(delivered)
        await self._tell_of_loss(delivered)
        if delivered.lost is None and not self._discarded:
            thoughts = self._answer.thoughts[len(self._begin.thoughts) :]  # an earlier run put its own there
            await put_thoughts(thoughts, delivered, self._request, self._look, self._parts.pacing)

    def stop(self, stop: m.Stop) -> None:
        self._apply(self._machine.handle(stop))

    def discard(self) -> None:
        """Stop, and leave nothing in the channel."""
        self._discarded = True
        self.stop(m.WITHDRAWN)

    def message_deleted(self, message_id: int) -> None:
        if message_id == self._request.question_id:
            self.stop(m.WITHDRAWN)
        self._flusher.message_deleted(message_id)

    def _on_lost(self, lost: Lost) -> None:
        log.warning("answer_lost", why=lost)
        self.stop(m.WITHDRAWN)

    async def _type(self) -> None:
        if self._begin.goes_on:
            return  # the mark stands at once, and only a new message would end the indicator
        self._typing.start()
        await self._flusher.first_shown.wait()
        await self._typing.end()

    # -------------------------------------------------------------------------------------------------- the model

    async def _do_work(self, model: ModelChoice) -> None:
        self._work = asyncio.create_task(self._ask(model))
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

    async def _ask(self, model: ModelChoice) -> None:
        history = self._request.channel.history()
        partial = self._begin.text if self._begin.goes_on else None
        request = await build_request(history, model.model, SYSTEM_PROMPT, self._parts.limits, partial)
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
                    self._thinking_ends()
                    self._answer.add_text(text)
                    self._flusher.wake()
                case m.ShowThoughts(text):
                    self._thinking_since = self._thinking_since or self._now()
                    self._answer.add_thoughts(text)
                    self._flusher.wake()
                case m.TakeBack():
                    self._answer.take_back()
                    self._flusher.begin_anew()
                case m.RunCall(call):
                    # No tools are offered yet, so a model that calls one made it up.
                    problem = call.problem if isinstance(call, MalformedCall) else None
                    log.info("call_not_run", tool=call.name, problem=problem)
                    self.stop(m.NO_TOOLS)
                case m.Finish():
                    self._end_work()

    def _thinking_ends(self) -> None:
        if self._thinking_since is not None:
            self._answer.thinking_seconds += self._now() - self._thinking_since
            self._thinking_since = None

    def _end_work(self) -> None:
        if self._work is not None and self._work is not asyncio.current_task():
            self._work.cancel()

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    # ------------------------------------------------------------------------------------------------- the ending

    def _ending(self, plans: Sequence[MessagePlan], *, has_text: bool, blocked: bool) -> Sequence[MessagePlan]:
        if self._discarded or (self._request.passive and not has_text):
            return []
        if self._facts is None:
            self._facts = self._gather_facts(has_text=has_text)
        facts = self._facts
        if blocked:
            footer = facts.footer
            facts = msgspec.structs.replace(
                facts, footer=msgspec.structs.replace(footer, notices=(*footer.notices, "notice-blocked"))
            )
        return ended(plans, facts, self._look, has_text=has_text, has_thoughts=bool(self._answer.thoughts.strip()))

    def _gather_facts(self, *, has_text: bool) -> Facts:
        machine, model = self._machine, self._parts.model
        notices = [machine.notice] if machine.notice else []
        if not has_text and machine.status is m.Status.COMPLETED:
            notices.append("notice-empty")  # characters came, but none that can be seen
        footer = Footer(
            model=model.model if model else "",
            seconds=self._now() - self._request.arrived,
            notices=tuple(notices),
            provider=model.adapter.name if model else "",
            serving_provider=machine.serving_provider,
            usage=machine.usage,
            stopped_by=machine.stopped_by,
        )
        embed, line = self._failure(partial=has_text)
        return Facts(footer, self._status, machine.finish, embed, line, self._answer.thinking_seconds)

    @property
    def _status(self) -> m.Status:
        failed = self._fault is not None or self._parts.model is None or self._machine.status is None
        return m.Status.ERROR if failed else self._machine.status or m.Status.ERROR

    def _failure(self, *, partial: bool) -> tuple[EmbedPlan | None, str]:
        """What went wrong, as an embed or, once more in a short while, as a line."""
        words, turn_id, error = self._look.words, self._request.turn_id, self._machine.error
        if self._request.passive:
            return None, ""
        if self._parts.model is None:
            return notice_embed(words, "notice-no-model"), ""
        if self._fault is not None:
            if self._is_again("internal"):
                return None, fault_again_line(words, turn_id=turn_id)
            return fault_embed(words, turn_id=turn_id), ""
        if error is None or self._machine.status is m.Status.EMPTY:
            return None, ""
        if self._is_again(error.reason, error.code):
            return None, again_line(error, words, turn_id=turn_id, partial=partial)
        return error_embed(error, words, turn_id=turn_id, partial=partial), ""

    def _is_again(self, reason: str, code: str | None = None) -> bool:
        """Whether the channel still shows the same error of a moment ago. Who asks for an answer once more sees it again: its
        embed is the one that gives way."""
        told = self._parts.errors.is_again(self._request.channel_id, reason, code, self._now())
        return told and self._request.task is Task.ANSWER

    async def _tell_of_loss(self, delivered: Delivery) -> None:
        if delivered.lost in _NOBODY_CAN_READ and not self._request.passive:
            channel = self._request.channel
            await channel.tell_asker(undelivered(delivered.lost, channel.name, self._look.words))

    async def _record(self, delivered: Delivery) -> None:
        machine, model = self._machine, self._parts.model
        end = VersionEnd(
            status=self._status,
            text=self._answer.text,
            thoughts=self._answer.thoughts,
            model=model.model if model else "",
            provider=model.adapter.name if model else "",
            facts=self._facts.encoded() if self._facts else "",
            undelivered=bool(delivered.missing) or delivered.lost is not None,
        )
        try:
            if self._discarded:
                await self._parts.journal.withdraw(self._request.turn_id)
            else:
                await self._parts.journal.finish(self._request.turn_id, self._look.version_nr, end, delivered.shown)
        except Exception:
            # The channel is as it should be; what is lost is that later turns find all parts of this answer.
            log.exception("turn_not_recorded")
        error = machine.error
        log.info(
            "turn_ended",
            status=self._status,
            task=self._request.task,
            version=self._look.version_nr,
            seconds=round(self._now() - self._request.arrived, 3),
            messages=len(delivered.shown),
            lost=delivered.lost,
            missing=len(delivered.missing),
            reason=error.reason if error else None,
            code=error.code if error else None,
            provider_message=error.message if error else None,
            usage=msgspec.structs.asdict(machine.usage) if machine.usage else None,
        )

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
from bot.conversation.build import Built, build_request
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
from bot.delivery.foreign_text import as_code
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
    seed: str = ""
    """What its messages' nonces are made from; empty: as the request says."""

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
        self._begins_anew = False
        self._posts = False
        """A message of it stands, or is on its way."""
        self._notes: list[str] = []
        self._ends = False
        self._thinking_since: float | None = None
        buttons = live_buttons(request.turn_id, look.words) if look.preferences.buttons else ()
        self._built: Built | None = None
        self._answer = Answer(look.preferences, look.words, self._ending, buttons, look.heading)
        self._answer.resume(begin.text, begin.thoughts, begin.thinking_seconds)
        self._typing = request.channel.typing()
        self._lane = parts.pacing.lane(request.channel.pacing_place(look.voice))
        self._flusher = Flusher(
            request.channel.sender(look.preferences, look.words, look.voice),
            self._lane,
            self._answer,
            begin.seed or request.seed,
            self._on_lost,
            standing=self._answer.standing(begin.standing),
            surplus=begin.surplus,
            before_first=self._first_post_comes,
        )

    @property
    def request(self) -> TurnRequest:
        return self._request

    @property
    def is_over(self) -> bool:
        """The final state is decided, and stands or is on its way."""
        return self._ends or self._machine.state in (m.State.FINISHING, m.State.ENDED)

    @property
    def text(self) -> str:
        """The model's Markdown as it wrote it."""
        return self._answer.text

    @property
    def built(self) -> Built | None:
        """What the model was asked; None where it did not come to that."""
        return self._built

    @property
    def has_words(self) -> bool:
        """Some of the model's text can be read in the channel, or is on its way there."""
        return bool(self._answer.text) and (self._posts or self._flusher.first_shown.is_set())

    @property
    def begins_anew(self) -> bool:
        """It ends without a trace, for another run of the same turn."""
        return self._begins_anew

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
                self._begins_anew = False
                await self._record(self._flusher.delivery)
                raise
            finally:
                typing.cancel()
                await asyncio.wait({typing})
                await self._typing.end()
                self._lane.close()
        self._machine.handle(m.Delivered())
        await self._record(delivered)
        self._learn(delivered)
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

    def supersede(self) -> None:
        """Stop for the next question of the same person. Where no word can be read yet, nothing is left in the channel."""
        self._discarded = self._discarded or not self.has_words
        self.stop(m.SUPERSEDED)

    def begin_anew(self) -> None:
        """Stop, leave nothing in the channel and record nothing: the turn goes on with another run."""
        self._discarded = self._begins_anew = True
        self.stop(m.WITHDRAWN)

    def note(self, key: str) -> None:
        """A notice (message key of locales/) for under the answer, once it is over."""
        if key not in self._notes:
            self._notes.append(key)

    def message_deleted(self, message_id: int) -> None:
        if message_id == self._request.question_id:
            self.stop(m.WITHDRAWN)
        self._flusher.message_deleted(message_id)

    async def _first_post_comes(self) -> None:
        self._posts = True
        await self._typing.end()

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
        parts, request = self._parts, self._request
        partial = self._begin.text if self._begin.goes_on else None
        self._scene = await parts.scenes.set(request, model, self._look.persona)
        self._built = built = await build_request(
            request.channel.history(), request.channel.files(), parts.reader, self._scene, parts.counter, partial
        )
        await parts.scenes.moved(request, built)
        if m.StartAttempt() in self._machine.handle(m.Prepared()):
            await self._read(model, built.request)

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
        notices = [machine.notice, *self._notes] if machine.notice else [*self._notes]
        if self._built is not None and self._built.cut:
            notices.append("notice-context-cut")
        if not has_text and machine.status is m.Status.COMPLETED:
            notices.append("notice-empty")  # characters came, but none that can be seen
        footer = Footer(
            model=self._model_name,
            seconds=self._now() - self._request.arrived,
            notices=tuple(notices),
            remarks=self._remarks(),
            provider=model.adapter.name if model else "",
            serving_provider=machine.serving_provider,
            usage=machine.usage,
            stopped_by=machine.stopped_by,
        )
        embed, line = self._failure(partial=has_text)
        heading = self._look.heading
        return Facts(footer, self._status, machine.finish, embed, line, self._answer.thinking_seconds, heading)

    def _remarks(self) -> tuple[str, ...]:
        """What was not read of the question's files."""
        problems = self._built.problems if self._built is not None else ()
        return tuple(
            self._look.words(problem.key, name=as_code(problem.name), **problem.details) for problem in problems
        )

    @property
    def _model_name(self) -> str:
        """The one that was asked."""
        if self._built is not None:
            return self._built.request.model
        return self._parts.model.model if self._parts.model else ""

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

    def _learn(self, delivered: Delivery) -> None:
        """What this run teaches for later ones: how the model counts tokens, and whether the channel takes messages."""
        usage, built, refused_sends = self._machine.usage, self._built, self._parts.refused_sends
        if built is not None and usage is not None and usage.input_tokens:
            self._parts.counter.learn(self._scene.origin, built.tokens_of_text, usage.input_tokens)
        if delivered.lost is Lost.FORBIDDEN:
            refused_sends.refused(self._request.channel_id, self._now())
        elif delivered.shown:
            refused_sends.sent(self._request.channel_id)

    async def _record(self, delivered: Delivery) -> None:
        if self._begins_anew:
            log.info("begins_anew")
            return
        machine, model = self._machine, self._parts.model
        end = VersionEnd(
            status=self._status,
            text=self._answer.text,
            thoughts=self._answer.thoughts,
            model=self._model_name,
            provider=model.adapter.name if model else "",
            facts=self._facts.encoded() if self._facts else "",
            undelivered=bool(delivered.missing) or delivered.lost is not None,
            persona=self._look.persona.name if self._look.persona else "",
        )
        try:
            if self._discarded and machine.status is not m.Status.SUPERSEDED:
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

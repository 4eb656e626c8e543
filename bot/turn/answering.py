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

from adapters.contract import ErrorChunk, ErrorReason, GenerationRequest, MalformedCall, ProcessedChunk
from bot.attachments.permitted import PermittedReader
from bot.conversation.build import Built, build_request
from bot.conversation.scene import Scene, with_sight
from bot.delivery.answer import Answer
from bot.delivery.controls import live_buttons
from bot.delivery.delivered import NOBODY_CAN_READ, Delivery, Lost
from bot.delivery.error_embeds import undelivered
from bot.delivery.flusher import Flusher
from bot.delivery.plan import MessagePlan
from bot.preferences import ServerCapabilities
from bot.store import DatabaseUnavailable
from bot.turn import machine as m
from bot.turn.ending import Look, ended
from bot.turn.models import ModelChoice, NoModel
from bot.turn.parts import Purpose, TurnParts
from bot.turn.report import Report
from bot.turn.request import TurnRequest
from bot.turn.thought_places import put_thoughts

log = structlog.get_logger()

TURN_DEADLINE = 900.0
"""Seconds for everything: history, model, tools. The transport's own deadlines are shorter and say more."""


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
        self._report = Report(parts, request, look, self._machine)
        self._scene: Scene
        """What the model is asked in; there when something was built."""
        self._asked: GenerationRequest | None = None
        """What the model was sent last."""
        self._work: asyncio.Task[None] | None = None
        self._discarded = False
        self._begins_anew = False
        self._posts = False
        """A message of it stands, or is on its way."""
        self._ends = False
        self._thinking_since: float | None = None
        buttons = live_buttons(request.turn_id, look.words) if look.preferences.buttons else ()
        self._answer = Answer(look.preferences, look.words, self._ending, buttons, look.above)
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
        return self._report.built

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
                if self._machine.state is m.State.PREPARING:
                    await self._do_work()
                self._thinking_ends()
                self._ends = True
                delivered = await self._flusher.finish()
                self._machine.handle(m.Delivered())
                await self._record(delivered)
            except BaseException:  # also at the end of the bot's grace: a run that is not recorded as ended is a lock
                self._begins_anew = False
                await self._record(self._flusher.delivery)
                raise
            finally:
                typing.cancel()
                await asyncio.wait({typing})
                await self._typing.end()
                self._lane.close()
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
        self._report.note(key)

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

    async def _do_work(self) -> None:
        self._work = asyncio.create_task(self._ask())
        try:
            _, late = await asyncio.wait({self._work}, timeout=TURN_DEADLINE)
            if late:
                self.stop(m.DEADLINE)
        finally:
            self._work.cancel()
            await asyncio.wait({self._work})
        if not self._work.cancelled() and (fault := self._work.exception()) is not None:
            if isinstance(fault, DatabaseUnavailable):
                log.warning("turn_failed", why=str(fault))
            else:
                log.error("turn_failed", exc_info=fault)
            self._report.fault = fault

    async def _ask(self) -> None:
        parts, request, persona = self._parts, self._request, self._look.persona
        partial = self._begin.text if self._begin.goes_on else None
        choice = self._report.choice = await parts.models.at(request.payer_location)
        if isinstance(choice, NoModel):
            log.info("no_model", reason=choice.reason)
            return
        choice = self._report.choice = choice.named((persona.model or "") if persona is not None else "")
        self._report.near = await parts.budgets.near(request.payer_location, choice.payer)
        self._scene = await parts.scenes.set(request, choice, persona)
        built = await self._build(partial)
        await parts.scenes.moved(request, built)
        if m.StartAttempt() not in self._machine.handle(m.Prepared()):
            return
        sees = await self._read(choice, built)
        if not sees:
            self._scene = with_sight(self._scene, sees=False)
            await self._read(choice, await self._build(partial))
        if built.has_pictures and self._machine.error is None:
            parts.scenes.learn_sight(self._scene.origin, sees)

    async def _build(self, partial: str | None) -> Built:
        parts, request = self._parts, self._request
        may = await parts.preferences.of(ServerCapabilities, request.location)
        reader = PermittedReader(parts.reader, files=may.files_enabled, sounds=may.transcription_enabled)
        self._report.built = built = await build_request(
            request.channel.history(), request.channel.files(), reader, self._scene, parts.counter, partial
        )
        return built

    async def _read(self, choice: ModelChoice, built: Built) -> bool:
        """False: the model was sent pictures, and said only that it does not take what it was sent."""
        parts, self._asked = self._parts, built.request
        async with parts.transport.open(choice.adapter, built.request, choice.endpoint, parts.deadlines) as stream:
            async for batch in stream.batches():
                for chunk in batch:
                    if built.has_pictures and self._machine.state is m.State.WAITING and _is_too_much(chunk):
                        return False
                    self._apply(self._machine.handle(chunk))
        return True

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
        facts = self._report.facts(has_text=has_text, thinking_seconds=self._answer.thinking_seconds)
        if blocked:
            footer = facts.footer
            facts = msgspec.structs.replace(
                facts, footer=msgspec.structs.replace(footer, notices=(*footer.notices, "notice-blocked"))
            )
        return ended(plans, facts, self._look, has_text=has_text, has_thoughts=bool(self._answer.thoughts.strip()))

    async def _tell_of_loss(self, delivered: Delivery) -> None:
        if delivered.lost in NOBODY_CAN_READ and not self._request.passive:
            channel = self._request.channel
            await channel.tell_asker(undelivered(delivered.lost, channel.name, self._look.words))

    def _learn(self, delivered: Delivery) -> None:
        """What this run teaches for later ones: how the model counts tokens, and whether the channel takes messages."""
        usage, built, refused_sends = self._machine.usage, self.built, self._parts.refused_sends
        if built is not None and usage is not None and usage.input_tokens:
            self._parts.counter.learn(self._scene.origin, built.plain_tokens, usage.input_tokens)
        if delivered.lost is Lost.FORBIDDEN and self._request.channel.may_write:
            # Where permissions say so, the gate sees it by itself, and sees when they change.
            refused_sends.refused(self._request.channel_id, self._now())
        elif delivered.shown:
            refused_sends.sent(self._request.channel_id)

    async def _spend(self) -> None:
        """The last call of the model is the one that had a price: only a refusal is followed by another."""
        choice, machine, begin = self._report.choice, self._machine, self._begin
        self._parts.budgets.answered(self._request)
        request, self._asked = self._asked, None  # once, though a run may be recorded twice
        if request is None or not isinstance(choice, ModelChoice):
            return
        text = self._answer.text[len(begin.text) :] + self._answer.thoughts[len(begin.thoughts) :]
        if machine.error is None or machine.usage is not None or text:
            await self._parts.spending.record(
                self._request.payer_location, choice, choice.endpoint, Purpose.ANSWER, machine.usage, request, text
            )

    async def _record(self, delivered: Delivery) -> None:
        await self._spend()
        if self._discarded or delivered.lost is not None or self._request.passive:
            self._parts.budgets.not_told(self._report.near, self._request.payer_location)
        if self._begins_anew:
            log.info("begins_anew")
            return
        text, thoughts = ("", "") if self._discarded else (self._answer.text, self._answer.thoughts)
        end = self._report.version_end(text, thoughts, delivered)
        try:
            if self._discarded and self._machine.status is not m.Status.SUPERSEDED:
                await self._parts.journal.withdraw(self._request.turn_id)
            else:
                await self._parts.journal.finish(self._request.turn_id, self._look.version_nr, end, delivered.shown)
        except Exception:
            # The channel is as it should be; what is lost is that later turns find all parts of this answer.
            log.exception("turn_not_recorded")
        self._report.log(delivered)


def _is_too_much(chunk: ProcessedChunk) -> bool:
    """The model does not take something of what it was sent."""
    return isinstance(chunk, ErrorChunk) and chunk.error.reason is ErrorReason.MODEL_UNSUPPORTED

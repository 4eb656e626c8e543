"""What a run has to say of itself: how it ended, what the footer tells, what went wrong.

The run puts in what it comes to know; its machine is looked at when the end has come.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
import structlog

from bot.conversation.build import Built
from bot.delivery.delivered import Delivery
from bot.delivery.error_embeds import again_line, error_embed, fault_again_line, fault_embed, notice_embed
from bot.delivery.footer import Footer
from bot.delivery.foreign_text import as_code
from bot.delivery.plan import EmbedPlan
from bot.localization import Words
from bot.store import DatabaseUnavailable, VersionEnd
from bot.turn import machine as m
from bot.turn.budgets import InForce
from bot.turn.ending import Facts, Look
from bot.turn.models import ModelChoice, NoModel
from bot.turn.parts import TurnParts
from bot.turn.request import Task, TurnRequest

log = structlog.get_logger()


class Report:
    def __init__(self, parts: TurnParts, request: TurnRequest, look: Look, machine: m.TurnMachine) -> None:
        self._parts = parts
        self._request = request
        self._look = look
        self._machine = machine
        self.choice: ModelChoice | NoModel | None = None
        """Who was to be asked; None where it did not come to that."""
        self.built: Built | None = None
        """What the model was asked."""
        self.near: Sequence[InForce] = ()
        """Limits that come near."""
        self.fault: BaseException | None = None
        """What broke, of ours."""
        self._notes: list[str] = []
        self._facts: Facts | None = None

    def note(self, key: str) -> None:
        """A notice (message key of locales/) besides what there is to tell anyway."""
        if key not in self._notes:
            self._notes.append(key)

    def facts(self, *, has_text: bool, thinking_seconds: float) -> Facts:
        """What the ending says. The first time that this is asked, the run is over: it says the same ever after."""
        if self._facts is None:
            embed, line = self._failure(partial=has_text)
            self._facts = Facts(
                self._footer(has_text=has_text),
                self._status,
                self._machine.finish,
                embed,
                line,
                thinking_seconds=thinking_seconds,
                heading=self._look.heading,
                spoken_as=self._look.spoken_as,
                reason=self._machine.error.reason if self._machine.error else None,
            )
        return self._facts

    def version_end(self, text: str, thoughts: str, delivered: Delivery) -> VersionEnd:
        """For the journal. `text`, `thoughts`: of the whole answer, as far as they are to be kept."""
        return VersionEnd(
            status=self._status,
            text=text,
            thoughts=thoughts,
            model=self._model_name,
            provider=self._provider,
            facts=self._facts.encoded() if self._facts else "",
            undelivered=bool(delivered.missing) or delivered.lost is not None,
            persona=self._look.persona.name if self._look.persona else "",
        )

    def log(self, delivered: Delivery) -> None:
        machine = self._machine
        error = machine.error
        log.info(
            "turn_ended",
            status=self._status,
            task=self._request.task,
            version=self._look.version_nr,
            seconds=round(_now() - self._request.arrived, 3),
            messages=len(delivered.shown),
            lost=delivered.lost,
            missing=len(delivered.missing),
            reason=error.reason if error else None,
            code=error.code if error else None,
            provider_message=error.message if error else None,
            usage=msgspec.structs.asdict(machine.usage) if machine.usage else None,
        )

    def _footer(self, *, has_text: bool) -> Footer:
        machine = self._machine
        notices = [machine.notice, *self._notes] if machine.notice else [*self._notes]
        if self.built is not None and self.built.cut:
            notices.append("notice-context-cut")
        if not has_text and machine.status is m.Status.COMPLETED:
            notices.append("notice-empty")  # characters came, but none that can be seen
        return Footer(
            model=self._model_name,
            seconds=_now() - self._request.arrived,
            notices=tuple(notices),
            remarks=self._remarks(),
            provider=self._provider,
            serving_provider=machine.serving_provider,
            usage=machine.usage,
            stopped_by=machine.stopped_by,
        )

    def _remarks(self) -> tuple[str, ...]:
        """What was not read of the question's files, and which limits come near."""
        words, problems = self._look.words, self.built.problems if self.built is not None else ()
        return (
            *(words(problem.key, name=as_code(problem.name), **problem.details) for problem in problems),
            *(_near(each, words) for each in self.near),
        )

    @property
    def _model_name(self) -> str:
        return self.choice.model if isinstance(self.choice, ModelChoice) else ""

    @property
    def _provider(self) -> str:
        return self.choice.adapter.name if isinstance(self.choice, ModelChoice) else ""

    @property
    def _status(self) -> m.Status:
        if self.fault is not None or isinstance(self.choice, NoModel):
            return m.Status.ERROR
        return self._machine.status or m.Status.ERROR

    def _failure(self, *, partial: bool) -> tuple[EmbedPlan | None, str]:
        """What went wrong, as an embed or, once more in a short while, as a line."""
        words, turn_id, error = self._look.words, self._request.turn_id, self._machine.error
        if self._request.passive:
            return None, ""
        if isinstance(self.choice, NoModel):
            model, provider = as_code(self.choice.model), self.choice.provider
            return notice_embed(words, self.choice.reason, model=model, provider=provider), ""
        if isinstance(self.fault, DatabaseUnavailable):
            return notice_embed(words, "outage-not-done"), ""
        if self.fault is not None:
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
        told = self._parts.errors.is_again(self._request.channel_id, reason, code, _now())
        return told and self._request.task is Task.ANSWER


def _near(limit: InForce, words: Words) -> str:
    percent = words.percent(min(limit.used / limit.most, 1))
    return words(f"notice-budget-{limit.limit.subject}", percent=percent, when=f"<t:{limit.ends.timestamp():.0f}:R>")


def _now() -> float:
    return asyncio.get_running_loop().time()

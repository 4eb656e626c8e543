"""What a person sees of a question that has to wait: a notice in the channel, "two before you", that keeps step with the line.

It is there after NOTICE_AFTER, so that short waits leave no trace, and its message becomes the answer's first one, or is deleted with
the question. Each notice has one task with at most one call in flight: when that may go out, it carries the newest number. Whatever
Discord does with it, the question waits as it did.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Self

import structlog

from bot.delivery.outcome import Fate, Outcome, Sender
from bot.delivery.pacing.buckets import Route
from bot.delivery.pacing.pacer import Lane
from bot.delivery.plan import Create, Delete, Edit, MessagePlan
from bot.localization import Words
from bot.turn.ending import Look
from bot.turn.looks import look_of
from bot.turn.parts import TurnParts
from bot.turn.request import Task, TurnRequest

log = structlog.get_logger()

NOTICE_AFTER = 1.0
"""Seconds that a question waits without a word."""
LAST_CALL = 5.0
"""Seconds for which an answer waits for a call of its notice that is in flight. Then it begins without, and the notice goes."""
PAUSE = 5.0
"""Seconds after a call that did not come through."""


def _plan(words: Words, ahead: int) -> MessagePlan:
    """Small text from beginning to end, so that no later question takes it for an answer (bot.gateway.reading.history)."""
    return MessagePlan(f"-# {words('waiting-ahead', count=ahead)}", text_length=0)


def _hand(look: Look) -> object:
    """Who writes, and in what: messages under another name, or of another style, cannot be written over. Settings may change
    meanwhile."""
    return look.spoken_as, look.preferences.style


async def settle(request: TurnRequest) -> None:
    """No more comes of it, and its channel takes away what promised so. What goes wrong there harms nothing else."""
    try:
        await request.channel.settle()
    except Exception:
        log.exception("not_settled")


class _Notice:
    """One question's."""

    def __init__(self, parts: TurnParts, request: TurnRequest, ahead: int) -> None:
        self._parts = parts
        self._request = request
        self._ahead = ahead
        self._news = asyncio.Event()
        self._message_id: int | None = None
        self._shown: MessagePlan | None = None
        self._undecided: MessagePlan | None = None
        """What a post that failed said: it may stand all the same, and repeated with the same nonce it must say the same."""
        self._calling = False
        self._over = False
        self._sender: Sender | None = None
        self._lane: Lane | None = None
        self._hand: object = None
        self.task = asyncio.create_task(self._run(), name=f"notice of {request.turn_id}")

    def moved(self, ahead: int) -> None:
        self._ahead = ahead
        self._news.set()

    def message_deleted(self, message_id: int) -> None:
        """It is not posted again."""
        if message_id == self._message_id:
            self._message_id = None
            self.task.cancel()

    async def end(self) -> int | None:
        """No more calls of it; the id of the message that stands, if one does. May be cancelled."""
        self._over = True
        if not self._calling:
            self.task.cancel()
        await asyncio.wait({self.task})
        return self._message_id

    def fits(self, look: Look) -> bool:
        """Whether an answer of this look can be written over it."""
        return self._hand == _hand(look)

    async def remove(self) -> None:
        """Nothing of it stays."""
        message_id = await self.end()
        if message_id is not None and self._sender is not None and self._lane is not None:
            await self._lane.clear(Route.DELETE, final=True)
            await self._call(self._sender, Delete(message_id))

    async def _run(self) -> None:
        await asyncio.sleep(NOTICE_AFTER)
        try:
            look = await look_of(self._parts, self._request)
            channel = self._request.channel
            self._hand = _hand(look)
            self._lane = self._parts.pacing.lane(channel.pacing_place(look.voice))
            self._sender = channel.sender(look.preferences, look.words, look.voice)
            await self._keep_step(self._sender, self._lane, look.words)
        except Exception:
            log.exception("notice_broke", turn=self._request.turn_id)

    async def _keep_step(self, sender: Sender, lane: Lane, words: Words) -> None:
        while not self._over:
            self._news.clear()
            if _plan(words, self._ahead) == self._shown:
                await self._news.wait()
                continue
            await lane.clear(Route.CREATE if self._message_id is None else Route.EDIT, final=False)
            plan = self._undecided or _plan(words, self._ahead)
            outcome = await self._call(sender, self._operation(plan))
            if not self._took(plan, outcome):
                return
            if outcome.fate is Fate.FAILED and not self._over:
                await asyncio.sleep(max(PAUSE, outcome.retry_after))

    def _operation(self, plan: MessagePlan) -> Create | Edit:
        return Create(0, plan) if self._message_id is None else Edit(0, self._message_id, plan)

    async def _call(self, sender: Sender, operation: Create | Edit | Delete) -> Outcome:
        self._calling = True
        try:
            # Not the seed of the answer: that one must never be given a message that says something else.
            return await sender.send(operation, f"{self._request.run_id}.waits")
        finally:
            self._calling = False

    def _took(self, plan: MessagePlan, outcome: Outcome) -> bool:
        """False where Discord takes no more of it: the question waits without a notice, or with the one that stands."""
        self._undecided = None
        if outcome.fate is Fate.DONE:
            self._message_id = outcome.message_id or self._message_id
            self._shown = plan
        elif outcome.fate is Fate.FAILED:
            self._undecided = plan if self._message_id is None else None
        else:
            log.info("notice_not_shown", fate=outcome.fate, detail=outcome.detail)
            self._message_id = None if outcome.fate is Fate.GONE else self._message_id
            return False
        return True


class WaitingNotices:
    """All notices; an Observer of the queue. Leaving it waits until those that go are gone, LAST_CALL at most."""

    def __init__(self, parts: TurnParts) -> None:
        self._parts = parts
        self._notices: dict[str, _Notice] = {}
        """By run, while its question waits."""
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        for notice in self._notices.values():
            notice.task.cancel()
        if tasks := set(self._tasks):
            await asyncio.wait(tasks, timeout=LAST_CALL)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    def moved(self, request: TurnRequest, ahead: int) -> None:
        if request.task is not Task.ANSWER or request.passive:
            return  # who pressed a button sees the answer that stands; who asked nothing is told nothing
        if (notice := self._notices.get(request.run_id)) is not None:
            notice.moved(ahead)
            return
        notice = self._notices[request.run_id] = _Notice(self._parts, request, ahead)
        self._own(notice.task)

    def withdrawn(self, request: TurnRequest) -> None:
        self._parts.budgets.answered(request)
        self._own(asyncio.create_task(self._settle(request), name="a question goes"))

    async def _settle(self, request: TurnRequest) -> None:
        if (notice := self._notices.pop(request.run_id, None)) is not None:
            await notice.remove()
        await settle(request)

    def forget(self, request: TurnRequest) -> None:
        """Its turn came and gave no answer: nor is a notice left."""
        if (notice := self._notices.pop(request.run_id, None)) is not None:
            self._remove(notice)

    async def take(self, request: TurnRequest, look: Look) -> int | None:
        """Its turn has come: the id of the notice's message, if one stands. It is the first one of an answer of this look from now on."""
        notice = self._notices.pop(request.run_id, None)
        if notice is None:
            return None
        try:
            async with asyncio.timeout(LAST_CALL):
                message_id = await notice.end()
        except TimeoutError:
            message_id = None
        if message_id is None or not notice.fits(look):
            self._remove(notice)
            return None
        return message_id

    def message_deleted(self, message_id: int) -> None:
        for notice in self._notices.values():
            notice.message_deleted(message_id)

    def _remove(self, notice: _Notice) -> None:
        self._own(asyncio.create_task(notice.remove(), name="a notice goes"))

    def _own(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

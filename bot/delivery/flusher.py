"""Keeps a channel in step with an answer while it is written: the shell around a view, reconcile and pacing.

Reading the model never waits for Discord: `wake()` only says that the view shows something else now. One task writes. It
has at most one call in flight and asks the view when that may go out, not before: so it carries the newest text, and
skips what nobody could have read. `finish()` returns when the channel shows the final state, or cannot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

import structlog

from bot.delivery.delivered import LOSSES, OWN_WORDS_GO_OUT, Delivery, Lost, carries
from bot.delivery.outcome import Fate, Outcome, Sender
from bot.delivery.pacing.buckets import Route
from bot.delivery.patience import LONGEST_FINAL_WAIT, Patience
from bot.delivery.plan import Create, Delete, Edit, MessagePlan, Operation
from bot.delivery.reconcile import Board, Shown

log = structlog.get_logger()


class View(Protocol):
    """What an answer looks like, as messages."""

    def live(self) -> Sequence[MessagePlan]:
        """What the channel should show now."""
        ...

    def final(self, standing: Sequence[MessagePlan] | None) -> Sequence[MessagePlan]:
        """The final state. `standing`: Discord takes no more of the text, so our own words go under what stands."""
        ...


class Lane(Protocol):
    """A turn's right of way (bot.delivery.pacing.pacer)."""

    async def clear(self, route: Route, *, final: bool) -> None:
        """Wait until a call of this kind may go out, and count it. May be cancelled: then nothing is counted."""
        ...

    def held(self, route: Route) -> float:
        """Seconds for which a rate limit keeps even a final call back."""
        ...


async def _nothing() -> None:
    return


class Flusher:
    """One answer's delivery. Use as `async with Flusher(...) as flusher`; leaving it ends its task, not the lane.

    `seed`: see Sender. `on_lost` is called once, as soon as the rest of the answer is of no use to the channel. `standing` and
    `surplus`: see Board. `before_first` is awaited before the first message is posted.
    """

    def __init__(
        self,
        sender: Sender,
        lane: Lane,
        view: View,
        seed: str,
        on_lost: Callable[[Lost], None],
        *,
        standing: Sequence[Shown] = (),
        surplus: Sequence[int] = (),
        before_first: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        self._sender = sender
        self._lane = lane
        self._view = view
        self._seed = seed
        self._on_lost = on_lost
        self._before_first: Callable[[], Awaitable[None]] | None = before_first
        self._board = Board(standing, surplus)
        self._whole: Sequence[MessagePlan] = ()
        """The final state as it would be if nothing were lost."""
        self._final: Sequence[MessagePlan] | None = None
        self._news = asyncio.Event()
        self._lost: Lost | None = None
        self._patience = Patience()
        self._clearing: asyncio.Future[None] | None = None
        self._in_flight: Operation | None = None
        self._undecided: Create | None = None
        """A message whose post failed: it may stand all the same. Repeated with the same nonce it must be the same text,
        or an older text would be taken for the newer one."""
        self._refused_id: int | None = None
        """The message whose last edit was refused; when the next one is too, the message is given up."""
        self._deleted_in_flight: set[int] = set()
        """Messages that were reported deleted during the call in flight: the one it creates may be among them."""
        self._first_shown = asyncio.Event()

    async def __aenter__(self) -> Flusher:
        self._task = asyncio.create_task(self._run(), name=f"flusher {self._seed}")
        self._task.add_done_callback(self._ended)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    @property
    def first_shown(self) -> asyncio.Event:
        """Set when the answer's first text stands in the channel, or never will."""
        return self._first_shown

    @property
    def delivery(self) -> Delivery:
        """What stands in the channel now, in figures."""
        shown = self._board.shown
        missing = (
            plan for slot, plan in enumerate(self._whole) if slot >= len(shown) or not carries(shown[slot].plan, plan)
        )
        counted = tuple((message.message_id, message.plan.model_length) for message in shown)
        return Delivery(counted, self._lost, tuple(missing))

    def wake(self) -> None:
        """The view shows something else now."""
        self._news.set()

    def begin_anew(self) -> None:
        """What was settled is not. It stands until the text that follows takes its place, or the end."""
        self._board.compare_anew()
        self._news.set()

    def message_deleted(self, message_id: int) -> None:
        """The gateway says that a message was deleted, sooner than a failing edit would."""
        if self._in_flight == Delete(message_id):
            return
        if self._in_flight is not None:
            self._deleted_in_flight.add(message_id)
        if any(shown.message_id == message_id for shown in self._board.shown):
            self._lose(Lost.DELETED)
        else:
            self._board.deleted(message_id)

    async def finish(self) -> Delivery:
        """Show the view's final state, and say what became of it. Raises what broke in the view or here."""
        try:
            self._whole = self._view.final(None)
            self._end_with(self._whole)
            if self._lost in OWN_WORDS_GO_OUT:
                self._end_with_what_stands()
        except Exception:
            self._lose(Lost.BROKEN)
            raise
        await self._task
        return self.delivery

    # ------------------------------------------------------------------------------------------------- the one task

    async def _run(self) -> None:
        while self._goes_on:
            self._news.clear()
            final = self._final is not None
            operation = self._next_operation()
            if operation is None:
                if final:
                    return
                await self._news.wait()
                continue
            route = _route(operation)
            if final and self._held(route) > LONGEST_FINAL_WAIT:
                self._lose(Lost.UNDELIVERED)
                return
            if await self._cleared(route, final=final):
                if route is Route.CREATE:
                    await self._first_post_comes()
                # What was next when the call began to wait may not be so any more.
                newest = self._next_operation()
                if newest is not None and _route(newest) is route:
                    await self._do(newest)

    @property
    def _goes_on(self) -> bool:
        return self._lost is None or self._lost in OWN_WORDS_GO_OUT

    def _next_operation(self) -> Operation | None:
        if not self._goes_on:
            return None
        return self._undecided or self._board.next_operation(self._wanted(), final=self._final is not None)

    def _wanted(self) -> Sequence[MessagePlan]:
        if self._final is not None:
            return self._final
        return self._what_stands() if self._lost in OWN_WORDS_GO_OUT else self._view.live()

    def _what_stands(self) -> Sequence[MessagePlan]:
        return [shown.plan for shown in self._board.shown]

    def _held(self, route: Route) -> float:
        return max(self._lane.held(route), self._patience.limited(_now()))

    async def _cleared(self, route: Route, *, final: bool) -> bool:
        """Wait for the right of way. False when the final state or a loss ended the wait, or the wait was too long."""
        self._clearing = asyncio.ensure_future(self._clear(route, final=final))
        try:
            done, _ = await asyncio.wait([self._clearing], timeout=LONGEST_FINAL_WAIT if final else None)
            if not done:
                self._lose(Lost.UNDELIVERED)
            elif not self._clearing.cancelled():
                self._clearing.result()
                return True
            return False
        finally:
            self._clearing.cancel()
            self._clearing = None

    async def _clear(self, route: Route, *, final: bool) -> None:
        await asyncio.sleep(self._patience.wait(_now()))
        await self._lane.clear(route, final=final)

    async def _first_post_comes(self) -> None:
        if self._before_first is not None:
            await self._before_first()
            self._before_first = None

    async def _do(self, operation: Operation) -> None:
        final = self._final is not None
        self._in_flight = operation
        try:
            outcome = await self._sender.send(operation, self._seed)
            self._take(operation, outcome)
            self._bear(outcome, became_final=final != (self._final is not None))
        finally:
            self._in_flight = None
            self._deleted_in_flight.clear()

    def _bear(self, outcome: Outcome, *, became_final: bool) -> None:
        if outcome.fate is not Fate.FAILED:
            self._patience.came_through()
            return
        self._patience.failed(_now(), outcome.retry_after)
        if became_final:
            self._patience.begin_final()
        elif self._final is not None and self._patience.is_over:
            self._lose(Lost.UNDELIVERED)

    # --------------------------------------------------------------------------------------------- what came of a call

    def _take(self, operation: Operation, outcome: Outcome) -> None:
        if outcome.fate is not Fate.DONE:
            log.warning("discord_call_not_done", fate=outcome.fate, call=_route(operation), detail=outcome.detail)
        self._undecided = operation if outcome.fate is Fate.FAILED and isinstance(operation, Create) else None
        match outcome.fate, operation:
            case Fate.FAILED, _:
                return
            case fate, _ if fate in LOSSES:
                self._lose(LOSSES[fate])
            case _, Delete(message_id):
                # Gone already, or one that Discord does not let go: there is nothing more that we could do.
                self._board.deleted(message_id)
            case Fate.GONE, _:
                self._lose(Lost.DELETED)
            case Fate.DONE, Create():
                assert outcome.message_id is not None
                self._board.created(operation, outcome.message_id)
                self._first_shown.set()
                if outcome.message_id in self._deleted_in_flight:
                    self._lose(Lost.DELETED)
            case Fate.DONE, Edit():
                self._board.edited(operation)
                self._refused_id = None
                self._first_shown.set()
            case Fate.REFUSED | Fate.TOO_OLD, Edit(slot, message_id):
                self._edit_refused(slot, message_id, try_again=outcome.fate is Fate.REFUSED)
            case Fate.BLOCKED, _:
                self._take_no_more(Lost.BLOCKED)
            case _:
                self._take_no_more(Lost.REFUSED)

    def _edit_refused(self, slot: int, message_id: int, *, try_again: bool) -> None:
        """One more try; then a new message takes its place."""
        if try_again and self._refused_id != message_id:
            self._refused_id = message_id
        else:
            self._refused_id = None
            self._board.abandon_from(slot)

    def _take_no_more(self, lost: Lost) -> None:
        """Discord does not take this text: what stands stays, and the ending says so."""
        if self._lost is not None:
            self._lose(Lost.UNDELIVERED)  # not even our own words
            return
        self._lose(lost)
        if self._final is not None:
            self._end_with_what_stands()

    def _end_with_what_stands(self) -> None:
        self._end_with(self._view.final(self._what_stands()))

    def _end_with(self, plans: Sequence[MessagePlan]) -> None:
        if self._final is None:
            self._patience.begin_final()
        self._final = plans
        self._board.compare_anew()
        self._turn()

    def _lose(self, lost: Lost) -> None:
        first = self._lost is None
        if first or self._lost in OWN_WORDS_GO_OUT:
            self._lost = lost
            self._board.take_back_abandoned()
            self._turn()
        if first:
            self._on_lost(lost)

    def _turn(self) -> None:
        """What waits, waits for something else now."""
        self._news.set()
        if self._clearing is not None:
            self._clearing.cancel()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._first_shown.set()
        if not task.cancelled() and task.exception() is not None:
            self._lose(Lost.BROKEN)


def _now() -> float:
    return asyncio.get_running_loop().time()


def _route(operation: Operation) -> Route:
    match operation:
        case Create():
            return Route.CREATE
        case Edit():
            return Route.EDIT
        case Delete():
            return Route.DELETE

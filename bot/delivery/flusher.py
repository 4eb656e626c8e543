"""Keeps a channel in step with an answer while it is written: the shell around layout, reconcile and pacing.

Reading the model never waits for Discord: `show()` only feeds the layout and wakes the one task that writes. That task
has at most one call in flight, takes the newest text each time, and so skips what nobody could have read. `finish()`
returns when the channel shows the final state, or cannot.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from enum import StrEnum

import msgspec
import structlog

from bot.delivery.layout import Layout
from bot.delivery.pacing import Pacing, Route
from bot.delivery.plan import Create, Delete, Edit, MessagePlan, Operation
from bot.delivery.reconcile import Board
from bot.delivery.sender import Fate, Outcome, Sender

log = structlog.get_logger()

FINAL_TRIES = 5
"""How often the final state is tried anew after Discord failed (each try has its own tries below it)."""
FIRST_PAUSE = 2.0
"""Seconds after a failure; doubled for each further one in a row."""
LONGEST_PAUSE = 30.0
LONGEST_FINAL_WAIT = 120.0
"""Seconds of a rate limit after which the final state is given up: others wait for their turn behind it."""

Ending = Callable[[Sequence[MessagePlan], bool], Sequence[MessagePlan]]
"""Puts what is ours (footer, embed) under the answer's final messages. True: Discord blocked the rest of the text."""


class Lost(StrEnum):
    """Why the channel takes no more of the answer."""

    DELETED = "deleted"
    """Somebody deleted a message of it, which means: stop."""
    FORBIDDEN = "forbidden"
    BLOCKED = "blocked"
    """Discord does not let the text through. What stands, stays; only our own words still go out."""
    UNDELIVERED = "undelivered"
    """Discord could not be reached for so long that we gave up."""
    BROKEN = "broken"
    """A fault of ours; finish() raises it."""


class Delivery(msgspec.Struct, frozen=True):
    shown: tuple[tuple[int, int], ...]
    """(message id, code points of the model's text in it), in order."""
    lost: Lost | None


class Flusher:
    """One answer's delivery. Use as `async with Flusher(...) as flusher`; leaving it ends its task.

    `on_lost` is called once, as soon as the rest of the answer is of no use to the channel.
    """

    def __init__(
        self, sender: Sender, pacing: Pacing, turn_id: str, on_lost: Callable[[Lost], None], limit: int = 2000
    ) -> None:
        self._sender = sender
        self._pacing = pacing
        self._turn_id = turn_id
        self._on_lost = on_lost
        self._limit = limit
        self._layout = Layout(limit)
        self._board = Board()
        self._ending: Ending | None = None
        self._final: Sequence[MessagePlan] | None = None
        self._news = asyncio.Event()
        self._lost: Lost | None = None
        self._in_flight: Operation | None = None
        self._undecided: Create | None = None
        """A message whose post failed: it may stand all the same. Repeated with the same nonce it must be the same text,
        or an older text would be taken for the newer one."""
        self._deleted_in_flight: set[int] = set()
        """Messages that were reported deleted during the call in flight: the one it creates may be among them."""
        self._first_shown = asyncio.Event()

    async def __aenter__(self) -> Flusher:
        self._task = asyncio.create_task(self._run(), name=f"flusher {self._turn_id}")
        self._task.add_done_callback(self._ended)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait([self._task])

    @property
    def first_shown(self) -> asyncio.Event:
        """Set when the answer's first message stands in the channel, or never will."""
        return self._first_shown

    def show(self, text: str) -> None:
        self._layout.feed(text)
        self._news.set()

    def take_back(self) -> None:
        """What was shown is not part of the answer. It stands until the text that follows takes its place, or the end."""
        self._layout = Layout(self._limit)
        self._board.compare_anew()

    def message_deleted(self, message_id: int) -> None:
        """The gateway says that a message was deleted, sooner than a failing edit would."""
        if self._in_flight == Delete(message_id):
            return
        if self._in_flight is not None:
            self._deleted_in_flight.add(message_id)
        if any(shown.message_id == message_id for shown in self._board.shown):
            self._lose(Lost.DELETED)

    async def finish(self, ending: Ending) -> Delivery:
        self._ending = ending
        self._final = ending(self._layout.close(), False)
        if self._lost is Lost.BLOCKED:
            self._end_with_what_stands()
        self._news.set()
        await self._task
        return self.delivery

    @property
    def delivery(self) -> Delivery:
        """What stands in the channel now."""
        shown = tuple((shown.message_id, _text_length(shown.plan)) for shown in self._board.shown)
        return Delivery(shown, self._lost)

    async def _run(self) -> None:
        failures = 0
        while self._lost in (None, Lost.BLOCKED):
            self._news.clear()
            final = self._final is not None
            operation = self._undecided or self._board.next_operation(self._wanted(), final=final)
            if operation is None:
                if final:
                    return
                await self._news.wait()
                continue
            route = _route(operation)
            wait = self._pacing.wait(route, self._now(), final=final)
            if final and wait > LONGEST_FINAL_WAIT:
                self._lose(Lost.UNDELIVERED)
                return
            if wait > 0:
                await self._pause(wait, final=final)
                continue
            failures = await self._do(operation, route, failures)
            if failures and final and failures > FINAL_TRIES:
                self._lose(Lost.UNDELIVERED)
            elif failures:
                await self._pause(min(FIRST_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE), final=final)
                # What failed before the text was over does not count against its final state.
                failures = failures if final == (self._final is not None) else 0

    async def _do(self, operation: Operation, route: Route, failures: int) -> int:
        """Carry it out; how many failures in a row there were now."""
        self._pacing.sent(route, self._now())
        self._in_flight = operation
        try:
            outcome = await self._sender.send(operation, self._turn_id)
            self._take(operation, outcome)
        finally:
            self._in_flight = None
            self._deleted_in_flight.clear()
        return failures + 1 if outcome.fate is Fate.FAILED else 0

    def _wanted(self) -> Sequence[MessagePlan]:
        if self._final is not None:
            return self._final
        return self._what_stands() if self._lost is Lost.BLOCKED else self._layout.messages()

    def _what_stands(self) -> Sequence[MessagePlan]:
        return [shown.plan for shown in self._board.shown]

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _pause(self, seconds: float, *, final: bool) -> None:
        """Wait; a final state or a loss that comes meanwhile ends the wait of a preview."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while final == (self._final is not None) and self._lost in (None, Lost.BLOCKED):
                    self._news.clear()
                    await self._news.wait()

    def _take(self, operation: Operation, outcome: Outcome) -> None:
        if outcome.fate is not Fate.DONE:
            log.warning("discord_call_not_done", fate=outcome.fate, call=_route(operation), detail=outcome.detail)
        self._undecided = operation if outcome.fate is Fate.FAILED and isinstance(operation, Create) else None
        match outcome.fate, operation:
            case Fate.FAILED, _:
                return
            case _, Delete(message_id):
                self._board.deleted(message_id)
            case Fate.DONE, Create():
                assert outcome.message_id is not None
                self._board.created(operation, outcome.message_id)
                self._first_shown.set()
                if outcome.message_id in self._deleted_in_flight:
                    self._lose(Lost.DELETED)
            case Fate.DONE, Edit():
                self._board.edited(operation)
            case Fate.GONE, _:
                self._lose(Lost.DELETED)
            case Fate.FORBIDDEN, _:
                self._lose(Lost.FORBIDDEN)
            case Fate.REFUSED, Edit(slot):
                self._board.abandon_from(slot)
            case _:
                self._block()

    def _block(self) -> None:
        """Discord does not take this text: what stands stays, and the ending says so."""
        if self._lost is Lost.BLOCKED:
            self._lose(Lost.UNDELIVERED)  # not even our own words
            return
        self._board.take_back_abandoned()
        self._lose(Lost.BLOCKED)
        if self._final is not None:
            self._end_with_what_stands()

    def _end_with_what_stands(self) -> None:
        assert self._ending is not None
        self._final = self._ending(self._what_stands(), True)

    def _lose(self, lost: Lost) -> None:
        first = self._lost is None
        if first or self._lost is Lost.BLOCKED:
            self._lost = lost
            self._news.set()
        if first:
            self._on_lost(lost)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._first_shown.set()
        if not task.cancelled() and task.exception() is not None:
            self._lose(Lost.BROKEN)


def _route(operation: Operation) -> Route:
    match operation:
        case Create():
            return Route.CREATE
        case Edit():
            return Route.EDIT
        case Delete():
            return Route.DELETE


def _text_length(plan: MessagePlan) -> int:
    return len(plan.content) if plan.text_length is None else plan.text_length

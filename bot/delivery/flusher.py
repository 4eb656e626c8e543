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
FINAL_PAUSE = 2.0
"""Seconds after the first failure; doubled for each further one in a row."""
LONGEST_PAUSE = 30.0

Ending = Callable[[Sequence[MessagePlan]], Sequence[MessagePlan]]
"""Puts what is ours (footer, embed) under the answer's final messages."""


class Lost(StrEnum):
    """Why the channel no longer takes the answer."""

    DELETED = "deleted"
    """Somebody deleted a message of it, which means: stop."""
    FORBIDDEN = "forbidden"
    UNDELIVERED = "undelivered"
    """Discord could not be reached for so long that we gave up."""


class Delivered(msgspec.Struct, frozen=True):
    shown: tuple[tuple[int, int], ...]
    """(message id, code points of the model's text in it), in order."""
    lost: Lost | None


class Flusher:
    """One answer's delivery. Use as `async with Flusher(...) as flusher`; leaving it ends its task."""

    def __init__(
        self, sender: Sender, pacing: Pacing, turn_id: str, on_lost: Callable[[Lost], None], limit: int = 2000
    ) -> None:
        self._sender = sender
        self._pacing = pacing
        self._turn_id = turn_id
        self._on_lost = on_lost
        self._layout = Layout(limit)
        self._board = Board()
        self._final: Sequence[MessagePlan] | None = None
        self._news = asyncio.Event()
        self._lost: Lost | None = None
        self._first_shown = asyncio.Event()

    async def __aenter__(self) -> Flusher:
        self._task = asyncio.create_task(self._run(), name=f"flusher {self._turn_id}")
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    @property
    def first_shown(self) -> asyncio.Event:
        """Set when the answer's first message stands in the channel, or never will."""
        return self._first_shown

    def show(self, text: str) -> None:
        self._layout.feed(text)
        self._news.set()

    def message_deleted(self, message_id: int) -> None:
        """The gateway says that a message was deleted, sooner than a failing edit would."""
        if any(shown.message_id == message_id for shown in self._board.shown):
            self._lose(Lost.DELETED)

    async def finish(self, ending: Ending) -> Delivered:
        self._final = ending(self._layout.close())
        self._news.set()
        await self._task
        return Delivered(tuple((shown.message_id, _text_length(shown.plan)) for shown in self._board.shown), self._lost)

    async def _run(self) -> None:
        failures = 0
        while self._lost is None:
            self._news.clear()
            final = self._final is not None
            operation = self._board.next_operation(self._wanted())
            if operation is None:
                if final:
                    break
                await self._news.wait()
                continue
            route = _route(operation)
            wait = self._pacing.wait(route, self._now(), final=final)
            if wait > 0:
                await self._pause(wait, final=final)
                continue
            self._pacing.sent(route, self._now())
            outcome = await self._sender.send(operation, self._turn_id)
            self._take(operation, outcome)
            failures = failures + 1 if outcome.fate is Fate.FAILED else 0
            if failures > FINAL_TRIES and final:
                self._lose(Lost.UNDELIVERED)
            elif failures:
                await asyncio.sleep(min(FINAL_PAUSE * 2 ** (failures - 1), LONGEST_PAUSE))
        self._first_shown.set()

    def _wanted(self) -> Sequence[MessagePlan]:
        return self._layout.messages() if self._final is None else self._final

    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    async def _pause(self, seconds: float, *, final: bool) -> None:
        """Wait for the next slot; a final state or a loss that comes meanwhile ends the wait of a preview."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while final == (self._final is not None) and self._lost is None:
                    self._news.clear()
                    await self._news.wait()

    def _take(self, operation: Operation, outcome: Outcome) -> None:
        match outcome.fate, operation:
            case Fate.DONE, Create():
                assert outcome.message_id is not None
                self._board.created(operation, outcome.message_id)
                self._first_shown.set()
            case Fate.DONE, Edit():
                self._board.edited(operation)
            case ((Fate.DONE | Fate.GONE | Fate.REFUSED | Fate.FORBIDDEN), Delete(message_id)):
                self._board.deleted(message_id)
            case Fate.GONE, _:
                self._lose(Lost.DELETED)
            case Fate.FORBIDDEN, _:
                self._lose(Lost.FORBIDDEN)
            case Fate.REFUSED, Edit(slot):
                self._board.abandon_from(slot)
            case Fate.REFUSED, _:
                self._lose(Lost.UNDELIVERED)
        if outcome.fate is not Fate.DONE:
            log.warning("discord_call_not_done", fate=outcome.fate, call=_route(operation), detail=outcome.detail)

    def _lose(self, lost: Lost) -> None:
        if self._lost is None:
            self._lost = lost
            self._news.set()
            self._on_lost(lost)


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

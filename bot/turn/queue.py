"""One turn at a time per channel; channels side by side. Bounded, and owner of every task it starts.

Among those that wait in a channel it is fair by person: next is who was served there longest ago, and of one person's questions
the first. So whoever asks much waits for those who ask little, and nobody for more than one turn of each other person.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum
from types import TracebackType
from typing import Protocol, Self

import msgspec
import structlog

from bot.turn.request import Channel, Task, TurnRequest

log = structlog.get_logger()

MOST_WAITING = 10
"""Turns that may wait in one channel behind the running one."""
MOST_OF_ONE = 3
"""Of those, turns of one person."""
MOST_REMEMBERED = 1000
"""People of whom a channel that never falls silent knows when they were served; of more, the latest."""


class Refusal(StrEnum):
    """Why a turn is not taken."""

    CLOSED = "closed"
    """No new turns are taken any more."""
    CHANNEL_FULL = "channel_full"
    PERSON_FULL = "person_full"


class Observer(Protocol):
    """Who wants to know how turns wait. Called synchronously."""

    def moved(self, request: TurnRequest, ahead: int) -> None:
        """It waits, with so many turns before it (at least one): at first, and whenever that changes."""
        ...

    def withdrawn(self, request: TurnRequest) -> None:
        """It waits no more, and its turn never comes."""
        ...


class _Nobody:
    def moved(self, request: TurnRequest, ahead: int) -> None: ...

    def withdrawn(self, request: TurnRequest) -> None: ...


def fair_order(
    waiting: Sequence[TurnRequest], served: Mapping[int, int], first: int | None = None
) -> Sequence[TurnRequest]:
    """In which order they are run if no others come. `waiting`: in order of arrival. `served`: by person, a number that grows, of
    their last turn there. `first`: the person who has the next turn in any case."""
    rest, served = list(waiting), dict(served)
    order: list[TurnRequest] = []
    latest = max(served.values(), default=0)
    while rest:
        # Of equals, and of one person's, min takes the one that came first.
        chosen = min(rest, key=lambda request: (request.asker_id != first, served.get(request.asker_id, 0)))
        first = None
        latest += 1
        served[chosen.asker_id] = latest
        rest.remove(chosen)
        order.append(chosen)
    return order


class Caps(msgspec.Struct, frozen=True):
    """How many turns of a server may run at the same time. 0: any number."""

    in_all: int = 0
    of_one: int = 0
    """Of one person."""


async def _uncapped(_request: TurnRequest) -> Caps:
    return Caps()


class _Line:
    """The turns of one channel."""

    def __init__(self, guild_id: int | None) -> None:
        self.guild_id = guild_id
        self.caps = Caps()
        self.goes_on = asyncio.Event()
        """Set when it has begun a turn, or none waits any more."""
        self.waiting: list[TurnRequest] = []
        self.running: TurnRequest | None = None
        self.served: dict[int, int] = {}
        """Who was served longest ago comes first."""
        self.first: int | None = None
        """Who has the next turn in any case: their question takes the place of their running answer."""
        self.in_a_row = 0
        self.told: dict[str, int] = {}
        """By run: how many turns were said to be before it."""

    @property
    def order(self) -> Sequence[TurnRequest]:
        return fair_order(self.waiting, self.served, self.first)

    def begin(self, request: TurnRequest) -> TurnRequest:
        self.waiting.remove(request)
        self.told.pop(request.run_id, None)
        self.in_a_row = self.in_a_row + 1 if request.asker_id == self.first else 0
        self.first = None
        self._serve(request.asker_id)
        self.running = request
        return request

    def _serve(self, asker_id: int) -> None:
        latest = max(self.served.values(), default=0)
        self.served.pop(asker_id, None)
        self.served[asker_id] = latest + 1
        if len(self.served) > MOST_REMEMBERED:
            del self.served[next(iter(self.served))]


class TurnQueue:
    """`run` is called for one request after the other of a channel; it must not raise.

    A channel costs something only while it has turns.
    """

    def __init__(
        self,
        run: Callable[[TurnRequest], Awaitable[None]],
        observer: Observer | None = None,
        caps: Callable[[TurnRequest], Awaitable[Caps]] = _uncapped,
    ) -> None:
        self._run = run
        self._observer: Observer = observer or _Nobody()
        self._caps = caps
        self._held: list[_Line] = []
        """Those that wait for others of their server; who waits for longest comes first."""
        self._lines: dict[int, _Line] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False
        self._holds = True
        self._idle = asyncio.Event()
        self._idle.set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """All turns have ended when this returns; after an error outside they are cancelled first.

        A TaskGroup would do the same, but wrap that error into a group.
        """
        self._closed = True
        if kind is not None:
            self.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def refusal(self, asker_id: int, channel_id: int) -> Refusal | None:
        """Why a further turn of this person would not be taken there now; None where it would."""
        if self._closed:
            return Refusal.CLOSED
        waiting = self._waiting_in(channel_id)
        if len(waiting) >= MOST_WAITING:
            return Refusal.CHANNEL_FULL
        theirs = [request for request in waiting if request.asker_id == asker_id]
        return Refusal.PERSON_FULL if len(theirs) >= MOST_OF_ONE else None

    def submit(self, request: TurnRequest, *, takes_over: bool = False) -> bool:
        """False where it is not taken; `refusal` says why.

        `takes_over`: it comes in the place of the running answer of the same person, who so has the next turn too.
        """
        if self.refusal(request.asker_id, request.channel_id) is not None:
            return False
        line = self._lines.get(request.channel_id)
        if line is not None:
            line.waiting.append(request)
            line.first = request.asker_id if takes_over else line.first
            self._tell(line)
            self._go_on(line.guild_id)
            return True
        line = self._lines[request.channel_id] = _Line(request.guild_id)
        line.waiting.append(request)
        self._idle.clear()
        task = asyncio.create_task(self._work(request.channel_id, line), name=f"turns of channel {request.channel_id}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return True

    async def _work(self, channel_id: int, line: _Line) -> None:
        try:
            while line.waiting:
                if line.guild_id is not None:
                    await self._learn_caps(line)
                if (request := await self._next(line)) is None:
                    continue
                self._tell(line)
                await self._run(request)
                self._ended(line)
        finally:
            self._ended(line)
            del self._lines[channel_id]
            if not self._lines:
                self._idle.set()

    async def _learn_caps(self, line: _Line) -> None:
        """Those that are held there have the newest too: they may have been changed meanwhile."""
        try:
            caps = await self._caps(line.waiting[0])
        except Exception:  # with the channel's task, all that waits there would be gone without a word
            log.exception("caps_not_known", guild=line.guild_id)
            return
        for other in (line, *self._held):
            if other.guild_id == line.guild_id:
                other.caps = caps

    async def _next(self, line: _Line) -> TurnRequest | None:
        """The one that begins now, once its server lets it. None: meanwhile none waits any more."""
        line.goes_on.clear()
        self._held.append(line)
        try:
            self._go_on(line.guild_id)
            if line in self._held:
                self._tell(line)
                await line.goes_on.wait()
        finally:
            if line in self._held:
                self._held.remove(line)
        return line.running

    def _begin(self, line: _Line) -> TurnRequest | None:
        """The first whose person may have another one, if the server may."""
        caps = line.caps
        if line.waiting and (caps == Caps() or not self._holds):
            return line.begin(line.order[0])
        running = [other.running for other in self._lines.values() if other.guild_id == line.guild_id and other.running]
        if caps.in_all and len(running) >= caps.in_all:
            return None
        theirs = Counter(request.asker_id for request in running)
        for request in line.order:
            if not caps.of_one or theirs[request.asker_id] < caps.of_one:
                return line.begin(request)
        return None

    def _go_on(self, guild_id: int | None) -> None:
        """Those that are held and no longer need to be begin, who waits for longest first."""
        for line in [line for line in self._held if line.guild_id == guild_id]:
            if not line.waiting or self._begin(line) is not None:
                self._held.remove(line)
                line.goes_on.set()

    def _ended(self, line: _Line) -> None:
        line.running = None
        self._go_on(line.guild_id)

    def _tell(self, line: _Line) -> None:
        for place, request in enumerate(line.order):
            ahead = place + (line.running is not None or line in self._held)
            if ahead > 0 and line.told.get(request.run_id) != ahead:
                line.told[request.run_id] = ahead
                self._observer.moved(request, ahead)

    def close(self) -> None:
        """Take no new turns. Those that wait are still run, and are held no longer: there is no time for one after the other."""
        self._closed, self._holds = True, False
        for guild_id in {line.guild_id for line in self._held}:
            self._go_on(guild_id)

    def cancel(self) -> None:
        """End all turns where they stand."""
        for task in self._tasks:
            task.cancel()

    @property
    def closed(self) -> bool:
        return self._closed

    # -------------------------------------------------------------------------------------------- of those that wait

    def in_a_row(self, channel_id: int) -> int:
        """How many turns there, up to the running one, took the place of the one before them."""
        line = self._lines.get(channel_id)
        return line.in_a_row if line is not None else 0

    def amend(self, message_id: int, channel_at: Callable[[int], Channel]) -> bool:
        """A message was edited; `channel_at` gives the channel of this id, with the message as it is now. False where it is part of
        no question that waits."""
        amended = False
        for line in self._lines.values():
            for place, request in enumerate(line.waiting):
                if request.task is Task.SHOW or message_id not in (request.question_id, *request.further_ids):
                    continue
                if request.question_id == message_id:
                    channel = channel_at(request.channel_id)
                    line.waiting[place] = msgspec.structs.replace(request, channel=channel)
                amended = True
        return amended

    def withdraw(self, question_id: int) -> None:
        """Its question was deleted: if its turn still waits, it never comes."""
        for line in self._lines.values():
            self._withdraw(line, [request for request in line.waiting if request.question_id == question_id])

    def withdraw_of(self, asker_id: int, channel_id: int) -> int:
        """This person's questions that wait in this channel never come; how many those were."""
        theirs = [request for request in self._waiting_in(channel_id) if request.asker_id == asker_id]
        if theirs:
            self._withdraw(self._lines[channel_id], theirs)
        return len(theirs)

    def _withdraw(self, line: _Line, requests: Sequence[TurnRequest]) -> None:
        for request in requests:
            line.waiting.remove(request)
            line.told.pop(request.run_id, None)
            self._observer.withdrawn(request)
        if all(request.asker_id != line.first for request in line.waiting):
            line.first = None
        if requests:
            self._tell(line)
            self._go_on(line.guild_id)

    def holds(self, turn_id: str) -> bool:
        """True where something to do with this turn waits."""
        return any(request.turn_id == turn_id for line in self._lines.values() for request in line.waiting)

    def load(self, channel_id: int | None = None) -> tuple[int, int]:
        """How many turns run and wait, there or in all channels."""
        lines = [line for of, line in self._lines.items() if channel_id in (None, of)]
        return sum(line.running is not None for line in lines), sum(len(line.waiting) for line in lines)

    def _waiting_in(self, channel_id: int) -> list[TurnRequest]:
        line = self._lines.get(channel_id)
        return line.waiting if line is not None else []

    async def drained(self) -> None:
        await self._idle.wait()

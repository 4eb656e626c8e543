"""A channel in memory that keeps Discord's rules, and an answer of a few words: what the flusher stands between."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from bot.delivery.delivered import Delivery, Lost
from bot.delivery.flusher import Flusher
from bot.delivery.outcome import Fate, Outcome
from bot.delivery.pacing.buckets import Route
from bot.delivery.plan import Create, Delete, Edit, MessagePlan, Operation, is_blank

LIMIT, PERIOD, LATENCY = 5, 5.0, 0.08
PREVIEW_GAP = 1.25
OWN_WORDS = "(the rest did not get through)"


class Channel:
    """A Sender that holds messages, counts calls in Discord's fixed windows, keeps nonces, and fails when told to.

    It is the lane into itself too: previews keep a distance, the final state goes when the window has a call left.
    """

    def __init__(self) -> None:
        self.messages: dict[int, MessagePlan] = {}
        self.log: list[tuple[float, Operation]] = []
        self.in_flight = self.most_in_flight = self.over_limit = 0
        self.faults: list[Callable[[Operation], Outcome | None]] = []
        self.lost_answers = 0
        """So many posts take effect, and the answer gets lost."""
        self.gateway: Callable[[int], None] = lambda _: None
        """Is told of deleted messages, before the call that deletes one is answered."""
        self.limited_until = 0.0
        self._windows: dict[Route, tuple[float, int]] = {}
        self._preview_at: dict[Route, float] = {}
        self._ids = iter(range(1, 10_000))
        self._nonces: dict[tuple[str, int, int], int] = {}

    @property
    def texts(self) -> list[str]:
        return [plan.content for _, plan in sorted(self.messages.items())]

    def delete(self, message_id: int) -> None:
        """By anybody."""
        if self.messages.pop(message_id, None) is not None:
            self.gateway(message_id)

    def fail(
        self,
        fate: Fate,
        on: type[Operation] | Callable[[Operation], bool],
        times: int = 1,
        retry_after: float = 0.0,
    ) -> None:
        left = times
        fits = on if not isinstance(on, type) else lambda operation: isinstance(operation, on)

        def fault(operation: Operation) -> Outcome | None:
            nonlocal left
            if left == 0 or not fits(operation):
                return None
            left -= 1
            return Outcome(fate, retry_after=retry_after)

        self.faults.append(fault)

    # ------------------------------------------------------------------------------------------------------- as a lane

    async def clear(self, route: Route, *, final: bool) -> None:
        await asyncio.sleep(max(0.0, self._wait(route, final=final)))
        self._preview_at[route] = _now() + PREVIEW_GAP

    def held(self, route: Route) -> float:
        return self.limited_until - _now()

    def _wait(self, route: Route, *, final: bool) -> float:
        ends, left = self._windows.get(route, (0.0, LIMIT))
        full = ends if left == 0 else 0.0
        return max(self.limited_until, full, 0.0 if final else self._preview_at.get(route, 0.0)) - _now()

    # ----------------------------------------------------------------------------------------------------- as a sender

    async def send(self, operation: Operation, seed: str) -> Outcome:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        await asyncio.sleep(LATENCY / 2)
        self._count(operation)
        self.log.append((_now(), operation))
        outcome = self._do(operation, seed)
        await asyncio.sleep(LATENCY / 2)
        self.in_flight -= 1
        return outcome

    def _count(self, operation: Operation) -> None:
        route = {Create: Route.CREATE, Edit: Route.EDIT, Delete: Route.DELETE}[type(operation)]
        ends, left = self._windows.get(route, (0.0, 0))
        if _now() >= ends:
            ends, left = _now() + PERIOD, LIMIT
        self.over_limit += left == 0
        self._windows[route] = (ends, max(0, left - 1))

    def _do(self, operation: Operation, seed: str) -> Outcome:
        for fault in self.faults:
            if (outcome := fault(operation)) is not None:
                return outcome
        match operation:
            case Create(slot, plan, generation):
                nonce = seed, slot, generation
                if nonce not in self._nonces:
                    self._nonces[nonce] = next(self._ids)
                    self.messages[self._nonces[nonce]] = plan
                # A nonce that is known gives its message back, however the text reads now, and even if it is gone.
                if self.lost_answers:
                    self.lost_answers -= 1
                    return Outcome(Fate.FAILED)
                return Outcome(Fate.DONE, self._nonces[nonce])
            case Edit(_, message_id, plan):
                if message_id not in self.messages:
                    return Outcome(Fate.GONE)
                self.messages[message_id] = plan
            case Delete(message_id):
                if message_id not in self.messages:
                    return Outcome(Fate.GONE)
                self.delete(message_id)
        return Outcome(Fate.DONE)


class Words:
    """A View: text, cut where a message is full; all messages but the last are settled."""

    def __init__(self) -> None:
        self.text = ""
        self.ending: Callable[[Sequence[MessagePlan]], Sequence[MessagePlan]] = lambda plans: plans

    def live(self) -> Sequence[MessagePlan]:
        parts = [self.text[at : at + 2000] for at in range(0, len(self.text), 2000)]
        settled = len(self.text) // 2000
        return [MessagePlan(part, settled=nr < settled) for nr, part in enumerate(parts) if not is_blank(part)]

    def final(self, standing: Sequence[MessagePlan] | None) -> Sequence[MessagePlan]:
        if standing is not None:
            return [*standing, MessagePlan(OWN_WORDS, text_length=0)]
        return self.ending(self.live())


def ignore(_: Lost) -> None:
    return


async def deliver(channel: Channel, deltas: Sequence[tuple[float, str]], lost: list[Lost] | None = None) -> Delivery:
    """Show (seconds to wait before, text) and finish."""
    words = Words()
    async with Flusher(channel, channel, words, "turn", ignore if lost is None else lost.append) as flusher:
        channel.gateway = flusher.message_deleted
        for pause, text in deltas:
            await asyncio.sleep(pause)
            words.text += text
            flusher.wake()
        return await flusher.finish()


def _now() -> float:
    return asyncio.get_running_loop().time()

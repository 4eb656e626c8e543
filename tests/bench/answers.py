"""`python -m tests.bench.answers`: what an answer costs between its chunks and the calls to Discord, without Discord.

Three figures: a delta on its way TextChunk -> machine -> Answer, a look at the answer that the flusher compares with what
stands, and answers side by side through one pacer. The first two must not grow with the answer; of the third, nobody may
starve. Costs are CPU time; the clock of the third is virtual.

Prints Markdown; with `--write`, into docs/performance.md. Exit status 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, cycle, islice, pairwise
from statistics import fmean, median

import msgspec

from adapters.contract import TextChunk
from bot.delivery.answer import Answer
from bot.delivery.controls import live_buttons
from bot.delivery.flusher import Flusher
from bot.delivery.outcome import Fate, Outcome
from bot.delivery.pacing.buckets import Budget, Route
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.plan import Create, Edit, Operation
from bot.delivery.reconcile import Board
from bot.localization import Translator
from bot.playground.standin.clock import Clock
from bot.playground.standin.rate_limits import MESSAGE_CREATE, MESSAGE_EDIT, RateLimiter
from bot.preferences import DeliveryPreferences
from bot.turn.machine import Prepared, ShowText, TurnMachine
from tests.bench import report
from tests.bench.goals import Goal
from tests.virtual_time import run

SIZES = (1_000, 10_000, 100_000, 1_000_000)
"""Characters of an answer."""
DELTA = 4
"""Characters."""
LOOK_EVERY, SELDOM = 100, 500
"""Characters between two looks that count, and between those before."""
ROUNDS = 3
LEAST = 100_000
"""Characters of each size in a round."""
LATENCY = 0.1
"""Seconds that a call to Discord takes."""
RULES = {Route.CREATE: MESSAGE_CREATE, Route.EDIT: MESSAGE_EDIT}
ANSWERS, MINUTE, RATE = 500, 60.0, 20
"""Answers side by side, for how long (seconds), and deltas of each a second."""

BEGIN = "<!-- answers: made by `make bench ARGS=--write` -->"
END = "<!-- end of answers -->"

_PAGE = """## Rivers and *their* names

Most rivers are **older** than the towns on them, and so are their names; see [the list](https://example.org/rivers) for `more`.

- The Rhine comes from a word for *flowing*.
- The Thames may be the **dark** one, as is the Tamar, the Tame and the Teme.

| river | length |
| --- | ---: |
| Rhine | 1,233 km |
| Thames | 346 km |

```python
def length(river: str) -> float:
    return LENGTHS[river]  # kilometres
```

1. So the water had its name before anybody wrote it down, which is why so many of them sound alike from sea to sea.

"""


def markdown_text(size: int) -> str:
    return "".join(islice(cycle(_PAGE), size))


def deltas_of(text: str) -> Sequence[str]:
    return [text[at : at + DELTA] for at in range(0, len(text), DELTA)]


_TRANSLATOR = Translator()


def new_answer() -> Answer:
    words = _TRANSLATOR.say("en-US")
    return Answer(DeliveryPreferences(), words, lambda plans, **_: plans, live_buttons("turn", words))


class Cost(msgspec.Struct, frozen=True):
    """Of one answer. Microseconds of CPU."""

    delta: float
    look: float
    messages: int


def cost_of(text: str) -> Cost:
    """The whole answer; the looks at its last tenth, where what grows with the answer is largest."""
    deltas = deltas_of(text)
    answer, machine, board, ids = new_answer(), TurnMachine(), Board(), count(1)
    machine.handle(Prepared())
    tail = len(deltas) * 9 // 10
    writing = 0.0
    looks: list[float] = []
    first = 0
    while first < len(deltas):
        step = (LOOK_EVERY if first >= tail else SELDOM) // DELTA
        chunks = [TextChunk(delta) for delta in deltas[first : first + step]]
        first += step
        begin = time.process_time()
        for chunk in chunks:
            for effect in machine.handle(chunk):
                assert isinstance(effect, ShowText)
                answer.add_text(effect.text)
        between = time.process_time()
        operation = board.next_operation(answer.live(), final=False)
        if first >= tail:
            looks.append(time.process_time() - between)
        writing += between - begin
        match operation:
            case Create():
                board.created(operation, next(ids))
            case Edit():
                board.edited(operation)
    return Cost(writing / len(deltas) * 1e6, fmean(looks) * 1e6, len(board.shown))


class Crowd(msgspec.Struct, frozen=True):
    """Answers side by side."""

    previews: int
    """Calls while the answers were written."""
    longest_silence: float
    """Seconds between two calls of one answer, the longest of all."""
    last_final: float
    """Seconds from the end of all answers until the last one's final state stood."""
    refused: int
    """Calls over a limit."""
    cpu_seconds: float


class _Discord:
    """Takes every call after LATENCY, within the stand-in's limits, and tells the pacer what its headers would say."""

    def __init__(self, pacer: Pacer) -> None:
        self.pacer = pacer
        self.times: dict[int, list[float]] = {}
        """When calls came, by channel."""
        self.refused = 0
        self._limiter = RateLimiter(Clock(now=_now, wall=_now))
        self._ids = count(1)

    async def take(self, channel_id: int, operation: Operation) -> Outcome:
        route = Route.CREATE if isinstance(operation, Create) else Route.EDIT
        self.pacer.went_out(channel_id, route)
        self.times.setdefault(channel_id, []).append(_now())
        in_all, here = self._limiter.take_global(), self._limiter.take(RULES[route], str(channel_id))
        assert here is not None
        self.refused += not (in_all.allowed and here.allowed)
        await asyncio.sleep(LATENCY)
        self.pacer.answered(channel_id, route, Budget(here.remaining, here.reset_after - LATENCY, here.rule.limit))
        return Outcome(Fate.DONE, message_id=next(self._ids))


class _Sender(msgspec.Struct):
    discord: _Discord
    channel_id: int

    async def send(self, operation: Operation, seed: str) -> Outcome:
        return await self.discord.take(self.channel_id, operation)


async def crowd(answers: int, seconds: float) -> Crowd:
    """One answer a channel, all at the same time, with deltas that come for so long."""
    discord, begin, cpu = _Discord(Pacer()), _now(), time.process_time()
    async with asyncio.TaskGroup() as turns:
        for channel_id in range(answers):
            turns.create_task(_turn(discord, channel_id, seconds))
    times = discord.times.values()
    return Crowd(
        previews=sum(at < begin + seconds for each in times for at in each),
        longest_silence=max(after - before for each in times for before, after in pairwise(each)),
        last_final=_now() - begin - seconds,
        refused=discord.refused,
        cpu_seconds=time.process_time() - cpu,
    )


async def _turn(discord: _Discord, channel_id: int, seconds: float) -> None:
    answer, lane, begin = new_answer(), discord.pacer.lane(channel_id), _now()
    deltas = cycle(deltas_of(_PAGE))
    async with Flusher(_Sender(discord, channel_id), lane, answer, str(channel_id), lambda _: None) as flusher:
        for tick in range(int(seconds * RATE)):
            await asyncio.sleep(begin + tick / RATE - _now())
            answer.add_text(next(deltas))
            flusher.wake()
        await asyncio.sleep(begin + seconds - _now())
        await flusher.finish()
    lane.close()


def _now() -> float:
    return asyncio.get_running_loop().time()


def costs(rounds: int = ROUNDS) -> Sequence[Mapping[int, Cost]]:
    """By size, of each round. In a round all sizes take their turn, the small ones several."""
    texts = {size: markdown_text(size) for size in SIZES}
    return [{size: _mean_cost(text, max(1, LEAST // size)) for size, text in texts.items()} for _ in range(rounds)]


def _mean_cost(text: str, times: int) -> Cost:
    each = [cost_of(text) for _ in range(times)]
    return Cost(fmean(cost.delta for cost in each), fmean(cost.look for cost in each), each[0].messages)


def goals_of(found: Sequence[Mapping[int, Cost]], many: Crowd) -> Iterator[Goal]:
    # Ratios inside a round: between two of them the machine may have changed its pace.
    small, large = SIZES[1], SIZES[-1]
    delta = median(costs_[large].delta / costs_[small].delta for costs_ in found)
    look = median(costs_[large].look / costs_[small].look for costs_ in found)
    yield Goal("a delta of an answer of 1 MB / one of 10 KB", delta, 1.2)
    yield Goal("a look at an answer of 1 MB / at one of 10 KB", look, 1.2)
    what = f"{ANSWERS} answers side by side"
    yield Goal(f"{what}: longest time between two calls of one", many.longest_silence, 12, unit="s")
    yield Goal(f"{what}: all final states stand after", many.last_final, 11, unit="s")
    yield Goal(f"{what}: calls answered 429", many.refused, 0, unit="calls")


def markdown(found: Sequence[Mapping[int, Cost]], many: Crowd) -> str:
    costs_ = [
        [
            f"{size:,}",
            str(found[0][size].messages),
            f"{median(each[size].delta for each in found):.1f}",
            f"{median(each[size].look for each in found):,.0f}",
        ]
        for size in SIZES
    ]
    crowd_ = [
        [
            f"{ANSWERS * MINUTE / many.previews:.1f}",
            f"{many.longest_silence:.1f}",
            f"{many.last_final:.1f}",
            str(many.refused),
            f"{many.cpu_seconds / (ANSWERS * MINUTE * RATE) * 1e6:.1f}",
        ]
    ]
    return "\n\n".join(
        [
            report.table(["characters of an answer", "messages", "µs CPU a delta", "µs CPU a look"], costs_),
            report.table(
                [
                    *(f"{ANSWERS} answers side by side: s between calls of one", "longest", "last final after s"),
                    *("answered 429", "µs CPU a delta, all in all"),
                ],
                crowd_,
            ),
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.answers", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the figures into docs/performance.md")
    options = parser.parse_args()
    found, many = costs(), run(crowd(ANSWERS, MINUTE))
    figures = markdown(found, many)
    print(figures, "\n")
    goals = list(goals_of(found, many))
    for goal in goals:
        print(goal)
    if options.write:
        report.write(figures, BEGIN, END)
    return int(any(goal.failed for goal in goals))


if __name__ == "__main__":
    sys.exit(main())

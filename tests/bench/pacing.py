"""`python -m tests.bench.pacing`: how long after a character came from the model it can be read in the channel.

Recorded answers arrive with their real timing (timings.json) and are written by ours and by peers (pacing_peers.py) through
the real discord.py client into the stand-in, which keeps Discord's limits and takes LATENCY for a call. One to four answers
run in a channel at once. All of it in virtual time, so a figure is the same on every machine.

Prints Markdown; with `--write`, into docs/performance.md. Exit status 1 where ours met a rate limit.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import statistics
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import discord
import msgspec

from bot.delivery.pacing.pacer import Pacer
from bot.gateway.rate_headers import rate_header_trace
from bot.playground.standin import Standin, StandinConfig, WorldConfig
from bot.playground.standin.clock import Clock
from bot.playground.standin.events import MessageCreated, MessageUpdated, WorldEvent
from tests.bench import pacing_floor, report
from tests.bench.goals import Goal
from tests.bench.pacing_peers import LIMIT, Bot, Hermes, JsLlmcord, Llmcord, Nanobot, Ours
from tests.e2e.house import discord_py_restored
from tests.virtual_sockets import run

LATENCY = 0.1
"""Seconds from a call to its effect; its answer comes then."""
STAGGER = 2.0
"""Seconds within which the answers of one channel begin."""
GOAL = 0.6
"""Our mean lag in parts of a peer's."""

TOGETHER = (1, 2, 3, 4)
"""Answers in one channel."""
BEGIN = "<!-- pacing: made by `make bench ARGS=--write` -->"
END = "<!-- end of pacing -->"

OURS = "ours"
PEERS: Mapping[str, Callable[[discord.Client], Bot]] = {
    "llmcord": Llmcord,
    "js-llmcord": JsLlmcord,
    "nanobot": Nanobot,
    "hermes": Hermes,
}


class Timed(msgspec.Struct, frozen=True):
    """One recorded answer."""

    source: str
    model: str
    deltas: tuple[tuple[int, int], ...]
    """(milliseconds since the first, characters)."""


class Figures(msgspec.Struct, frozen=True):
    lags: Sequence[Sequence[float]]
    """Seconds, one a character, by answer."""
    calls: int
    limited: int
    """Of these, answered 429."""

    @property
    def mean(self) -> float:
        return statistics.fmean(self._of(self.lags))

    @property
    def p95(self) -> float:
        lags = sorted(self._of(self.lags))
        return lags[int(0.95 * len(lags))]

    @property
    def mean_of_short(self) -> float:
        """Of answers that fit into one message: what comes of pacing alone."""
        return statistics.fmean(self._of([lags for lags in self.lags if len(lags) <= LIMIT]))

    @staticmethod
    def _of(answers: Iterable[Sequence[float]]) -> list[float]:
        return [lag for lags in answers for lag in lags]


def recorded() -> Sequence[Timed]:
    return msgspec.json.decode(Path(__file__).with_name("timings.json").read_bytes(), type=list[Timed])


def groups(answers: Sequence[Timed], together: int) -> Sequence[Sequence[tuple[float, Timed]]]:
    """Who shares a channel, and when each begins. Every answer occurs equally often, whatever `together` is."""
    chance = random.Random(7)
    order = list(answers)
    chance.shuffle(order)
    step = 5
    return [
        [
            (chance.uniform(0, STAGGER) if together > 1 else 0.0, order[(first + step * nr) % len(order)])
            for nr in range(together)
        ]
        for first in range(len(order))
    ]


class Reader:
    """Somebody who looks at the channel. Answers are told apart by the letter that they are made of."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._seen: dict[str, list[tuple[float, int]]] = {}

    def hear(self, event: WorldEvent) -> None:
        if not isinstance(event, MessageCreated | MessageUpdated):
            return
        message = event.message
        embeds = "".join(embed.get("description", "") for embed in message["embeds"])
        self._texts[message["id"]] = text = message["content"] + embeds
        for letter in set(text):
            visible = sum(each.count(letter) for each in self._texts.values())
            self._seen.setdefault(letter, []).append((_now(), visible))

    def lags(self, letter: str, start: float, answer: Timed) -> list[float]:
        """Of each character: when it could be read first, less when it arrived."""
        lags: list[float] = []
        seen = iter(self._seen[letter])
        at, visible = next(seen)
        for milliseconds, size in answer.deltas:
            for _ in range(size):
                while visible <= len(lags):
                    at, visible = next(seen)
                lags.append(at - start - milliseconds / 1000)
        return lags


async def arriving(letter: str, start: float, answer: Timed) -> AsyncIterator[str]:
    """The model: its text comes at its times, whoever reads it, and waits in between."""
    for milliseconds, size in answer.deltas:
        await asyncio.sleep(start + milliseconds / 1000 - _now())
        yield letter * size


@asynccontextmanager
async def connected(pacer: Pacer) -> AsyncIterator[tuple[Standin, discord.Client]]:
    loop = asyncio.get_running_loop()
    clock = Clock(now=loop.time, wall=lambda: 1.8e9 + loop.time())
    with discord_py_restored():
        async with Standin(StandinConfig(world=WorldConfig(channels=("channel",)), clock=clock)) as standin:
            discord.http.Route.BASE = standin.api_url
            client = discord.Client(intents=discord.Intents.none(), http_trace=rate_header_trace(pacer))
            async with client:
                await client.login(standin.token)
                yield standin, client


async def play(name: str, group: Sequence[tuple[float, Timed]]) -> Figures:
    pacer, reader = Pacer(), Reader()
    async with connected(pacer) as (standin, client):
        standin.world.listeners.append(reader.hear)
        for method in ("POST", "PATCH"):
            standin.fail(method, "/channels/", delay=LATENCY, times=400)
        channel = client.get_partial_messageable(int(standin.channel("channel").id), guild_id=1)
        bot: Bot = Ours(client, pacer) if name == OURS else PEERS[name](client)
        begin = _now()
        async with asyncio.TaskGroup() as turns:
            for nr, (offset, answer) in enumerate(group):
                letter = chr(ord("a") + nr)
                turns.create_task(bot.answer(letter, channel, arriving(letter, begin + offset, answer)))
        lags = [reader.lags(chr(ord("a") + nr), begin + offset, answer) for nr, (offset, answer) in enumerate(group)]
        calls = [call for call in standin.calls if "/channels/" in call.path]
        return Figures(lags, len(calls), sum(call.status == 429 for call in calls))


def race(together: int, answers: Sequence[Timed], every: int) -> dict[str, Figures]:
    """By contestant."""
    chosen = groups(answers, together)[::every]
    found: dict[str, Figures] = {}
    for name in (OURS, *PEERS):
        parts = [run(play(name, group)) for group in chosen]
        found[name] = Figures(
            [lags for part in parts for lags in part.lags],
            sum(part.calls for part in parts),
            sum(part.limited for part in parts),
        )
    return found


def goals_of(together: int, found: Mapping[str, Figures]) -> Iterator[Goal]:
    ours, what = found[OURS], f"{together} at once"
    for name in PEERS:
        yield Goal(f"{what}: lag of ours / {name}", ours.mean / found[name].mean, GOAL, decides=False)
        short = ours.mean_of_short / found[name].mean_of_short
        yield Goal(f"{what}, answers of one message: lag of ours / {name}", short, GOAL, decides=False)
    yield Goal(f"{what}: calls of ours answered 429", ours.limited, 0, unit="calls")


def markdown(races: Mapping[int, Mapping[str, Figures]], floor: float) -> str:
    head = ["at once", "who", "mean s", "p95 s", "ours / this", "one message: mean s", "ours / this", "calls", "429"]
    rows = [["1", "floor", f"{floor:.2f}", *[""] * 6]]
    for together, found in races.items():
        ours = found[OURS]
        rows += [
            [
                str(together),
                f"**{name}**" if name == OURS else name,
                f"{figures.mean:.2f}",
                f"{figures.p95:.2f}",
                f"{ours.mean / figures.mean:.2f}",
                f"{figures.mean_of_short:.2f}",
                f"{ours.mean_of_short / figures.mean_of_short:.2f}",
                str(figures.calls),
                str(figures.limited),
            ]
            for name, figures in found.items()
        ]
    return report.table(head, rows)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.pacing", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a third of the answers")
    parser.add_argument("--write", action="store_true", help="put the figures into docs/performance.md")
    options = parser.parse_args()
    every = 3 if options.quick else 1
    answers = recorded()
    races = {together: race(together, answers, every) for together in TOGETHER}
    alone = [answer for group in groups(answers, 1)[::every] for _, answer in group]
    figures = markdown(races, pacing_floor.mean_lag([answer.deltas for answer in alone], LATENCY))
    print(figures, "\n")
    goals = [goal for together, found in races.items() for goal in goals_of(together, found)]
    for goal in goals:
        print(goal)
    if options.write:
        report.write(figures, BEGIN, END)
    return int(any(goal.failed for goal in goals))


def _now() -> float:
    return asyncio.get_running_loop().time()


if __name__ == "__main__":
    sys.exit(main())

"""What the figures should be. Ratios of one run hold on any machine, so they decide; times and latencies are for reading.

A ratio fails only when it misses its goal by more than the slack: less can be the machine's doing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from tests.bench.contestants import ORJSON, OURS
from tests.bench.live_arguments import JITER
from tests.bench.measuring import Race
from tests.bench.peers import ANTHROPIC, GOOGLE, LITELLM, OPENAI

SLACK: Final = 0.25


class Goal(msgspec.Struct, frozen=True):
    """One figure and its bound."""

    title: str
    figure: float
    bound: float
    at_least: bool = False
    """The figure shall be at least the bound; else at most."""
    unit: str = "x"
    decides: bool = True
    """Missing it, with slack, is a failure."""

    @property
    def met(self) -> bool:
        return self.figure >= self.bound if self.at_least else self.figure <= self.bound

    @property
    def failed(self) -> bool:
        if not self.decides:
            return False
        slack = 1 - SLACK if self.at_least else 1 + SLACK
        return self.figure < self.bound * slack if self.at_least else self.figure > self.bound * slack

    @property
    def verdict(self) -> str:
        return "met" if self.met else "FAILED" if self.failed else "not met"

    def __str__(self) -> str:
        sign = "≥" if self.at_least else "≤"
        return f"{self.verdict:8} {self.title}: {self.figure:.2f} {self.unit} (goal {sign} {self.bound:g} {self.unit})"


AGAINST_PEERS: Final[Mapping[tuple[str, str], float]] = {
    ("chat-text", OPENAI): 40,
    ("chat-text", LITELLM): 200,
    ("chat-tools", OPENAI): 30,
    ("anthropic-text", ANTHROPIC): 8,
    ("google-text", GOOGLE): 50,
}
"""(sample, peer) -> how many times as long the peer shall take."""

AGAINST_THE_FLOOR: Final[Mapping[str, float]] = {
    "chat-text": 1.5,
    "chat-tools": 1.5,
    "responses-text": 2,
    "anthropic-text": 2,
    "anthropic-mixed": 2,
    "google-text": 2,
}
"""Sample -> how many times as long as splitting and parsing alone ours may take."""


def goals_of(races: Iterable[Race]) -> list[Goal]:
    """The goals that these races have something to say about."""
    goals: list[Goal] = []
    for race in races:
        floor = AGAINST_THE_FLOOR.get(race.sample)
        if floor is not None:
            goals.append(Goal(f"{race.sample}: ours / {ORJSON}", race.ratio(OURS, ORJSON), floor))
        for (sample, peer), bound in AGAINST_PEERS.items():
            if sample == race.sample and peer in race.seconds:
                goals.append(Goal(f"{sample}: {peer} / ours", race.ratio(peer, OURS), bound, at_least=True))
    return goals


LIVE_SIZE: Final = 100_000
"""Characters of the arguments at which ours is compared with parsing anew."""

LIVE_AGAINST_JITER: Final = 60
"""How many times as long the quickest parser shall take for a piece."""

LIVE_GROWTH: Final = 1.5
"""How many times as long a piece may take in the largest arguments as in the smallest. Reading is linear; what is left is for
Python's garbage collector, which walks through a value of ten thousand objects now and then."""


def goals_of_live_arguments(races: Mapping[str, Mapping[int, Race]], growth: Mapping[str, float]) -> list[Goal]:
    """Of the two results of tests.bench.live_arguments, by shape."""
    against = [
        Goal(
            f"arguments, {shape}, {LIVE_SIZE:,}: {JITER} / ours",
            sizes[LIVE_SIZE].ratio(JITER, OURS),
            LIVE_AGAINST_JITER,
            at_least=True,
        )
        for shape, sizes in races.items()
    ]
    grown = [
        Goal(f"arguments, {shape}: a piece of 1 MB / one of 10 KB", ratio, LIVE_GROWTH)
        for shape, ratio in growth.items()
    ]
    return [*against, *grown]

"""`python -m tests.bench.delivery`: how fast a word gets into the channel, and what streaming costs. Figures, not tests.

The bot, the stand-in and the scripted provider share one process and one event loop here, so what is measured is an
upper bound of the bot's own share. The peer is a bare discord.py client that replies to each message at once: the floor
that Discord's client and loopback sockets set.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import discord
import yarl

from bot.observability import configure_logging
from bot.playground.scripted_provider import Say, Until, spoken
from bot.playground.standin import Standin, StandinConfig, WorldConfig
from bot.playground.standin.rate_limits import MESSAGE_CREATE, MESSAGE_EDIT, BucketRule
from bot.settings import LogFormat, LogLevel
from tests.e2e.house import House, discord_py_restored, open_house

PROBE = 0.005
"""Seconds between two looks at the clock by the loop's probe."""

BREATH = 0.15
"""Seconds between questions, so that Discord's global limit of 50 calls a second is not what is measured."""

ROOMY = StandinConfig(buckets={rule.name: BucketRule(rule.name, 1000, 5.0) for rule in (MESSAGE_CREATE, MESSAGE_EDIT)})
"""Limits that nobody meets. Without any, answers have no headers, and the bot keeps to the usual ones."""


class LoopProbe:
    """How late a timer of PROBE seconds comes: the time for which something else held the loop."""

    def __init__(self) -> None:
        self.lags: list[float] = []

    async def __aenter__(self) -> LoopProbe:
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()

    async def _run(self) -> None:
        now = asyncio.get_running_loop().time
        while True:
            due = now() + PROBE
            await asyncio.sleep(PROBE)
            self.lags.append(now() - due)


def in_ms(seconds: Sequence[float]) -> str:
    ordered = sorted(seconds)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return f"median {statistics.median(ordered) * 1e3:.1f} ms, p99 {p99 * 1e3:.1f} ms, max {ordered[-1] * 1e3:.1f} ms"


@asynccontextmanager
async def bare_client(standin: Standin) -> AsyncIterator[None]:
    """The peer: discord.py alone, which says "ok" to every message of a person."""
    client = discord.Client(intents=discord.Intents(guilds=True, messages=True), guild_ready_timeout=0.05)

    @client.event
    async def on_message(message: discord.Message) -> None:
        if not message.author.bot:
            await message.reply("ok")

    with discord_py_restored():
        discord.http.Route.BASE = standin.api_url
        discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(standin.gateway_url)
        running = asyncio.create_task(client.start(standin.token))
        await standin.wait_for(lambda s: s.connected_sessions == 1)
        yield
        await client.close()
        await running


def _has_answers(house: House, number: int, _: Standin) -> bool:
    return len(house.answers()) == number


async def floor(rounds: int) -> list[float]:
    """Question to reply of the bare client."""
    now, taken = asyncio.get_running_loop().time, []
    async with Standin(ROOMY) as standin, bare_client(standin):
        house = House(standin, None)
        for number in range(1, rounds + 1):
            asked = now()
            await house.ask("hello")
            await standin.wait_for(partial(_has_answers, house, number))
            taken.append(now() - asked)
            await asyncio.sleep(BREATH)
    return taken


async def first_text(rounds: int, folder: Path) -> tuple[list[float], list[float]]:
    """(question to first text, the provider's first delta to first text) of ours."""
    now = asyncio.get_running_loop().time
    from_question, from_delta = [], []
    async with open_house(folder, config=ROOMY, validated=False) as house:
        for number in range(1, rounds + 1):
            gate = asyncio.Event()
            house.script = [Until(gate), Say("First words."), Say(" And the rest.")]
            house.provider.asked.clear()
            asked = now()
            await house.ask("hello")
            await house.provider.asked.wait()
            prepared, delta = now() - asked, now()
            gate.set()
            await house.standin.wait_for(partial(_has_answers, house, number))
            from_delta.append(now() - delta)
            from_question.append(prepared + from_delta[-1])
            await house.answered(number)
            await asyncio.sleep(BREATH)
    return from_question, from_delta


async def streaming(channels: int, seconds: float, folder: Path) -> None:
    """Answers at 20 deltas a second in several channels at once, under Discord's own limits."""
    names = tuple(f"channel-{number}" for number in range(channels))
    config = StandinConfig(world=WorldConfig(channels=("general", *names)))
    async with open_house(folder, config=config, validated=False) as house, LoopProbe() as probe:
        house.script = spoken("word " * int(seconds * 20), pause=0.05, size=5)
        places = [house.standin.channel(name) for name in names]
        for place in places:
            await house.ask("talk", in_channel=place)
        for place in places:
            await house.answered(1, place)
        edits = len(house.calls("PATCH", "/messages/"))
        refused = sum(call.status == 429 for call in house.standin.calls)
        print(f"streaming: {channels} channels side by side, 20 deltas/s each for {seconds:g} s")
        print(f"  answers of status 429: {refused}")
        print(f"  edits: {edits}, one in {channels * seconds / edits:.2f} s per channel")
        print(f"  event loop held: {in_ms(probe.lags)}")


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.delivery", description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--channels", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=15.0)
    options = parser.parse_args()
    configure_logging(LogFormat.CONSOLE, LogLevel.WARNING)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        peer = await floor(options.rounds)
        ours, from_delta = await first_text(options.rounds, folder / "first")
        print(f"first text, {options.rounds} questions one after the other")
        print(f"  provider's first delta -> text in the channel: {in_ms(from_delta)}")
        print(f"  question -> text in the channel: {in_ms(ours)}")
        print(f"  question -> reply of a bare discord.py client: {in_ms(peer)}")
        print(f"  ratio of the medians: {statistics.median(ours) / statistics.median(peer):.2f}")
        await streaming(options.channels, options.seconds, folder / "streaming")


if __name__ == "__main__":
    asyncio.run(main())

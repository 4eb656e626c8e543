"""A real discord.py client that has logged in at the stand-in, in virtual time, with a pacer that listens to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord
import msgspec

from bot.delivery.pacing.pacer import Pacer
from bot.delivery.sender import LONGEST_WAIT
from bot.gateway.rate_headers import rate_header_trace
from bot.playground.standin import Clock, Standin, StandinConfig


class Connected(msgspec.Struct, frozen=True):
    standin: Standin
    client: discord.Client
    pacer: Pacer
    channel_id: int

    def posts(self, what: str) -> list[float]:
        """When such calls arrived; `what`: the end of their path."""
        return [round(call.at, 1) for call in self.standin.calls if call.method == "POST" and call.path.endswith(what)]


@asynccontextmanager
async def connected(**config: Any) -> AsyncIterator[Connected]:
    loop = asyncio.get_running_loop()
    clock = Clock(now=loop.time, wall=lambda: 1.8e9 + loop.time())
    base = discord.http.Route.BASE
    async with Standin(StandinConfig(clock=clock, **config)) as standin:
        discord.http.Route.BASE = standin.api_url
        pacer = Pacer()
        trace = rate_header_trace(pacer)
        client = discord.Client(intents=discord.Intents.none(), http_trace=trace, max_ratelimit_timeout=LONGEST_WAIT)
        try:
            async with client:
                await client.login(standin.token)
                yield Connected(standin, client, pacer, int(standin.channel("general").id))
        finally:
            discord.http.Route.BASE = base

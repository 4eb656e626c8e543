"""How other bots pace their edits, each in as few lines as its behaviour takes. Written after their descriptions, not copied.

All of them, and ours, go through the same discord.py client. A Bot is one process of such a bot; it may serve several
answers at once. `deltas` gives the model's text as it arrives, and keeps what was not asked for yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Protocol

import discord

from bot.delivery.flusher import Flusher
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.sender import DiscordSender, Place
from tests.bench.answers import new_answer

LIMIT = 2000
Deltas = AsyncIterator[str]


class Bot(Protocol):
    async def answer(self, name: str, channel: discord.PartialMessageable, deltas: Deltas) -> None: ...


class Ours:
    """Answer, flusher, pacer and sender as they are."""

    def __init__(self, client: discord.Client, pacer: Pacer) -> None:
        self._client = client
        self._pacer = pacer

    async def answer(self, name: str, channel: discord.PartialMessageable, deltas: Deltas) -> None:
        written = new_answer()
        sender = DiscordSender(lambda: self._client, Place(channel.id, channel.guild_id, 1), may_reply=False)
        lane = self._pacer.lane(channel.id)
        async with Flusher(sender, lane, written, name, lambda _: None) as flusher:
            async for delta in deltas:
                written.add_text(delta)
                flusher.wake()
            await flusher.finish()
        lane.close()


class Llmcord:
    """llmcord: one clock of 1.0 s for the whole process; it edits inside the loop that reads, so the model's text waits for
    Discord; a delta is shown when the next one comes; no timer. Embeds of 4,096."""

    DELAY = 1.0
    SIZE = 4096 - 2

    def __init__(self, client: discord.Client) -> None:
        self._last = float("-inf")

    async def answer(self, name: str, channel: discord.PartialMessageable, deltas: Deltas) -> None:
        message: discord.Message | None = None
        shown, held = "", ""
        async for delta in deltas:
            shown, held = shown + held, delta
            if not shown:
                continue
            full = len(shown) + len(held) > self.SIZE
            if message is None:
                message = await channel.send(embed=discord.Embed(description=shown))
            elif full or _now() - self._last >= self.DELAY:
                await self._edit(message, shown)
            else:
                continue
            self._last = _now()
            if full:
                message, shown = None, ""
        if message is None:
            await channel.send(embed=discord.Embed(description=shown + held))
        else:
            await self._edit(message, shown + held)
        self._last = _now()

    async def _edit(self, message: discord.Message, text: str) -> None:
        await asyncio.sleep(self.DELAY - (_now() - self._last))
        await message.edit(embed=discord.Embed(description=text))


class JsLlmcord:
    """js-llmcord: reading and writing are apart; every 0.1 s whatever changed is sent, one call after the other, with the
    newest text; the library's queue does the pacing."""

    TICK = 0.1

    def __init__(self, client: discord.Client) -> None:
        pass

    async def answer(self, name: str, channel: discord.PartialMessageable, deltas: Deltas) -> None:
        reading = _Reading(deltas)
        messages: list[tuple[discord.Message, str]] = []
        while True:
            over = reading.over
            for slot, piece in enumerate(_pieces(reading.text)):
                if slot == len(messages):
                    messages.append((await channel.send(piece), piece))
                elif messages[slot][1] != piece:
                    messages[slot] = (await messages[slot][0].edit(content=piece), piece)
            if over:
                return
            await asyncio.sleep(self.TICK)


class Nanobot:
    """nanobot: deltas of all answers go through one dispatcher that waits for each call, and takes what came meanwhile as one;
    an edit when 0.8 s have passed, and only when a delta comes; the first 2,000 characters until the end."""

    DELAY = 0.8

    def __init__(self, client: discord.Client) -> None:
        self._turn = asyncio.Lock()
        """The dispatcher: who waits is served in order."""

    async def answer(self, name: str, channel: discord.PartialMessageable, deltas: Deltas) -> None:
        reading, message, last = _Reading(deltas), None, 0.0
        async for _ in reading.news():
            async with self._turn:
                if message is None:
                    message, last = await channel.send(reading.text[:LIMIT]), _now()
                elif _now() - last >= self.DELAY:
                    await message.edit(content=reading.text[:LIMIT])
                    last = _now()
        async with self._turn:
            await _rest(channel, message, reading.text)


class Hermes:
    """hermes: looks every 0.05 s; sends the newest text when 0.8 s have passed or 24 characters wait; the first 2,000 characters
    until the end."""

    TICK, DELAY, WAITING = 0.05, 0.8, 24

    def __init__(self, client: discord.Client) -> None:
        pass

    async def answer(self, name: str, channel: discord.PartialMessageable, deltas: Deltas) -> None:
        reading = _Reading(deltas)
        message: discord.Message | None = None
        shown, last = "", 0.0
        while not reading.over:
            text = reading.text
            waiting = len(text) - len(shown)
            if text and waiting and (_now() - last >= self.DELAY or waiting >= self.WAITING):
                if message is None:
                    message = await channel.send(text[:LIMIT])
                elif text[:LIMIT] != shown[:LIMIT]:
                    await message.edit(content=text[:LIMIT])
                shown, last = text, _now()
            await asyncio.sleep(self.TICK)
        await _rest(channel, message, reading.text)


class _Reading:
    """Reads on, whatever the writer does."""

    def __init__(self, deltas: Deltas) -> None:
        self.text = ""
        self._news = asyncio.Event()
        self._task = asyncio.create_task(self._read(deltas))

    async def _read(self, deltas: Deltas) -> None:
        async for delta in deltas:
            self.text += delta
            self._news.set()
        self._news.set()

    async def news(self) -> AsyncIterator[None]:
        """Once for all deltas that came since; ends with the text."""
        while True:
            await self._news.wait()
            self._news.clear()
            if self.over:
                return
            yield

    @property
    def over(self) -> bool:
        return self._task.done()


async def _rest(channel: discord.PartialMessageable, message: discord.Message | None, text: str) -> None:
    """The end of who showed one message so far."""
    first, *others = _pieces(text)
    if message is None:
        await channel.send(first)
    else:
        await message.edit(content=first)
    for piece in others:
        await channel.send(piece)


def _pieces(text: str) -> list[str]:
    return [text[at : at + LIMIT] for at in range(0, len(text), LIMIT)]


def _now() -> float:
    return asyncio.get_running_loop().time()

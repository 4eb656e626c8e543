"""A channel of the stand-in, and senders that write into it with the real discord.py over real sockets."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import discord

from bot.delivery.outcome import Outcome
from bot.delivery.plan import Create, Edit, MessagePlan
from bot.delivery.sender import DiscordSender, Place
from bot.playground.standin import Channel, Standin, StandinConfig
from tests.playground.standin_dialogue import UNLIMITED, Listener, running, standin_under_oracle

Json = dict[str, Any]


class Room:
    def __init__(self, standin: Standin, client: discord.Client, channel: Channel, question_id: str) -> None:
        self.standin = standin
        self.client = client
        self.channel = channel
        self.question_id = question_id

    def sender(self, **options: Any) -> DiscordSender:
        guild_id = int(self.channel.guild_id) if self.channel.guild_id else None
        place = Place(int(self.channel.id), guild_id, int(self.question_id))
        return DiscordSender(lambda: self.client, place, **options)

    async def post(self, sender: DiscordSender, *plans: MessagePlan) -> list[Outcome]:
        return [await sender.send(Create(slot, plan), "turn") for slot, plan in enumerate(plans)]

    async def replace(
        self, sender: DiscordSender, before: MessagePlan, after: MessagePlan, *, files_changed: bool = False
    ) -> Outcome:
        """Post one, then edit it into the other."""
        (posted,) = await self.post(sender, before)
        assert posted.message_id is not None
        return await sender.send(Edit(0, posted.message_id, after, files_changed), "turn")

    @property
    def messages(self) -> Sequence[Json]:
        """Ours, oldest first."""
        return [message for message in self.standin.messages(self.channel) if message["id"] != self.question_id]

    @property
    def message(self) -> Json:
        (only,) = self.messages
        return only

    def calls(self, *methods: str) -> Sequence[Any]:
        return [call for call in self.standin.calls if call.method in methods and "/messages" in call.path]

    def files(self, message: Json) -> dict[str, bytes]:
        return {file["filename"]: self.standin.attachment(file["id"]) for file in message["attachments"]}


@asynccontextmanager
async def open_room(
    config: StandinConfig = UNLIMITED, *, connected: bool = False, thread: bool = False, direct: bool = False
) -> AsyncIterator[Room]:
    """`connected`: the client knows its servers, and not only its token."""
    async with standin_under_oracle(config) as standin:
        ada = standin.user("Ada")
        channel = standin.dm(ada) if direct else standin.channel("general")
        if thread:
            channel = await standin.start_thread(ada, channel, "talk")
        question = await standin.say(ada, channel, "A question.")
        client = Listener()
        if connected:
            async with running(standin, client):
                yield Room(standin, client, channel, question["id"])
            return
        await client.login(standin.token)
        try:
            yield Room(standin, client, channel, question["id"])
        finally:
            await client.close()

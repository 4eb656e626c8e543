"""Our webhook of a channel: found again, made once, and never somebody else's."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord

from bot.delivery.webhook_sender import Voice
from bot.gateway.own_messages import is_ours
from bot.gateway.webhooks import NONE_FOR, Webhooks
from bot.playground.standin import Standin
from bot.playground.standin.permissions import Permission
from tests.playground.standin_dialogue import Listener, running, standin_under_oracle
from tests.virtual_sockets import run


class Hall:
    def __init__(self, standin: Standin, client: Listener) -> None:
        self.standin = standin
        self.client = client
        self.webhooks = Webhooks(lambda: client)
        self.channel = client.text_channel()

    async def voice(self, channel: discord.TextChannel | discord.Thread | None = None) -> Voice | None:
        return await self.webhooks.voice(channel or self.channel, "Ann", None)

    @property
    def made(self) -> list[str]:
        return [webhook.name for webhook in self.standin.world.webhooks.values()]

    def looked_up(self) -> int:
        return sum(call.path.endswith("/webhooks") and call.method == "GET" for call in self.standin.calls)


@asynccontextmanager
async def open_hall(*, allowed: bool = True) -> AsyncIterator[Hall]:
    async with standin_under_oracle() as standin:
        for name in ("general", "random") if allowed else ():
            standin.set_permissions(standin.channel(name), standin.bot_id, allow=Permission.MANAGE_WEBHOOKS)
        client = Listener()
        async with running(standin, client):
            yield Hall(standin, client)


async def test_a_channel_has_one_however_many_answers_ask_for_it_at_once() -> None:
    async with open_hall() as hall:
        first, *others = await asyncio.gather(*(hall.voice() for _ in range(5)))
        assert first is not None
        assert others == [first] * 4
        assert hall.made == ["Parley"]
        assert hall.looked_up() == 1
        other = await hall.voice(hall.client.text_channel("random"))
        assert other is not None
        assert other.webhook_id != first.webhook_id


async def test_after_a_restart_it_is_found_again() -> None:
    async with open_hall() as hall:
        first = await hall.voice()
        hall.webhooks = Webhooks(lambda: hall.client)
        assert await hall.voice() == first
        assert len(hall.made) == 1


async def test_somebody_elses_webhook_is_left_alone() -> None:
    async with open_hall() as hall:
        theirs = hall.standin.add_webhook(hall.standin.channel("general"), "Parley", by=hall.standin.user("Ada"))
        voice = await hall.voice()
        assert voice is not None
        assert voice.webhook_id != int(theirs.id)


async def test_a_thread_speaks_by_its_channels_webhook() -> None:
    async with open_hall() as hall:
        started = await hall.standin.start_thread(hall.standin.user("Ada"), hall.standin.channel("general"), "talk")
        await hall.client.until_heard("thread")
        thread = hall.channel.get_thread(int(started.id))
        assert thread is not None
        voice, above = await hall.voice(thread), await hall.voice()
        assert voice is not None
        assert above is not None
        assert (voice.webhook_id, voice.thread_id, above.thread_id) == (above.webhook_id, thread.id, None)
        assert voice.pacing_place == above.pacing_place


async def test_without_the_permission_discord_is_not_even_asked() -> None:
    async with open_hall(allowed=False) as hall:
        assert await hall.voice() is None
        assert hall.looked_up() == 0


async def test_in_a_direct_message_there_are_none() -> None:
    async with open_hall() as hall:
        direct = await hall.client.create_dm(discord.Object(int(hall.standin.user("Ada").id)))
        assert await hall.webhooks.voice(direct, "Ann", None) is None


def test_where_others_took_all_fifteen_there_is_none_and_discord_is_not_asked_each_time() -> None:
    async def main() -> None:
        async with open_hall() as hall:
            for nr in range(15):
                hall.standin.add_webhook(hall.standin.channel("general"), f"theirs {nr}", by=hall.standin.user("Ada"))
            assert [await hall.voice() for _ in range(3)] == [None] * 3
            assert hall.looked_up() == 1
            await asyncio.sleep(NONE_FOR)
            assert await hall.voice() is None
            assert hall.looked_up() == 2

    run(main())


async def test_one_that_turned_out_to_be_gone_is_made_anew() -> None:
    async with open_hall() as hall:
        first = await hall.voice()
        assert first is not None
        hall.standin.remove_webhook(str(first.webhook_id))
        assert await hall.voice() == first, "nobody noticed yet"
        again = await hall.webhooks.voice(hall.channel, "Ann", None, not_by=first.webhook_id)
        assert again is not None
        assert again.webhook_id != first.webhook_id
        assert await hall.voice() == again


async def test_messages_of_ours_are_told_from_those_of_other_webhooks() -> None:
    async with open_hall() as hall:
        voice = await hall.voice()
        assert voice is not None
        ours = hall.standin.world.webhooks[str(voice.webhook_id)]
        theirs = hall.standin.add_webhook(hall.standin.channel("general"), "News", by=hall.standin.user("Ada"))
        for webhook in (ours, theirs):
            await hall.standin.execute_webhook(webhook, "Hello.", username="Ann")
        await hall.standin.say(hall.standin.user("Ada"), hall.standin.channel("general"), "Hello.")
        messages = [message async for message in hall.channel.history(oldest_first=True)]
        assert [is_ours(message, hall.client) for message in messages] == [True, False, False]
        assert [message.webhook_id in hall.webhooks for message in messages] == [True, False, False]

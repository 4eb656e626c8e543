"""The discord.py client: from MESSAGE_CREATE to a queued turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import aiohttp
import discord
import msgspec
import structlog

from bot.delivery.controls import is_stop_word
from bot.delivery.error_embeds import notice_embed
from bot.delivery.footer import embed_alone
from bot.delivery.plan import Create
from bot.delivery.sender import LONGEST_WAIT
from bot.delivery.told_lately import ToldLately
from bot.gateway.admission import refusal
from bot.gateway.channel import QuestionChannel
from bot.gateway.controls import ControlButton, Controls
from bot.gateway.private_notices import PrivateNotices
from bot.gateway.rate_headers import rate_header_trace
from bot.gateway.stopping import Stopping
from bot.gateway.triggers import Incoming, trigger_of
from bot.preferences import DEFAULTS
from bot.turn.parts import TurnParts
from bot.turn.queue import TurnQueue
from bot.turn.request import TurnRequest, new_turn_id
from bot.turn.runner import TurnRunner

log = structlog.get_logger()

# Parley does not speak in voice channels, so it need not be warned that it cannot.
discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


TURN_AWAY_EVERY = 30.0
"""Seconds between two notices of that kind in a channel."""
MOST_TURNED_AWAY = 4096
"""Channels remembered for that."""


class Shards(msgspec.Struct, frozen=True):
    """Which shards this process runs; by default all, as many as Discord recommends."""

    ids: Sequence[int] = ()
    count: int | None = None


class ParleyClient(discord.AutoShardedClient):
    def __init__(
        self,
        parts: TurnParts,
        queue: TurnQueue,
        runner: TurnRunner,
        *,
        ready: asyncio.Event,
        current: Callable[[], discord.Client],
        message_content: bool,
        shards: Shards,
    ) -> None:
        """`ready` is set once the client knows its servers. `current` gives the client that is connected now."""
        options: dict[str, Any] = {"shard_ids": list(shards.ids) or None, "shard_count": shards.count}
        super().__init__(
            intents=discord.Intents(guilds=True, messages=True, message_content=message_content),
            allowed_mentions=discord.AllowedMentions.none(),
            member_cache_flags=discord.MemberCacheFlags.none(),
            chunk_guilds_at_startup=False,
            # Seconds without a further server until it says it is ready. Messages are answered before that too.
            guild_ready_timeout=0.5,
            http_trace=rate_header_trace(parts.pacing),
            max_ratelimit_timeout=LONGEST_WAIT,
            **options,
        )
        _open_gate_when_cancelled(self.http)
        self._parts = parts
        self._queue = queue
        self._runner = runner
        self._seen_servers = ready
        self._current = current
        self._notices = PrivateNotices(current)
        self.controls = Controls(parts, queue, runner, current, self._notices)
        self.stopping = Stopping(queue, runner)
        self.preferences = parts.preferences
        self.add_dynamic_items(ControlButton)
        self._turned_away = ToldLately(TURN_AWAY_EVERY, MOST_TURNED_AWAY)
        """Channels that were just told that too many questions wait there."""

    async def on_ready(self) -> None:
        self._seen_servers.set()
        log.info("ready", user=str(self.user), guilds=len(self.guilds), shards=self.shard_count)

    async def on_message(self, message: discord.Message) -> None:
        arrived = asyncio.get_running_loop().time()
        trigger = trigger_of(self._incoming(message))
        if trigger is None or self._stops(message):
            return
        if (refused := refusal(message.channel, message.guild)) is not None:
            log.info("not_answered", why=refused, channel=message.channel.id, question=message.id)
            return
        guild_id = message.guild.id if message.guild else None
        request = TurnRequest(
            turn_id=new_turn_id(),
            question_id=message.id,
            channel_id=message.channel.id,
            guild_id=guild_id,
            asker_id=message.author.id,
            locale=message.guild.preferred_locale.value if message.guild else None,
            arrived=arrived,
            channel=QuestionChannel(self._current, message, self._parts.journal, self._parts.pacing, self._notices),
        )
        log.debug("question", turn=request.turn_id, trigger=trigger, question=message.id, channel=message.channel.id)
        # Nothing is awaited up to here: questions are queued in the order in which they were asked.
        if self._queue.submit(request):
            return
        if self._queue.closed:
            # Another process may answer it; its being unclaimed leaves it to whoever can.
            log.info("not_answered", why="stopping", question=message.id)
        elif not self._turned_away.is_again(message.channel.id, arrived):
            await self._turn_away(request)

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        await self._message_deleted(event.message_id)

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        for message_id in event.message_ids:
            await self._message_deleted(message_id)

    async def _message_deleted(self, message_id: int) -> None:
        self._queue.withdraw(message_id)
        self._runner.message_deleted(message_id)
        await self._parts.journal.message_deleted(message_id)

    async def on_error(self, event_method: str, /, *_args: Any, **_kwargs: Any) -> None:
        log.exception("event_handler_failed", handler=event_method)

    def _stops(self, message: discord.Message) -> bool:
        """Whether it was no question, but the wish to hear no more, and there was something to stop."""
        assert self.user is not None
        text = message.content.replace(f"<@{self.user.id}>", "").replace(f"<@!{self.user.id}>", "")
        words = self._parts.translator
        if not is_stop_word(text, *(words.say(locale) for locale in words.locales)):
            return False
        guild = message.guild
        permissions = discord.Permissions.none()
        if guild is not None and isinstance(message.author, discord.Member):
            permissions = message.channel.permissions_for(message.author)
        return self.stopping.stop(message.channel.id, message.author, permissions)

    def _incoming(self, message: discord.Message) -> Incoming:
        assert self.user is not None
        replied = message.reference.resolved if message.reference else None
        return Incoming(
            from_me=message.author.id == self.user.id,
            from_bot=message.author.bot,
            from_webhook=message.webhook_id is not None,
            written_by_a_person=message.type in (discord.MessageType.default, discord.MessageType.reply),
            # A message of a server that is not cached has no guild either.
            direct=isinstance(message.channel, discord.DMChannel),
            mentions_me=any(user.id == self.user.id for user in message.mentions),
            replies_to_me=isinstance(replied, discord.Message) and replied.author.id == self.user.id,
        )

    async def _turn_away(self, request: TurnRequest) -> None:
        words = self._parts.translator.say(request.locale)
        plan = embed_alone(notice_embed(words, "notice-queue-full"), may_embed=request.channel.may_embed)
        await request.channel.sender(DEFAULTS, words).send(Create(0, plan), request.turn_id)


def _open_gate_when_cancelled(http: discord.http.HTTPClient) -> None:
    """A call of discord.py that sleeps through a global rate limit holds up all others, and when it is cancelled in that
    sleep it never lets them go again (HTTPClient.request, 2.7). Turns that are stopped cancel their calls.
    """
    request = http.request

    async def guarded(*arguments: Any, **options: Any) -> Any:
        try:
            return await request(*arguments, **options)
        except asyncio.CancelledError:
            http._global_over.set()
            raise

    http.request = guarded  # type: ignore[method-assign]  # the one way to it without a copy of the class


def connection_lost(error: BaseException) -> bool:
    """Discord, or the way to it, is down: waiting helps."""
    return isinstance(error, aiohttp.ClientError | OSError | discord.GatewayNotFound | discord.DiscordServerError)

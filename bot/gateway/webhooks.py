"""Our webhooks: one in a channel where a persona speaks, found again or made, and never anybody else's.

What a channel's webhook is, Discord knows; it is looked up once and remembered, also that there can be none (too many are there,
or Discord refused), for a while. A message of a webhook that this application owns names the application, so ours are told
from others also after a restart.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import TypeAlias
from weakref import WeakValueDictionary

import discord
import msgspec
import structlog

from bot.delivery.refusals import FAILURES
from bot.delivery.webhook_calls import Credentials
from bot.delivery.webhook_sender import Voice, speakable

log = structlog.get_logger()

MOST_CHANNELS = 4096
"""Channels whose webhooks are remembered."""
NONE_FOR = 600.0
"""Seconds for which a channel without one is not asked again."""

_WithWebhooks: TypeAlias = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.ForumChannel


class _Known(msgspec.Struct, frozen=True):
    webhook: Credentials | None
    looked_at: float


class Webhooks:
    def __init__(self, current: Callable[[], discord.Client]) -> None:
        """`current` gives the client that is connected now."""
        self._current = current
        self._known: OrderedDict[int, _Known] = OrderedDict()
        """By channel id, the one used longest ago first."""
        self._ids: set[int] = set()
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    async def voice(
        self, channel: discord.abc.MessageableChannel, name: str, avatar_url: str | None, *, not_by: int | None = None
    ) -> Voice | None:
        """For a persona to speak in this channel or thread; None where we have no webhook there and may make none.

        `not_by`: id of a webhook that turned out to be gone."""
        home = channel.parent if isinstance(channel, discord.Thread) else channel
        if not isinstance(home, _WithWebhooks) or not home.permissions_for(home.guild.me).manage_webhooks:
            return None
        webhook = await self._of(home, not_by)
        if webhook is None:
            return None
        thread_id = channel.id if isinstance(channel, discord.Thread) else None
        return Voice(webhook.id, webhook.token, name, avatar_url, thread_id)

    def __contains__(self, webhook_id: object) -> bool:
        """Whether it is one that we speak by, as far as this process knows."""
        return webhook_id in self._ids

    async def _of(self, channel: _WithWebhooks, not_by: int | None) -> Credentials | None:
        lock = self._locks.setdefault(channel.id, asyncio.Lock())
        async with lock:  # two answers at once would make two
            now = asyncio.get_running_loop().time()
            if (known := self._known.get(channel.id)) is not None:
                self._known.move_to_end(channel.id)
                if known.webhook is not None and known.webhook.id != not_by:
                    return known.webhook
                if known.webhook is None and now - known.looked_at < NONE_FOR:
                    return None
            found = await self._found_or_made(channel)
            self._remember(channel.id, _Known(found, now))
            return found

    def _remember(self, channel_id: int, known: _Known) -> None:
        self._known[channel_id] = known
        if len(self._known) > MOST_CHANNELS:
            self._known.popitem(last=False)
        self._ids = {one.webhook.id for one in self._known.values() if one.webhook is not None}

    async def _found_or_made(self, channel: _WithWebhooks) -> Credentials | None:
        user = self._current().user
        assert user is not None
        try:
            if (found := _own(await channel.webhooks(), user.id)) is not None:
                return found
            made = await channel.create_webhook(name=speakable(user.display_name) or "Parley")
            log.info("webhook_made", channel=channel.id, webhook=made.id)
            return _own([made], user.id)
        except FAILURES as error:
            # 30007, 30058: the channel, or the server, has as many as it may have.
            log.info("no_webhook", channel=channel.id, error=str(error))
            return None


def _own(webhooks: Iterable[discord.Webhook], user_id: int) -> Credentials | None:
    """The first that we made. Discord tells the token of no others, and only their own take our buttons."""
    for webhook in webhooks:
        if (
            webhook.type is discord.WebhookType.incoming
            and webhook.token
            and webhook.user
            and webhook.user.id == user_id
        ):
            return Credentials(webhook.id, webhook.token)
    return None

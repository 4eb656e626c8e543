"""The channel of one question that somebody posted, as a turn sees it (bot.turn.request.Channel)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import discord
import msgspec
import structlog

from bot.conversation.aside import Surroundings
from bot.delivery.footer import file_too_large
from bot.delivery.outcome import Sender
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.refusals import FAILURES
from bot.delivery.sender import DiscordSender, Place
from bot.delivery.webhook_sender import Voice, WebhookSender
from bot.gateway.admission.gate import refusal
from bot.gateway.private_notices import PrivateNotices
from bot.gateway.reading.files import DiscordFiles
from bot.gateway.reading.history import DiscordHistory
from bot.gateway.threads import rename_thread
from bot.gateway.typing import Typing
from bot.gateway.webhooks import Webhooks
from bot.localization import Words
from bot.preferences import DeliveryPreferences, Style
from bot.store import TurnJournal

log = structlog.get_logger()

_THREAD_IS_THERE = 160004
"""A thread that fell asleep is in nobody's cache (https://docs.discord.com/developers/topics/opcodes-and-status-codes)."""


class ChannelParts(msgspec.Struct, frozen=True):
    """What all channels share."""

    current: Callable[[], discord.Client]
    """Gives the client that is connected now: another than heard the question, when that one broke."""
    journal: TurnJournal
    pacing: Pacer
    notices: PrivateNotices
    webhooks: Webhooks


class QuestionChannel:
    def __init__(
        self,
        parts: ChannelParts,
        message: discord.Message,
        *,
        thread: discord.Thread | None = None,
        question_id: int | None = None,
        asker_id: int | None = None,
    ) -> None:
        """`message` is the question; with `question_id` and `asker_id` it may be any message of the channel, where no history is
        wanted. `thread`: where it is answered, if not where it was asked."""
        self._parts = parts
        self._current = parts.current
        self._message = message
        self._place = thread or message.channel
        self._question_id = question_id or message.id
        self._asker_id = asker_id or message.author.id

    def history(self) -> DiscordHistory:
        return DiscordHistory(self._current, self._message, self._parts.journal)

    def files(self) -> DiscordFiles:
        return DiscordFiles(self._current)

    @property
    def surroundings(self) -> Surroundings:
        return surroundings_of(self._place, self._message.guild)

    async def voice(self, name: str, avatar_url: str | None) -> Voice | None:
        return await self._parts.webhooks.voice(self._place, name, avatar_url)

    def pacing_place(self, voice: Voice | None = None) -> int:
        return voice.pacing_place if voice is not None else self._place.id

    def sender(self, preferences: DeliveryPreferences, words: Words, voice: Voice | None = None) -> Sender:
        plain = DiscordSender(
            self._current,
            Place(self._place.id, self._guild_id, self._question_id),
            may_reply=self._permissions.read_message_history and self._place == self._message.channel,
            style=preferences.style,
            link_previews=preferences.link_previews,
            mention_users=preferences.mention_users,
            words_too_large=partial(file_too_large, words),
        )
        if voice is None:
            return plain

        async def renewed() -> Voice | None:
            return await self._parts.webhooks.voice(self._place, voice.name, voice.avatar_url, not_by=voice.webhook_id)

        return WebhookSender(plain, voice, renewed)

    def elsewhere(self, channel_id: int) -> DiscordSender | None:
        """A channel is named by a server's admin, and only channels of the same server are theirs to name."""
        guild = self._message.guild
        channel = guild.get_channel_or_thread(channel_id) if guild else None
        if not isinstance(channel, discord.abc.Messageable) or refusal(channel, guild) is not None:
            return None
        return self._sender_in(channel_id)

    async def thread_at(self, message_id: int, name: str) -> DiscordSender | None:
        channel = self._place
        if not isinstance(channel, discord.TextChannel):
            return None
        if channel.get_thread(message_id) is None:
            here = self._current().get_partial_messageable(channel.id, guild_id=self._guild_id)
            try:
                await here.get_partial_message(message_id).create_thread(name=name)
            except FAILURES as error:
                if getattr(error, "code", 0) != _THREAD_IS_THERE:
                    log.info("thread_not_opened", error=str(error))
                    return None
        return self._sender_in(message_id)  # a thread has the id of the message at which it was opened

    async def rename_thread(self, ours: str, name: str) -> None:
        await rename_thread(self._current, self._place.id, ours, name)

    def _sender_in(self, channel_id: int) -> DiscordSender:
        """In components: they have no message content, which a later question there would take for an answer, and unlike embeds
        need no permission."""
        place = Place(channel_id, self._guild_id, self._question_id)
        return DiscordSender(self._current, place, may_reply=False, style=Style.COMPONENTS)

    @property
    def name(self) -> str:
        return getattr(self._place, "name", None) or "@me"

    @property
    def may_embed(self) -> bool:
        return self._permissions.embed_links

    @property
    def may_write(self) -> bool:
        return refusal(self._place, self._message.guild) is None

    def typing(self) -> Typing:
        return Typing(self._current, self._place.id, self._parts.pacing)

    async def tell_asker(self, text: str) -> None:
        now = asyncio.get_running_loop().time()
        await self._parts.notices.tell(self._asker_id, self._place.id, text, now)

    async def settle(self) -> None:
        """Nothing was promised but the typing indicator, which ends by itself."""

    @property
    def _guild_id(self) -> int | None:
        return self._message.guild.id if self._message.guild else None

    @property
    def _permissions(self) -> discord.Permissions:
        guild = self._message.guild
        if guild is None:
            return discord.Permissions.all()
        if isinstance(self._place, discord.Thread) and self._place.parent is None:
            return discord.Permissions.none()  # permissions_for would raise
        return self._place.permissions_for(guild.me)


def surroundings_of(place: object, guild: discord.Guild | None) -> Surroundings:
    """In names as their owners wrote them. Of a direct message nothing is told but that it is one."""
    if guild is None:
        return Surroundings()
    thread = place if isinstance(place, discord.Thread) else None
    channel = thread.parent if thread is not None else place
    return Surroundings(
        server=guild.name,
        channel=getattr(channel, "name", None) or "",
        topic=getattr(channel, "topic", None) or "",
        thread=thread.name if thread is not None else "",
    )

"""The channel of one question, as a turn sees it (bot.turn.request.Channel)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial

import discord
import structlog

from bot.delivery.footer import file_too_large
from bot.delivery.pacing.pacer import Pacer
from bot.delivery.refusals import FAILURES
from bot.delivery.sender import DiscordSender, Place
from bot.gateway.admission import refusal
from bot.gateway.history import DiscordHistory
from bot.gateway.private_notices import PrivateNotices
from bot.gateway.typing import Typing
from bot.localization import Words
from bot.preferences import DeliveryPreferences, Style
from bot.store import TurnJournal

log = structlog.get_logger()

_THREAD_IS_THERE = 160004
"""A thread that fell asleep is in nobody's cache (https://docs.discord.com/developers/topics/opcodes-and-status-codes)."""


class QuestionChannel:
    def __init__(
        self,
        current: Callable[[], discord.Client],
        message: discord.Message,
        journal: TurnJournal,
        pacing: Pacer,
        notices: PrivateNotices,
        question_id: int | None = None,
    ) -> None:
        """`current` gives the client that is connected now: another than heard the question, when that one broke.

        `message` is the question; with `question_id` it may be any message of the channel, where no history is wanted.
        """
        self._current = current
        self._message = message
        self._question_id = question_id or message.id
        self._journal = journal
        self._pacing = pacing
        self._notices = notices

    def history(self) -> DiscordHistory:
        return DiscordHistory(self._current, self._message, self._journal)

    def sender(self, preferences: DeliveryPreferences, words: Words) -> DiscordSender:
        return DiscordSender(
            self._current,
            Place(self._message.channel.id, self._guild_id, self._question_id),
            may_reply=self._permissions.read_message_history,
            style=preferences.style,
            link_previews=preferences.link_previews,
            mention_users=preferences.mention_users,
            words_too_large=partial(file_too_large, words),
        )

    def elsewhere(self, channel_id: int) -> DiscordSender | None:
        """A channel is named by a server's admin, and only channels of the same server are theirs to name."""
        guild = self._message.guild
        channel = guild.get_channel_or_thread(channel_id) if guild else None
        if not isinstance(channel, discord.abc.Messageable) or refusal(channel, guild) is not None:
            return None
        return self._sender_in(channel_id)

    async def thread_at(self, message_id: int, name: str) -> DiscordSender | None:
        channel = self._message.channel
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

    def _sender_in(self, channel_id: int) -> DiscordSender:
        """In components: they have no message content, which a later question there would take for an answer, and unlike embeds
        need no permission."""
        place = Place(channel_id, self._guild_id, self._question_id)
        return DiscordSender(self._current, place, may_reply=False, style=Style.COMPONENTS)

    @property
    def name(self) -> str:
        return getattr(self._message.channel, "name", None) or "@me"

    @property
    def may_embed(self) -> bool:
        return self._permissions.embed_links

    def typing(self) -> Typing:
        return Typing(self._current, self._message.channel.id, self._pacing)

    async def tell_asker(self, text: str) -> None:
        now = asyncio.get_running_loop().time()
        await self._notices.tell(self._message.author.id, self._message.channel.id, text, now)

    @property
    def _guild_id(self) -> int | None:
        return self._message.guild.id if self._message.guild else None

    @property
    def _permissions(self) -> discord.Permissions:
        guild = self._message.guild
        return self._message.channel.permissions_for(guild.me) if guild else discord.Permissions.all()

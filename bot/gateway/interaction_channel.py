"""The place of one `/ask`, *Ask about this*, or pressed button, as a turn sees it (bot.turn.request.Channel).

It may be a place where the bot is no member: a server or a conversation of people who brought the app along. There, only the
interaction's token writes, and nothing can be read but what came with it. Where the bot is a member, whatever goes beyond
the token is done as in any channel.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import discord
import msgspec
import structlog

from bot.conversation.aside import Surroundings
from bot.conversation.history import PastMessage
from bot.delivery.footer import file_too_large
from bot.delivery.interaction_sender import InteractionSender, ResponseToken
from bot.delivery.message_form import MessageForm
from bot.delivery.outcome import Sender
from bot.delivery.payloads import NOBODY
from bot.delivery.refusals import FAILURES
from bot.delivery.sender import DiscordSender, Place
from bot.delivery.webhook_calls import call
from bot.delivery.webhook_sender import Voice
from bot.gateway.admission.gate import refusal
from bot.gateway.admission.visits import location_of_interaction
from bot.gateway.channel import ChannelParts, QuestionChannel
from bot.gateway.languages import locale_of_reader
from bot.gateway.reading.files import DiscordFiles
from bot.gateway.reading.history import DiscordHistory
from bot.gateway.reading.messages import asks_about
from bot.localization import Words
from bot.preferences import DeliveryPreferences
from bot.turn.request import Channel, TurnRequest, new_turn_id

log = structlog.get_logger()

_UNNAMED = "unnamed"
"""Of a server that the bot is not in, Discord tells no name."""


class Thinking:
    """Discord shows "… is thinking" by itself, from the acknowledgement to the first message."""

    def start(self) -> None: ...

    async def end(self) -> None: ...


class ToldHistory(DiscordHistory):
    """Where nothing can be read: what came with the interaction."""

    async def recent(self, most: int, after: int | None = None) -> Sequence[PastMessage]:
        return []

    async def reply_chain(self, most: int) -> Sequence[PastMessage]:
        return await super().reply_chain(min(most, 1))


class InteractionChannel:
    def __init__(
        self,
        parts: ChannelParts,
        interaction: discord.Interaction[Any],
        question: discord.Message,
        token: ResponseToken,
    ) -> None:
        """`question`: what is answered (`asked_message`)."""
        self._current = parts.current
        self._interaction = interaction
        self._question = question
        self._token = token
        self._journal = parts.journal
        self._notices = parts.notices
        self._as_member = QuestionChannel(parts, question) if _is_member(interaction) else None

    def pacing_place(self, voice: Voice | None = None) -> int:
        return self._token.pacing_place

    @property
    def is_private(self) -> bool:
        """Only who asked sees the answer."""
        return self._token.private

    def history(self) -> DiscordHistory:
        kind = ToldHistory if self._as_member is None else DiscordHistory
        return kind(self._current, self._question, self._journal)

    def files(self) -> DiscordFiles:
        return DiscordFiles(self._current)

    @property
    def surroundings(self) -> Surroundings:
        channel, guild_id = self._question.channel, self._interaction.guild_id
        if guild_id is None:
            return Surroundings(among_others=self._interaction.context.private_channel)
        guild = self._interaction.guild
        home = channel.parent if isinstance(channel, discord.Thread) else channel
        return Surroundings(
            server=(guild.name if guild is not None else "") or _UNNAMED,
            channel=getattr(home, "name", None) or _UNNAMED,
            topic=getattr(home, "topic", None) or "",
            thread=channel.name if isinstance(channel, discord.Thread) else "",
        )

    async def voice(self, name: str, avatar_url: str | None) -> Voice | None:
        return None  # who is asked by a command answers under the app's own name

    def sender(self, preferences: DeliveryPreferences, words: Words, voice: Voice | None = None) -> Sender:
        place = Place(self._question.channel.id, self._interaction.guild_id, self._question.id)
        look: dict[str, Any] = {
            "style": preferences.style,
            "link_previews": preferences.link_previews,
            "mention_users": preferences.mention_users,
            "words_too_large": partial(file_too_large, words),
        }
        as_member = DiscordSender(self._current, place, may_reply=False, **look) if self.may_write else None
        return InteractionSender(
            self._current,
            place,
            MessageForm(**look),
            self._token,
            as_member=as_member,
            readable=self._as_member is not None,
        )

    def elsewhere(self, channel_id: int) -> Sender | None:
        return None if self._as_member is None or self.is_private else self._as_member.elsewhere(channel_id)

    async def thread_at(self, message_id: int, name: str) -> Sender | None:
        return None if self._as_member is None or self.is_private else await self._as_member.thread_at(message_id, name)

    @property
    def name(self) -> str:
        return getattr(self._question.channel, "name", None) or "@me"

    @property
    def may_embed(self) -> bool:
        return self._interaction.guild_id is None or self._interaction.app_permissions.embed_links

    def typing(self) -> Thinking:
        return Thinking()

    async def rename_thread(self, ours: str, name: str) -> None:
        """No thread is opened for a command."""

    async def tell_asker(self, text: str) -> None:
        await self.settle()  # or what is told would stand in its place, as public as that
        if not self._token.is_over:
            try:
                await self._interaction.followup.send(text, ephemeral=True, allowed_mentions=NOBODY)
                return
            except FAILURES as error:
                log.info("not_whispered", interaction=self._interaction.id, error=str(error))
        now = asyncio.get_running_loop().time()
        await self._notices.tell(self._interaction.user.id, self._question.channel.id, text, now)

    async def settle(self) -> None:
        """When nothing will be written any more: "… is thinking" goes, where it still stands. Never raises."""
        if not self._token.waiting or self._token.is_over:
            return
        self._token.waiting = False
        try:
            await call(self._current(), "DELETE", self._token.credentials, "@original")
        except FAILURES as error:
            log.info("not_taken_back", interaction=self._interaction.id, error=str(error))

    @property
    def may_write(self) -> bool:
        guild = self._interaction.guild if self._interaction.guild_id is not None else None
        return self._as_member is not None and refusal(self._question.channel, guild) is None


def new_turn(interaction: discord.Interaction[Any], channel: Channel, **more: Any) -> TurnRequest:
    """For what somebody wants by a command. `more`: what is not as usual (fields of TurnRequest)."""
    location = location_of_interaction(interaction)
    usual = TurnRequest(
        turn_id=new_turn_id(),
        question_id=interaction.id,
        channel_id=location.channel_id,
        guild_id=location.guild_id,
        parent_id=location.parent_id,
        asker_id=interaction.user.id,
        asker_name=interaction.user.display_name,
        locale=locale_of_reader(interaction),
        arrived=asyncio.get_running_loop().time(),
        channel=channel,
    )
    return msgspec.structs.replace(usual, **more)


def deferred_token(interaction: discord.Interaction[Any], *, private: bool) -> ResponseToken:
    """Of a command or modal that was acknowledged with "… is thinking". `private`: for the person's eyes only."""
    return ResponseToken(
        interaction.application_id,
        interaction.token,
        private=private,
        file_limit=interaction.filesize_limit,
        waiting=True,
    )


def press_token(interaction: discord.Interaction[Any]) -> ResponseToken:
    """Of a button that was acknowledged without a message (DEFERRED_UPDATE): it may change the message with the button, and post
    further ones."""
    message = interaction.message
    return ResponseToken(
        interaction.application_id,
        interaction.token,
        private=message is not None and message.flags.ephemeral,
        file_limit=interaction.filesize_limit,
        message_id=message.id if message is not None else None,
    )


def asked_message(
    interaction: discord.Interaction[Any],
    text: str,
    files: Sequence[discord.Attachment] = (),
    about: discord.Message | discord.MessageReference | None = None,
) -> discord.Message:
    """What was asked by a command, as if it had been posted: so whatever reads messages reads it too.

    It has the interaction's id, a snowflake, and so its place in time. `about`: the message that it is about, which it
    replies to.
    """
    assert interaction.channel is not None
    message = _posted(interaction, interaction.id, text, interaction.user)
    message.attachments = list(files)
    if about is not None:
        message.type = discord.MessageType.reply
        message.reference = _reference_to(about)
    return message


def asked_before(
    interaction: discord.Interaction[Any], question_id: int, asker_id: int | None, text: str
) -> discord.Message:
    """The question of a command whose answer stands above the pressed button.

    `asker_id`, `text`: as the journal has them. Who asked, and about which message, Discord tells with the answer; files are gone.
    """
    told = interaction.message.interaction_metadata if interaction.message is not None else None
    if told is not None and asker_id in (None, told.user.id):
        author: discord.User | discord.Member = told.user
    else:
        author = interaction.user
    message = _posted(interaction, question_id, text, author)
    target_id = asks_about(interaction.message) if interaction.message is not None else None
    if target_id is not None:
        message.type = discord.MessageType.reply
        message.reference = discord.MessageReference(
            message_id=target_id, channel_id=message.channel.id, guild_id=interaction.guild_id
        )
    return message


def _posted(
    interaction: discord.Interaction[Any], message_id: int, text: str, author: discord.User | discord.Member
) -> discord.Message:
    channel: Any = interaction.channel
    payload: Any = {"id": message_id, "channel_id": channel.id, "type": 0, "content": text}
    # discord.py makes messages of payloads alone; the interaction has what is needed besides.
    message = discord.Message(state=interaction._state, channel=channel, data=payload)
    message.author = author
    message.mentions = []
    message.components = []
    return message


def _reference_to(about: discord.Message | discord.MessageReference) -> discord.MessageReference:
    if isinstance(about, discord.MessageReference):
        return about
    reference = discord.MessageReference.from_message(about)
    reference.resolved = about
    return reference


def _is_member(interaction: discord.Interaction[Any]) -> bool:
    """Whether the bot is there itself, and not only as an app that the person brought along."""
    if interaction.guild_id is None:
        return interaction.context.dm_channel
    guild = interaction.client.get_guild(interaction.guild_id)
    return guild is not None and not guild.unavailable

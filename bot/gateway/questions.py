"""From messages to queued turns: is it for us, may we, does more follow, where is it answered?

It outlives a client that broke, as what it remembers should. What a command asks takes the way of bot.gateway.asking.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import discord
import msgspec
import structlog

from bot.conversation.titles import provisional_title
from bot.delivery.controls import is_stop_word
from bot.delivery.error_embeds import notice_embed
from bot.delivery.footer import embed_alone
from bot.delivery.plan import Create, MessagePlan
from bot.delivery.told_lately import ToldLately
from bot.gateway.admission.gate import Gate
from bot.gateway.admission.visits import location_of, visit_of_message
from bot.gateway.channel import ChannelParts, QuestionChannel
from bot.gateway.interactions import refusal_text
from bot.gateway.languages import locale_of_place
from bot.gateway.stopping import Stopping
from bot.gateway.threads import may_open_thread, open_thread
from bot.gateway.triggers.incoming import incoming_of
from bot.gateway.triggers.rules import Incoming, trigger_of, words_in_force
from bot.localization import Words
from bot.preferences import CONVERSATION_DEFAULTS, DEFAULTS
from bot.turn.follow_ups import FollowUps
from bot.turn.parts import TurnParts
from bot.turn.queue import Refusal, TurnQueue
from bot.turn.request import TurnRequest, new_turn_id

log = structlog.get_logger()

TURN_AWAY_EVERY = 30.0
"""Seconds between two notices of that kind in a channel."""
MOST_TURNED_AWAY = 4096
"""Channels remembered for that."""


class Questions:
    """`judge`, `ask` and `stops` are the inbox's."""

    def __init__(
        self,
        parts: TurnParts,
        channels: ChannelParts,
        gate: Gate,
        queue: TurnQueue,
        follow_ups: FollowUps,
        stopping: Stopping,
    ) -> None:
        self._parts = parts
        self._channels = channels
        self._gate = gate
        self._queue = queue
        self._follow_ups = follow_ups
        self._stopping = stopping
        self._turned_away = ToldLately(TURN_AWAY_EVERY, MOST_TURNED_AWAY)
        """Channels that were just told that too many questions wait there."""

    async def judge(self, message: discord.Message) -> float | None:
        """How many seconds to wait for more of the same person; None where it is no question for us."""
        try:
            return await self._judge(message)
        except Exception:
            log.exception("message_not_judged", message=message.id, channel=message.channel.id)
            if trigger_of(self._incoming(message), CONVERSATION_DEFAULTS) is not None:
                # The store may be what broke, so nobody is asked what language was chosen.
                words = self._parts.translator.say(message.guild.preferred_locale.value if message.guild else None)
                await self._tell(message, words, words("error-internal"))
            return None

    async def _judge(self, message: discord.Message) -> float | None:
        location = location_of(message.channel, message.guild.id if message.guild else None)
        incoming = self._incoming(message)
        if incoming.is_by_person:
            self._gate.person_spoke(location.channel_id)
        preferences = await self._parts.preferences.conversation(location)
        persona = await self._parts.scenes.persona_at(location)
        trigger = trigger_of(incoming, preferences, words_in_force(preferences, persona))
        if trigger is None:
            return None
        visit = visit_of_message(message, asks=not self._means_stop(message), is_addressed=trigger.is_addressed)
        refused = await self._gate.refusal(visit, _now())
        if refused is None and not visit.asks:
            if self.stops(message):
                return None
            # With nothing to stop it is a question like others.
            refused = await self._gate.refusal(msgspec.structs.replace(visit, asks=True), _now())
        if refused is not None:
            if refused.is_told:
                words = await self._words(message)
                await self._tell(message, words, refusal_text(refused, self._parts.preferences, location, words))
            return None
        log.debug("for_us", trigger=trigger, question=message.id, channel=message.channel.id)
        return preferences.burst_seconds

    async def ask(self, messages: Sequence[discord.Message]) -> None:
        """The last message is the question; while we wait for anything, deletions and edits change them (Inbox)."""
        question, arrived = messages[-1], _now()
        guild_id = question.guild.id if question.guild else None
        location = location_of(question.channel, guild_id)
        thread, title = None, None
        preferences = await self._parts.preferences.conversation(location)
        if preferences.threads and may_open_thread(question):
            words = await self._words(question)
            title = provisional_title(question.content) or words("thread-name", name=question.author.display_name)
            if (thread := await open_thread(question, title)) is not None:
                location = location_of(thread, guild_id)
        locale = await self._locale(question)
        # Nothing is awaited from here until it is in the queue, where deletions and edits find it.
        if not messages:
            log.info("not_answered", why="deleted", question=question.id)
            self._parts.budgets.asks_no_more(msgspec.structs.replace(location, person_id=question.author.id))
            return
        *further, question = messages
        request = TurnRequest(
            turn_id=new_turn_id(),
            question_id=question.id,
            channel_id=location.channel_id,
            guild_id=guild_id,
            parent_id=location.parent_id,
            asker_id=question.author.id,
            asker_name=question.author.display_name,
            locale=locale,
            arrived=arrived,
            channel=self.channel_of(question, thread),
            further_ids=tuple(message.id for message in further),
            thread_title=thread.name if thread is not None else None,
        )
        log.debug("question", turn=request.turn_id, question=question.id, channel=location.channel_id)
        if self._follow_ups.submit(request, preferences.follow_up):
            return
        self._parts.budgets.answered(request)
        refusal = self._queue.refusal(request.asker_id, request.channel_id)
        if refusal is Refusal.CLOSED:
            # Another process may answer it; its being unclaimed leaves it to whoever can.
            log.info("not_answered", why="stopping", question=question.id)
        elif not self._turned_away.is_again(request.channel_id, arrived):
            is_persons = refusal is Refusal.PERSON_FULL
            await self._turn_away(request, "notice-queue-full-person" if is_persons else "notice-queue-full")

    def stops(self, message: discord.Message) -> bool:
        """Whether it was no question, but the wish to hear no more, and there was something to stop."""
        if not self._means_stop(message):
            return False
        permissions = discord.Permissions.none()
        if message.guild is not None and isinstance(message.author, discord.Member):
            permissions = message.channel.permissions_for(message.author)
        return self._stopping.stop(message.channel.id, message.author, permissions)

    def channel_of(self, message: discord.Message, thread: discord.Thread | None = None) -> QuestionChannel:
        return QuestionChannel(self._channels, message, thread=thread)

    def _incoming(self, message: discord.Message) -> Incoming:
        return incoming_of(message, self._channels.current(), self._channels.webhooks)

    def _means_stop(self, message: discord.Message) -> bool:
        user = self._channels.current().user
        assert user is not None, "messages come after the login"
        text = message.content.replace(f"<@{user.id}>", "").replace(f"<@!{user.id}>", "")
        words = self._parts.translator
        return is_stop_word(text, *(words.say(locale) for locale in words.locales))

    async def _tell(self, message: discord.Message, words: Words, text: str) -> None:
        """In small text, which later questions do not take for an answer."""
        channel = self.channel_of(message)
        sender = channel.sender(DEFAULTS, words)
        plan = MessagePlan(f"-# {text}", text_length=0)
        await sender.send(Create(0, plan), f"{message.id}.refused")

    async def _turn_away(self, request: TurnRequest, notice: str) -> None:
        words = self._parts.translator.say(request.locale)
        plan = embed_alone(notice_embed(words, notice), may_embed=request.channel.may_embed)
        await request.channel.sender(DEFAULTS, words).send(Create(0, plan), request.turn_id)

    async def _words(self, message: discord.Message) -> Words:
        return self._parts.translator.say(await self._locale(message))

    async def _locale(self, message: discord.Message) -> str | None:
        location = location_of(message.channel, message.guild.id if message.guild else None)
        asked_by = msgspec.structs.replace(location, person_id=message.author.id)
        return await locale_of_place(self._parts.preferences, asked_by, message.guild)


def _now() -> float:
    return asyncio.get_running_loop().time()

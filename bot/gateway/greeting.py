"""A persona says its first words. Nobody asked for them and no model does: they are a version that is kept, and shown like any other.

So the buttons, the history and whoever deletes it find what they know: an answer of that persona, to a question that nobody can read.
"""

from __future__ import annotations

from typing import Any

import discord
import structlog

from bot.gateway.admission.gate import refusal
from bot.gateway.channel import ChannelParts, QuestionChannel
from bot.gateway.interaction_channel import asked_message, new_turn
from bot.gateway.languages import locale_for_all
from bot.persona import Persona
from bot.turn.ending import said_beforehand
from bot.turn.parts import TurnParts
from bot.turn.queue import TurnQueue
from bot.turn.request import Task

log = structlog.get_logger()


class Greeting:
    def __init__(self, parts: TurnParts, channels: ChannelParts, queue: TurnQueue) -> None:
        self._parts = parts
        self._channels = channels
        self._queue = queue

    async def say(self, interaction: discord.Interaction[Any], persona: Persona) -> str | None:
        """In the channel where somebody who is admitted called for it. The message key of why not; None: its turn comes."""
        if interaction.channel is None or refusal(interaction.channel, interaction.guild) is not None:
            return "persona-cannot-greet"
        request = new_turn(
            interaction,
            QuestionChannel(self._channels, asked_message(interaction, "")),
            locale=await locale_for_all(interaction),
            task=Task.SHOW,
            version_nr=1,
        )
        text = await self._parts.scenes.greeting(request, persona)
        if not text:
            return "persona-no-greeting"
        if self._queue.refusal(request.asker_id, request.channel_id) is not None:
            return "persona-cannot-greet"
        journal = self._parts.journal
        await journal.claim(
            request.turn_id, request.question_id, request.channel_id, request.guild_id, request.asker_id
        )
        await journal.finish(request.turn_id, request.version_nr, said_beforehand(text, persona.name), ())
        log.info("greets", channel=request.channel_id)
        return None if self._queue.submit(request) else "persona-cannot-greet"

"""Questions by command, wherever people use it: from an acknowledged interaction to a queued turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import discord
import structlog

from bot.conversation.memory_proposal import note_request, read_note
from bot.delivery.foreign_text import as_words
from bot.gateway.admission.visits import location_of_asker
from bot.gateway.channel import ChannelParts
from bot.gateway.interaction_channel import InteractionChannel, asked_message, deferred_token, new_turn
from bot.gateway.interactions import whisper, words_of
from bot.localization import Words
from bot.turn.compacting import Compacted, Compacting
from bot.turn.models import NoModel
from bot.turn.parts import Purpose, TurnParts
from bot.turn.queue import Refusal, TurnQueue
from bot.turn.request import TurnRequest
from bot.turn.side_call import side_call

log = structlog.get_logger()

LONGEST_QUOTE = 300
"""Code points of a question that stand above its answer."""
NOTE_SECONDS = 60.0
"""For the model to make a note; somebody looks on."""
_WHY_NOT = {
    Refusal.CLOSED: "control-restarting",
    Refusal.CHANNEL_FULL: "notice-queue-full",
    Refusal.PERSON_FULL: "notice-queue-full-person",
}


class Asking:
    def __init__(self, parts: TurnParts, channels: ChannelParts, queue: TurnQueue, compacting: Compacting) -> None:
        self._parts = parts
        self._channels = channels
        self._queue = queue
        self._compacting = compacting
        self._noting: set[int] = set()
        """Ids of people for whom a note is made."""

    async def ask(
        self,
        interaction: discord.Interaction[Any],
        text: str,
        *,
        files: Sequence[discord.Attachment] = (),
        about: discord.Message | None = None,
        private: bool = False,
    ) -> None:
        """For somebody who is admitted, and sees "… is thinking". What comes of it, they see there.

        `private`: acknowledged for their eyes only.
        """
        words = words_of(interaction)
        if interaction.channel is None:
            log.warning(
                "not_answered", why="a channel of a kind that discord.py does not know", question=interaction.id
            )
            await whisper(interaction, words("error-internal"))
            return
        channel = InteractionChannel(
            self._channels,
            interaction,
            asked_message(interaction, text, files, about),
            deferred_token(interaction, private=private),
        )
        heading = "" if private else _heading(interaction, text, about, words)
        request = self._request(interaction, channel, text, heading)
        log.debug("question", turn=request.turn_id, trigger="command", question=request.question_id)
        if self._queue.submit(request):
            return
        self._parts.budgets.answered(request)
        why = self._queue.refusal(request.asker_id, request.channel_id) or Refusal.CHANNEL_FULL
        await channel.tell_asker(words(_WHY_NOT[why]))

    async def compact(self, interaction: discord.Interaction[Any]) -> Compacted:
        """Fold the conversation in which somebody who is admitted wants it."""
        question = asked_message(interaction, "")
        channel = InteractionChannel(self._channels, interaction, question, deferred_token(interaction, private=True))
        try:
            return await self._compacting.compact(self._request(interaction, channel, "", ""))
        finally:
            self._parts.budgets.asks_no_more(location_of_asker(interaction))

    async def note_of(self, interaction: discord.Interaction[Any], message: discord.Message) -> str:
        """What shall be remembered of a message that somebody, who is admitted, chose: in the words of the model that answers them, or
        where none can be had the message's own. Empty where it holds nothing."""
        try:
            return await self._note_of(interaction, message)
        finally:
            self._parts.budgets.asks_no_more(location_of_asker(interaction))

    async def _note_of(self, interaction: discord.Interaction[Any], message: discord.Message) -> str:
        text, person, location = await self._said(message), interaction.user, location_of_asker(interaction)
        choice = await self._parts.models.at(location)
        if not text.strip() or isinstance(choice, NoModel) or person.id in self._noting:
            return text
        self._noting.add(person.id)
        try:
            request = note_request(choice.model, text, message.author.display_name, person.display_name)
            async with asyncio.timeout(NOTE_SECONDS):
                said = await side_call(self._parts, location, choice, request, Purpose.NOTE)
        except TimeoutError:
            log.info("no_note", why="the model took too long")
            said = None
        finally:
            self._noting.discard(person.id)
        return text if said is None else read_note(said)

    async def _said(self, message: discord.Message) -> str:
        """Of an answer of ours without what is not the model's: the question above it, the footer."""
        for answer in await self._parts.journal.answers_with([message.id]):
            lengths = {part.message_id: part.text_length for part in answer.parts}
            if message.id in lengths:
                return answer.text if len(lengths) == 1 else message.content[: lengths[message.id]]
        return message.clean_content

    def _request(
        self, interaction: discord.Interaction[Any], channel: InteractionChannel, text: str, heading: str
    ) -> TurnRequest:
        return new_turn(interaction, channel, asked=text, heading=f"{heading}\n" if heading else "")


def _heading(interaction: discord.Interaction[Any], text: str, about: discord.Message | None, words: Words) -> str:
    """A line above the answer, so that who reads along knows the question: nobody else sees what a command was given."""
    name, question = as_words(interaction.user.display_name, 40) or "…", as_words(text, LONGEST_QUOTE)
    if about is None:
        return words("ask-heading", name=name, question=question)
    return words("ask-heading-about", name=name, question=question, link=about.jump_url)

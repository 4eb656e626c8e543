"""The buttons under answers: what a press does. They survive restarts, since a button's id says all there is to know.

Each press is acknowledged before anything is looked up (Discord waits three seconds), then asked at the same gate as
everything else, and then is work for the turn queue like a question: so no two hands write in one answer.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Self

import discord
import structlog

from bot.delivery.controls import TEMPLATE, Action, Control, page_buttons, parse
from bot.delivery.payloads import NOBODY, view_of
from bot.delivery.refusals import FAILURES
from bot.delivery.thought_log import page_content, pages
from bot.gateway.admission import may_steer, refusal
from bot.gateway.channel import QuestionChannel
from bot.gateway.interactions import acknowledge, whisper
from bot.gateway.private_notices import PrivateNotices
from bot.store import StoredAnswer
from bot.turn.parts import TurnParts
from bot.turn.queue import TurnQueue
from bot.turn.request import Task, TurnRequest
from bot.turn.runner import TurnRunner

log = structlog.get_logger()


class Controls:
    def __init__(
        self,
        parts: TurnParts,
        queue: TurnQueue,
        runner: TurnRunner,
        current: Callable[[], discord.Client],
        notices: PrivateNotices,
    ) -> None:
        """`current` gives the client that is connected now."""
        self._parts = parts
        self._queue = queue
        self._runner = runner
        self._current = current
        self._notices = notices

    async def press(self, interaction: discord.Interaction, control: Control) -> None:
        """Never raises: what goes wrong is logged with the turn's id and told to who pressed."""
        with structlog.contextvars.bound_contextvars(turn=control.turn_id):
            as_new_message = control.action is Action.THOUGHTS
            if not await acknowledge(interaction, ephemeral=as_new_message, thinking=as_new_message):
                return
            try:
                problem = await self._do(interaction, control)
            except Exception:
                log.exception("button_failed", action=control.action)
                problem = "error-internal"
            log.info("button", action=control.action, by=interaction.user.id, refused=problem)
            if problem is not None:
                await whisper(interaction, self._parts.translator.say(interaction.locale.value)(problem))

    async def _do(self, interaction: discord.Interaction, control: Control) -> str | None:
        """The message key of why not; None when it is done."""
        if control.action is not Action.STOP and not self._runner.writes(control.turn_id):
            await self._runner.idle(control.turn_id)  # the end of an answer stands in the channel before it is recorded
        answer = await self._parts.journal.answer(control.turn_id)
        if answer is None or answer.channel_id != interaction.channel_id:
            return "control-unknown"
        if not may_steer(interaction.user.id, interaction.permissions, answer.asker_id):
            return "control-not-yours"
        return await _DEEDS[control.action](self, interaction, control, answer)

    async def _stop(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> str | None:
        if self._runner.stop(control.turn_id, by=interaction.user.display_name):
            return None
        if self._runner.works_on(control.turn_id) or answer.shown.ended_at is None:
            return "control-nothing-to-stop"
        # A process that was ended could not take the button away any more. What is kept of the answer shows how it ended.
        return await self._submit(interaction, control, answer, Task.SHOW, answer.shown_version_nr)

    async def _again(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> str | None:
        return await self._submit(interaction, control, answer, Task.AGAIN)

    async def _go_on(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> str | None:
        return await self._submit(interaction, control, answer, Task.GO_ON)

    async def _turn_over(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> str | None:
        version_nr = control.argument or 0
        if not 1 <= version_nr <= answer.version_count:
            return "control-unknown"
        return await self._submit(interaction, control, answer, Task.SHOW, version_nr)

    async def _submit(
        self,
        interaction: discord.Interaction,
        control: Control,
        answer: StoredAnswer,
        task: Task,
        version_nr: int = 0,
    ) -> str | None:
        if self._busy(control.turn_id):
            return "control-busy"
        # What is kept can be shown without the question, which may be gone.
        message = interaction.message if task is Task.SHOW else await self._question(interaction, answer)
        if message is None:
            return "control-question-gone"
        if self._busy(control.turn_id):  # another press came while the question was looked up
            return "control-busy"
        if (refused := refusal(message.channel, message.guild)) is not None:
            log.info("not_begun", task=task, why=refused)
            return "control-may-not-write"
        request = TurnRequest(
            turn_id=control.turn_id,
            question_id=answer.question_id,
            channel_id=answer.channel_id,
            guild_id=answer.guild_id,
            asker_id=answer.asker_id or message.author.id,
            locale=message.guild.preferred_locale.value if message.guild else interaction.locale.value,
            arrived=asyncio.get_running_loop().time(),
            channel=QuestionChannel(
                self._current, message, self._parts.journal, self._parts.pacing, self._notices, answer.question_id
            ),
            task=task,
            version_nr=version_nr,
        )
        if self._queue.submit(request):
            return None
        return "control-restarting" if self._queue.closed else "notice-queue-full"

    def _busy(self, turn_id: str) -> bool:
        return self._runner.writes(turn_id) or self._queue.holds(turn_id)

    async def _question(self, interaction: discord.Interaction, answer: StoredAnswer) -> discord.Message | None:
        # Of the channel where the button is, Discord sends all there is to know: also of a direct message or a sleeping
        # thread, which are in no cache after a restart.
        channel: Any = interaction.channel
        try:
            question: discord.Message = await channel.fetch_message(answer.question_id)
            return question
        except FAILURES as error:
            log.info("message_unreadable", message=answer.question_id, error=str(error))
            return None

    async def _delete(self, _interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> str | None:
        if self._runner.discard(control.turn_id):
            return None
        if self._busy(control.turn_id):
            return "control-busy"
        await self._runner.idle(control.turn_id)
        if self._runner.discard(control.turn_id):  # another press came meanwhile
            return None
        answer = await self._parts.journal.answer(control.turn_id) or answer
        channel = self._current().get_partial_messageable(answer.channel_id, guild_id=answer.guild_id)
        for message_id in answer.message_ids:
            try:
                await channel.get_partial_message(message_id).delete()
            except discord.NotFound:
                pass
            except FAILURES as error:
                log.warning("answer_not_deleted", message=message_id, error=str(error))
                return "control-not-deleted"
        await self._parts.journal.withdraw(control.turn_id)
        return None

    async def _thoughts(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> str | None:
        """The first page comes as a new message that only the presser sees; turning pages edits it."""
        words = self._parts.translator.say(interaction.locale.value)
        number = control.argument or 1
        leaves = pages(answer.shown.thoughts)
        if not leaves:
            return "thoughts-none"
        if not 1 <= number <= len(leaves):
            return "control-unknown"
        text = page_content(leaves[number - 1], number, len(leaves), words)
        view = view_of(page_buttons(control.turn_id, number, len(leaves)))
        view.stop()  # or discord.py keeps it for ever, to hear of presses that ControlButton hears of
        await interaction.edit_original_response(content=text, view=view, allowed_mentions=NOBODY)
        return None


_DEEDS: Mapping[Action, Callable[[Controls, discord.Interaction, Control, StoredAnswer], Awaitable[str | None]]] = {
    Action.STOP: Controls._stop,
    Action.REGENERATE: Controls._again,
    Action.CONTINUE: Controls._go_on,
    Action.DELETE: Controls._delete,
    Action.PREVIOUS: Controls._turn_over,
    Action.NEXT: Controls._turn_over,
    Action.THOUGHTS: Controls._thoughts,
    Action.PAGE: Controls._thoughts,
}


class ControlButton(discord.ui.DynamicItem[discord.ui.Button[Any]], template=TEMPLATE):
    """How discord.py finds its way from a pressed button of ours to `Controls`."""

    def __init__(self, control: Control, button: discord.ui.Button[Any]) -> None:
        super().__init__(button)
        self._control = control

    @classmethod
    async def from_custom_id(
        cls, interaction: discord.Interaction, item: discord.ui.Item[Any], match: re.Match[str], /
    ) -> Self:
        control = parse(match.string)
        assert control is not None
        assert isinstance(item, discord.ui.Button)
        return cls(control, item)

    async def callback(self, interaction: discord.Interaction) -> None:
        controls: Controls = interaction.client.controls  # type: ignore[attr-defined]  # ParleyClient
        await controls.press(interaction, self._control)

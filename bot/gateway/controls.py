"""The buttons under answers: what a press does. They survive restarts, since a button's id says all there is to know.

Each press is acknowledged before anything is looked up (Discord waits three seconds), then asked at the same gate as everything
else, and then is work for the turn queue like a question: so no two hands write in one answer. One that asks the model for something
is asked at the gate once more when all else allows it: what comes to nothing is not counted.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Self, TypeAlias

import discord
import structlog

from bot.delivery.controls import TEMPLATE, Action, Control, page_buttons, parse
from bot.delivery.payloads import NOBODY, view_of
from bot.delivery.refusals import FAILURES
from bot.delivery.thought_log import page_content, pages
from bot.gateway.admission.gate import Refused, may_steer, refusal
from bot.gateway.admission.visits import Entrance, location_of, location_of_asker
from bot.gateway.channel import ChannelParts, QuestionChannel
from bot.gateway.interaction_channel import InteractionChannel, asked_before, press_token
from bot.gateway.interactions import admitted, asked, failure_key, log_failure, whisper, words_of
from bot.gateway.languages import locale_for_all
from bot.store import StoredAnswer
from bot.turn.ending import can_go_on
from bot.turn.parts import TurnParts
from bot.turn.queue import TurnQueue
from bot.turn.removal import remove_messages
from bot.turn.request import Channel, Task, TurnRequest
from bot.turn.runner import TurnRunner

log = structlog.get_logger()

Problem: TypeAlias = str | Refused | None
"""Why not: a message key, or what the gate says. None: it is done."""


class Controls:
    def __init__(
        self,
        parts: TurnParts,
        channels: ChannelParts,
        queue: TurnQueue,
        runner: TurnRunner,
    ) -> None:
        self._parts = parts
        self._channels = channels
        self._queue = queue
        self._runner = runner

    async def press(self, interaction: discord.Interaction, control: Control) -> None:
        """Never raises: what goes wrong is logged with the turn's id and told to who pressed."""
        with structlog.contextvars.bound_contextvars(turn=control.turn_id):
            as_new_message = control.action is Action.THOUGHTS
            try:
                if not await admitted(interaction, Entrance.BUTTON, ephemeral=as_new_message, thinking=as_new_message):
                    return
                problem = await self._do(interaction, control)
            except Exception as error:
                log_failure(error, "button_failed", action=control.action)
                problem = failure_key(error)
            refused = problem.reason if isinstance(problem, Refused) else problem
            log.info("button", action=control.action, by=interaction.user.id, refused=refused)
            if problem is not None:
                words = words_of(interaction)
                await whisper(interaction, problem.text(words) if isinstance(problem, Refused) else words(problem))

    async def by_command(self, interaction: discord.Interaction, action: Action, message_id: int | None) -> None:
        """The same for an acknowledged command of who is admitted. `message_id`: of the answer, or its question; without it, the last
        answer to them here. Never raises."""
        words = words_of(interaction)
        turn_id = await self._turn_of(interaction, message_id)
        if turn_id is None:
            await whisper(interaction, words("again-none" if message_id is None else "again-unknown"))
            return
        with structlog.contextvars.bound_contextvars(turn=turn_id):
            try:
                problem = await self._do(interaction, Control(action, turn_id))
            except Exception as error:
                log_failure(error, "command_failed", action=action)
                problem = failure_key(error)
        if isinstance(problem, Refused):
            await whisper(interaction, problem.text(words))
        else:
            await whisper(interaction, words(problem or f"again-{action}"))

    async def _turn_of(self, interaction: discord.Interaction, message_id: int | None) -> str | None:
        if interaction.channel_id is None:
            return None
        if message_id is None:
            return await self._parts.journal.last_turn(interaction.channel_id, interaction.user.id)
        answers = await self._parts.journal.answers_with([message_id])
        return answers[-1].turn_id if answers else None

    async def _do(self, interaction: discord.Interaction, control: Control) -> Problem:
        if control.action is not Action.STOP and not self._runner.writes(control.turn_id):
            await self._runner.idle(control.turn_id)  # the end of an answer stands in the channel before it is recorded
        answer = await self._parts.journal.answer(control.turn_id)
        if answer is None or answer.channel_id != interaction.channel_id:
            return "control-unknown"
        if not may_steer(interaction.user.id, interaction.permissions, answer.asker_id):
            return "control-not-yours"
        return await _DEEDS[control.action](self, interaction, control, answer)

    async def _stop(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> Problem:
        if self._runner.stop(control.turn_id, by=interaction.user.display_name):
            return None
        if self._runner.works_on(control.turn_id) or answer.shown.ended_at is None:
            return "control-nothing-to-stop"
        # A process that was ended could not take the button away any more. What is kept of the answer shows how it ended.
        return await self._submit(interaction, control, answer, Task.SHOW, answer.shown_version_nr)

    async def _again(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> Problem:
        return await self._submit(interaction, control, answer, Task.AGAIN)

    async def _go_on(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> Problem:
        return await self._submit(interaction, control, answer, Task.GO_ON)

    async def _turn_over(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> Problem:
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
    ) -> Problem:
        if self._busy(control.turn_id):
            return "control-busy"
        if task is Task.GO_ON and not can_go_on(answer.shown):
            return "control-is-whole"
        place = await self._place_of(interaction, answer, task)
        if place is None:
            by_button = answer.asked is not None and interaction.message is None
            return "again-by-button" if by_button else "control-question-gone"
        channel, question = place
        if answer.asked is None and (closed := refusal(interaction.channel, interaction.guild)) is not None:
            log.info("not_begun", task=task, why=closed)
            return "control-may-not-write"
        if self._busy(control.turn_id):  # another press came while the question was looked up
            return "control-busy"
        if task is not Task.SHOW and (refused := await asked(interaction, Entrance.BUTTON, asks=True)) is not None:
            return refused
        if self._busy(control.turn_id):  # or now
            if task is not Task.SHOW:
                self._parts.budgets.asks_no_more(location_of_asker(interaction))
            return "control-busy"
        location = location_of(interaction.channel, answer.guild_id)
        request = TurnRequest(
            turn_id=control.turn_id,
            question_id=answer.question_id,
            channel_id=answer.channel_id,
            guild_id=answer.guild_id,
            parent_id=location.parent_id,
            asker_id=answer.asker_id or question.author.id,
            asker_name=question.author.display_name,
            pressed_by=interaction.user.id if task is not Task.SHOW else 0,
            locale=await locale_for_all(interaction),
            arrived=asyncio.get_running_loop().time(),
            channel=channel,
            task=task,
            version_nr=version_nr,
        )
        if self._queue.submit(request):
            return None
        self._parts.budgets.answered(request)
        return "control-restarting" if self._queue.closed else "notice-queue-full"

    def _busy(self, turn_id: str) -> bool:
        return self._runner.writes(turn_id) or self._queue.holds(turn_id)

    async def _place_of(
        self, interaction: discord.Interaction, answer: StoredAnswer, task: Task
    ) -> tuple[Channel, discord.Message] | None:
        """Where the answer stands, and what is answered; None where the question is gone."""
        if answer.asked is not None:
            if interaction.message is None:
                return None  # a command has no message that it could change
            question = asked_before(interaction, answer.question_id, answer.asker_id, answer.asked)
            return InteractionChannel(self._channels, interaction, question, press_token(interaction)), question
        # What is kept can be shown without the question, which may be gone.
        message = interaction.message if task is Task.SHOW else await self._question(interaction, answer)
        if message is None:
            return None
        here = interaction.channel
        channel = QuestionChannel(
            self._channels,
            message,
            thread=here if isinstance(here, discord.Thread) and here != message.channel else None,
            question_id=answer.question_id,
            asker_id=answer.asker_id,
        )
        return channel, message

    async def _question(self, interaction: discord.Interaction, answer: StoredAnswer) -> discord.Message | None:
        # Of the channel where the button is, Discord sends all there is to know: also of a direct message or a sleeping
        # thread, which are in no cache after a restart.
        channel: Any = interaction.channel
        if isinstance(channel, discord.Thread) and channel.id == answer.question_id and channel.parent is not None:
            channel = channel.parent  # the thread was opened at the question
        try:
            question: discord.Message = await channel.fetch_message(answer.question_id)
            return question
        except FAILURES as error:
            log.info("message_unreadable", message=answer.question_id, error=str(error))
            return None

    async def _delete(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> Problem:
        if self._runner.discard(control.turn_id):
            return None
        if self._busy(control.turn_id):
            return "control-busy"
        await self._runner.idle(control.turn_id)
        if self._runner.discard(control.turn_id):  # another press came meanwhile
            return None
        answer = await self._parts.journal.answer(control.turn_id) or answer
        place = await self._place_of(interaction, answer, Task.SHOW)
        if place is None:
            return "control-unknown"
        channel, _ = place
        words = words_of(interaction)
        if not await remove_messages(self._parts, channel, answer, words):
            return "control-not-deleted"
        await self._parts.journal.withdraw(control.turn_id)
        return None

    async def _thoughts(self, interaction: discord.Interaction, control: Control, answer: StoredAnswer) -> Problem:
        """The first page comes as a new message that only the presser sees; turning pages edits it."""
        words = words_of(interaction)
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


_DEEDS: Mapping[Action, Callable[[Controls, discord.Interaction, Control, StoredAnswer], Awaitable[Problem]]] = {
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

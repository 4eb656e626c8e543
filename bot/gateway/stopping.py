"""Stopping what is being written in a channel, whatever asked for it: `/stop`, or "stop" as a whole message."""

from __future__ import annotations

from collections.abc import Callable

import discord

from bot.gateway.admission.gate import may_steer
from bot.turn.queue import TurnQueue
from bot.turn.runner import TurnRunner


class Stopping:
    def __init__(self, queue: TurnQueue, runner: TurnRunner, cancel_burst: Callable[[int, int], bool]) -> None:
        """`cancel_burst`: of a person in a channel; whether there was one."""
        self._cancel_burst = cancel_burst
        self._queue = queue
        self._runner = runner

    def stop(self, channel_id: int, by: discord.User | discord.Member, permissions: discord.Permissions) -> bool:
        """End this person's running and waiting turns in the channel, and for who manages messages there whatever runs. False
        where there was none.

        Other people's questions that wait are not touched: nobody would tell them why they are not answered.
        """
        waiting = self._cancel_burst(by.id, channel_id) + self._queue.withdraw_of(by.id, channel_id)
        running = [
            turn_id
            for turn_id, asker_id in self._runner.running_in(channel_id)
            if may_steer(by.id, permissions, asker_id)
        ]
        for turn_id in running:
            self._runner.stop(turn_id, by=by.display_name)
        return bool(waiting or running)

"""How often in a row we answered bots in a channel without a person's word between. Pure.

Two bots that mention each other politely never stop by themselves, and each answer costs money.
"""

from __future__ import annotations

MOST_CHANNELS = 4096
"""Channels remembered; of more, those where a bot was answered last."""


class LoopGuard:
    def __init__(self) -> None:
        self._answers: dict[int, int] = {}
        """By channel, that of the oldest answer first."""

    def answers_in_a_row(self, channel_id: int) -> int:
        return self._answers.get(channel_id, 0)

    def bot_answered(self, channel_id: int) -> None:
        self._answers[channel_id] = self._answers.pop(channel_id, 0) + 1
        if len(self._answers) > MOST_CHANNELS:
            del self._answers[next(iter(self._answers))]

    def person_spoke(self, channel_id: int) -> None:
        """Whether to us or not."""
        self._answers.pop(channel_id, None)

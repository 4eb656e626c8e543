"""A question of somebody whose last one is just being answered: does it wait, or take that answer's place?

Until the answer's first word stands, nobody would miss it: it makes room, and the new question is answered with the old one before it,
so both are answered once. After that the channel's setting counts. Not for ever: after MOST_IN_A_ROW the next one waits, so that an
answer comes at last, and other people's turn.
"""

from __future__ import annotations

import msgspec

from bot.preferences import FollowUp
from bot.turn.queue import TurnQueue
from bot.turn.request import Task, TurnRequest
from bot.turn.runner import TurnRunner

MOST_IN_A_ROW = 3


def takes_over(
    request: TurnRequest, running: TurnRequest | None, *, has_words: bool, choice: FollowUp, in_a_row: int
) -> bool:
    """Whether the answer that is being written ends for this question, which then comes next.

    `has_words`: some of that answer's text stands. `in_a_row`: questions up to that one for which one before them ended.
    """
    if running is None or {request.task, running.task} != {Task.ANSWER} or request.passive or running.passive:
        return False
    if request.asked is not None or running.asked is not None:
        return False  # no message holds the question, so the next answer would not know of it
    if running.asker_id != request.asker_id or in_a_row >= MOST_IN_A_ROW:
        return False
    return choice is FollowUp.SUPERSEDE or not has_words


class FollowUps:
    def __init__(self, queue: TurnQueue, runner: TurnRunner) -> None:
        self._queue = queue
        self._runner = runner

    def submit(self, request: TurnRequest, choice: FollowUp) -> bool:
        """Put a new question into the queue, in the place of the running answer where that makes room. False as TurnQueue.submit."""
        running = self._runner.answering_in(request.channel_id)
        over = takes_over(
            request,
            running.request if running else None,
            has_words=running is not None and running.has_words,
            choice=choice,
            in_a_row=self._queue.in_a_row(request.channel_id),
        )
        if over and running is not None and not running.has_words:
            # A thread that was opened for what is answered together still has its first name.
            request = msgspec.structs.replace(request, thread_title=running.request.thread_title)
        if not self._queue.submit(request, takes_over=over):
            return False
        if over and running is not None:
            running.supersede()
        return True

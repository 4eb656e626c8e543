"""What is done with one turn, from the moment at which its turn has come: what happens to its question meanwhile counts, whether there is
a run already or not yet."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from bot.turn import machine as m
from bot.turn.answering import AnswerRun
from bot.turn.ending import EDITED
from bot.turn.request import Channel, Task, TurnRequest

MOST_TIMES_ANEW = 3
"""An answer to a question that is edited again and again is written in the end."""


class Work:
    def __init__(self, request: TurnRequest) -> None:
        self.request = request
        self.ended = asyncio.Event()
        self.run: AnswerRun | None = None
        self.is_done = False
        self._early: list[Callable[[AnswerRun], None]] = []
        """What happened to it while there was no run: it happens to the next one as that begins."""
        self._times_anew = 0

    @property
    def is_over(self) -> bool:
        return self.is_done or (self.run is not None and self.run.is_over and not self.run.begins_anew)

    @property
    def writes(self) -> bool:
        """An answer comes of it, and may still become another one. One whose final state is on its way to the channel is over in
        this sense: it has the buttons of one that is over."""
        return self.request.task is not Task.SHOW and not self.is_over

    @property
    def has_words(self) -> bool:
        """Some of the answer's text can be read."""
        return self.run is not None and self.run.has_words

    def is_about(self, message_id: int) -> bool:
        """Whether this message is part of the question."""
        return message_id in (self.request.question_id, *self.request.further_ids)

    def begin(self, run: AnswerRun, refusing: m.Stop | None) -> None:
        self.run = run
        if refusing is not None:
            run.stop(refusing)
        for happen in self._early:
            happen(run)

    def stop(self, stop: m.Stop) -> None:
        self._happen(lambda run: run.stop(stop))

    def discard(self) -> None:
        """Stop, and leave nothing in the channel."""
        self._happen(AnswerRun.discard)

    def supersede(self) -> None:
        """It ends where it is, for the next question of the same person."""
        self._happen(AnswerRun.supersede)

    def message_deleted(self, message_id: int) -> None:
        self._happen(lambda run: run.message_deleted(message_id))

    def _happen(self, to: Callable[[AnswerRun], None]) -> None:
        if self.run is not None and not self.run.begins_anew:
            to(self.run)
        else:
            self._early.append(to)

    def question_edited(self, message_id: int, channel_at: Callable[[int], Channel]) -> None:
        """One of the messages that are answered says something else. Where no word of the answer can be read yet, it is begun anew;
        else its end says so."""
        if message_id == self.request.question_id:
            channel = channel_at(self.request.channel_id)
            self.request = msgspec.structs.replace(self.request, channel=channel)
        if self.run is None or self.run.begins_anew:
            return
        if self.request.task is Task.ANSWER and not self.has_words and self._times_anew < MOST_TIMES_ANEW:
            self._times_anew += 1
            self.run.begin_anew()
        else:
            self.run.note(EDITED)

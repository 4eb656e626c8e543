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
        self._is_superseded = False
        self._is_withdrawn = False
        self._times_anew = 0

    @property
    def is_over(self) -> bool:
        return self.is_done or (self.run is not None and self.run.is_over and not self.run.begins_anew)

    @property
    def has_words(self) -> bool:
        """Some of the answer's text can be read."""
        return self.run is not None and self.run.has_words

    def is_about(self, message_id: int) -> bool:
        """Whether this message is part of the question."""
        return message_id in (self.request.question_id, *self.request.further_ids)

    def begin(self, run: AnswerRun, refusing: m.Stop | None) -> None:
        """What came before there was a run counts for it."""
        self.run = run
        if refusing is not None:
            run.stop(refusing)
        elif self._is_withdrawn:
            run.discard()
        elif self._is_superseded:
            run.supersede()

    def supersede(self) -> None:
        """It ends where it is, for the next question of the same person."""
        self._is_superseded = True
        if self.run is not None:
            self.run.supersede()

    def message_deleted(self, message_id: int) -> None:
        if self.run is not None and not self.run.begins_anew:
            self.run.message_deleted(message_id)
        elif self.request.task is Task.ANSWER and message_id == self.request.question_id:
            self._is_withdrawn = True

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

"""One answer as its channel should show it, at any moment: text and thoughts go in, the flusher looks (its `View`).

Here ours is added to the messages that TextFlow makes of the text: thoughts before it, the mark and the stop button while it
is written, footer, embed and buttons when it is over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Protocol

import msgspec

from bot.delivery.layout.live_mark import with_live_mark, without_live_mark
from bot.delivery.layout.measure import COMPONENTS, EMBED, PLAIN, Measure
from bot.delivery.plan import Button, EmbedPlan, FilePlan, MessagePlan, is_blank
from bot.delivery.reconcile import Shown
from bot.delivery.text_flow import TextFlow
from bot.delivery.thought_log import SpoilerLog, thoughts_file
from bot.localization import Words
from bot.preferences import DeliveryPreferences, Style, ThoughtLog

MEASURES: Mapping[Style, Measure] = {Style.PLAIN: PLAIN, Style.EMBED: EMBED, Style.COMPONENTS: COMPONENTS}

UNKNOWN = MessagePlan("", files=(FilePlan("", b""),))
"""Stands for a message of which it is not known how it looks: like no plan, so it is written over, and so are its files."""
_ENDING = EmbedPlan("", "", 0)
"""Stands for what an earlier ending put under a message."""


class Ending(Protocol):
    def __call__(self, plans: Sequence[MessagePlan], *, has_text: bool, blocked: bool) -> Sequence[MessagePlan]:
        """Puts what is ours under the answer's final messages. `blocked`: Discord did not let the rest through."""
        ...


class Answer:
    def __init__(
        self,
        preferences: DeliveryPreferences,
        words: Words,
        ending: Ending,
        live_buttons: Sequence[Button] = (),
        heading: str = "",
    ) -> None:
        """`heading`: Markdown lines of ours, such as whose answer it is. They stand above the model's first visible word."""
        self._preferences = preferences
        self._measure = MEASURES[preferences.style]
        self._words = words
        self._ending = ending
        self._live_buttons = tuple(live_buttons)
        self._heading = heading
        self._text: list[str] = []
        self._resumed = ""
        """Text of earlier runs."""
        self._thoughts: list[str] = []
        self.thinking_seconds = 0.0
        """How long the model thought before the text that follows, as far as that is known; 0: it still thinks, or never did."""
        self._begin()

    def _begin(self) -> None:
        self._flow = TextFlow(self._preferences, self._measure)
        self._heading_is_due = bool(self._heading)
        self._spoilers = SpoilerLog(self._words) if self._preferences.thoughts is ThoughtLog.SPOILER else None

    @property
    def text(self) -> str:
        """The model's Markdown as it wrote it."""
        return "".join(self._text)

    @property
    def thoughts(self) -> str:
        return "".join(self._thoughts)

    def add_text(self, text: str) -> None:
        self._text.append(text)
        if self._spoilers is not None:
            self._spoilers.answer_begins()
        if self._heading_is_due:
            if is_blank(so_far := self.text):
                return  # or the heading would pass for an answer
            self._heading_is_due = False
            text = self._heading + so_far.lstrip("\r\n")
        self._flow.feed(text)

    def add_thoughts(self, text: str) -> None:
        self._thoughts.append(text)
        if self._spoilers is not None:
            self._spoilers.feed(text)

    def take_back(self) -> None:
        """All text of this run so far was reasoning: it goes to the thoughts."""
        thoughts = self.thoughts + self.text[len(self._resumed) :]
        self._text.clear()
        self._thoughts.clear()
        self._begin()
        self._fill(self._resumed, thoughts)

    def resume(self, text: str, thoughts: str, thinking_seconds: float) -> None:
        """An answer that was written before."""
        self.thinking_seconds = thinking_seconds
        self._resumed = text
        self._fill(text, thoughts)

    def _fill(self, text: str, thoughts: str) -> None:
        if thoughts:
            self.add_thoughts(thoughts)
        if text:
            self.add_text(text)

    def standing(self, messages: Sequence[tuple[int, int]]) -> Sequence[Shown]:
        """Messages of an earlier run, the last one with an ending: ids, and how many code points of each are the model's.

        What a server chose since may have another message in that place: it is not known how such a one looks.
        """
        plans = list(self._with_thoughts_attached(self._messages())[: len(messages)])
        if plans:
            plans[-1] = msgspec.structs.replace(plans[-1], embed=_ENDING)
        return [
            Shown(message_id, plan if plan is not None and plan.model_length == text_length else UNKNOWN)
            for (message_id, text_length), plan in zip_longest(messages, plans)
        ]

    def live(self) -> Sequence[MessagePlan]:
        plans = self._messages()
        if not plans:
            return plans
        if self._preferences.live_mark:
            plans = with_live_mark(plans, self._measure)
        # Even a settled message is to change once more: the buttons go when another one follows.
        return [*plans[:-1], msgspec.structs.replace(plans[-1], buttons=self._live_buttons, settled=False)]

    def final(self, standing: Sequence[MessagePlan] | None) -> Sequence[MessagePlan]:
        self._flow.close()
        if standing is None:
            plans = self._with_thoughts_attached(self._messages(final=True))
        else:
            plans = [_text_alone(plan) for plan in standing if plan is not UNKNOWN]
        has_text = any(plan.text_length != 0 for plan in plans)
        return self._ending(plans, has_text=has_text, blocked=standing is not None)

    def _messages(self, *, final: bool = False) -> Sequence[MessagePlan]:
        """Without anything of ours."""
        text = self._flow.messages()
        if self._spoilers is None:
            return text
        thinks = not final and not self._text
        return [*self._spoilers.messages(None if thinks else self.thinking_seconds, final=final), *text]

    def _with_thoughts_attached(self, plans: Sequence[MessagePlan]) -> Sequence[MessagePlan]:
        """As a file, where that is wanted, or where all came after the text, and so are in no spoiler before it."""
        wanted = self._preferences.thoughts is ThoughtLog.FILE or (
            self._spoilers is not None and not self._spoilers.messages(self.thinking_seconds)
        )
        file = thoughts_file(self.thoughts, self._words) if wanted else None
        if file is None:
            return plans
        if plans and not plans[-1].files:
            return [*plans[:-1], msgspec.structs.replace(plans[-1], files=(file,))]
        return [*plans, MessagePlan("", text_length=0, files=(file,))]


def _text_alone(plan: MessagePlan) -> MessagePlan:
    """With its files, and without what is ours."""
    return msgspec.structs.replace(without_live_mark(plan), embed=None, buttons=())

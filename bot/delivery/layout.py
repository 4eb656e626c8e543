"""Turns a model's Markdown into the Discord messages that carry it, while it streams in.

Text waits in a window of one and a half messages. A message is *settled*, cut off the window's front for good, only when the
window is full or the text is over; the cut looks at the window alone. So it depends on the text and never on how
the text arrived, and the cost of a piece of text is bounded by the window, whatever came before. What waits is
laid out anew on each look: that is the open tail, one message or briefly two.

Work on whole blocks (tables, images, long code as a file) belongs before this: a text stage that feeds the layout.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.delivery.cut import closed, cut
from bot.delivery.cut_points import parse
from bot.delivery.hold_back import without_unfinished_end
from bot.delivery.plan import MessagePlan, is_blank

SMALLEST_LIMIT = 200
"""Below this a fence with its language, opened and closed again, leaves too little room for text."""

_SPACE = re.compile(r"\s*")


class Layout:
    """Feed text, read messages.

    `limit` counts Unicode code points, as Discord does: 2,000 for message content. ValueError below SMALLEST_LIMIT.
    """

    def __init__(self, limit: int = 2000) -> None:
        if limit < SMALLEST_LIMIT:
            raise ValueError(f"limit is {limit}, the smallest is {SMALLEST_LIMIT}")
        self._limit = limit
        self._window = limit + limit // 2
        self._settled: list[MessagePlan] = []
        self._lead = ""
        self._rest = ""
        self._in_code = False
        self._open: Sequence[MessagePlan] | None = None
        self._closed = False

    def feed(self, text: str) -> None:
        """More of the answer; any cut of it gives the same messages in the end."""
        if self._closed:
            raise RuntimeError("this layout is closed")
        text = self._rest + text
        at = self._skip_space(text, 0)
        while len(self._lead) + len(text) - at >= self._window:
            at = self._skip_space(text, self._settle(text, at, goes_on=True))
        self._rest = text[at:]
        self._open = None

    def messages(self) -> Sequence[MessagePlan]:
        """What should stand in the channel now: settled messages, which never change again, then the open ones."""
        if self._open is None:
            self._open = self._tail()
        return [*self._settled, *self._open]

    def close(self) -> Sequence[MessagePlan]:
        """The text is over. All messages, all settled."""
        if not self._closed:
            self._closed = True
            text, at = self._rest, 0
            while not self._settle_last(text, at):
                at = self._skip_space(text, self._settle(text, at, goes_on=False))
            self._rest, self._open = "", ()
        return list(self._settled)

    def _skip_space(self, text: str, at: int) -> int:
        """Discord trims what a message begins with."""
        space = None if self._in_code else _SPACE.match(text, at)
        return space.end() if space else at

    def _settle(self, text: str, at: int, *, goes_on: bool) -> int:
        """Cut one message off text[at:]; where the next one's text begins."""
        lead = self._lead
        taken = cut(lead + text[at : at + self._window - len(lead)], len(lead), self._limit, goes_on=goes_on)
        if taken.content:
            self._settled.append(MessagePlan(taken.content, settled=True))
        self._lead, self._in_code = taken.lead, taken.in_code
        return at + taken.rest - len(lead)

    def _settle_last(self, text: str, at: int) -> bool:
        """True when text[at:] fits into one message, or into none, and is settled."""
        content = "" if is_blank(text[at:]) else closed(self._lead + text[at:])
        if len(content) > self._limit:
            return False
        if content:
            self._settled.append(MessagePlan(content, settled=True))
        return True

    def _tail(self) -> Sequence[MessagePlan]:
        """The waiting text as it may be shown: nothing half-received at its end, and what is open closed."""
        lead, text, in_code = self._lead, self._rest, self._in_code
        text = without_unfinished_end(lead + text)[len(lead) :]
        plans: list[MessagePlan] = []
        while not is_blank(text):
            content = closed(lead + text)
            if len(content) <= self._limit:
                if content:
                    plans.append(MessagePlan(self._with_marks_closed(content)))
                break
            taken = cut(lead + text, len(lead), self._limit, goes_on=True)
            if taken.content:
                plans.append(MessagePlan(taken.content))
            text, lead, in_code = text[taken.rest - len(lead) :], taken.lead, taken.in_code
            text = text if in_code else text.lstrip()
        return plans

    def _with_marks_closed(self, content: str) -> str:
        parsed = parse(content, self._limit, goes_on=True)
        marks = "".join(span.mark for span in reversed(parsed.spans) if span.end is None)
        return content + marks if len(content) + len(marks) <= self._limit else content

"""Turns a model's Markdown into the Discord messages that carry it, while it streams in.

Text waits in a window of one and a half messages. A message is *settled*, cut off the window's front for good, only when the
window is full, the text is over, or a file stands behind it; the cut looks at the window alone. So it depends on the text and
never on how the text arrived, and the cost of a piece of text is bounded by the window, whatever came before. What waits is
laid out anew on each look: that is the open tail, one message or briefly two.

Work on whole blocks (tables, images, long code as a file) belongs before this: a text stage that feeds the layout.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from bot.delivery.layout.cut import closed, cut
from bot.delivery.layout.cut_points import TextEnd
from bot.delivery.layout.hold_back import without_unfinished_end
from bot.delivery.layout.measure import PLAIN, Measure
from bot.delivery.plan import FilePlan, MessagePlan, is_blank

SMALLEST_LIMIT = 200
"""Below this a fence with its language, opened and closed again, leaves too little room for text."""
_WIDEST = "\U0010ffff"
"""Four bytes."""


class _Waiting(msgspec.Struct, frozen=True):
    """Text of which no message has been made yet."""

    text: str = ""
    lead: str = ""
    """Marks that the next message begins with."""
    in_code: bool = False
    """The text begins inside a code block: white space counts."""

    def __len__(self) -> int:
        return len(self.lead) + len(self.text)

    def and_then(self, text: str) -> _Waiting:
        """With more text behind it, and without white space at a message's start, which Discord trims."""
        text = self.text + text
        if not self.in_code and text[:1].isspace():
            text = text.lstrip()
        return _Waiting(text, self.lead, self.in_code)


class Layout:
    """Feed text, read messages.

    `measure` says how long a message may be; a number counts Unicode code points. ValueError where less than SMALLEST_LIMIT
    of some text fits.
    """

    def __init__(self, measure: Measure | int = PLAIN) -> None:
        self._measure = Measure(measure) if isinstance(measure, int) else measure
        limit = self._measure.code_points
        least = self._measure.longest(_WIDEST * limit)
        if least < SMALLEST_LIMIT:
            raise ValueError(f"limit is {least}, the smallest is {SMALLEST_LIMIT}")
        self._window = limit + limit // 2
        self._settled: list[MessagePlan] = []
        self._waiting = _Waiting()
        self._look: tuple[str, Sequence[MessagePlan]] | None = None
        """The last look at the open messages, and the provisional text of it."""
        self._closed = False

    def feed(self, text: str) -> None:
        """More of the answer; any cut of it gives the same messages in the end."""
        self._change()
        for at in range(0, len(text), self._window):
            self._waiting = self._waiting.and_then(text[at : at + self._window])
            while len(self._waiting) >= self._window:
                content, self._waiting = self._cut(self._waiting, TextEnd.MORE)
                self._settle([content])

    def attach(self, file: FilePlan) -> None:
        """A file behind the text so far: all of that is settled, and its last message carries the file. Without text the
        file is a message of its own. What follows begins a new message, with no emphasis, quote or code open.
        """
        self._change()
        with_text = self._settle(self._finished(self._waiting, TextEnd.NOT_YET))
        self._waiting = _Waiting()
        carrier = self._settled.pop() if with_text else MessagePlan("", settled=True)
        self._settled.append(msgspec.structs.replace(carrier, files=(file,)))

    def messages(self, provisional: str = "") -> Sequence[MessagePlan]:
        """What should stand in the channel now: settled messages, which never change again, then the open ones.

        `provisional` is text behind all that was fed, shown as if it were fed as well, and forgotten.
        """
        if self._look is None or self._look[0] != provisional:
            self._look = provisional, self._tail(provisional)
        return [*self._settled, *self._look[1]]

    def close(self) -> Sequence[MessagePlan]:
        """The text is over. All messages, all settled."""
        if not self._closed:
            self._settle(self._finished(self._waiting, TextEnd.NOTHING))
            self._closed, self._waiting, self._look = True, _Waiting(), ("", ())
        return list(self._settled)

    def _change(self) -> None:
        if self._closed:
            raise RuntimeError("this layout is closed")
        self._look = None

    def _settle(self, contents: Sequence[str]) -> bool:
        plans = [MessagePlan(content, settled=True) for content in contents if content]
        self._settled += plans
        return bool(plans)

    def _cut(self, waiting: _Waiting, end: TextEnd) -> tuple[str, _Waiting]:
        """One message off the front, and what waits then."""
        window = (waiting.lead + waiting.text)[: self._window]
        taken = cut(window, len(waiting.lead), self._measure.longest(window), end)
        rest = waiting.text[taken.rest - len(waiting.lead) :]
        return taken.content, _Waiting("", taken.lead, taken.in_code).and_then(rest)

    def _finished(self, waiting: _Waiting, end: TextEnd) -> Sequence[str]:
        """All that waits as messages, some of which may be empty."""
        contents: list[str] = []
        while not is_blank(waiting.text):
            if len(waiting.lead) + len(waiting.text.rstrip()) <= self._measure.code_points:
                content = closed(waiting.lead + waiting.text, len(waiting.lead), end)
                if self._measure.fits(content):
                    return [*contents, content]
            content, waiting = self._cut(waiting, end)
            contents.append(content)
        return contents

    def _tail(self, provisional: str) -> Sequence[MessagePlan]:
        """The waiting text as it may be shown: nothing half-received at its end, and what is open closed."""
        waiting = self._waiting.and_then(provisional)
        contents: list[str] = []
        while len(waiting) >= self._window:
            content, waiting = self._cut(waiting, TextEnd.MORE)
            contents.append(content)
        whole = without_unfinished_end(waiting.lead + waiting.text)
        waiting = msgspec.structs.replace(waiting, text=whole[len(waiting.lead) :])
        return [MessagePlan(content) for content in (*contents, *self._finished(waiting, TextEnd.NOT_YET)) if content]

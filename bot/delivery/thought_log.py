"""A model's reasoning, shown apart from its answer: as spoilers before it, as a file, as messages elsewhere, as pages.

All of them are laid out by Layout, so code blocks are whole in each part. A spoiler ends at the next `||` wherever that
stands, in code too; so no `||` of the thoughts is left, and no `#` that begins a heading: an empty sign (U+200B) goes in
between. What does not fit into a few messages is not cut off: the file has all thoughts, as the model wrote them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from bot.delivery.layout.fences import segments
from bot.delivery.layout.window import Layout
from bot.delivery.plan import FilePlan, MessagePlan, is_blank
from bot.localization import Words

MOST_SPOILERS = 3
MOST_ELSEWHERE = 10
"""Messages in a thread or log channel; at Discord's five in five seconds, more would take long."""
_MOST_ELSEWHERE_LENGTH = (MOST_ELSEWHERE + 1) * 2000
"""Code points that are laid out for them."""
PAGE_LENGTH = 1900
"""Code points; a line of ours fits above."""
_SPOILER_LENGTH = 1850
"""Code points of thoughts in a message of 2,000, with room for the first line and the spoiler's marks."""

_EMPTY_SIGN = "\u200b"
_LONGEST_PREFIX = 40
_WORKS = re.compile(rf"(?<=\|)(?=\|)|^[ \t>*+\-\d.)]{{0,{_LONGEST_PREFIX}}}(?=#)", re.MULTILINE)
"""Ends where an empty sign belongs: between two bars, and before a `#` that may begin a heading or make a line small."""


class SpoilerLog:
    """Thoughts as spoiler messages that stand before the answer's. Feed thoughts, read messages.

    While the model thinks they grow; full ones stay as they are, but for the first line of the first. When the answer
    has begun, no further message can be put before it: thoughts that come later are in the file only.
    """

    def __init__(self, words: Words) -> None:
        self._words = words
        self._thoughts: list[str] = []
        self._line = ""
        """The line that is being written, as far as _WORKS must know it."""
        self._room = MOST_SPOILERS * _SPOILER_LENGTH * 3 // 2
        """Code points that the layout still takes: more cannot be shown."""
        self._layout = Layout(_SPOILER_LENGTH)
        self._answering = False
        self._has_more = False

    def feed(self, thoughts: str) -> None:
        self._thoughts.append(thoughts)
        shown = "" if self._answering else thoughts[: self._room]
        self._has_more = self._has_more or bool(thoughts[len(shown) :].strip())
        self._room -= len(shown)
        self._layout_feed(shown)

    def answer_begins(self) -> None:
        """The model is done with thinking, or the first of its answer is shown."""
        self._answering = True
        self._layout.close()

    def messages(self, seconds: float | None = None, *, final: bool = False) -> Sequence[MessagePlan]:
        """What should stand before the answer now; nothing where there are no thoughts.

        `seconds`: how long the model thought; None while it does. `final`: nothing comes any more, so that a file, where
        one is needed, is complete.
        """
        if final and not self._answering:
            self.answer_begins()
        parts = self._layout.messages()
        has_more = self._has_more or len(parts) > MOST_SPOILERS
        thinking = seconds is None
        first_line = self._words("thoughts-thinking") if seconds is None else _thought_for(seconds, self._words)
        plans = [
            MessagePlan(_spoiler(part.content), settled=part.settled, text_length=0) for part in parts[:MOST_SPOILERS]
        ]
        if plans:
            plans[0] = MessagePlan(f"-# {first_line}\n{plans[0].content}", plans[0].settled and not thinking, 0)
        file = thoughts_file("".join(self._thoughts), self._words) if final and has_more else None
        return _with_file(plans, file)

    def _layout_feed(self, text: str) -> None:
        if not text:
            return
        known = len(self._line)
        text = self._line + text
        places = [place.end() for place in _WORKS.finditer(text) if known <= place.end() < len(text)]
        pieces = [text[start:end] for start, end in zip([known, *places], [*places, len(text)], strict=True)]
        self._layout.feed(_EMPTY_SIGN.join(pieces))
        line = text[text.rfind("\n") + 1 :]
        # A line this long begins no heading any more; of it only the last sign matters, behind one that is no prefix.
        self._line = line if len(line) <= _LONGEST_PREFIX else f"x{line[-1]}"


def thoughts_file(thoughts: str, words: Words) -> FilePlan | None:
    """`thoughts.md` with the thoughts as the model wrote them; None where there are none."""
    if is_blank(thoughts):
        return None
    return FilePlan("thoughts.md", thoughts.encode("utf-8", "replace"), words("thoughts-file"))


def elsewhere(thoughts: str, words: Words, question_link: str) -> Sequence[MessagePlan]:
    """Messages for a thread or log channel: a line that names the question, then the thoughts as they are.

    `question_link`: the message's address at Discord. Where it would be too many messages, the last one has the file.
    """
    file = thoughts_file(thoughts, words)
    if file is None:
        return []
    layout = Layout()
    layout.feed(f"-# {words('thoughts-of', question=f'<{question_link}>')}\n")
    layout.feed(thoughts[:_MOST_ELSEWHERE_LENGTH])
    plans = [MessagePlan(part.content, settled=True, text_length=0) for part in layout.close()]
    has_more = len(plans) > MOST_ELSEWHERE or bool(thoughts[_MOST_ELSEWHERE_LENGTH:].strip())
    return _with_file(plans[:MOST_ELSEWHERE], file if has_more else None)


@lru_cache(maxsize=4)
def pages(thoughts: str) -> Sequence[str]:
    """The thoughts in pages of at most PAGE_LENGTH code points, cut like messages; none where there are no thoughts.

    Who reads one page turns to the next, and to cut the longest thoughts takes a second: the last ones are remembered.
    """
    layout = Layout(PAGE_LENGTH)
    layout.feed(thoughts)
    return tuple(part.content for part in layout.close())


def page_content(page: str, nr: int, count: int, words: Words) -> str:
    """A page under our line "page nr of count", at most 2,000 code points; no such line where there is only one.

    Below the page, a quote without end would take the line in.
    """
    return page if count == 1 else f"-# {words('thoughts-page', page=nr, pages=count)}\n{page}"


def _thought_for(seconds: float, words: Words) -> str:
    return words("thoughts-thought", count=max(1, round(seconds)))


def _spoiler(content: str) -> str:
    """A fence keeps its lines to itself; a bar or backslash would run together with the closing marks."""
    code = [part for part in segments(content) if part.fence is not None]
    before = "\n" if code and code[0].start == 0 else _EMPTY_SIGN if content.startswith("|") else ""
    after = "\n" if code and code[-1].end == len(content) else _EMPTY_SIGN if content.endswith(("|", "\\")) else ""
    return f"||{before}{content}{after}||"


def _with_file(plans: Sequence[MessagePlan], file: FilePlan | None) -> Sequence[MessagePlan]:
    if file is None or not plans:
        return plans
    last = plans[-1]
    return [*plans[:-1], MessagePlan(last.content, last.settled, last.text_length, files=(file,))]

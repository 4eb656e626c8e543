"""The scripts of `--provider demo`: recorded answers, and what a provider can do wrong, chosen by a word of the question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bot.conversation.prompt import CONTINUE
from bot.conversation.titles import TITLE_WANTED
from bot.playground.scripted_provider import BreakOff, Pause, Refuse, Script, Step, Think, spoken

ANSWERS = Path(__file__).parent / "demo_answers"
PACE = 0.02
"""Seconds between deltas of four characters: about as fast as a hosted model."""
REST = " … and this is the rest. A recorded answer has only this one; a model goes on where it stopped."
DELTAS = 600
"""At most so many; those of a long answer are longer, so that nobody waits more than a dozen seconds for its end."""


def demo_script(question: str, pace: float = PACE) -> Script:
    if CONTINUE in question:
        return spoken(REST, pace)
    if question.endswith(TITLE_WANTED):
        return spoken("A recorded answer", pace)
    # What people wrote in a row comes as one message: the last of it, behind its label, and before what is told of its files.
    asked = question.rpartition("): ")[2].partition("\n[")[0]
    words = set(re.findall(r"[a-z]+", asked.lower()))
    if "error" in words:
        return [Refuse(429, "Rate limit reached for requests", code="rate_limit_exceeded", retry_after=20)]
    if "broken" in words:
        return [*spoken("This answer will not be finished, because the conn", pace), BreakOff()]
    name = next((path.stem for path in sorted(ANSWERS.glob("*.md")) if path.stem in words), "hello")
    text = (ANSWERS / f"{name}.md").read_text(encoding="utf-8").strip()
    recorded = ANSWERS / f"{name}.thoughts.md"
    thoughts = recorded.read_text(encoding="utf-8") if recorded.exists() else "They asked; a recorded answer fits."
    return [*_thought(thoughts, pace), Pause(0.5 if pace else 0.0), *spoken(text, pace, max(4, len(text) // DELTAS))]


def _thought(text: str, pace: float) -> Iterator[Step]:
    """A word at a time."""
    for word in re.findall(r"\S+\s*", text):
        yield Think(word)
        yield Pause(pace)

"""The scripts of `--provider demo`: recorded answers, and what a provider can do wrong, chosen by a word of the question."""

from __future__ import annotations

import re
from pathlib import Path

from bot.playground.scripted_provider import BreakOff, Pause, Refuse, Script, Think, spoken

ANSWERS = Path(__file__).parent / "demo_answers"
PACE = 0.02
"""Seconds between deltas of four characters: about as fast as a hosted model."""


def demo_script(question: str, pace: float = PACE) -> Script:
    # What people wrote in a row comes as one message; the question is its last paragraph.
    words = set(re.findall(r"[a-z]+", question.rpartition("\n\n")[2].lower()))
    if "error" in words:
        return [Refuse(429, "Rate limit reached for requests", code="rate_limit_exceeded", retry_after=20)]
    if "broken" in words:
        return [*spoken("This answer will not be finished, because the conn", pace), BreakOff()]
    name = next((path.stem for path in sorted(ANSWERS.glob("*.md")) if path.stem in words), "hello")
    text = (ANSWERS / f"{name}.md").read_text(encoding="utf-8").strip()
    return [Think("They asked; a recorded answer fits."), Pause(0.5 if pace else 0.0), *spoken(text, pace)]

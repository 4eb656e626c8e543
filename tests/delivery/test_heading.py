"""What stands above an answer: whose it is, or what was asked by a command."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.delivery.answer import Answer
from bot.delivery.plan import MessagePlan
from bot.localization import Translator
from bot.preferences import DeliveryPreferences, Style, ThoughtLog

WORDS = Translator().say("en-US")
HEADING = "**Miso**\n"


class Written:
    def __init__(self, *, heading: str = HEADING, **preferences: object) -> None:
        self.has_text: bool | None = None
        chosen = DeliveryPreferences(**preferences)  # type: ignore[arg-type]  # by name
        self.answer = Answer(chosen, WORDS, self._ending, heading=heading)

    def _ending(self, plans: Sequence[MessagePlan], *, has_text: bool, blocked: bool) -> Sequence[MessagePlan]:
        self.has_text = has_text
        return plans

    def live(self) -> list[str]:
        return [plan.content for plan in self.answer.live()]

    def final(self) -> list[str]:
        return [plan.content for plan in self.answer.final(None)]


@pytest.mark.parametrize("style", Style)
@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("Hi.", "**Miso**\nHi.", id="a line above the text"),
        pytest.param("\n\nHi.", "**Miso**\nHi.", id="right above it"),
        pytest.param("   code\n", "**Miso**\n   code", id="what is indented stays so"),
        pytest.param("```py\nx\n```", "**Miso**\n```py\nx\n```", id="a block begins its own line"),
        pytest.param("# Title\nx", "**Miso**\n# Title\nx", id="so does a title"),
    ],
)
def test_it_stands_once_above_the_text_however_that_arrives(style: Style, text: str, shown: str) -> None:
    whole, split = Written(style=style), Written(style=style)
    whole.answer.add_text(text)
    for character in text:
        split.answer.add_text(character)
        assert all(message.startswith("**Miso**") for message in split.live())
    assert whole.final() == split.final() == [shown]
    assert whole.has_text


@given(st.text(" \n\t\u200b", max_size=5))
def test_over_nothing_to_be_seen_there_is_none(blank: str) -> None:
    written = Written()
    for character in blank:
        written.answer.add_text(character)
    assert written.live() == []
    assert written.final() == []
    assert written.has_text is False


def test_with_text_that_was_reasoning_it_is_taken_back_too_and_comes_again() -> None:
    written = Written(thoughts=ThoughtLog.SPOILER)
    written.answer.add_text("Let me see.")
    assert written.live() == ["**Miso**\nLet me see. ▍"]
    written.answer.take_back()
    assert "Miso" not in "".join(written.live())
    written.answer.add_text("Hi.")
    written.answer.thinking_seconds = 2.0
    assert written.final() == ["-# 💭 Thought for 2 seconds\n||Let me see.||", "**Miso**\nHi."]


def test_an_answer_that_goes_on_has_it_once_and_a_long_one_on_its_first_message() -> None:
    written = Written()
    written.answer.resume("word " * 300, "", 0.0)
    written.answer.add_text("word " * 300)
    assert ["Miso" in message for message in written.final()] == [True, False]

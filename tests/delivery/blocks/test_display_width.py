"""How many columns a text takes in a code block."""

from __future__ import annotations

import pytest

from bot.delivery.blocks.display_width import display_width


@pytest.mark.parametrize(
    ("text", "columns"),
    [("", 0), ("abc", 3), ("ä", 1), ("a\u0308", 1), ("日本", 4), ("한국", 4), ("ｆｕｌｌ", 8), ("🦞", 2), ("👩‍👩‍👧‍👦", 2), ("🇩🇪", 2), ("👍🏽", 2), ("1️⃣", 2), ("ก็", 1), ("a\u200bb", 2), ("é\x07", 2)],
)  # fmt: skip
def test_wide_characters_take_two_columns_and_marks_none(text: str, columns: int) -> None:
    assert display_width(text) == columns

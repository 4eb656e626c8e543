"""Titles of threads: one plain line, whatever the question or the model said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.conversation.titles import LONGEST_TITLE, provisional_title, read_title, title_request


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("<@123> How do I bake bread?", "How do I bake bread?"),
        ("<@!123>\n\n> # **Bread?**\nAnd more", "Bread?"),
        (
            "**Why** does `snake_case` _work_ in __init__, 2**3 and 4**5?",
            "Why does snake_case work in init, 2**3 and 4**5?",
        ),
        ("see https://example.org/x <#12> <:party:34>", "see"),
        ("<@123>", ""),
        ("   \n\u200b", ""),
        ("a\u202eb\tc", "ab c"),
        ("\U0001f469\u200d\U0001f4bb می\u200cخواهم", "\U0001f469\u200d\U0001f4bb می\u200cخواهم"),
        ("word " * 40, " ".join(["word"] * 15) + "…"),
        ("x" * 300, "x" * 79 + "…"),
        ("パンの焼き方を教えて", "パンの焼き方を教えて"),
    ],
)
def test_a_thread_is_first_named_after_its_question(question: str, title: str) -> None:
    assert provisional_title(question) == title


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("Baking bread", "Baking bread"),
        ('"Baking bread."', "Baking bread"),
        ("**Title:** Baking bread\n\nLet me know!", "Baking bread"),
        ("Title: Baking bread", "Baking bread"),
        ("\n\n## Baking bread\n", "Baking bread"),
        ("„Brot backen“", "Brot backen"),
        ("To bake bread you first need flour, and then water, and then a lot of patience, as my", ""),
        ("", ""),
        ("***", ""),
    ],
)
def test_of_what_the_model_says_a_title_is_a_short_line(said: str, title: str) -> None:
    assert read_title(said) == title


@given(st.text(max_size=400))
def test_a_title_is_one_bounded_line(text: str) -> None:
    for title in (provisional_title(text), read_title(text)):
        assert len(title) <= LONGEST_TITLE
        assert title == "" or len(title.splitlines()) == 1
        assert title == title.strip()


def test_the_model_reads_only_the_beginning_of_both() -> None:
    request = title_request("m", "q" * 10_000, "a" * 10_000)
    assert len(request.messages[0].text) < 4100
    assert request.system

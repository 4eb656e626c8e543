"""Trigger words: said as words, in any script, and never found in what is no speech."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bot.gateway.triggers.words import LONGEST_TEXT, LONGEST_WORD, says


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("parley", "parley"),
        ("Parley", "hey PARLEY, how are you?"),
        ("parley", "Parley's idea"),
        ("parley", "(parley)"),
        ("parley", "**parley** and __parley__"),
        ("parley", "_parley_!"),
        ("parley", "||parley||"),
        ("parley", "@parley are you there"),
        ("parley", "ＰＡＲＬＥＹ"),
        ("parley", "你好parley你好"),
        ("parley", "par\u00adley"),
        ("parley", "parley\u200bplease"),
        ("parley", "parley.why"),
        ("parley", "see [parley](https://example.org)"),
        ("parley", "https://example.org parley"),
        ("parley", "<https://example.org> parley"),
        ("parley", "`code` parley `code`"),
        ("parley", "one ` parley"),
        ("hey parley", "Hey   Parley!"),
        ("jean-luc", "ask Jean-Luc"),
        ("jean", "ask Jean-Luc"),
        ("r2-d2", "R2-D2, come"),
        ("r2d2", "where is r2d2?"),
        ("c++", "C++ is fun"),
        ("café", "un CAFE\u0301 s'il te plaît"),
        ("Straße", "die STRASSE"),
        ("ΟΔΟΣ", "η οδος"),
        ("привет", "ну, Привет!"),
        ("नमस्ते", "नमस्ते जी"),
        ("トモリ", "ねえトモリちゃん"),
        ("ﾄﾓﾘ", "ねえトモリちゃん"),
        ("小美", "我觉得小美不错"),
        ("토모리", "토모리야 안녕"),
        ("토모리", unicodedata.normalize("NFD", "토모리야")),
        ("น้อง", "สวัสดีน้องครับ"),
        ("AIちゃん", "やあAIちゃんだ"),
        ("🤖", "hello🤖there"),
    ],
)
def test_a_word_that_is_said_counts(word: str, text: str) -> None:
    assert says(text, [word])


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("parley", "parleys"),
        ("parley", "unparley"),
        ("parley", "parley2"),
        ("parley", "parley_bot"),
        ("parley", "my__parley"),
        ("bot", "robot, both, bottle"),
        ("cafe", "café"),
        ("cafe", "cafe\u0301"),
        ("caf", "café"),
        ("नमस", "नमस्ते"),
        ("AIちゃん", "やあMAIちゃんだ"),
        ("parley", "https://parley.example/parley?parley#parley"),
        ("parley", "see https://example.org/wiki/The_(parley)"),
        ("parley", "see [docs](https://example.org/parley)"),
        ("parley", "www.parley.example"),
        ("parley", "discord://-/parley"),
        ("parley", "write to parley@example.org or to me@parley.example"),
        ("parley", "`parley`"),
        ("parley", "``a ` parley``"),
        ("parley", "```py\nparley = 1\n```"),
        ("parley", "<:parley:123456789012345678>"),
        ("parley", "<a:parley:123456789012345678>"),
        ("parley", ":parley:"),
        ("parley", "</parley:123456789012345678> and </settings parley:123456789012345678>"),
        ("123", "<@123> <@!123> <@&123> <#123> <t:123:R>"),
        ("トモリ", "https://example.org/トモリ"),
        ("トモリ", "トモ リ"),
        ("hey parley", "hey `x` parley"),
        ("", "anything"),
        (" ", "any thing"),
        ("__", "any __ thing"),
        ("\0", "`code`"),
    ],
)
def test_a_word_that_is_not_said_does_not(word: str, text: str) -> None:
    assert not says(text, [word])


def test_any_of_several_words_will_do() -> None:
    assert says("hello ann", ["bob", "", "Ann"])
    assert not says("hello ann", [])


def test_only_so_much_of_a_text_and_of_a_word_is_looked_at() -> None:
    assert says("x " * (LONGEST_TEXT // 2 - 3) + "parley", ["parley"])
    assert not says("x " * (LONGEST_TEXT // 2) + "parley", ["parley"])
    assert says("a" * LONGEST_WORD, ["a" * LONGEST_WORD])
    assert not says("a" * (LONGEST_WORD + 1), ["a" * (LONGEST_WORD + 1)])


@pytest.mark.parametrize(
    "text", ["`" * 4000, "``` `` ` " * 400, "a." * 2000, "@." * 2000, "www." * 1000, "<@" * 2000, "_" * 4000]
)
def test_text_that_is_made_to_be_slow_is_not(text: str) -> None:
    """That this ends is what is tested: looked at with backtracking it would not."""
    assert not says(text, ["parley"] * 100)


WORDS = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=20)


@given(WORDS)
def test_whatever_the_letters_are_a_word_is_found_between_spaces(word: str) -> None:
    assert says(f"well {word} then", [word])
    assume(word.upper().casefold() == word.casefold())  # not so for a dotted capital I
    assert says(f"well {word.upper()} then", [word])


@given(WORDS, st.text(max_size=50))
def test_code_is_never_looked_into(word: str, text: str) -> None:
    assert not says(f"`{text.replace('`', '')}{word}`", [word])
    assert not says(f"```{text.replace('`', '')}{word}```", [word])


@given(st.text(), st.lists(st.text()))
def test_no_text_breaks_it(text: str, words: list[str]) -> None:
    assert says(text, words) in (True, False)

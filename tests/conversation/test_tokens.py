"""Tokens are counted with one vocabulary, and what a model makes of it is learned from what its provider reports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import FilePart, FunctionCall, ImagePart, Origin, PromptMessage, Role, TextPart, ToolResult
from bot.conversation.tokens import FIRST_FACTOR, LEAST_FACTOR, MESSAGE, MOST_FACTOR, TokenCounter
from tests.conversation.room import picture

GPT = Origin("openai-chat", None, "gpt")
LOCAL = Origin("custom", "http://127.0.0.1:8080/v1", "local")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("The quick brown fox jumps over the lazy dog.", 10),
        ("1234567890", 4),
        ("你好，世界", 3),
        ("<|endoftext|>", 7),
        ("half \ud800 a pair", 4),
    ],
)
def test_tokens_of_the_models_whose_vocabulary_it_is_are_counted_exactly(text: str, tokens: int) -> None:
    """As another implementation of o200k_base counts. What looks like a control token is text, and a broken character harms nothing."""
    assert TokenCounter().count(text, GPT) == tokens


def test_other_models_are_thought_to_need_more() -> None:
    assert TokenCounter().count("hello world " * 100, LOCAL) == pytest.approx(FIRST_FACTOR * 200, abs=3)


def test_a_model_is_learned_fast_upwards_and_slowly_downwards_and_no_other_with_it() -> None:
    """Too few tokens counted cost an answer, too many only some history."""
    counter = TokenCounter()
    text = "word " * 1000
    counter.learn(GPT, 1000, 2000)
    assert counter.count(text, GPT) == pytest.approx(1500, abs=2)
    for _ in range(20):
        counter.learn(GPT, 1000, 2000)
    assert counter.count(text, GPT) == pytest.approx(2000, rel=0.01)
    counter.learn(GPT, 1000, 1000)
    assert counter.count(text, GPT) == pytest.approx(1900, rel=0.01)
    assert counter.factor(LOCAL) == FIRST_FACTOR


def test_requests_that_were_counted_at_the_same_time_teach_it_no_more_than_they_say() -> None:
    """Channels ask side by side, so several answers may tell of counts that were made before the first of them was learned."""
    counter = TokenCounter()
    for _ in range(8):
        counter.learn(LOCAL, 1000, 2000)
    assert FIRST_FACTOR < counter.factor(LOCAL) <= 2.0


@pytest.mark.parametrize(("plain", "actual"), [(299, 3000), (0, 100), (1000, 0), (1000, -5), (1000, 499)])
def test_what_is_no_measure_is_not_learned(plain: int, actual: int) -> None:
    counter = TokenCounter()
    counter.learn(GPT, plain, actual)
    assert counter.factor(GPT) == 1.0


@given(st.lists(st.tuples(st.integers(0, 10**7), st.integers(-10, 10**9)), max_size=50))
def test_whatever_is_reported_the_factor_stays_within_bounds(reports: list[tuple[int, int]]) -> None:
    counter = TokenCounter()
    for plain, actual in reports:
        counter.learn(LOCAL, plain, actual)
        assert LEAST_FACTOR <= counter.factor(LOCAL) <= MOST_FACTOR


def test_only_so_many_models_are_remembered() -> None:
    counter = TokenCounter()
    for nr in range(600):
        counter.learn(Origin("custom", None, f"model {nr}"), 1000, 3000)
    assert counter.factor(Origin("custom", None, "model 0")) == FIRST_FACTOR
    assert counter.factor(Origin("custom", None, "model 599")) > FIRST_FACTOR


@pytest.mark.parametrize(
    ("data", "tokens"),
    [
        (picture(20, 20), 258),
        (picture(1000, 1000), 1334),
        (picture(1568, 1568), 3279),
        (b"no picture", 1600),
        (b"", 1600),
    ],
)
def test_pictures_count_by_their_size(data: bytes, tokens: int) -> None:
    message = PromptMessage(Role.USER, (ImagePart("image/png", data),))
    assert TokenCounter().count_message(message, GPT) == MESSAGE + tokens


def test_everything_in_a_message_counts() -> None:
    counter = TokenCounter()
    call = FunctionCall("c1", "weather", {"city": "Oslo " * 50})
    result = ToolResult("c1", "weather", (TextPart("cold " * 50), FilePart("a.pdf", "application/pdf", b"x" * 900)))
    assert counter.count_message(PromptMessage(Role.ASSISTANT, (call,)), GPT) > 50
    assert counter.count_message(PromptMessage(Role.USER, (result,)), GPT) > 50 + 300


@given(st.text(max_size=500), st.text(max_size=500))
def test_texts_together_count_as_much_as_one_by_one(one: str, other: str) -> None:
    counter = TokenCounter()
    assert counter.count_all([one, other], GPT) == counter.count(one, GPT) + counter.count(other, GPT)

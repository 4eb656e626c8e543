"""What holds for every answer, however it is written and however it arrives."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest
import regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.delivery.layout import cut as cut_module
from bot.delivery.layout import window as layout_module
from bot.delivery.layout.cut_points import TextEnd
from bot.delivery.layout.window import Layout
from bot.delivery.plan import MessagePlan
from tests.delivery.layout.layout_reading import ANSWERS, ATOMS, GRAPHEMES, NOISE, gives_back, leaves_a_fence_open

LIMITS = st.sampled_from((200, 300, 2000, 4096))
TEXTS = st.one_of(ANSWERS, NOISE)

law = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def pieces(text: str, seed: int) -> list[str]:
    rng, at, cut = random.Random(seed), 0, []
    while at < len(text):
        size = rng.choice((1, 2, 5, 17, 60, 400))
        cut.append(text[at : at + size])
        at += size
    return cut


def contents(plans: Sequence[MessagePlan]) -> list[str]:
    return [plan.content for plan in plans]


def laid_out(text: str, limit: int) -> list[str]:
    layout = Layout(limit)
    layout.feed(text)
    return contents(layout.close())


@law
@given(TEXTS, LIMITS, st.integers(0, 999))
def test_the_same_text_gives_the_same_messages_however_it_is_cut(text: str, limit: int, seed: int) -> None:
    layout = Layout(limit)
    for piece in pieces(text, seed):
        layout.feed(piece)
        layout.messages()
    assert contents(layout.close()) == laid_out(text, limit)


@law
@given(TEXTS, LIMITS, st.integers(0, 999))
def test_at_every_moment_each_message_is_short_enough_visible_and_has_its_fences_closed(
    text: str, limit: int, seed: int
) -> None:
    layout = Layout(limit)
    for piece in [*pieces(text, seed), ""]:
        layout.feed(piece)
        for plan in layout.messages():
            assert len(plan.content) <= limit
            assert plan.content.strip("\u200b \n\t\r")
            assert plan.content == plan.content.strip()
            assert not leaves_a_fence_open(plan.content)
    for plan in layout.close():
        assert len(plan.content) <= limit
        assert plan.content.strip("\u200b \n\t\r")
        assert not leaves_a_fence_open(plan.content)
        assert plan.settled


@law
@given(TEXTS, LIMITS, st.integers(0, 999))
def test_a_settled_message_stays_the_same_object_and_stands_before_the_open_ones(
    text: str, limit: int, seed: int
) -> None:
    layout = Layout(limit)
    settled: list[MessagePlan] = []
    for piece in pieces(text, seed):
        layout.feed(piece)
        plans = layout.messages()
        assert all(new is old for new, old in zip(plans, settled, strict=False))
        flags = [plan.settled for plan in plans]
        assert flags == sorted(flags, reverse=True)
        assert sum(flags) >= len(settled)
        settled = [plan for plan in plans if plan.settled]
    assert all(new is old for new, old in zip(layout.close(), settled, strict=False))


@law
@given(ANSWERS, LIMITS)
def test_undoing_what_was_added_at_the_cuts_gives_the_text_back(text: str, limit: int) -> None:
    assert gives_back(text, laid_out(text, limit))


@law
@given(ANSWERS, LIMITS)
def test_no_mention_emoji_link_code_span_or_grapheme_is_cut_in_two(text: str, limit: int) -> None:
    messages = laid_out(text, limit)
    for atom in ATOMS:
        assert sum(message.count(atom) for message in messages) == text.count(atom)
    whole = Counter(regex.findall(r"\X", text))
    parts = Counter(cluster for message in messages for cluster in regex.findall(r"\X", message))
    for grapheme in GRAPHEMES:
        assert parts[grapheme] == whole[grapheme]


@law
@given(st.lists(st.text(alphabet="ab ", min_size=1, max_size=500), min_size=1, max_size=12).map("\n\n".join), LIMITS)
def test_a_text_that_fits_into_one_message_is_one_message_and_no_other_is_less_than_a_quarter_full(
    text: str, limit: int
) -> None:
    messages = laid_out(text, limit)
    if 0 < len(text.strip()) <= limit:
        assert messages == [text.strip()]
    assert all(len(message) > limit / 4 or "  " in text for message in messages[:-1])


def test_the_work_on_a_long_answer_grows_with_its_length_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []

    def counting(window: str, lead_length: int, limit: int, end: TextEnd) -> cut_module.Cut:
        looked_at.append(len(window))
        return cut_module.cut(window, lead_length, limit, end)

    monkeypatch.setattr(layout_module, "cut", counting)
    text = "Some words of an answer. " * 4000
    layout = Layout(2000)
    for at in range(0, len(text), 5):
        layout.feed(text[at : at + 5])
    layout.close()
    assert sum(looked_at) <= 2 * len(text)


def test_looking_at_the_open_end_costs_the_same_at_the_start_and_after_100_000_characters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at = []

    def counting(text: str, lead_length: int, end: TextEnd) -> str:
        looked_at.append(len(text))
        return cut_module.closed(text, lead_length, end)

    monkeypatch.setattr(layout_module, "closed", counting)
    layout = Layout(2000)
    for _ in range(400):
        layout.feed("Some words of an answer. " * 10)
        layout.messages()
    assert max(looked_at) <= 3000
    assert len(looked_at) <= 2 * 400


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["`", "~", "*", "_", "|", "a", " ", ">", "[", "-", "#", "\n"]), st.integers(1, 2500))
    ),
    st.sampled_from([200, 2000]),
)
def test_no_text_becomes_a_flood_of_tiny_messages(runs: list[tuple[str, int]], limit: int) -> None:
    """However marks are repeated: what somebody can ask a model to write must not fill a channel."""
    text = "".join(mark * (times * limit // 2000 + 1) for mark, times in runs)
    layout = Layout(limit)
    layout.feed(text)
    messages = layout.close()
    assert len(messages) <= 4 + 16 * len(text) / limit
    assert all(len(message.content) <= limit for message in messages)

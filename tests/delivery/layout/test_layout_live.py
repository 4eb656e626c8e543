"""What stands in the channel while an answer is written: at every moment, each message is valid Markdown by itself."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.delivery.layout.live_mark import with_live_mark, without_live_mark
from bot.delivery.layout.measure import COMPONENTS, EMBED, PLAIN, Measure
from bot.delivery.layout.window import Layout
from bot.delivery.plan import MessagePlan
from tests import shared
from tests.delivery.layout.layout_reading import read_lines
from tests.delivery.layout.live_reading import RICH, faults

MEASURES = st.sampled_from((Measure(600), Measure(600, 1000), PLAIN, EMBED, COMPONENTS))
"""Half of the smallest holds every run of emphasis in RICH: a lone star whose partner is farther away stays a star."""

SIZES = (1, 2, 5, 17, 60, 150)

law = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def pieces(text: str, seed: int, sizes: Sequence[int] = SIZES) -> Iterator[str]:
    rng, at = random.Random(seed), 0
    while at < len(text):
        size = rng.choice(sizes)
        yield text[at : at + size]
        at += size


def check_every_look(text: str, measure: Measure, seed: int, sizes: Sequence[int] = SIZES) -> None:
    layout = Layout(measure)
    settled: list[MessagePlan] = []
    for piece in pieces(text, seed, sizes):
        layout.feed(piece)
        plans = layout.messages()
        for plan in plans[len(settled) :]:
            assert measure.fits(plan.content)
            assert faults(plan.content, text) == [], plan.content
        marked = with_live_mark(plans, measure)
        for plan in marked[-1:]:
            assert measure.fits(plan.content)
            assert faults(plan.content, text) == [], plan.content
            assert read_lines(plan.content)[0][-1][0] == "prose" or plan.text_length is None
        assert [without_live_mark(plan) for plan in marked] == list(plans)
        assert all(new is old for new, old in zip(plans, settled, strict=False))
        settled = [plan for plan in plans if plan.settled]
    whole = Layout(measure)
    whole.feed(text)
    final = [plan.content for plan in layout.close()]
    assert final == [plan.content for plan in whole.close()]
    assert [faults(content, text) for content in final] == [[]] * len(final)


@law
@given(RICH, MEASURES, st.integers(0, 999))
def test_at_every_look_each_message_is_valid_by_itself_and_settled_ones_stay(
    text: str, measure: Measure, seed: int
) -> None:
    check_every_look(text, measure, seed)


@pytest.mark.parametrize("measure", [Measure(600), PLAIN, COMPONENTS], ids=["600", "plain", "components"])
def test_what_models_write_is_valid_at_every_look(measure: Measure) -> None:
    writer = shared.judge("render_text").Writer
    for seed in range(12):
        text = writer(seed).text("loose" if seed % 3 == 0 else "strict")[:12_000]
        check_every_look(text, measure, seed, (5, 17, 60, 200, 400))

"""How long a message may be, in code points and in bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.delivery.layout.measure import COMPONENTS, EMBED, PLAIN, Measure
from bot.delivery.layout.window import Layout
from tests.delivery.layout.layout_reading import ANSWERS, NOISE, gives_back


@pytest.mark.parametrize(
    ("measure", "text", "fits"),
    [
        (PLAIN, "🦞" * 2000, True),
        (PLAIN, "x" * 2001, False),
        (EMBED, "🦞" * 4096, True),
        (EMBED, "x" * 4097, False),
        (COMPONENTS, "x" * 4000, True),
        (COMPONENTS, "x" * 4001, False),
        (COMPONENTS, "文" * 3386, True),
        (COMPONENTS, "文" * 3387, False),
        (COMPONENTS, "🦞" * 2539, True),
        (COMPONENTS, "🦞" * 2540, False),
        (COMPONENTS, "\ud83e" * 3386, True),
        (COMPONENTS, "", True),
    ],
)
def test_a_text_fits_where_neither_its_code_points_nor_its_bytes_are_too_many(
    measure: Measure, text: str, fits: bool
) -> None:
    assert measure.fits(text) is fits


@given(st.text(max_size=60), st.integers(1, 40), st.integers(1, 120), st.data())
def test_the_longest_holds_for_every_beginning_with_ascii_behind_it(
    text: str, code_points: int, utf8_bytes: int, data: st.DataObject
) -> None:
    measure = Measure(code_points, utf8_bytes)
    longest = measure.longest(text)
    taken = text[: data.draw(st.integers(0, longest))]
    assert measure.fits(taken + "*" * (longest - len(taken)))
    assert not measure.fits(text[:longest].ljust(longest, "*") + (text[longest : longest + 1] or "*"))


@pytest.mark.parametrize(
    ("character", "lengths"),
    [("x", [4000, 4000, 2000]), ("文", [3386, 3386, 3228]), ("🦞", [2539, 2539, 2539, 2383])],
)
def test_an_unbroken_run_fills_a_text_display_up_to_its_bytes(character: str, lengths: list[int]) -> None:
    layout = Layout(COMPONENTS)
    layout.feed(character * 10_000)
    assert [len(plan.content) for plan in layout.close()] == lengths


@settings(max_examples=40, deadline=None)
@given(st.one_of(ANSWERS, NOISE), st.sampled_from((Measure(300, 800), Measure(600, 900), COMPONENTS, EMBED, PLAIN)))
def test_every_message_fits_with_the_marks_that_a_cut_adds(text: str, measure: Measure) -> None:
    layout = Layout(measure)
    for at in range(0, len(text), 37):
        layout.feed(text[at : at + 37])
        assert all(measure.fits(plan.content) for plan in layout.messages())
    assert all(measure.fits(plan.content) for plan in layout.close())


@settings(max_examples=40, deadline=None)
@given(ANSWERS.map(lambda text: text + "\n\n" + "説明の文です。" * 200 + text))
def test_a_limit_in_bytes_loses_nothing(text: str) -> None:
    layout = Layout(Measure(1000, 1500))
    layout.feed(text)
    assert gives_back(text, [plan.content for plan in layout.close()])

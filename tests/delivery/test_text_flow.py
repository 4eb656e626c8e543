"""The whole way of a text, through blocks and layout, as the bot and `python -m bot render` go it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.delivery.layout.live_mark import with_live_mark
from bot.delivery.layout.measure import COMPONENTS, EMBED, PLAIN, Measure
from bot.delivery.plan import MessagePlan
from bot.delivery.text_flow import TextFlow
from bot.preferences import DEFAULTS
from tests.delivery.layout.layout_reading import leaves_a_fence_open
from tests.delivery.layout.live_reading import faults

CODE = "\n".join(f"line_{n} = [1, 2, 3]" for n in range(20))
ANSWERS = {
    "bold deep headings": "#### **Step 1: begin**\n\nWords.\n\n##### Use `x` and *y* **now**\nMore words.\n\n#### **All**\n",
    "formulas over several lines": "So:\n\n\\[\nx_1 = \\frac{-b}{2a}\n\\]\n\n- $$\\begin{aligned}\n  a_1 &= b * c \\\\\n  d_1 &= e * f\n  \\end{aligned}$$\n- next\n\n"
    "\\begin{align*}\na_1 &= b_1 \\\\\nc_1 &= d_1\n\\end{align*}\n\n> $$\n> a_1 * b_1\n> $$\n\nDone.",
    "code in nested items": f"1. Install it:\n\n   ```bash\n   pip install x\n   ```\n\n2. Then\n   - a\n     ~~~py\n     {CODE}\n     ~~~\n   - b",
    "tables everywhere": "Right behind:\n| Name | Use |\n|:--|--:|\n| `a|b` | *x* |\n| **y** |\n\n- Item\n\n  | A | B |\n  |---|---|\n  | 1 | 2 |\n  text\n\n"
    "> | a |\n> |---|\n> | 1 |\n\n| Who | Note |\n|---|---|\n| <@123456789012345678> | $x^2$ |\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "tasks and notes": "- [ ] to do\n- [x] done[^1]\n  1. (https://en.example.org/wiki/Foo_(bar))\n\n[^1]: The note.\n\n---\n\n![alt](https://example.org/x.png) **end**",
    "line ends of another system": f"# Title\r\n\r\n| a | b |\r\n|---|---|\r\n| 1 | 2 |\r\n\r\n```py\r\n{CODE}\r\n```\r\n#### deep\r\n---\r\ntext",
    "other scripts": "**注意：**これは**重要**です。 | 名前 | 値 |\n|---|---|\n\n| 名前 | 値 |\n|---|---|\n| 日本語 | ✅ |\n\nمرحبا **بالعالم** `code`",
}  # fmt: skip
"""What models write, with every mark's partner."""


def pieces(text: str, seed: int) -> Sequence[str]:
    rng, at, cut = random.Random(seed), 0, []
    while at < len(text):
        size = rng.choice((1, 2, 5, 17, 60))
        cut.append(text[at : at + size])
        at += size
    return cut


def looks(parts: Sequence[str], measure: Measure) -> Sequence[Sequence[MessagePlan]]:
    """What stands after each part, and in the end."""
    flow, found = TextFlow(DEFAULTS, measure), []
    for part in parts:
        flow.feed(part)
        found.append(flow.messages())
    return [*found, flow.close()]


@pytest.mark.parametrize("measure", [Measure(300), PLAIN], ids=["300", "plain"])
@pytest.mark.parametrize("text", ANSWERS.values(), ids=ANSWERS.keys())
def test_at_every_character_each_message_is_valid_by_itself(text: str, measure: Measure) -> None:
    *live, final = looks(text, measure)
    for plans in [*(with_live_mark(plans, measure) for plans in live), final]:
        for plan in plans:
            assert measure.fits(plan.content)
            assert faults(plan.content, text) == [], plan.content


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.sampled_from([*ANSWERS.values(), f"```py\n{CODE * 3}\n```"]), min_size=1, max_size=6).map("\n\n".join),
    st.sampled_from((Measure(300), PLAIN, EMBED, COMPONENTS)),
    st.integers(0, 999),
)
def test_the_cut_of_the_text_does_not_matter_and_settled_messages_stay(text: str, measure: Measure, seed: int) -> None:
    found = looks(pieces(text, seed), measure)
    for before, after in pairwise(found):
        assert all(new is old for new, old in zip(after, (plan for plan in before if plan.settled), strict=False))
    assert found[-1] == looks([text], measure)[-1]
    assert not any(leaves_a_fence_open(plan.content) for plans in found for plan in plans)


def test_a_table_that_fits_into_a_message_keeps_its_header() -> None:
    rows = "\n".join(f"| row {n} | value {n} |" for n in range(75))
    text = f"{'Some words before it. ' * 20}\n\n| Name | Value |\n|---|---|\n{rows}\n\n{'Words behind it. ' * 60}"
    first, second, *_ = looks([text], PLAIN)[-1]
    assert first.content == ("Some words before it. " * 20).strip()
    assert second.content.startswith("```\n| Name   | Value    |\n")
    assert "| row 74 |" in second.content

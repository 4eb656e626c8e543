"""The mark at the end of what is still being written."""

from __future__ import annotations

import pytest

from bot.delivery.layout.live_mark import with_live_mark, without_live_mark
from bot.delivery.layout.measure import PLAIN, Measure
from bot.delivery.plan import FilePlan, MessagePlan


@pytest.mark.parametrize(
    ("content", "marked"),
    [
        ("So far", "So far ▍"),
        ("So **very**", "So **very** ▍"),
        ("- item", "- item ▍"),
        ("`code`", "`code` ▍"),
        ("see https://example.org/a", "see https://example.org/a ▍"),
        ("<@123456789012345678>", "<@123456789012345678> ▍"),
        ("```py\nx = 1\n```", "```py\nx = 1\n```\n▍"),
        ("> ~~~~\n> x\n> ~~~~", "> ~~~~\n> x\n> ~~~~\n▍"),
        ("```\n~~~\n```", "```\n~~~\n```\n▍"),
        ("a ~~~ b", "a ~~~ b ▍"),
    ],
)
def test_the_mark_stands_behind_the_text_and_never_in_code(content: str, marked: str) -> None:
    plans = [MessagePlan("first"), MessagePlan(content)]
    assert with_live_mark(plans, PLAIN) == [plans[0], MessagePlan(marked, text_length=len(content))]


@pytest.mark.parametrize(
    ("last", "measure"),
    [
        pytest.param(MessagePlan("x" * 1999), PLAIN, id="no room"),
        pytest.param(MessagePlan("x" * 1997), Measure(4000, 2000), id="no room for its bytes"),
        pytest.param(MessagePlan("over", settled=True), PLAIN, id="settled"),
        pytest.param(MessagePlan("", files=(FilePlan("a.py", b""),)), PLAIN, id="a file alone"),
    ],
)
def test_where_it_does_not_belong_there_is_none(last: MessagePlan, measure: Measure) -> None:
    assert with_live_mark([last], measure) == [last]


def test_no_messages_get_no_mark() -> None:
    assert list(with_live_mark([], PLAIN)) == []


@pytest.mark.parametrize(
    "plan", [MessagePlan("text"), MessagePlan("```\nx\n```"), MessagePlan("text\n-# ours", text_length=4)]
)
def test_the_mark_can_be_taken_off_again(plan: MessagePlan) -> None:
    (marked,) = with_live_mark([plan], PLAIN)
    assert without_live_mark(marked) == plan


@pytest.mark.parametrize("plan", [MessagePlan("text"), MessagePlan("a block: ▍"), MessagePlan("")])
def test_a_message_without_our_mark_stays_as_it_is(plan: MessagePlan) -> None:
    assert without_live_mark(plan) == plan

"""What `/usage` says of given sums, in words; and which days are meant."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.commands.usage_panel import (
    TEMPLATE,
    Control,
    Deed,
    Line,
    Period,
    Plot,
    Report,
    Series,
    Share,
    Span,
    Whose,
    alt_text,
    panel,
    read,
    span_of,
)
from bot.localization import Translator
from bot.store.usage import Totals
from tests.commands.used import TODAY

AT = Control(Deed.WHOSE, 100, Whose.ME, Period.SEVEN)
USUAL: dict[str, Any] = {
    "at": AT,
    "span": span_of(Period.SEVEN, TODAY),
    "is_own": True,
    "offered": [Whose.ME],
    "total": Totals(calls=2, input_tokens=12_000, output_tokens=3400, cached_tokens=4000, cost_nano=1_234_567_890),
}
TRANSLATOR = Translator("en-US")


def shown(**other: Any) -> dict[str, Any]:
    """The embed as it is sent."""
    embed, _ = panel(Report(**(USUAL | other)), TRANSLATOR.say("en-US"))
    return dict(embed.to_dict())


def lines(**other: Any) -> list[str]:
    return str(shown(**other)["description"]).splitlines()


def pressable(**other: Any) -> list[dict[str, Any]]:
    _, items = panel(Report(**(USUAL | other)), TRANSLATOR.say("en-US"))
    return [item.to_component_dict() for item in items]


@pytest.mark.parametrize(
    ("period", "first", "last"),
    [
        (Period.TODAY, date(2026, 3, 1), date(2026, 3, 1)),
        (Period.SEVEN, date(2026, 2, 23), date(2026, 3, 1)),
        (Period.THIRTY, date(2026, 1, 31), date(2026, 3, 1)),
        (Period.MONTH, date(2026, 3, 1), date(2026, 3, 1)),
        (Period.LAST_MONTH, date(2026, 2, 1), date(2026, 2, 28)),
    ],
)
def test_a_period_is_these_days(period: Period, first: date, last: date) -> None:
    assert span_of(period, date(2026, 3, 1)) == Span(first, last)


@given(st.sampled_from(Period), st.dates(date(2000, 1, 1)))
def test_no_period_has_more_days_than_a_month_or_any_of_the_future(period: Period, today: date) -> None:
    days = span_of(period, today).days
    assert 1 <= len(days) <= 31
    assert days[-1] <= today


@given(st.builds(Control, st.sampled_from(Deed), st.integers(0, 2**64 - 1), st.sampled_from(Whose), st.sampled_from(Period)))  # fmt: skip
def test_what_is_pressed_says_all_that_there_is_to_know(control: Control) -> None:
    match = TEMPLATE.fullmatch(control.custom_id)
    assert match is not None
    assert read(match) == control
    assert len(control.custom_id) <= 100, "Discord takes no more"


def test_sums_are_told_with_their_parts() -> None:
    assert lines() == [
        "Nov 24, 2026 – Nov 30, 2026 (UTC)",
        "**2** requests to models",
        "Tokens read: **12,000**, of them from a cache: 4,000",
        "Tokens written: **3,400**, of them for thinking: 0",
        "Cost: **$1.23**",
    ]


@pytest.mark.parametrize(
    ("total", "told"),
    [
        ({"cost_nano": 0}, ["Cost: **$0.00**"]),
        ({"cost_nano": 1_200_000}, ["Cost: **$0.0012**"]),
        ({"unpriced_calls": 3}, ["Cost: **price not known**"]),
        (
            {"cost_nano": 10**10, "unpriced_calls": 1},
            ["Cost: **$10.00**", "*Not in it: 1 request to a model whose price I do not know.*"],
        ),
        (
            {"cost_nano": 10**10, "estimated_calls": 2},
            ["Cost: **$10.00**", "*Estimated: the tokens of 2 requests, as the provider did not count them.*"],
        ),
    ],
)
def test_what_is_not_known_of_the_cost_is_told(total: dict[str, int], told: list[str]) -> None:
    assert lines(total=Totals(calls=3, **total))[4:] == told


def test_where_nothing_was_used_there_is_a_friendly_sentence_and_neither_picture_nor_file() -> None:
    nothing = {"total": Totals()}
    assert lines(**nothing)[1:] == ["Nothing was used in these days. As soon as I answer somebody, it is counted here."]
    assert "image" not in shown(**nothing)
    assert [item["custom_id"] for item in pressable(**nothing)] == ["parley:usage:period:100:me:7-days"]


def test_a_limit_is_told_as_a_bar_that_is_full_where_it_is_passed() -> None:
    shares = [
        Share("person_daily_tokens", Decimal(34_000), Decimal(100_000), is_money=False),
        Share("person_monthly_cost", Decimal("6.5"), Decimal(5), is_money=True),
    ]
    (field,) = shown(shares=shares)["fields"]
    assert field["name"] == "Limits"
    first, second = field["value"].splitlines()
    assert first.startswith("▰▰▰▱▱▱▱▱▱▱ 34% · ")
    assert first.endswith(": 34,000 of 100,000")
    assert second.startswith("▰▰▰▰▰▰▰▰▰▰ 130% · ")
    assert second.endswith(": $6.50 of $5.00")


def test_who_and_what_used_most_stands_in_fields_of_its_own() -> None:
    few = Totals(calls=1, input_tokens=1, cost_nano=20_000_000)
    told = shown(models=[Line("🟦 `gpt-5`", few)], tops={"people": [Line("<@100>", USUAL["total"])], "channels": []})
    assert [(field["name"], field["value"]) for field in told["fields"]] == [
        ("Models", "🟦 `gpt-5`: 1 token · $0.02"),
        ("People", "<@100>: 15,400 tokens · $1.23"),
    ]


@pytest.mark.parametrize("length", [100, 200])
@pytest.mark.parametrize("locale", TRANSLATOR.locales)
def test_the_fullest_panel_fits_into_a_message_in_every_language(locale: str, length: int) -> None:
    most = Totals(**dict.fromkeys(("calls", "input_tokens", "output_tokens", "cost_nano"), 10**15), unpriced_calls=1)
    line = Line("x" * length, most)
    names = ("server_daily_tokens", "server_monthly_tokens", "server_monthly_cost", "free_server_daily_tokens")
    embed, items = panel(
        Report(
            at=AT,
            span=USUAL["span"],
            is_own=False,
            offered=list(Whose),
            total=most,
            shares=[Share(name, Decimal(10**15), Decimal(1), is_money=False) for name in names],
            models=[line] * 6,
            tops={"people": [line] * 5, "channels": [line] * 5},
        ),
        TRANSLATOR.say(locale),
    )
    assert len(embed) <= 6000
    assert all(len(field.value or "") <= 1024 for field in embed.fields)
    assert len(items) <= 5


def test_what_is_shown_now_is_chosen_in_the_selects() -> None:
    whose, period, file = pressable(offered=[Whose.ME, Whose.HERE])
    assert [(option["label"], option["default"]) for option in whose["options"]] == [("Mine", True), ("This channel", False)]  # fmt: skip
    assert [option["value"] for option in period["options"] if option["default"]] == ["7-days"]
    assert (file["custom_id"], file["label"]) == ("parley:usage:csv:100:me:7-days", "Download as CSV")


def test_who_sees_no_picture_hears_its_numbers() -> None:
    days = span_of(Period.SEVEN, TODAY).days
    series = [Series("gpt-5", 0, [0, 0, 0, 5, 1000, 0, 0]), Series("others", 6, [0, 0, 0, 0, 1, 0, 7])]
    assert alt_text(Plot("Tokens per day", days, series), TRANSLATOR.say("en-US")) == (
        "Tokens per day, Nov 24, 2026 to Nov 30, 2026: gpt-5: 1,005; others: 8. Most on Nov 28, 2026: 1,001."
    )

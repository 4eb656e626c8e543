"""How long to wait, from what providers write."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.errors.retry_after import MAX_SECONDS, body_delay, clock, header_delay, reset_delay, said_delay

DATE = "Wed, 21 Oct 2015 07:28:00 GMT"
NOW = datetime(2015, 10, 21, 7, 28, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": " 7 "}, 7.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after": "0"}, 0.0),
        ({"retry-after": "86400"}, 86400.0),
        ({"retry-after": "-3"}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "30, 30"}, 30.0),  # the header twice, of a proxy and of what is behind it
        ({"retry-after": "30, 60"}, 60.0),
        ({"retry-after": "30, soon"}, None),
        ({"retry-after-ms": "1500, 1500", "retry-after": "60"}, 1.5),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "1700000000"}, None),
        ({"retry-after": "1700000000", "date": DATE}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "٧"}, None),
        ({"retry-after-ms": "1500", "retry-after": "60"}, 1.5),
        ({"retry-after-ms": "odd", "retry-after": "60"}, 60.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:30 GMT", "date": DATE}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:27:00 GMT", "date": DATE}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2065 07:27:00 GMT", "date": DATE}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": "Wed, 99 Oct 2015 07:28:00 GMT", "date": DATE}, None),
        ({"retry-after": "2015-10-21T07:28:05Z", "date": DATE}, 5.0),
    ],
)
def test_headers(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, dates by the server's clock, milliseconds first; nonsense is no answer, and nothing exceeds a month."""
    assert header_delay(headers) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"x-ratelimit-reset-requests": "1s"}, 1.0),
        ({"x-ratelimit-reset-tokens": "6m0s"}, 360.0),
        ({"x-ratelimit-reset-tokens": "120ms"}, 0.12),
        ({"x-ratelimit-reset-requests": "1h2m3.5s"}, 3723.5),
        ({"x-ratelimit-reset-requests": "10"}, 10.0),
        ({"x-ratelimit-reset": "1445412510"}, None),
        ({"x-ratelimit-reset": "1445412510", "date": DATE}, 30.0),
        ({"x-ratelimit-reset": "1445412510000", "date": DATE}, 30.0),
        ({"x-ratelimit-reset": "1445412000", "date": DATE}, 0.0),
        ({"anthropic-ratelimit-tokens-reset": "2015-10-21T07:28:20Z", "date": DATE}, 20.0),
        ({"ratelimitbysize-reset": "34"}, 34.0),
        ({"ratelimit": "limit=100, remaining=0, reset=30"}, 30.0),
        ({"ratelimit": '"default";r=0;t=12'}, 12.0),
        ({"x-ratelimit-reset-tokens": "-5"}, None),
        ({"x-ratelimit-reset-tokens": "soon"}, None),
        ({"x-ratelimit-reset-tokens": "9" * 400}, None),
        ({"x-ratelimit-limit-requests": "50", "x-ratelimit-remaining-requests": "0"}, None),
    ],
)
def test_headers_that_say_when_a_limit_begins_anew(headers: dict[str, str], seconds: float | None) -> None:
    """OpenAI's and Groq's durations, seconds, Unix times, Anthropic's dates, and what the IETF drafts."""
    assert reset_delay(headers) == seconds


@pytest.mark.parametrize(
    ("left", "seconds"),
    [
        ({"requests": "0", "tokens": "900"}, 3600.0),
        ({"requests": "59", "tokens": "0"}, 2.0),
        ({"requests": "0", "tokens": "0"}, 3600.0),
        ({"requests": "59", "tokens": "900"}, 2.0),
        ({}, 2.0),
    ],
)
def test_of_several_limits_the_used_up_one_counts(left: dict[str, str], seconds: float) -> None:
    """The last of those of which nothing is left; where none is said to be used up, the nearest."""
    headers = {f"x-ratelimit-remaining-{name}": number for name, number in left.items()}
    assert reset_delay({**headers, "x-ratelimit-reset-requests": "1h", "x-ratelimit-reset-tokens": "2s"}) == seconds


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        ({}, None),
        ({"details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "38.412907s"}]}, 38.412907),
        ({"details": [{"violations": []}, {"retryDelay": "5s"}]}, 5.0),
        ({"details": [{"retryDelay": "s"}]}, None),
        ({"details": [{"retryDelay": 5}]}, 5.0),
        ({"details": [{"retryDelay": "-5s"}]}, None),
        ({"details": [{"metadata": {"quotaResetDelay": "1h0m1s"}}]}, 3601.0),
        ({"details": "odd"}, None),
        ({"details": [None, 7, [], {"metadata": 7}]}, None),
        ({"retry_after": 1.5}, 1.5),
        ({"retry_after": "12"}, 12.0),
        ({"retry_after": True}, None),
        ({"retry_after": float("nan")}, None),
        ({"retry_after_ms": 1500}, 1.5),
        ({"resets_in_seconds": 90}, 90.0),
        ({"resets_at": 1445412510}, 30.0),
        ({"metadata": {"retry_after_seconds": 3}}, 3.0),
        ({"metadata": {"headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1445412510000"}}}, 30.0),
        ({"metadata": {"headers": {"Retry-After": 4}}}, 4.0),
        ({"metadata": {"headers": "odd"}}, None),
    ],
)
def test_fields_of_the_body(error: dict[str, Any], seconds: float | None) -> None:
    """Google's RetryInfo among other details, OpenRouter's headers inside the body, Codex's reset."""
    assert body_delay(error, NOW) == seconds


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please retry in 38.4s.", 38.4),
        ("Please try again in 6m12.5s. Visit", 372.5),
        ("Please try again in 20ms.", 0.02),
        ("Please try again in 6.780999999s. Visit https://console.groq.com", 6.780999999),
        ("Please retry after 7 seconds. Please go here", 7.0),
        ("Try again in 30 seconds.", 30.0),
        ("Please wait 3600 seconds before retrying.", 3600.0),
        ("Please try again in 1 hour and 5 minutes", 3900.0),
        ("try again in 2 days, 3 hours", 183600.0),
        ("Retry-After: 5", 5.0),
        ("Your limit resets in 3h", 10800.0),
        ("You will regain access on 2015-10-22 at 00:00 UTC.", 59520.0),
        ("Please try again later.", None),
        ("retry 3 times", None),
        ("Please try again in a few seconds", None),
        ("try again in -5s", None),
        ("The quota resets in 400 days", None),
        ("retry after 9" + "9" * 500, None),
        ("Your limit will reset at 2015-10-22 12:00:00", None),  # by an unknown clock
        ("Limit 6000, Used 5034, Requested 1443", None),
        ("", None),
    ],
)
def test_words(text: str, seconds: float | None) -> None:
    """Sentences of OpenAI, Google, Groq, Azure, GitHub and Anthropic."""
    assert said_delay(text, NOW) == seconds


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["", DATE, "odd"]))
def test_no_text_breaks_it_and_no_wait_is_absurd(first: str, second: str, date: str) -> None:
    headers = {"retry-after": first, "retry-after-ms": second, "x-ratelimit-reset-tokens": first, "date": date}
    error = {"retryDelay": first, "metadata": {"headers": {first: second}}, "resets_at": second}
    for seconds in (
        header_delay(headers),
        reset_delay(headers),
        body_delay(error, clock(headers)),
        said_delay(f"try again in {first} {second}", clock(headers)),
    ):
        assert seconds is None or 0 <= seconds <= MAX_SECONDS

"""How long to wait, from what providers write."""

from __future__ import annotations

import pytest

from adapters.retry_after import body_delay, header_delay

DATE = "Wed, 21 Oct 2015 07:28:00 GMT"


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
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e9"}, None),
        ({"retry-after": "1700000000"}, None),
        ({"retry-after": "9" * 400}, None),
        ({"retry-after": "٧"}, None),
        ({"retry-after-ms": "1500", "retry-after": "60"}, 1.5),
        ({"retry-after-ms": "odd", "retry-after": "60"}, 60.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:30 GMT", "date": DATE}, 30.0),
        ({"retry-after": "Wed, 21 Oct 2015 07:27:00 GMT", "date": DATE}, 0.0),
        ({"retry-after": "Wed, 21 Oct 2065 07:27:00 GMT", "date": DATE}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, None),
        ({"retry-after": "Wed, 99 Oct 2015 07:28:00 GMT", "date": DATE}, None),
    ],
)
def test_headers(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, dates by the server's clock, milliseconds first; nonsense is no answer, and nothing exceeds a month."""
    assert header_delay(headers) == seconds


@pytest.mark.parametrize(
    ("details", "seconds"),
    [
        ([], None),
        ([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "38.412907s"}], 38.412907),
        ([{"violations": []}, {"retryDelay": "5s"}], 5.0),
        ([{"retryDelay": "s"}], None),
        ([{"retryDelay": 5}], None),
        ([{"retryDelay": "-5s"}], None),
    ],
)
def test_the_body_of_google(details: list[dict[str, object]], seconds: float | None) -> None:
    """RetryInfo stands among other details, with fractions."""
    assert body_delay(details) == seconds

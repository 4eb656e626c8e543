"""How long a provider asks us to wait, in seconds, from headers or from the body.

Providers say it in four ways: `retry-after-ms` (OpenAI, Azure), `retry-after` in seconds or as an HTTP date (RFC 9110,
10.2.3), and Google's `RetryInfo` in the body. What makes no sense (negative, words, a Unix time read as seconds) is no
answer at all: the caller then backs off by its own rule.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

MAX_SECONDS: Final = 31 * 24 * 3600.0
"""The longest wait that a provider can mean: a month's window."""


def header_delay(headers: Mapping[str, str]) -> float | None:
    """Seconds, or None. Header names are lower-case. The more exact header wins.

    A date counts from the answer's own `date` header, which whoever received the answer fills in where it is missing.
    """
    milliseconds = _sensible(_number(headers.get("retry-after-ms", "")), scale=0.001)
    if milliseconds is not None:
        return milliseconds
    value = headers.get("retry-after", "").strip()
    seconds = _number(value)
    return _sensible(_until(value, headers.get("date", "")) if seconds is None else seconds)


def body_delay(details: Sequence[Mapping[str, Any]]) -> float | None:
    """Seconds of the first `google.rpc.RetryInfo` among an error's details, such as `"38.412907s"`, or None."""
    for entry in details:
        delay = entry.get("retryDelay")
        if isinstance(delay, str) and delay.endswith("s"):
            return _sensible(_number(delay[:-1]))
    return None


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*-?[0-9]{1,18}(?:\.[0-9]{0,18})?\s*", text, re.ASCII) else None


def _until(text: str, date: str) -> float | None:
    """Seconds up to an HTTP date, by the server's own clock: then ours may be wrong."""
    moment, now = _date(text), _date(date)
    return None if moment is None or now is None else max(0.0, (moment - now).total_seconds())


def _date(text: str) -> datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _sensible(seconds: float | None, scale: float = 1.0) -> float | None:
    if seconds is None or not math.isfinite(seconds):
        return None
    seconds *= scale
    return seconds if 0 <= seconds <= MAX_SECONDS else None

"""How long a provider asks us to wait, in seconds: from headers, from fields of the body, from its words.

The places, the best first: `retry-after-ms` (OpenAI, Azure) and `retry-after`, in seconds or as an HTTP date (RFC 9110,
10.2.3); fields of the error (Google's `RetryInfo`, OpenRouter's `metadata.headers`, Codex's `resets_in_seconds`); the words
("Please try again in 6m12.5s"); and the headers that say when a limit begins anew, which come with every answer. A point in
time counts from the answer's own `date` header, which whoever received the answer fills in where it is missing: there is no
clock here. What makes no sense (negative, words, a Unix time read as seconds) is no answer at all: the caller then backs off
by its own rule.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

MAX_SECONDS: Final = 31 * 24 * 3600.0
"""The longest wait that a provider can mean: a month's window."""

MAX_REPEATS: Final = 4

_UNIX_SECONDS: Final = 1_000_000_000.0
_UNIX_MILLISECONDS: Final = 1_000_000_000_000.0


def header_delay(headers: Mapping[str, str]) -> float | None:
    """Seconds that `retry-after` states, or None. Header names are lower-case. The more exact header wins."""
    milliseconds = _sensible(_numbers(headers.get("retry-after-ms", "")), scale=0.001)
    if milliseconds is not None:
        return milliseconds
    value = headers.get("retry-after", "").strip()
    seconds = _numbers(value)
    return _sensible(_until(_date(value), clock(headers)) if seconds is None else seconds)


def reset_delay(headers: Mapping[str, str]) -> float | None:
    """Seconds until the limit begins anew, or None: `x-ratelimit-reset-tokens: 6m0s`, `anthropic-ratelimit-…-reset`, ….

    Of several limits those count of which nothing is left, the last of them; where none is used up, the nearest.
    """
    now = clock(headers)
    used_up: list[float] = []
    others: list[float] = []
    for name, value in headers.items():
        if "ratelimit" not in name:
            continue
        text = _parameter(value) if name.endswith("ratelimit") else value if "reset" in name else ""
        delay = _span(text, now)
        if delay is not None:
            left = _number(headers.get(name.replace("reset", "remaining"), "")) if "reset" in name else None
            (used_up if left == 0 else others).append(delay)
    return max(used_up) if used_up else min(others, default=None)


def body_delay(error: Mapping[str, Any], now: datetime | None) -> float | None:
    """Seconds that a field of an error object states, or None. `now` is the time of the answer, where that is known."""
    for place in _places(error):
        for name, scale in _FIELDS.items():
            if (delay := _field(place.get(name), scale, now)) is not None:
                return delay
    metadata = error.get("metadata")
    headers = metadata.get("headers") if isinstance(metadata, dict) else None
    if not isinstance(headers, dict):
        return None
    lower = {str(name).lower(): str(value) for name, value in headers.items()}
    if now is not None:
        lower["date"] = now.strftime("%a, %d %b %Y %H:%M:%S GMT")
    delay = header_delay(lower)
    return reset_delay(lower) if delay is None else delay


def said_delay(text: str, now: datetime | None) -> float | None:
    """Seconds that a sentence names ("Please retry in 38.4s", "regain access on 2026-04-01 at 00:00 UTC"), or None."""
    text = text[:_MAX_CHARS]
    if (said := _SAID.search(text)) is not None:
        return _sensible(_duration(said[1]))
    if (said := _SAID_BARE.search(text)) is not None:
        return _sensible(_number(said[1]))
    if (said := _SAID_DATE.search(text)) is not None:
        return _sensible(_until(_date(f"{said[1]}T{said[2]}Z"), now))
    return None


def clock(headers: Mapping[str, str]) -> datetime | None:
    """The time of the answer, by the server's own clock: then ours may be wrong."""
    return _date(headers.get("date", ""))


_MAX_CHARS: Final = 4000

_FIELDS: Final[Mapping[str, float]] = {
    "retryDelay": 1.0,  # google.rpc.RetryInfo, "38.412907s"
    "quotaResetDelay": 1.0,  # Google's Code Assist, in ErrorInfo.metadata
    "retry_after_ms": 0.001,
    "retryAfterMs": 0.001,
    "retry_after_seconds": 1.0,
    "retry_after": 1.0,
    "retryAfter": 1.0,
    "resets_in_seconds": 1.0,  # Codex: usage_limit_reached
    "resets_at": 1.0,
}

_UNITS: Final[Mapping[str, float]] = {"ms": 0.001, "milli": 0.001, "m": 60.0, "s": 1.0, "h": 3600.0, "d": 86400.0}

_AMOUNT: Final = r"[0-9]{1,12}(?:\.[0-9]{1,18})?"
_UNIT: Final = r"(?:ms|milliseconds?|minutes?|mins?|m|seconds?|secs?|s|hours?|hrs?|h|days?|d)"
_DURATION: Final = rf"{_AMOUNT} ?{_UNIT}(?![a-z])(?:(?:,| and|, and)? ?{_AMOUNT} ?{_UNIT}(?![a-z])){{0,4}}"
_GLUED: Final = rf"(?:{_AMOUNT}(?:ms|m|s|h|d)){{1,5}}(?![a-z0-9])"
_INTRO: Final = r"(?:retry|try again|wait|reset\w*|available)\b(?: again| your request| for| at least| about| approximately| in| after|[ :])*"

_SAID: Final = re.compile(rf"{_INTRO} ?({_GLUED}|{_DURATION})", re.IGNORECASE | re.ASCII)
_SAID_BARE: Final = re.compile(rf"retry[ _-]after[ :=]+({_AMOUNT})(?![\w.]*[a-z])", re.IGNORECASE | re.ASCII)
_SAID_DATE: Final = re.compile(
    r"(?:regain access|reset\w*|available|again|retry)\b.{0,24}?"
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:T| at | )([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(?:\.[0-9]{1,9})? ?(?:UTC|GMT|Z)",
    re.IGNORECASE | re.ASCII,
)
_PIECES: Final = re.compile(rf"({_AMOUNT}) ?(milli|ms|[mshd])", re.IGNORECASE | re.ASCII)


def _places(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield error
    details = error.get("details")
    for place in (error.get("metadata"), *(details if isinstance(details, list) else (details,))):
        if isinstance(place, dict):
            yield place
            if isinstance(inner := place.get("metadata"), dict):
                yield inner


def _field(value: object, scale: float, now: datetime | None) -> float | None:
    if isinstance(value, str):
        return _sensible(_span(value, now), scale)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _sensible(_span(repr(value), now), scale)


def _span(text: str, now: datetime | None) -> float | None:
    """Seconds of `30`, `6m0s`, `1700000000` (Unix time, also in milliseconds), `2026-01-01T00:00:00Z` or an HTTP date."""
    text = text.strip()[:64]
    number = _number(text)
    if number is None:
        if re.fullmatch(_GLUED, text, re.IGNORECASE | re.ASCII):
            return _sensible(_duration(text))
        return _sensible(_until(_date(text), now))
    if number < _UNIX_SECONDS:
        return _sensible(number)
    seconds = number / 1000 if number >= _UNIX_MILLISECONDS else number
    return None if now is None else _sensible(max(0.0, seconds - now.timestamp()))


def _parameter(value: str) -> str:
    """`reset=30` or `t=30` of the one header that the IETF's drafts have for all (draft-ietf-httpapi-ratelimit-headers)."""
    found = re.search(r"\b(?:reset|t)\s*=\s*([0-9]{1,12})\b", value[:500])
    return found[1] if found else ""


def _duration(text: str) -> float:
    return sum(float(amount) * _UNITS[unit.lower()] for amount, unit in _PIECES.findall(text))


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*-?[0-9]{1,18}(?:\.[0-9]{0,18})?\s*", text, re.ASCII) else None


def _numbers(text: str) -> float | None:
    """The largest of a header's numbers: who is answered through a proxy may get the header from both of them."""
    numbers = [_number(part) for part in text.split(",", MAX_REPEATS)]
    return None if None in numbers else max(number for number in numbers if number is not None)


def _until(moment: datetime | None, now: datetime | None) -> float | None:
    return None if moment is None or now is None else max(0.0, (moment - now).total_seconds())


def _date(text: str) -> datetime | None:
    """An HTTP date or one of RFC 3339."""
    for parse in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            moment = parse(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return None


def _sensible(seconds: float | None, scale: float = 1.0) -> float | None:
    if seconds is None or not math.isfinite(seconds):
        return None
    seconds *= scale
    return seconds if 0 <= seconds <= MAX_SECONDS else None

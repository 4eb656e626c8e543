"""From what went wrong to a ProviderError: one classification for all providers.

    api_error            auth  permission  quota  bad_request  context_length  payload_too_large
                         server  connection  truncated_stream  malformed_response  empty_reply
    rate_limit           rate_limit  quota_window
    content_blocked      content_filter
    timeout              first_byte  idle  total  gateway_timeout
    provider_overloaded  overloaded
    model_error          model_not_found  model_unsupported

The provider's own code decides first (codes), the HTTP status second; where both are coarse the wording refines the
reason (wording). The shapes of bodies are body's, waits retry_after's, and the names of options and of models in
an error are read by refused_option and model_names. No message and no code leaves this module with a key in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from adapters.contract import ErrorReason, ProviderError
from adapters.errors.body import Failure, describe_web_page, is_web_page, read_body, read_object
from adapters.errors.codes import CONSEQUENCES, Grade, Row, Wait, row_of, status_row
from adapters.errors.model_names import supported_models
from adapters.errors.refused_option import refused_option
from adapters.errors.retry_after import body_delay, clock, header_delay, reset_delay, said_delay
from adapters.errors.scrub import scrub
from adapters.errors.wording import refined
from adapters.wire.surrogates import without_halves

__all__ = ("error_of", "is_web_page", "response_error", "stream_error", "web_page_error", "without_secrets")

R = ErrorReason

MAX_MESSAGE_CHARS: Final = 1000
"""Providers quote whole requests back in their errors; an operator's log needs the beginning."""

MAX_CODE_CHARS: Final = 100

_LOOKED_AT: Final = 8 * MAX_MESSAGE_CHARS

QUOTA_WINDOW_SECONDS: Final = 3600.0
"""A wait beyond an hour is no back-off any more but a used-up daily or monthly window."""


def error_of(
    reason: ErrorReason, message: str, *, code: str | None = None, retry_after: float | None = None
) -> ProviderError:
    """The error of a known reason, with what follows from the reason; the message is freed of keys and shortened."""
    if reason is R.RATE_LIMIT and retry_after is not None and retry_after > QUOTA_WINDOW_SECONDS:
        reason = R.QUOTA_WINDOW
    follows = CONSEQUENCES[reason]
    return ProviderError(
        reason=reason,
        message=_shortened(scrub(message[:_LOOKED_AT]).strip(), MAX_MESSAGE_CHARS),
        code=_shortened(scrub(code[:_LOOKED_AT]), MAX_CODE_CHARS) if code else None,
        retryable=follows.retryable,
        rotate_key=follows.rotate_key,
        retry_after=retry_after,
    )


def without_secrets(error: ProviderError, secrets: tuple[str, ...]) -> ProviderError:
    """The same error, should the provider have echoed one of these values."""
    if not secrets:
        return error
    return msgspec.structs.replace(
        error,
        message=scrub(error.message, secrets),
        code=scrub(error.code, secrets) if error.code else error.code,
        param=error.param if error.param is None or scrub(error.param, secrets) == error.param else None,
        supported_models=tuple(name for name in error.supported_models if scrub(name, secrets) == name),
    )


def response_error(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The error of an answer whose status is not 2xx. Header names are lower-case; the body may be anything."""
    if 300 <= status < 400:
        return error_of(
            R.BAD_REQUEST, f"the address redirects (HTTP {status}); is the base URL right?", code=str(status)
        )
    failure = read_body(status, body)
    amazon = headers.get("x-amzn-errortype", "").partition(":")[0]
    if amazon:
        failure = msgspec.structs.replace(failure, codes=(amazon, *failure.codes), keys=(amazon, *failure.keys))
    error = _classify(failure, status, headers)
    if is_web_page(body) and error.reason in (R.PERMISSION, R.AUTH):
        # A firewall or a proxy in front of the provider, which asks for no key of ours.
        return msgspec.structs.replace(error, rotate_key=False)
    return error


def stream_error(value: Any) -> ProviderError:
    """The error of an error object (or string, or list of them) in the middle of a stream whose status was 200."""
    failure = read_object(without_halves(value))
    return _classify(failure, failure.status, {})


def web_page_error(body: bytes) -> ProviderError:
    """A web page where the API should be. Asking again gives the same page."""
    message = f"{describe_web_page(body)}; is the base URL right? It often ends in /v1."
    return msgspec.structs.replace(error_of(R.MALFORMED_RESPONSE, message), retryable=False)


def _classify(failure: Failure, status: int | None, headers: Mapping[str, str]) -> ProviderError:
    row = _row(failure, status)
    models: tuple[str, ...] = ()
    if row.reason in _ABOUT_THE_REQUEST:
        models = supported_models(failure, suggestions=row.reason is R.MODEL_NOT_FOUND)
    if models and row.reason is R.BAD_REQUEST:
        row = Row(R.MODEL_NOT_FOUND)
    code = failure.codes[0] if failure.codes else str(status) if status else None
    error = error_of(row.reason, failure.message, code=code, retry_after=_delay(row.reason, failure, headers))
    follows = CONSEQUENCES[error.reason]
    rotate_key = follows.rotate_key if row.rotate_key is None else row.rotate_key
    if failure.relayed:
        # A host behind a router knows the router's key, whichever of our keys the router is asked with.
        rotate_key = False
    return msgspec.structs.replace(
        error,
        retryable=follows.retryable if row.retryable is None else row.retryable,
        rotate_key=rotate_key,
        param=_refused_option(failure, row.reason),
        supported_models=models,
    )


_ABOUT_AN_OPTION: Final = frozenset((R.BAD_REQUEST, R.MODEL_UNSUPPORTED))
_ABOUT_THE_REQUEST: Final = _ABOUT_AN_OPTION | {R.MODEL_NOT_FOUND}


def _refused_option(failure: Failure, reason: ErrorReason) -> str | None:
    if reason not in _ABOUT_AN_OPTION:
        return None
    return refused_option(failure, unsupported=reason is R.MODEL_UNSUPPORTED)


def _row(failure: Failure, status: int | None) -> Row:
    known = [row for code in failure.keys if (row := row_of(code)) is not None]
    firm = next((row for row in known if row.grade is Grade.FIRM), None)
    if firm is not None:
        return firm
    row = next((row for row in known if row.grade is Grade.OPEN), None)
    if row is None and status is not None:
        row = status_row(status)
    if row is None:
        row = known[0] if known else Row(R.SERVER, Grade.VAGUE)
    if status == 413 and row.reason is R.RATE_LIMIT:
        # Groq: larger than what a minute allows, which only a shorter request can mend.
        row = status_row(status)
    return refined(row, f"{failure.message} {failure.fine_print}")


def _delay(reason: ErrorReason, failure: Failure, headers: Mapping[str, str]) -> float | None:
    """Seconds, from the place that knows best."""
    wait = CONSEQUENCES[reason].wait
    if wait is Wait.NOWHERE:
        return None
    delay = header_delay(headers)
    if delay is not None:
        return delay
    now = clock(headers)
    for error in failure.objects:
        if (delay := body_delay(error, now)) is not None:
            return delay
    delay = said_delay(failure.message, now)
    if delay is None and wait is Wait.STATED_OR_RESET:
        return reset_delay(headers)
    return delay


def _shortened(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[:limit] + "…"

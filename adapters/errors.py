"""From what went wrong to a ProviderError: one classification for all providers.

    api_error            auth  permission  quota  bad_request  context_length  payload_too_large
                         server  connection  truncated_stream  malformed_response  empty_reply
    rate_limit           rate_limit  quota_window
    content_blocked      content_filter
    timeout              first_byte  idle  total  gateway_timeout
    provider_overloaded  overloaded
    model_error          model_not_found  model_unsupported

The provider's own code decides first, the HTTP status second. Where both are coarse (every vendor has another code for "the
conversation is too long", some have none) the wording may refine the reason, along the table WORDING and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from adapters.contract import ErrorReason, ProviderError
from adapters.retry_after import body_delay, header_delay
from adapters.scrub import scrub

R = ErrorReason

MAX_MESSAGE_CHARS: Final = 1000
"""Providers quote whole requests back in their errors; an operator's log needs the beginning."""

QUOTA_WINDOW_SECONDS: Final = 3600.0
"""A wait beyond an hour is no back-off any more but a used-up daily or monthly window."""

RETRYABLE: Final = frozenset(
    (
        *(R.RATE_LIMIT, R.OVERLOADED, R.SERVER, R.CONNECTION, R.TRUNCATED_STREAM),
        *(R.MALFORMED_RESPONSE, R.EMPTY_REPLY, R.FIRST_BYTE, R.IDLE, R.GATEWAY_TIMEOUT),
    )
)
ROTATE_KEY: Final = frozenset((R.AUTH, R.PERMISSION, R.QUOTA, R.RATE_LIMIT, R.QUOTA_WINDOW))

CODES: Final[Mapping[str, ErrorReason]] = {
    # OpenAI (platform.openai.com/docs/guides/error-codes) and the servers that copy it
    "invalid_api_key": R.AUTH,
    "authentication_error": R.AUTH,
    "insufficient_quota": R.QUOTA,
    "billing_hard_limit_reached": R.QUOTA,
    "billing_not_active": R.QUOTA,
    "rate_limit_exceeded": R.RATE_LIMIT,
    "rate_limit_error": R.RATE_LIMIT,
    "context_length_exceeded": R.CONTEXT_LENGTH,
    "string_above_max_length": R.CONTEXT_LENGTH,
    "model_not_found": R.MODEL_NOT_FOUND,
    "unsupported_parameter": R.MODEL_UNSUPPORTED,
    "unsupported_value": R.MODEL_UNSUPPORTED,
    "content_filter": R.CONTENT_FILTER,
    "content_policy_violation": R.CONTENT_FILTER,
    "insufficient_permissions": R.PERMISSION,
    "unsupported_country_region_territory": R.PERMISSION,
    # Azure
    "responsibleaipolicyviolation": R.CONTENT_FILTER,
    "deploymentnotfound": R.MODEL_NOT_FOUND,
    # Anthropic (its page "Errors")
    "overloaded_error": R.OVERLOADED,
    "permission_error": R.PERMISSION,
    "billing_error": R.QUOTA,
    "request_too_large": R.PAYLOAD_TOO_LARGE,
    "timeout_error": R.GATEWAY_TIMEOUT,
    # Google (google.rpc.Code and ErrorInfo reasons)
    "api_key_invalid": R.AUTH,
    "unauthenticated": R.AUTH,
    "permission_denied": R.PERMISSION,
    "resource_exhausted": R.RATE_LIMIT,
    "deadline_exceeded": R.GATEWAY_TIMEOUT,
    # Amazon Bedrock exception names
    "throttlingexception": R.RATE_LIMIT,
    "accessdeniedexception": R.PERMISSION,
    "unrecognizedclientexception": R.AUTH,
    "expiredtokenexception": R.AUTH,
    "servicequotaexceededexception": R.QUOTA_WINDOW,
    "modeltimeoutexception": R.GATEWAY_TIMEOUT,
    "serviceunavailableexception": R.OVERLOADED,
    "modelnotreadyexception": R.OVERLOADED,
    # llama.cpp, Groq (the model's call did not fit its schema), DeepSeek, Moonshot
    "exceed_context_size_error": R.CONTEXT_LENGTH,
    "unavailable_error": R.OVERLOADED,
    "tool_use_failed": R.MALFORMED_RESPONSE,
    "over_capacity": R.OVERLOADED,
    "engine_overloaded_error": R.OVERLOADED,
    "exceeded_current_quota_error": R.QUOTA,
}
"""Codes that say one thing only. Coarse ones (`invalid_request_error`, `INVALID_ARGUMENT`) leave it to the status."""

COARSE_CODES: Final[Mapping[str, ErrorReason]] = {
    "invalid_request_error": R.BAD_REQUEST,
    "invalid_argument": R.BAD_REQUEST,
    "validationexception": R.BAD_REQUEST,
    "not_found_error": R.BAD_REQUEST,
    "unavailable": R.OVERLOADED,
    "timeout": R.GATEWAY_TIMEOUT,
}
"""Asked only where there is no status: in the middle of a stream."""

STATUSES: Final[Mapping[int, ErrorReason]] = {
    401: R.AUTH,
    402: R.QUOTA,
    403: R.PERMISSION,
    408: R.GATEWAY_TIMEOUT,
    409: R.SERVER,
    410: R.MODEL_NOT_FOUND,
    413: R.PAYLOAD_TOO_LARGE,
    425: R.SERVER,
    429: R.RATE_LIMIT,
    498: R.OVERLOADED,  # Groq: flex capacity exceeded
    499: R.CONNECTION,  # nginx: client closed request
    501: R.BAD_REQUEST,
    503: R.OVERLOADED,
    504: R.GATEWAY_TIMEOUT,
    522: R.GATEWAY_TIMEOUT,  # Cloudflare: 522 and 524 are its time-outs, the other 52x are faults of the origin
    524: R.GATEWAY_TIMEOUT,
    529: R.OVERLOADED,  # Anthropic
    598: R.GATEWAY_TIMEOUT,
}


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_CONTEXT: Final = _words(
    r"maximum context length",
    r"context (?:length|window|size|limit)",
    r"prompt is too long",
    r"input (?:is )?too long",
    r"input token count .{0,40}exceeds",
    r"reduce the length of",
    r"too many (?:input |prompt )?tokens",
)
_MODEL_GONE: Final = _words(
    r"\bmodel\b.{0,120}(?:not found|does not exist|not exist|is not available|not a valid model)",
    r"(?:unknown|no such|invalid|unrecognized) model\b",
    r"not a valid model",
    r"no endpoints found",
)
_UNSUPPORTED: Final = _words(
    r"(?:not supported|unsupported).{0,60}\bmodel\b",
    r"\bmodel\b.{0,80}(?:does not|doesn't) support",
    r"(?:unsupported|unrecognized) (?:parameter|value|request argument)",
    r"does not support (?:tools|images?|function|streaming)",
    r"(?:image|audio|tool)s? (?:input )?(?:is|are) not supported",
)
_BAD_KEY: Final = _words(r"api[ -_]?key.{0,20}(?:not valid|invalid|expired)", r"(?:invalid|incorrect) api[ -_]?key")
_NO_MONEY: Final = _words(
    r"insufficient (?:balance|credits?|funds|quota)",
    r"credit balance is too low",
    r"(?:not enough|more) credits",
    r"please (?:recharge|top up)",
    r"exceeded your monthly",
)
_FILTERED: Final = _words(r"content (?:policy|filter|management policy)", r"flagged (?:by|as|for)", r"safety system")
_WINDOW: Final = _words(r"per[ _-]?day", r"\bdaily\b", r"\bmonthly\b", r"per[ _-]?month", r"\((?:TPD|RPD)\)")
_OVERLOADED: Final = _words(
    r"overloaded", r"(?:at|over|out of) capacity", r"no (?:available|healthy) (?:server|upstream)"
)

WORDING: Final[Mapping[ErrorReason, tuple[tuple[re.Pattern[str], ErrorReason], ...]]] = {
    R.BAD_REQUEST: (
        (_CONTEXT, R.CONTEXT_LENGTH),
        (_BAD_KEY, R.AUTH),
        (_NO_MONEY, R.QUOTA),
        (_MODEL_GONE, R.MODEL_NOT_FOUND),
        (_UNSUPPORTED, R.MODEL_UNSUPPORTED),
        (_FILTERED, R.CONTENT_FILTER),
    ),
    R.PAYLOAD_TOO_LARGE: ((_CONTEXT, R.CONTEXT_LENGTH),),
    R.PERMISSION: ((_NO_MONEY, R.QUOTA), (_FILTERED, R.CONTENT_FILTER)),
    R.RATE_LIMIT: ((_NO_MONEY, R.QUOTA), (_WINDOW, R.QUOTA_WINDOW)),
    R.SERVER: ((_OVERLOADED, R.OVERLOADED), (_CONTEXT, R.CONTEXT_LENGTH), (_UNSUPPORTED, R.MODEL_UNSUPPORTED)),
}
"""Coarse reason -> what its wording may make of it; the first that fits counts."""


class Failure(msgspec.Struct, frozen=True):
    """What an error object says, whoever wrote it."""

    message: str
    codes: tuple[str, ...] = ()
    """The provider's own words for it, the most telling first."""
    status: int | None = None
    retry_after: float | None = None
    fine_print: str = ""
    """Words that tell the reason but are not for reading: names of quotas."""


def error_of(
    reason: ErrorReason, message: str, *, code: str | None = None, retry_after: float | None = None
) -> ProviderError:
    """The error of a known reason, with what follows from the reason; the message is freed of keys and shortened."""
    if reason is R.RATE_LIMIT and retry_after is not None and retry_after > QUOTA_WINDOW_SECONDS:
        reason = R.QUOTA_WINDOW
    text = scrub(message).strip()
    if len(text) > MAX_MESSAGE_CHARS:
        text = text[:MAX_MESSAGE_CHARS] + "…"
    return ProviderError(
        reason=reason,
        message=text,
        code=scrub(code) if code else None,
        retryable=reason in RETRYABLE,
        rotate_key=reason in ROTATE_KEY,
        retry_after=retry_after,
    )


def without_secrets(error: ProviderError, secrets: tuple[str, ...]) -> ProviderError:
    """The same error, should the provider have echoed one of these values."""
    if not secrets:
        return error
    code = scrub(error.code, secrets) if error.code else error.code
    return msgspec.structs.replace(error, message=scrub(error.message, secrets), code=code)


def response_error(status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
    """The error of an answer whose status is not 2xx. Header names are lower-case; the body may be anything."""
    if 300 <= status < 400:
        return error_of(
            R.BAD_REQUEST, f"the address redirects (HTTP {status}); is the base URL right?", code=str(status)
        )
    failure = _read_body(status, body)
    amazon = headers.get("x-amzn-errortype", "").partition(":")[0]
    if amazon:
        failure = msgspec.structs.replace(failure, codes=(amazon, *failure.codes))
    delay = header_delay(headers)
    error = _classify(failure, status, failure.retry_after if delay is None else delay)
    if is_web_page(body) and error.reason is R.PERMISSION:
        # A firewall in front of the provider, which asks for no key.
        return msgspec.structs.replace(error, rotate_key=False)
    return error


def stream_error(value: Any) -> ProviderError:
    """The error of an error object (or string, or list of them) in the middle of a stream whose status was 200."""
    failure = _read_object(value)
    return _classify(failure, failure.status, failure.retry_after)


def web_page_error(body: bytes) -> ProviderError:
    """A web page where the API should be. Asking again gives the same page."""
    message = f"{describe_web_page(body)}; is the base URL right? It often ends in /v1."
    return msgspec.structs.replace(error_of(R.MALFORMED_RESPONSE, message), retryable=False)


def is_web_page(body: bytes) -> bool:
    start = body[:64].lstrip().lower()
    return start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<!--"))


def describe_web_page(body: bytes) -> str:
    title = re.search(rb"<title[^>]*>([^<]{1,200})", body, re.IGNORECASE)
    named = f" titled {title[1].decode('utf-8', 'replace').strip()!r}" if title else ""
    return f"the server answered with a web page{named}"


def _classify(failure: Failure, status: int | None, retry_after: float | None) -> ProviderError:
    code = failure.codes[0] if failure.codes else str(status) if status else None
    known = [code.lower() for code in failure.codes]
    reason = next((CODES[code] for code in known if code in CODES), None)
    if reason is None or reason is R.RATE_LIMIT:
        reason = _refined(reason or _coarse(known, status), failure)
    return error_of(reason, failure.message, code=code, retry_after=retry_after)


def _coarse(codes: list[str], status: int | None) -> ErrorReason:
    if status is not None:
        return STATUSES.get(status, R.BAD_REQUEST if 400 <= status < 500 else R.SERVER)
    return next((COARSE_CODES[code] for code in codes if code in COARSE_CODES), R.SERVER)


def _refined(coarse: ErrorReason, failure: Failure) -> ErrorReason:
    text = f"{failure.message} {failure.fine_print}"
    return next((reason for words, reason in WORDING.get(coarse, ()) if words.search(text)), coarse)


def _read_body(status: int, body: bytes) -> Failure:
    if is_web_page(body):
        return Failure(f"{describe_web_page(body)} (HTTP {status})")
    text = body.decode("utf-8", "replace").strip()
    if not text:
        return Failure(f"HTTP {status} without a body")
    try:
        value = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return Failure(text)
    return _read_object(value)


def _read_object(value: Any) -> Failure:
    """Find the words in any of the shapes in use: {"error": {…}}, {"error": "…"}, {"message"}, {"detail"}, "…", [{…}]."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return Failure(str(value) if value else "the provider gave no reason")
    error = value.get("error") or value.get("errors")
    if isinstance(error, list) and error:
        error = error[0]
    if isinstance(error, str):
        return Failure(_message_of(value, default=error), tuple(_codes_of(value, {})), _status_of(value))
    if not isinstance(error, dict):
        error = value
    details = error.get("details")
    details = [entry for entry in details if isinstance(entry, dict)] if isinstance(details, list) else []
    inner = _wrapped(error)
    message = _message_of(error, default=_text(error)) + (f": {inner.message}" if inner else "")
    return Failure(
        message=message,
        codes=(*_codes_of(error, *details), *(inner.codes if inner else ())),
        status=_status_of(error) or _status_of(value),
        retry_after=body_delay(details),
        fine_print=" ".join(_quotas(details)),
    )


def _wrapped(error: Mapping[str, Any]) -> Failure | None:
    """OpenRouter: the host's own answer stands as text in `metadata.raw`, its own message says only that there was one."""
    metadata = error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    if not isinstance(raw, str) or not raw:
        return None
    try:
        return _read_object(msgspec.json.decode(raw))
    except (msgspec.MsgspecError, RecursionError):
        return Failure(raw)


def _message_of(error: Mapping[str, Any], default: str) -> str:
    for key in ("message", "detail", "msg", "error_description"):
        value = error.get(key)
        if isinstance(value, str) and value:
            return value
        if value and not isinstance(value, str):
            return _text(value)
    return default


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()


def _codes_of(error: Mapping[str, Any], *details: Mapping[str, Any]) -> Iterator[str]:
    inner = error.get("innererror")
    candidates = [
        error.get("code"),
        *(entry.get("reason") for entry in details),
        inner.get("code") if isinstance(inner, dict) else None,
        error.get("status"),
        error.get("type"),
        error.get("__type"),
    ]
    numbers = []
    for candidate in candidates:
        if isinstance(candidate, str) and candidate not in ("", "error"):
            if candidate.isdecimal():
                numbers.append(candidate)
            else:
                yield candidate
        elif isinstance(candidate, int) and not isinstance(candidate, bool):
            numbers.append(str(candidate))
    yield from numbers


def _status_of(error: Mapping[str, Any]) -> int | None:
    for key in ("status_code", "code", "status"):
        value = error.get(key)
        if isinstance(value, str) and value.isdecimal() and len(value) == 3:
            value = int(value)
        if isinstance(value, int) and 400 <= value < 600:
            return value
    return None


def _quotas(details: list[dict[str, Any]]) -> Iterator[str]:
    """Google: the name of the quota says over which time it counts (`GenerateRequestsPerDayPerProject…`)."""
    for entry in details:
        violations = entry.get("violations")
        for violation in violations if isinstance(violations, list) else ():
            if isinstance(violation, dict):
                yield str(violation.get("quotaId", ""))

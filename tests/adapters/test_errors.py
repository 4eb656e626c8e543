"""From a refused request or an error object to a ProviderError."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from adapters.contract import REASON_TYPES, ErrorReason, ErrorType, ProviderError
from adapters.errors import MAX_MESSAGE_CHARS, error_of, response_error, stream_error, web_page_error, without_secrets

R = ErrorReason


def refused(status: int, body: Any = None, **headers: str) -> ProviderError:
    raw = body if isinstance(body, bytes) else b"" if body is None else msgspec.json.encode(body)
    return response_error(status, {name.replace("_", "-"): value for name, value in headers.items()}, raw)


@pytest.mark.parametrize(
    ("status", "reason", "retryable", "rotate_key"),
    [
        (400, R.BAD_REQUEST, False, False),
        (401, R.AUTH, False, True),
        (402, R.QUOTA, False, True),
        (403, R.PERMISSION, False, True),
        (404, R.BAD_REQUEST, False, False),
        (408, R.GATEWAY_TIMEOUT, True, False),
        (413, R.PAYLOAD_TOO_LARGE, False, False),
        (418, R.BAD_REQUEST, False, False),
        (429, R.RATE_LIMIT, True, True),
        (500, R.SERVER, True, False),
        (502, R.SERVER, True, False),
        (503, R.OVERLOADED, True, False),
        (504, R.GATEWAY_TIMEOUT, True, False),
        (520, R.SERVER, True, False),
        (524, R.GATEWAY_TIMEOUT, True, False),
        (529, R.OVERLOADED, True, False),
        (307, R.BAD_REQUEST, False, False),
    ],
)
def test_a_status_alone(status: int, reason: ErrorReason, retryable: bool, rotate_key: bool) -> None:
    """Without a body the status decides, and is the code."""
    error = refused(status)
    assert (error.reason, error.retryable, error.rotate_key, error.code) == (reason, retryable, rotate_key, str(status))
    assert error.type is REASON_TYPES[reason]
    assert error.message


@pytest.mark.parametrize(
    ("status", "error", "reason", "code"),
    [
        (429, {"message": "slow down", "code": "rate_limit_exceeded"}, R.RATE_LIMIT, "rate_limit_exceeded"),
        (429, {"message": "check your plan", "code": "insufficient_quota"}, R.QUOTA, "insufficient_quota"),
        (429, {"message": "…requests per day (RPD): limit 200", "code": "rate_limit_exceeded"}, R.QUOTA_WINDOW, "rate_limit_exceeded"),
        (429, {"message": "Insufficient balance, please recharge"}, R.QUOTA, "429"),
        (429, {"message": "Provider returned error", "code": 429, "metadata": {"raw": "pool is busy"}}, R.RATE_LIMIT, "429"),
        (400, {"message": "API key not valid. Please pass a valid one.", "status": "INVALID_ARGUMENT"}, R.AUTH, "INVALID_ARGUMENT"),
        (400, {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}, R.AUTH, "API_KEY_INVALID"),
        (400, {"message": "This model's maximum context length is 8192 tokens.", "code": "context_length_exceeded"}, R.CONTEXT_LENGTH, "context_length_exceeded"),
        (400, {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}, R.CONTEXT_LENGTH, "invalid_request_error"),
        (400, {"message": "input length and `max_tokens` exceed context limit"}, R.CONTEXT_LENGTH, "400"),
        (400, {"message": "The input token count (1200000) exceeds the maximum"}, R.CONTEXT_LENGTH, "400"),
        (400, {"message": "no", "type": "exceed_context_size_error"}, R.CONTEXT_LENGTH, "exceed_context_size_error"),
        (400, {"message": "filtered", "code": "content_filter"}, R.CONTENT_FILTER, "content_filter"),
        (400, {"message": "no", "innererror": {"code": "ResponsibleAIPolicyViolation"}}, R.CONTENT_FILTER, "ResponsibleAIPolicyViolation"),
        (400, {"message": "use max_completion_tokens", "code": "unsupported_parameter"}, R.MODEL_UNSUPPORTED, "unsupported_parameter"),
        (400, {"message": "Your credit balance is too low"}, R.QUOTA, "400"),
        (400, {"message": "parameter foo is deprecated"}, R.BAD_REQUEST, "400"),
        (400, {"message": "timeout parameter invalid"}, R.BAD_REQUEST, "400"),
        (400, {"message": "could not generate 4290 tokens"}, R.BAD_REQUEST, "400"),
        (404, {"message": "The model `x` does not exist", "code": "model_not_found"}, R.MODEL_NOT_FOUND, "model_not_found"),
        (404, {"message": 'model "x" not found, try pulling it first'}, R.MODEL_NOT_FOUND, "404"),
        (404, {"message": "File Not Found", "type": "not_found_error"}, R.BAD_REQUEST, "not_found_error"),
        (500, {"message": "image input is not supported"}, R.MODEL_UNSUPPORTED, "500"),
        (500, {"message": "Overloaded"}, R.OVERLOADED, "500"),
        (529, {"type": "overloaded_error", "message": "Overloaded"}, R.OVERLOADED, "overloaded_error"),
        (403, {"message": "Insufficient credits"}, R.QUOTA, "403"),
    ],
)  # fmt: skip
def test_code_first_then_status_then_wording(
    status: int, error: dict[str, Any], reason: ErrorReason, code: str
) -> None:
    """A telling code wins; a coarse status may be refined by the words that its own row of the table lists, no others."""
    got = refused(status, {"error": error})
    assert (got.reason, got.code) == (reason, code)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"error": {"message": "m"}}, "m"),
        ({"error": "m"}, "m"),
        ({"error": {"code": 1}, "message": "x"}, '{"code":1}'),
        ({"message": "m"}, "m"),
        ({"detail": "m"}, "m"),
        ({"detail": [{"loc": ["body"], "msg": "field required"}]}, '[{"loc":["body"],"msg":"field required"}]'),
        ({"error": "Not Found", "message": "no such route"}, "no such route"),
        ([{"error": {"message": "m"}}], "m"),
        ({"errors": [{"message": "m"}]}, "m"),
        ({"error": {"message": "Provider returned error", "metadata": {"raw": '{"error":{"message":"m"}}'}}}, "Provider returned error: m"),
        (b"upstream connect error", "upstream connect error"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b'"m"', "m"),
        (b"null", "the provider gave no reason"),
        (b"[" * 100_000, "[" * MAX_MESSAGE_CHARS + "…"),
        (b"", "HTTP 500 without a body"),
        (b"<html><head><title>502 Bad Gateway</title></head></html>", "the server answered with a web page titled '502 Bad Gateway' (HTTP 500)"),
    ],
)  # fmt: skip
def test_the_message_in_any_shape_of_body(body: Any, message: str) -> None:
    """Every shape that servers use gives the provider's own words, never a page of HTML."""
    assert refused(500, body).message == message


def test_the_wait_of_header_and_body() -> None:
    """The header wins over the body; a wait of a day is a used-up window and not a back-off."""
    body = {"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "38.4s"}]}}
    assert refused(429, body).retry_after == 38.4
    assert refused(429, body, retry_after="7").retry_after == 7
    day = refused(429, {}, retry_after="86400")
    assert (day.reason, day.type, day.retryable, day.retry_after) == (
        R.QUOTA_WINDOW,
        ErrorType.RATE_LIMIT,
        False,
        86400,
    )


def test_the_name_of_googles_quota_tells_a_daily_window() -> None:
    """The same code and words stand for a minute and for a day; only the quota's name differs."""

    def error(quota: str) -> dict[str, Any]:
        return {"error": {"status": "RESOURCE_EXHAUSTED", "details": [{"violations": [{"quotaId": quota}]}]}}

    assert refused(429, error("GenerateRequestsPerMinutePerProjectPerModel-FreeTier")).reason is R.RATE_LIMIT
    assert refused(429, error("GenerateRequestsPerDayPerProjectPerModel-FreeTier")).reason is R.QUOTA_WINDOW


def test_a_firewalls_page_asks_for_no_other_key() -> None:
    """HTML with 403 comes from in front of the provider."""
    assert refused(403, b"<!DOCTYPE html><title>Just a moment</title>").rotate_key is False


def test_amazons_error_type_is_a_code() -> None:
    """Bedrock names the exception in a header."""
    error = refused(400, {"message": "Too many requests"}, x_amzn_errortype="ThrottlingException:http://x")
    assert (error.reason, error.code) == (R.RATE_LIMIT, "ThrottlingException")


@pytest.mark.parametrize(
    ("value", "reason", "message"),
    [
        ({"error": {"message": "m", "code": 429, "type": "insufficient_quota"}}, R.QUOTA, "m"),
        ({"error": {"message": "m", "code": 502}}, R.SERVER, "m"),
        ({"error": {"message": "m", "code": "429"}}, R.RATE_LIMIT, "m"),
        ({"error": {"message": "m", "type": "invalid_request_error"}}, R.BAD_REQUEST, "m"),
        ({"error": {"message": "m", "type": "invalid_request_error", "code": "tool_use_failed", "status_code": 400}}, R.MALFORMED_RESPONSE, "m"),
        ({"error": "engine stopped"}, R.SERVER, "engine stopped"),
        ({"message": "m", "type": "InternalServerError", "code": 500}, R.SERVER, "m"),
        ("m", R.SERVER, "m"),
        (None, R.SERVER, "the provider gave no reason"),
        ({}, R.SERVER, "{}"),
        (7, R.SERVER, "7"),
    ],
)  # fmt: skip
def test_an_error_object_in_a_stream(value: Any, reason: ErrorReason, message: str) -> None:
    """Classified like the same error of a refused request; the status, if any, stands in the object."""
    error = stream_error(value)
    assert (error.reason, error.message) == (reason, message)


def test_a_web_page_instead_of_the_api_is_a_mistake_of_the_set_up() -> None:
    """No retry, and a hint at the base URL; nothing of the page but its title."""
    error = web_page_error(b"<html><head><title>Console</title></head><body>secret</body></html>")
    assert (error.reason, error.retryable, error.rotate_key) == (R.MALFORMED_RESPONSE, False, False)
    assert "Console" in error.message
    assert "/v1" in error.message
    assert "secret" not in error.message


def test_no_message_or_code_shows_a_key() -> None:
    """Keys of known shape go at once, the request's own secrets when they are known."""
    error = refused(
        401,
        {"error": {"message": "Incorrect API key provided: sk-fake-1111 or hunter2hunter2", "code": "hunter2hunter2"}},
    )
    assert "sk-fake" not in error.message
    safe = without_secrets(error, ("hunter2hunter2",))
    assert "hunter2" not in repr(safe)


def test_a_long_message_is_cut() -> None:
    """Providers quote requests back."""
    assert len(error_of(R.SERVER, "x" * 5000).message) == MAX_MESSAGE_CHARS + 1


def test_every_reason_has_a_type() -> None:
    """The tree has no holes."""
    assert set(REASON_TYPES) == set(ErrorReason)
    assert set(REASON_TYPES.values()) == set(ErrorType)

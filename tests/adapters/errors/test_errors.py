"""From a refused request or an error object to a ProviderError."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import REASON_TYPES, ErrorReason, ErrorType, ProviderError
from adapters.errors import (
    error_of,
    response_error,
    stream_error,
    web_page_error,
    without_secrets,
)
from adapters.errors.classify import MAX_CODE_CHARS, MAX_MESSAGE_CHARS
from adapters.errors.codes import CODES, CONSEQUENCES, TABLE, key_of
from adapters.errors.model_names import MAX_MODELS
from tests.adapters.errors.error_messages import MESSAGES

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


@pytest.mark.parametrize(("status", "body", "reason", "more"), MESSAGES)
def test_real_messages(status: int | None, body: Any, reason: ErrorReason, more: dict[str, Any]) -> None:
    """What providers really wrote means what it means, in a refused request and in the middle of a stream."""
    error = stream_error(body) if status is None else refused(status, body)
    assert (error.reason, {name: getattr(error, name) for name in more}) == (reason, more)


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (429, {"error": {"message": "slow down, the model foo is deprecated"}}, R.RATE_LIMIT),
        (429, {"error": {"message": "Rate limit reached for context-window-reader"}}, R.RATE_LIMIT),
        (400, {"error": {"message": "parameter foo is deprecated"}}, R.BAD_REQUEST),
        (400, {"error": {"message": "timeout parameter invalid"}}, R.BAD_REQUEST),
        (400, {"error": {"message": "could not generate 4290 tokens"}}, R.BAD_REQUEST),
        (400, {"error": {"message": "image too large: at most 5 MB"}}, R.BAD_REQUEST),
        (400, {"error": {"message": "tool_call_id not found in 'tool_calls' of previous message"}}, R.BAD_REQUEST),
        (400, {"error": {"message": "m", "type": "invalid_request_error", "code": "1300"}}, R.BAD_REQUEST),
        (401, {"error": {"message": "the model is overloaded by wrong keys"}}, R.AUTH),
        (500, {"error": {"message": "assertion failed in daily_model.py"}}, R.SERVER),
        (503, {"error": {"message": "monthly maintenance"}}, R.OVERLOADED),
        (400, {"error": {"message": "x" * 5000 + " maximum context length"}}, R.BAD_REQUEST),
    ],
)
def test_a_word_means_something_only_where_its_row_lists_it(status: int, body: Any, reason: ErrorReason) -> None:
    """Numbers of one vendor mean nothing at another, and what a request quotes back decides nothing."""
    assert refused(status, body).reason is reason


def test_the_table_of_codes_has_one_row_a_code() -> None:
    """Two spellings of one code would hide each other."""
    assert len(CODES) == len(TABLE)
    assert set(CONSEQUENCES) == set(ErrorReason)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rate_limit_exceeded", "rateLimitExceeded"),
        ("ThrottlingException", "throttlingException"),
        ("com.amazon.coral.service#ThrottlingException", "ThrottlingException:http://internal.amazon.com/x"),
        ("overloaded_error", "OVERLOADED"),
        ("AuthenticationError", "authentication"),
    ],
)
def test_spellings_of_a_code(one: str, other: str) -> None:
    """Upper and lower case, underscores, Amazon's name spaces, and what all names of errors end with."""
    assert key_of(one) == key_of(other)


@pytest.mark.parametrize(
    ("message", "models"),
    [
        ("The supported API model names are a-1 or b-2, but you passed c-3.", ("a-1", "b-2")),
        ("Model not found. Available models: ['a-1', \"plain\", 'c/d:free']", ("a-1", "plain", "c/d:free")),
        ("Model not found. Available models: a-1, b-2 and c-3.", ("a-1", "b-2", "c-3")),
        ("Model not found. Valid models are:\n- a-1\n- b-2\n\nSee the docs", ("a-1", "b-2")),
        ("Unknown model 'x'. Please provide a valid OpenAI model name in: o1, gpt-4", ("o1", "gpt-4")),
        ("Model x does not exist. Did you mean 'gpt-4o'?", ("gpt-4o",)),
        ("model `x` is not available. Choose one of: `a-1`, `b-2`", ("a-1", "b-2")),
        ("unknown model x; available: a-1, b-2", ("a-1", "b-2")),
        ("Model x not found. Supported models are a-1, a-1, a-1", ("a-1",)),
        ("Model x not found. Available models: see https://host/models", ()),
        ("Model x not found. Supported models can be found in the documentation", ()),
        ("Model x not found. Available models: none", ()),
        ("Model x not found. Available models in us-east-1: see the console", ()),
        ("Your model is out-of-date or was not found", ()),
        ("Your models: a-1, b-2. Model x not found", ("a-1", "b-2")),
        ("Model x not found. Available models: sk-abcdefgh123456, b-2", ("b-2",)),
        ("Model x not found. Available models: " + "a" * 101 + ", b-2", ("b-2",)),
        ("Model x not found. Available models: " + ", ".join(f"m-{nr}" for nr in range(90)), tuple(f"m-{nr}" for nr in range(MAX_MODELS))),
    ],
)  # fmt: skip
def test_the_models_that_a_provider_names_instead(message: str, models: tuple[str, ...]) -> None:
    """Lists in sentences, lines and JSON; prose is no list, a key no model, and nothing is unbounded."""
    assert refused(404, {"error": {"message": message}}).supported_models == models


def test_a_list_of_models_in_a_field() -> None:
    """Strings, or objects with an id; whatever else stands there is left alone."""
    body = {"error": {"message": "no such model", "supported_models": ["a-1", {"id": "b"}, 7, None, "two words"]}}
    assert refused(404, body).supported_models == ("a-1", "b")
    assert refused(401, body).supported_models == ()


@pytest.mark.parametrize("status", [401, 402, 429, 500])
def test_only_an_error_about_the_request_names_an_option(status: int) -> None:
    """A used-up key is no reason to leave something out."""
    assert refused(status, {"error": {"message": "m", "param": "temperature"}}).param is None
    assert refused(400, {"error": {"message": "m", "param": "temperature"}}).param == "temperature"


@pytest.mark.parametrize(
    "param", ["", "a b", "messages[0].content", "tools[0].function.parameters", "messages.1.content", "x" * 101, "-", "a..b", 7, None, []]
)  # fmt: skip
def test_what_is_no_name_of_an_option(param: Any) -> None:
    """Places in the conversation, prose and odd types."""
    assert refused(400, {"error": {"message": "m", "param": param}}).param is None


_names = st.sampled_from(
    (
        *(
            "error",
            "errors",
            "message",
            "detail",
            "details",
            "code",
            "type",
            "status",
            "param",
            "metadata",
            "raw",
            "loc",
        ),
        *(
            "headers",
            "reasons",
            "violations",
            "quotaId",
            "base_resp",
            "status_code",
            "innererror",
            "response",
            "models",
        ),
        *("retry_after", "retryDelay", "originalMessage", "originalStatusCode", "title", "msg", "id", "provider_name"),
    )
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_names, inner, max_size=4),
    max_leaves=12,
)


@given(json_values, st.integers(400, 599))
def test_no_shape_breaks_it(value: Any, status: int) -> None:
    """Any JSON is an error with a reason and a bounded message, and its type follows from the reason."""
    try:
        body = msgspec.json.encode(value)
    except (UnicodeEncodeError, msgspec.MsgspecError, OverflowError):
        body = b"{}"
    for error in (response_error(status, {}, body), stream_error(value)):
        assert error.type is REASON_TYPES[error.reason]
        assert len(error.message) <= MAX_MESSAGE_CHARS + 1
        assert len(error.code or "") <= MAX_CODE_CHARS + 1
        assert len(error.supported_models) <= MAX_MODELS


@given(st.binary(max_size=200), st.integers(300, 599))
def test_no_bytes_break_it(body: bytes, status: int) -> None:
    """What is not JSON at all is its own message."""
    assert isinstance(response_error(status, {"retry-after": "1"}, body), ProviderError)


@pytest.mark.parametrize(
    "value",
    [
        {"error": {"message": "no \ud83d", "code": "rate_limit_exceeded", "param": "\ud83d"}},
        {"error": {"message": "no \ud83d", "type": "\ude00", "code": "rate_limit_exceeded"}},
        {"error": {"message": '{"error": {"message": "no \\ud83d", "code": "rate_limit_exceeded"}}'}},
        {"error": {"code": "rate_limit_exceeded", "message": {"no": "\ud83d"}}},
    ],
)
def test_half_an_emoji_in_an_error_neither_hides_the_code_nor_goes_on(value: Any) -> None:
    """Servers quote the request back and cut it anywhere; what is left of a pair is no text that JSON or Discord takes."""
    for error in (response_error(429, {}, json.dumps(value).encode()), stream_error(value)):
        assert error.reason is R.RATE_LIMIT
        assert error.message.encode()
        assert "no" in error.message
        assert "{" not in error.message or isinstance(value["error"]["message"], dict)


def test_routers_in_routers_have_an_end() -> None:
    """A message that holds an error that holds an error is read so far and no farther."""
    value: Any = {"error": {"message": "m"}}
    for _ in range(12):
        value = {"error": {"message": msgspec.json.encode(value).decode()}}
    assert stream_error(value).reason is R.SERVER


def test_the_wait_of_a_limit_may_stand_in_the_headers_of_limits() -> None:
    """They come with every answer, so only a limit looks at them, and what is stated for this answer goes first."""
    headers = {"x_ratelimit_remaining_tokens": "0", "x_ratelimit_reset_tokens": "6m0s"}
    assert refused(429, {"error": {"message": "slow down"}}, **headers).retry_after == 360
    assert refused(429, {"error": {"message": "try again in 2s"}}, **headers).retry_after == 2
    assert refused(500, {"error": {"message": "boom"}}, **headers).retry_after is None


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413])
def test_where_waiting_does_not_help_no_wait_is_named(status: int) -> None:
    """A person would wait in vain."""
    assert refused(status, {"error": {"message": "m"}}, retry_after="5").retry_after is None


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
        ({"error": {"code": 1}}, '{"code":1}'),
        ({"error": {"code": 1}, "message": "x"}, "x"),
        ({"status": 500, "title": "Internal", "detail": "m"}, "m"),
        ({"type": "response.failed", "response": {"error": {"message": "m"}}}, "m"),
        ({"error": {"error": {"message": "m"}}}, "m"),
        ({"error": {"message": '{"error": {"message": "m"}}'}}, "m"),
        ({"error": {"message": "Provider returned error", "metadata": {"raw": {"error": {"message": "m"}}}}}, "Provider returned error: m"),
        ({"base_resp": {"status_code": 1013, "status_msg": "m"}}, "m"),
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


def test_a_page_that_is_not_there_hints_at_the_address() -> None:
    """The commonest mistake of a set-up."""
    assert "base URL" in refused(404, b"<!doctype html><title>404 Not Found</title>").message


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


def test_a_key_among_options_and_models_is_left_out() -> None:
    """These are shown to people, too."""
    error = ProviderError(R.MODEL_NOT_FOUND, "m", param="hunter2hunter2", supported_models=("a-1", "hunter2hunter2"))
    safe = without_secrets(error, ("hunter2hunter2",))
    assert (safe.param, safe.supported_models) == (None, ("a-1",))


def test_a_key_that_the_shortened_message_cuts_in_half_is_hidden() -> None:
    """The beginning of a key is still most of a key."""
    key = "verysecretkey0123456789"
    error = error_of(R.BAD_REQUEST, "x" * (MAX_MESSAGE_CHARS - 10) + key)
    assert "verysecret" not in without_secrets(error, (key,)).message


def test_a_long_message_is_cut() -> None:
    """Providers quote requests back."""
    assert len(error_of(R.SERVER, "x" * 5000).message) == MAX_MESSAGE_CHARS + 1


def test_every_reason_has_a_type() -> None:
    """The tree has no holes."""
    assert set(REASON_TYPES) == set(ErrorReason)
    assert set(REASON_TYPES.values()) == set(ErrorType)

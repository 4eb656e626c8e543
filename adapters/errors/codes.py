"""What the codes of all providers mean: one row a code.

A row says the reason (the type follows from it) and how sure it is. FIRM: the code says one thing only. OPEN: the reason
stands unless the wording is finer (`rate_limit_exceeded` also stands for a used-up day). VAGUE: asked only in the middle of a
stream, where there is no HTTP status, because the status knows more (`invalid_request_error` comes with 400, 402 and 404).
What follows from a reason (again? with another key? how long to wait?) is in CONSEQUENCES; a row may differ from it.

Spellings differ (`RateLimitExceeded`, `rate_limit_exceeded`; `ThrottlingException`, `Throttling`), so codes are compared by
their letters alone, without "error" and "exception" at the end: a row stands under the first vendor that has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Final

import msgspec

from adapters.contract import ErrorReason

R = ErrorReason


class Grade(Enum):
    FIRM = 1
    OPEN = 2
    VAGUE = 3


class Wait(Enum):
    """Where the time stands after which the same request may succeed."""

    NOWHERE = 0
    """Waiting does not help."""
    STATED = 1
    """`retry-after`, the body, the words."""
    STATED_OR_RESET = 2
    """There, or else in the headers that say when a limit begins anew; those come with every answer, also with good ones."""


class Consequence(msgspec.Struct, frozen=True):
    retryable: bool
    """The same request can succeed soon."""
    rotate_key: bool
    """Another key could succeed now."""
    wait: Wait


_FINAL: Final = Consequence(retryable=False, rotate_key=False, wait=Wait.NOWHERE)
_KEY: Final = Consequence(retryable=False, rotate_key=True, wait=Wait.NOWHERE)
_PASSING: Final = Consequence(retryable=True, rotate_key=False, wait=Wait.STATED)

CONSEQUENCES: Final[Mapping[ErrorReason, Consequence]] = {
    R.AUTH: _KEY,
    R.PERMISSION: _KEY,
    R.QUOTA: Consequence(retryable=False, rotate_key=True, wait=Wait.STATED),
    R.BAD_REQUEST: _FINAL,
    R.CONTEXT_LENGTH: _FINAL,
    R.PAYLOAD_TOO_LARGE: _FINAL,
    R.SERVER: _PASSING,
    R.CONNECTION: _PASSING,
    R.TRUNCATED_STREAM: _PASSING,
    R.MALFORMED_RESPONSE: _PASSING,
    R.EMPTY_REPLY: _PASSING,
    R.RATE_LIMIT: Consequence(retryable=True, rotate_key=True, wait=Wait.STATED_OR_RESET),
    R.QUOTA_WINDOW: Consequence(retryable=False, rotate_key=True, wait=Wait.STATED_OR_RESET),
    R.CONTENT_FILTER: _FINAL,
    R.FIRST_BYTE: _PASSING,
    R.IDLE: _PASSING,
    R.TOTAL: _FINAL,
    R.GATEWAY_TIMEOUT: _PASSING,
    R.OVERLOADED: _PASSING,
    R.MODEL_NOT_FOUND: _FINAL,
    R.MODEL_UNSUPPORTED: _FINAL,
}


class Row(msgspec.Struct, frozen=True):
    reason: ErrorReason
    grade: Grade = Grade.FIRM
    retryable: bool | None = None
    """None: as its reason says. The same for the next."""
    rotate_key: bool | None = None


def _open(reason: ErrorReason) -> Row:
    return Row(reason, Grade.OPEN)


def _vague(reason: ErrorReason) -> Row:
    return Row(reason, Grade.VAGUE)


TABLE: Final[Mapping[str, Row]] = {
    # --- OpenAI, Azure and the many that copy them (platform.openai.com/docs/guides/error-codes, openai-python's types)
    "invalid_api_key": Row(R.AUTH),
    "account_deactivated": Row(R.AUTH),
    "insufficient_quota": Row(R.QUOTA),
    "billing_hard_limit_reached": Row(R.QUOTA),
    "billing_not_active": Row(R.QUOTA),
    "usage_not_included": Row(R.QUOTA),
    "usage_limit_reached": Row(R.QUOTA_WINDOW),
    "rate_limit_exceeded": _open(R.RATE_LIMIT),
    "requests": _open(R.RATE_LIMIT),  # `type` of a rate limit: what was counted
    "tokens": _open(R.RATE_LIMIT),
    "slow_down": _open(R.RATE_LIMIT),
    "too_many_requests": _open(R.RATE_LIMIT),
    "server_is_overloaded": Row(R.OVERLOADED),
    "context_length_exceeded": Row(R.CONTEXT_LENGTH),
    "string_above_max_length": _vague(R.BAD_REQUEST),  # of any field: the words tell which
    "model_not_found": Row(R.MODEL_NOT_FOUND),
    "model_not_supported": Row(R.MODEL_NOT_FOUND),
    "unsupported_model": Row(R.MODEL_NOT_FOUND),
    "deployment_not_found": Row(R.MODEL_NOT_FOUND),
    "unsupported_parameter": Row(R.MODEL_UNSUPPORTED),
    "unsupported_value": Row(R.MODEL_UNSUPPORTED),
    "unknown_parameter": Row(R.MODEL_UNSUPPORTED),
    "operation_not_supported": Row(R.MODEL_UNSUPPORTED),  # Azure: this model has no chat
    "content_filter": Row(R.CONTENT_FILTER),
    "content_policy_violation": Row(R.CONTENT_FILTER),
    "image_content_policy_violation": Row(R.CONTENT_FILTER),
    "moderation_blocked": Row(R.CONTENT_FILTER),
    "cyber_policy": Row(R.CONTENT_FILTER),
    "cyber_policy_violation": Row(R.CONTENT_FILTER),
    "responsible_ai_policy_violation": Row(R.CONTENT_FILTER),
    "insufficient_permissions": Row(R.PERMISSION),
    "missing_scope": Row(R.PERMISSION),
    "ip_not_authorized": Row(R.PERMISSION),
    "organization_must_be_verified": Row(R.PERMISSION),
    "unsupported_country_region_territory": Row(R.PERMISSION),
    "invalid_prompt": _vague(R.BAD_REQUEST),  # OpenAI: flagged; OpenRouter: an odd message; the words tell
    "invalid_request_error": _vague(R.BAD_REQUEST),
    "invalid_value": _vague(R.BAD_REQUEST),
    "bad_request_error": _vague(R.BAD_REQUEST),
    "server_error": _vague(R.SERVER),
    "internal_server_error": _vague(R.SERVER),
    "service_unavailable_error": Row(R.OVERLOADED),
    # --- Anthropic (its page "Errors")
    "authentication_error": Row(R.AUTH),
    "billing_error": Row(R.QUOTA),
    "permission_error": _open(R.PERMISSION),
    "request_too_large": _open(R.PAYLOAD_TOO_LARGE),
    "rate_limit_error": _open(R.RATE_LIMIT),
    "overloaded_error": Row(R.OVERLOADED),
    "timeout_error": Row(R.GATEWAY_TIMEOUT),
    "not_found_error": _vague(R.BAD_REQUEST),
    "api_error": _vague(R.SERVER),
    # --- Google: google.rpc.Code, then the reasons of google.rpc.ErrorInfo
    "invalid_argument": _vague(R.BAD_REQUEST),
    "failed_precondition": _vague(R.BAD_REQUEST),
    "out_of_range": _vague(R.BAD_REQUEST),
    "unimplemented": _vague(R.MODEL_UNSUPPORTED),
    "unauthenticated": Row(R.AUTH),
    "permission_denied": _open(R.PERMISSION),
    "resource_exhausted": _open(R.RATE_LIMIT),
    "deadline_exceeded": Row(R.GATEWAY_TIMEOUT),
    "cancelled": _vague(R.CONNECTION),
    "aborted": _vague(R.SERVER),
    "internal": _vague(R.SERVER),
    "data_loss": _vague(R.SERVER),
    "api_key_invalid": Row(R.AUTH),
    "consumer_invalid": Row(R.AUTH),
    "consumer_suspended": Row(R.AUTH),
    "credentials_missing": Row(R.AUTH),
    "access_token_expired": Row(R.AUTH),
    "access_token_type_unsupported": Row(R.AUTH),
    "account_state_invalid": Row(R.AUTH),
    "access_token_scope_insufficient": Row(R.PERMISSION),
    "api_key_service_blocked": Row(R.PERMISSION),
    "api_key_http_referrer_blocked": Row(R.PERMISSION),
    "api_key_ip_address_blocked": Row(R.PERMISSION),
    "iam_permission_denied": Row(R.PERMISSION),
    "service_disabled": Row(R.PERMISSION),
    "user_project_denied": Row(R.PERMISSION),
    "billing_disabled": Row(R.QUOTA),
    "quota_exhausted": Row(R.QUOTA_WINDOW),
    "model_capacity_exhausted": Row(R.OVERLOADED),
    # --- Amazon Bedrock: names of exceptions (API reference of ConverseStream, common errors of AWS)
    "throttling_exception": _open(R.RATE_LIMIT),
    "access_denied_exception": _open(R.PERMISSION),
    "opt_in_required": Row(R.PERMISSION),
    "unrecognized_client_exception": Row(R.AUTH),
    "invalid_client_token_id": Row(R.AUTH),
    "invalid_signature_exception": Row(R.AUTH),
    "incomplete_signature": Row(R.AUTH),
    "signature_does_not_match": Row(R.AUTH),
    "missing_authentication_token": Row(R.AUTH),
    "expired_token_exception": Row(R.AUTH),
    "service_quota_exceeded_exception": Row(R.QUOTA_WINDOW),
    "model_timeout_exception": Row(R.GATEWAY_TIMEOUT),
    "model_not_ready_exception": Row(R.OVERLOADED),
    "validation_exception": _vague(R.BAD_REQUEST),
    "resource_not_found_exception": _vague(R.MODEL_NOT_FOUND),
    "model_error_exception": _vague(R.SERVER),
    "model_stream_error_exception": _vague(R.SERVER),
    "internal_failure": _vague(R.SERVER),
    # --- OpenRouter: `metadata.error_type` (its SDK's APIErrorType) and `metadata.limit_source`
    "payment_required": Row(R.QUOTA),
    "max_tokens_exceeded": Row(R.CONTEXT_LENGTH),
    "token_limit_exceeded": Row(R.CONTEXT_LENGTH),
    "string_too_long": Row(R.CONTEXT_LENGTH),
    "payload_too_large": _open(R.PAYLOAD_TOO_LARGE),
    "image_too_large": _open(R.PAYLOAD_TOO_LARGE),
    "refusal": Row(R.CONTENT_FILTER),
    "provider_overloaded": Row(R.OVERLOADED),
    "provider_unavailable": _vague(R.SERVER),
    "unprocessable": _vague(R.BAD_REQUEST),
    "precondition_failed": _vague(R.BAD_REQUEST),
    "openrouter_free_tier_daily": Row(R.QUOTA_WINDOW),
    "openrouter_in_flight_budget": Row(R.RATE_LIMIT),
    # --- Groq, DeepSeek, Moonshot, Together, Fireworks, Cerebras
    "tool_use_failed": Row(R.MALFORMED_RESPONSE),  # Groq: the model's own call did not fit its schema
    "json_validate_failed": Row(R.MALFORMED_RESPONSE),
    "model_decommissioned": Row(R.MODEL_NOT_FOUND),
    "model_terms_required": Row(R.PERMISSION),
    "organization_restricted": Row(R.PERMISSION),
    "blocked_api_access": Row(R.QUOTA),
    "over_capacity": Row(R.OVERLOADED),
    "capacity_exceeded": Row(R.OVERLOADED),
    "engine_overloaded_error": Row(R.OVERLOADED),
    "exceeded_current_quota_error": Row(R.QUOTA),
    "invalid_authentication_error": Row(R.AUTH),
    "incorrect_api_key_error": Row(R.AUTH),
    "rate_limit_reached_error": _open(R.RATE_LIMIT),
    "model_not_available": Row(R.MODEL_NOT_FOUND),
    "dedicated_endpoint_not_running": Row(R.MODEL_NOT_FOUND),
    "wrong_api_key": Row(R.AUTH),
    # --- Mistral
    "invalid_model": Row(R.MODEL_NOT_FOUND),
    "rate_limited": _open(R.RATE_LIMIT),
    "service_tier_capacity_exceeded": Row(R.OVERLOADED),
    "unauthorized": Row(R.AUTH),
    # --- xAI writes gRPC's sentences where others have a code
    "the_caller_does_not_have_permission_to_execute_the_specified_operation": _open(R.PERMISSION),
    "the_request_does_not_have_valid_authentication_credentials_for_the_operation": Row(R.AUTH),
    "some_resource_has_been_exhausted": _open(R.RATE_LIMIT),
    "the_service_is_currently_unavailable": Row(R.OVERLOADED),
    # --- Alibaba Model Studio (its page "Error codes"); what stands after a dot makes no difference but where listed
    "arrearage": Row(R.QUOTA),
    "limit_requests": _open(R.RATE_LIMIT),
    "allocation_quota.free_tier_only": Row(R.QUOTA),
    "data_inspection_failed": Row(R.CONTENT_FILTER),
    "model.access_denied": _open(R.PERMISSION),
    "workspace.access_denied": _open(R.PERMISSION),
    "invalid_parameter_error": _vague(R.BAD_REQUEST),
    "request_time_out": Row(R.GATEWAY_TIMEOUT),
    "response_timeout": Row(R.GATEWAY_TIMEOUT),
    "internal_error.timeout": Row(R.GATEWAY_TIMEOUT),
    "model_serving_error": _open(R.OVERLOADED),
    # --- Z.ai and BigModel (docs.z.ai/api-reference/api-code): numbers, and no `type` beside them
    **dict.fromkeys(("1000", "1001", "1002", "1003", "1004"), Row(R.AUTH)),
    **dict.fromkeys(("1110", "1111", "1112", "1121", "1220", "1311"), Row(R.PERMISSION)),
    "1113": Row(R.QUOTA),
    "1309": Row(R.QUOTA),
    "1211": Row(R.MODEL_NOT_FOUND),
    "1212": Row(R.MODEL_UNSUPPORTED),
    **dict.fromkeys(("1210", "1213", "1214", "1215", "1221", "1222"), _vague(R.BAD_REQUEST)),
    **dict.fromkeys(("1120", "1230", "1234"), _vague(R.SERVER)),
    "1261": Row(R.CONTEXT_LENGTH),
    **dict.fromkeys(("1300", "1301"), Row(R.CONTENT_FILTER)),
    **dict.fromkeys(("1302", "1303", "1313"), _open(R.RATE_LIMIT)),
    **dict.fromkeys(("1304", "1308", "1310"), Row(R.QUOTA_WINDOW)),
    **dict.fromkeys(("1305", "1312"), Row(R.OVERLOADED)),
    # --- MiniMax: `base_resp.status_code`
    **dict.fromkeys(("base_resp 1004", "base_resp 2049"), Row(R.AUTH)),
    "base_resp 1002": _open(R.RATE_LIMIT),
    "base_resp 1008": Row(R.QUOTA),
    "base_resp 1039": Row(R.CONTEXT_LENGTH),
    **dict.fromkeys(("base_resp 1026", "base_resp 1027"), Row(R.CONTENT_FILTER)),
    "base_resp 1001": Row(R.GATEWAY_TIMEOUT),
    "base_resp 2013": _vague(R.BAD_REQUEST),
    "insufficient_balance_error": Row(R.QUOTA),
    # --- SiliconFlow
    "20012": Row(R.MODEL_NOT_FOUND),
    "30001": Row(R.QUOTA),
    "50505": Row(R.OVERLOADED),
    "50603": Row(R.OVERLOADED),
    "30003": Row(R.MODEL_NOT_FOUND),
    "30011": Row(R.QUOTA),
    # --- Volcengine Ark (volcengine.com/docs/82379/1299023); a kind may stand after a dot
    "account_overdue_error": Row(R.QUOTA),
    "account_quota_exceeded": Row(R.QUOTA_WINDOW),
    "set_limit_exceeded": Row(R.QUOTA_WINDOW),
    "server_overloaded": Row(R.OVERLOADED),
    "model_not_open": Row(R.MODEL_NOT_FOUND),
    "invalid_endpoint_or_model": Row(R.MODEL_NOT_FOUND),
    "sensitive_content_detected": Row(R.CONTENT_FILTER),
    **{
        f"{direction}_{medium}_{finding}": Row(R.CONTENT_FILTER)
        for direction in ("input", "output")
        for medium in ("text", "image", "video", "audio")
        for finding in ("sensitive_content_detected", "risk_detection")
    },
    # --- Baidu Qianfan (cloud.baidu.com/doc/qianfan-api, "Error codes")
    "characters_too_long": Row(R.CONTEXT_LENGTH),
    "tokens_too_long": Row(R.CONTEXT_LENGTH),
    "unsafe_request": Row(R.CONTENT_FILTER),
    # --- Novita, Databricks
    "not_enough_balance": Row(R.QUOTA),
    "request_limit_exceeded": _open(R.RATE_LIMIT),
    "endpoint_not_found": Row(R.MODEL_NOT_FOUND),
    # --- GitHub Models
    "tokens_limit_reached": Row(R.CONTEXT_LENGTH),
    "unknown_model": Row(R.MODEL_NOT_FOUND),
    "unavailable_model": Row(R.MODEL_NOT_FOUND),
    "no_access": Row(R.PERMISSION),
    # --- llama.cpp (tools/server), vLLM's exception classes are caught by OpenAI's and Anthropic's spellings
    "exceed_context_size_error": Row(R.CONTEXT_LENGTH),
    "not_supported_error": Row(R.MODEL_UNSUPPORTED),
    "unavailable_error": Row(R.OVERLOADED),  # Google says UNAVAILABLE
    # --- ZenMux, new-api, LiteLLM and other routers
    "budget_exceeded": Row(R.QUOTA),
    "key_model_access_denied": Row(R.PERMISSION),
    "insufficient_credit": Row(R.QUOTA),
    "insufficient_credits": Row(R.QUOTA),
    "insufficient_user_quota": Row(R.QUOTA),
    "reject_no_credit": Row(R.QUOTA),
    "quote_exceeded": Row(R.QUOTA),
    "safety_check_failed": Row(R.CONTENT_FILTER),
}

STATUSES: Final[Mapping[int, ErrorReason]] = {
    401: R.AUTH,
    402: R.QUOTA,
    403: R.PERMISSION,
    408: R.GATEWAY_TIMEOUT,
    409: R.SERVER,
    410: R.MODEL_NOT_FOUND,
    412: R.PERMISSION,  # Fireworks: the account is suspended
    413: R.PAYLOAD_TOO_LARGE,
    424: R.SERVER,  # Bedrock: ModelErrorException
    425: R.SERVER,
    429: R.RATE_LIMIT,
    434: R.PERMISSION,  # Z.ai
    435: R.PAYLOAD_TOO_LARGE,  # Z.ai
    451: R.CONTENT_FILTER,
    498: R.OVERLOADED,  # Groq: flex capacity exceeded
    499: R.CONNECTION,  # nginx: client closed request; Google: cancelled
    501: R.BAD_REQUEST,
    503: R.OVERLOADED,
    504: R.GATEWAY_TIMEOUT,
    522: R.GATEWAY_TIMEOUT,  # Cloudflare: 522 and 524 are its time-outs, the other 52x are faults of the origin
    524: R.GATEWAY_TIMEOUT,
    529: R.OVERLOADED,  # Anthropic
    598: R.GATEWAY_TIMEOUT,
}
"""What a status says where no code does. Others of 4xx: bad_request, of 5xx: server."""


def key_of(code: str) -> str:
    """A code by its letters: `com.amazon#ThrottlingException:http…`, `throttling_exception` and `Throttling` are one."""
    name = code.rpartition("#")[2].partition(":")[0]
    letters = re.sub(r"[\W_]+", "", name).lower()
    return re.sub(r"(?<=.)(?:exception|error)$", "", letters)


CODES: Final[Mapping[str, Row]] = {key_of(code): row for code, row in TABLE.items()}


def row_of(code: str) -> Row | None:
    """The row of a code; of `Throttling.RateQuota`, where that has none, the one of `Throttling`."""
    return CODES.get(key_of(code)) or CODES.get(key_of(code.partition(".")[0]))


def status_row(status: int) -> Row:
    return Row(STATUSES.get(status, R.BAD_REQUEST if 400 <= status < 500 else R.SERVER), Grade.OPEN)

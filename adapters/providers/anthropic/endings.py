"""Why an answer of Anthropic's Messages API ended (platform.claude.com, page "Stop reasons and fallback")."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from adapters.contract import ErrorReason, FinishReason, ProviderError
from adapters.errors import error_of
from adapters.wire.loose_json import string

FINISH_REASONS: Final[Mapping[str, FinishReason]] = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "pause_turn": FinishReason.STOP,  # a server's tool wants more time: the message goes back as it is
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "tool_use": FinishReason.TOOL_CALLS,
    "refusal": FinishReason.CONTENT_FILTER,
    "sensitive": FinishReason.CONTENT_FILTER,  # Z.ai
    # Servers that hand on the words of Chat Completions
    "length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.CONTENT_FILTER,
}
"""Every other word is a stop."""


def refusal_error(reason: str | None, details: object) -> ProviderError:
    """The provider's classifier stopped the answer; it may say why, and which model would not have."""
    fields = details if isinstance(details, dict) else {}
    words = string(fields.get("explanation")) or string(fields.get("category"))
    error = error_of(ErrorReason.CONTENT_FILTER, words or "the model refused to go on", code=reason)
    other = string(fields.get("recommended_model"))
    return msgspec.structs.replace(error, supported_models=(other,)) if other else error

"""Token counts of Chat Completions servers, brought to one meaning (contract.Usage)."""

from __future__ import annotations

from typing import Any

from adapters.contract import Usage
from adapters.wire.loose_json import count


def read_usage(value: object) -> Usage | None:
    """The counts of a `usage` object; None where there is none.

    `prompt_tokens` holds the cached tokens and `completion_tokens` the reasoning (OpenAI, and nearly all others). xAI leaves
    the reasoning out of the completion: there the total is the sum of all three.
    """
    if not isinstance(value, dict) or not value:
        return None
    prompt, completion, total = (
        count(value.get("prompt_tokens")),
        count(value.get("completion_tokens")),
        count(value.get("total_tokens")),
    )
    output = _details(value, "completion_tokens_details")
    # Cloudflare and others write the key without the s.
    cache = _details(value, "prompt_tokens_details") or _details(value, "prompt_token_details")
    reasoning = count(output.get("reasoning_tokens"))
    if reasoning is None:
        reasoning = count(value.get("reasoning_tokens"))
    if reasoning and prompt is not None and completion is not None and total == prompt + completion + reasoning:
        completion += reasoning
    return Usage(
        input_tokens=prompt,
        output_tokens=completion,
        reasoning_tokens=reasoning,
        cache_read_tokens=_first(
            count(cache.get("cached_tokens")),
            count(value.get("prompt_cache_hit_tokens")),  # DeepSeek
            count(value.get("cached_tokens")),  # Moonshot
        ),
        cache_write_tokens=count(cache.get("cache_write_tokens")),
    )


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def _details(usage: dict[str, Any], key: str) -> dict[str, Any]:
    value = usage.get(key)
    return value if isinstance(value, dict) else {}

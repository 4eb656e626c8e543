"""Token counts of Chat Completions servers, brought to one meaning (contract.Usage)."""

from __future__ import annotations

from typing import Any

from adapters.contract import Usage


def read_usage(value: object) -> Usage | None:
    """The counts of a `usage` object; None where there is none.

    `prompt_tokens` holds the cached tokens and `completion_tokens` the reasoning (OpenAI, and nearly all others). xAI leaves
    the reasoning out of the completion: there the total is the sum of all three.
    """
    if not isinstance(value, dict) or not value:
        return None
    prompt, completion, total = (
        _count(value, "prompt_tokens"),
        _count(value, "completion_tokens"),
        _count(value, "total_tokens"),
    )
    output = _details(value, "completion_tokens_details")
    # Cloudflare and others write the key without the s.
    cache = _details(value, "prompt_tokens_details") or _details(value, "prompt_token_details")
    reasoning = _count(output, "reasoning_tokens")
    if reasoning is None:
        reasoning = _count(value, "reasoning_tokens")
    if reasoning and prompt is not None and completion is not None and total == prompt + completion + reasoning:
        completion += reasoning
    return Usage(
        input_tokens=prompt,
        output_tokens=completion,
        reasoning_tokens=reasoning,
        cache_read_tokens=_first(_count(cache, "cached_tokens"), _count(value, "prompt_cache_hit_tokens")),
        cache_write_tokens=_count(cache, "cache_write_tokens"),
    )


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)


def _details(usage: dict[str, Any], key: str) -> dict[str, Any]:
    value = usage.get(key)
    return value if isinstance(value, dict) else {}


def _count(usage: dict[str, Any], key: str) -> int | None:
    value = usage.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

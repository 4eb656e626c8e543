"""Token counts of Anthropic's Messages API, brought to one meaning (contract.Usage)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.contract import Usage


def read_usage(counts: Mapping[str, Any]) -> Usage:
    """`input_tokens` holds only what no cache was asked for; `output_tokens` holds the thoughts."""
    read, written = _number(counts, "cache_read_input_tokens"), _number(counts, "cache_creation_input_tokens")
    parts = [part for part in (_number(counts, "input_tokens"), read, written) if part is not None]
    details = counts.get("output_tokens_details")
    return Usage(
        input_tokens=sum(parts) if parts else None,
        output_tokens=_number(counts, "output_tokens"),
        reasoning_tokens=_number(details, "thinking_tokens") if isinstance(details, dict) else None,
        cache_read_tokens=read,
        cache_write_tokens=written,
    )


def _number(counts: Mapping[str, Any], key: str) -> int | None:
    value = counts.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

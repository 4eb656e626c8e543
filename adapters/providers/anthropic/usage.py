"""Token counts of Anthropic's Messages API, brought to one meaning (contract.Usage)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adapters.contract import Usage
from adapters.wire.loose_json import count


def read_usage(counts: Mapping[str, Any]) -> Usage:
    """`input_tokens` holds only what no cache was asked for; `output_tokens` holds the thoughts."""
    read, written = count(counts.get("cache_read_input_tokens")), count(counts.get("cache_creation_input_tokens"))
    parts = [part for part in (count(counts.get("input_tokens")), read, written) if part is not None]
    details = counts.get("output_tokens_details")
    return Usage(
        input_tokens=sum(parts) if parts else None,
        output_tokens=count(counts.get("output_tokens")),
        reasoning_tokens=count(details.get("thinking_tokens")) if isinstance(details, dict) else None,
        cache_read_tokens=read,
        cache_write_tokens=written,
    )

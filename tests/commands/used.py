"""Uses of models, for tests: rows of the ledger."""

from __future__ import annotations

from datetime import date
from typing import Any

from bot.store.usage import UsageRow

TODAY = date(2026, 11, 30)


def used(day: date = TODAY, **other: Any) -> UsageRow:
    """One answer of 1,000 tokens read and 200 written for a cent, paid by the operator."""
    usual: dict[str, Any] = {
        "guild_id": 1,
        "channel_id": 10,
        "user_id": 100,
        "provider": "openai",
        "model": "gpt-5-mini",
        "payer": "operator",
        "key_last_four": "a1b2",
        "purpose": "answer",
        "calls": 1,
        "input_tokens": 1000,
        "output_tokens": 200,
        "reasoning_tokens": 50,
        "cached_tokens": 400,
        "cost_nano": 10_000_000,
    }
    return UsageRow(day=day, **(usual | other))

"""Token counts of Chat Completions servers."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.contract import Usage
from adapters.providers.chat.usage import read_usage


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}, Usage(9, 4)),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 4,
                "total_tokens": 13,
                "prompt_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 1},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            Usage(9, 4, 3, 5, 1),
        ),
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 16, "completion_tokens_details": {"reasoning_tokens": 3}}, Usage(9, 7, 3)),
        ({"prompt_tokens": 9, "completion_tokens": 4, "prompt_cache_hit_tokens": 5, "prompt_cache_miss_tokens": 4}, Usage(9, 4, None, 5)),
        ({"prompt_tokens": 9, "completion_tokens": 4, "cached_tokens": 5}, Usage(9, 4, None, 5)),
        ({"prompt_tokens": 9, "completion_tokens": None}, Usage(9)),
        ({"prompt_tokens": 9.0, "completion_tokens": "4", "prompt_tokens_details": []}, Usage(9)),
        ({"prompt_tokens": -1, "completion_tokens": True}, Usage()),
        ({}, None),
        (None, None),
        ([1], None),
    ],
)  # fmt: skip
def test_counts_have_one_meaning(value: Any, expected: Usage | None) -> None:
    """Input with the cached, output with the reasoning; what is no count is unknown."""
    assert read_usage(value) == expected

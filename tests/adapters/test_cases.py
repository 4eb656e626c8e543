"""Faults that people reported of bots like this one: each decodes to what its case says is right.

The cases and their judge lie beside the checkout (tests/shared.py). The judge runs `python -m adapters decode` as a user would.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.shared import SHARED

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("area", ["sse", "errors", "thinking"])
def test_reported_faults_are_none_of_ours(area: str) -> None:
    judge, cases = SHARED / "tools" / "decode_cases.py", SHARED / "cases" / "cases.jsonl"
    if not (judge.exists() and cases.exists()):
        pytest.skip(f"no cases under {SHARED}; PARLEY_SHARED names another folder")
    command = [
        sys.executable,
        str(judge),
        str(cases),
        "--area",
        area,
        "--project",
        str(ROOT),
        "--python",
        sys.executable,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]

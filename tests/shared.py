"""Material that lies beside the checkout and not in it: recordings, cases and their judges. PARLEY_SHARED names another folder."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

SHARED = Path(os.environ.get("PARLEY_SHARED", Path(__file__).parents[2] / "shared"))


def judge(name: str) -> ModuleType:
    """A module of the folder of judges; skips the test where there is none."""
    tools = SHARED / "tools"
    if not (tools / f"{name}.py").exists():
        pytest.skip(f"no judges under {tools}; PARLEY_SHARED names another folder")
    if str(tools) not in sys.path:
        sys.path.append(str(tools))
    return import_module(name)

"""Response bodies captured from a llama.cpp server with a small model, byte for byte."""

from __future__ import annotations

from pathlib import Path

_FOLDER = Path(__file__).parent / "captures"

NAMES = sorted(path.stem for path in _FOLDER.glob("*.body"))


def capture(name: str) -> bytes:
    return (_FOLDER / f"{name}.body").read_bytes()

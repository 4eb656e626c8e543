"""Names of tools in the one alphabet that every API takes, and the way back.

OpenAI, Anthropic and Bedrock take letters, digits, `_` and `-`, up to 64; Google wants a letter or `_` first. A tool of another
name (an MCP server's `files.read`) is offered under a name of that alphabet, and so called; who runs it sees its own again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

MAX_CHARS: Final = 64
UNNAMED: Final = "unknown"
"""Of a call that named no tool."""

_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_-]")


def wire_name(name: str) -> str:
    """The nearest legal name; the name itself where it is legal."""
    legal = _FOREIGN.sub("_", name)
    if legal[:1].isdigit() or legal[:1] == "-":
        legal = f"_{legal}"
    return legal[:MAX_CHARS] or UNNAMED


def wire_names(names: Iterable[str]) -> Mapping[str, str]:
    """Each tool's name -> the one under which it is offered, which no other has. A legal name stays as it is."""
    names = tuple(dict.fromkeys(names))
    offered = {name: name for name in names if wire_name(name) == name}
    taken = set(offered)
    for name in names:
        if name in offered:
            continue
        found = nearest = wire_name(name)
        number = 1
        while found in taken:
            number += 1
            end = f"_{number}"
            found = nearest[: MAX_CHARS - len(end)] + end
        taken.add(found)
        offered[name] = found
    return offered

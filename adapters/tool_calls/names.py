"""Which offered tool a call means.

The exact name comes first. Else it is loosened one kind at a time: what a template leaked, the prefix of a habit (`functions.`), a
counter, a path before the name; and each of these in stricter spellings before looser ones. A loosening counts if exactly one
offered tool fits; if several do, nothing is guessed. A blank name is read out of the call's id, where some models put it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from difflib import get_close_matches
from typing import Final

MAX_CHARS: Final = 256
MAX_PARTS: Final = 16
MAX_LISTED: Final = 40
MAX_LISTED_CHARS: Final = 64

_AROUND: Final = " \t\r\n\"'`“”‘’.:,;()"
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_LEAKED: Final = re.compile(r"\A\[TOOL_CALLS\]|<.*", re.DOTALL)
"""Special tokens, and what follows them: gpt-oss has sent `read<|channel|>commentary`."""
_PREFIX: Final = re.compile(r"(?:functions?[._:/\\\s-]*|(?:tools?|default_api)[._:/\\\s-]+)", re.IGNORECASE)
"""gpt-oss and Kimi (`functions.`), Gemini (`default_api.`); only of the first is it known that the separator goes missing."""
_COUNTER: Final = re.compile(r"[:_#.-]?[0-9]{1,4}\Z")
"""Kimi numbers its calls: `functions.read:0`."""
_SEPARATOR: Final = re.compile(r"[./:\\]")
_RANDOM_ID: Final = re.compile(r"(?:call|toolu|chatcmpl-tool|fc)[_-]")
"""Ids that providers and servers make up; a tool called `call` is not meant by them."""
_WORD_START: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_SPELLINGS: Final[tuple[Callable[[str], str], ...]] = (
    lambda name: name,
    str.casefold,
    lambda name: name.casefold().replace("-", "_"),
    lambda name: _WORD_START.sub("_", name).casefold().replace("-", "_"),
)
"""What two names have in common that are spelt alike, from the strictest on."""


def resolve_name(name: str, call_id: str, offered: Collection[str]) -> str | None:
    """The offered tool that a call of this name means; None where it means none, or more than one.

    `call_id` counts only where the name is blank.
    """
    if name in offered:
        return name
    if len(name) > MAX_CHARS or len(call_id) > MAX_CHARS:
        return None
    meant = _bare(name)
    if not meant and not _RANDOM_ID.match(call_id):
        meant = _bare(call_id)
    return _resolved(meant, offered) if meant else None


def unknown_tool(name: str, offered: Collection[str]) -> str:
    """The problem for the model: no such tool, which one it may have meant, and which there are."""
    shown = name[:MAX_LISTED_CHARS]
    tools = sorted(offered)
    if not tools:
        return f'there is no tool "{shown}"; no tools are available'
    close = get_close_matches(shown, [tool[:MAX_LISTED_CHARS] for tool in tools[: 10 * MAX_LISTED]], n=1)
    guess = f' Did you mean "{close[0]}"?' if close else ""
    more = f" and {len(tools) - MAX_LISTED} more" if len(tools) > MAX_LISTED else ""
    listed = ", ".join(tool[:MAX_LISTED_CHARS] for tool in tools[:MAX_LISTED])
    return f'there is no tool "{shown}".{guess} Available: {listed}{more}'


def _bare(name: str) -> str:
    return _LEAKED.sub("", _UNSEEN.sub("", name)).strip(_AROUND)


def _resolved(name: str, offered: Collection[str]) -> str | None:
    parts = _SEPARATOR.split(name)
    if len(parts) > MAX_PARTS or sum(tool in parts for tool in offered) > 1:
        # `read/write` names two tools, and so none.
        return None
    for readings in _readings(name):
        for spelt in _SPELLINGS:
            alike = {spelt(reading) for reading in readings}
            fits = [tool for tool in offered if spelt(tool) in alike]
            if fits:
                return fits[0] if len(fits) == 1 else None
    return None


def _readings(name: str) -> Iterator[Collection[str]]:
    """Ways to read the name, from the strictest on. Those that stand together must agree."""
    yield (name,)
    bare = _PREFIX.sub("", name, count=1) if _PREFIX.match(name) else name
    counted = _COUNTER.sub("", bare)
    # `functions.exec2` may be call 2 of `exec`.
    yield {bare, counted} - {""}
    longest = [_SEPARATOR.split(reading) for reading in (bare, counted)]
    for start in range(1, max(map(len, longest))):
        yield {mark.join(parts[start:]) for parts in longest for mark in "./:"} - {""}

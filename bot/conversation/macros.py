"""Macros in texts that people set up: `{{char}}`, `{{user}}`, `{{random::tea::coffee}}`, as character cards have them.

The system prompt begins every request, and providers cache it; so what changes from question to question must not stand there.
`for_system` puts that in words ("the user", "today's date"), and chance decides once for a conversation. `for_newest` is for what
stands beside the newest message, and for greetings: everything is expanded, and chance decides anew each time.

Who wrote a text may use macros in it; who has a name may not, so what stands in for a macro is never expanded again. Names are one
line and unable to pass for a label. What is no macro of ours stays as it is written. Source of the names: Character Card V2 and V3
(https://github.com/kwaroran/character-card-spec-v3/blob/main/SPEC_V3.md#curly-braced-syntaxes).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from itertools import count

import msgspec

from bot.conversation.people import LONGEST_PLACE, safe_line, safe_name
from bot.conversation.prompt import WEEKDAYS
from bot.persona import LONGEST_NAME

_INNER = r"[^{}]{0,1000}"
_MACRO = re.compile(
    rf"\{{\{{(?P<text>(?:{_INNER}\{{\{{{_INNER}\}}\}}){{0,20}}{_INNER})\}}\}}|<(?P<old>user|bot|char)>", re.IGNORECASE
)
"""Its options may hold macros. Everything in it is bounded, so that braces without end cost no more than other text."""
_NOT_INSIDE = r"(?![^{}]*\}\})"
_COLONS = re.compile(rf"::{_NOT_INSIDE}")
_COMMAS = re.compile(rf"(?<!\\),{_NOT_INSIDE}")
_CHANCE = ("random", "pick")
_NOT_IN_SYSTEM: Mapping[str, str] = {
    "user": "the user",
    "date": "today's date",
    "time": "the present time",
    "weekday": "today's weekday",
}


class Macros(msgspec.Struct, frozen=True):
    """What they stand for; names as their owners wrote them."""

    char: str
    """Who speaks: the persona, else Parley."""
    user: str
    """Who asks."""
    channel: str
    server: str
    """Empty: in a direct message."""
    now: datetime
    """Aware, and in the time zone in which it is to be told."""
    seed: str
    """Of the conversation: with the same seed `{{random}}` comes out the same in the system prompt."""


def for_system(text: str, macros: Macros) -> str:
    """For the stable beginning of a request: the same for every question in a conversation."""
    return _expanded(text, {**_names(macros), **_NOT_IN_SYSTEM}, dict.fromkeys(_CHANCE, macros.seed))


def for_newest(text: str, macros: Macros) -> str:
    """For what is told once: `{{random}}` comes out anew with each `now`, and `{{pick}}` as long as the conversation lasts."""
    values = {
        **_names(macros),
        "user": safe_name(macros.user),
        "date": f"{macros.now:%Y-%m-%d}",
        "time": f"{macros.now:%H:%M}",
        "weekday": WEEKDAYS[macros.now.weekday()],
    }
    return _expanded(text, values, {"pick": macros.seed, "random": f"{macros.seed} {macros.now.isoformat()}"})


def _names(macros: Macros) -> dict[str, str]:
    char = safe_line(macros.char, LONGEST_NAME)
    return {
        "char": char,
        "bot": char,
        "channel": safe_line(macros.channel, LONGEST_PLACE) if macros.server else "a direct message",
        "server": safe_line(macros.server, LONGEST_PLACE) or "no server",
    }


def _expanded(text: str, values: Mapping[str, str], seeds: Mapping[str, str]) -> str:
    nr = count()

    def instead(macro: re.Match[str]) -> str:
        written = (macro["old"] or macro["text"]).strip()
        if written.startswith("//"):
            return ""
        if (value := values.get(written.casefold())) is not None:
            return value
        name, colon, rest = written.partition(":")
        seed = seeds.get(name.strip().casefold())
        if seed is None or not colon:
            return macro[0]
        return _MACRO.sub(instead, _chosen(rest, f"{seed} {next(nr)}"))

    return _MACRO.sub(instead, text)


def _chosen(options: str, seed: str) -> str:
    """Of `:a::b` (as in `{{random::a::b}}`), or of `a,b` with `\\,` for a comma."""
    if options.startswith(":"):
        found = _COLONS.split(options[1:])
    else:
        found = [option.replace("\\,", ",") for option in _COMMAS.split(options)]
    drawn = int.from_bytes(hashlib.blake2s(f"{seed} {options}".encode(errors="replace")).digest())
    return found[drawn % len(found)].strip()

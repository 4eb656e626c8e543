r"""Formulas and equations of mhchem's ``\ce{}``, as far as they are a row of symbols, numbers and arrows."""

from __future__ import annotations

import re

from bot.delivery.maths.symbols import subscript, superscript

_PART = re.compile(
    r"""
      (?P<arrow> \s*(?:<=>|<->|->|<-|\^(?=\s|$)|v(?=\s|$))\s* )
    | \^\{?(?P<charge> \d*[+-]? )\}?
    | (?<=[A-Za-z)\]])_?\{?(?P<count> \d+ )\}?
    | (?<=[A-Za-z0-9)\]])(?P<sign> [+-] )(?=\s|$)
    | (?P<plus> \s+\+\s+ )
    | (?P<plain> [A-Za-z]+|\d+|[()\[\].*\s] )
    """,
    re.VERBOSE,
)
_ARROWS = {"->": " → ", "<-": " ← ", "<=>": " ⇌ ", "<->": " ↔ ", "^": "↑", "v": "↓"}


def shown(source: str) -> str | None:
    """`2H2 + O2 -> 2H2O` as it is printed; None for what has more to it."""
    parts: list[str] = []
    at = 0
    while at < len(source):
        part = _PART.match(source, at)
        if part is None or part.end() == at:
            return None
        parts.append(_part(part))
        at = part.end()
    return "".join(parts).strip()


def _part(part: re.Match[str]) -> str:
    if part["arrow"] is not None:
        return _ARROWS[part["arrow"].strip()]
    if part["count"] is not None:
        return subscript(part["count"]) or part["count"]
    raised = part["charge"] if part["charge"] is not None else part["sign"]
    if raised is not None:
        return superscript(raised.replace("-", "−")) or ""
    return " + " if part["plus"] is not None else part["plain"].replace("*", "·")

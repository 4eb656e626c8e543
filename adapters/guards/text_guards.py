"""Which guards an answer needs."""

from __future__ import annotations

from adapters.guards.guard import Guard
from adapters.guards.reasoning_spill import ReasoningSpill
from adapters.guards.row import GuardRow
from adapters.guards.text_calls.machine import TextCalls
from adapters.guards.think_tags import ThinkTags
from adapters.tool_calls.verdict import Verdicts


def text_guards(*, tags: bool, spills: bool, calls: Verdicts | None) -> GuardRow | None:
    """`tags`: reasoning may stand between marks; `spills`: its end may be glued to the answer; `calls`: the judge of calls that
    the model writes as text, where these count."""
    spill = ReasoningSpill() if spills else None
    guards: list[Guard] = []
    if spill is not None:
        guards.append(spill)
    if tags:
        guards.append(ThinkTags())
    if calls is not None:
        guards.append(TextCalls(calls))
    return GuardRow(guards, spill.heard_thought if spill else None) if guards else None

"""What Claude models take, by version: the API refuses a request with an option that its model does not know.

A model's name holds its family and version (`claude-opus-4-6`, `claude-3-7-sonnet-20250219`, `anthropic/claude-haiku-4.5`).
The last row of ABILITIES that is not newer than the model and names its family counts, so the next version is taken for one
like the newest known. Whatever is no Claude is served by somebody else's copy of the protocol, which is that of Claude 4.
Facts: platform.claude.com, pages "Models overview", "Extended thinking", "Adaptive thinking", "Effort", "Structured outputs",
and the migration guides.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any, Final

import msgspec

from adapters.contract import Effort, Reasoning

MIN_BUDGET: Final = 1024
"""The smallest budget of thinking that the API takes, and what is left for the answer at least."""


ANSWER_TOKENS: Final = 8_192
"""Room for an answer where the request names no limit; a dozen long Discord messages."""

THOUGHT_TOKENS: Final = 24_576
"""Room for thoughts beside it, where the model decides itself how many it needs."""


class Thinking(Enum):
    """How thinking is asked for."""

    NONE = "none"
    BUDGET = "budget"
    ADAPTIVE = "adaptive"


class Abilities(msgspec.Struct, frozen=True):
    output_limit: int | None
    """Largest `max_tokens`; None: unknown."""
    thinking: Thinking = Thinking.NONE
    turned_off: str | None = None
    """The `thinking.type` for a model that thinks unasked; None where it does not, or cannot be kept from it."""
    always_thinks: bool = False
    """Thinking cannot be turned off, so no tool can be forced either."""
    hides_thoughts: bool = False
    """The text of thoughts comes only when asked for (`thinking.display`)."""
    most_effort: str = "high"
    """The level above `high`, where there is one."""
    sampling: bool = True
    """Takes `temperature`, `top_p` and `top_k`."""
    max_temperature: float = 1.0
    schema: bool = False
    """Takes `output_config.format`."""
    prefill: bool = True
    """The conversation may end with the assistant."""


class ThinkingOptions(msgspec.Struct, frozen=True):
    """What a request says about thinking."""

    max_tokens: int
    """For thoughts and answer together."""
    thinking: Mapping[str, Any] | None = None
    """The option of this name."""
    effort: str | None = None
    """The option of this name, in `output_config`."""
    thinks: bool = False
    """The model will think, so neither sampling options nor a forced tool may be sent."""


_BUDGET: Final = Abilities(64_000, Thinking.BUDGET)
_ADAPTIVE: Final = Abilities(64_000, Thinking.ADAPTIVE, most_effort="max", schema=True, prefill=False)
_NO_SAMPLING: Final = msgspec.structs.replace(
    _ADAPTIVE, output_limit=128_000, most_effort="xhigh", sampling=False, hides_thoughts=True
)
_ALWAYS: Final = msgspec.structs.replace(_NO_SAMPLING, always_thinks=True)

_EVERY: Final = frozenset(("opus", "sonnet", "haiku"))

ABILITIES: Final[tuple[tuple[tuple[int, int], frozenset[str], Abilities], ...]] = (
    ((0, 0), _EVERY, Abilities(4_096)),
    ((3, 5), _EVERY, Abilities(8_192)),
    ((3, 7), _EVERY, _BUDGET),
    ((4, 0), _EVERY, msgspec.structs.replace(_BUDGET, output_limit=32_000)),
    ((4, 0), frozenset(("sonnet",)), _BUDGET),
    ((4, 5), _EVERY, msgspec.structs.replace(_BUDGET, schema=True)),
    ((4, 6), _EVERY, _ADAPTIVE),
    ((4, 6), frozenset(("opus",)), msgspec.structs.replace(_ADAPTIVE, output_limit=128_000)),
    ((4, 7), _EVERY, _NO_SAMPLING),
    ((5, 0), _EVERY, msgspec.structs.replace(_NO_SAMPLING, turned_off="disabled")),
    ((5, 5), _EVERY, msgspec.structs.replace(_NO_SAMPLING, turned_off="between_tools")),
    ((5, 5), frozenset(("opus",)), _ALWAYS),
    ((0, 0), frozenset(("fable", "mythos")), _ALWAYS),
)
"""(first version, families, what they take), older ones first."""

OTHERS: Final = Abilities(None, Thinking.BUDGET, turned_off="disabled", max_temperature=2.0)
"""Models of other makers behind the same protocol (llama.cpp, DeepSeek, Z.ai, Moonshot)."""

_NAME: Final = re.compile(
    r"claude-(?:(?P<old>\d+(?:[-.]\d{1,2})?)-)?(?P<family>opus|sonnet|haiku|fable|mythos)"
    r"(?:-(?P<new>\d{1,2}(?:[-.]\d{1,2})?)(?!\d))?"
)
_NEWEST: Final = (99, 0)

BUDGETS: Final[Mapping[Effort, int]] = {
    Effort.NONE: 0,
    Effort.MINIMAL: 1_024,
    Effort.LOW: 2_048,
    Effort.MEDIUM: 8_192,
    Effort.HIGH: 16_384,
    Effort.XHIGH: 32_768,
}
"""Tokens of thinking for an effort, where the API knows only budgets."""


def abilities(model: str) -> Abilities:
    """What the model of this name takes."""
    name = _NAME.search(model.lower())
    if name is None:
        # "claude-2.1" and "claude-instant" are older than every row, any other Claude is newer.
        old = re.search(r"claude-(?:v?[12]\b|instant)", model.lower())
        return ABILITIES[0][2] if old else _NO_SAMPLING if "claude" in model.lower() else OTHERS
    version = _version(name["old"] or name["new"])
    return next(row for since, families, row in reversed(ABILITIES) if version >= since and name["family"] in families)


def _version(text: str | None) -> tuple[int, int]:
    if not text:
        # An alias such as "claude-sonnet-latest".
        return _NEWEST
    major, _, minor = text.replace(".", "-").partition("-")
    return int(major), int(minor or 0)


def thinking_options(
    able: Abilities, reasoning: Reasoning | None, limit: int | None, *, forced: bool, may_begin: bool
) -> ThinkingOptions:
    """The options for the wanted reasoning and limit of tokens.

    `forced`: a tool must be called; then a model that thinks unasked is kept from it. `may_begin`: the conversation lets a budget
    of thinking begin here. It does not between a call and its answer, unless the message with the call starts with a thought.
    """
    reasoning = reasoning or Reasoning()
    budget = budget_of(reasoning)
    if able.thinking is Thinking.BUDGET:
        return _within_budget(able, budget, limit, may_begin)
    thinking, effort, asked = None, None, False
    if able.thinking is Thinking.ADAPTIVE:
        if budget == 0 or (budget is None and forced):
            if able.turned_off:
                thinking = {"type": able.turned_off}
            elif able.always_thinks and budget == 0:
                effort = "low"
        elif budget is not None:
            thinking = {"type": "adaptive", **({"display": "summarized"} if able.hides_thoughts else {})}
            effort = effort_of(reasoning, able.most_effort)
            asked = True
    unasked = able.always_thinks or (able.turned_off is not None and budget is None)
    room = THOUGHT_TOKENS if asked or unasked else 0
    return ThinkingOptions(token_limit(able, limit, room), thinking, effort, asked or able.always_thinks)


def _within_budget(able: Abilities, budget: int | None, limit: int | None, may_begin: bool) -> ThinkingOptions:
    if not budget:
        off = {"type": able.turned_off} if budget == 0 and able.turned_off else None
        return ThinkingOptions(token_limit(able, limit), off)
    both = token_limit(able, limit, budget)
    budget = min(max(budget, MIN_BUDGET), both - MIN_BUDGET)
    if budget < MIN_BUDGET or not may_begin:
        return ThinkingOptions(token_limit(able, limit))
    return ThinkingOptions(both, {"type": "enabled", "budget_tokens": budget}, thinks=True)


def token_limit(able: Abilities, limit: int | None, thoughts: int = 0) -> int:
    """`max_tokens`: the wanted limit, else room for an answer and so many tokens of thoughts; not more than the model takes."""
    wanted = ANSWER_TOKENS + thoughts if limit is None else limit
    return wanted if able.output_limit is None else min(wanted, able.output_limit)


def budget_of(reasoning: Reasoning) -> int | None:
    """Wanted tokens of thinking, 0 for none at all; None where nothing is wanted in particular."""
    if reasoning.budget_tokens is not None:
        return max(reasoning.budget_tokens, 0)
    return None if reasoning.effort is None else BUDGETS[reasoning.effort]


def effort_of(reasoning: Reasoning, most: str) -> str | None:
    """The word for `output_config.effort`, where something is wanted in particular. `most` is the level above high."""
    effort = reasoning.effort
    if effort is None:
        if reasoning.budget_tokens is None:
            return None
        effort = next((each for each in Effort if BUDGETS[each] >= reasoning.budget_tokens), Effort.XHIGH)
    if effort is Effort.XHIGH:
        return most
    return "low" if effort in (Effort.NONE, Effort.MINIMAL) else effort.value

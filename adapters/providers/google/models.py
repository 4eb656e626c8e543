"""What Google's models take, read off their names, and the API's own list of them.

Generations differ in ways that the API answers with 400: Gemini 3 wants a thinking level and the signatures of its calls, 2.5 a
thinking budget, 2.0 and 1.5 know neither (https://ai.google.dev/gemini-api/docs/thinking); since 3.6 a conversation must not end
with the model (https://ai.google.dev/gemini-api/docs/latest-model). Of a name that says nothing (a tuned model, a new family)
nothing special is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from adapters.contract import Effort, ModelInfo, Reasoning
from adapters.providers.google.chunks import string
from adapters.wire.loose_json import objects, read_json

_VERSION: Final = re.compile(r"\b(gemini|gemma)-(?:[a-z]+-)*?(\d{1,2})(?!\d)(?:\.(\d{1,2}))?")
_LATEST: Final = re.compile(r"\bgemini-(?:pro|flash|flash-lite)-latest\b")
_NEWEST: Final = (99, 0)

LEVELS: Final[Mapping[Effort, str]] = {
    Effort.NONE: "minimal",
    Effort.MINIMAL: "minimal",
    Effort.LOW: "low",
    Effort.MEDIUM: "medium",
    Effort.HIGH: "high",
    Effort.XHIGH: "high",
}
BUDGETS: Final[Mapping[Effort, int]] = {
    Effort.NONE: 0,
    Effort.MINIMAL: 1024,
    Effort.LOW: 1024,
    Effort.MEDIUM: 8192,
    Effort.HIGH: 24576,
    Effort.XHIGH: 32768,
}
"""Tokens, as Google's own OpenAI endpoint translates the words (https://ai.google.dev/gemini-api/docs/openai)."""

_LEVELS_FROM_LOW: Final[Mapping[str, str]] = {"minimal": "low"}
_FIRST_PRO_LEVELS: Final[Mapping[str, str]] = {"minimal": "low", "medium": "high"}
_GEMMA_LEVELS: Final[Mapping[str, str]] = {"low": "minimal", "medium": "high"}


class Model(msgspec.Struct, frozen=True):
    """A model by its name."""

    name: str
    family: str = ""
    version: tuple[int, int] = (0, 0)

    @property
    def signs_calls(self) -> bool:
        """The first call of every step must come back with a signature."""
        return self.family == "gemini" and self.version >= (3, 0)

    @property
    def takes_system(self) -> bool:
        """Gemma up to its third version refuses a system instruction."""
        return self.family != "gemma" or self.version >= (4, 0)

    @property
    def ends_with_user(self) -> bool:
        """A conversation whose last word is the model's is refused: by Gemini 3.6 and all later ones, and by 3.5 Flash-Lite."""
        return self.family == "gemini" and self.version >= ((3, 5) if self._is_lite else (3, 6))

    def takes_schema(self, *, with_tools: bool) -> bool:
        """A JSON answer may be asked for. Older models refuse it beside tools, Gemma up to its third version altogether."""
        return self.signs_calls or (self.takes_system and not with_tools)

    @property
    def draws(self) -> bool:
        return "image" in self.name

    @property
    def signs_pictures(self) -> bool:
        """What a model said before must come back signed, its words too (https://ai.google.dev/gemini-api/docs/gemini-3)."""
        return self.draws and self.signs_calls

    @property
    def _is_lite(self) -> bool:
        return "-lite" in self.name

    def thinking(self, reasoning: Reasoning) -> dict[str, Any] | None:
        """The `thinkingConfig`; None for models that do not think, or do not say how much."""
        if self.family == "gemma":
            return self._gemma_thinking(reasoning) if self.version >= (4, 0) else None
        if self.family != "gemini" or self.version < (2, 5) or (self.draws and self.version < (3, 0)):
            return None
        shown = {"includeThoughts": not _is_off(reasoning)}
        if self.draws:
            return shown
        return {**self._level(reasoning), **shown} if self.version >= (3, 0) else {**self._budget(reasoning), **shown}

    def _level(self, reasoning: Reasoning) -> dict[str, Any]:
        level = _level_of(reasoning)
        if level is None:
            return {}
        if "-pro" in self.name:
            level = (_FIRST_PRO_LEVELS if self.version == (3, 0) else _LEVELS_FROM_LOW).get(level, level)
        elif self.version >= (3, 7) and not self._is_lite:
            level = _LEVELS_FROM_LOW.get(level, level)
        return {"thinkingLevel": level}

    def _budget(self, reasoning: Reasoning) -> dict[str, Any]:
        budget = reasoning.budget_tokens
        if budget is None and reasoning.effort is not None:
            budget = BUDGETS[reasoning.effort]
        if budget is None or budget < 0:
            return {}
        if "-pro" in self.name:
            return {"thinkingBudget": min(max(budget, 128), 32768)}
        least = 512 if self._is_lite else 1
        return {"thinkingBudget": min(max(budget, least), 24576) if budget else 0}

    @staticmethod
    def _gemma_thinking(reasoning: Reasoning) -> dict[str, Any] | None:
        level = _level_of(reasoning)
        return None if level is None or _is_off(reasoning) else {"thinkingLevel": _GEMMA_LEVELS.get(level, level)}


def model_of(name: str) -> Model:
    """What is known of a model of this name, with or without `models/` before it."""
    match = _VERSION.search(name)
    if match is not None:
        return Model(name, match[1], (int(match[2]), int(match[3] or 0)))
    return Model(name, "gemini", _NEWEST) if _LATEST.search(name) else Model(name)


def _is_off(reasoning: Reasoning) -> bool:
    return reasoning.effort is Effort.NONE or reasoning.budget_tokens == 0


def _level_of(reasoning: Reasoning) -> str | None:
    if reasoning.effort is not None:
        return LEVELS[reasoning.effort]
    budget = reasoning.budget_tokens
    if budget is None or budget < 0:
        return None
    return next((LEVELS[effort] for effort, tokens in BUDGETS.items() if budget <= tokens), "high")


def read_gemini_models(body: bytes) -> Sequence[ModelInfo]:
    """`GET /v1beta/models`: those that generate content."""
    value = read_json(body)
    found = []
    for entry in objects(value.get("models")) if isinstance(value, dict) else ():
        name, methods = string(entry.get("name")), entry.get("supportedGenerationMethods")
        if name is None or (isinstance(methods, list) and "generateContent" not in methods):
            continue
        found.append(
            ModelInfo(
                id=name.removeprefix("models/"),
                name=string(entry.get("displayName")),
                context_window=_tokens(entry.get("inputTokenLimit")),
                output_limit=_tokens(entry.get("outputTokenLimit")),
                reasoning=True if entry.get("thinking") is True else None,
            )
        )
    return found


def read_publisher_models(body: bytes) -> Sequence[ModelInfo]:
    """Vertex's `GET /v1beta1/publishers/google/models`, which lists all kinds: only families that speak this protocol."""
    value = read_json(body)
    found = []
    for entry in objects(value.get("publisherModels")) if isinstance(value, dict) else ():
        name = (string(entry.get("name")) or "").rpartition("/")[2]
        if name.startswith("gemini-") and "embedding" not in name:
            found.append(ModelInfo(id=name))
    return found


def _tokens(value: object) -> int | None:
    return value if type(value) is int and value > 0 else None

"""Where the servers that speak Chat Completions differ, as data: adding one is one Dialect.

OpenAI's reference is the common ground. What a server was not found to document keeps the default, which is what the least of
them understand; an option that one model of a server refuses is left out when it says so (GenerationRequest.dropped).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final, Literal, TypeAlias

import msgspec

from adapters.contract import Effort, Reasoning

ReasoningWay: TypeAlias = Callable[[Reasoning], dict[str, Any]]
"""The fields of a body that ask for this much reasoning."""


class Media(StrEnum):
    """Kinds of content part besides text, by the protocol's own names."""

    IMAGE = "image_url"
    AUDIO = "input_audio"
    FILE = "file"


TEXT_ONLY: Final[frozenset[Media]] = frozenset()


def no_way(reasoning: Reasoning) -> dict[str, Any]:
    """The server has no such option."""
    return {}


class Dialect(msgspec.Struct, frozen=True):
    """One server, or kind of server."""

    name: str
    title: str
    """As the company or program writes itself."""
    base_url: str | None
    """The provider's own address; None where every user has another."""
    limit_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """Name of the field that bounds the output tokens. The older one is known to nearly all."""
    needs_key: bool = True
    """Without a key, its own address answers nothing."""
    headers: Mapping[str, str] = {}
    seed_field: str = "seed"
    cache_field: str | None = None
    """Name of the field that routes requests of one conversation to the same cache."""
    reasoning: ReasoningWay = no_way
    thought_field: str | None = None
    """Field of an assistant's message that takes its reasoning back, beside tool calls; None where it is refused or ignored.
    A thought that came under another name goes back under that one."""
    demands_thoughts: bool = False
    """Every message with tool calls must have the thought field, if only an empty one."""
    takes: frozenset[Media] = frozenset((Media.IMAGE,))
    audio_as_url: bool = False
    """A sound is given as a data URL, not as base64 alone."""
    refuses: frozenset[str] = frozenset()
    """Names of fields that are never sent; `json_schema` and `json_object` are the kinds of response_format."""
    extra: Mapping[str, Any] = {}
    """Fields that are always sent."""
    extra_with_tools: Mapping[str, Any] = {}
    call_id_length: int | None = None
    """Ids of calls must have exactly so many letters and digits."""
    ends_with_user: bool = False
    """A conversation whose last word is the model's is refused."""
    bridges_results: bool = False
    """A user's message must not follow a tool's."""
    cached_models: tuple[str, ...] = ()
    """Beginnings of the names of models whose prompt cache needs marks (`cache_control`)."""
    models_url: str | None = ""
    """Where the host lists its models: "" for `/models` under its address, as behind a proxy too; None for nowhere."""
    routes: bool = False
    """`provider` in a chunk names the host behind a router."""
    leaks: bool = True
    """Reasoning may stand in the text, where the server does not know its model's marks, or cuts its two fields amiss."""


# ------------------------------------------------------------------------------------------------- ways to ask for reasoning

_BUDGETS: Final[Mapping[Effort, int]] = {
    Effort.MINIMAL: 1024,
    Effort.LOW: 2048,
    Effort.MEDIUM: 8192,
    Effort.HIGH: 16384,
    Effort.XHIGH: 32768,
}
"""Tokens for an effort, where a server knows only budgets; read the other way, the most effort that a budget pays for."""


def effort_of(reasoning: Reasoning) -> Effort | None:
    """The wanted effort, or what the wanted budget amounts to."""
    if reasoning.effort is not None or reasoning.budget_tokens is None:
        return reasoning.effort
    if reasoning.budget_tokens <= 0:
        return Effort.NONE
    paid = [effort for effort, tokens in _BUDGETS.items() if tokens <= reasoning.budget_tokens]
    return paid[-1] if paid else Effort.MINIMAL


def budget_of(reasoning: Reasoning) -> int | None:
    """The wanted budget in tokens, or what the wanted effort amounts to."""
    if reasoning.budget_tokens is not None or reasoning.effort is None:
        return reasoning.budget_tokens
    return _BUDGETS.get(reasoning.effort, 0)


def efforts(words: Mapping[Effort, str]) -> ReasoningWay:
    """`reasoning_effort` for a server that knows these words only; an effort without a word is not sent."""

    def way(reasoning: Reasoning) -> dict[str, Any]:
        effort = effort_of(reasoning)
        word = words.get(effort) if effort is not None else None
        return {} if word is None else {"reasoning_effort": word}

    return way


ALL_EFFORTS: Final[Mapping[Effort, str]] = {effort: effort.value for effort in Effort}
LOW_TO_HIGH: Final[Mapping[Effort, str]] = {
    Effort.MINIMAL: "low",
    Effort.LOW: "low",
    Effort.MEDIUM: "medium",
    Effort.HIGH: "high",
    Effort.XHIGH: "high",
}


def switch(reasoning: Reasoning) -> dict[str, Any]:
    """`thinking`, which is on or off (Z.ai, Moonshot)."""
    effort = effort_of(reasoning)
    return {} if effort is None else {"thinking": {"type": "disabled" if effort is Effort.NONE else "enabled"}}


def switch_and_efforts(words: Mapping[Effort, str]) -> ReasoningWay:
    """`thinking` and, where it is on, how much of it (DeepSeek)."""
    way = efforts(words)
    return lambda reasoning: {**switch(reasoning), **way(reasoning)}


def budget(reasoning: Reasoning) -> dict[str, Any]:
    """`enable_thinking` and `thinking_budget` (Qwen on Alibaba's Model Studio)."""
    tokens = budget_of(reasoning)
    if tokens is None:
        return {}
    return {"enable_thinking": True, "thinking_budget": tokens} if tokens > 0 else {"enable_thinking": False}


def template_switch(reasoning: Reasoning) -> dict[str, Any]:
    """The model's chat template decides: its two switches in use, and the effort for models that have one (local servers)."""
    effort = effort_of(reasoning)
    if effort is None:
        return {}
    on = effort is not Effort.NONE
    fields: dict[str, Any] = {"chat_template_kwargs": {"enable_thinking": on, "thinking": on}}
    return {**fields, "reasoning_effort": LOW_TO_HIGH[effort]} if on else fields


def routed(reasoning: Reasoning) -> dict[str, Any]:
    """`reasoning` with one of effort and max_tokens, never both (OpenRouter)."""
    if reasoning.budget_tokens is not None and reasoning.budget_tokens > 0:
        return {"reasoning": {"max_tokens": reasoning.budget_tokens}}
    effort = effort_of(reasoning)
    return {} if effort is None else {"reasoning": {"effort": effort.value}}

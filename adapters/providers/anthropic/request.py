"""The body of a request to Anthropic's Messages API.

`max_tokens` is required and bounds thoughts and answer together. With thinking on, sampling options and a forced tool are
refused; newer models refuse sampling altogether. A cache mark caches everything before it, in the order tools, system,
messages; four marks are taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from adapters.contract import (
    FunctionCall,
    GenerationRequest,
    MalformedCall,
    NamedTool,
    Origin,
    Reasoning,
    ResponseSchema,
    Role,
    ToolChoice,
)
from adapters.providers.anthropic.history import Turn, history_of, wire_name
from adapters.providers.body import without
from adapters.providers.claude_models import MIN_BUDGET, Abilities, Thinking, abilities, budget_of, effort_of

ANSWER_TOKENS: Final = 8_192
"""Room for an answer where the request names no limit; a dozen long Discord messages."""

THOUGHT_TOKENS: Final = 24_576
"""Room for thoughts beside it, where the model decides itself how many it needs."""

MAX_MARKS: Final = 4

GO_ON: Final = "Go on."
"""What the user says where the conversation ends with the assistant and the model does not take that."""

_MARK: Final = {"type": "ephemeral"}


def body_of(request: GenerationRequest, origin: Origin) -> dict[str, Any]:
    """The request's body, without the options that the request says to leave out."""
    able = abilities(request.model)
    with_thoughts = "thinking" not in request.dropped
    history = history_of(request.messages, origin, thoughts=with_thoughts)
    turns = list(history.turns)
    body: dict[str, Any] = {"model": request.model}
    body |= _thinking(request, able, turns) if with_thoughts else {"max_tokens": _limit(request, able, 0)}
    thinks = body.get("thinking", {}).get("type") in ("enabled", "adaptive") or able.always_thinks
    _end_with_user(turns, able, thinks)
    if able.sampling and not thinks:
        body |= _sampling(request, able)
    if stop := [each for each in request.stop if each.strip()]:
        body["stop_sequences"] = stop
    if history.container:
        body["container"] = history.container
    if "tools" not in request.dropped and (tools := _tools(request)):
        body["tools"] = tools
        body |= _tool_choice(request, thinks)
    system = request.system
    if request.response_schema is not None:
        if _takes_schema(request, able):
            body.setdefault("output_config", {})["format"] = _format(request.response_schema)
        else:
            system = f"{system}\n\n{_schema_in_words(request.response_schema)}".lstrip()
    if system.strip():
        body["system"] = [{"type": "text", "text": system}]
    if "cache_control" not in request.dropped:
        _mark(request, body, turns)
    body["messages"] = [turn.to_json() for turn in turns]
    body["stream"] = True
    return without(body, request.dropped)


# ------------------------------------------------------------------------------------------------ thinking and its limit


def _thinking(request: GenerationRequest, able: Abilities, turns: list[Turn]) -> dict[str, Any]:
    """The options about thinking, and `max_tokens`, which must leave room for it."""
    reasoning = request.reasoning or Reasoning()
    budget = budget_of(reasoning)
    if able.thinking is Thinking.BUDGET:
        return _budget(request, able, budget, turns)
    options: dict[str, Any] = {}
    if able.thinking is Thinking.ADAPTIVE:
        if budget == 0 or (budget is None and _is_forced(request)):
            if able.turned_off:
                options["thinking"] = {"type": able.turned_off}
            elif able.always_thinks and budget == 0:
                options["output_config"] = {"effort": "low"}
        elif budget is not None:
            options["thinking"] = {"type": "adaptive", **({"display": "summarized"} if able.hides_thoughts else {})}
            options["output_config"] = {"effort": effort_of(reasoning, able.most_effort)}
    unasked = able.always_thinks or (able.turned_off is not None and budget is None)
    room = THOUGHT_TOKENS if unasked or (budget and able.thinking is Thinking.ADAPTIVE) else 0
    return {"max_tokens": _limit(request, able, room), **options}


def _budget(request: GenerationRequest, able: Abilities, budget: int | None, turns: list[Turn]) -> dict[str, Any]:
    if not budget:
        off = {"thinking": {"type": able.turned_off}} if budget == 0 and able.turned_off else {}
        return {"max_tokens": _limit(request, able, 0), **off}
    limit = _limit(request, able, budget)
    budget = min(max(budget, MIN_BUDGET), limit - MIN_BUDGET)
    if budget < MIN_BUDGET or not _may_think(turns):
        return {"max_tokens": _limit(request, able, 0)}
    return {"max_tokens": limit, "thinking": {"type": "enabled", "budget_tokens": budget}}


def _limit(request: GenerationRequest, able: Abilities, thoughts: int) -> int:
    limit = request.max_output_tokens
    if limit is None:
        limit = ANSWER_TOKENS + thoughts
    return min(limit, able.output_limit) if able.output_limit is not None else limit


def _may_think(turns: list[Turn]) -> bool:
    """Between a call and its answer thinking can only go on, not begin: the message with the call must start with a thought."""
    if len(turns) < 2 or turns[-1].blocks[0]["type"] != "tool_result":
        return True
    return turns[-2].blocks[0]["type"] in ("thinking", "redacted_thinking")


def _end_with_user(turns: list[Turn], able: Abilities, thinks: bool) -> None:
    if not turns or turns[-1].role is Role.USER:
        return
    blocks = turns[-1].blocks
    last = blocks[-1]
    if last["type"] != "text":
        # A server's tool was at work when the turn paused: sent back as it is, it goes on.
        return
    if thinks or not able.prefill:
        turns.append(Turn(Role.USER, [{"type": "text", "text": GO_ON}]))
    else:
        blocks[-1] = {**last, "text": last["text"].rstrip()}


# ---------------------------------------------------------------------------------------------------------- other options


def _sampling(request: GenerationRequest, able: Abilities) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if request.temperature is not None:
        options["temperature"] = min(request.temperature, able.max_temperature)
    elif request.top_p is not None:
        # Claude 4.1 and newer take only one of the two.
        options["top_p"] = request.top_p
    if request.top_k is not None:
        options["top_k"] = request.top_k
    return options


def _tools(request: GenerationRequest) -> list[dict[str, Any]]:
    """The tools on offer; else those that the conversation tells of, which the API wants to be defined."""
    if request.tools:
        return [
            {
                "name": wire_name(tool.name),
                "description": tool.description,
                "input_schema": {"type": "object", **tool.parameters},
            }
            for tool in request.tools
        ]
    names = {
        wire_name(part.name): None
        for message in request.messages
        for part in message.parts
        if isinstance(part, FunctionCall | MalformedCall)
    }
    return [{"name": name, "input_schema": {"type": "object"}} for name in names]


def _tool_choice(request: GenerationRequest, thinks: bool) -> dict[str, Any]:
    choice = request.tool_choice if request.tools else ToolChoice.NONE
    if choice is ToolChoice.NONE:
        return {"tool_choice": {"type": "none"}}
    wanted: dict[str, Any] = {"type": "auto"}
    if isinstance(choice, NamedTool) and not thinks:
        wanted = {"type": "tool", "name": wire_name(choice.name)}
    elif choice is ToolChoice.REQUIRED and not thinks:
        wanted = {"type": "any"}
    if request.parallel_tool_calls is not None:
        wanted["disable_parallel_tool_use"] = not request.parallel_tool_calls
    return {"tool_choice": wanted} if len(wanted) > 1 or wanted["type"] != "auto" else {}


def _is_forced(request: GenerationRequest) -> bool:
    return bool(request.tools) and (
        request.tool_choice is ToolChoice.REQUIRED or isinstance(request.tool_choice, NamedTool)
    )


def _mark(request: GenerationRequest, body: dict[str, Any], turns: list[Turn]) -> None:
    """Marks on tools and system, which seldom change, and on the last marked messages."""
    marked = [turn for turn in turns if turn.cache_mark]
    if not marked and request.cache_key is None:
        return
    left = MAX_MARKS
    for field in ("tools", "system"):
        if field in body:
            body[field][-1]["cache_control"] = _MARK
            left -= 1
    for turn in reversed(marked):
        if left and turn.mark():
            left -= 1


# ---------------------------------------------------------------------------------------------------- structured output


def _takes_schema(request: GenerationRequest, able: Abilities) -> bool:
    wanted = request.response_schema
    left_out = {"output_config", "output_config.format"} & request.dropped
    return able.schema and wanted is not None and wanted.schema is not None and not left_out


def _format(wanted: ResponseSchema) -> dict[str, Any]:
    return {"type": "json_schema", "schema": closed_schema(wanted.schema)}


def _schema_in_words(wanted: ResponseSchema) -> str:
    if wanted.schema is None:
        return "Answer with one JSON value and nothing else."
    schema = msgspec.json.encode(wanted.schema).decode()
    return f"Answer with one JSON value of this JSON Schema and nothing else: {schema}"


_BOUNDS: Final = frozenset(
    (
        *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
        *("maxItems", "uniqueItems", "minProperties", "maxProperties"),
    )
)
"""Keywords that the API refuses in a schema (its page "Structured outputs")."""

_NAMED: Final = frozenset(("properties", "$defs", "definitions"))
"""Keywords whose value holds schemas under names."""

_DATA: Final = frozenset(("enum", "const", "default", "examples", "required"))
"""Keywords whose value holds no schema."""


def closed_schema(schema: Any) -> Any:
    """The schema as the API wants it: objects without further properties, and without bounds, which it does not know."""
    if isinstance(schema, list | tuple):
        return [closed_schema(entry) for entry in schema]
    if not isinstance(schema, Mapping):
        return schema
    out: dict[str, Any] = {}
    for key, value in schema.items():
        if key in _DATA:
            out[key] = value
        elif key in _NAMED and isinstance(value, Mapping):
            out[key] = {name: closed_schema(inner) for name, inner in value.items()}
        elif key not in _BOUNDS and not (key == "minItems" and value not in (0, 1)):
            out[key] = closed_schema(value)
    if out.get("type") == "object" or "properties" in out:
        out["additionalProperties"] = False
    return out

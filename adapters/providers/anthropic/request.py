"""The body of a request to Anthropic's Messages API.

`max_tokens` is required and bounds thoughts and answer together. With thinking on, sampling options and a forced tool are
refused; newer models refuse sampling altogether. A cache mark caches everything before it, in the order tools, system,
messages; four marks are taken.
"""

from __future__ import annotations

from typing import Any, Final

from adapters.contract import (
    FunctionCall,
    GenerationRequest,
    NamedTool,
    Origin,
    ResponseSchema,
    Role,
    ToolChoice,
)
from adapters.providers.anthropic.history import CALL_IDS, THOUGHTS, Turn, history_of
from adapters.providers.body import schema_in_words, without
from adapters.providers.claude_models import Abilities, ThinkingOptions, abilities, thinking_options, token_limit
from adapters.providers.closed_schema import closed_schema
from adapters.well_formed import GO_ON, Demands, well_formed

MAX_MARKS: Final = 4


_MARK: Final = {"type": "ephemeral"}


def body_of(request: GenerationRequest, origin: Origin) -> dict[str, Any]:
    """The request's body, without the options that the request says to leave out."""
    able = abilities(request.model)
    with_thoughts = "thinking" not in request.dropped
    with_tools = "tools" not in request.dropped
    request = well_formed(request, origin, Demands(CALL_IDS, calls=with_tools))
    history = history_of(request.messages, thoughts=with_thoughts)
    turns = list(history.turns)
    asked = _thinking(request, able, turns, with_thoughts)
    body: dict[str, Any] = {"model": request.model, "max_tokens": asked.max_tokens}
    if asked.thinking is not None:
        body["thinking"] = asked.thinking
    if asked.effort is not None:
        body["output_config"] = {"effort": asked.effort}
    _end_with_user(turns, able, asked.thinks)
    if able.sampling and not asked.thinks:
        body |= _sampling(request, able)
    if stop := [each for each in request.stop if each.strip()]:
        body["stop_sequences"] = stop
    if history.container:
        body["container"] = history.container
    if with_tools and (tools := _tools(request)):
        body["tools"] = tools
        body |= _tool_choice(request, asked.thinks)
    system = request.system
    if request.response_schema is not None:
        if _takes_schema(request, able):
            body.setdefault("output_config", {})["format"] = _format(request.response_schema)
        else:
            system = f"{system}\n\n{schema_in_words(request.response_schema)}".lstrip()
    if system:
        body["system"] = [{"type": "text", "text": system}]
    if "cache_control" not in request.dropped:
        _mark(request, body, turns)
    body["messages"] = [turn.to_json() for turn in turns]
    body["stream"] = True
    return without(body, request.dropped)


# -------------------------------------------------------------------------------------------------- the last turn


def _thinking(request: GenerationRequest, able: Abilities, turns: list[Turn], with_thoughts: bool) -> ThinkingOptions:
    limit = request.max_output_tokens
    if not with_thoughts:
        return ThinkingOptions(token_limit(able, limit), thinks=able.always_thinks)
    return thinking_options(able, request.reasoning, limit, forced=_is_forced(request), may_begin=_may_think(turns))


def _may_think(turns: list[Turn]) -> bool:
    """Between a call and its answer thinking can only go on, not begin: the message with the call must start with a thought."""
    if len(turns) < 2 or turns[-1].blocks[0]["type"] != "tool_result":
        return True
    return turns[-2].blocks[0]["type"] in THOUGHTS


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
                "name": tool.name,
                "description": tool.description,
                "input_schema": {"type": "object", **tool.parameters},
            }
            for tool in request.tools
        ]
    names = {
        part.name: None for message in request.messages for part in message.parts if isinstance(part, FunctionCall)
    }
    return [{"name": name, "input_schema": {"type": "object"}} for name in names]


def _tool_choice(request: GenerationRequest, thinks: bool) -> dict[str, Any]:
    choice = request.tool_choice if request.tools else ToolChoice.NONE
    if choice is ToolChoice.NONE:
        return {"tool_choice": {"type": "none"}}
    wanted: dict[str, Any] = {"type": "auto"}
    if isinstance(choice, NamedTool) and not thinks:
        wanted = {"type": "tool", "name": choice.name}
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

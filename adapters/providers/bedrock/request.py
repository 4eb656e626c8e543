"""The body of a ConverseStream request (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html).

What all models share has its place in the API; the rest stands in `additionalModelRequestFields`, in the words of the model's
maker: Claude's thinking (adapters.providers.claude_models knows which version takes what), Nova's reasoningConfig, the
reasoning_effort of OpenAI's open models.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import msgspec

from adapters.contract import Effort, GenerationRequest, NamedTool, Origin, Reasoning, ToolChoice, ToolSpec
from adapters.providers.bedrock.messages import CALL_IDS, Conversation
from adapters.providers.bedrock.models import Traits, traits
from adapters.providers.body import schema_in_words, without
from adapters.providers.claude_models import abilities, effort_of, thinking_options
from adapters.providers.closed_schema import closed_schema
from adapters.well_formed import NO_SYSTEM, Demands, well_formed, with_system_in_front

PATHS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("maxTokens", "max_tokens"), "inferenceConfig.maxTokens"),
    **dict.fromkeys(("topP", "top_p"), "inferenceConfig.topP"),
    **dict.fromkeys(("stopSequences", "stop_sequences", "stop"), "inferenceConfig.stopSequences"),
    **dict.fromkeys(("toolChoice", "tool_choice"), "toolConfig.toolChoice"),
    "tools": "toolConfig",
    "temperature": "inferenceConfig.temperature",
    "effort": "outputConfig.effort",
    "textFormat": "outputConfig.textFormat",
    "top_k": "additionalModelRequestFields.top_k",
    "thinking": "additionalModelRequestFields.thinking",
    "reasoning_effort": "additionalModelRequestFields.reasoning_effort",
    "reasoningConfig": "additionalModelRequestFields.reasoningConfig",
}
"""Where an option stands that an error names: the API's own name for it, or that of the model's maker."""

_GROUPS: Final = ("inferenceConfig", "additionalModelRequestFields", "outputConfig")

_WORDS: Final[Mapping[Effort, str]] = {Effort.MINIMAL: "low", Effort.XHIGH: "high"}
"""Efforts for models that know three."""


def converse_body(request: GenerationRequest, origin: Origin) -> dict[str, Any]:
    """The whole body. `origin`: who will answer; thoughts of no other are sent."""
    kind = traits(request.model)
    dropped = request.dropped
    # Newer Claude models and those of other makers do not go on in the middle of a message.
    demands = Demands(
        CALL_IDS, calls=not dropped & {"tools", "toolConfig"}, images="image" not in dropped, ends_with_user=True
    )
    request = well_formed(request, origin, demands)
    system, output = request.system, {}
    if request.response_schema is not None:
        output = _output(request, kind)
        if not output:
            system = f"{system}\n\n{schema_in_words(request.response_schema)}".lstrip()
    if not kind.system or NO_SYSTEM in dropped:
        request, system = with_system_in_front(request, system), ""
    conversation = Conversation(request.messages, kind, dropped)
    body: dict[str, Any] = {"messages": conversation.blocks()}
    if system:
        body["system"] = [{"text": system}]
    inference = _inference(request, kind)
    extra = _extra(request, kind)
    thinks = _reason(request, kind, body["messages"], inference, extra, output)
    tools = _tools(request, conversation.called, thinks=thinks)
    body.update(inferenceConfig=inference, additionalModelRequestFields=extra, outputConfig=output)
    if tools is not None:
        body["toolConfig"] = tools
    without(body, [PATHS.get(name, name) for name in sorted(request.dropped)])
    return {name: value for name, value in body.items() if value or name not in _GROUPS}


def _inference(request: GenerationRequest, kind: Traits) -> dict[str, Any]:
    config: dict[str, Any] = {}
    if request.max_output_tokens is not None:
        config["maxTokens"] = max(request.max_output_tokens, 1)
    if not kind.claude or abilities(request.model).sampling:
        if request.temperature is not None:
            # The API's range is 0 to 1, whatever the model's own is.
            config["temperature"] = min(max(request.temperature, 0.0), 1.0)
        if request.top_p is not None and not (kind.claude and request.temperature is not None):
            # Newer Claude models refuse the two together.
            config["topP"] = request.top_p
    stops = [stop for stop in request.stop if stop.strip()]
    if stops:
        config["stopSequences"] = stops
    return config


def _extra(request: GenerationRequest, kind: Traits) -> dict[str, Any]:
    if request.top_k is None:
        return {}
    if kind.claude and abilities(request.model).sampling:
        return {"top_k": request.top_k}
    return {"inferenceConfig": {"topK": request.top_k}} if kind.nova else {}


def _output(request: GenerationRequest, kind: Traits) -> dict[str, Any]:
    """The option for the wanted schema; none where the model does not take it, or refused it."""
    wanted = request.response_schema
    refused = {"outputConfig", "outputConfig.textFormat", "textFormat"} & request.dropped
    if wanted is None or wanted.schema is None or refused or (kind.claude and not abilities(request.model).schema):
        return {}
    schema = {"schema": msgspec.json.encode(closed_schema(wanted.schema)).decode(), "name": wanted.name}
    return {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": schema}}}


# ------------------------------------------------------------------------------------------------------------- reasoning


def _reason(
    request: GenerationRequest,
    kind: Traits,
    messages: list[dict[str, Any]],
    inference: dict[str, Any],
    extra: dict[str, Any],
    output: dict[str, Any],
) -> bool:
    """Put the wanted reasoning where the model looks for it. True where Claude will think, which allows no forced tool."""
    if kind.claude:
        return _reason_as_claude(request, messages, inference, extra, output)
    reasoning = request.reasoning
    if reasoning is None:
        return False
    word = _effort_word(reasoning)
    if kind.nova_2:
        extra["reasoningConfig"] = (
            {"type": "disabled"} if word is None else {"type": "enabled", "maxReasoningEffort": word}
        )
        if word == "high":
            # "High" takes none of these (Nova 2 guide, "Extended thinking").
            for name in ("temperature", "topP", "maxTokens"):
                inference.pop(name, None)
    elif kind.openai:
        extra["reasoning_effort"] = word or "low"
    return False


def _reason_as_claude(
    request: GenerationRequest,
    messages: list[dict[str, Any]],
    inference: dict[str, Any],
    extra: dict[str, Any],
    output: dict[str, Any],
) -> bool:
    able, limit = abilities(request.model), request.max_output_tokens
    asked = thinking_options(able, request.reasoning, limit, forced=_is_forced(request), may_begin=_may_think(messages))
    if asked.thinking is not None:
        extra["thinking"] = asked.thinking
    if asked.effort is not None:
        output["effort"] = asked.effort
    if asked.thinks or limit is not None:
        # Bedrock's own limit may be smaller than a budget, which the API refuses.
        inference["maxTokens"] = max(asked.max_tokens, 1)
    if asked.thinks:
        # Thinking goes with none of these ("Extended thinking", feature compatibility).
        for name in ("temperature", "topP"):
            inference.pop(name, None)
        extra.pop("top_k", None)
    return asked.thinks


def _may_think(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Between a call and its answer thinking can only go on: the message with the call must start with a thought."""
    if len(messages) < 2 or "toolResult" not in messages[-1]["content"][0]:
        return True
    return "reasoningContent" in messages[-2]["content"][0]


def _is_forced(request: GenerationRequest) -> bool:
    return bool(request.tools) and (
        request.tool_choice is ToolChoice.REQUIRED or isinstance(request.tool_choice, NamedTool)
    )


def _effort_word(reasoning: Reasoning) -> str | None:
    """low, medium or high; None for no reasoning."""
    effort = reasoning.effort
    if effort is None:
        effort = Effort(effort_of(reasoning, "high") or "medium") if reasoning.budget_tokens else Effort.NONE
    return None if effort is Effort.NONE else _WORDS.get(effort, effort.value)


# ----------------------------------------------------------------------------------------------------------------- tools


def _tools(request: GenerationRequest, called: Iterable[str], *, thinks: bool) -> dict[str, Any] | None:
    """The API wants a toolConfig wherever the history holds a call, and has no word for "none"."""
    called = list(called)
    if not request.tools or request.tool_choice is ToolChoice.NONE:
        if not called:
            return None
        known = {tool.name for tool in request.tools}
        tools = [*request.tools, *(_gone(name) for name in called if name not in known)]
        return {"tools": [_tool(tool) for tool in tools]}
    config: dict[str, Any] = {"tools": [_tool(tool) for tool in request.tools]}
    choice = request.tool_choice
    if isinstance(choice, NamedTool) and not thinks:
        config["toolChoice"] = {"tool": {"name": choice.name}}
    elif choice is ToolChoice.REQUIRED and not thinks:
        config["toolChoice"] = {"any": {}}
    return config


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {
        "toolSpec": {
            "name": tool.name,
            "description": tool.description.strip() or tool.name or "a tool",
            "inputSchema": {"json": tool.parameters or {"type": "object", "properties": {}}},
        }
    }


def _gone(name: str) -> ToolSpec:
    """Stands for a tool that is called in the history and not on offer now."""
    return ToolSpec(name, "Not available any more.", {"type": "object", "properties": {}})

"""From a GenerationRequest to the body of a Chat Completions request (https://platform.openai.com/docs/api-reference/chat/create).

Options are a table: each has a name and a value, and is left out where the dialect or the request says so. What a model says
beside its text goes back to itself only. The conversation is in `messages`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from adapters.contract import Endpoint, GenerationRequest, NamedTool, ResponseSchema, ToolChoice, ToolSpec
from adapters.providers.body import short_key, without
from adapters.providers.chat.dialect import Dialect
from adapters.providers.chat.messages import Conversation, demands_of
from adapters.providers.strict_schema import is_strict
from adapters.well_formed import NO_SYSTEM, well_formed, with_system_in_front

MAX_STOPS: Final = 4
"""More are refused."""


def chat_body(request: GenerationRequest, endpoint: Endpoint, dialect: Dialect) -> dict[str, Any]:
    """The body as JSON values."""
    refused = dialect.refuses | request.dropped
    origin = endpoint.origin(dialect.name, request.model)
    request = well_formed(request, origin, demands_of(dialect, request.dropped))
    tools = _tools(request, refused)
    schema = _response_format(request.response_schema, refused)
    system = _system(request, schema)
    if NO_SYSTEM in refused:
        request, system = with_system_in_front(request, system), ""
    body: dict[str, Any] = {
        "model": request.model,
        "messages": Conversation(request, dialect).messages(system),
        "stream": True,
        "stream_options": {"include_usage": True},
        **dialect.extra,
        **_limit(request, dialect),
        **_sampling(request, dialect),
        **tools,
        **(dialect.extra_with_tools if tools else {}),
    }
    if schema:
        body["response_format"] = schema
    if request.reasoning is not None:
        body.update(dialect.reasoning(request.reasoning))
    if request.cache_key and dialect.cache_field:
        body[dialect.cache_field] = short_key(request.cache_key)
    return without(body, refused)


def _limit(request: GenerationRequest, dialect: Dialect) -> dict[str, int]:
    """The limit under the dialect's name for it, or under the other one where the model refuses that."""
    if request.max_output_tokens is None:
        return {}
    first = dialect.limit_field
    other = "max_completion_tokens" if first == "max_tokens" else "max_tokens"
    return {other if first in request.dropped else first: request.max_output_tokens}


def _sampling(request: GenerationRequest, dialect: Dialect) -> dict[str, Any]:
    options: Mapping[str, Any] = {
        "temperature": request.temperature,
        "top_p": request.top_p,
        "top_k": request.top_k,
        "frequency_penalty": request.frequency_penalty,
        "presence_penalty": request.presence_penalty,
        dialect.seed_field: request.seed,
        "stop": list(request.stop[:MAX_STOPS]) or None,
    }
    return {name: value for name, value in options.items() if value is not None}


def _tools(request: GenerationRequest, refused: frozenset[str]) -> dict[str, Any]:
    if not request.tools or "tools" in refused:
        return {}
    if request.tool_choice is ToolChoice.NONE and "tool_choice" in refused:
        # The only other way to have none called.
        return {}
    fields: dict[str, Any] = {"tools": [_tool(tool) for tool in request.tools]}
    if isinstance(request.tool_choice, NamedTool):
        fields["tool_choice"] = {"type": "function", "function": {"name": request.tool_choice.name}}
    elif request.tool_choice is not ToolChoice.AUTO:
        fields["tool_choice"] = request.tool_choice.value
    if request.parallel_tool_calls is not None:
        fields["parallel_tool_calls"] = request.parallel_tool_calls
    return fields


def _tool(tool: ToolSpec) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def _response_format(wanted: ResponseSchema | None, refused: frozenset[str]) -> dict[str, Any] | None:
    if wanted is None or "response_format" in refused:
        return None
    if wanted.schema is None or "json_schema" in refused:
        return None if "json_object" in refused else {"type": "json_object"}
    described: dict[str, Any] = {"name": wanted.name, "schema": wanted.schema}
    if is_strict(wanted.schema):
        described["strict"] = True
    return {"type": "json_schema", "json_schema": described}


def _system(request: GenerationRequest, schema: Mapping[str, Any] | None) -> str:
    """Where the server takes no schema, the model is told it; with JSON alone, the word must stand in the prompt (OpenAI)."""
    wanted = request.response_schema
    if wanted is None or (schema is not None and schema["type"] == "json_schema"):
        return request.system
    line = "Answer with JSON only."
    if wanted.schema is not None:
        line = f"Answer with JSON only, of this JSON Schema: {msgspec.json.encode(wanted.schema).decode()}"
    return f"{request.system}\n\n{line}" if request.system else line

"""The body of `streamGenerateContent` (https://ai.google.dev/api/generate-content), the same for the Gemini API and Vertex.

Tools are declared by `parametersJsonSchema`, answers by `responseJsonSchema`: both take JSON Schema as it is, where the older
`parameters` and `responseSchema` know a subset of their own. There is no option for parallel calls, and none that marks a place for
the prompt cache: Google finds repeated beginnings itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

from adapters.contract import GenerationRequest, NamedTool, Origin, ResponseSchema, ToolChoice, ToolSpec
from adapters.providers.body import schema_in_words, without
from adapters.providers.google.contents import CALL_IDS, contents
from adapters.providers.google.models import Model, model_of
from adapters.well_formed import NO_SYSTEM, Demands, well_formed, with_system_in_front

MAX_STOPS: Final = 5

_MODES: Final = {ToolChoice.REQUIRED: "ANY", ToolChoice.NONE: "NONE"}

_PENALTIES: Final = frozenset(("presencePenalty", "frequencyPenalty"))
"""A model takes both or none, and the error does not say which it saw."""

_SAYS_NOTHING: Final = frozenset(("$schema", "type", "title", "description", "required"))
"""Keywords that tell of no arguments; a tool without any is declared without a schema."""

_Json = dict[str, Any]


def request_body(request: GenerationRequest, own: Origin, *, ids: bool) -> _Json:
    """`own`: who speaks here; `ids`: whether this API's calls have ids."""
    model = model_of(request.model)
    with_tools = "tools" not in request.dropped
    demands = Demands(CALL_IDS, calls=with_tools, drawn_images=model.draws, ends_with_user=model.ends_with_user)
    request = well_formed(request, own, demands)
    tools = request.tools if with_tools else ()
    config = _config(request, model)
    system, schema = request.system, request.response_schema
    if schema is not None:
        if model.takes_schema(with_tools=bool(tools)):
            config |= _json_answer(schema)
        else:
            system = f"{system}\n\n{schema_in_words(schema)}".lstrip()
    if not model.takes_system or NO_SYSTEM in request.dropped:
        request, system = with_system_in_front(request, system), ""
    body: _Json = {"contents": contents(request.messages, model, ids=ids)}
    if system:
        body["systemInstruction"] = {"parts": [{"text": system}]}
    if tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in tools]}]
        body |= _choice(request.tool_choice)
    if config:
        body["generationConfig"] = config
    return _without(body, request.dropped)


def _declaration(tool: ToolSpec) -> _Json:
    declaration: _Json = {"name": tool.name, "description": tool.description}
    if any(value for name, value in tool.parameters.items() if name not in _SAYS_NOTHING):
        declaration["parametersJsonSchema"] = _schema(tool.parameters)
    return declaration


def _schema(schema: Any) -> _Json:
    return {key: value for key, value in schema.items() if key != "$schema"}


def _choice(choice: ToolChoice | NamedTool) -> _Json:
    if isinstance(choice, NamedTool):
        config: _Json = {"mode": "ANY", "allowedFunctionNames": [choice.name]}
    elif choice in _MODES:
        config = {"mode": _MODES[choice]}
    else:
        return {}
    return {"toolConfig": {"functionCallingConfig": config}}


def _config(request: GenerationRequest, model: Model) -> _Json:
    config: _Json = {
        "temperature": request.temperature,
        "topP": request.top_p,
        "topK": request.top_k,
        "maxOutputTokens": request.max_output_tokens,
        "stopSequences": list(request.stop[:MAX_STOPS]) or None,
        "seed": request.seed,
        "presencePenalty": request.presence_penalty,
        "frequencyPenalty": request.frequency_penalty,
        "thinkingConfig": model.thinking(request.reasoning) if request.reasoning is not None else None,
    }
    return {key: value for key, value in config.items() if value is not None}


def _json_answer(wanted: ResponseSchema) -> _Json:
    asked: _Json = {"responseMimeType": "application/json"}
    return asked if wanted.schema is None else {**asked, "responseJsonSchema": _schema(wanted.schema)}


def _without(body: _Json, dropped: Collection[str]) -> _Json:
    """Options are named bare (`topK`) or by a path, in either spelling: errors speak of `generation_config.top_k`."""
    names = {_camel(name) for name in dropped}
    if names & _PENALTIES:
        names |= _PENALTIES
    config = body.get("generationConfig")
    without(body, names)
    if isinstance(config, dict):
        without(config, names)
        if not config:
            body.pop("generationConfig", None)
    return body


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name)

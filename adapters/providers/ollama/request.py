"""The body of a request to Ollama's `/api/chat` (github.com/ollama/ollama/blob/main/docs/api.md).

A message has one text, its pictures as base64 beside it, and its calls; the result of a call is a message of the role `tool`
that names the tool. What a model thought goes back to it, as its template asks for between calls. There is no tool choice, and
no file but a picture.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from adapters.contract import (
    Effort,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    Origin,
    Part,
    Reasoning,
    Role,
    TextPart,
    ThoughtPart,
    ToolChoice,
    ToolResult,
)
from adapters.in_words import in_words
from adapters.paired_calls import CallIds
from adapters.providers.body import PICTURE_TYPES, base64_text, media_type_of, on_lines, spoken_text, without
from adapters.well_formed import Demands, well_formed

_OPTIONS: Final = (
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("top_k", "top_k"),
    ("seed", "seed"),
    ("frequency_penalty", "frequency_penalty"),
    ("presence_penalty", "presence_penalty"),
    ("max_output_tokens", "num_predict"),
)
"""(name in GenerationRequest, name in `options`)."""

_CALL_IDS: Final = CallIds(re.compile(r"[!-~]{1,128}"))

_LEVELS: Final = {Effort.MINIMAL: "low", Effort.XHIGH: "high"}


def chat_body(request: GenerationRequest, origin: Origin) -> dict[str, Any]:
    """The whole body. `origin`: who will answer; only its own thoughts are sent."""
    dropped = request.dropped
    demands = Demands(_CALL_IDS, calls="tools" not in dropped, images="images" not in dropped, opaque_texts=False)
    request = well_formed(request, origin, demands)
    body: dict[str, Any] = {"model": request.model, "messages": list(_messages(request)), "stream": True}
    if request.tools and request.tool_choice is not ToolChoice.NONE:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
            }
            for tool in request.tools
        ]
    if request.reasoning is not None and request.reasoning != Reasoning():
        body["think"] = _think(request.model, request.reasoning)
    if request.response_schema is not None:
        schema = request.response_schema.schema
        body["format"] = "json" if schema is None else schema
    options = {name: getattr(request, field) for field, name in _OPTIONS if getattr(request, field) is not None}
    if request.stop:
        options["stop"] = list(request.stop)
    inner = [f"options.{name}" for name in request.dropped if name in options]
    if options:
        body["options"] = options
    without(body, (*request.dropped, *inner))
    return body


def _think(model: str, reasoning: Reasoning) -> bool | str:
    """gpt-oss knows three levels and cannot be kept from thinking; all other models know yes and no."""
    effort = reasoning.effort
    off = effort is Effort.NONE or (effort is None and reasoning.budget_tokens == 0)
    if "gpt-oss" not in model.lower():
        return not off
    return "low" if off else _LEVELS.get(effort, effort.value) if effort else "medium"


def _messages(request: GenerationRequest) -> Iterable[dict[str, Any]]:
    if request.system:
        yield {"role": "system", "content": request.system}
    for message in request.messages:
        if message.role is Role.ASSISTANT:
            yield _answer(message.parts)
        else:
            yield from _said(message.parts)


def _answer(parts: Sequence[Part]) -> dict[str, Any]:
    out: dict[str, Any] = {"role": "assistant", "content": spoken_text(parts)}
    if thoughts := "".join(part.text for part in parts if isinstance(part, ThoughtPart)):
        out["thinking"] = thoughts
    if calls := [_call(part) for part in parts if isinstance(part, FunctionCall)]:
        out["tool_calls"] = calls
    return out


def _said(parts: Sequence[Part]) -> Iterable[dict[str, Any]]:
    for part in parts:
        if isinstance(part, ToolResult):
            yield {"role": "tool", "tool_name": part.name, "tool_call_id": part.call_id, **_content(part.content)}
    rest = [part for part in parts if not isinstance(part, ToolResult)]
    if rest:
        yield {"role": "user", **_content(rest)}


def _content(parts: Iterable[Part]) -> dict[str, Any]:
    """The fields `content` and, where there are any, `images`."""
    texts: list[str] = []
    images: list[str] = []
    for part in parts:
        if isinstance(part, TextPart):
            texts.append(part.text)
        elif isinstance(part, ImagePart) and part.data and media_type_of(part.media_type) in PICTURE_TYPES:
            images.append(base64_text(part.data))
        elif isinstance(part, ImagePart | FilePart):
            texts.append(in_words(part).text)
    content: dict[str, Any] = {"content": on_lines(texts)}
    if images:
        content["images"] = images
    return content


def _call(call: FunctionCall) -> dict[str, Any]:
    return {"id": call.id, "function": {"name": call.name, "arguments": call.args}}

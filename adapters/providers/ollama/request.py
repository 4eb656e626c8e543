"""The body of a request to Ollama's `/api/chat` (github.com/ollama/ollama/blob/main/docs/api.md).

A message has one text, its pictures as base64 beside it, and its calls; the result of a call is a message of the role `tool`
that names the tool. What a model thought goes back to it, as its template asks for between calls. There is no tool choice, and
no file but a picture.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from adapters.contract import (
    Effort,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
    Origin,
    Part,
    PromptMessage,
    Reasoning,
    Role,
    TextPart,
    ThoughtPart,
    ToolChoice,
    ToolResult,
)
from adapters.providers.body import base64_text, in_words, without

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

_LEVELS: Final = {Effort.MINIMAL: "low", Effort.XHIGH: "high"}


def chat_body(request: GenerationRequest, origin: Origin) -> dict[str, Any]:
    """The whole body. `origin`: who will answer; only its own thoughts are sent."""
    body: dict[str, Any] = {"model": request.model, "messages": list(_messages(request, origin)), "stream": True}
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


def _messages(request: GenerationRequest, origin: Origin) -> Iterable[dict[str, Any]]:
    if request.system:
        yield {"role": "system", "content": request.system}
    for message in request.messages:
        if message.role is Role.ASSISTANT:
            yield from _answer(message, own=message.origin == origin)
        else:
            yield from _said(message)


def _answer(message: PromptMessage, *, own: bool) -> Iterable[dict[str, Any]]:
    calls = [part for part in message.parts if isinstance(part, FunctionCall | MalformedCall)]
    out: dict[str, Any] = {"role": "assistant", **_content(message.parts)}
    thoughts = "".join(part.text for part in message.parts if isinstance(part, ThoughtPart)) if own else ""
    if thoughts:
        out["thinking"] = thoughts
    if calls:
        out["tool_calls"] = [_call(call) for call in calls]
    if out["content"] or calls or "images" in out:
        yield out


def _said(message: PromptMessage) -> Iterable[dict[str, Any]]:
    for part in message.parts:
        if isinstance(part, ToolResult):
            yield {
                "role": "tool",
                "tool_name": part.name,
                "tool_call_id": part.call_id,
                **_content(part.content),
            }
    rest = [part for part in message.parts if not isinstance(part, ToolResult)]
    if rest:
        yield {"role": "user", **_content(rest)}


def _content(parts: Iterable[Part]) -> dict[str, Any]:
    """The fields `content` and, where there are any, `images`."""
    texts: list[str] = []
    images: list[str] = []
    for part in parts:
        if isinstance(part, TextPart):
            texts.append(part.text)
        elif isinstance(part, ImagePart) and part.data:
            images.append(base64_text(part.data))
        elif isinstance(part, ImagePart | FilePart):
            texts.append(f"\n{in_words(part).text}\n")
    content: dict[str, Any] = {"content": "".join(texts).strip("\n") if len(texts) > 1 else "".join(texts)}
    if images:
        content["images"] = images
    return content


def _call(call: FunctionCall | MalformedCall) -> dict[str, Any]:
    arguments = call.args if isinstance(call, FunctionCall) else {}
    return {"id": call.id, "function": {"name": call.name, "arguments": arguments}}

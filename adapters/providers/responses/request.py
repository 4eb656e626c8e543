"""From a GenerationRequest to the body of a Responses request (https://platform.openai.com/docs/api-reference/responses/create).

The conversation is a flat list of items. What a message of this same origin brought with it goes back as it came: reasoning in
front of what it led to, ids, phases, tools that ran at the provider's. OpenAI pairs by id: a reasoning item without the item
that followed it is refused, and so is an item whose id it knows without its reasoning. So reasoning that nothing follows is left
out, and where reasoning had to be left out (it came without encrypted content) the other items go without ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from adapters.contract import (
    Effort,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    NamedTool,
    Origin,
    Part,
    PromptMessage,
    Reasoning,
    ResponseSchema,
    Role,
    TextPart,
    ThoughtPart,
    ToolChoice,
    ToolResult,
    ToolSpec,
)
from adapters.in_words import in_words
from adapters.paired_calls import CallIds
from adapters.providers.body import PICTURE_TYPES, data_url, encoded, media_type_of, on_lines, short_key, without
from adapters.providers.responses.opaque import FREE_TEXT_CALL, JOINT
from adapters.providers.strict_schema import is_strict
from adapters.tool_calls.wire_names import wire_name
from adapters.well_formed import Demands, well_formed

MIN_OUTPUT_TOKENS: Final = 16
"""The API refuses less."""

_CALL_IDS: Final = CallIds(re.compile(r"[!-~]{1,64}"))

_DOCUMENTS: Final = re.compile(
    r"text/.+|application/(?:pdf|rtf|msword|vnd\..+|json|xml|x-yaml|yaml|toml|javascript|typescript|x-sh|sql|x-ipynb\+json)"
)
"""What the API reads (https://platform.openai.com/docs/guides/file-inputs); one of another kind makes the whole
request fail."""


_THOUGHTLESS: Final = re.compile(r"(?:^|/)(?:gpt-3\.5|gpt-4|chatgpt-)|-chat\b")
"""OpenAI's models without reasoning, which refuse to be asked for it in encrypted form. The list is closed: all later ones reason."""

_EFFORTS: Final[Sequence[tuple[int, Effort]]] = (
    (0, Effort.NONE),
    (1024, Effort.MINIMAL),
    (4096, Effort.LOW),
    (16384, Effort.MEDIUM),
    (65536, Effort.HIGH),
)
"""Up to so many tokens of thinking are this effort."""


def request_body(request: GenerationRequest, origin: Origin) -> dict[str, Any]:
    """The body, ready to be encoded. `origin` is who will read it."""
    demands = Demands(_CALL_IDS, calls="tools" not in request.dropped)
    request = well_formed(request, origin, demands)
    body: dict[str, Any] = {
        "model": request.model,
        "input": list(_input(request.messages)),
        "stream": True,
        "store": False,
    }
    if not _THOUGHTLESS.search(request.model):
        body["include"] = ["reasoning.encrypted_content"]
    limit = request.max_output_tokens
    options = {
        "instructions": request.system or None,
        "max_output_tokens": None if limit is None else max(limit, MIN_OUTPUT_TOKENS),
        "temperature": request.temperature,
        "top_p": request.top_p,
        "prompt_cache_key": request.cache_key and short_key(request.cache_key),
        "reasoning": request.reasoning and _reasoning(request.reasoning),
        "text": request.response_schema and {"format": _format(request.response_schema)},
        **(_tools(request) if request.tools and "tools" not in request.dropped else {}),
    }
    body.update({name: value for name, value in options.items() if value is not None})
    return without(body, request.dropped)


def _tools(request: GenerationRequest) -> dict[str, Any]:
    choice = request.tool_choice
    if isinstance(choice, NamedTool):
        chosen: object = {"type": "function", "name": choice.name}
    else:
        chosen = None if choice is ToolChoice.AUTO else choice
    return {
        "tools": [_tool(tool) for tool in request.tools],
        "tool_choice": chosen,
        "parallel_tool_calls": request.parallel_tool_calls,
    }


def _tool(tool: ToolSpec) -> dict[str, Any]:
    # Where `strict` is not said, the API rewrites the schema so that it can be: optional arguments would become required.
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": is_strict(tool.parameters),
    }


def _reasoning(wanted: Reasoning) -> dict[str, Any]:
    effort = wanted.effort
    if effort is None and wanted.budget_tokens is not None:
        budget = wanted.budget_tokens
        effort = next((effort for limit, effort in _EFFORTS if budget <= limit), Effort.XHIGH)
    if effort is Effort.NONE:
        return {"effort": effort}
    return {"effort": effort, "summary": "auto"} if effort else {"summary": "auto"}


def _format(wanted: ResponseSchema) -> dict[str, Any]:
    if wanted.schema is None:
        return {"type": "json_object"}
    name = wire_name(wanted.name)
    return {"type": "json_schema", "name": name, "schema": wanted.schema, "strict": is_strict(wanted.schema)}


# ------------------------------------------------------------------------------------------------- the conversation


def _input(messages: Iterable[PromptMessage]) -> Iterator[dict[str, Any]]:
    free_text: set[str] = set()
    """Ids of the calls whose input is no JSON: what answers them is another item."""
    for message in messages:
        if message.role is Role.ASSISTANT:
            yield from _assistant_items(message.parts)
            free_text = {part.id for part in message.parts if isinstance(part, FunctionCall) and _is_free_text(part)}
            continue
        for part in message.parts:
            if isinstance(part, ToolResult):
                kind = "custom_tool_call_output" if part.call_id in free_text else "function_call_output"
                yield {"type": kind, "call_id": part.call_id, "output": _output(part)}
        if content := _contents(message.parts):
            yield {"role": "user", "content": content}


def _is_free_text(call: FunctionCall) -> bool:
    return (call.opaque or {}).get("type") == FREE_TEXT_CALL


def _output(result: ToolResult) -> str | list[dict[str, Any]]:
    if all(isinstance(part, TextPart) for part in result.content):
        return on_lines(part.text for part in result.content if isinstance(part, TextPart))
    return _contents(result.content)


def _contents(parts: Sequence[Part]) -> list[dict[str, Any]]:
    return [content for part in parts if (content := _content(part)) is not None]


def _content(part: Part) -> dict[str, Any] | None:
    if isinstance(part, ImagePart):
        url = _picture(part)
        return {"type": "input_image", "image_url": url, "detail": "auto"} if url else _content(in_words(part))
    if isinstance(part, FilePart):
        media_type = media_type_of(part.media_type)
        if not _DOCUMENTS.fullmatch(media_type):
            return _content(in_words(part))
        return {"type": "input_file", "filename": part.name, "file_data": data_url(media_type, part.data)}
    return {"type": "input_text", "text": part.text} if isinstance(part, TextPart) and part.text else None


def _picture(part: ImagePart) -> str | None:
    """Its address, or its bytes as one; None where the API does not take it."""
    if not part.data:
        return part.url
    media_type = media_type_of(part.media_type)
    return data_url(media_type, part.data) if media_type in PICTURE_TYPES else None


def _assistant_items(parts: Sequence[Part]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    thoughts: list[dict[str, Any]] = []
    reasoning = _reasoning_items(parts)
    paired = True
    spoken = False
    for position, part in enumerate(parts):
        opaque = getattr(part, "opaque", None) or {}
        if isinstance(part, ThoughtPart):
            if (item := reasoning.get(position)) is not None:
                if item.get("encrypted_content") or item.get("content"):
                    thoughts.append(item)
                else:
                    paired = False
            continue
        if said := _items(part, opaque, spoken=spoken):
            spoken = spoken or isinstance(part, TextPart)
            items += [*thoughts, *said]
            thoughts = []
        if "left_out" in opaque:
            thoughts = []
            paired = False
    if not paired:
        items = [item for each in items if (item := _unpaired(each)) is not None]
        while items and items[-1].get("type") == "reasoning":
            items.pop()
    return items


def _reasoning_items(parts: Sequence[Part]) -> Mapping[int, dict[str, Any]]:
    """By their place among the parts, each as it was told last: once more behind it, where it is late."""
    found: dict[int, dict[str, Any]] = {}
    late: dict[Any, dict[str, Any]] = {}
    for position, part in reversed(list(enumerate(parts))):
        opaque = (part.opaque if isinstance(part, ThoughtPart) else None) or {}
        if opaque.get("late"):
            late[opaque["nr"]] = opaque["item"]
        elif "item" in opaque:
            found[position] = late.pop(opaque.get("nr"), opaque["item"])
    return found


def _unpaired(item: dict[str, Any]) -> dict[str, Any] | None:
    """The item so that nobody misses the reasoning before it."""
    if item.get("type", "") in ("", "reasoning"):
        return item
    if item.get("type") == "message":
        content = "".join(part["text"] for part in item["content"])
        return _spoken(content, item.get("phase"))
    if "call_id" in item:
        return {name: value for name, value in item.items() if name != "id"}
    return None


def _items(part: Part, opaque: Mapping[str, Any], *, spoken: bool) -> Sequence[dict[str, Any]]:
    if isinstance(part, FunctionCall):
        return (_call(part),)
    text = part.text if isinstance(part, TextPart) else ""
    text = text.removeprefix(JOINT) if spoken else text
    if "item" in opaque:
        return (_spoken(text), dict(opaque["item"])) if text else (dict(opaque["item"]),)
    if not text or not opaque.get("id"):
        return (_spoken(text, opaque.get("phase")),) if text else ()
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return ({"type": "message", "role": "assistant", "status": "completed", "content": content, **opaque},)


def _spoken(text: str, phase: object = None) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {**message, "phase": phase} if phase else message


def _call(call: FunctionCall) -> dict[str, Any]:
    opaque = call.opaque or {}
    if _is_free_text(call):
        return {**opaque, "call_id": call.id, "name": call.name, "input": str(call.args.get("input", ""))}
    arguments = encoded(dict(call.args)).decode()
    return {**opaque, "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}

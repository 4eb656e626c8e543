"""From a GenerationRequest to the body of a Responses request (https://platform.openai.com/docs/api-reference/responses/create).

The conversation is a flat list of items. What a message of this same origin brought with it goes back as it came: reasoning in
front of what it led to, ids, phases, tools that ran at the provider's. OpenAI pairs by id: a reasoning item without the item
that followed it is refused, and so is an item whose id it knows without its reasoning. So reasoning that nothing follows is left
out, and where reasoning had to be left out (it came without encrypted content) the other items go without ids.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, Final

from adapters.contract import (
    Effort,
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
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
from adapters.providers.body import NO_RESULT, data_url, encoded, in_words, without
from adapters.providers.responses.items import is_json_object
from adapters.providers.responses.opaque import FREE_TEXT_CALL, JOINT
from adapters.providers.strict_schema import is_strict

MIN_OUTPUT_TOKENS: Final = 16
"""The API refuses less."""

MAX_ID_CHARS: Final = 64
"""Of a call's id, a tool's name and the cache key."""

_CALLS: Final = (FunctionCall, MalformedCall)

_PICTURES: Final = frozenset(("image/png", "image/jpeg", "image/webp", "image/gif"))
_DOCUMENTS: Final = re.compile(
    r"text/.+|application/(?:pdf|rtf|msword|vnd\..+|json|xml|x-yaml|yaml|toml|javascript|typescript|x-sh|sql|x-ipynb\+json)"
)
"""What the API reads (https://platform.openai.com/docs/guides/images-vision, …/file-inputs); one of another kind makes the whole
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
    body: dict[str, Any] = {
        "model": request.model,
        "input": list(_input(request.messages, origin)),
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
        "prompt_cache_key": request.cache_key and _short(request.cache_key),
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
    name = _name(wanted.name)
    return {"type": "json_schema", "name": name, "schema": wanted.schema, "strict": is_strict(wanted.schema)}


# ------------------------------------------------------------------------------------------------- the conversation


def _input(messages: Iterable[PromptMessage], origin: Origin) -> Iterable[dict[str, Any]]:
    open_calls: dict[str, str] = {}
    for role, group in groupby(messages, key=lambda message: message.role):
        run = tuple(group)
        if role is Role.ASSISTANT:
            for message in run:
                own = message.origin == origin
                yield from _assistant_items(message, own=own)
                open_calls.update(_calls(message, own=own))
        else:
            yield from _results(run, open_calls)
            for message in run:
                if content := _contents(message.parts):
                    yield {"role": "user", "content": content}
            open_calls = {}
    yield from _unanswered(open_calls)


def _calls(message: PromptMessage, *, own: bool) -> dict[str, str]:
    """The ids of its calls, each with the type of item that answers it."""
    return {part.id: _output_type(part, own=own) for part in message.parts if isinstance(part, _CALLS)}


def _unanswered(open_calls: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    """The API refuses a conversation with a call that has no output."""
    for call_id, kind in open_calls.items():
        yield {"type": kind, "call_id": _short(call_id), "output": f"error: {NO_RESULT}"}


def _results(run: Sequence[PromptMessage], open_calls: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    """What the calls right before these messages gave. A result whose call is not there is refused too: it is told in words."""
    left = dict(open_calls)
    strays: list[dict[str, Any]] = []
    for message in run:
        for part in message.parts:
            if not isinstance(part, ToolResult):
                continue
            kind = left.pop(part.call_id, None)
            if kind is not None:
                yield {"type": kind, "call_id": _short(part.call_id), "output": _output(part)}
            else:
                strays += [{"type": "input_text", "text": f"[result of {part.name}]"}, *_contents(part.content)]
    yield from _unanswered(left)
    if strays:
        yield {"role": "user", "content": strays}


def _output(result: ToolResult) -> str | list[dict[str, Any]]:
    if all(isinstance(part, TextPart) for part in result.content):
        return "".join(part.text for part in result.content if isinstance(part, TextPart))
    return _contents(result.content)


def _contents(parts: Sequence[Part]) -> list[dict[str, Any]]:
    return [content for part in parts if (content := _content(part)) is not None]


def _content(part: Part) -> dict[str, Any] | None:
    if isinstance(part, ImagePart):
        url = _picture(part)
        return {"type": "input_image", "image_url": url, "detail": "auto"} if url else _content(in_words(part))
    if isinstance(part, FilePart):
        media_type = part.media_type.partition(";")[0].strip().lower()
        if not part.data or not _DOCUMENTS.fullmatch(media_type):
            return _content(in_words(part))
        return {"type": "input_file", "filename": part.name, "file_data": data_url(media_type, part.data)}
    return {"type": "input_text", "text": part.text} if isinstance(part, TextPart) and part.text else None


def _picture(part: ImagePart) -> str | None:
    """Its address, or its bytes as one; None where the API does not take it."""
    if not part.data:
        return part.url
    media_type = "image/jpeg" if part.media_type == "image/jpg" else part.media_type
    return data_url(media_type, part.data) if media_type in _PICTURES else None


def _assistant_items(message: PromptMessage, *, own: bool) -> list[dict[str, Any]]:
    if not own:
        return [item for part in message.parts if (item := _foreign_item(part)) is not None]
    late = {
        part.opaque["nr"]: part.opaque["item"]
        for part in message.parts
        if isinstance(part, ThoughtPart) and part.opaque and part.opaque.get("late")
    }
    items: list[dict[str, Any]] = []
    thoughts: list[dict[str, Any]] = []
    paired = True
    spoken = False
    for part in message.parts:
        opaque = getattr(part, "opaque", None) or {}
        if isinstance(part, ThoughtPart):
            if "item" in opaque and not opaque.get("late"):
                item = late.get(opaque.get("nr"), opaque["item"])
                if item.get("encrypted_content") or item.get("content"):
                    thoughts.append(item)
                else:
                    paired = False
        elif "left_out" in opaque:
            thoughts.clear()
            paired = False
        elif (said := _own_item(part, opaque, spoken=spoken)) is not None:
            spoken = spoken or isinstance(part, TextPart)
            items += [*thoughts, said]
            thoughts = []
    return items if paired else [item for each in items if (item := _unpaired(each)) is not None]


def _unpaired(item: dict[str, Any]) -> dict[str, Any] | None:
    """The item so that nobody misses the reasoning before it."""
    if item.get("type") == "reasoning":
        return item
    if item.get("type") == "message":
        content = "".join(part["text"] for part in item["content"])
        return _spoken(content, item.get("phase"))
    if "call_id" in item:
        return {name: value for name, value in item.items() if name != "id"}
    return None


def _own_item(part: Part, opaque: Mapping[str, Any], *, spoken: bool) -> dict[str, Any] | None:
    if isinstance(part, TextPart):
        if "item" in opaque:
            return dict(opaque["item"])
        text = part.text.removeprefix(JOINT) if spoken else part.text
        if not text:
            return None
        if not opaque.get("id"):
            return _spoken(text, opaque.get("phase"))
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return {"type": "message", "role": "assistant", "status": "completed", "content": content, **opaque}
    if isinstance(part, _CALLS):
        if opaque.get("type") == FREE_TEXT_CALL:
            given = part.args.get("input") if isinstance(part, FunctionCall) else part.raw_arguments
            return {**opaque, "call_id": _short(part.id), "name": _name(part.name), "input": str(given)}
        return {**opaque, **_call(part)}
    return _foreign_item(part)


def _foreign_item(part: Part) -> dict[str, Any] | None:
    """An assistant's part as any other model's."""
    if isinstance(part, TextPart):
        return _spoken(part.text) if part.text else None
    if isinstance(part, _CALLS):
        return _call(part)
    if isinstance(part, ImagePart | FilePart):
        return _spoken(in_words(part).text)
    return None


def _spoken(text: str, phase: object = None) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {**message, "phase": phase} if phase else message


def _call(call: FunctionCall | MalformedCall) -> dict[str, Any]:
    if isinstance(call, FunctionCall):
        arguments = encoded(dict(call.args)).decode()
    else:
        # Servers that fill a template parse the text again.
        arguments = call.raw_arguments if is_json_object(call.raw_arguments) else "{}"
    return {"type": "function_call", "call_id": _short(call.id), "name": _name(call.name), "arguments": arguments}


def _output_type(call: FunctionCall | MalformedCall, *, own: bool) -> str:
    custom = own and (call.opaque or {}).get("type") == FREE_TEXT_CALL
    return "custom_tool_call_output" if custom else "function_call_output"


def _name(name: str) -> str:
    """What the API takes as a name: a model may have made up another one."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:MAX_ID_CHARS] or "unnamed"


def _short(text: str) -> str:
    """The same text wherever it stands, not longer than the API takes."""
    if len(text) <= MAX_ID_CHARS:
        return text
    return f"{text[: MAX_ID_CHARS - 17]}-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"

"""What each API refuses about a conversation, written from its reference: plain functions over the body of a request.

`faults(provider, body)` names every rule that the body breaks, in words. Nothing here knows how bodies are built.

    Anthropic    platform.claude.com/docs/en/api/messages, "Tool use"
    Bedrock      docs.aws.amazon.com/bedrock/latest/APIReference, Message and the blocks
    Google       ai.google.dev/api/caching#Content, "Function calling", "Thought signatures"
    Responses    platform.openai.com/docs/api-reference/responses/create
    Chat         platform.openai.com/docs/api-reference/chat/create; docs.mistral.ai and strict chat templates beyond
    Ollama       github.com/ollama/ollama/blob/main/docs/api.md
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

Faults = Iterator[str]
Json = Mapping[str, Any]

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_PICTURES: Final = ("png", "jpeg", "gif", "webp")
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def faults(provider: str, body: Json) -> Sequence[str]:
    """All that the provider would refuse; empty for a legal body."""
    found = [f"control character in {text!r}" for text in strings(body) if _CONTROL.search(text)]
    found += [*_media(body), *_cache_marks(body), *_settings(body)]
    return [*found, *_PROTOCOLS.get(provider, _chat)(body), *_BEYOND.get(provider, _nothing)(body)]


def strings(value: Any) -> Iterator[str]:
    """Every string of a JSON value, in the order of the document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for entry in value.values():
            yield from strings(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from strings(entry)


def _nothing(body: Json) -> Faults:
    yield from ()


def objects(value: Any) -> Iterator[Json]:
    """Every object of a JSON value."""
    if isinstance(value, Mapping):
        yield value
    entries = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    for entry in entries:
        yield from objects(entry)


def _media(body: Json) -> Faults:
    """Of no protocol is a picture or file without bytes, and all take these kinds of picture; Google others too."""
    for each in objects(body):
        if isinstance(url := each.get("url", each.get("image_url", each.get("file_data"))), str):
            kind, _, data = url.partition(";base64,")
            if kind.startswith("data:image/") and kind.removeprefix("data:image/") not in _PICTURES:
                yield f"a picture of type {kind}"
            if kind.startswith("data:") and not data:
                yield "media without bytes"
        kind = each.get("media_type", each.get("mimeType"))
        if kind is not None and not each.get("data", each.get("fileUri", each.get("url"))):
            yield f"media without bytes, {kind}"
        if isinstance(kind, str) and kind.startswith("image/") and kind.removeprefix("image/") not in _PICTURES:
            yield f"a picture of type {kind}"


def _cache_marks(body: Json) -> Faults:
    """Anthropic's and Bedrock's: four at most, on blocks that hold something."""
    marked = [each for each in objects(body) if "cache_control" in each]
    points = [each for each in objects(body) if "cachePoint" in each]
    if len(marked) > 4 or len(points) > 4:
        yield f"{len(marked) + len(points)} cache marks"
    for each in marked:
        if each.get("type") in ("thinking", "redacted_thinking") or not each.get("text", "x").strip():
            yield f"a cache mark on {each}"
    for message in body.get("messages", ()) if points else ():
        if "cachePoint" in message["content"][0]:
            yield "a cache mark on nothing"


def _settings(body: Json) -> Faults:
    systems = [body.get("instructions"), *strings(body.get("system")), *strings(body.get("systemInstruction"))]
    if any(system is not None and not system.strip() for system in systems):
        yield "a blank system prompt"
    declared = [tool.get("function", tool.get("toolSpec", tool)) for tool in _offered(body)]
    names = [tool["name"] for tool in declared if "name" in tool]
    yield from (f"illegal name {name!r}" for name in names if not _NAME.fullmatch(name))
    if len(set(names)) != len(names):
        yield f"tools of one name, {names}"


def _offered(body: Json) -> Iterator[Json]:
    for tool in body.get("tools", body.get("toolConfig", {}).get("tools", ())):
        yield from tool.get("functionDeclarations", (tool,))


def _roles(roles: Sequence[str]) -> Faults:
    if roles[:1] != ["user"]:
        yield f"begins with {roles[:1]}"
    yield from (f"{a} after {a}" for a, b in pairwise(roles) if a == b)


def _runs_of_tools(messages: Sequence[Json]) -> Sequence[str]:
    """The roles, where the results of one answer count as one."""
    roles = [message["role"] for message in messages]
    return [role for before, role in pairwise(["", *roles]) if role != "tool" or before != "tool"]


def _called(calls: Sequence[tuple[str, str, Any]], seen: set[str], legal_id: str) -> Faults:
    """Ids, names and arguments of one message's calls."""
    for call_id, name, args in calls:
        if not re.fullmatch(legal_id, call_id):
            yield f"illegal id {call_id!r}"
        if call_id in seen:
            yield f"id {call_id!r} twice"
        seen.add(call_id)
        if not _NAME.fullmatch(name):
            yield f"illegal name {name!r}"
        if not isinstance(args, dict):
            yield f"arguments {args!r}"


# ------------------------------------------------------------------------------------------------ Anthropic, Bedrock


def _anthropic(body: Json) -> Faults:
    messages = body["messages"]
    yield from _roles([message["role"] for message in messages])
    seen: set[str] = set()
    asked: list[str] = []
    for message in messages:
        blocks, user = message["content"], message["role"] == "user"
        kinds = [block["type"] for block in blocks]
        if not blocks:
            yield "no content"
        yield from _blank(block["text"] for block in blocks if block["type"] == "text")
        answers = [block for block in blocks if block["type"] == "tool_result"]
        if [block["tool_use_id"] for block in answers] != asked:
            yield f"results {answers} of the calls {asked}"
        if kinds[: len(answers)] != ["tool_result"] * len(answers):
            yield "a result behind something else"
        for answer in answers:
            yield from _blank(block["text"] for block in answer.get("content", ()) if block["type"] == "text")
            if answer.get("is_error") and any(block["type"] != "text" for block in answer.get("content", ())):
                yield "a failed result with more than text"
        uses = [block for block in blocks if block["type"] == "tool_use"]
        asked = [block["id"] for block in uses]
        yield from _called([(use["id"], use["name"], use["input"]) for use in uses], seen, r"[a-zA-Z0-9_-]+")
        if user and {"tool_use", "thinking", "redacted_thinking"} & set(kinds):
            yield f"a user's {kinds}"
        if not user and {"image", "document", "tool_result"} & set(kinds):
            yield f"an assistant's {kinds}"
        if not user and kinds[-1:] in (["thinking"], ["redacted_thinking"]):
            yield "ends with a thought"
    if asked:
        yield "ends with open calls"
    last = messages[-1]
    if (
        last["role"] == "assistant"
        and last["content"][-1].get("text", "") != last["content"][-1].get("text", "").rstrip()
    ):
        yield "white space at the end"
    if seen and not body.get("tools"):
        yield "calls without tools"


def _bedrock(body: Json) -> Faults:
    messages = body["messages"]
    yield from _roles([message["role"] for message in messages])
    if messages[-1]["role"] != "user":
        yield "ends with the assistant"
    seen: set[str] = set()
    asked: list[str] = []
    for message in messages:
        blocks, user = message["content"], message["role"] == "user"
        kinds = [next(iter(block)) for block in blocks]
        if not blocks:
            yield "no content"
        yield from _blank(block["text"] for block in blocks if "text" in block)
        answers = [block["toolResult"] for block in blocks if "toolResult" in block]
        if [answer["toolUseId"] for answer in answers] != asked:
            yield f"results {answers} of the calls {asked}"
        if kinds[: len(answers)] != ["toolResult"] * len(answers):
            yield "a result behind something else"
        for answer in answers:
            if not answer["content"]:
                yield "an empty result"
            yield from _blank(block["text"] for block in answer["content"] if "text" in block)
        uses = [block["toolUse"] for block in blocks if "toolUse" in block]
        asked = [use["toolUseId"] for use in uses]
        yield from _called(
            [(use["toolUseId"], use["name"], use["input"]) for use in uses], seen, r"[a-zA-Z0-9_.:-]{1,64}"
        )
        if user and {"toolUse", "reasoningContent"} & set(kinds):
            yield f"a user's {kinds}"
        if not user and {"image", "document", "toolResult"} & set(kinds):
            yield f"an assistant's {kinds}"
        if not user and kinds[-1:] == ["reasoningContent"]:
            yield "ends with a thought"
        if "document" in kinds and "text" not in kinds:
            yield "a document without text"
    names = [block["document"]["name"] for message in messages for block in message["content"] if "document" in block]
    if len(set(names)) != len(names):
        yield "two documents of one name"
    yield from (f"document {name!r}" for name in names if not re.fullmatch(r"[a-zA-Z0-9 ()\[\]-]{1,200}", name))
    if seen and "toolConfig" not in body:
        yield "calls without tools"


def _blank(texts: Iterator[str]) -> Faults:
    yield from (f"blank text {text!r}" for text in texts if not text.strip())


# ----------------------------------------------------------------------------------------------------------- Google


def _google(body: Json) -> Faults:
    contents = body["contents"]
    kinds = [[_kind(part) for part in content["parts"]] for content in contents]
    runs = [
        content["role"] + ("-answers" if kind[0] == "functionResponse" else "")
        for content, kind in zip(contents, kinds, strict=True)
    ]
    yield from _roles([run for run in runs if run != "user-answers"] if "user-answers" not in runs else runs[:1])
    yield from (f"{a} after {a}" for a, b in pairwise(runs) if a == b)
    asked: list[Json] = []
    for content, kind in zip(contents, kinds, strict=True):
        answers = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        if [(each["name"], each.get("id")) for each in answers] != [(each["name"], each.get("id")) for each in asked]:
            yield f"answers {answers} of the calls {asked}"
        if answers and set(kind) != {"functionResponse"}:
            yield "something beside the answers"
        asked = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        yield from (
            _called([(each.get("id", "-"), each["name"], each["args"]) for each in asked], set(), r"[!-~]+")
            if all("id" in each for each in asked)
            else _called([(str(nr), each["name"], each["args"]) for nr, each in enumerate(asked)], set(), r".+")
        )
        if content["role"] == "user" and {"functionCall", "thought"} & set(kind):
            yield f"a user's {kind}"
        if content["role"] == "model" and {"inlineData", "fileData"} & set(kind):
            yield f"a model's {kind}"
        for part in content["parts"]:
            if part.get("text") == "" and "thoughtSignature" not in part:
                yield "an empty part"
    if asked:
        yield "ends with open calls"


def _kind(part: Json) -> str:
    (kind,) = part.keys() - {"thought", "thoughtSignature"}
    return "thought" if part.get("thought") else str(kind)


# ----------------------------------------------------------------------------------------------------------- OpenAI


def _responses(body: Json) -> Faults:
    seen: set[str] = set()
    asked: list[str] = []
    items = body["input"]
    if items[:1] and items[0].get("role") != "user":
        yield f"begins with {items[0]}"
    for item, following in zip(items, [*items[1:], None], strict=True):
        kind = item.get("type", "message")
        if kind in ("function_call", "custom_tool_call"):
            args = json.loads(item["arguments"]) if kind == "function_call" else {}
            yield from _called([(item["call_id"], item["name"], args)], seen, r"[!-~]{1,64}")
            asked.append(item["call_id"])
        elif kind in ("function_call_output", "custom_tool_call_output"):
            if item["call_id"] not in asked:
                yield f"a result of no call, {item['call_id']}"
            else:
                asked.remove(item["call_id"])
        elif kind == "message" and item["role"] == "user":
            if asked:
                yield f"open calls {asked}"
            yield from _blank(part["text"] for part in item["content"] if part["type"] == "input_text")
            if not item["content"]:
                yield "no content"
        elif kind == "message" and not (
            item["content"] and (isinstance(item["content"], list) or item["content"].strip())
        ):
            yield "an empty message"
        elif kind == "reasoning" and (
            following is None or following.get("role") == "user" or following.get("type", "").endswith("output")
        ):
            yield "reasoning that nothing follows"
    if asked:
        yield f"open calls {asked}"


def _chat(body: Json) -> Faults:
    messages = body["messages"]
    if any(message["role"] == "system" for message in messages[1:]):
        yield "system text in the middle"
    if messages[0]["role"] == "system":
        yield from _blank(iter((messages[0]["content"],)))
        messages = messages[1:]
    yield from _roles(_runs_of_tools(messages))
    seen: set[str] = set()
    asked: list[str] = []
    for message in map(_unmarked, messages):
        if message["role"] == "tool":
            if message["tool_call_id"] != (asked.pop(0) if asked else None):
                yield f"result {message['tool_call_id']} is not of the next call"
            if not isinstance(message["content"], str) or not message["content"].strip():
                yield "a tool's message without text"
            continue
        if asked:
            yield f"open calls {asked}"
        calls = message.get("tool_calls", [])
        asked = [call["id"] for call in calls]
        parsed = [(call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls]
        yield from _called(parsed, seen, r"[ -~]{1,200}")
        content = message["content"]
        if isinstance(content, list):
            if message["role"] != "user":
                yield f"parts of {message['role']}"
            yield from _blank(part["text"] for part in content if part["type"] == "text")
        elif not (content and content.strip()) and not (content is None and calls):
            yield f"blank content of {message['role']}"
    if asked:
        yield f"open calls {asked}"


def _unmarked(message: Json) -> Json:
    """A text is a list of parts where one is marked for OpenRouter's caches."""
    content = message["content"]
    if isinstance(content, list) and len(content) == 1 and "cache_control" in content[0] and "text" in content[0]:
        return {**message, "content": content[0]["text"]}
    return message


def _mistral(body: Json) -> Faults:
    """Ids of nine letters and digits; no user right behind a tool; the last word is not the assistant's."""
    messages = body["messages"]
    ids = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    yield from (f"illegal id {each!r}" for each in ids if not re.fullmatch(r"[A-Za-z0-9]{9}", each))
    roles = [message["role"] for message in messages]
    yield from ("a user behind a tool" for pair in pairwise(roles) if pair == ("tool", "user"))
    yield from _no_last_word(body)


def _no_last_word(body: Json) -> Faults:
    if body["messages"][-1]["role"] == "assistant":
        yield "ends with the assistant"


def _no_tools(body: Json) -> Faults:
    if any(message["role"] == "tool" or "tool_calls" in message for message in body["messages"]):
        yield "tools"
    yield from _no_last_word(body)


def _no_pictures(body: Json) -> Faults:
    if any(isinstance(message["content"], list) for message in body["messages"]):
        yield "parts that are no text"


# ----------------------------------------------------------------------------------------------------------- Ollama


def _ollama(body: Json) -> Faults:
    messages = [message for message in body["messages"] if message["role"] != "system"]
    yield from _roles(_runs_of_tools(messages))
    seen: set[str] = set()
    asked: list[tuple[str, str]] = []
    for message in messages:
        if message["role"] == "tool":
            if (message["tool_call_id"], message["tool_name"]) != (asked.pop(0) if asked else None):
                yield f"result {message} is not of the next call"
            continue
        if asked:
            yield f"open calls {asked}"
        calls = [
            (call["id"], call["function"]["name"], call["function"]["arguments"])
            for call in message.get("tool_calls", ())
        ]
        asked = [(call_id, name) for call_id, name, _ in calls]
        yield from _called(calls, seen, r"[!-~]{1,128}")
        if not message["content"].strip() and not calls and not message.get("images"):
            yield f"an empty message of {message['role']}"
        if message["role"] == "assistant" and "images" in message:
            yield "an assistant's picture"
    if asked:
        yield f"open calls {asked}"


_PROTOCOLS: Final[Mapping[str, Callable[[Json], Faults]]] = {
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "google": _google,
    "vertex": _google,
    "ollama": _ollama,
    "openai-responses": _responses,
}
"""All others speak Chat Completions."""

_BEYOND: Final[Mapping[str, Callable[[Json], Faults]]] = {
    "mistral": _mistral,
    "perplexity": _no_tools,
    "deepseek": _no_pictures,
    "cerebras": _no_pictures,
}

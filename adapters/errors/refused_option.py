"""The option of a request that a provider objects to, out of its error: what adapters.degradation leaves out next time.

OpenAI names it in a field of its own, FastAPI as the place of each fault, the others in a sentence. The name is returned as
the request spells it, a field or a dotted path to one. A fault inside the conversation or a tool's schema names no option: to
leave something else out would not mend it, and would be remembered for the model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from adapters.errors.body import Failure, detail_entries

MAX_CHARS: Final = 4000
MAX_NAME_CHARS: Final = 100

_THE_QUESTION: Final = frozenset(("messages", "message", "input", "contents", "content", "prompt", "system"))
"""A fault somewhere inside of these, or inside of a tool, is one of a value, not of an option."""

_NO_OPTION: Final = _THE_QUESTION | {
    *("model", "tool", "tool_calls", "tool_call_id", "role", "url", "image_url"),
    *("validation_error", "body", "none", "null", "this", "the", "that", "in", "is", "for", "not"),
}

_WITH_CONTENT: Final = frozenset(("tools", "response_format", "text.format", "output_config.format", "format"))
"""Options that hold what the caller wrote. Unless the model takes no such option at all, its content is what is wrong."""

_IN_THE_CONVERSATION: Final = re.compile(r"\W{0,2}(?:messages|contents|input)(?:\.|\.?\[)\d")
"""The beginning of a message that goes on with the place of the fault: the names in it are those of blocks."""

_PATH: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*){0,5}")

_GOOGLES_BODY: Final[Mapping[str, str]] = {
    "generation_config": "generationConfig",
    "tool_config": "toolConfig",
    "thinking_config": "generationConfig.thinkingConfig",
}
"""Google's errors spell a place as in its protocol buffers; its JSON has another spelling."""

_GOOGLES_THINKING: Final = frozenset(("thinking_budget", "thinking_level", "include_thoughts"))

_BARE: Final = r"[`'\"]?(?P<name>[A-Za-z_][\w.\[\]$-]{0,99})[`'\"]?"
_QUOTED: Final = r"[`'\"](?P<name>[A-Za-z_][\w.\[\]$-]{0,99})[`'\"]"
_THING: Final = r"(?:parameter|argument|field|property|option|keyword argument|key|input)"


_SENTENCES: Final = (
    # OpenAI, Azure, Mistral, Rust's serde, Go's encoding/json, NVIDIA, Bedrock, Cohere
    rf"(?:unsupported|unrecognized|unknown|unexpected|extraneous|invalid) (?:request )?{_THING}(?:\(?s\)?)?"
    rf"(?: supplied| provided| found)?(?::|\(s\):| \[|(?= [`'\"]))\s*\[?{_BARE}",
    rf"unsupported value: {_QUOTED}",
    rf"invalid (?:value for:? )?{_QUOTED}",
    r"invalid (?P<name>max\w*_tokens) value",
    # Groq, Cerebras, Anthropic, OpenAI
    rf"{_THING} {_QUOTED} (?:is|was) (?:not|un|unexpected|deprecated|forbidden|invalid)",
    rf"{_QUOTED}:? (?:is|are) (?:not (?:yet )?(?:supported|allowed|permitted|recognized|enabled)|unsupported|deprecated|no longer)",
    r"`[\w.]{1,80}` and `(?P<name>[\w.]{1,80})` cannot both be",
    rf"(?:cannot|can't) (?:specify|set|use) both [`'\"][\w.]{{1,80}}[`'\"] and {_QUOTED}",
    r"(?:\A|[.:,] )(?P<name>(?-i:[a-z]+(?:_[a-z]+){0,6})) (?:is|are|cannot be) (?:not supported (?:in|with|by|for|on)|deprecated for"
    r"|set to .{1,40} for) (?:this|the) model",
    rf"{_QUOTED} (?:may only be|can only be|must be|does not support)",
    # Pydantic in a sentence: Anthropic ("thinking.budget_tokens: Extra inputs are not permitted"), Fireworks
    r"(?<![\w.`])(?P<name>[A-Za-z_][\w.]{0,99}): (?:extra inputs are not permitted|input should be|unexpected value)",
    rf"extra inputs are not permitted, field: {_QUOTED}",
    rf"additional properties are not allowed \({_QUOTED}",
    # xAI, LiteLLM, Alibaba, Google
    rf"(?:argument|parameter)s? not supported(?: on| by| for| with)?[^:\n]{{0,40}}: {_BARE}",
    rf"(?:does not|doesn't) support (?:the )?{_THING}s?:? \[?{_BARE}",
    rf"(?:does not|doesn't) support (?:the )?[`'\"]?(?P<name>[a-z_][\w.]{{1,99}})[`'\"]? {_THING}",
    r"(?:does not|doesn't) support this (?P<name>[a-z]+_[a-z_]{1,60})",
    r"(?:does not|doesn't) support (?:setting )?[`'\"]?(?P<name>[a-z]+_[a-z_]{1,60})",
    r"(?:does not|doesn't) support (?P<name>\w{2,60})=",
    r"\bparameter\.(?P<name>\w{2,80})",
    rf"\bthe {_BARE} {_THING} (?:must|is not|cannot)",
    rf"\bremove {_QUOTED} from",
    r"\brange of (?P<name>[a-z]+(?:_[a-z]+){0,6}) should be",
    r"\binvalid (?P<name>[a-z]+(?:_[a-z]+){0,6}): only",
    r"(?<![\w.`])(?P<name>[A-Za-z_]+\.[\w.]{1,80}) is only (?:enabled|supported|allowed)",
    r"(?P<name>max(?:_completion|_output)?_tokens)[`'\"]? (?:is too large|must be|exceeds)",
)

_UNKNOWN_NAME: Final = re.compile(r"Unknown name \"([^\"]{1,100})\"(?: at '([^']{1,200})')?")

_ALIASES: Final = (
    (
        r"only works in thinking mode|thinking level is not supported|thinking can't be disabled",
        "generationConfig.thinkingConfig",
    ),
    (r"does not support the effort parameter", "output_config.effort"),  # Anthropic
    (r"thinking\.(?:type|enabled|adaptive)\b.{0,40}not supported|adaptive thinking is not supported", "thinking"),
    (r"\A\W{0,2}\S{1,120} does not support thinking", "think"),  # Ollama
    (r"(?:does not|doesn't) support (?:tools?\b|tool use|tool[ -]calling|function[ -]calling|functions)", "tools"),
    (r"endpoints found that support tool use|tools param requires|tool choice requires", "tools"),
    (r"(?:tool|function)[ -]calling is not (?:supported|enabled)|不支持.{0,6}(?:工具|函数)调用", "tools"),
    # No field, but a way to say it: well_formed.NO_SYSTEM. Strict chat templates (Gemma), Google, Bedrock, Mistral
    (
        r"system (?:role|messages?|prompts?|instructions?) (?:is |are )?not (?:supported|allowed|enabled)"
        r"|(?:does not|doesn't) support (?:a |the )?system (?:role|messages?|prompts?|instructions?)"
        r"|developer instruction is not enabled|conversation roles must alternate user/assistant",
        "system_role",
    ),
    # One kind of a `response_format`; chat.request knows the next best. DeepSeek, LM Studio
    (r"response_format type is unavailable", "json_schema"),
    (r"response_format\.type['\"`]? must be ['\"`]json_schema", "json_object"),
)
"""Sentences that name an option in plain words."""


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Only a process that sees such an error pays for it."""
    return re.compile(pattern, re.IGNORECASE)


_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def refused_option(failure: Failure, *, unsupported: bool) -> str | None:
    """The name, or None where the error names no option. `unsupported`: it is known that the model does not take it."""
    for name in _candidates(failure):
        option = _option(name)
        if option is not None and (unsupported or option not in _WITH_CONTENT):
            return option
    return None


def _candidates(failure: Failure) -> Iterator[str]:
    text = failure.message[:MAX_CHARS]
    for error in failure.objects:
        param = error.get("param")
        if isinstance(param, str):
            yield param
    yield from _places(failure.objects)
    for name, place in _UNKNOWN_NAME.findall(text):
        yield _google_path(name, place)
    for pattern, name in _ALIASES:
        if _compiled(pattern).search(text):
            yield name
    if _IN_THE_CONVERSATION.match(text):
        return
    for sentence in _SENTENCES:
        for found in _compiled(sentence).finditer(text):
            yield _respelled(found["name"].rstrip(".]"), failure)


def _places(objects: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """FastAPI: `loc` is the way to the fault, beginning with `body`. What is missing is named by what it is missing from."""
    for error in objects:
        for entry in detail_entries(error):
            loc = entry.get("loc")
            if not isinstance(loc, list) or not all(isinstance(step, str | int) for step in loc):
                continue
            way = [str(step) for step in (loc[1:] if loc[:1] == ["body"] else loc)]
            missing = entry.get("type") == "missing" or "required" in str(entry.get("msg", "")).lower()
            yield ".".join(way[:-1] if missing else way)


def _google_path(name: str, place: str) -> str:
    if not place or place == name:
        return name
    root, dot, rest = place.partition(".")
    if root not in _GOOGLES_BODY:
        return f"{place}.{name}"
    return f"{_GOOGLES_BODY[root]}{dot}{_camel(rest)}.{name}"


def _respelled(name: str, failure: Failure) -> str:
    """Google's and xAI's errors are not in the spelling of their requests."""
    root, dot, rest = name.partition(".")
    if root.lower() in _GOOGLES_BODY:
        return f"{_GOOGLES_BODY[root.lower()]}{dot}{_camel(rest)}"
    if root in _GOOGLES_THINKING and "INVALID_ARGUMENT" in failure.codes:
        return _GOOGLES_BODY["thinking_config"]
    if not dot and ("ot supported on this model" in failure.message or "support parameter" in failure.message):
        return _CAMEL.sub("_", name).lower()
    return name


def _camel(path: str) -> str:
    return re.sub(r"_([a-z])", lambda letter: letter[1].upper(), path)


def _option(name: str) -> str | None:
    """A name as `body.without` takes it; None where it is none."""
    name = name.strip().removeprefix("body.").removeprefix("$.").rstrip(".")
    name = re.sub(r"\[\d*\]\Z", "", name)
    # Anthropic puts the kind of a union into the way to a fault: thinking.enabled.budget_tokens.
    name = re.sub(
        r"\A(thinking|tool_choice)\.(?:enabled|disabled|adaptive|auto|any|tool|none)\b\.?", r"\1.", name
    ).rstrip(".")
    if len(name) > MAX_NAME_CHARS or not _PATH.fullmatch(name):
        return None
    root, dot, _ = name.partition(".")
    if name.lower() in _NO_OPTION or (dot and root.lower() in _THE_QUESTION | {"tools"}):
        return None
    return name

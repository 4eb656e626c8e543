"""The conversation as Chat Completions wants it: one list of messages, where each tool call is followed by its result.

    assistant  text, reasoning of its own, tool_calls
    tool       one for each call, in the order of the calls: its result, or that there is none
    user       what no tool message can hold (pictures and files in results), then what the person said

The API refuses a call without a result and a result without a call, so neither ever comes out of here: results are looked up
for the calls, not the other way round, and one that belongs to no call is told in words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, TypeAlias

import msgspec

from adapters.contract import (
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
    Origin,
    Part,
    PromptMessage,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
)
from adapters.providers.body import NO_RESULT, base64_text, data_url, in_words, result_in_words
from adapters.providers.chat.dialect import Dialect, Media

Message: TypeAlias = dict[str, Any]

MAX_CALL_ID: Final = 40
"""Characters (OpenAI); ids of other protocols may be longer."""

MAX_CACHE_MARKS: Final = 4
"""Anthropic's limit, for the whole request."""

AUDIO_FORMATS: Final[Mapping[str, str]] = {
    "audio/wav": "wav",
    "audio/x-wav": "wav",
    "audio/wave": "wav",
    "audio/mpeg": "mp3",
    "audio/mp3": "mp3",
}

OPAQUE_CALL_FIELDS: Final = ("extra_content", "provider_specific_fields")
"""Fields of a call that go back as they came."""

DETAILS: Final = "reasoning_details"
FIELD: Final = "field"
"""Keys of a thought's opaque fields: OpenRouter's blocks, and the name under which the reasoning came."""

_NAME: Final = re.compile(r"[^A-Za-z0-9_-]")


class Conversation:
    """Builds the messages of one request."""

    def __init__(self, request: GenerationRequest, origin: Origin, dialect: Dialect) -> None:
        self._request = request
        self._origin = origin
        self._dialect = dialect
        self._takes = frozenset(media for media in dialect.takes if media.value not in request.dropped)
        self._without_tools = "tools" in dialect.refuses or "tools" in request.dropped
        self._out: list[Message] = []
        self._marked: list[Message] = []

    def messages(self, system: str) -> list[Message]:
        """All messages, the system's first."""
        if system:
            self._out.append({"role": "system", "content": system})
        answered: set[str] = set()
        for position, message in enumerate(self._request.messages):
            if message.role is Role.ASSISTANT:
                answered = self._answer(message, _results(self._request.messages[position + 1 :]))
            else:
                self._say(message, answered)
            if message.cache_mark and self._out:
                self._marked.append(self._out[-1])
        self._mark()
        return _alternating(self._out) if self._dialect.alternates else self._out

    # ------------------------------------------------------------------------------------------------- what a model said

    def _answer(self, message: PromptMessage, results: Mapping[str, ToolResult]) -> set[str]:
        """The assistant's message and a message for each of its calls. Returns the ids of the calls."""
        text = _joined(
            part for part in message.parts if not isinstance(part, ThoughtPart | FunctionCall | MalformedCall)
        )
        calls = [part for part in message.parts if isinstance(part, FunctionCall | MalformedCall)]
        if self._without_tools:
            calls = []
        if not text and not calls:
            return set()
        own = message.origin == self._origin
        said: Message = {"role": "assistant", "content": text or None}
        said.update(self._thoughts(message.parts, own=own, called=bool(calls)))
        self._out.append(said)
        if calls:
            ids = {call.id: self._call_id(call.id, own=own) for call in calls}
            said["tool_calls"] = [self._call(call, ids[call.id], own=own) for call in calls]
            self._out.extend(self._result(ids[call.id], call, results.get(call.id)) for call in calls)
            self._show(results[call.id] for call in calls if call.id in results)
        return {call.id for call in calls}

    def _call(self, call: FunctionCall | MalformedCall, call_id: str, *, own: bool) -> Message:
        # Many servers parse the arguments; the result tells what was wrong with the broken ones.
        arguments = msgspec.json.encode(call.args).decode() if isinstance(call, FunctionCall) else "{}"
        opaque = call.opaque if own and call.opaque else {}
        return {
            "id": call_id,
            "type": "function",
            "function": {"name": _NAME.sub("_", call.name)[:64] or "unknown", "arguments": arguments},
            **{field: opaque[field] for field in OPAQUE_CALL_FIELDS if field in opaque.keys() - self._request.dropped},
        }

    def _thoughts(self, parts: Sequence[Part], *, own: bool, called: bool) -> Message:
        """The reasoning behind an answer, for the one who thought it. It matters where the answer goes on after a call."""
        thoughts = [part for part in parts if isinstance(part, ThoughtPart)] if own else []
        opaque = [part.opaque for part in thoughts if part.opaque]
        details = [entry for fields in opaque for entry in fields.get(DETAILS) or ()]
        if details and DETAILS not in self._request.dropped:
            return {DETAILS: details}
        field = self._dialect.thought_field
        if field is None or not called:
            return {}
        field = next((fields[FIELD] for fields in opaque if FIELD in fields), field)
        text = "".join(part.text for part in thoughts)
        wanted = (text or self._dialect.demands_thoughts) and field not in self._request.dropped
        return {field: text} if wanted else {}

    def _result(self, call_id: str, call: FunctionCall | MalformedCall, result: ToolResult | None) -> Message:
        if result is not None:
            content = _joined(result.content)
        else:
            content = call.problem if isinstance(call, MalformedCall) else NO_RESULT
        return {"role": "tool", "tool_call_id": call_id, "content": content or "(empty)"}

    def _show(self, results: Iterable[ToolResult]) -> None:
        """Pictures and files in results: a tool's message holds text only."""
        parts: list[Message] = []
        for result in results:
            shown = [made for part in result.content if (made := self._part(part))["type"] != "text"]
            if shown:
                kind = "pictures" if all(made["type"] == Media.IMAGE for made in shown) else "files"
                parts += [{"type": "text", "text": f"[{kind} of {result.name}]"}, *shown]
        if parts:
            self._user(parts)

    def _call_id(self, call_id: str, *, own: bool) -> str:
        """The id as it was, where the server takes it, else one made from it."""
        length = self._dialect.call_id_length
        made = sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()
        if length is not None:
            fits = len(call_id) == length and call_id.isascii() and call_id.isalnum()
            return call_id if fits else made[:length]
        fits = bool(call_id) and not _NAME.search(call_id) and len(call_id) <= MAX_CALL_ID
        # A server that made longer ids itself may find things in them again.
        return call_id if fits or (own and call_id.isprintable() and call_id) else f"call_{made[:24]}"

    # ------------------------------------------------------------------------------------------------ what a person said

    def _say(self, message: PromptMessage, answered: set[str]) -> None:
        parts: list[Part] = []
        told: list[str] = []
        for part in message.parts:
            if not isinstance(part, ToolResult):
                parts.append(part)
            elif part.call_id in answered:
                answered.discard(part.call_id)
            else:
                told.append(result_in_words(part).text)
        if any(isinstance(part, ImagePart | FilePart) for part in parts):
            said = [self._part(part) for part in parts if not isinstance(part, TextPart) or part.text]
            self._user([*({"type": "text", "text": text} for text in told), *said])
        else:
            self._user("\n".join(filter(None, (*told, _joined(parts)))))

    def _user(self, content: str | list[Message]) -> None:
        if self._dialect.bridges_results and self._out and self._out[-1]["role"] == "tool":
            self._out.append({"role": "assistant", "content": "OK."})
        if isinstance(content, list) and all(part["type"] == "text" for part in content):
            content = "\n".join(part["text"] for part in content)
        if content:
            self._out.append({"role": "user", "content": content})

    def _part(self, part: Part) -> Message:
        if isinstance(part, ImagePart) and Media.IMAGE in self._takes and (part.data or part.url):
            url = data_url(part.media_type, part.data) if part.data else part.url
            return {"type": "image_url", "image_url": {"url": url}}
        if isinstance(part, FilePart):
            sound = AUDIO_FORMATS.get(part.media_type)
            if sound and Media.AUDIO in self._takes:
                data = base64_text(part.data)
                # Alibaba takes an address only: https://www.alibabacloud.com/help/en/model-studio/qwen-omni
                data = f"data:;base64,{data}" if self._dialect.audio_as_url else data
                return {"type": "input_audio", "input_audio": {"data": data, "format": sound}}
            if part.media_type == "application/pdf" and Media.FILE in self._takes:
                url = data_url(part.media_type, part.data)
                return {"type": "file", "file": {"filename": part.name, "file_data": url}}
        return {"type": "text", "text": _joined((part,))}

    # ----------------------------------------------------------------------------------------------------- prompt cache

    def _mark(self) -> None:
        if not self._request.model.startswith(self._dialect.cached_models):
            return
        for message in self._marked[-MAX_CACHE_MARKS:]:
            content = message["content"]
            if isinstance(content, str) and content:
                content = message["content"] = [{"type": "text", "text": content}]
            if content:
                content[-1]["cache_control"] = {"type": "ephemeral"}


def _results(messages: Iterable[PromptMessage]) -> dict[str, ToolResult]:
    """The results that follow an assistant's message, up to the next one; of two for one call the first counts."""
    found: dict[str, ToolResult] = {}
    for message in messages:
        if message.role is Role.ASSISTANT:
            break
        for part in message.parts:
            if isinstance(part, ToolResult):
                found.setdefault(part.call_id, part)
    return found


def _joined(parts: Iterable[Part]) -> str:
    """The parts as text; what is no text by its name."""
    return "".join(
        in_words(part).text if isinstance(part, ImagePart | FilePart) else part.text
        for part in parts
        if isinstance(part, ImagePart | FilePart | TextPart)
    )


def _alternating(messages: Sequence[Message]) -> list[Message]:
    """Messages of one role in a row as one, between paragraphs."""
    out: list[Message] = []
    for message in messages:
        if out and out[-1]["role"] == message["role"] and message["role"] in ("user", "assistant"):
            out[-1] = {**out[-1], **message, "content": _both(out[-1]["content"] or "", message["content"] or "")}
        else:
            out.append(message)
    return out


def _both(first: str | list[Message], second: str | list[Message]) -> str | list[Message]:
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_as_parts(first), *_as_parts(second)]


def _as_parts(content: str | list[Message]) -> list[Message]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else content

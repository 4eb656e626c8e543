"""The conversation as Chat Completions wants it: one list of messages, where each tool call is followed by its result.

    assistant  text, reasoning of its own, tool_calls
    tool       one for each call, in the order of the calls
    user       what no tool message can hold (pictures and files in results), then what the person said

That roles alternate and calls have results was seen to before (adapters.well_formed).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeAlias

import msgspec

from adapters.contract import (
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    Part,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
)
from adapters.in_words import in_words
from adapters.paired_calls import CallIds
from adapters.providers.body import PICTURE_TYPES, base64_text, data_url, media_type_of, on_lines, spoken_text
from adapters.providers.chat.dialect import Dialect, Media
from adapters.well_formed import Demands

Message: TypeAlias = dict[str, Any]

CALL_IDS: Final = CallIds(re.compile(r"[A-Za-z0-9_-]{1,40}"), keeps_own=True)
"""OpenAI takes 40 characters; ids of other protocols may be longer."""

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


def demands_of(dialect: Dialect, dropped: frozenset[str]) -> Demands:
    """What this server wants of a conversation. `dropped`: what its model was seen to refuse."""
    refused = dialect.refuses | dropped
    length = dialect.call_id_length
    ids = CALL_IDS if length is None else CallIds(re.compile(f"[A-Za-z0-9]{{{length}}}"), length=length)
    return Demands(
        ids,
        calls="tools" not in refused,
        images=Media.IMAGE in dialect.takes and Media.IMAGE.value not in dropped,
        ends_with_user=dialect.ends_with_user,
        opaque_texts=False,
    )


class Conversation:
    """Builds the messages of one request, which is well-formed."""

    def __init__(self, request: GenerationRequest, dialect: Dialect) -> None:
        self._request = request
        self._dialect = dialect
        self._takes = frozenset(media for media in dialect.takes if media.value not in request.dropped)
        self._out: list[Message] = []
        self._marked: list[Message] = []

    def messages(self, system: str) -> list[Message]:
        """All messages, the system's first."""
        if system:
            self._out.append({"role": "system", "content": system})
        for message in self._request.messages:
            if message.role is Role.ASSISTANT:
                self._answer(message.parts)
            else:
                self._say(message.parts)
            if message.cache_mark:
                self._marked.append(self._out[-1])
        self._mark()
        return self._out

    # ------------------------------------------------------------------------------------------------- what a model said

    def _answer(self, parts: Sequence[Part]) -> None:
        """The assistant's message; results of its calls follow with the user's."""
        text = spoken_text(parts)
        calls = [self._call(part) for part in parts if isinstance(part, FunctionCall)]
        said: Message = {"role": "assistant", "content": text or None, **self._thoughts(parts, called=bool(calls))}
        if calls:
            said["tool_calls"] = calls
        self._out.append(said)

    def _call(self, call: FunctionCall) -> Message:
        opaque = call.opaque or {}
        return {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": msgspec.json.encode(call.args).decode()},
            **{field: opaque[field] for field in OPAQUE_CALL_FIELDS if field in opaque.keys() - self._request.dropped},
        }

    def _thoughts(self, parts: Sequence[Part], *, called: bool) -> Message:
        """The reasoning behind an answer, for the one who thought it. It matters where the answer goes on after a call."""
        thoughts = [part for part in parts if isinstance(part, ThoughtPart)]
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

    # ------------------------------------------------------------------------------------------------ what a person said

    def _say(self, parts: Sequence[Part]) -> None:
        results = [part for part in parts if isinstance(part, ToolResult)]
        for result in results:
            content = on_lines(map(_words, result.content)) or "(empty)"
            self._out.append({"role": "tool", "tool_call_id": result.call_id, "content": content})
        others = (self._part(part) for part in parts if not isinstance(part, ToolResult))
        said = list(_texts_joined([*self._shown(results), *others]))
        if not said:
            return
        if results and self._dialect.bridges_results:
            self._out.append({"role": "assistant", "content": "OK."})
        only_text = len(said) == 1 and said[0]["type"] == "text"
        self._out.append({"role": "user", "content": said[0]["text"] if only_text else said})

    def _shown(self, results: Iterable[ToolResult]) -> list[Message]:
        """Pictures and files in results: a tool's message holds text only."""
        parts: list[Message] = []
        for result in results:
            shown = [made for part in result.content if (made := self._part(part))["type"] != "text"]
            if shown:
                kind = "pictures" if all(made["type"] == Media.IMAGE for made in shown) else "files"
                parts += [{"type": "text", "text": f"[{kind} of {result.name}]"}, *shown]
        return parts

    def _part(self, part: Part) -> Message:
        media_type = media_type_of(part.media_type) if isinstance(part, ImagePart | FilePart) else ""
        if isinstance(part, ImagePart) and (media_type in PICTURE_TYPES or not part.data):
            url = data_url(media_type, part.data) if part.data else part.url
            return {"type": "image_url", "image_url": {"url": url}}
        if isinstance(part, FilePart):
            sound = AUDIO_FORMATS.get(media_type)
            if sound and Media.AUDIO in self._takes:
                data = base64_text(part.data)
                # Alibaba takes an address only: https://www.alibabacloud.com/help/en/model-studio/qwen-omni
                data = f"data:;base64,{data}" if self._dialect.audio_as_url else data
                return {"type": "input_audio", "input_audio": {"data": data, "format": sound}}
            if media_type == "application/pdf" and Media.FILE in self._takes:
                url = data_url(media_type, part.data)
                return {"type": "file", "file": {"filename": part.name, "file_data": url}}
        return {"type": "text", "text": _words(part)}

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


def _words(part: Part) -> str:
    """A part as text; what is no text by its name."""
    if isinstance(part, ImagePart | FilePart):
        return in_words(part).text
    return part.text if isinstance(part, TextPart) else ""


def _texts_joined(parts: Iterable[Message]) -> Iterator[Message]:
    """Texts in a row as one."""
    for is_text, run in groupby(parts, key=lambda part: part["type"] == "text"):
        if is_text:
            yield {"type": "text", "text": on_lines(part["text"] for part in run)}
        else:
            yield from run

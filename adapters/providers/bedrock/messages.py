"""The conversation as Converse wants it: user and assistant take turns, the user begins and ends, and no block is empty.

The results of an answer's calls stand first in the user message after it, one for each call and for no other: the API refuses a
call without a result, a result without a call, and two calls of one id. Signed thoughts and the blocks of Bedrock's own tools go back to the model
that gave them. Facts: API reference, pages Message, ContentBlock and the blocks.
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
from adapters.providers.bedrock.models import Traits
from adapters.providers.body import GO_ON, NO_RESULT, base64_text, in_words, merged, readable_text, result_in_words

Block: TypeAlias = dict[str, Any]

IMAGE_FORMATS: Final[Mapping[str, str]] = {
    "image/png": "png",
    "image/jpeg": "jpeg",
    "image/jpg": "jpeg",
    "image/gif": "gif",
    "image/webp": "webp",
}

DOCUMENT_FORMATS: Final[Mapping[str, str]] = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
}

MAX_DOCUMENTS: Final = 5
MAX_DOCUMENT_BYTES: Final = 4_500_000
MAX_CACHE_POINTS: Final = 4

CACHE_POINT: Final = {"cachePoint": {"type": "default"}}

_EMPTY: Final = "(empty)"
_BEGINNING: Final = "(the conversation began earlier)"
_SEE_FILE: Final = "(see the file)"

MAX_ID_CHARS: Final = 64

Called: TypeAlias = tuple[str, str]
"""A call's id as the conversation knows it, and as it is sent."""

_CALL_ID: Final = re.compile(rf"[a-zA-Z0-9_.:-]{{1,{MAX_ID_CHARS}}}")
_NOT_IN_TOOL_NAME: Final = re.compile(r"[^a-zA-Z0-9_-]")
_NOT_IN_FILE_NAME: Final = re.compile(r"[^a-zA-Z0-9\s()\[\]-]+")


def tool_name(name: str) -> str:
    """The name as the API takes it; a model may have called what no tool can be named."""
    return _NOT_IN_TOOL_NAME.sub("_", name)[:64] or "unknown"


class Conversation:
    """Builds the messages of one request."""

    def __init__(self, request: GenerationRequest, origin: Origin, traits: Traits) -> None:
        self._origin = origin
        self._traits = traits
        self._dropped = request.dropped
        self._calls = not request.dropped & {"tools", "toolConfig"}
        """Calls are sent; where the model knows no tools, their results are told in words."""
        self._caches = traits.caches and "cachePoint" not in request.dropped
        self._file_names: set[str] = set()
        self._ids: dict[str, int] = {}
        """Ids sent so far -> how many calls had them."""
        self._messages = merged(self._sendable(request.messages))
        self.called: dict[str, None] = {}
        """The names of the tools that were called."""

    def blocks(self) -> list[Block]:
        """The field `messages`."""
        out: list[Block] = []
        marked: list[Block] = []
        calls: list[Called] = []
        for message in self._messages:
            if message.role is Role.USER:
                content = self._said(message.parts, calls)
                calls = []
            else:
                content = self._answered(message, calls)
            out.append({"role": message.role.value, "content": content})
            if message.cache_mark:
                marked.append(out[-1])
        if calls:
            out.append({"role": "user", "content": self._said((), calls)})
        if not out or out[0]["role"] != "user":
            out.insert(0, {"role": "user", "content": [{"text": _BEGINNING}]})
        if out[-1]["role"] != "user":
            # Newer Claude models and those of other makers do not go on in the middle of a message.
            out.append({"role": "user", "content": [{"text": GO_ON}]})
        if self._caches:
            for message_out in marked[-MAX_CACHE_POINTS:]:
                message_out["content"].append(CACHE_POINT)
        return out

    # ------------------------------------------------------------------------------------------------ what is left out

    def _sendable(self, messages: Iterable[PromptMessage]) -> Sequence[PromptMessage]:
        """Without blank text, without what others thought, without thoughts behind which nothing follows, and without
        messages of which nothing is left."""
        out: list[PromptMessage] = []
        for message in messages:
            own = message.origin == self._origin
            parts = [part for part in message.parts if self._is_sendable(part, message.role, own)]
            while parts and isinstance(parts[-1], ThoughtPart):
                parts.pop()
            if parts:
                out.append(PromptMessage(message.role, tuple(parts), message.origin, message.cache_mark))
            elif message.cache_mark and out:
                out[-1] = msgspec.structs.replace(out[-1], cache_mark=True)
        return out

    def _is_sendable(self, part: Part, role: Role, own: bool) -> bool:
        if isinstance(part, ThoughtPart):
            return own and _thought(part) is not None
        if isinstance(part, TextPart):
            return bool(part.text.strip()) or (own and _server_block(part) is not None)
        if isinstance(part, FunctionCall | MalformedCall):
            return role is Role.ASSISTANT and self._calls
        return role is Role.USER or not isinstance(part, ToolResult)

    # ---------------------------------------------------------------------------------------------- what a model said

    def _answered(self, message: PromptMessage, calls: list[Called]) -> list[Block]:
        """The content of a model's message; its calls join `calls`."""
        own = message.origin == self._origin
        content: list[Block] = []
        for part in message.parts:
            if isinstance(part, TextPart):
                if part.text.strip():
                    content.append({"text": part.text})
                block = _server_block(part) if own else None
                if block is not None:
                    content.append(block)
            elif isinstance(part, ThoughtPart):
                block = _thought(part) if own else None
                if block is not None:
                    content.append(block)
            elif isinstance(part, FunctionCall | MalformedCall):
                name, wire_id = tool_name(part.name), self._new_id(part.id)
                arguments = dict(part.args) if isinstance(part, FunctionCall) else {}
                content.append({"toolUse": {"toolUseId": wire_id, "name": name, "input": arguments}})
                calls.append((part.id, wire_id))
                self.called[name] = None
            elif isinstance(part, ImagePart | FilePart):
                # Pictures and files are for users only.
                content.append({"text": in_words(part).text})
        return content

    def _new_id(self, call_id: str) -> str:
        """The id as it was, where the API takes it and no earlier call has it: those of other providers may be longer, hold
        other signs, or begin anew with every answer."""
        wire = call_id
        if not _CALL_ID.fullmatch(call_id):
            wire = f"call_{sha256(call_id.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}"
        first = wire
        while wire in self._ids:
            self._ids[first] += 1
            wire = f"{first[: MAX_ID_CHARS - 8]}_{self._ids[first]}"
        self._ids[wire] = 1
        return wire

    # --------------------------------------------------------------------------------------------- what a person said

    def _said(self, parts: Sequence[Part], calls: Sequence[Called]) -> list[Block]:
        results: dict[str, ToolResult] = {}
        others: list[Part] = []
        wanted = {call_id for call_id, _ in calls}
        for part in parts:
            if isinstance(part, ToolResult) and part.call_id in wanted:
                results.setdefault(part.call_id, part)
            elif isinstance(part, ToolResult):
                others.append(result_in_words(part))
            else:
                others.append(part)
        answers = [self._result(wire_id, results.get(call_id)) for call_id, wire_id in calls]
        return [*answers, *self._content(others)]

    def _result(self, wire_id: str, result: ToolResult | None) -> Block:
        content = self._content(result.content) if result is not None else [{"text": NO_RESULT}]
        block: Block = {"toolUseId": wire_id, "content": content or [{"text": _EMPTY}]}
        if (result is None or result.is_error) and (self._traits.claude or self._traits.nova):
            block["status"] = "error"
        return {"toolResult": block}

    def _content(self, parts: Iterable[Part]) -> list[Block]:
        blocks: list[Block] = []
        documents_nr = 0
        for part in parts:
            block = None
            if isinstance(part, ImagePart):
                block = self._image(part)
            elif isinstance(part, FilePart) and documents_nr < MAX_DOCUMENTS:
                block = self._document(part)
                documents_nr += block is not None
            if block is None:
                text = in_words(part).text if isinstance(part, ImagePart | FilePart) else _text(part)
                block = {"text": text} if text.strip() else None
            if block is not None:
                blocks.append(block)
        if documents_nr and not any("text" in block for block in blocks):
            blocks.append({"text": _SEE_FILE})
        return blocks

    def _image(self, part: ImagePart) -> Block | None:
        kind = IMAGE_FORMATS.get(_media_type(part))
        if kind is None or not part.data or "image" in self._dropped:
            return None
        return {"image": {"format": kind, "source": {"bytes": base64_text(part.data)}}}

    def _document(self, part: FilePart) -> Block | None:
        media_type = _media_type(part)
        kind = DOCUMENT_FORMATS.get(media_type)
        if kind is None and readable_text(part.data, media_type) is not None:
            kind = "txt"
        if kind is None or not 0 < len(part.data) <= MAX_DOCUMENT_BYTES or "document" in self._dropped:
            return None
        name = self._file_name(part.name)
        return {"document": {"format": kind, "name": name, "source": {"bytes": base64_text(part.data)}}}

    def _file_name(self, name: str) -> str:
        """A name that the API takes, and that no other file of the request has: it refuses two of one name."""
        stem = " ".join(_NOT_IN_FILE_NAME.sub(" ", name.rpartition(".")[0] or name).split())[:180] or "file"
        unique, number = stem, 1
        while unique in self._file_names:
            number += 1
            unique = f"{stem} ({number})"
        self._file_names.add(unique)
        return unique


def _thought(part: ThoughtPart) -> Block | None:
    """What the model's maker signed or encrypted; other reasoning is not taken back."""
    opaque = part.opaque or {}
    if isinstance(opaque.get("redactedContent"), str):
        return {"reasoningContent": {"redactedContent": opaque["redactedContent"]}}
    if isinstance(opaque.get("signature"), str):
        return {"reasoningContent": {"reasoningText": {"text": part.text, "signature": opaque["signature"]}}}
    return None


def _server_block(part: TextPart) -> Block | None:
    """A call of one of Bedrock's own tools, or what came of it."""
    block = (part.opaque or {}).get("block")
    return dict(block) if isinstance(block, Mapping) else None


def _media_type(part: ImagePart | FilePart) -> str:
    return part.media_type.partition(";")[0].strip().lower()


def _text(part: Part) -> str:
    return part.text if isinstance(part, TextPart) else ""

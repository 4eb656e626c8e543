"""The conversation as Converse wants it: user and assistant take turns, the user begins and ends, and no block is empty.

All of that was seen to before (adapters.well_formed); here parts become blocks. Signed thoughts and the blocks of Bedrock's own
tools go back to the model that gave them. Facts: API reference, pages Message, ContentBlock and the blocks.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from adapters.contract import (
    FilePart,
    FunctionCall,
    ImagePart,
    Part,
    PromptMessage,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
)
from adapters.in_words import in_words
from adapters.paired_calls import CallIds
from adapters.providers.bedrock.models import Traits
from adapters.providers.body import base64_text, media_type_of, readable_text

Block: TypeAlias = dict[str, Any]

IMAGE_FORMATS: Final[Mapping[str, str]] = {
    "image/png": "png",
    "image/jpeg": "jpeg",
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

CALL_IDS: Final = CallIds(re.compile(r"[a-zA-Z0-9_.:-]{1,64}"))

_EMPTY: Final = "(empty)"
_SEE_FILE: Final = "(see the file)"

_NOT_IN_FILE_NAME: Final = re.compile(r"[^a-zA-Z0-9\s()\[\]-]+")


class Conversation:
    """Builds the messages of one request."""

    def __init__(self, messages: Sequence[PromptMessage], traits: Traits, dropped: Collection[str]) -> None:
        """`messages` are well-formed."""
        self._messages = messages
        self._traits = traits
        self._dropped = dropped
        self._caches = traits.caches and "cachePoint" not in dropped
        self._file_names: set[str] = set()
        self.called: dict[str, None] = {}
        """The names of the tools that were called."""

    def blocks(self) -> list[Block]:
        """The field `messages`."""
        out: list[Block] = []
        marked: list[Block] = []
        for message in self._messages:
            content = self._said(message.parts) if message.role is Role.USER else self._answered(message.parts)
            if out and out[-1]["role"] == message.role.value:
                # Nothing was left of the message between them.
                out[-1]["content"] += content
            elif content:
                out.append({"role": message.role.value, "content": content})
            if message.cache_mark:
                marked.append(out[-1])
        if self._caches:
            for message_out in marked[-MAX_CACHE_POINTS:]:
                message_out["content"].append(CACHE_POINT)
        return out

    # ---------------------------------------------------------------------------------------------- what a model said

    def _answered(self, parts: Iterable[Part]) -> list[Block]:
        """The content of a model's message. It does not end with a thought."""
        content: list[Block] = []
        for part in parts:
            if isinstance(part, TextPart):
                if part.text.strip():
                    content.append({"text": part.text})
                content += _server_block(part)
            elif isinstance(part, ThoughtPart):
                content += _thought(part)
            elif isinstance(part, FunctionCall):
                content.append({"toolUse": {"toolUseId": part.id, "name": part.name, "input": part.args}})
                self.called[part.name] = None
        while content and "reasoningContent" in content[-1]:
            content.pop()
        return content

    # --------------------------------------------------------------------------------------------- what a person said

    def _said(self, parts: Sequence[Part]) -> list[Block]:
        answers = [self._result(part) for part in parts if isinstance(part, ToolResult)]
        return [*answers, *self._content(part for part in parts if not isinstance(part, ToolResult))]

    def _result(self, result: ToolResult) -> Block:
        block: Block = {"toolUseId": result.call_id, "content": self._content(result.content) or [{"text": _EMPTY}]}
        if result.is_error and (self._traits.claude or self._traits.nova):
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
        kind = IMAGE_FORMATS.get(media_type_of(part.media_type))
        if kind is None or not part.data:
            return None
        return {"image": {"format": kind, "source": {"bytes": base64_text(part.data)}}}

    def _document(self, part: FilePart) -> Block | None:
        media_type = media_type_of(part.media_type)
        kind = DOCUMENT_FORMATS.get(media_type)
        if kind is None and readable_text(part.data, media_type) is not None:
            kind = "txt"
        if kind is None or len(part.data) > MAX_DOCUMENT_BYTES or "document" in self._dropped:
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


def _thought(part: ThoughtPart) -> Sequence[Block]:
    """What the model's maker signed or encrypted; other reasoning is not taken back."""
    opaque = part.opaque or {}
    if isinstance(opaque.get("redactedContent"), str):
        return ({"reasoningContent": {"redactedContent": opaque["redactedContent"]}},)
    if isinstance(opaque.get("signature"), str):
        return ({"reasoningContent": {"reasoningText": {"text": part.text, "signature": opaque["signature"]}}},)
    return ()


def _server_block(part: TextPart) -> Sequence[Block]:
    """A call of one of Bedrock's own tools, or what came of it."""
    block = (part.opaque or {}).get("block")
    return (dict(block),) if isinstance(block, Mapping) else ()


def _text(part: Part) -> str:
    return part.text if isinstance(part, TextPart) else ""

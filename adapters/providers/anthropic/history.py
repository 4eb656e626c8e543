"""The conversation as the turns of Anthropic's Messages API.

What all APIs want of it was seen to before (adapters.well_formed). This one takes no message that ends with a thought, and a call
of its own server's tools without a result only in the message that the model is still at. What the model's own blocks held
(signatures, citations, server tools) goes back as it came: the API checks signatures against the model and the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final, TypeAlias

import msgspec

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
from adapters.providers.body import PICTURE_TYPES, base64_text, media_type_of, readable_text

Block: TypeAlias = dict[str, Any]

_MARKABLE: Final = frozenset(("text", "image", "document", "tool_use", "tool_result"))
"""Blocks that can carry `cache_control`; thoughts cannot."""

THOUGHTS: Final = ("thinking", "redacted_thinking")

CALL_IDS: Final = CallIds(re.compile(r"[A-Za-z0-9_-]{1,64}"))


class Turn(msgspec.Struct):
    """One message under construction."""

    role: Role
    blocks: list[Block]
    cache_mark: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"role": self.role.value, "content": self.blocks}

    def mark(self) -> bool:
        """Make the prompt up to here a cache's entry; False where no block can carry the mark."""
        for block in reversed(self.blocks):
            if block["type"] in _MARKABLE:
                block["cache_control"] = {"type": "ephemeral"}
                return True
        return False


class History(msgspec.Struct, frozen=True):
    turns: Sequence[Turn]
    container: str | None
    """Where the provider's tools of the last message still run."""


def history_of(messages: Iterable[PromptMessage], *, thoughts: bool = True) -> History:
    """The turns of a well-formed conversation. `thoughts` off leaves the reasoning out."""
    history = _History(thoughts)
    for message in messages:
        history.add(message)
    return history.ended()


class _History:
    def __init__(self, thoughts: bool) -> None:
        self._thoughts = thoughts
        self._turns: list[Turn] = []
        self._container: str | None = None

    def add(self, message: PromptMessage) -> None:
        if message.role is Role.ASSISTANT:
            self._container = None
            blocks = self._said(message.parts)
        else:
            blocks = [block for part in message.parts for block in _user_blocks(part)]
        self._turns.append(Turn(message.role, blocks, message.cache_mark))

    def ended(self) -> History:
        self._drop_unfinished()
        for turn in self._turns:
            while turn.blocks and turn.blocks[-1]["type"] in THOUGHTS:
                turn.blocks.pop()
        turns = _without_empty(self._turns)
        at_work = turns[-1].role is Role.ASSISTANT or _is_answer(turns[-1])
        return History(turns, self._container if at_work else None)

    def _said(self, parts: Iterable[Part]) -> list[Block]:
        blocks: list[Block] = []
        for part in parts:
            match part:
                case TextPart():
                    blocks.extend(self._own_text(part) if part.opaque else _user_blocks(part))
                case ThoughtPart():
                    if self._thoughts:
                        blocks.extend(_thoughts(part))
                case FunctionCall():
                    use = {"type": "tool_use", "id": part.id, "name": part.name, "input": part.args}
                    blocks.append({**use, **(part.opaque or {})})
                case _:
                    pass
        return blocks

    def _own_text(self, part: TextPart) -> Iterator[Block]:
        """A text with its citations, or another block of the provider's, which follows the text that it closed."""
        opaque = dict(part.opaque or {})
        if opaque.get("type") == "text":
            if part.text.strip():
                yield {**opaque, "text": part.text}
            return
        if part.text.strip():
            yield _text(part.text)
        if opaque.get("type") == "container":
            self._container = opaque.get("id")
        elif isinstance(opaque.get("type"), str):
            yield opaque

    def _drop_unfinished(self) -> None:
        """A server's tool without its result is refused, but in the message that the model is still at."""
        answered = (block.get("tool_use_id") for turn in self._turns for block in turn.blocks)
        done = {each for each in answered if isinstance(each, str)}
        current = next((turn for turn in reversed(self._turns) if not _is_answer(turn)), None)
        for turn in self._turns:
            if turn is not current:
                turn.blocks[:] = [block for block in turn.blocks if not _is_open(block, done)]


def _without_empty(turns: Iterable[Turn]) -> list[Turn]:
    """Without the turns of which nothing was left; those around one become one."""
    out: list[Turn] = []
    for turn in turns:
        if out and out[-1].role is turn.role:
            out[-1].blocks += turn.blocks
            out[-1].cache_mark |= turn.cache_mark
        elif turn.blocks:
            out.append(turn)
    return out


def _is_answer(turn: Turn) -> bool:
    return turn.role is Role.USER and all(block["type"] == "tool_result" for block in turn.blocks)


def _is_open(block: Block, done: Collection[str]) -> bool:
    """A call of a server's tool that has no result."""
    if block["type"] not in ("server_tool_use", "mcp_tool_use"):
        return False
    call_id = block.get("id")
    return not isinstance(call_id, str) or call_id not in done


def _thoughts(part: ThoughtPart) -> Iterator[Block]:
    """Without a signature it was cut, or was no thought of the API's: it stays out."""
    match (part.opaque or {}).get("type"):
        case "thinking":
            yield {**(part.opaque or {}), "thinking": part.text}
        case "redacted_thinking":
            yield dict(part.opaque or {})


def _result(result: ToolResult) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": result.call_id}
    # All that a failed call says must be text.
    content = [_textual(part) for part in result.content] if result.is_error else result.content
    blocks = [each for part in content for each in _user_blocks(part)]
    if blocks:
        block["content"] = blocks
    if result.is_error:
        block["is_error"] = True
    return block


def _textual(part: TextPart | ImagePart | FilePart) -> TextPart:
    return part if isinstance(part, TextPart) else in_words(part)


def _user_blocks(part: Part) -> Iterator[Block]:
    match part:
        case TextPart():
            if part.text.strip():
                yield _text(part.text)
        case ImagePart():
            yield _image(part)
        case FilePart():
            yield _file(part)
        case ToolResult():
            yield _result(part)
        case _:
            # Thoughts and calls are the assistant's.
            pass


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _image(part: ImagePart) -> Block:
    media_type = media_type_of(part.media_type)
    if part.data and media_type in PICTURE_TYPES:
        source = {"type": "base64", "media_type": media_type, "data": base64_text(part.data)}
    elif part.url and not part.data:
        source = {"type": "url", "url": part.url}
    else:
        return _text(in_words(part).text)
    return {"type": "image", "source": source}


def _file(part: FilePart) -> Block:
    media_type = media_type_of(part.media_type)
    if media_type in PICTURE_TYPES:
        return _image(ImagePart(media_type, part.data))
    if media_type == "application/pdf":
        source = {"type": "base64", "media_type": media_type, "data": base64_text(part.data)}
    elif (text := readable_text(part.data, media_type)) is not None:
        source = {"type": "text", "media_type": "text/plain", "data": text}
    else:
        return _text(in_words(part).text)
    return {"type": "document", "source": source, "title": part.name}

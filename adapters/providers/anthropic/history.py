"""The conversation as the turns of Anthropic's Messages API.

The API wants the roles to alternate and the user to begin, no blank text, and right after a message with calls the results of all
of them and of nothing else, before anything the user says. Ids are of a small alphabet and unique in the conversation.
What the model's own blocks held (signatures, citations, server tools) goes back as it came, to its own origin only: the API
checks signatures against the model and the conversation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final, TypeAlias

import msgspec

from adapters.contract import (
    FilePart,
    FunctionCall,
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
from adapters.providers.body import NO_RESULT, base64_text, in_words, readable_text, result_in_words

Block: TypeAlias = dict[str, Any]

IMAGE_TYPES: Final = frozenset(("image/jpeg", "image/png", "image/gif", "image/webp"))
"""What the API takes as a picture (its page "Images and vision")."""

_MARKABLE: Final = frozenset(("text", "image", "document", "tool_use", "tool_result"))
"""Blocks that can carry `cache_control`; thoughts cannot."""

THOUGHTS: Final = ("thinking", "redacted_thinking")

_FOREIGN: Final = re.compile(r"[^A-Za-z0-9_-]")
_MAX_NAME: Final = 64

NOTHING_SAID: Final = "…"


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


def history_of(
    messages: Sequence[PromptMessage], origin: Origin, *, thoughts: bool = True, calls: bool = True
) -> History:
    """The turns of a conversation that `origin` goes on with. `thoughts` off leaves the reasoning out; `calls` off the calls,
    and their results are told in words."""
    history = _History(origin, thoughts, calls)
    for message in messages:
        history.add(message)
    return history.ended()


class _History:
    def __init__(self, origin: Origin, thoughts: bool, calls: bool) -> None:
        self._origin = origin
        self._thoughts = thoughts
        self._calls = calls
        self._turns: list[Turn] = []
        self._ids: dict[str, str] = {}
        """Of a call as the conversation knows it -> as the latest call with that id was sent."""
        self._taken: dict[str, int] = {}
        """Ids sent so far -> how many calls had them."""
        self._container: str | None = None

    def add(self, message: PromptMessage) -> None:
        if message.role is Role.ASSISTANT:
            self._container = None
            own = message.origin == self._origin
            self._append(Role.ASSISTANT, self._said(message.parts, own), message.cache_mark)
        else:
            results = {self._ids.get(part.call_id): part for part in message.parts if isinstance(part, ToolResult)}
            results.pop(None, None)
            answered = self._answer(results)
            self._append(Role.USER, self._asked(message.parts, answered), message.cache_mark)

    def ended(self) -> History:
        self._answer({})
        self._drop_unfinished()
        self._drop_last_thoughts()
        if not self._turns or self._turns[0].role is Role.ASSISTANT:
            self._turns.insert(0, Turn(Role.USER, [_text(NOTHING_SAID)]))
        at_work = self._turns[-1].role is Role.ASSISTANT or _is_answer(self._turns[-1])
        return History(self._turns, self._container if at_work else None)

    def _append(self, role: Role, blocks: Sequence[Block], cache_mark: bool) -> None:
        if self._turns and self._turns[-1].role is role:
            self._turns[-1].blocks.extend(blocks)
            self._turns[-1].cache_mark |= cache_mark
        elif blocks:
            self._turns.append(Turn(role, list(blocks), cache_mark))

    def _answer(self, results: Mapping[str | None, ToolResult]) -> Collection[str]:
        """Give the calls of the last message their results. Gives the ids of those calls: the API refuses any other result."""
        last = self._turns[-1] if self._turns else None
        if last is None:
            return ()
        if last.role is Role.ASSISTANT:
            calls = [block["id"] for block in last.blocks if block["type"] == "tool_use"]
            self._append(Role.USER, [_result(call_id, results.get(call_id)) for call_id in calls], False)
            return calls
        # Results may be spread over several messages of the user; what stands in for them so far is then replaced.
        answered = []
        for position, block in enumerate(last.blocks):
            if block["type"] == "tool_result":
                answered.append(block["tool_use_id"])
                if found := results.get(block["tool_use_id"]):
                    last.blocks[position] = _result(block["tool_use_id"], found)
        return answered

    def _said(self, parts: Iterable[Part], own: bool) -> list[Block]:
        blocks: list[Block] = []
        for part in parts:
            match part:
                case TextPart():
                    blocks.extend(self._own_text(part) if own and part.opaque else _user_blocks(part))
                case ThoughtPart():
                    if own and self._thoughts:
                        blocks.extend(_thoughts(part))
                case FunctionCall() | MalformedCall():
                    if self._calls:
                        extra = part.opaque if own and part.opaque else {}
                        blocks.append({**self._call(part), **extra})
                case ImagePart() | FilePart():
                    blocks.append(_text(in_words(part).text))
                case ToolResult():
                    pass
        return blocks

    def _asked(self, parts: Iterable[Part], answered: Collection[str]) -> list[Block]:
        """What a person sent; the result of a call that is not there is told in words."""
        blocks: list[Block] = []
        for part in parts:
            if not isinstance(part, ToolResult):
                blocks.extend(_user_blocks(part))
            elif self._ids.get(part.call_id) not in answered:
                blocks.append(_text(result_in_words(part).text))
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

    def _call(self, call: FunctionCall | MalformedCall) -> Block:
        args = dict(call.args) if isinstance(call, FunctionCall) else {}
        return {"type": "tool_use", "id": self._new_id(call.id), "name": wire_name(call.name), "input": args}

    def _new_id(self, call_id: str) -> str:
        wire = call_id
        if not call_id or _FOREIGN.search(call_id):
            wire = f"call_{blake2b(call_id.encode('utf-8', 'surrogatepass'), digest_size=12).hexdigest()}"
        first = wire
        while wire in self._taken:
            self._taken[first] += 1
            wire = f"{first}_{self._taken[first]}"
        self._taken[wire] = 1
        self._ids[call_id] = wire
        return wire

    def _drop_unfinished(self) -> None:
        """A server's tool without its result is refused, but in the message that the model is still at."""
        answered = (block.get("tool_use_id") for turn in self._turns for block in turn.blocks)
        done = {each for each in answered if isinstance(each, str)}
        current = next((turn for turn in reversed(self._turns) if not _is_answer(turn)), None)
        for turn in self._turns:
            if turn is not current:
                turn.blocks[:] = [block for block in turn.blocks if not _is_open(block, done)]
        self._turns = [turn for turn in self._turns if turn.blocks]

    def _drop_last_thoughts(self) -> None:
        """A message must not end with a thought, as that of an answer which was cut behind it does."""
        for turn in self._turns:
            while turn.blocks and turn.blocks[-1]["type"] in THOUGHTS:
                turn.blocks.pop()
        self._turns = [turn for turn in self._turns if turn.blocks]


def _is_answer(turn: Turn) -> bool:
    return turn.role is Role.USER and all(block["type"] == "tool_result" for block in turn.blocks)


def _is_open(block: Block, done: Collection[str]) -> bool:
    """A call of a server's tool that has no result."""
    if block["type"] not in ("server_tool_use", "mcp_tool_use"):
        return False
    call_id = block.get("id")
    return not isinstance(call_id, str) or call_id not in done


def wire_name(name: str) -> str:
    """A tool's name in the alphabet of the API; a malformed call may have any."""
    return _FOREIGN.sub("_", name)[:_MAX_NAME] or "unnamed"


def _thoughts(part: ThoughtPart) -> Iterator[Block]:
    """Without a signature it was cut, or was no thought of the API's: it stays out."""
    match (part.opaque or {}).get("type"):
        case "thinking":
            yield {**(part.opaque or {}), "thinking": part.text}
        case "redacted_thinking":
            yield dict(part.opaque or {})


def _result(call_id: str, result: ToolResult | None) -> Block:
    if result is None:
        return {"type": "tool_result", "tool_use_id": call_id, "content": [_text(NO_RESULT)], "is_error": True}
    block: Block = {"type": "tool_result", "tool_use_id": call_id}
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
        case _:
            # Thoughts and calls are the assistant's.
            pass


def _text(text: str) -> Block:
    return {"type": "text", "text": text}


def _image(part: ImagePart) -> Block:
    media_type = _media_type(part)
    if part.data and media_type in IMAGE_TYPES:
        source = {"type": "base64", "media_type": media_type, "data": base64_text(part.data)}
    elif part.url and not part.data:
        source = {"type": "url", "url": part.url}
    else:
        return _text(in_words(part).text)
    return {"type": "image", "source": source}


def _file(part: FilePart) -> Block:
    media_type = _media_type(part)
    if media_type in IMAGE_TYPES:
        return _image(ImagePart(media_type, part.data))
    if media_type == "application/pdf" and part.data:
        source = {"type": "base64", "media_type": media_type, "data": base64_text(part.data)}
    elif (text := readable_text(part.data, media_type)) is not None:
        source = {"type": "text", "media_type": "text/plain", "data": text}
    else:
        return _text(in_words(part).text)
    block: Block = {"type": "document", "source": source}
    if part.name:
        block["title"] = part.name[:200]
    return block


def _media_type(part: ImagePart | FilePart) -> str:
    media_type = part.media_type.partition(";")[0].strip().lower()
    return "image/jpeg" if media_type == "image/jpg" else media_type

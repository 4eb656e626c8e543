"""A conversation in the shape that every API takes: one stage before all protocols, each of which only writes down what it gets.

    user       begins; first the results of the calls right before, one for each and in their order; then what was said
    assistant  own thoughts, words without blank ones or white space at the end, calls of legal and distinct ids and names
    user       ...

Neighbours of one role are one message. Each call has its one result: that of the history, or one that says that there is none; a
result without its call is told in words. What another origin's opaque fields and thoughts say means nothing here, so they stay
behind. The stage looks at the past only, so a longer conversation begins as the shorter one did (prompt caches), and what it
gives it leaves alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeGuard

import msgspec

from adapters.contract import (
    FilePart,
    FunctionCall,
    GenerationRequest,
    ImagePart,
    MalformedCall,
    NamedTool,
    Origin,
    Part,
    PromptMessage,
    Role,
    TextPart,
    ThoughtPart,
    ToolResult,
    ToolSpec,
    text_message,
)
from adapters.in_words import harmless, in_words, one_line
from adapters.paired_calls import CallIds, PairedCalls
from adapters.tool_calls.wire_names import wire_name, wire_names

BEGINNING: Final = "[the beginning of this conversation is left out]"
"""To the model: what stands before its own first word, since a user must begin."""
NOTHING_SAID: Final = "…"
"""To the model: all of a conversation in which nobody said anything."""
GO_ON: Final = "Go on."
"""To the model: what the user says where the conversation ends with the model, and that takes no such conversation."""

NO_SYSTEM: Final = "system_role"
"""In GenerationRequest.dropped: the model takes no text of the system's, which then stands in front of the first question."""

MAX_FILE_NAME: Final = 200

_BETWEEN: Final = "\n\n"
"""What stands between the texts of two messages that become one."""
_UNSPOKEN: Final = (ThoughtPart, FunctionCall, MalformedCall)


class Demands(msgspec.Struct, frozen=True):
    """What one API, or one model behind it, wants beyond what is right everywhere."""

    ids: CallIds
    calls: bool = True
    """Off: calls are left out, and their results told in words."""
    images: bool = True
    """Off: pictures are named."""
    drawn_images: bool = False
    """The model's own pictures may go back to it."""
    ends_with_user: bool = False
    """A conversation whose last word is the model's is refused."""
    opaque_texts: bool = True
    """Texts may carry opaque fields here; elsewhere any on them are of no use."""


def well_formed(request: GenerationRequest, origin: Origin, demands: Demands) -> GenerationRequest:
    """The request as this API takes it. `origin`: who will read it.

    Afterwards opaque fields and thoughts are the reader's own, there is no MalformedCall, and tools and calls have the names of
    tool_calls.wire_names, which decoders read back."""
    names = wire_names(tool.name for tool in request.tools)
    tools = {
        tool.name: ToolSpec(names[tool.name], harmless(tool.description), tool.parameters) for tool in request.tools
    }
    choice = request.tool_choice
    if isinstance(choice, NamedTool):
        choice = NamedTool(names.get(choice.name) or wire_name(choice.name))
    system = harmless(request.system) if request.system.strip() else ""
    turns = _merged((_sendable(message, origin, demands) for message in request.messages), origin)
    messages = tuple(_ended(PairedCalls(names, origin, demands.ids).turns(turns), demands))
    return msgspec.structs.replace(
        request, messages=messages, system=system, tools=tuple(tools.values()), tool_choice=choice
    )


def with_system_in_front(request: GenerationRequest, system: str) -> GenerationRequest:
    """A well-formed request for a model without a system role: `system` stands before what the first user said."""
    if not system.strip():
        return request
    first, *others = request.messages
    return msgspec.structs.replace(
        request, system="", messages=(_joined((text_message(Role.USER, system), first)), *others)
    )


# ------------------------------------------------------------------------------------------------- parts, one by one


def _sendable(message: PromptMessage, origin: Origin, demands: Demands) -> PromptMessage:
    """The message without what cannot be sent; without any part where nothing is left of it."""
    own = message.origin == origin
    if message.role is Role.USER:
        heard = (_heard(part, demands) for part in message.parts)
        parts = [part for part in heard if part is not None and not _is_blank(part)]
    else:
        parts = list(_without_blanks(_all_spoken(message.parts, demands, own=own)))
        _trim_end(parts)
    if all(isinstance(part, ThoughtPart) for part in parts):
        parts = []
    return msgspec.structs.replace(message, parts=tuple(parts))


def _heard(part: Part, demands: Demands) -> Part | None:
    """A user's part. Thoughts and calls are the assistant's."""
    if isinstance(part, ToolResult):
        content = tuple(_content(each, demands) for each in part.content)
        return msgspec.structs.replace(part, content=tuple(each for each in content if not _is_blank(each)))
    return _content(part, demands) if isinstance(part, TextPart | ImagePart | FilePart) else None


def _content(part: TextPart | ImagePart | FilePart, demands: Demands) -> TextPart | ImagePart | FilePart:
    if isinstance(part, TextPart):
        return TextPart(harmless(part.text))
    if isinstance(part, FilePart):
        named = FilePart(one_line(part.name, MAX_FILE_NAME) or "file", part.media_type, part.data)
        return named if named.data else in_words(named)
    return part if demands.images and (part.data or part.url) else in_words(part)


def _all_spoken(parts: Iterable[Part], demands: Demands, *, own: bool) -> Iterator[Part]:
    """An assistant's parts. What stands for another part has lines of its own, and so has the text behind one that is gone."""
    spoke = parted = False
    for part in parts:
        made = _spoken(part, demands, own=own)
        replaced = not isinstance(part, TextPart | ThoughtPart) and type(made) is not type(part)
        if not _is_plain_text(made):
            parted |= replaced
        else:
            if spoke and (parted or replaced):
                made = TextPart(f"\n{made.text}")
            spoke, parted = True, replaced
        if made is not None:
            yield made


def _spoken(part: Part, demands: Demands, *, own: bool) -> Part | None:
    """An assistant's part. What carries opaque fields of the reader's own stays as it came: they may be signatures of it."""
    if isinstance(part, TextPart):
        return part if own and part.opaque and demands.opaque_texts else TextPart(harmless(part.text))
    if isinstance(part, ThoughtPart):
        return (part if part.opaque else ThoughtPart(harmless(part.text))) if own else None
    if isinstance(part, FunctionCall | MalformedCall):
        if not demands.calls:
            return None
        return part if own or not part.opaque else msgspec.structs.replace(part, opaque=None)
    if isinstance(part, ImagePart) and demands.drawn_images and demands.images:
        return part
    return in_words(part) if isinstance(part, ImagePart | FilePart) else None


def _is_blank(part: Part) -> bool:
    return _is_plain_text(part) and not part.text.strip()


def _is_plain_text(part: Part | None) -> TypeGuard[TextPart]:
    return isinstance(part, TextPart) and not part.opaque


def _without_blanks(parts: Iterable[Part]) -> Iterator[Part]:
    """No text is blank: white space that parts two texts becomes the end of the first, or the beginning of the second."""
    before: Part | None = None
    space = ""
    for part in parts:
        if _is_plain_text(part) and not part.text.strip():
            if _is_plain_text(before):
                before = TextPart(before.text + part.text)
            else:
                space += part.text
            continue
        if before is not None:
            yield before
        before = TextPart(space + part.text) if _is_plain_text(part) else part
        space = ""
    if before is not None:
        yield before


def _trim_end(parts: list[Part]) -> None:
    """Anthropic refuses white space at the end of a last assistant message; nobody needs it."""
    last = next((nr for nr in reversed(range(len(parts))) if not isinstance(parts[nr], ThoughtPart)), None)
    if last is not None and _is_plain_text(text := parts[last]):
        parts[last] = TextPart(text.text.rstrip())


# ----------------------------------------------------------------------------------------------- messages among each other


def _merged(messages: Iterable[PromptMessage], reader: Origin) -> Iterator[PromptMessage]:
    """Roles alternate. A message of which nothing is left hands its cache mark to the one before."""
    run: list[PromptMessage] = []
    """Neighbours of one role."""
    for message in messages:
        if not message.parts:
            if run and message.cache_mark:
                run[-1] = msgspec.structs.replace(run[-1], cache_mark=True)
            continue
        if run and run[-1].role is not message.role:
            yield _joined(run, reader)
            run = []
        run.append(message)
    if run:
        yield _joined(run, reader)


def _joined(run: Sequence[PromptMessage], reader: Origin | None = None) -> PromptMessage:
    """One message of several of one role; a text does not run into the next."""
    if len(run) == 1:
        return run[0]
    parts: list[Part] = []
    for message in run:
        _append_apart(parts, message.parts)
    # The opaque fields that are left are the reader's, so a message that is its own in part is its own.
    origins = {message.origin for message in run}
    origin = run[0].origin if len(origins) == 1 else reader if reader in origins else None
    return PromptMessage(run[0].role, tuple(parts), origin, any(message.cache_mark for message in run))


def _append_apart(parts: list[Part], more: Sequence[Part]) -> None:
    start = len(parts)
    parts += more
    beginning = _text_at(parts, range(start, len(parts)))
    end = _text_at(parts, range(start - 1, -1, -1)) if beginning is not None else None
    if beginning is None or end is None:
        return
    if _is_plain_text(second := parts[beginning]):
        parts[beginning] = TextPart(_BETWEEN + second.text)
    elif _is_plain_text(first := parts[end]):
        parts[end] = TextPart(first.text + _BETWEEN)


def _text_at(parts: Sequence[Part], numbers: Iterable[int]) -> int | None:
    """The first text, where only thoughts and calls are before it: APIs may keep these elsewhere."""
    nr = next((nr for nr in numbers if not isinstance(parts[nr], _UNSPOKEN)), None)
    return nr if nr is not None and isinstance(parts[nr], TextPart) else None


def _ended(messages: Sequence[PromptMessage], demands: Demands) -> Iterator[PromptMessage]:
    if not messages:
        yield text_message(Role.USER, NOTHING_SAID)
    elif messages[0].role is Role.ASSISTANT:
        yield text_message(Role.USER, BEGINNING)
    yield from messages
    if demands.ends_with_user and messages and messages[-1].role is Role.ASSISTANT:
        yield text_message(Role.USER, GO_ON)

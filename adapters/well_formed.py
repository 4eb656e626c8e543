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
    tools = {tool.name: msgspec.structs.replace(tool, name=names[tool.name]) for tool in request.tools}
    choice = request.tool_choice
    if isinstance(choice, NamedTool):
        choice = NamedTool(names.get(choice.name) or wire_name(choice.name))
    turns = _merged((_sendable(message, origin, demands) for message in request.messages), origin)
    messages = tuple(_ended(PairedCalls(names, origin, demands.ids).turns(turns), demands))
    return msgspec.structs.replace(request, messages=messages, tools=tuple(tools.values()), tool_choice=choice)


def with_system_in_front(request: GenerationRequest, system: str) -> GenerationRequest:
    """A well-formed request for a model without a system role: `system` stands before what the first user said."""
    if not system.strip():
        return request
    first, *others = request.messages
    return msgspec.structs.replace(
        request, system="", messages=(_joined(text_message(Role.USER, system), first), *others)
    )


def without_images(request: GenerationRequest) -> GenerationRequest:
    """The same request for a model that cannot see: every picture is named, those in results of tools too."""
    messages = tuple(
        msgspec.structs.replace(message, parts=tuple(_named(part) for part in message.parts))
        for message in request.messages
    )
    return msgspec.structs.replace(request, messages=messages)


def _named(part: Part) -> Part:
    if isinstance(part, ToolResult):
        return msgspec.structs.replace(part, content=tuple(map(_named, part.content)))
    return in_words(part) if isinstance(part, ImagePart) else part


# ------------------------------------------------------------------------------------------------- parts, one by one


def _sendable(message: PromptMessage, origin: Origin, demands: Demands) -> PromptMessage:
    """The message without what cannot be sent; without any part where nothing is left of it."""
    own = message.origin == origin
    if message.role is Role.USER:
        heard = (_heard(part, demands) for part in message.parts)
        parts = [part for part in heard if part is not None and not _is_blank(part)]
    else:
        parts = [made for part in message.parts if (made := _spoken(part, demands, own=own)) is not None]
        parts = list(_without_blanks(parts))
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
        return msgspec.structs.replace(part, name=one_line(part.name, MAX_FILE_NAME) or "file")
    return part if demands.images and (part.data or part.url) else in_words(part)


def _spoken(part: Part, demands: Demands, *, own: bool) -> Part | None:
    """An assistant's part. What carries opaque fields of the reader's own stays as it came: they may be signatures of it."""
    if isinstance(part, TextPart):
        return part if own and part.opaque and demands.opaque_texts else TextPart(harmless(part.text))
    if isinstance(part, ThoughtPart):
        return (part if part.opaque else ThoughtPart(harmless(part.text))) if own else None
    if isinstance(part, FunctionCall | MalformedCall):
        return msgspec.structs.replace(part, opaque=part.opaque if own else None) if demands.calls else None
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


def _merged(messages: Iterable[PromptMessage], origin: Origin) -> Sequence[PromptMessage]:
    """Roles alternate. A message of which nothing is left hands its cache mark to the one before."""
    out: list[PromptMessage] = []
    for message in messages:
        if not message.parts:
            if out and message.cache_mark:
                out[-1] = msgspec.structs.replace(out[-1], cache_mark=True)
        elif out and out[-1].role is message.role:
            out[-1] = _joined(out[-1], message, origin)
        else:
            out.append(message)
    return out


def _joined(first: PromptMessage, second: PromptMessage, reader: Origin | None = None) -> PromptMessage:
    """One message of two; a text does not run into the next."""
    parts, more = list(first.parts), list(second.parts)
    if isinstance(parts[-1], TextPart) and _is_plain_text(beginning := more[0]):
        more[0] = TextPart(_BETWEEN + beginning.text)
    elif isinstance(more[0], TextPart) and _is_plain_text(end := parts[-1]):
        parts[-1] = TextPart(end.text + _BETWEEN)
    # The opaque fields that are left are the reader's, so a message that is its own in part is its own.
    origins = (first.origin, second.origin)
    origin = first.origin if first.origin == second.origin else reader if reader in origins else None
    return PromptMessage(first.role, (*parts, *more), origin, first.cache_mark or second.cache_mark)


def _ended(messages: Sequence[PromptMessage], demands: Demands) -> Iterator[PromptMessage]:
    if not messages:
        yield text_message(Role.USER, NOTHING_SAID)
    elif messages[0].role is Role.ASSISTANT:
        yield text_message(Role.USER, BEGINNING)
    yield from messages
    if demands.ends_with_user and messages and messages[-1].role is Role.ASSISTANT:
        yield text_message(Role.USER, GO_ON)
